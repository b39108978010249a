# SPDX-License-Identifier: Apache-2.0
"""Lists of players as CSV, the format of spreadsheets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from companion.model.phrase import Phrase
from companion.model.reading import Note, Reading, lines_of
from companion.tournament.list_cells import LONGEST_RATING, plain
from companion.tournament.list_heads import COLUMNS
from companion.tournament.player_table import read_table
from companion.tournament.spreadsheet import write_table
from companion.tournament.values import Player, Tournament

__all__ = ["COLUMNS", "LONGEST_RATING", "UNRATED", "plain", "published", "read_roster", "write_roster"]

PRIVATE: Final = ("licence", "born", "sex")
"""Columns for arbiters and federations only: many players are children."""
PUBLIC: Final = tuple(column for column in COLUMNS if column not in PRIVATE)
"""Columns of public lists."""
UNRATED: Final = Note(0, Phrase("no column has ratings: nobody in the list has one"))


def published(of: Tournament) -> Tournament:
    """*of* with public data of its players only."""
    players = (replace(player, **dict.fromkeys(PRIVATE, "")) for player in of.players)  # type: ignore[arg-type]  # all are text
    return replace(of, players=tuple(players))


def write_roster(players: Iterable[Player], columns: Sequence[str] = COLUMNS) -> str:
    """*players* as a table of these *columns*, one line each, by number."""
    return write_table(columns, ([getattr(player, column) or "" for column in columns] for player in players))


def read_roster(text: str) -> Reading[tuple[Player, ...]]:
    """The players of a table, numbered in their order, with what is not brought.

    A line names the columns, else they are known by their content. Commas, semicolons, tabs or
    strokes separate them. Raises `TournamentError` for a text that is no list of players.
    """
    table = read_table(lines_of(text))
    notes = list(table.notes)
    players: list[Player] = []
    lines: dict[tuple[str, ...], int] = {}
    for row in table.rows:
        player, about = table.player(row, len(players) + 1)
        notes += about
        if player is None:
            continue
        first, is_same = _first(player, lines)
        if not is_same:
            players.append(player)
        if first:
            notes.append(Note(row.line, _about_twice(player, first, is_same=is_same)))
        else:
            lines |= dict.fromkeys(_keys(player), row.line)
    if players and not table.heads.has_ratings:
        notes.append(UNRATED)
    return Reading(tuple(players), tuple(notes))


def _keys(player: Player) -> tuple[tuple[str, ...], ...]:
    """By what the same player, and one of the same name or id, is known."""
    everything = (
        player.name,
        str(player.rating),
        player.federation,
        player.licence,
        player.born,
        player.team,
    )
    return everything, (player.name, player.licence), ("name", player.name), ("id", player.licence)


def _first(player: Player, lines: dict[tuple[str, ...], int]) -> tuple[int, bool]:
    """The line of a player like *player*, or 0, and whether it is the same.

    It is the same with name and id, or without an id with all else, if there is more than a name.
    """
    everything, name_and_id, name, licence = _keys(player)
    if player.licence:
        if name_and_id in lines:
            return lines[name_and_id], True
        return lines.get(licence, 0), False
    if (player.rating or player.born) and everything in lines:
        return lines[everything], True
    return lines.get(name, 0), False


def _about_twice(player: Player, first: int, *, is_same: bool) -> Phrase:
    if is_same:
        return Phrase(
            "{name!r} is the player of line {first}, and is entered once", name=player.name, first=first
        )
    if player.licence:
        return Phrase("{name!r} has the same id as the player of line {first}", name=player.name, first=first)
    return Phrase(
        "{name!r} has the same name as the player of line {first}; both are entered",
        name=player.name,
        first=first,
    )
