# SPDX-License-Identifier: Apache-2.0
"""The process in which our own opponent thinks: `python -m companion.host.opponent.worker`.

Each line from standard input is a question in JSON, what to think about ahead, or a word of
`companion.host.opponent.protocol`; each answer is a line, too. At the end of its input it ends,
and whatever it computes with its table.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterable
from typing import Any, Final, TextIO

from companion.games import find
from companion.host.codec import encode
from companion.host.opponent.bound import end_with_parent
from companion.host.opponent.mind import Limits, Mind
from companion.host.opponent.protocol import QUIT, Answer, Question
from companion.model.claims import WrittenClaim
from companion.model.notation import write_line
from companion.opponent.claims import claims, written
from companion.opponent.find import knowledge_of
from companion.opponent.levels import find_level
from companion.opponent.player import choose, last_of
from companion.opponent.proof import wins
from companion.opponent.search import Search

_LATE_MS: Final = 1000
"""By which claims may be late on a busy machine: their positions are limited, too."""
_CLAIMS_MS: Final = 300
"""Time for claims; a third of the whole if that is less."""
_NICENESS: Final = 10
"""So that a table on the same processor is as quick as without the opponent."""


def answer(question: Question, limits: Limits) -> Answer:
    """Return the answer to *question*: a move as text, and how it was found."""
    rules = find(question["game"]).rules(question["options"])
    position = rules.read_position(question["position"])
    past = [rules.read_position(text) for text in question["past"]]
    level = find_level(rules.slug, str(question["level"]))
    found = choose(
        rules,
        position,
        level,
        question["seed"],
        past=past,
        should_stop=limits.is_over,
        is_late=limits.is_late,
    )
    return {
        "move": rules.write_move(position, found.move),
        "value": found.value,
        "depth": found.depth,
        "nodes": found.nodes,
        "ms": limits.clock(),
    }


def analyse(question: Question, limits: Limits) -> Answer:
    """Return the best line of *question*, or the best one that begins with its move.

    If it asks for claims, a part of the time is kept for those about the first move.
    """
    reserve_ms = min(_CLAIMS_MS, question["most_ms"] // 3) if question["claims"] else 0
    rules = find(question["game"]).rules(question["options"])
    position, knowledge = rules.read_position(question["position"]), knowledge_of(rules)
    move = question["move"]
    search: Search[Any, Any] = Search(
        knowledge,
        position,
        past=[knowledge.key(rules.read_position(text)) for text in question["past"] if knowledge.repeats],
        most_nodes=question["most_nodes"],
        should_stop=lambda: limits.is_over(reserve_ms),
        candidates=dict.fromkeys(
            [rules.read_move(position, move)] if move else knowledge.best_moves(position), 0
        ),
    )
    found = last_of(search.iterations())
    value = found.value
    exact = knowledge.exact_value(rules.apply(position, found.move))
    if exact is not None:  # for the other side, and a ply later
        value = -exact + (exact > 0) - (exact < 0)
    said = (
        claims(rules, position, found.line, should_stop=lambda: limits.is_over(-_LATE_MS))
        if reserve_ms
        else ()
    )
    return {
        "line": write_line(rules, position, found.line),
        "value": value,
        "depth": found.depth,
        "nodes": found.nodes,
        "claims": encode(tuple[WrittenClaim, ...], written(rules, position, said)),
    }


def prove(question: Question) -> Answer:
    """Return whether the side of *question* wins in time, whatever is replied."""
    rules = find(question["game"]).rules(question["options"])
    position = rules.read_position(question["position"])
    return {"wins": wins(rules, position, question["side"], question["moves"])}


def reply(question: Question, limits: Limits) -> Answer:
    """Return the answer to *question*, of one of the three kinds."""
    if "level" in question:
        return answer(question, limits)
    return prove(question) if "side" in question else analyse(question, limits)


def serve(questions: Iterable[str], answers: TextIO, mind: Mind) -> None:
    """Answer each line of *questions* on *answers*."""

    def read() -> None:
        for line in questions:
            mind.take(line.strip())
        mind.take(QUIT)

    threading.Thread(target=read, name="questions", daemon=True).start()
    while (work := mind.next()) is not None:
        if work.is_foreseen:
            mind.keep(work, answer(work.question, work.limits))
        else:
            found = mind.ready(work.question) or reply(work.question, work.limits)
            answers.write(json.dumps(found) + "\n")
            answers.flush()


if __name__ == "__main__":
    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    serve(sys.stdin, sys.stdout, Mind())
