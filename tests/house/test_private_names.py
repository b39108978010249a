# SPDX-License-Identifier: Apache-2.0
"""Tests use public names only, and hand timings in instead of patching constants."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
INTERFACES = {"_replace", "_asdict", "_fields", "_fields_", "_set_running_loop", "_exit"}
"""Public names with an underscore: of named tuples, ctypes, asyncio and os."""
CONSTANT = re.compile(r"_|[A-Z][A-Z\d_]+$")
"""Names of constants, and private names."""
PATCHED = {"USUAL_ADDRESS"}
"""Constants that tests patch: places outside the program that a test must not touch."""


def private_names(source: str) -> Iterator[str]:
    """The private attributes of other objects that *source* uses, each with its line."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Attribute) or node.attr in INTERFACES or node.attr.startswith("__"):
            continue
        is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        if node.attr.startswith("_") and not is_own:
            yield f"{node.lineno}: {ast.unparse(node)}"


def patched_constants(source: str) -> Iterator[str]:
    """The constants and private names that *source* patches, each with its line."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") not in ("setattr", "setitem"):
            continue
        words = [each.value for each in node.args[:2] if isinstance(each, ast.Constant)]
        names = {word.rpartition(".")[2] for word in words if isinstance(word, str)}
        if any(CONSTANT.match(name) for name in names - PATCHED):
            yield f"{node.lineno}: {ast.unparse(node)}"


def found_in_tests(search: Callable[[str], Iterator[str]]) -> dict[str, list[str]]:
    return {
        str(path.relative_to(TESTS)): names
        for path in sorted(TESTS.rglob("*.py"))
        if (names := list(search(path.read_text(encoding="utf-8"))))
    }


def test_no_test_uses_private_names_of_other_objects() -> None:
    assert found_in_tests(private_names) == {}


def test_no_test_patches_a_constant_or_a_private_name() -> None:
    assert found_in_tests(patched_constants) == {}


def test_the_search_finds_patched_constants_in_both_forms() -> None:
    source = """
m.setattr(web, "_LOOK_S", 1)
m.setattr("a.b.LOOK_S", 1)
m.setattr(retry, "AFTER_S", 1)
m.setattr(run, "_run", 1)
m.setattr(os, "fsync", f)
m.setattr(made, "Budget", f)
m.setattr(cli, "USUAL_ADDRESS", "")
"""
    assert [one.partition(":")[0] for one in patched_constants(source)] == ["2", "3", "4", "5"]


def test_the_search_finds_a_private_name_and_leaves_public_interfaces_alone() -> None:
    assert list(private_names("hall._ended.add(1)\nself._own\nply._replace(a=1)\nx.__dict__")) == [
        "1: hall._ended"
    ]
