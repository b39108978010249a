# SPDX-License-Identifier: Apache-2.0
"""The head of a federation's report: place, dates and arbiters of an event.

Columns are counted from 1, as in the formats TRF16 and TRF26 (FIDE Handbook C.04, annex 2).
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from companion.model.errors import TournamentError
from companion.model.phrase import Phrase

_ROUNDS, _WIDTH = 91, 10
"""First column of the dates of rounds, less 1, and columns of each."""


@dataclass(frozen=True, slots=True)
class Event:
    """Place, dates, arbiters and time control; empty where they are not known."""

    city: str = ""
    federation: str = ""
    """Three letters."""
    starts: str = ""
    """A date as 2026/11/23, as all dates here."""
    ends: str = ""
    arbiter: str = ""
    deputies: tuple[str, ...] = ()
    time_control: str = ""
    dates: tuple[str, ...] = ()
    """Dates of the rounds, from the first on."""


_LINES: Final = {
    "022": "city",
    "032": "federation",
    "042": "starts",
    "052": "ends",
    "102": "arbiter",
    "122": "time_control",
}
"""Codes of the lines of one value each."""
_DEPUTY, _DATES = "112", "132"
CODES: Final = frozenset({*_LINES, _DEPUTY, _DATES})
NAMES: Final = {
    "city": Phrase("city"),
    "federation": Phrase("federation"),
    "starts": Phrase("first day"),
    "ends": Phrase("last day"),
    "arbiter": Phrase("chief arbiter"),
    "time_control": Phrase("time control"),
    "dates": Phrase("dates of the rounds"),
}
"""What a federation asks for, by field."""


def checked(event: Event) -> Event:
    """*event* if it can be reported. Raises `TournamentError` naming the wrong value."""
    for text in (event.city, event.federation, event.arbiter, event.time_control, *event.deputies):
        if text != " ".join(text.split()):
            raise TournamentError(
                "{text!r} goes into one line of the report, without spaces at its ends", text=text
            )
    if event.federation and not re.fullmatch(r"[A-Z]{3}", event.federation):
        raise TournamentError(
            "{text!r} is no federation: three capital letters, as GER", text=event.federation
        )
    dates = [each for each in (event.starts, *event.dates, event.ends) if each]
    for each in dates:
        if not _is_date(each):
            raise TournamentError("{text!r} is no date: write year, month and day as 2026/11/23", text=each)
    if dates != sorted(dates):
        raise TournamentError("the dates do not follow each other: {dates}", dates=tuple(dates))
    return event


def missing(event: Event, rounds: int) -> tuple[Phrase, ...]:
    """What a federation asks for and *event*, of *rounds* rounds, does not have."""
    absent = [name for name in NAMES if not getattr(event, name)]
    if event.dates and len(event.dates) < rounds:
        absent.append("dates")
    return tuple(NAMES[name] for name in absent)


def header_lines(event: Event) -> Iterator[str]:
    """The lines about *event*, of what is known, by their codes."""
    for code, name in _LINES.items():
        if getattr(event, name):
            yield f"{code} {getattr(event, name)}"
    for deputy in event.deputies:
        yield f"{_DEPUTY} {deputy}"
    if event.dates:
        yield f"{_DATES:<{_ROUNDS}}" + "".join(f"{each[2:]:<{_WIDTH}}" for each in event.dates).rstrip()


def read_event(text: str) -> Event:
    """The event in the lines of the report *text*, without wrong dates."""
    values: dict[str, str] = {}
    deputies: list[str] = []
    dates: tuple[str, ...] = ()
    for line in text.splitlines():
        code, value = line[:3], " ".join(line[3:].split())
        if code in _LINES and value:
            values.setdefault(_LINES[code], value)
        elif code == _DEPUTY and value:
            deputies.append(value)
        elif code == _DATES:
            dates = tuple(filter(None, (_date(each) for each in value.split())))
    for name in ("starts", "ends"):
        values[name] = _date(values.get(name, ""))
    values["federation"] = values.get("federation", "").upper()[:3]
    event = Event(**values, deputies=tuple(deputies), dates=dates)
    try:
        return checked(event)
    except TournamentError:
        return Event(
            event.city, arbiter=event.arbiter, deputies=event.deputies, time_control=event.time_control
        )


def _is_date(text: str) -> bool:
    found = re.fullmatch(r"(\d{4})/(\d\d)/(\d\d)", text)
    if found is None:
        return False
    year, month, day = map(int, found.groups())
    return 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def _date(text: str) -> str:
    """The date in *text* as all dates here; empty for anything else.

    >>> [_date(text) for text in ("26/11/23", "2026-11-23", "23.11.2026", "soon")]
    ['2026/11/23', '2026/11/23', '2026/11/23', '']
    """
    parts = re.split(r"[/.-]", text)
    if len(parts[-1]) == 4:
        parts.reverse()
    plain = "/".join(parts if len(parts[0]) == 4 else [f"20{parts[0]}", *parts[1:]])
    return plain if _is_date(plain) else ""
