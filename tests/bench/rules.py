# SPDX-License-Identifier: Apache-2.0
"""Measure the speed of the rules.

Figures:

- nodes_per_s: perft over fixed random positions with the usual `legal_moves` and `apply`; the last
  ply is counted without being played. The best of three runs, since other programs can only slow
  it down.
- all_moves_ms: all legal moves of a position with their footprints, and its announcements.
- position_bytes: a position with everything that only it holds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.games import find, slugs  # noqa: E402  (run as a script, from anywhere)
from companion.games._shared.perft import perft  # noqa: E402
from companion.model.game import AnyRules  # noqa: E402
from tests.bench.report import arguments, deliver, percentiles, say  # noqa: E402
from tests.games.support import random_positions  # noqa: E402

RUNS = 3


def cases() -> dict[str, tuple[str, dict[str, str]]]:
    """The name in the report, with the game and its options."""
    found = {slug: (slug, dict[str, str]()) for slug in slugs() if slug != "tank-chess"}
    maps = (
        next((o.values for o in find("tank-chess").options if o.name == "map"), ())
        if "tank-chess" in slugs()
        else ()
    )
    for name in (name for name in maps if name != "file"):
        found[f"tank-chess-{name.rsplit('-', 1)[-1]}"] = ("tank-chess", {"map": name})
    return found


def nodes_per_second(count: Callable[[Any, int], int], positions: list[Any], seconds: float) -> int:
    """Nodes per second of *count* over *positions*; the best of `RUNS` runs.

    The depth is the one that fills *seconds*.
    """
    depth, spent = 1, 0.0
    while spent < seconds and depth < 6:
        depth += 1
        start = time.perf_counter()
        count(positions[0], depth)
        spent = (time.perf_counter() - start) * len(positions) * 4
    best = 0.0
    for _ in range(RUNS):
        nodes, start = 0, time.perf_counter()
        for position in positions:
            nodes += count(position, depth)
            if time.perf_counter() - start > seconds:
                break
        best = max(best, nodes / (time.perf_counter() - start))
    return round(best)


def all_moves_ms(rules: AnyRules, position: Any) -> float:
    """Milliseconds to compute everything that can happen in *position*."""
    start = time.perf_counter()
    for move in rules.legal_moves(position):
        rules.steps(position, move)
    rules.announcements(position)
    return (time.perf_counter() - start) * 1000


def size_of(value: Any, shared: set[int]) -> int:
    """Bytes of *value* and everything in it, each object once, without small integers."""
    if id(value) in shared or (isinstance(value, int) and -5 <= value <= 256):
        return 0
    shared.add(id(value))
    parts: list[Any] = []
    if isinstance(value, (tuple, list, frozenset, set)):
        parts = list(value)
    elif isinstance(value, dict):
        parts = [*value.keys(), *value.values()]
    elif hasattr(type(value), "__slots__"):
        parts = [getattr(value, name) for name in type(value).__slots__ if hasattr(value, name)]
    return sys.getsizeof(value) + sum(size_of(part, shared) for part in parts)


def measure(slug: str, options: dict[str, str], seed: int, *, quick: bool) -> dict[str, Any]:
    """The figures of one game."""
    rules = find(slug).rules(options)
    positions = list(random_positions(rules, seed=seed, count=200 if quick else 1000, plies=80))
    seconds = 0.5 if quick else 4.0
    chosen = positions[:: max(1, len(positions) // 20)]
    result: dict[str, Any] = {
        "nodes_per_s": nodes_per_second(
            lambda position, depth: perft(rules, position, depth), chosen, seconds
        ),
        "all_moves_ms": percentiles([all_moves_ms(rules, position) for position in positions]),
        "position_bytes": max(size_of(position, set()) for position in positions),
    }
    if slug == "chess":
        boards = [rules.write_position(position) for position in chosen]
        result["python_chess_nodes_per_s"] = nodes_per_second(oracle_perft, boards, seconds)
    return result


def oracle_perft(fen: str, depth: int) -> int:
    """The same count by python-chess."""
    import chess

    def count(board: chess.Board, left: int) -> int:
        if left == 1:
            return board.legal_moves.count()
        nodes = 0
        for move in list(board.legal_moves):
            board.push(move)
            nodes += count(board, left - 1)
            board.pop()
        return nodes

    return count(chess.Board(fen), depth)


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    return arguments(__doc__, "python tests/bench/rules.py --quick")


def main() -> None:
    """Measure every game and print the report."""
    words = parser().parse_args()
    results = {}
    for name, (slug, options) in cases().items():
        say(f"{name} ...")
        results[name] = measure(slug, options, words.seed, quick=words.quick)
    deliver(results, words.seed, as_json=words.json)


if __name__ == "__main__":
    main()
