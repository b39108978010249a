# SPDX-License-Identifier: Apache-2.0
"""Make the openings that the computer plays: `companion/opponent/openings.toml`.

The highest level plays the first plies of games against itself. Each of its moves is worse than the
best one by a margin at most, which the seed chooses. Lines that are made twice are kept once. The
file is written again with the lines of the games that are measured; it keeps those of others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.games import find, slugs  # noqa: E402  (run as a script, from anywhere)
from companion.model.toml import parse  # noqa: E402
from companion.opponent.find import knowledge_of  # noqa: E402
from companion.opponent.player import last_of  # noqa: E402
from companion.opponent.search import Search  # noqa: E402
from companion.opponent.variety import OPENING_PLIES, bonuses  # noqa: E402
from tests.bench.report import arguments, deliver, say  # noqa: E402

FILE: Final = ROOT / "companion" / "opponent" / "openings.toml"
MARGIN: Final = 25
"""In hundredths of the least piece."""
HEAD: Final = """\
# Openings of the computer as an opponent, made by `tests/tools/openings.py` from its own games under the default
# options; `companion/opponent/variety.py` reads them. Each line of a game is as likely as another.
[lines]
"""


def line(slug: str, seed: int, nodes: int) -> str:
    """The first plies of a game of the highest level against itself."""
    rules = find(slug).rules()
    knowledge, position, moves = knowledge_of(rules), rules.initial(), list[str]()
    while len(moves) < OPENING_PLIES and rules.status(position) is None:
        preferred = bonuses(knowledge, position, [], MARGIN, 1000 * seed + len(moves))
        known = knowledge.best_moves(position) or preferred
        search = Search(
            knowledge, position, most_nodes=nodes, candidates={move: preferred[move] for move in known}
        )
        move = last_of(search.iterations()).move
        moves.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    return " ".join(moves)


def written(lines: Mapping[str, Sequence[str]]) -> str:
    """The file with the *lines* of each game."""
    games = []
    for slug, found in sorted(lines.items()):
        games.append("\n".join([f"{slug} = [", *(f'  "{each}",' for each in sorted(set(found))), "]", ""]))
    return HEAD + "\n".join(games)


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    found = arguments(__doc__, "python tests/tools/openings.py --only chess --games 40 --jobs 2")
    found.add_argument("--only", choices=slugs(), action="append", help="make those of this game")
    found.add_argument("--games", type=int, default=40, metavar="N", help="games played (default: 40)")
    found.add_argument(
        "--nodes", type=int, default=8000, metavar="N", help="positions a move (default: 8000)"
    )
    found.add_argument("--jobs", type=int, default=1, metavar="N", help="games at a time (default: 1)")
    return found


def main() -> None:
    """Make the openings."""
    given = parser().parse_args()
    games, nodes = (4, 300) if given.quick else (given.games, given.nodes)
    made: dict[str, list[str]] = {}
    with ProcessPoolExecutor(given.jobs) as pool:
        for slug in given.only or slugs():
            seeds = range(given.seed, given.seed + games)
            made[slug] = [*pool.map(line, repeat(slug), seeds, repeat(nodes))]
            say(f"{slug}: {len(set(made[slug]))} lines of {games} games")
    if not given.quick:
        kept = parse(FILE.read_text(encoding="utf-8"), FILE.name)["lines"]
        FILE.write_text(written({**kept, **made}), encoding="utf-8")
    deliver({"lines": made}, given.seed, as_json=given.json)


if __name__ == "__main__":
    main()
