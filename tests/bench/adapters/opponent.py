# SPDX-License-Identifier: Apache-2.0
"""Search with the tree that runs it, as `tests.bench.opponent_against` asks.

It imports only what this tree and older ones have. First it prints the folder of its tree. Each
input line is a question, `{"game", "options", "past"}` with one of these limits: "depth" or "nodes"
of a search, with further arguments of `Search` in "search"; "seconds" of processor time for the
highest level, with "seed"; or "level" with "seed", "share" of its nodes and fields to "replace".
"past" are the texts of all positions so far. Each output line is the answer.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import companion
from companion.games import find
from companion.opponent.find import knowledge_of
from companion.opponent.levels import levels
from companion.opponent.player import choose, last_of
from companion.opponent.search import DEEPEST, Search

MANY = 10**9
"""Positions that no search looks at."""


@cache
def rules_of(game: str, options: tuple[tuple[str, str], ...]) -> Any:
    """The rules of *game*."""
    return find(game).rules(dict(options))


@cache
def read(rules: Any, text: str) -> Any:
    """The position *text*."""
    return rules.read_position(text)


def level_of(asked: dict[str, Any]) -> Any:
    """The level that is asked for; fields to replace that it lacks are ignored."""
    level = next(each for each in levels(asked["game"]) if each.number == asked["level"])
    known = {field.name for field in fields(level)}
    level = replace(level, nodes=round(asked.get("share", 1) * level.nodes))
    return replace(
        level, **{name: value for name, value in asked.get("replace", {}).items() if name in known}
    )


def searched(rules: Any, past: Sequence[Any], asked: dict[str, Any]) -> Any:
    """What the search finds within the limits of the question."""
    knowledge = knowledge_of(rules)
    search = Search(
        knowledge,
        past[-1],
        past=[knowledge.key(each) for each in past[:-1]],
        most_nodes=asked.get("nodes"),
        **asked.get("search", {}),
    )
    return last_of(search.iterations(asked.get("depth", DEEPEST)))


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """The move that is asked for, and what it cost."""
    rules = rules_of(asked["game"], tuple(asked["options"].items()))
    past = [read(rules, text) for text in asked["past"]]
    start = time.process_time()
    if "level" in asked:
        found = choose(rules, past[-1], level_of(asked), asked["seed"], past=past[:-1])
    elif "seconds" in asked:
        end = start + asked["seconds"]
        highest = replace(levels(asked["game"])[-1], nodes=MANY)
        found = choose(
            rules,
            past[-1],
            highest,
            asked["seed"],
            past=past[:-1],
            should_stop=lambda: time.process_time() > end,
        )
    else:
        found = searched(rules, past, asked)
    return {
        "seconds": time.process_time() - start,
        "move": rules.write_move(past[-1], found.move),
        "nodes": found.nodes,
        "depth": found.depth,
    }


def main() -> None:
    """Answer the questions on standard input."""
    print(json.dumps({"folder": str(Path(companion.__file__).resolve().parents[1])}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
