# SPDX-License-Identifier: Apache-2.0
"""FIDE's rating lists as text: columns of fixed width under their heads.

Known are the lists of standard, rapid and blitz chess, whose ratings are headed by a month, and the
combined one, whose standard ratings are taken. Its rule: a line whose cells are not
where the heads are is damaged; nothing is read from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from companion.model.errors import TournamentError
from companion.model.phrase import Phrase
from companion.model.reading import Note
from companion.tournament import list_cells
from companion.tournament.values import Player

_HEAD: Final = re.compile(
    r"ID [Nn]umber|Name|Fed|Sex|W?Titl?|OTit|FOA|[SRB]?Rtng|[SRB]Gm|[SRB][Kk]|Games|Game|Gms|[A-Za-z]{3}\d\d|B-?day|Born|K|Flag"
)
_ID, _NAME, _FEDERATION, _SEX, _TITLE, _BORN, _RATING = "id", "Name", "Fed", "Sex", "Tit", "B-day", "rating"
_RATINGS: Final = re.compile(r"SRtng|Rtng|[A-Za-z]{3}\d\d")
_OTHER_RATINGS: Final = ("RRtng", "BRtng")
_SEXES: Final = {"M": "m", "F": "w", "": "", "w": "w"}

Span: TypeAlias = "tuple[int, int | None]"


@dataclass(frozen=True, slots=True)
class Damaged:
    """A line that is not understood."""

    line: int
    licence: str
    name: str
    """Id and name as far as they can be seen."""
    text: str
    """Its beginning."""


def is_fixed_width(head: str) -> bool:
    """True if *head* is the first line of a list of FIDE."""
    return head.casefold().startswith("id number") and "name" in head.casefold()


def read_fixed_width(
    head: str, rows: Iterator[tuple[int, str]], is_wanted: Callable[[str, str], bool]
) -> tuple[list[Note], Iterator[Player | Damaged]]:
    """Notes about the *head*, and the wanted players of the numbered *rows*.

    Damaged lines come with them, whosoever's they are. Raises `TournamentError` without names.
    """
    columns = _columns(head)
    absent = tuple(each for each in (_FEDERATION, _SEX, _TITLE, _BORN, _RATING) if each not in columns)
    notes = [Note(1, Phrase("it lacks the columns {columns}", columns=absent))] if absent else []
    others = tuple(each for each in _OTHER_RATINGS if each in columns)
    if others and _RATING in columns:
        notes.append(
            Note(1, Phrase("ratings are those of standard chess; left out are {columns}", columns=others))
        )
    return notes, _players(columns, rows, is_wanted)


def _columns(head: str) -> dict[str, Span]:
    """Where each column begins and ends."""
    found = [(match[0], match.start()) for match in _HEAD.finditer(head)]
    ends = [start for _, start in found[1:]]
    columns: dict[str, Span] = {}
    for (word, start), end in zip(found, [*ends, None], strict=True):
        name = {"Titl": _TITLE, "Born": _BORN, "Bday": _BORN}.get(word, word)
        if word.casefold() == "id number":
            name = _ID
        if _RATINGS.fullmatch(word) and _RATING not in columns:
            name = _RATING
        columns.setdefault(name, (start, end))
    if _NAME not in columns or columns.get(_ID, (1, None))[0]:
        raise TournamentError("the first line of the rating list is damaged: {text!r}", text=head[:60])
    return columns


def _players(
    columns: dict[str, Span], rows: Iterator[tuple[int, str]], is_wanted: Callable[[str, str], bool]
) -> Iterator[Player | Damaged]:
    start, end = columns[_NAME]
    place = columns[_FEDERATION][0] if _FEDERATION in columns else None
    for number, row in rows:
        licence, name = row[:start].rstrip(), row[start:end].rstrip()
        is_whole = (
            licence.isdecimal()
            and name
            and row[start - 1] == " "
            and (place is None or row[place : place + 3].isupper())
        )
        if is_whole and not is_wanted(licence, name):
            continue
        if not row.strip():
            continue
        text = row.rstrip("\r\n")
        player = _player(number, text, columns) if is_whole else None
        yield player or Damaged(number, licence.strip(), name.strip(), list_cells.plain(text)[:60])


def _player(number: int, row: str, columns: dict[str, Span]) -> Player | None:
    """The player in *row*; None if its cells are not under their heads."""
    if len(row) <= max(columns[name][0] for name in (_RATING, _BORN, _NAME) if name in columns):
        return None
    cells = {name: row[start:end] for name, (start, end) in columns.items()}
    starts = [
        start for name, (start, _) in columns.items() if name in (_NAME, _FEDERATION, _SEX, _RATING, _BORN)
    ]
    if any(start and row[start - 1] != " " for start in starts):
        return None
    born = list_cells.born(cells.get(_BORN, "").strip())
    federation = cells.get(_FEDERATION, "").strip()
    title = list_cells.title(cells.get(_TITLE, ""))
    rating = cells.get(_RATING, "").rstrip()
    fits = (
        re.fullmatch(r"[A-Z]{3}|", federation),
        re.fullmatch(r"[0-9]{3,4}|0?|", rating),
        cells.get(_SEX, "").strip() in _SEXES,
        not cells[_NAME].startswith(" "),
    )
    if born is None or title is None or not all(fit is not None and fit is not False for fit in fits):
        return None
    return Player(
        number,
        list_cells.plain(cells[_NAME]),
        int(rating or 0),
        title,
        federation,
        cells[_ID].strip(),
        born[0],
        _SEXES[cells.get(_SEX, "").strip()],
    )
