# SPDX-License-Identifier: Apache-2.0
"""Reader and writer of time controls.

    5                5 minutes each, and no more
    5+3              and 3 seconds more for each move (Fischer)
    5+3b             of each move, up to 3 seconds are given back (Bronstein)
    5+3d             the clock begins to run after 3 seconds (delay)
    30+3x30          when the 30 minutes are up, 3 times 30 seconds (byo-yomi)
    5hourglass       what one side uses the other gets
    90/40+30:30+30   90 minutes for 40 moves, then 30 minutes more, and 30 seconds for each move
    5+3,3+2          the first side has 5+3, the second 3+2
    blitz            3+2; rapid 15+10; classical 90/40+30:30+30
    5+3@press        the players press a button or lever;
    else the moves themselves switch the clocks
    none             time is not kept

Minutes may be fractions, or seconds with an `s`: `0.5` and `30s` are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from companion.model.errors import OptionError
from companion.model.phrase import Phrase
from companion.referee.values.clocks import Control, Period

NONE: Final = "none"
"""No time control."""

PRESETS: Final = {"blitz": "3+2", "rapid": "15+10", "classical": "90/40+30:30+30"}
"""Controls by name."""

_HOURGLASS: Final = "hourglass"
_PRESSED: Final = "@press"
_PERIOD: Final = re.compile(
    r"(?P<time>\d+(?:\.\d+)?)(?P<unit>[ms]?)(?:/(?P<plies>\d+))?(?P<grants>(?:\+[^+]+)*)"
)
_GRANT: Final = re.compile(r"(?:(?P<spans>\d+)x)?(?P<seconds>\d+(?:\.\d+)?)s?(?P<kind>[bd]?)")
_LONGEST_MS: Final = 24 * 3_600_000
_EXAMPLES: Final = ("5+3", "30+3x30", "90/40+30:30+30", "5hourglass", "blitz", NONE)


def read_control(text: str, sides: int) -> Control | None:
    """The control that *text* denotes for *sides*; None without one. Raises `OptionError`."""
    if text == NONE:
        return None
    parts = [PRESETS.get(part, part) for part in text.removesuffix(_PRESSED).split(",")]
    is_hourglass = all(part.endswith(_HOURGLASS) for part in parts)
    periods = [
        tuple(_periods(text, part.removesuffix(_HOURGLASS) if is_hourglass else part)) for part in parts
    ]
    if len(parts) not in (1, sides):
        raise _unreadable(
            text,
            Phrase("it gives time to {count} sides, the game has {sides}", count=len(parts), sides=sides),
        )
    if is_hourglass and sides != 2:
        raise _unreadable(text, Phrase("an hourglass is for two sides, the game has {sides}", sides=sides))
    return Control(
        tuple(periods) * (sides // len(parts)),
        is_hourglass,
        by_moves=not text.endswith(_PRESSED),
        starts_by_hand=True,
        gives_first=True,
    )


def write_control(control: Control | None) -> str:
    """The shortest text that `read_control` reads as *control*.

    >>> write_control(read_control("90m/40+30s:30+30,5+3", 2))
    '90/40+30:30+30,5+3'
    """
    if control is None:
        return NONE
    sides = control.periods[:1] if len(set(control.periods)) == 1 else control.periods
    ending = _HOURGLASS if control.is_hourglass else ""
    parts = [":".join(map(_write_period, periods)) + ending for periods in sides]
    return ",".join(parts) + ("" if control.by_moves else _PRESSED)


def _write_period(period: Period) -> str:
    """*period* as text."""
    minutes, rest = divmod(period.time_ms, 60_000)
    time = f"{_seconds(period.time_ms)}s" if rest else str(minutes)
    grants = ((period.increment_ms, ""), (period.bonus_ms, "b"), (period.delay_ms, "d"))
    return "".join(
        (
            time,
            f"/{period.plies}" * bool(period.plies),
            *(f"+{_seconds(each)}{kind}" for each, kind in grants if each),
            f"+{period.byo_yomi}x{_seconds(period.byo_yomi_ms)}" * bool(period.byo_yomi),
        )
    )


def _seconds(ms: int) -> str:
    """*ms* in seconds, exactly."""
    whole, rest = divmod(ms, 1_000)
    return f"{whole}.{rest:03}".rstrip("0") if rest else str(whole)


def _periods(text: str, part: str) -> Iterator[Period]:
    """The periods of one side, written as *part* of *text*."""
    written = part.split(":")
    for number, each in enumerate(written, start=1):
        period = _period(text, each)
        if number == len(written) and period.plies:
            raise _unreadable(
                text, Phrase("the last period holds to the end: leave out /{plies}", plies=period.plies)
            )
        if number < len(written) and not period.plies:
            raise _unreadable(
                text,
                Phrase("{each!r} does not say after how many moves it ends, such as {each}/40", each=each),
            )
        yield period


def _period(text: str, written: str) -> Period:
    """The period that *written*, a part of *text*, denotes."""
    found = _PERIOD.fullmatch(written)
    if found is None:
        raise _unreadable(text, Phrase("{written!r} is not a time", written=written))
    granted: dict[str, int] = {}
    for grant in found["grants"].split("+")[1:]:
        for name, value in _granted(text, grant):
            if name in granted:
                raise _unreadable(text, Phrase("{written!r} says the same thing twice", written=written))
            granted[name] = value
    time_ms = round(float(found["time"]) * (1_000 if found["unit"] == "s" else 60_000))
    if not time_ms and not granted.get("byo_yomi"):
        raise _unreadable(text, Phrase("{written!r} begins without time", written=written))
    if max(time_ms, *granted.values(), 0) > _LONGEST_MS:
        raise _unreadable(text, Phrase("no time is longer than a day"))
    if found["plies"] and not int(found["plies"]):
        raise _unreadable(text, Phrase("{written!r} ends after no move", written=written))
    return Period(time_ms, plies=int(found["plies"] or 0), **granted)


def _granted(text: str, grant: str) -> Iterator[tuple[str, int]]:
    """Additions of *grant*, a part of *text*, to a period, by field name."""
    found = _GRANT.fullmatch(grant)
    if found is None or (found["spans"] and (found["kind"] or not int(found["spans"]))):
        raise _unreadable(text, Phrase("{grant!r} is not an increment", grant=grant))
    length_ms = round(float(found["seconds"]) * 1_000)
    if not length_ms:
        raise _unreadable(text, Phrase("{grant!r} adds nothing", grant=grant))
    if found["spans"]:
        yield "byo_yomi", int(found["spans"])
        yield "byo_yomi_ms", length_ms
    else:
        yield {"": "increment_ms", "b": "bonus_ms", "d": "delay_ms"}[found["kind"]], length_ms


def _unreadable(text: str, why: Phrase) -> OptionError:
    return OptionError(
        "{value!r} is not a time control: {reason}; examples are {allowed}",
        option="clock",
        value=text,
        allowed=_EXAMPLES,
        reason=why,
    )
