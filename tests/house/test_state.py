# SPDX-License-Identifier: Apache-2.0
"""The state of a class is declared in its `__init__`, where readers look.

Fields of dataclasses and named tuples, members of enumerations and constants are fine.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("companion", "calibration", "firmware")
BEGINNINGS = ("__init__", "__post_init__")


class Kind(NamedTuple):
    """A class: what it declares, and what its methods assign to `self`, with lines."""

    bases: tuple[str, ...]
    is_record: bool
    defaults: dict[str, int]
    first: frozenset[str]
    later: dict[str, int]


def kind_of(node: ast.ClassDef) -> Kind:
    bases = tuple(ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases)
    is_record = any("dataclass" in ast.unparse(one) for one in node.decorator_list)
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    setters = {one.name for one in methods for how in one.decorator_list if "setter" in ast.unparse(how)}
    defaults = {
        target.id: one.lineno
        for one in node.body
        if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
        if isinstance(target, ast.Name)
    }
    first: set[str] = set(setters)
    later: dict[str, int] = {}
    for method in methods:
        for name, line in assigned_to_self(method):
            if method.name in BEGINNINGS:
                first.add(name)
            else:
                later.setdefault(name, line)
    return Kind(bases, is_record, defaults, frozenset(first), later)


def assigned_to_self(method: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(method):
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Store):
            continue
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            yield node.attr, node.lineno


def undeclared_state(sources: Iterable[tuple[str, str]]) -> list[str]:
    """State of the classes in *sources* that no `__init__` declares, as `file:line: cause`.

    A class with a base from elsewhere is checked for class-level defaults only.
    """
    found = [
        (path, node.name, kind_of(node))
        for path, source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef)
    ]
    known = {name: kind for _, name, kind in found}
    faults = []
    for path, name, kind in found:
        own_and_bases = list(with_bases(kind, known))
        if any(each.is_record for each in own_and_bases):
            continue
        states = {attribute for each in own_and_bases for attribute in (*each.first, *each.later)}
        for attribute, line in kind.defaults.items():
            if attribute in states:
                faults.append(
                    f"{path}:{line}: {name}.{attribute} is a class-level default that methods replace"
                )
        if all(
            base in known or base in ("Protocol", "Generic") for each in own_and_bases for base in each.bases
        ):
            declared = {attribute for each in own_and_bases for attribute in (*each.first, *each.defaults)}
            for attribute, line in kind.later.items():
                if attribute not in declared:
                    faults.append(f"{path}:{line}: {name}.{attribute} is assigned first outside __init__")
    return faults


def with_bases(kind: Kind, known: dict[str, Kind]) -> Iterator[Kind]:
    yield kind
    for base in kind.bases:
        if base in known:
            yield from with_bases(known[base], known)


def test_every_class_declares_its_state_in_init() -> None:
    paths = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    assert len(paths) > 100
    sources = [(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in paths]
    assert undeclared_state(sources) == []


def test_the_search_finds_both_forms_also_in_derived_classes() -> None:
    source = """
class Base:
    here = False
    LIMIT = 3

    def begin(self):
        self.here = True

class Derived(Base):
    def __init__(self):
        self.own = 1

    def end(self):
        self.own, self.here = 2, False
        self.late = [self.LIMIT]
"""
    assert undeclared_state([("a.py", source)]) == [
        "a.py:3: Base.here is a class-level default that methods replace",
        "a.py:15: Derived.late is assigned first outside __init__",
    ]


def test_records_setters_and_classes_from_elsewhere_are_left_alone() -> None:
    source = """
@dataclass
class Record:
    size: int = 0

    def grow(self):
        self.size += 1

class Set:
    def __init__(self):
        self._value = 0

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, wanted):
        self._value = wanted

    def reset(self):
        self.value = 0

class Reader(threading.Thread):
    def run(self):
        self.daemon = True
"""
    assert undeclared_state([("a.py", source)]) == []
