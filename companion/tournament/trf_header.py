# SPDX-License-Identifier: Apache-2.0
"""Lines of TRF26: rounds, pairing system, tie-breaks, time control, acceleration, byes.

Source: FIDE Handbook, TRF26, in force from September 2025. Columns are counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Final

from companion.model.phrase import Phrase
from companion.model.reading import Note
from companion.tournament.acceleration import virtual_points
from companion.tournament.tie_breaks import CODES, OF_TEAMS
from companion.tournament.values import Acceleration, Bye, Format, Number, Points, Tournament

TYPES: Final = {
    Format.SWISS: "Individual: Swiss-System (Dutch)",
    Format.ROUND_ROBIN: "Individual: Round-Robin",
    Format.DOUBLE_ROUND_ROBIN: "Individual: Double Round-Robin",
    Format.KNOCKOUT: "Individual: Knockout",
    Format.FREE: "Individual",
}
"""Types of tournaments."""
_SYSTEMS: Final = {
    Format.SWISS: "FIDE_DUTCH",
    Format.ROUND_ROBIN: "FIDE_ROUNDROBIN",
    Format.DOUBLE_ROUND_ROBIN: "FIDE_DOUBLEROUNDROBIN",
}
_TEAM_SYSTEMS: Final = {
    Format.ROUND_ROBIN: "FIDE_TEAM_ROUNDROBIN",
    Format.DOUBLE_ROUND_ROBIN: "FIDE_TEAM_DOUBLEROUNDROBIN",
}
_BAKU: Final = {Acceleration.BAKU: "_BAKU"}
_BYES: Final = {"F": Bye.FULL, "H": Bye.HALF, "Z": Bye.ZERO}
_BYE: Final = "240"
_LONGEST: Final = 4
"""Digits of a number."""
_TIME: Final = re.compile(r"(\d+)\s*(?:min(?:utes)?|['′])?\s*(?:\+\s*(\d+)\s*(?:s(?:ec(?:onds)?)?|[\"″])?)?")
"""Minutes, and seconds for each move."""


def tournament_lines(of: Tournament, rounds: int, numbers: Mapping[Number, int]) -> Iterator[str]:
    """The lines about *of* with *rounds* planned rounds; *numbers* are those of the report."""
    if rounds:
        yield f"XXR {rounds}"
        yield f"142 {rounds}"
    if of.format is Format.SWISS:
        yield "152 W"
    yield "182 Companion"
    system = (_TEAM_SYSTEMS if of.boards else _SYSTEMS).get(of.format)
    if system:
        yield f"192 {system}{_BAKU.get(of.acceleration, '')}"
    codes = ",".join(CODES[name] for name in of.tie_breaks)
    if codes:
        yield f"202 {codes}"
        yield f"212 PTS,{codes}"
    time = _TIME.fullmatch(of.event.time_control.strip())
    if time:
        yield f"222 {60 * int(time[1])}" + (f"+{time[2]}" if time[2] else "")
    if of.boards:
        yield "352 " + "".join("WB"[board % 2] for board in range(of.boards))
    yield from _accelerated(of, numbers)


def _accelerated(of: Tournament, numbers: Mapping[Number, int]) -> Iterator[str]:
    """The virtual points of the upper half, who have the first starting numbers."""
    upper, points = virtual_points(of)
    last = max((numbers[number] for number in upper), default=0)
    for worth, rounds in groupby(enumerate(points, 1), key=lambda each: each[1]):
        places = [place for place, _ in rounds]
        yield f"250      {_points(worth)} {places[0]:3} {places[-1]:3} {1:4} {last:4}"


def _points(points: Points) -> str:
    return f"{points / 2:4.1f}"


def bye_lines(of: Tournament, numbers: Mapping[Number, int]) -> Iterator[str]:
    """The byes that are known for rounds that are not paired."""
    for code, bye in _BYES.items():
        for number in range(len(of.rounds) + 1, (of.planned or len(of.rounds)) + 1):
            resting = [player.number for player in of.players if (number, bye) in player.excused]
            if resting:
                players = " ".join(f"{numbers[player]:4}" for player in sorted(resting, key=numbers.get))  # type: ignore[arg-type]  # all have a number
                yield f"{_BYE} {code} {number:3} {players}"


def read_byes(
    lines: Iterable[tuple[int, str]], after: int, numbers: Mapping[int, Number], notes: list[Note]
) -> dict[Number, list[tuple[int, Bye]]]:
    """The byes in *lines* of the rounds that follow the first *after*, by player.

    *numbers* are the players by their numbers in the report. Adds to *notes*.
    """
    found: dict[Number, list[tuple[int, Bye]]] = {}
    for row, line in lines:
        if not line.startswith(f"{_BYE} "):
            continue
        kind, *told = line[4:].split() or [""]
        if kind.upper() not in _BYES or not all(map(is_number, told)) or len(told) < 2:
            what = Phrase("it is no bye: a letter F, H or Z, the round, and the players")
            notes.append(Note(row, what))
            continue
        for player in known_numbers(row, told[1:], numbers, notes):
            if int(told[0]) > after:
                found.setdefault(player, []).append((int(told[0]), _BYES[kind.upper()]))
    return found


def known_numbers(
    row: int, texts: Iterable[str], numbers: Mapping[int, Number], notes: list[Note]
) -> Iterator[Number]:
    """The players whom the line *row* names.

    Adds to *notes* who is not in the report.
    """
    for text in texts:
        number = int(text) if is_number(text) else 0
        if number in numbers:
            yield numbers[number]
        else:
            notes.append(Note(row, Phrase("{player!r} is no player of the report", player=text)))


def is_number(text: str) -> bool:
    """True if *text* is a number of a player, team or round."""
    return text.isascii() and text.isdecimal() and len(text) <= _LONGEST


def read_ties(lines: Iterable[tuple[int, str]], notes: list[Note], *, teams: bool) -> tuple[str, ...]:
    """The tie-breaks in the *lines* of a report; adds unknown ones to *notes*."""
    names = {code.upper(): name for name, code in CODES.items() if teams or name not in OF_TEAMS}
    row, line = next(((row, line) for row, line in lines if line.startswith("202 ")), (0, ""))
    codes = [code for code in line[4:].upper().replace(" ", "").split(",") if code]
    unknown = [code for code in codes if code not in names]
    if unknown:
        what = Phrase("tie-breaks that are not known here are left out: {codes}", codes=tuple(unknown))
        notes.append(Note(row, what))
    return tuple(dict.fromkeys(names[code] for code in codes if code in names))
