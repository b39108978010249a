# SPDX-License-Identifier: Apache-2.0
"""Print what hints, warnings and reviews say of moves in games, for people to read.

Games of two weak players are played with fresh seeds; at drawn positions a hint is sought and a
drawn move judged, with the searches of a table. Read the sentences as somebody who knows only the
rules.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random, SystemRandom
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.feedback.hints import advised, review  # noqa: E402  (run from anywhere)
from companion.feedback.wordfiles import languages  # noqa: E402
from companion.feedback.words import Words, load  # noqa: E402
from companion.games import find, slugs  # noqa: E402
from companion.host.coach.coach import is_blunder  # noqa: E402
from companion.model.advice import Advice, AdviceKind, HintStage  # noqa: E402
from companion.model.claims import WrittenClaim  # noqa: E402
from companion.model.game import AnyRules  # noqa: E402
from companion.model.written_move import WrittenMove, written_move  # noqa: E402
from companion.opponent.claims import claims, written  # noqa: E402
from companion.opponent.find import knowledge_of  # noqa: E402
from companion.opponent.levels import levels  # noqa: E402
from companion.opponent.player import choose, last_of  # noqa: E402
from companion.opponent.search import Search  # noqa: E402

NODES: Final = 3000
"""Positions of each search."""
CLAIM_NODES: Final = 8000
LONGEST: Final = 80
"""Plies of a game."""
TRIED: Final = 4
"""Moves that are judged before one is found that loses something."""


@dataclass(frozen=True)
class Judged:
    """A move, its value, and what is verified of it."""

    move: WrittenMove
    value: int
    claims: tuple[WrittenClaim, ...]
    cries: tuple[Any, ...]


def judged(rules: AnyRules, position: Any, move: Any = None) -> Judged:
    """The best move of *position*, or *move*."""
    candidates = {} if move is None else {move: 0}
    knowledge = knowledge_of(rules)
    found = last_of(Search(knowledge, position, most_nodes=NODES, candidates=candidates).iterations())
    said = claims(rules, position, found.line, most_nodes=CLAIM_NODES)
    cries = tuple(each.cry for each in rules.announcements(rules.apply(position, found.move)))
    return Judged(
        written_move(rules, position, found.move), found.value, written(rules, position, said), cries
    )


def sentences(rules: AnyRules, position: Any, chance: Random, words: Words) -> Iterator[tuple[str, str]]:
    """What is said in *position*, each with its kind."""
    best = judged(rules, position)
    for stage in HintStage:
        shown = best.claims if stage is HintStage.REASON else ()
        advice = Advice(AdviceKind.HINT, "", claims=shown, cries=best.cries, move=best.move, stage=stage)
        yield f"hint {stage}", advised(advice, words)
    moves = rules.legal_moves(position)
    for move in chance.sample(moves, min(TRIED, len(moves))):
        made = judged(rules, position, move)
        if is_blunder(best.value, made.value):
            warned = Advice(AdviceKind.WARNING, "", claims=made.claims)
            yield f"warning of {made.move.text}", advised(warned, words)
            yield "review", review(made.move, made.claims, best.move, best.claims, words)
            return


def positions(rules: AnyRules, seed: int) -> Iterator[Any]:
    """Drawn positions of a game of *seed*."""
    chance, level = Random(seed), levels(rules.slug)[0]
    position = rules.initial()
    for ply in range(LONGEST):
        if rules.status(position) is not None:
            return
        if chance.random() < 0.2:
            yield position
        if chance.random() < 0.3:
            move = chance.choice(rules.legal_moves(position))
        else:
            move = choose(rules, position, level, seed + ply).move
        position = rules.apply(position, move)


def read(slug: str, language: str, seed: int) -> Iterator[str]:
    """Lines about positions of games from *seed* on: where, then what is said. Without end."""
    rules = find(slug).rules()
    words = load(language, slug, rules.sides)
    for number in count(seed):
        for position in positions(rules, number):
            yield f"\n{slug}, seed {number}: {rules.write_position(position)}"
            for kind, text in sentences(rules, position, Random(number), words):
                yield f"  {kind}: {text}"


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="examples:\n"
        "  python tests/bench/sentences.py\n"
        "  python tests/bench/sentences.py --only gottaz --number 60\n"
        "  python tests/bench/sentences.py --language de --seed 7",
    )
    made.add_argument("--only", choices=slugs(), metavar="GAME", help="one game")
    made.add_argument("--number", type=int, default=20, help="sentences of each game (20)")
    made.add_argument("--language", choices=languages(), default="en", help="language of the sentences (en)")
    made.add_argument("--seed", type=int, help="first seed of the games; drawn without it")
    return made


def main() -> None:
    """Print the sentences."""
    chosen = parser().parse_args()
    seed = SystemRandom().randrange(10**6) if chosen.seed is None else chosen.seed
    for slug in [chosen.only] if chosen.only else slugs():
        left = chosen.number
        for line in read(slug, chosen.language, seed):
            print(line, flush=True)
            left -= line.startswith(" ")
            if left <= 0:
                break


if __name__ == "__main__":
    main()
