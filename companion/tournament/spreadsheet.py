# SPDX-License-Identifier: Apache-2.0
"""Tables as CSV that spreadsheets show and never run.

Its rule: a spreadsheet runs a cell that begins like a formula. Such a text is written with an
apostrophe before it, as OWASP describes, and read back without.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Final

UTF_8: Final = "\ufeff"
"""The mark by which spreadsheets know Unicode."""
_RUN: Final = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")
"""Beginnings of what a spreadsheet runs, also behind apostrophes."""
_NUMBER: Final = re.compile(r"[+-]\d+(\.\d+)?")


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
