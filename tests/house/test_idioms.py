# SPDX-License-Identifier: Apache-2.0
"""Docstrings, comments, words and documents are written in plain English."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.idioms import CLEAN, IDIOMS, ROOT, files, findings, findings_in


def causes_in(tmp_path: Path, name: str, source: str) -> list[tuple[int, str]]:
    path = tmp_path / name
    path.write_text(source, encoding="utf-8")
    return [(finding.line, finding.cause) for finding in findings_in(path)]


@pytest.mark.long
def test_the_clean_folders_have_no_findings() -> None:
    assert [str(finding) for finding in findings(CLEAN)] == []


def test_every_path_under_check_has_files() -> None:
    for name in CLEAN:
        assert files((name,)), name


@pytest.mark.parametrize("idiom", IDIOMS)
@pytest.mark.parametrize(
    ("name", "source", "line"),
    [
        ("docstring.py", 'def f():\n    """Return.\n\n    This {}, that.\n    """\n', 4),
        ("attribute.py", 'X = 1\n"""It {}."""\n', 2),
        ("comment.py", "X = 1  # it {}\n", 1),
        ("lines.c", "int x; // it {}\n", 1),
        ("block.h", 'char *s = "//";\n/* first,\n * it {} */\n', 3),
        ("page.js", "const url = `http://a`;\n// it {}\n", 2),
        ("page.css", "a { color: red } /* it {} */\n", 1),
        ("page.html", "<p></p>\n<!-- it {} -->\n", 2),
        ("words.toml", '[a]\nkey = "it {}"\n', 2),
        ("notes.toml", "# it {}\n", 1),
        ("text.md", "# Title\n\nIt {}.\n", 3),
    ],
)
def test_each_idiom_is_found_in_each_kind_of_file(
    tmp_path: Path, idiom: str, name: str, source: str, line: int
) -> None:
    assert causes_in(tmp_path, name, source.replace("{}", idiom)) == [(line, f"idiom: {idiom}")]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("text.md", "This\nis\ntold.\n"),
        ("comment.py", "# this is\n# told\n"),
        ("block.c", "/* this is\n * told */\n"),
        ("lines.c", "// this is\n// told\n"),
    ],
)
def test_an_idiom_across_a_line_break_is_found(tmp_path: Path, name: str, source: str) -> None:
    assert [cause for _, cause in causes_in(tmp_path, name, source)] == ["idiom: is told"]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("text.md", "`wood` is a name.\n\n> It is told that the change was quoted.\n"),
        ("code.py", 'wood = anew = "it is told"\nassert wood is None\n'),
        ("python.py", '"""Returns `x` if y is None."""\n'),
        ("words.toml", 'wood = "piece"\n'),
        ("theme.md", 'The wood theme; `--theme wood` and theme = "wood". A wooden board.\n'),
    ],
)
def test_names_code_quotes_and_the_theme_are_no_findings(tmp_path: Path, name: str, source: str) -> None:
    assert causes_in(tmp_path, name, source) == []


def test_a_first_line_has_fifteen_words_at_most(tmp_path: Path) -> None:
    words = " ".join(["word"] * 15)
    assert causes_in(tmp_path, "short.py", f'"""{words}\n\n{words} {words[:-1]}\n"""\n')[:1] == [
        (3, "docstring line of 148 columns, at most 100")
    ]
    assert causes_in(tmp_path, "long.py", f'"""{words} more."""\n') == [
        (1, "first line of 16 words, at most 15")
    ]


def test_the_command_names_file_and_line_and_fails() -> None:
    folder = ROOT / ".pytest_cache" / "idioms"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        (folder / "bad.md").write_text("Fine.\nIt is told.\n", encoding="utf-8")
        ended = subprocess.run(
            [sys.executable, "-m", "tests.house.idioms", ".pytest_cache/idioms"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        shutil.rmtree(folder)
    assert ended.returncode == 1
    assert ended.stdout == ".pytest_cache/idioms/bad.md:2: idiom: is told\n"
