# SPDX-License-Identifier: Apache-2.0
"""The process in which our own opponent thinks: `python -m companion.host.opponent.worker`.

Each line from standard input is a question in JSON, or `stop`, or `quit`; each answer is a line,
too. At the end of its input it ends.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from queue import SimpleQueue
from typing import Any, Final, TextIO

from companion.games import find
from companion.host.clock import monotonic
from companion.opponent.levels import find_level
from companion.opponent.player import choose

_NICENESS: Final = 10
"""So that a table on the same processor is as quick as without the opponent."""


def answer(question: dict[str, Any], stop: threading.Event) -> dict[str, Any]:
    """Return the answer to *question*: a move as text, and how it was found."""
    rules = find(question["game"]).rules(question["options"])
    position = rules.read_position(question["position"])
    past = [rules.read_position(text) for text in question["past"]]
    level = find_level(rules.slug, str(question["level"]))
    clock, most_ms = monotonic(), question["most_ms"]
    found = choose(
        rules,
        position,
        level,
        question["seed"],
        past=past,
        should_stop=lambda: stop.is_set() or clock() >= most_ms,
        is_late=lambda: 2 * clock() >= most_ms,
    )
    return {
        "move": rules.write_move(position, found.move),
        "value": found.value,
        "depth": found.depth,
        "nodes": found.nodes,
        "ms": clock(),
    }


def serve(questions: TextIO, answers: TextIO) -> None:
    """Answer each line of *questions* on *answers*."""
    stop = threading.Event()
    waiting: SimpleQueue[str] = SimpleQueue()

    def read() -> None:
        for line in questions:
            if line.strip() == "stop":
                stop.set()
            elif line.strip() == "quit":
                break
            else:
                stop.clear()
                waiting.put(line)
        stop.set()
        waiting.put("")

    threading.Thread(target=read, name="questions", daemon=True).start()
    while line := waiting.get():
        answers.write(json.dumps(answer(json.loads(line), stop)) + "\n")
        answers.flush()


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    serve(sys.stdin, sys.stdout)
