# SPDX-License-Identifier: Apache-2.0
"""The head of a federation's report: place, dates and arbiters of an event.

Columns are counted from 1, as in the formats TRF16 and TRF26 (FIDE Handbook C.04, annex 2).
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from companion.model.errors import TournamentError
from companion.model.phrase import Phrase
from companion.model.reading import Note

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
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
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


def read_event(lines: Iterable[tuple[int, str]], notes: list[Note]) -> Event:
    """The event in the numbered *lines* of a report.

    Adds to *notes* what cannot be taken.
    """
    values: dict[str, str] = {}
    rows: dict[str, int] = {}
    deputies: list[str] = []
    dates: list[str] = []
    for row, line in lines:
        code, value = line[:3], " ".join(line[3:].split())
        if code in _LINES and value:
            values.setdefault(_LINES[code], value)
            rows.setdefault(_LINES[code], row)
        elif code == _DEPUTY and value:
            deputies.append(value)
        elif code == _DATES and value:
            dates += _read_dates(row, value.split(), notes)
            rows["dates"] = row
    for name in ("starts", "ends"):
        values[name] = next(iter(_read_dates(rows.get(name, 0), [values.get(name, "")], notes)), "")
    federation = values.get("federation", "")
    values["federation"] = federation.upper() if re.fullmatch(r"[A-Za-z]{3}", federation) else ""
    if federation and not values["federation"]:
        what = Phrase("{text!r} is no federation: three capital letters, as GER", text=federation)
        notes.append(Note(rows["federation"], what))
    event = Event(**values, deputies=tuple(deputies), dates=tuple(dates))
    try:
        return checked(event)
    except TournamentError as fault:
        first = min(rows.get(name, 0) for name in ("starts", "ends", "dates") if name in rows)
        notes.append(Note(first, Phrase("{reason}; no dates are taken", reason=fault.message)))
        return replace(event, starts="", ends="", dates=())


def _read_dates(row: int, texts: Iterable[str], notes: list[Note]) -> Iterator[str]:
    """The dates in *texts*, those of the line *row*."""
    for text in filter(None, texts):
        found = _date(text)
        if found:
            yield found
        else:
            what = Phrase("{text!r} is no date: write year, month and day as 2026/11/23", text=text)
            notes.append(Note(row, what))


def _is_date(text: str) -> bool:
    found = re.fullmatch(r"(\d{4})/(\d\d)/(\d\d)", text)
    if found is None:
        return False
    year, month, day = map(int, found.groups())
    return 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def _date(text: str) -> str:
    """The date in *text* as all dates here; empty for anything else.

    >>> [_date(text) for text in ("26/11/23", "2026-11-23", "23. 11. 2026", "Nov 23, 2026", "soon")]
    ['2026/11/23', '2026/11/23', '2026/11/23', '2026/11/23', '']
    """
    named = re.fullmatch(r"([A-Z][a-z]{2})[a-z]* (\d{1,2}), (\d{4})", text)
    if named and named[1] in _MONTHS:
        text = f"{named[3]}/{_MONTHS.index(named[1]) + 1:02}/{named[2]:>02}"
    parts = re.split(r"[/.-]", text.replace(" ", ""))
    if len(parts[-1]) == 4:
        parts.reverse()
    plain = "/".join(parts if len(parts[0]) == 4 else [f"20{parts[0]}", *parts[1:]])
    return plain if _is_date(plain) else ""
