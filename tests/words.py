# SPDX-License-Identifier: Apache-2.0
"""Words: those of two languages compared, and those that source files call for."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from companion.feedback.template import gaps
from companion.feedback.word_reader import leaves


def texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every template in *value*, with its key."""
    for key, leaf in leaves(value, path):
        if isinstance(leaf, str):
            yield key, leaf


def differences(ours: object, english: object) -> list[str]:
    """Differences of the words *ours* from *english*, one sentence each.

    Missing keys, excess keys, and other gaps.
    """
    mine, wanted = (dict(leaves(words)) for words in (ours, english))
    missing = [f"{key} is missing" for key in wanted if key not in mine]
    excess = [f"{key} does not exist in English" for key in mine if key not in wanted]
    changed = [
        f"{key} needs {_shape(leaf)} as in English, not {_shape(mine[key])}"
        for key, leaf in wanted.items()
        if key in mine and _shape(leaf) != _shape(mine[key])
    ]
    return [*missing, *excess, *changed]


def _shape(leaf: Any) -> str:
    """What all languages must have alike in one value."""
    if isinstance(leaf, str):
        return f"the gaps {sorted(gaps(leaf))}"
    return f"{len(leaf)} items" if isinstance(leaf, tuple) else "a noun"


def called_with(files: Iterable[Path], function: str, place: int) -> set[str]:
    """The literals passed to *function* as argument number *place* in *files*."""
    found = set()
    for file in files:
        for called, arguments in calls(file):
            if called == function and len(arguments) > place:
                argument = arguments[place]
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    found.add(argument.value)
    return found


@cache
def calls(file: Path) -> tuple[tuple[str, list[ast.expr]], ...]:
    """Every call in *file*: the function as it is written, and the arguments by place."""
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return tuple((ast.unparse(node.func), node.args) for node in nodes if isinstance(node, ast.Call))
