# SPDX-License-Identifier: Apache-2.0
"""Files, functions, folders and lines of JavaScript are short, or the exception has a reason."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.house.idioms import ROOT

CHECKED = ("companion", "calibration", "firmware", "check.py", "start.py")
KINDS = {".py", ".c", ".h", ".cpp", ".ino", ".js", ".css", ".html", ".sh"}
LINES, MOST_LINES, FUNCTION_LINES = 400, 600, 60
HEAD_LINES = 3
ROOM_FILES = 12
"""Files in a folder of `companion/host` or `companion/referee`, besides `__init__.py`."""
COLUMNS, MOST_COLUMNS = 120, 160
WIDE_SCRIPTS = {
    *(f"calibration/page/{name}.js" for name in ("main", "picture")),
    *(
        f"companion/host/hall/page/{name}.js"
        for name in (
            *("desk_events", "desk_opening", "desk_players", "desk_rounds"),
            *("desk_seating", "desk_tables", "dialog", "shared"),
        )
    ),
    *(
        f"companion/host/web/page/{name}.js"
        for name in (
            *("ask", "board", "clocks", "dom", "health", "newgame"),
            *("pieces", "seats", "talk"),
        )
    ),
}
"""Scripts with up to 160 columns; leave out those that you narrow."""
DRAWINGS = {"companion/host/web/page/glyphs.js"}
"""Scripts of any width: splitting path data makes no shape clearer."""
REASON = re.compile(r"(?:#|//|/\*) Longer than 400 lines: \w.{15,}")


def sources() -> Iterator[tuple[str, str]]:
    """The program's source files, without generated ones and those that are to be deleted."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *CHECKED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in listed:
        path = ROOT / name
        if path.suffix in KINDS and path.exists() and "_gen." not in name:
            yield name, path.read_text(encoding="utf-8")


def size_fault(source: str) -> str:
    """Why a file is too long; "" if it is not."""
    lines = source.splitlines()
    if len(lines) <= LINES:
        return ""
    if not any(map(REASON.match, lines[:HEAD_LINES])):
        return f"{len(lines)} lines: split the file, or begin it with '# Longer than 400 lines: reason'"
    return "" if len(lines) <= MOST_LINES else f"{len(lines)} lines, at most {MOST_LINES}: split the file"


def long_functions(source: str) -> Iterator[str]:
    """The functions with more than 60 lines after their docstrings, with their lengths."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            length = (node.body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            if length > FUNCTION_LINES:
                yield f"{node.name}: {length} lines"


def too_wide(source: str, columns: int) -> list[int]:
    """The numbers of the lines with more than *columns* characters."""
    return [number for number, line in enumerate(source.splitlines(), 1) if len(line) > columns]


def test_long_files_give_a_reason_at_their_head() -> None:
    found = dict(sources())
    assert len(found) > 400
    assert {name: fault for name, source in found.items() if (fault := size_fault(source))} == {}


def test_no_function_is_longer_than_sixty_lines() -> None:
    found = {
        name: long
        for name, source in sources()
        if name.endswith(".py") and (long := [*long_functions(source)])
    }
    assert found == {}


def test_lines_of_javascript_have_120_columns_or_160_where_they_were_wider() -> None:
    scripts = {name: source for name, source in sources() if name.endswith(".js")}
    assert len(scripts) > 40
    assert {*WIDE_SCRIPTS, *DRAWINGS} <= {*scripts}
    limits = {name: MOST_COLUMNS if name in WIDE_SCRIPTS else COLUMNS for name in {*scripts} - DRAWINGS}
    found = {name: wide for name, most in limits.items() if (wide := too_wide(scripts[name], most))}
    assert found == {}, "split these lines, or the function that they are in"
    narrow = {name for name in WIDE_SCRIPTS if not too_wide(scripts[name], COLUMNS)}
    assert narrow == set(), "these have 120 columns at most: leave them out of WIDE_SCRIPTS"


def test_each_room_of_host_and_referee_has_twelve_files_at_most() -> None:
    rooms = Counter(
        str(Path(name).parent) for name, _ in sources() if re.match(r"companion/(host|referee)/.*\.py$", name)
    )
    assert len(rooms) > 20
    assert "companion/referee/inference/tracker" in rooms
    assert {room: number for room, number in rooms.items() if number - 1 > ROOM_FILES} == {}


def test_a_reason_allows_600_lines_and_no_more() -> None:
    reason = "# Longer than 400 lines: one state machine, read from top to bottom.\n"
    assert size_fault("x = 1\n" * 400) == ""
    assert size_fault("x = 1\n" * 401).startswith("401 lines: split")
    assert size_fault("# Longer than 400 lines:\n" + "x = 1\n" * 401).startswith("402 lines: split")
    assert size_fault("x = 1\n" * 20 + reason + "x = 1\n" * 401).startswith("422 lines: split")
    assert size_fault("# SPDX\n" + reason + "x = 1\n" * 598) == ""
    assert size_fault("# SPDX\n" + reason + "x = 1\n" * 599).startswith("601 lines, at most 600")


def test_a_function_is_measured_without_its_parameters_and_its_docstring() -> None:
    parameters = "".join(f"    a{number}: int,\n" for number in range(70))
    assert not [
        *long_functions(f"def f(\n{parameters}):\n" + '    """A.\n\n    B.\n    """\n' + "    pass\n" * 60)
    ]
    assert [*long_functions("class A:\n    async def f(self):\n" + "        pass\n" * 61)] == ["f: 61 lines"]


def test_a_line_is_too_wide_beyond_its_limit() -> None:
    assert too_wide("a" * 120 + "\n" + "é" * 121 + "\n", 120) == [2]
