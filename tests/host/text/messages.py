# SPDX-License-Identifier: Apache-2.0
"""The messages in the sources: first arguments of `Phrase` and of our errors."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import calibration
import companion
from companion.model import errors
from companion.model.phrase import fill, gaps

ROOTS = tuple(Path(str(package.__file__)).parent for package in (companion, calibration))
FILLING = {"importing": {"library", "install"}, "reporting": {"reason"}}
"""Blocks that raise a message, with the gaps that they fill."""
SHOWN = {"HTTPException", "Refused"}
"""Other types that take a message, which must not be built from parts either."""


@dataclass(frozen=True, slots=True)
class Message:
    """A template in the sources with the names of its values."""

    template: str
    given: frozenset[str]
    place: str

    @property
    def has_words(self) -> bool:
        """True if there is text to translate between the gaps."""
        return any(letter.isalpha() for letter in fill(self.template, dict.fromkeys(gaps(self.template), "")))

    def __str__(self) -> str:
        return f"{self.place}: {self.template}"


def name_of(called: ast.expr) -> str:
    return str(getattr(called, "id", "") or getattr(called, "attr", ""))


@cache
def trees() -> dict[Path, ast.Module]:
    files = (file for root in ROOTS for file in root.rglob("*.py"))
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in sorted(files)}


@cache
def error_types() -> frozenset[str]:
    """The names of `CompanionError` and of its subclasses in all modules."""
    bases = {
        node.name: {name_of(base) for base in node.bases}
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = {errors.CompanionError.__name__}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return frozenset(found)


@cache
def calls() -> tuple[tuple[str, ast.Call], ...]:
    """Each call that takes a message as its first argument, with its place."""
    return tuple(_calls({"Phrase", *FILLING, *error_types()}))


def _calls(named: set[str]) -> Iterator[tuple[str, ast.Call]]:
    """The calls of what is *named*, and those of `__init__` in its subclasses."""
    for file, tree in trees().items():
        supers = {
            id(call)
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef) and node.name in error_types()
            for call in ast.walk(node)
            if isinstance(call, ast.Call) and name_of(call.func) == "__init__"
        }
        for node in ast.walk(tree):
            takes = isinstance(node, ast.Call) and (name_of(node.func) in named or id(node) in supers)
            if takes and isinstance(node, ast.Call) and node.args:
                yield f"{file}:{node.lineno}", node


def messages() -> Iterator[Message]:
    """Every message that is written literally in the sources."""
    for place, call in calls():
        first = call.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            given = {each.arg or "" for each in call.keywords}
            given |= FILLING.get(name_of(call.func), set())
            yield Message(first.value, frozenset(given), place)


def built_from_parts() -> Iterator[str]:
    """Places where a message is interpolated, joined or converted to plain text.

    Such a message cannot be translated.
    """
    for file, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and name_of(node.func) in {"Phrase", *SHOWN, *error_types()}:
                for first in node.args:
                    is_text = isinstance(first, ast.Call) and name_of(first.func) in {"str", "format", "join"}
                    if is_text or isinstance(first, ast.JoinedStr | ast.BinOp):
                        yield f"{file}:{node.lineno}: {ast.unparse(first)}"
