# SPDX-License-Identifier: Apache-2.0
"""Tests hand timings in instead of patching constants or private names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
CONSTANT = re.compile(r"_|[A-Z][A-Z\d_]+$")
"""Names of constants, and private names."""
PATCHED = {"USUAL_ADDRESS"}
"""Constants that tests patch: places outside the program that a test must not touch."""


def patched_constants(source: str) -> Iterator[str]:
    """The constants and private names that *source* patches, each with its line."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") not in ("setattr", "setitem"):
            continue
        words = [each.value for each in node.args[:2] if isinstance(each, ast.Constant)]
        names = {word.rpartition(".")[2] for word in words if isinstance(word, str)}
        if any(CONSTANT.match(name) for name in names - PATCHED):
            yield f"{node.lineno}: {ast.unparse(node)}"


def test_no_test_patches_a_constant_or_a_private_name() -> None:
    sources = {str(path.relative_to(TESTS)): path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py")}
    assert {name: found for name, text in sources.items() if (found := [*patched_constants(text)])} == {}


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
