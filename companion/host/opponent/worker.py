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
from companion.opponent.find import knowledge_of
from companion.opponent.levels import find_level
from companion.opponent.player import choose, last_of
from companion.opponent.proof import wins
from companion.opponent.search import Search

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


def analyse(question: dict[str, Any], stop: threading.Event) -> dict[str, Any]:
    """Return the best line of *question*, or the best one that begins with its move."""
    rules = find(question["game"]).rules(question["options"])
    position, knowledge = rules.read_position(question["position"]), knowledge_of(rules)
    move = question["move"]
    clock, most_ms = monotonic(), question["most_ms"]
    search: Search[Any, Any] = Search(
        knowledge,
        position,
        past={knowledge.key(rules.read_position(text)) for text in question["past"]},
        most_nodes=question["most_nodes"],
        should_stop=lambda: stop.is_set() or clock() >= most_ms,
        allowed=[rules.read_move(position, move)] if move else knowledge.best_moves(position),
    )
    found = last_of(search.iterations())
    value = found.value
    exact = knowledge.exact_value(rules.apply(position, found.move))
    if exact is not None:  # for the other side, and a ply later
        value = -exact + (exact > 0) - (exact < 0)
    line = []
    for each in found.line:
        line.append(rules.write_move(position, each))
        position = rules.apply(position, each)
    return {"line": line, "value": value, "depth": found.depth, "nodes": found.nodes}


def prove(question: dict[str, Any]) -> dict[str, Any]:
    """Return whether the side of *question* wins in time, whatever is replied."""
    rules = find(question["game"]).rules(question["options"])
    position = rules.read_position(question["position"])
    return {"wins": wins(rules, position, question["side"], question["moves"])}


def reply(question: dict[str, Any], stop: threading.Event) -> dict[str, Any]:
    """Return the answer to *question*, of one of the three kinds."""
    if "level" in question:
        return answer(question, stop)
    return prove(question) if "side" in question else analyse(question, stop)


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
        answers.write(json.dumps(reply(json.loads(line), stop)) + "\n")
        answers.flush()


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    serve(sys.stdin, sys.stdout)
