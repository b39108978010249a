# SPDX-License-Identifier: Apache-2.0
"""Makes the puzzles of a game, from games of the computer against itself.

    python tests/tools/puzzles.py chess --seconds 120 > companion/opponent/puzzles/chess.toml

A puzzle has one winning first move, and is proven by `companion.opponent.proof`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from companion.games import find
from companion.games.tank_chess.pieces import COMMAND
from companion.model.game import AnyRules
from companion.opponent.find import knowledge_of
from companion.opponent.knowledge import SURE, WIN
from companion.opponent.levels import find_level
from companion.opponent.player import choose, last_of
from companion.opponent.proof import Proof
from companion.opponent.search import Search

MOST_MOVES: Final = {
    "tank-chess": 3,
    "gottaz": 3,
    "fightopia": 3,
    "martian-chess": 4,
    "chess": 4,
    "close-quarters": 8,
}
"""Moves of the longest puzzle; longer ones take too long to prove."""
NODES: Final = 6000
"""Positions looked at for a win; the proof makes its length exact."""
PLIES: Final = 160
LAST: Final = 9
"""Positions at the end of a game in which a win is proven."""


def with_few_tanks(rules: AnyRules, chance: Random, count: int) -> Any:
    """The start of Tank Chess with *count* random tanks a side besides the Command Tank."""
    position = rules.initial()
    kept = [tank for tank in position.tanks if tank & 7 == COMMAND]
    for side in (0, 1):
        others = [tank for tank in position.tanks if tank >> 3 & 1 == side and tank & 7 != COMMAND]
        kept += chance.sample(others, count)
    return position._replace(tanks=type(position.tanks)(sorted(kept)))


def played(rules: AnyRules, chance: Random, few: int = 0) -> list[Any]:
    """The positions of a game of two weak players after some random moves."""
    position, past = with_few_tanks(rules, chance, few) if few else rules.initial(), []
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


def seen_win(rules: AnyRules, position: Any) -> int:
    """Moves until the side to move wins, as a search sees it, or 0."""
    knowledge = knowledge_of(rules)
    value = knowledge.exact_value(position)
    if value is None:
        search: Search[Any, Any] = Search(knowledge, position, most_nodes=NODES)
        value = last_of(search.iterations(2 * MOST_MOVES[rules.slug] - 1)).value
    return (WIN - value + 1) // 2 if value >= SURE else 0


def winning_moves(rules: AnyRules, position: Any, moves: int) -> list[Any]:
    """The moves that win in *moves* of the side to move, whatever is replied."""
    proof: Proof[Any, Any] = Proof(knowledge_of(rules), position.turn)
    return [
        move for move in rules.legal_moves(position) if proof.holds(rules.apply(position, move), moves - 1)
    ]


def last_wins(rules: AnyRules, positions: list[Any]) -> Iterator[tuple[Any, int]]:
    """The last of *positions* with the moves until the side to move wins, by proof.

    A longer win is looked for only where a shorter one follows in the game.
    """
    won: dict[int, int] = {}
    for index in reversed(range(max(0, len(positions) - LAST), len(positions))):
        follows = won.get(index + 2, 0)
        for moves in range(1, min(max(2, follows + 1), MOST_MOVES[rules.slug]) + 1):
            if winning_moves(rules, positions[index], moves):
                won[index] = moves
                yield positions[index], moves
                break


def seen_wins(rules: AnyRules, positions: list[Any], longest: int) -> Iterator[tuple[Any, int]]:
    """The last of *positions* with the moves until the side to move wins, or 0.

    In Tank Chess they are proven, since a search sees few of its moves.
    """
    if rules.slug == "tank-chess":
        yield from last_wins(rules, positions)
        return
    for position in reversed(positions[-3 * (longest + 1) :]):
        yield position, seen_win(rules, position)


def puzzle(rules: AnyRules, position: Any, moves: int) -> bool:
    """True if the only first move that wins in *moves* exists, and none wins sooner."""
    sooner = any(winning_moves(rules, position, fewer) for fewer in range(1, moves))
    return not sooner and len(winning_moves(rules, position, moves)) == 1


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        description="Make the puzzles of a game, from games of the computer against itself.",
        epilog="examples:\n  python tests/tools/puzzles.py chess --seconds 120",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("game", help="name of the game")
    made.add_argument("--seconds", type=float, default=60, help="time to look for puzzles")
    made.add_argument("--seed", type=int, default=1, help="seed of the games")
    made.add_argument("--least", type=int, default=1, help="moves of the shortest puzzle")
    made.add_argument("--few", type=int, default=0, help="tanks a side in Tank Chess; 0 for all")
    made.add_argument("--each", type=int, default=8, help="puzzles of each length")
    return made


def main() -> None:
    wished = parser().parse_args()
    rules, chance = find(wished.game).rules(), Random(wished.seed)
    found: dict[int, list[str]] = defaultdict(list)
    end = time.process_time() + wished.seconds
    lengths = range(wished.least, MOST_MOVES[wished.game] + 1)
    while time.process_time() < end and any(len(found[moves]) < wished.each for moves in lengths):
        positions = [each for each in played(rules, chance, wished.few) if rules.status(each) is None]
        for position, moves in seen_wins(rules, positions, lengths.stop - 1):
            text = rules.write_position(position)
            is_wanted = moves in lengths and len(found[moves]) < wished.each and text not in found[moves]
            if is_wanted and puzzle(rules, position, moves):
                found[moves].append(text)
                print(wished.game, moves, len(found[moves]), text, file=sys.stderr, flush=True)
                break
    print(
        f"# Puzzles of {wished.game}, made by tests/tools/puzzles.py --seed {wished.seed}; a test proves each.\n"
    )
    print("# The side to move wins in `moves` of its own at most; one first move does it.\n")
    for moves in (each for each in sorted(found) if found[each]):
        print("[[puzzles]]")
        print(f"moves = {moves}")
        listed = "".join(f'    "{text}",\n' for text in found[moves])
        print(f"positions = [\n{listed}]\n")


if __name__ == "__main__":
    main()
