# SPDX-License-Identifier: Apache-2.0
"""Lists: a table on a terminal, aligned plain text in a pipe, or JSON.

Its rule: plain text is never cut and never wrapped; a row is one line.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_GAP = "  "


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows of text with their headings."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    """An entry may have several lines."""
    title: str = ""
    caption: str = ""
    has_lines: bool = False
    """True if lines separate the rows of the table on a terminal."""


def show(listing: Listing) -> None:
    """Print *listing* to standard output."""
    if not sys.stdout.isatty():
        sys.stdout.writelines(f"{line}\n" for line in plain(listing))
        return
    from rich.console import Console  # what draws tables takes long to import
    from rich.table import Table

    table = Table(title=listing.title or None, caption=listing.caption or None, show_lines=listing.has_lines)
    for number, column in enumerate(listing.columns):
        table.add_column(column, overflow="fold", no_wrap=number == 0)  # a name is copied as a whole
    for row in listing.rows:
        table.add_row(*row)
    Console().print(table, markup=False)


def plain(listing: Listing) -> Iterator[str]:
    """The lines of *listing*, its columns aligned and two spaces apart.

    >>> list(plain(Listing(("game", "moves"), [("chess", "12"), ("gottaz", "7")])))
    ['game    moves', 'chess   12', 'gottaz  7']
    """
    from rich.cells import cell_len

    if listing.title:
        yield listing.title
    lines = [
        tuple("; ".join(entry.splitlines()) for entry in row) for row in (listing.columns, *listing.rows)
    ]
    widths = [max(cell_len(line[column]) for line in lines) for column in range(len(listing.columns))]
    for line in lines:
        padded = (entry + " " * (width - cell_len(entry)) for entry, width in zip(line, widths, strict=True))
        yield _GAP.join(padded).rstrip()
    if listing.caption:
        yield listing.caption


def print_json(value: Any) -> None:
    """Print *value* as JSON to standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
