# SPDX-License-Identifier: Apache-2.0
"""Makes the puzzles of a game, from games of the computer against itself.

    python tests/bench/puzzles.py chess --seconds 120 > companion/opponent/puzzles/chess.toml

A puzzle has one winning first move, and is proven by `companion.opponent.proof`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from random import Random
from typing import Any, Final

from companion.games import find
from companion.model.game import AnyRules
from companion.opponent.levels import find_level
from companion.opponent.player import choose
from companion.opponent.proof import winning_moves

MOST_MOVES: Final = {
    "tank-chess": 1,
    "gottaz": 2,
    "fightopia": 2,
    "martian-chess": 2,
    "chess": 3,
    "close-quarters": 4,
}
"""Moves of the longest puzzle; longer ones take too long to prove."""
PLIES: Final = 160


def played(rules: AnyRules, chance: Random) -> list[Any]:
    """The positions of a game of two weak players after some random moves."""
    position, past = rules.initial(), []
    for ply in range(PLIES):
        past.append(position)
        if rules.status(position) is not None:
            break
        moves = rules.legal_moves(position)
        if ply < 6 or chance.random() < 0.1:
            move = chance.choice(moves)
        else:
            level = find_level(rules.slug, str(chance.randint(1, 3)))
            move = choose(rules, position, level, chance.getrandbits(30), past=past[:-1]).move
        position = rules.apply(position, move)
    return past


def puzzle(rules: AnyRules, position: Any, moves: int) -> bool:
    """True if the only first move that wins in *moves* exists, and none wins sooner."""
    sooner = any(winning_moves(rules, position, fewer) for fewer in range(1, moves))
    return not sooner and len(winning_moves(rules, position, moves)) == 1


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        description="Make the puzzles of a game, from games of the computer against itself.",
        epilog="examples:\n  python tests/bench/puzzles.py chess --seconds 120",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("game", help="name of the game")
    made.add_argument("--seconds", type=float, default=60, help="time to look for puzzles")
    made.add_argument("--seed", type=int, default=1, help="seed of the games")
    made.add_argument("--each", type=int, default=8, help="puzzles of each length")
    return made


def main() -> None:
    wished = parser().parse_args()
    rules, chance = find(wished.game).rules(), Random(wished.seed)
    found: dict[int, list[str]] = defaultdict(list)
    end = time.monotonic() + wished.seconds
    while time.monotonic() < end and any(
        len(found[moves]) < wished.each for moves in range(1, MOST_MOVES[wished.game] + 1)
    ):
        positions = played(rules, chance)
        if len(positions) == PLIES:
            continue
        taken = False
        for moves in chance.sample(range(1, MOST_MOVES[wished.game] + 1), MOST_MOVES[wished.game]):
            if taken or len(found[moves]) >= wished.each or len(positions) < 2 * moves + 2:
                continue
            position = positions[-2 * moves]
            is_new = rules.write_position(position) not in found[moves]
            if is_new and puzzle(rules, position, moves):
                found[moves].append(rules.write_position(position))
                taken = True
                print(wished.game, moves, len(found[moves]), file=sys.stderr)
    print(
        f"# Puzzles of {wished.game}, made by tests/bench/puzzles.py --seed {wished.seed}; a test proves each.\n"
    )
    print("# The side to move wins in `moves` of its own at most; one first move does it.\n")
    for moves in (each for each in sorted(found) if found[each]):
        print("[[puzzles]]")
        print(f"moves = {moves}")
        listed = "".join(f'    "{text}",\n' for text in found[moves])
        print(f"positions = [\n{listed}]\n")


if __name__ == "__main__":
    main()
