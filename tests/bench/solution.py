# SPDX-License-Identifier: Apache-2.0
"""Solve Close Quarters under all options, and count what is won, drawn and lost.

- starts: value and plies of each start, for the Sword, which moves first.
- sword_to_move, weapons_to_move: positions that the side to move wins, draws and loses.
- longest: the position with the longest win, and its plies.
- seconds: time of the analysis; packed_bytes: size of its file; peak_mb: memory of this process.
- contradictions: with --prove, positions whose value does not follow from the rules.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.games import find  # noqa: E402  (run as a script, from anywhere)
from companion.opponent.close_quarters.analysis import Analyst  # noqa: E402
from companion.opponent.close_quarters.paths import MoveOptions  # noqa: E402
from companion.opponent.close_quarters.solver import Solver  # noqa: E402
from companion.opponent.close_quarters.tablebase import Tablebase  # noqa: E402
from tests.bench.report import arguments, deliver, say  # noqa: E402
from tests.opponent.close_quarters.proof import contradictions  # noqa: E402
from tests.opponent.close_quarters.samples import OPTIONS, every_position, rules_of  # noqa: E402

STARTS = next(option for option in find("close-quarters").options if option.name == "start").values
SIDES = ("sword_to_move", "weapons_to_move")


def measure(options: MoveOptions, *, quick: bool, prove: bool) -> dict[str, Any]:
    """The figures under *options*."""
    began = time.perf_counter()
    solver = Solver(options)
    for _ in solver.steps():
        pass
    tablebase = solver.tablebase()
    result: dict[str, Any] = {
        "seconds": round(time.perf_counter() - began, 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "packed_bytes": len(tablebase.packed()),
        "starts": {start: value(tablebase, start) for start in STARTS},
    }
    if not quick:
        result |= counts(tablebase)
    if prove:
        result["contradictions"] = list(contradictions(rules_of(options), tablebase))
    return result


def value(tablebase: Tablebase, start: str) -> dict[str, Any]:
    """The value of *start* for the Sword."""
    rules = rules_of(tablebase.options, start=start)
    score = Analyst(rules, tablebase).score(rules.initial())
    return {"value": score.value(0), "plies": score.plies}


def counts(tablebase: Tablebase) -> dict[str, Any]:
    """What is won, drawn and lost among the positions in which the game goes on."""
    rules = rules_of(tablebase.options)
    found = {side: {"win": 0, "draw": 0, "loss": 0} for side in SIDES}
    longest = ("", 0)
    for position in every_position(rules):
        plies = tablebase.distance(position.turn, position[1:5])
        name = "draw" if plies is None else "win" if plies % 2 else "loss"
        found[SIDES[position.turn]][name] += 1
        if plies is not None and plies > longest[1]:
            longest = (rules.write_position(position), plies)
    return {**found, "longest": {"position": longest[0], "plies": longest[1]}}


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = arguments(
        __doc__,
        "python tests/bench/solution.py --quick",
        "python tests/bench/solution.py --prove --only one-or-two,no,straight-first",
    )
    made.add_argument(
        "--prove", action="store_true", help="check every value with the rules: some minutes for each set"
    )
    made.add_argument(
        "--only",
        metavar="SWORD,JUMPS,MACE",
        choices=[",".join(options) for options in OPTIONS],
        help="solve one set: the values of sword, sword_jumps and mace_path",
    )
    return made


def main() -> None:
    """Solve every set of options and print the report."""
    words = parser().parse_args()
    results = {}
    for options in OPTIONS:
        name = ",".join(options)
        if words.only in (None, name):
            say(f"{name} ...")
            results[name] = measure(options, quick=words.quick, prove=words.prove)
    deliver(results, words.seed, as_json=words.json)


if __name__ == "__main__":
    main()
