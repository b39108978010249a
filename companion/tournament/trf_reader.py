# SPDX-License-Identifier: Apache-2.0
"""Reader of federations' reports, TRF16 and TRF26, and of what other programs write as such.

A bad line, field, player or round costs that part, and is named; see `docs/design.md`. The source
is the FIDE Handbook: C.04, annex 2, and TRF26. The columns of a player are in `trf_columns.py`,
the rounds in `trf_rounds.py`, teams in `trf_teams.py`, the event in `event.py`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from companion.model.errors import TournamentError
from companion.model.phrase import Phrase
from companion.model.reading import Note, Reading, lines_of
from companion.tournament.event import CODES as EVENT_CODES
from companion.tournament.event import read_event
from companion.tournament.spreadsheet import UTF_8
from companion.tournament.trf_columns import PLAYER, PlayerLine, is_player, read_player
from companion.tournament.trf_header import TYPES, read_byes, read_ties
from companion.tournament.trf_rounds import rounds_of
from companion.tournament.trf_teams import members, with_teams
from companion.tournament.values import Bye, Format, Number, Round, Tournament

_NAME, _PLAYERS, _TYPE = "012", "062", "092"
_ALONE, _TOGETHER = "Individual", "Team"
"""First words of the types of tournaments."""
_TAKEN: Final = frozenset(
    EVENT_CODES
    | {_NAME, _PLAYERS, _TYPE, "XXR", "###", "013", "072", "082", "142", "152", "182", "192"}
    | {"202", "212", "222", "240", "300", "310", "320", "330", "352", "801", "802"}
)
"""Codes of lines that are read, derived, given at the announcement, or remarks."""
_OTHER_POINTS: Final = ("162", "299", "362", "XXS", "BBW", "BBD", "BBL", "BBZ", "BBF", "BBU")
"""Codes of lines that give other points to a result."""
_RULER: Final = re.compile(r"[ \d]*\d{10}[ \d]*|(?: +\d+)+ *|DDD SSSS.*")
"""Lines with which programs show the columns."""
_RATED_BY: Final = re.compile(r"[A-Z]{3} [ \d]{3}\d")
"""A player's national rating: the federation, and the starting number."""
_NATIONAL: Final = Phrase("national ratings come from a rating list")
_NO_CHOICE: Final = Phrase("the pairing has no such choice here")
_WHY: Final = {
    **dict.fromkeys(("XXC", "XXP", "260"), _NO_CHOICE),
    **dict.fromkeys(("XXA", "250"), Phrase("acceleration is chosen when the tournament is announced")),
    **dict.fromkeys(_OTHER_POINTS, Phrase("a game brings 1, ½ or 0 points here")),
    "172": _NATIONAL,
    "XXZ": Phrase("excuse these players by hand"),
}
_NAMED: Final = 5
"""Missing numbers that a note names, at most."""


@dataclass(frozen=True, slots=True)
class Report(Reading[Tournament]):
    """A tournament that was read, with the lines of its players."""

    rows: tuple[int, ...] = ()
    """The number of each player's line."""


def is_trf(text: str) -> bool:
    """True if *text* is such a report, not a list of players."""
    return any(is_player(line) for _, line in lines_of(without_mark(text)))


def without_mark(text: str) -> str:
    """*text* without the mark that many editors put before Unicode."""
    return text.removeprefix(UTF_8)


def read_trf(text: str) -> Report:
    """The tournament that *text* reports. Raises `TournamentError` without a player.

    Players have the numbers of the report, without its gaps.
    """
    plain = without_mark(text).replace("\u00a0", " ")
    lines = [(row, line.rstrip()) for row, line in lines_of(plain) if line.strip(" \t\x1a")]
    notes = list(_unknown(lines))
    if not any(is_player(line) for _, line in lines):
        raise TournamentError("the report names no players: lines of players begin with 001")
    players = _players(lines, notes)
    kind = _first(lines, _TYPE)
    is_alone = kind.casefold().startswith(_ALONE.casefold())
    players = _who_play(players, members(lines, is_individual=is_alone), notes)
    codes = {line[:3] for _, line in lines}
    rounds = rounds_of(players, notes, is_usual=not codes & set(_OTHER_POINTS))
    numbers = {line.number: place for place, line in reversed(list(enumerate(players, 1))) if line.number}
    excused = read_byes(lines, len(rounds), numbers, notes)
    alone = Tournament(
        _first(lines, _NAME),
        next((each for each, name in TYPES.items() if name == kind.replace(_TOGETHER, _ALONE)), Format.SWISS),
        "chess",
        players=tuple(
            replace(line.player, number=place, excused=tuple(excused.get(place, ())))
            for place, line in enumerate(players, 1)
        ),
        rounds=rounds,
        event=read_event(lines, notes),
    )
    rows = tuple(line.row for line in players)
    found = with_teams(alone, lines, numbers, rows, notes, is_individual=is_alone)
    if not found.boards:
        found = replace(found, rounds=tuple(map(_without_boards, found.rounds)))
    found = replace(found, tie_breaks=read_ties(lines, notes, teams=bool(found.boards)))
    notes.sort(key=lambda note: note.line)
    return Report(found, tuple(notes), rows)


