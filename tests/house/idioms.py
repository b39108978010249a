# SPDX-License-Identifier: Apache-2.0
"""Check the English of docstrings, comments, TOML values and documents.

`python -m tests.house.idioms` checks `CLEAN`; paths given as arguments are checked instead.
Each finding is printed as `file:line: cause`; the exit code is 1 if there is one.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

CLEAN: tuple[str, ...] = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "calibration",
    "check.py",
    "companion",
    "docs",
    "firmware",
    "pyproject.toml",
    "start.py",
    "tests",
)
"""Folders and files under check, relative to `ROOT`. The list only grows."""

IDIOMS = (
    *("whoever", "anew", "aright", "merely", "astray", "was none", "is none", "in its stead"),
    *("nobody but", "what comes of", "how it stands", "is told", "was heard", "is heard", "yet to be"),
    "wood",
)
"""Expressions that the project does not use; for the material `wood` see `MATERIAL`."""

MATERIAL = re.compile(r"`[^`\n]*`|\"wood\"|\bwood (?:grain|theme)\b|\btheme wood\b|--wood\b")
"""Text that is not searched: code, and the name of the wooden theme."""

FIRST_LINE_WORDS = 15
DOCSTRING_COLUMNS = 100

GAP = r"\s+(?:(?:#|//|\*|>)\s*)?"
"""White space between two words: a line break in a comment counts, too."""

SEARCHES = {
    idiom: re.compile(rf"\b(?i:{GAP.join(idiom.replace('none', '(?-i:none)').split())})\b")
    for idiom in IDIOMS
}

C_COMMENT = re.compile(
    r"(\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|//[^\n]*|/\*.*?\*/", re.S
)
MARKUP_COMMENT = re.compile(r"<!--.*?-->|/\*.*?\*/", re.S)
TOML_KEY = re.compile(r"^\s*(?:\[.*\]|[\w.\"-]+\s*=)")
QUOTED_HISTORY = re.compile(r"^\s*>.*$", re.M)


class Passage(NamedTuple):
    """A text for readers and the number of its first line."""

    line: int
    text: str
    is_docstring: bool = False


class Finding(NamedTuple):
    """A defect of the English: the file, relative to `ROOT`, the line, and the cause."""

    path: str
    line: int
    cause: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.cause}"


def findings(paths: tuple[str, ...]) -> list[Finding]:
    """All findings in the files at and below *paths*, relative to `ROOT`, sorted."""
    return sorted(finding for path in files(paths) for finding in findings_in(path))


def files(paths: tuple[str, ...]) -> list[Path]:
    """The readable files at and below *paths*, without the exempt and the generated ones.

    :raises FileNotFoundError: nothing is at one of the paths, or nothing that can be checked.
    """
    found: set[Path] = set()
    for name in paths:
        path = ROOT / name
        below = {one for one in (path.rglob("*") if path.is_dir() else [path]) if one.suffix in READERS}
        if not (below and path.exists()):
            raise FileNotFoundError(f"{name}: nothing to check; correct CLEAN in tests/house/idioms.py")
        found |= below
    return sorted(path for path in found if not is_skipped(path.relative_to(ROOT)))


def is_skipped(path: Path) -> bool:
    """True for generated and downloaded files."""
    return path.stem.endswith("_gen") or "build" in path.parts or "node_modules" in path.parts


def findings_in(path: Path) -> Iterator[Finding]:
    """The findings in one file."""
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)
    source = path.read_text(encoding="utf-8")
    for passage in READERS[path.suffix](source):
        for line, cause in causes(passage):
            yield Finding(name, line, cause)


def causes(passage: Passage) -> Iterator[tuple[int, str]]:
    """The line and the cause of every finding in a passage."""
    text = MATERIAL.sub(lambda code: re.sub(r"\S", ".", code[0]), passage.text)
    for idiom, search in SEARCHES.items():
        for match in search.finditer(text):
            yield passage.line + text.count("\n", 0, match.start()), f"idiom: {idiom}"
    if passage.is_docstring:
        first, *_ = lines = passage.text.split("\n")
        if len(words := first.strip().strip('rb"').split()) > FIRST_LINE_WORDS:
            yield passage.line, f"first line of {len(words)} words, at most {FIRST_LINE_WORDS}"
        for number, line in enumerate(lines, passage.line):
            if len(line) > DOCSTRING_COLUMNS:
                yield number, f"docstring line of {len(line)} columns, at most {DOCSTRING_COLUMNS}"


def python_passages(source: str) -> Iterator[Passage]:
    """Docstrings, those of attributes included, and comments."""
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            last = node.end_lineno or node.lineno
            yield Passage(node.lineno, "\n".join(lines[node.lineno - 1 : last]), is_docstring=True)
    block: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if block and token.start[0] != block[-1].start[0] + 1:
                yield Passage(block[0].start[0], "\n".join(one.string for one in block))
                block = []
            block.append(token)
    if block:
        yield Passage(block[0].start[0], "\n".join(one.string for one in block))


def c_passages(source: str) -> Iterator[Passage]:
    """The comments of C or JavaScript; strings are skipped. Adjacent comments are one passage."""
    line = 0
    block: list[str] = []
    for match in C_COMMENT.finditer(source):
        if match[1] is not None:
            continue
        start = source.count("\n", 0, match.start()) + 1
        if block and start != line + len(block):
            yield Passage(line, "\n".join(block))
            block = []
        line = line if block else start
        block.extend(match[0].split("\n"))
    if block:
        yield Passage(line, "\n".join(block))


def markup_passages(source: str) -> Iterator[Passage]:
    """The comments of CSS and HTML."""
    for match in MARKUP_COMMENT.finditer(source):
        yield Passage(source.count("\n", 0, match.start()) + 1, match[0])


def toml_passages(source: str) -> Iterator[Passage]:
    """Values and comments; keys are left out."""
    yield Passage(1, "\n".join(TOML_KEY.sub("", line) for line in source.split("\n")))


def markdown_passages(source: str) -> Iterator[Passage]:
    """The document without its block quotes, which quote history."""
    yield Passage(1, QUOTED_HISTORY.sub("", source))


READERS = {
    ".py": python_passages,
    ".c": c_passages,
    ".h": c_passages,
    ".js": c_passages,
    ".css": markup_passages,
    ".html": markup_passages,
    ".toml": toml_passages,
    ".md": markdown_passages,
}
"""What reads the passages of a file, by the end of its name."""


def main(arguments: list[str]) -> int:
    """Print the findings in *arguments*, or in `CLEAN`; returns 1 if there is one."""
    found = findings(tuple(arguments) or CLEAN)
    for finding in found:
        print(finding)
    print(f"{len(found)} findings", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
