# SPDX-License-Identifier: Apache-2.0
"""Tables of players, as spreadsheets and other programs write them, row by row.

Its rule: a cell that is not what its column has costs that cell; a row whose cells have moved
to other columns, or that is no player, costs the row; each is noted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Final

from companion.model.errors import TournamentError
from companion.model.phrase import Phrase
from companion.model.reading import Note
from companion.tournament import list_cells
from companion.tournament.guessed_heads import guessed
from companion.tournament.list_heads import COLUMNS, Heads, known, plain_head, read_heads
from companion.tournament.spreadsheet import SEPARATORS, UTF_8, Row, table_rows, unquoted
from companion.tournament.values import Player

_BEGINNING: Final = 60
"""Lines by which a table is understood."""
_ABOVE: Final = 30
"""Rows that may be above the heads."""
_SHARE: Final = 0.5
"""The part of a column without a head that must be titles."""
_NO_PLAYER: Final = re.compile(
    r"(totals?|sum|summe|gesamt|total general|suma|ukupno|average|schnitt|durchschnitt|moyenne|media|prosjek|合計|平均)"
    r"( rating| elo| players| spieler| joueurs| jugadores| igrača)?[\W\d]*|[Σø]\W*\d\d[\W\d]*|.*(https?://|www\.|swiss-manager).*",
    re.IGNORECASE,
)
"""First cells or names of rows that are no players: totals, averages."""
_OF_ANOTHER: Final = re.compile(r"[A-Z]{3}|\d{3,4}|\d{6,}")
"""What federations, ratings, years and ids are; five digits are a wrong rating."""
_CELLS: Final[tuple[tuple[str, Callable[[str], str | None]], ...]] = (
    ("title", list_cells.title),
    ("federation", list_cells.federation),
    ("licence", list_cells.licence),
    ("sex", list_cells.sex),
    ("team", list_cells.team),
)


@dataclass(frozen=True, slots=True)
class PlayerTable:
    """A table that has players."""

    heads: Heads
    separator: str
    rows: Iterator[Row]
    """Those below the heads; they can be read once."""
    notes: tuple[Note, ...]
    """About the heads and what is above them."""
    usual: int
    """Cells of most rows, which may have empty ones at the end or lack them."""
    titles: tuple[str, ...] = ()
    """The heads; empty if the table has none and the columns are guessed."""

    def key(self, row: Row) -> tuple[str, str]:
        """Return the id and the name in *row* as they are; they may be empty."""
        cells, at = row.cells, self.heads.at
        name = " ".join(cells[place] for place in at["name"] if place < len(cells))
        place = at["licence"][0] if "licence" in at else len(cells)
        return cells[place].strip() if place < len(cells) else "", name

    def player(self, row: Row, number: int) -> tuple[Player | None, list[Note]]:
        """The player in *row*, if any, and what was left out or guessed."""
        reading = _RowReading(row.line)
        if not row.is_whole:
            reading.note(Phrase("a quotation mark that is not closed is left out"))
        cells = self._fitted(row.cells, reading)
        name = _name(cells, self.heads)
        what: Phrase | None = None
        if not name:
            what = Phrase("it has no name, and is left out: {text!r}", text=_shown(cells))
        elif tuple(map(plain_head, cells)) == self.titles or _is_no_player(cells, name):
            what = Phrase("it is no player, and is left out: {text!r}", text=_shown(cells))
        rated = Player(number, name, reading.rating(cells, self.heads))
        player = replace(rated, **reading.others(cells, self.heads))  # type: ignore[arg-type]  # all are text
        is_exact = len(cells) == self.heads.width and bool(self.titles)
        if not what and (reading.has_moved or (reading.misfits and not is_exact)):
            what = Phrase(
                "its cells do not fit the columns, and it is left out: {text!r}", text=_shown(cells)
            )
        if what:
            return None, [Note(row.line, what)]
        if len(row.cells) not in (self.heads.width, self.usual) and not reading.is_joined:
            count, width = len(row.cells), self.heads.width
            reading.note(Phrase("it has {count} cells under {width} heads", count=count, width=width))
        for cell in filter(str.strip, cells[self.heads.width :]):
            reading.note(Phrase("{text!r} beside the columns is left out", text=_shown((cell,))))
        return player, reading.notes

    def _fitted(self, cells: tuple[str, ...], reading: _RowReading) -> tuple[str, ...]:
        """Return *cells* without empty ones at the end, a split name as one."""
        width, place = self.heads.width, self.heads.at["name"]
        while len(cells) > width and not cells[-1].strip():
            cells = cells[:-1]
        if len(cells) != width + 1 or self.separator != "," or len(place) > 1:
            return cells
        name, second = cells[place[0]].strip(), cells[place[0] + 1].strip()
        joined = (*cells[: place[0]], f"{name}, {second}", *cells[place[0] + 2 :])
        fitted = _RowReading(0)
        fitted.rating(joined, self.heads)
        fitted.others(joined, self.heads)
        if fitted.misfits or not name or not second or any(map(str.isdecimal, second)):
            return cells
        reading.is_joined = True
        reading.note(Phrase("the name is put together from two cells: {name!r}", name=f"{name}, {second}"))
        return joined


@dataclass
class _RowReading:
    """What was found in a row."""

    line: int
    notes: list[Note] = field(default_factory=list)
    misfits: int = 0
    """Cells that are not what their columns have."""
    has_moved: bool = False
    """True if one of them is what another column has."""
    is_joined: bool = False
    """True if the name was in two cells."""

    def note(self, what: Phrase) -> None:
        self.notes.append(Note(self.line, what))

    def _leave_out(self, column: str, text: str) -> None:
        self.misfits += 1
        self.has_moved |= _OF_ANOTHER.fullmatch(text) is not None
        self.note(Phrase("{text!r} in the column `{column}` is left out", text=text[:40], column=column))

    def rating(self, cells: Sequence[str], heads: Heads) -> int:
        """The first rating in the cells; 0 without one."""
        for place in heads.at.get("rating", ()):
            text = _cell(cells, (place,))
            found = list_cells.rating(text)
            if found is None:
                self._leave_out("rating", text)
            elif found[0]:
                self._guess(found[1], "rating", text, found[0])
                return found[0]
        return 0

    def _guess(self, is_plain: bool, column: str, text: str, value: str | int) -> None:
        if not is_plain:
            self.note(
                Phrase(
                    "{text!r} in the column `{column}` is read as {value}",
                    text=text,
                    column=column,
                    value=value,
                )
            )

    def others(self, cells: Sequence[str], heads: Heads) -> dict[str, str]:
        """The other data in the cells, by column."""
        values: dict[str, str] = {}
        for column, read in _CELLS:
            text = _cell(cells, heads.at.get(column, ()))
            value = read(text)
            values[column] = value or ""
            if value is None:
                self._leave_out(column, text)
        text = _cell(cells, heads.at.get("born", ()))
        date = list_cells.born(text)
        values["born"] = date[0] if date else ""
        if date is None:
            self._leave_out("born", text)
        else:
            self._guess(date[1], "born", text, date[0])
        return values


def read_table(lines: Iterable[tuple[int, str]]) -> PlayerTable:
    """Find the heads in the numbered *lines*.

    Raises `TournamentError` for a text that is no list of players.
    """
    rest = ((number, text.replace("\0", "").removeprefix(UTF_8)) for number, text in lines)
    beginning = list(islice(rest, _BEGINNING))
    tried = {each: list(table_rows(beginning, each)) for each in SEPARATORS}
    places = {each: _head_place(rows) for each, rows in tried.items()}
    separator = max(SEPARATORS, key=lambda each: places[each][0])
    rows = tried[separator]
    score, at = places[separator]
    if not score:
        return _without_heads(tried, chain(beginning, rest))
    row = rows[at]
    titles = _titles(row, rows[at + 1 :])
    heads = read_heads(row.cells, titles)
    above = tuple(
        Note(each.line, Phrase("{text!r} above the heads is left out", text=_shown(each.cells)))
        for each in rows[:at]
        if any(map(str.strip, each.cells))
    )
    below = islice(table_rows(chain(beginning, rest), separator), at + 1, None)
    notes = above + _at(row.line, heads.notes) + _at(row.line, _headless(row, rows[at + 1 :], titles))
    return PlayerTable(
        heads, separator, _filled(below), notes, _usual(rows[at + 1 :]), tuple(map(plain_head, row.cells))
    )


def _without_heads(tried: Mapping[str, Sequence[Row]], lines: Iterable[tuple[int, str]]) -> PlayerTable:
    """The table whose columns are known by their content. Raises `TournamentError`."""
    found = guessed(tried)
    if found is None:
        raise TournamentError(
            "the list's first line must name its columns, `name` among them; known are {known}",
            known=tuple(COLUMNS),
        )
    separator, heads = found
    return PlayerTable(
        heads, separator, _filled(table_rows(lines, separator)), _at(1, heads.notes), heads.width
    )


def _headless(head: Row, rows: Sequence[Row], titles: int) -> Iterator[Phrase]:
    """The columns that have cells but no head."""
    for place, cell in enumerate(head.cells):
        if (
            not cell.strip()
            and place != titles
            and any("".join(row.cells[place : place + 1]).strip() for row in rows)
        ):
            yield Phrase("the column {number}, which has no head, is left out", number=place + 1)


def _at(line: int, notes: Iterable[Phrase]) -> tuple[Note, ...]:
    return tuple(Note(line, note) for note in notes)


def _filled(rows: Iterator[Row]) -> Iterator[Row]:
    return (row for row in rows if any(map(str.strip, row.cells)))


def _head_place(rows: Sequence[Row]) -> tuple[int, int]:
    """How many heads the row with most of them has, and its place."""
    scores = [known(row.cells) for row in rows[:_ABOVE]]
    best = max(scores, default=0)
    return (best, scores.index(best)) if best else (0, 0)


def _usual(rows: Sequence[Row]) -> int:
    """How many cells most rows have."""
    counts = Counter(len(row.cells) for row in rows if any(map(str.strip, row.cells)))
    return counts.most_common(1)[0][0] if counts else 0


def _titles(head: Row, rows: Sequence[Row]) -> int:
    """The place of a column of titles that has no head; -1 without one."""
    for place, cell in enumerate(head.cells):
        if not cell.strip():
            below = [text for row in rows if (text := _cell(row.cells, (place,)))]
            if below and sum(text in list_cells.TITLES for text in below) >= _SHARE * len(below):
                return place
    return -1


def _cell(cells: Sequence[str], places: Sequence[int]) -> str:
    """The first text in the cells at *places*; empty without one."""
    texts = (list_cells.plain(unquoted(cells[place])) for place in places if place < len(cells))
    return next(filter(None, texts), "")


def _is_no_player(cells: Sequence[str], name: str) -> bool:
    first = next(filter(None, map(str.strip, cells)))
    return bool(_NO_PLAYER.fullmatch(name) or _NO_PLAYER.fullmatch(first))


def _name(cells: Sequence[str], heads: Heads) -> str:
    """The name; surname and first name are joined by a comma."""
    parts = [_cell(cells, (place,)) for place in heads.at["name"]]
    return ", ".join(part for part in parts if part.strip("-") or len(part) == 1)


def _shown(cells: Sequence[str]) -> str:
    """The beginning of a row, for a note."""
    return list_cells.plain(" ".join(cell.strip() for cell in cells))[:60]
