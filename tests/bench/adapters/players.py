# SPDX-License-Identifier: Apache-2.0
"""Let this file's players and judge play in the tree that runs it.

It is started by `tests.bench.against` with the Python of another tree and in its folder. From there
comes `companion`, with its rules and its session; `tests` comes from this file's tree. So both
trees meet the same people with the same seeds, without a server that translates what the session
sees and says. Each input line is a game, `{"game", "sensor", "seed", "plies", "faulty"}`; each
output line is its result, with a hash of what the hands did: hands differ if the trees' rules
differ, or after a question that only one tree asks, since people wait for it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

COUNTED = ("false alarm", "silent", "needless question")
"""Findings that do not end a game."""


def load() -> Any:
    """The bench of the players in this file's tree, with `companion` of the current folder."""
    import companion

    found = Path(companion.__file__).resolve().parents[1]
    if found != Path.cwd().resolve():
        raise SystemExit(
            f"companion is that of {found}, not of {Path.cwd()}: PYTHONPATH must name the latter"
        )
    for name in [each for each in sys.modules if each.partition(".")[0] == "tests"]:
        del sys.modules[name]
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    import tests

    tests.__path__ = [str(Path(__file__).resolve().parents[2])]
    sys.path.pop(0)
    return import_module("tests.bench.players.__main__")


def failure(judge: Any) -> str:
    """The kind of the failure that ended the game; "" if the record was right.

    A game at whose end the table still waits for an answer is `undecided`. One whose record
    leaves the same edges as the truth is `undecidable`, which is no failure of the referee.
    """
    if judge.failure is not None:
        return str(judge.failure.kind)
    return "undecided" if judge.counts.get("undecided") or judge.is_asking() else ""


def played(bench: Any, game: dict[str, Any]) -> dict[str, Any]:
    """The result of one game; it is `void` if the players themselves made an error."""
    given = (game["game"], game["sensor"], game["seed"], game["plies"], game.get("faulty", 0))
    try:
        play, judge, items, _ = bench.play_one(*given)
    except AssertionError as error:
        return {**game, "void": str(error)}
    hands = hashlib.sha256(repr([(at_ms, str(what)) for at_ms, what in items]).encode())
    return {
        **game,
        "plies": play.made,
        "failure": failure(judge),
        "about": "" if judge.failure is None else f"ply {judge.failure.ply}: {judge.failure.about}",
        "counts": {each: judge.counts.get(each, 0) for each in COUNTED},
        "hands": hands.hexdigest()[:16],
        "session_ms": round(judge.spent_ms, 1),
    }


def main() -> None:
    """Play the games on standard input."""
    bench = load()
    for line in sys.stdin:
        print(json.dumps(played(bench, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
