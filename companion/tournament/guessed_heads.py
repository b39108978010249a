# SPDX-License-Identifier: Apache-2.0
"""Columns of a table without heads, by what is in their cells.

Its rule: most cells of a column must be of one kind that no name has. A table that has only texts
is a list of players if each line is one name of two to five words.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from companion.model.phrase import Phrase
from companion.tournament import list_cells
from companion.tournament.list_heads import Heads
from companion.tournament.spreadsheet import Row

_YEAR: Final = range(1925, 2025)
"""Numbers that may be years of birth as well as ratings."""
_NAME: Final = re.compile(r"[^\W\d_]['’.\w-]*,?( [^\W\d_]['’.\w-]*,?){1,4}")
_KINDS: Final[Mapping[str, Callable[[str], bool]]] = {
    "title": lambda text: text in list_cells.TITLES,
    "federation": lambda text: re.fullmatch(r"[A-Z]{3}", text) is not None,
    "licence": lambda text: re.fullmatch(r"\d{5,9}", text) is not None,
    "born": lambda text: bool((date := list_cells.born(text)) and date[0]),
    "rating": lambda text: re.fullmatch(r"[1-9]\d{2,3}", text) is not None,
    "name": lambda text: any(map(str.isalpha, text)) and len(text) > 1,
}
_SHARE: Final = 0.6
"""The part of the cells that must be of a kind."""

_CLEAR: Final = 5
"""So many numbers that may be years are years."""


def guessed(tables: Mapping[str, Sequence[Row]]) -> tuple[str, Heads] | None:
    """The separator and columns of that one of *tables* with players."""
    found = {each: heads for each, rows in tables.items() if (heads := _by_content(rows))}
    if not found:
        return None
    separator = max(found, key=lambda each: len(found[each].at))
    return separator, found[separator]


def _by_content(rows: Sequence[Row]) -> Heads | None:
    filled = [tuple(map(str.strip, row.cells)) for row in rows if any(map(str.strip, row.cells))]
    if not filled:
        return None
    width = Counter(map(len, filled)).most_common(1)[0][0]
    columns = list(zip(*(row for row in filled if len(row) == width), strict=True))
    if width == 1:
        is_list = all(map(_NAME.fullmatch, columns[0]))
        return Heads(1, {"name": (0,)}, _notes({"name": (0,)}, 1)) if is_list else None
    at: dict[str, tuple[int, ...]] = {}
    for place, cells in enumerate(columns):
        kind = _kind(cells)
        if kind and kind not in at:
            at[kind] = (place,)
    if "name" not in at or len(at) == 1:
        return None
    at["name"] = _halves(at["name"][0], columns)
    return Heads(width, at, _notes(at, width))


def _kind(cells: Sequence[str]) -> str:
    """What the cells of a column are; empty if that is not clear."""
    given = [cell for cell in cells if cell]
    for kind, fits in _KINDS.items():
        those = [cell for cell in given if fits(cell)]
        if not given or len(those) < _SHARE * len(given):
            continue
        if kind == "born" and all(map(str.isdecimal, those)):
            is_year = all(int(cell) in _YEAR for cell in those)
            if is_year:
                return "born" if len(those) >= _CLEAR else ""
            continue
        return "" if kind == "rating" and _is_count(those) else kind
    return ""


def _is_count(cells: Sequence[str]) -> bool:
    """True for numbers of lines."""
    return len(cells) > 1 and all(int(one) + 1 == int(other) for one, other in itertools.pairwise(cells))


def _halves(place: int, columns: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """The cells of a name: two, if both have single words."""
    both = columns[place : place + 2]
    words = [cell for cells in both for cell in cells]
    is_split = (
        len(both) == 2
        and _kind(both[1]) == "name"
        and all(re.fullmatch(r"[^\W\d_][\w'’-]*", each) for each in words)
    )
    return (place, place + 1) if is_split else (place,)


def _notes(at: Mapping[str, tuple[int, ...]], width: int) -> tuple[Phrase, ...]:
    columns = tuple(sorted(at, key=lambda column: at[column]))
    used = {place for places in at.values() for place in places}
    return (
        Phrase("no line names the columns; by their content they are: {columns}", columns=columns),
        *(
            Phrase("the column {number}, which has no head, is left out", number=place + 1)
            for place in range(width)
            if place not in used
        ),
    )
