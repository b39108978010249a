# SPDX-License-Identifier: Apache-2.0
"""Tables as CSV that spreadsheets show and never run, and those that they write.

Its rule: a spreadsheet runs a cell that begins like a formula. Such a text is written with an
apostrophe before it, as OWASP describes, and read back without.
"""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

UTF_8: Final = "\ufeff"
"""The mark by which spreadsheets know Unicode."""
_RUN: Final = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")
"""Beginnings of what a spreadsheet runs, also behind apostrophes."""
_NUMBER: Final = re.compile(r"[+-]\d+(\.\d+)?")

SEPARATORS: Final = ";\t,|"
"""What is between the cells, the usual first."""
_LONGEST_CELL: Final = 12
"""Lines of a cell; a quotation mark open for longer is stray."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table."""

    line: int
    """Its first line, counted from 1."""
    cells: tuple[str, ...]
    is_whole: bool = True
    """False if a quotation mark in it was not closed, and is left out."""


def write_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The table with these *heads*, one line for each of *rows*."""
    out = io.StringIO()
    out.write(UTF_8)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows([_quoted(value) for value in row] for row in rows)
    return out.getvalue()


def _quoted(value: object) -> object:
    """*value* with an apostrophe before it, if it is text that could be run."""
    if isinstance(value, str) and _RUN.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def unquoted(cell: str) -> str:
    """*cell* without the apostrophe that keeps it from being run."""
    return cell[1:] if cell.startswith("'") and _RUN.match(cell) else cell


def table_rows(lines: Iterable[tuple[int, str]], separator: str) -> Iterator[Row]:
    """Yield the rows in the numbered *lines*; quoted cells may have line breaks.

    A quotation mark that is not closed, or that does not end a cell, is left out.
    """
    rest = iter(lines)
    waiting: deque[tuple[int, str]] = deque()
    while waiting or (following := next(rest, None)) is not None:
        number, text = waiting.popleft() if waiting else following  # type: ignore[misc]  # not None: see the loop
        text = text.rstrip("\r\n")
        if '"' not in text:
            yield Row(number, tuple(text.split(separator)))
            continue
        yield _quoted_row(number, text, separator, waiting, rest)


def _quoted_row(
    number: int, text: str, separator: str, waiting: deque[tuple[int, str]], rest: Iterator[tuple[int, str]]
) -> Row:
    """The row that begins with *text*; lines that it does not need are *waiting*."""
    parts = [text]
    if text.count('"') % 2 == 0 and (cells := _cells(parts, separator)) is not None:
        return Row(number, cells)
    for taken in range(_LONGEST_CELL - 1):
        if taken == len(waiting):
            following = next(rest, None)
            if following is None:
                break
            waiting.append(following)
        parts.append(waiting[taken][1].rstrip("\r\n"))
        cells = _cells(parts, separator) if "".join(parts).count('"') % 2 == 0 else None
        if cells is not None and not any("\n" in cell and separator in cell for cell in cells):
            for _ in range(taken + 1):
                waiting.popleft()
            return Row(number, cells)
    return Row(number, tuple(text.replace('"', "").split(separator)), is_whole=False)


def _cells(parts: Sequence[str], separator: str) -> tuple[str, ...] | None:
    """The cells in these lines; None if quotation marks are not in pairs."""
    try:
        return tuple(next(csv.reader(["\n".join(parts)], delimiter=separator, strict=True)))
    except csv.Error:
        return None
