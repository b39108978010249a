# SPDX-License-Identifier: Apache-2.0
"""Tests use public names only: what a test needs of an object is part of its interface."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
INTERFACES = {"_replace", "_asdict", "_fields", "_fields_"}
"""Public in spite of the underscore: of named tuples and of ctypes."""


def private_names(source: str) -> Iterator[str]:
    """The private attributes of other objects that *source* uses, each with its line."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Attribute) or node.attr in INTERFACES or node.attr.startswith("__"):
            continue
        is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        if node.attr.startswith("_") and not is_own:
            yield f"{node.lineno}: {ast.unparse(node)}"


def test_no_test_uses_private_names_of_other_objects() -> None:
    found = {
        str(path.relative_to(TESTS)): names
        for path in sorted(TESTS.rglob("*.py"))
        if (names := list(private_names(path.read_text(encoding="utf-8"))))
    }
    assert found == {}


def test_the_search_finds_a_private_name_and_leaves_public_interfaces_alone() -> None:
    assert list(private_names("hall._ended.add(1)\nself._own\nply._replace(a=1)\nx.__dict__")) == [
        "1: hall._ended"
    ]
