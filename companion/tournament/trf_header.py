# SPDX-License-Identifier: Apache-2.0
"""Lines of TRF26: rounds, pairing system, tie-breaks, time control, acceleration, byes.

Source: FIDE Handbook, TRF26, in force from September 2025. Columns are counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final

from companion.model.errors import TournamentError
from companion.tournament.acceleration import virtual_points
from companion.tournament.tie_breaks import CODES, OF_TEAMS
from companion.tournament.values import Acceleration, Bye, Format, Number, Points, Tournament

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


def read_byes(text: str, after: int) -> dict[Number, list[tuple[int, Bye]]]:
    """The byes in *text* of the rounds that follow its first *after*, by player.

    Raises `TournamentError` naming the line.
    """
    found: dict[Number, list[tuple[int, Bye]]] = {}
    for row, line in enumerate(text.splitlines(), 1):
        if not line.startswith(f"{_BYE} "):
            continue
        kind, *numbers = line[4:].split() or [""]
        if kind.upper() not in _BYES or not all(each.isdecimal() for each in numbers) or len(numbers) < 2:
            raise TournamentError(
                "line {line} of the report is no bye: a letter F, H or Z, the round, and the players",
                line=row,
            )
        for player in map(int, numbers[1:]):
            if int(numbers[0]) > after:
                found.setdefault(player, []).append((int(numbers[0]), _BYES[kind.upper()]))
    return found


def read_ties(text: str, *, teams: bool) -> tuple[str, ...]:
    """The tie-breaks in the report *text*, by the names here; unknown ones are left out."""
    names = {code.upper(): name for name, code in CODES.items() if teams or name not in OF_TEAMS}
    line = next((line for line in text.splitlines() if line.startswith("202 ")), "")
    return tuple(names[code] for code in line[4:].upper().replace(" ", "").split(",") if code in names)