def _first(lines: Iterable[tuple[int, str]], code: str) -> str:
    """The text of the first line with *code*."""
    return next((" ".join(line[3:].split()) for _, line in lines if line.startswith(code)), "")


def _unknown(lines: Iterable[tuple[int, str]]) -> Iterator[Note]:
    """Lines that cannot be stored; of each code the first."""
    named = set(_TAKEN)
    for row, line in lines:
        code = line[:3]
        is_empty = not line[3:].strip() and code != PLAYER
        if code not in named and not is_empty and not is_player(line) and not _RULER.fullmatch(line):
            named.add(code)
            yield Note(
                row,
                Phrase(
                    "the line ({code}) is left out: {reason}",
                    code=code,
                    reason=_WHY.get(code)
                    or (_NATIONAL if _RATED_BY.fullmatch(line[:8]) else Phrase("no such line is known here")),
                ),
            )


def _players(lines: Sequence[tuple[int, str]], notes: list[Note]) -> list[PlayerLine]:
    """The lines of players, in the order of their numbers."""
    before: dict[str, int] = {}
    found: list[PlayerLine] = []
    for row, line in lines:
        if not is_player(line):
            continue
        if line in before:
            notes.append(
                Note(row, Phrase("the line repeats line {first}, and is left out", first=before[line]))
            )
            continue
        before[line] = row
        found.append(read_player(row, line))
    _number(found, notes)
    found.sort(key=lambda line: (not line.number, line.number, line.row))
    notes += [note for player in found for note in player.notes]
    _note_numbers(lines, found, notes)
    return found


def _who_play(players: list[PlayerLine], fielded: Collection[Number], notes: list[Note]) -> list[PlayerLine]:
    """*players*; if teams are *fielded*, without those in no team who have no game."""
    idle = [
        line
        for line in players
        if line.number not in fielded and not any(entry.opponent for entry in line.entries)
    ]
    if not fielded or len(idle) == len(players):
        return players
    for line in idle:
        what = Phrase("{player} is in no team and has no game, and is left out", player=line.player.name)
        notes.append(Note(line.row, what))
    return [line for line in players if line not in idle]


def _number(players: list[PlayerLine], notes: list[Note]) -> None:
    """Give the one player without a number that which only others name."""
    named = {entry.opponent for line in players for entry in line.entries} - {0}
    missing = named - {line.number for line in players}
    without = [index for index, line in enumerate(players) if not line.number]
    for index in without:
        line = players[index]
        if len(without) == len(missing) == 1:
            line = players[index] = replace(line, number=missing.pop())
            what = Phrase(
                "{player} has no starting number; others name {number}, which is missing",
                player=line.player.name,
                number=line.number,
            )
        else:
            what = Phrase("{player} has no starting number, and gets one here", player=line.player.name)
        notes.append(Note(line.row, what))


def _note_numbers(lines: Iterable[tuple[int, str]], players: Sequence[PlayerLine], notes: list[Note]) -> None:
    """Note numbers that occur twice, gaps, and players who are missing."""
    for one, two in itertools.pairwise(players):
        if one.number == two.number != 0:
            notes.append(
                Note(
                    two.row,
                    Phrase(
                        "{player} has the starting number of {other}, and gets another here",
                        player=two.player.name,
                        other=one.player.name,
                    ),
                )
            )
    known = {line.number for line in players}
    gaps = [number for number in range(1, max(known) + 1) if number not in known][:_NAMED]
    if gaps:
        what = Phrase(
            "starting numbers are missing, first {numbers}: players are numbered without gaps here",
            numbers=tuple(gaps),
        )
        notes.append(Note(0, what))
    told = re.match(r"\d+", _first(lines, _PLAYERS))
    if told and int(told[0]) > len(players):
        row = next(row for row, line in lines if line.startswith(_PLAYERS))
        notes.append(
            Note(
                row,
                Phrase(
                    "there are {told} players, as the report says, but lines of {count}",
                    told=int(told[0]),
                    count=len(players),
                ),
            )
        )


def _without_boards(of: Round) -> Round:
    """*of* with a bye instead of an empty board, which only teams have."""
    games = [each for each in of.pairings if len(each.players) > 1]
    byes = [(each.players[0], Bye.FULL) for each in of.pairings if len(each.players) == 1]
    if not byes:
        return of
    return replace(
        of,
        pairings=tuple(replace(each, table=table) for table, each in enumerate(games, 1)),
        byes=tuple(sorted([*of.byes, *byes])),
    )
