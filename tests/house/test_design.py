# SPDX-License-Identifier: Apache-2.0
"""`docs/design.md` describes the code: its rooms, its statechart, and the words of its glossary."""

from __future__ import annotations

import ast
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from companion.referee.state import chart

ROOT = Path(__file__).resolve().parents[2]
DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
PACKAGES = ("companion", "calibration")
STILL_USED: dict[str, str] = {}
"""Names that wait for a better word.

An entry that is no longer needed fails the test.
"""


def glossary() -> list[list[str]]:
    """The rows of the glossary: term, meaning, where, struck synonyms."""
    text = DESIGN.split("## Glossary")[1].split("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.replace("`", "").strip("|").split("|")]
        for line in text.splitlines()
        if line[:1] == "|"
    ]
    return rows[2:]


@cache
def definitions() -> frozenset[str]:
    """Every module, class, function and type alias of the program, by its dotted name."""
    return frozenset(
        name for package in PACKAGES for path in (ROOT / package).rglob("*.py") for name in _names(path)
    )


def _names(path: Path) -> Iterator[str]:
    parts = path.relative_to(ROOT).with_suffix("").parts
    module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    if path.name.endswith("_gen.py"):
        return
    yield module
    yield from _names_in(ast.parse(path.read_text(encoding="utf-8")), module)


def _names_in(node: ast.AST, prefix: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{prefix}.{child.name}"
            yield from _names_in(child, f"{prefix}.{child.name}")
        elif isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name):
            if "TypeAlias" in ast.unparse(child.annotation):
                yield f"{prefix}.{child.target.id}"
        elif not isinstance(child, ast.expr):
            yield from _names_in(child, prefix)


def words(name: str) -> list[str]:
    """The words of an identifier: `_TaggedTable` is tagged, table."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def uses(name: str, phrase: str) -> bool:
    """True if the last part of *name* has the words of *phrase* in order."""
    found, wanted = words(name.rpartition(".")[2]), phrase.split()
    return any(found[start : start + len(wanted)] == wanted for start in range(len(found)))


def test_every_room_of_the_floor_plan_exists() -> None:
    rooms = re.findall(r"^\| `((?:companion|firmware|calibration)/[a-z/]*)`", DESIGN, flags=re.MULTILINE)
    assert len(rooms) >= 10
    assert not [room for room in rooms if not (ROOT / room).is_dir()]


def test_every_room_of_the_host_is_in_the_floor_plan() -> None:
    text = DESIGN.split("The rooms of `companion/host/`")[1].split("Import contracts")[0]
    named = set(re.findall(r"`([a-z_]+)/`", text))
    host = ROOT / "companion" / "host"
    assert {path.parent.name for path in host.glob("*/__init__.py")} <= named


def test_the_diagram_is_that_of_the_statechart() -> None:
    assert chart.diagram() in DESIGN


@pytest.mark.parametrize("row", glossary(), ids=lambda row: row[0])
def test_every_term_of_the_glossary_exists(row: list[str]) -> None:
    _term, meaning, where, _struck = row
    assert meaning
    assert where in definitions()


def test_every_word_has_one_row() -> None:
    terms = [row[0] for row in glossary()]
    struck = [word for row in glossary() for word in row[3].split(", ") if word]
    assert len(terms) == len(set(terms))
    assert len(struck) == len(set(struck))
    assert not set(terms) & set(struck)


def test_no_struck_synonym_is_a_name() -> None:
    struck = [word for row in glossary() for word in row[3].split(", ") if word]
    found = {name: word for name in definitions() for word in struck if uses(name, word)}
    assert found == STILL_USED


def table_of_routes() -> str:
    """The table of where behaviours are decided, and that of strangers."""
    return DESIGN.split("### Where a behaviour is decided")[1].split("\n## ")[0].split("\nWhat a table")[0]


def routes() -> list[str]:
    """The names in that table."""
    return re.findall(r"`(companion\.[\w.]+)`", table_of_routes())


def firmware_routes() -> list[tuple[str, str]]:
    """The functions in C that the table names, with their files."""
    return re.findall(r"`(\w+)` in \[(firmware/[\w/.]+)\]", table_of_routes())


@pytest.mark.parametrize("name", routes())
def test_what_decides_a_behaviour_exists_under_its_name(name: str) -> None:
    assert callable(pkgutil.resolve_name(name))


@pytest.mark.parametrize(("name", "file"), firmware_routes())
def test_what_decides_in_the_firmware_is_a_function_of_its_file(name: str, file: str) -> None:
    source = (ROOT / file).read_text(encoding="utf-8")
    assert re.search(rf"^\w[\w *]*\b{name}\([^;]*\)\n{{", source, flags=re.MULTILINE)


def test_behaviours_are_listed() -> None:
    assert len(routes()) >= 10
    assert {"debounce_scan", "leds_tick"} <= {name for name, _ in firmware_routes()}


def test_struck_synonyms_are_found_in_identifiers() -> None:
    assert uses("companion.host.start_page.run.virtual_desk", "virtual desk")
    assert uses("companion.sensing.tagged_table.Wood", "wood")
    assert not uses("companion.host.hall.desk.client.RemoteDesk", "virtual desk")
    assert not uses("companion.wood.piece", "wood")
