# SPDX-License-Identifier: Apache-2.0
"""Scripts and styles are served without indentation and comments."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.host.web.page_files import page_files

SOURCE = Path(__file__).parents[3] / "companion" / "host" / "web" / "page"
WRITTEN = sorted(path for path in SOURCE.iterdir() if path.suffix in (".js", ".css"))


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_a_line_is_served_without_its_indentation_or_as_an_empty_one_if_it_is_a_comment(path: Path) -> None:
    served = page_files()[path.name].content.decode().split("\n")
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".css":
        source = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), source, flags=re.DOTALL)
    lines = [line.lstrip() for line in source.split("\n")]
    assert served == ["" if line.startswith("//") else line for line in lines]


@pytest.mark.parametrize(
    "path", [each for each in WRITTEN if each.suffix == ".js"], ids=lambda path: path.name
)
def test_no_text_or_comment_of_a_script_goes_over_several_lines(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        assert line.count("`") % 2 == 0, line
        assert "/*" not in line, line
