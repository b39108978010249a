# SPDX-License-Identifier: Apache-2.0
"""Lists of players as CSV, the format of spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final
from unicodedata import category

from companion.model.errors import TournamentError
from companion.tournament.spreadsheet import UTF_8, unquoted, write_table
from companion.tournament.values import Player, Tournament

COLUMNS: Final = ("name", "rating", "title", "federation", "licence", "born", "sex", "team")
"""Columns of a list; only the name is required."""
PRIVATE: Final = ("licence", "born", "sex")
"""Columns for arbiters and federations only: many players are children."""
PUBLIC: Final = tuple(column for column in COLUMNS if column not in PRIVATE)
"""Columns of public lists."""
_ALSO: Final = {
    "elo": "rating",
    "player": "name",
    "fed": "federation",
    "fide id": "licence",
    "fideid": "licence",
    "id": "licence",
    "birth": "born",
    "club": "team",
}
"""Column heads of other programs."""
_SEPARATORS: Final = ";\t,"
LONGEST_RATING: Final = 4
"""Digits of a rating in the federations' reports."""


def published(of: Tournament) -> Tournament:
    """*of* with public data of its players only."""
    players = (replace(player, **dict.fromkeys(PRIVATE, "")) for player in of.players)  # type: ignore[arg-type]  # all are text
    return replace(of, players=tuple(players))


def write_roster(players: Iterable[Player], columns: Sequence[str] = COLUMNS) -> str:
    """*players* as a table of these *columns*, one line each, by number."""
    return write_table(columns, ([getattr(player, column) or "" for column in columns] for player in players))


def read_roster(text: str) -> tuple[Player, ...]:
    """The players of a table whose first line names its columns.

    Commas, semicolons or tabs separate columns.
    Players are numbered in their order. Raises `TournamentError` naming the line.
    """
    text = text.removeprefix(UTF_8).replace("\r\n", "\n").replace("\r", "\n")
    first = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=first.count)
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=separator))
    except csv.Error as fault:
        raise TournamentError("this is not a list of players: {reason}", reason=fault) from fault
    heads = [_column(head) for head in rows[0]] if rows else []
    if "name" not in heads:
        raise TournamentError(
            "the list's first line must name its columns, `name` among them; known are {known}",
            known=tuple(COLUMNS),
        )
    return tuple(
        _player(number, line, heads, row)
        for number, (line, row) in enumerate(
            ((line, row) for line, row in enumerate(rows[1:], 2) if any(map(str.strip, row))), 1
        )
    )


def _column(head: str) -> str:
    """The column that *head* denotes; empty for unused ones."""
    plain = head.strip().lower()
    return plain if plain in COLUMNS else _ALSO.get(plain, "")


def _player(number: int, line: int, heads: Sequence[str], row: Sequence[str]) -> Player:
    values = {head: plain(unquoted(cell)) for head, cell in zip(heads, row, strict=False) if head}
    rating = values.get("rating") or "0"
    if not values.get("name"):
        raise TournamentError("line {line} of the list has no name", line=line)
    if not rating.isdecimal() or len(rating) > LONGEST_RATING:
        raise TournamentError(
            "line {line} of the list: the rating {rating!r} is no number of {digits} digits at most",
            line=line,
            rating=rating,
            digits=LONGEST_RATING,
        )
    other = {column: values.get(column, "") for column in COLUMNS if column not in ("name", "rating")}
    return replace(Player(number, values["name"], int(rating)), **other)  # type: ignore[arg-type]  # all are text


def plain(cell: str) -> str:
    """*cell* in one line, without control characters for printers and terminals.

    Reports have one line per player.
    """
    return " ".join("".join(each for each in cell if each.isspace() or category(each) != "Cc").split())
