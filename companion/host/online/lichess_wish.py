# SPDX-License-Identifier: Apache-2.0
"""Which game a player wants on lichess, checked against what its Board API allows.

Pure. Source: the OpenAPI description of lichess, tags Board and Challenges; lichess.org/faq for the
limits of speeds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from companion.model.errors import InvalidArgument
from companion.model.phrase import Phrase
from companion.referee.values.clocks import Period
from companion.referee.values.controls import read_control

ANYONE: Final = "anyone"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{2,30}")
_COMPUTER: Final = "computer"
_USUAL_LEVEL: Final = 3
_LEVELS: Final = range(1, 9)
_DAYS: Final = (1, 2, 3, 5, 7, 10, 14)
_PLIES: Final = 40
"""Moves for which increments count towards the speed of a game."""
_BLITZ_S: Final = 180
_RAPID_S: Final = 480
_SHORT_S: Final = (15, 30, 45, 60, 90)
_LONGEST_S: Final = 10_800
_MOST_INCREMENT_S: Final = 60


@dataclass(frozen=True, slots=True)
class Wish:
    """The game that is wanted."""

    opponent: str = ANYONE
    """`anyone`, `computer` with a level after a colon, or the name of a player."""
    clock: str = ""
    """Time control, in the notation of `read_control`; empty for none."""
    days: int | None = None
    """Days for each move, in correspondence."""
    colour: str = "random"
    is_rated: bool = False

    @property
    def level(self) -> int | None:
        """The level of lichess' computer; None for people."""
        kind, _, level = self.opponent.partition(":")
        return int(level or _USUAL_LEVEL) if kind == _COMPUTER and (level or "3").isdecimal() else None

    def form(self) -> dict[str, str]:
        """Return the fields of the request. Raises `InvalidArgument` for a bad wish."""
        fields = {"rated": str(self.is_rated).lower(), "variant": "standard", "color": self.colour}
        if self.level is None and not _NAME.fullmatch(self.opponent):
            raise InvalidArgument(
                "a player on lichess has a name of letters, digits, - and _, not {name!r}", name=self.opponent
            )
        if self.level is not None:
            if self.level not in _LEVELS:
                raise InvalidArgument("lichess' computer has levels 1 to 8, not {level}", level=self.level)
            fields |= {"level": str(self.level)}
            del fields["rated"]
        if self.days is not None:
            return fields | self._correspondence()
        if self.clock in ("", "none"):
            if self.opponent == ANYONE:
                raise InvalidArgument("a game against anyone needs a clock, or days: --clock 15+10, --days 3")
            return fields
        return fields | self._real_time()

    def _correspondence(self) -> dict[str, str]:
        if self.clock not in ("", "none"):
            raise InvalidArgument("a game has a clock or days, not both: leave out --clock or --days")
        if self.days not in _DAYS:
            allowed = ", ".join(map(str, _DAYS))
            raise InvalidArgument(
                "lichess gives {allowed} days for a move, not {days}", allowed=allowed, days=self.days
            )
        return {"days": str(self.days)}

    def _real_time(self) -> dict[str, str]:
        """Return the fields of the clock, in minutes for anyone and in seconds otherwise."""
        control = read_control(self.clock.removesuffix("+0"), 2)  # as lichess writes sudden death
        assert control is not None
        period = control.periods[0][0]
        fischer = Period(period.time_ms, increment_ms=period.increment_ms)
        is_plain = all(periods == (fischer,) for periods in control.periods)
        if not is_plain or control.is_hourglass or not control.by_moves or period.increment_ms % 1000:
            raise self._refused(Phrase("it knows minutes and whole seconds for each move, the same for both"))
        seconds, increment = period.time_ms / 1000, period.increment_ms // 1000
        if seconds > _LONGEST_S or increment > _MOST_INCREMENT_S:
            raise self._refused(Phrase("it gives 180 minutes and 60 seconds a move at most"))
        if seconds % 60 and seconds not in _SHORT_S:
            raise self._refused(Phrase("it gives whole minutes"))
        lasts_s = seconds + _PLIES * increment
        if self.opponent == ANYONE and lasts_s < _RAPID_S:
            raise self._refused(
                Phrase("boards play against anyone with 8 minutes or more, counting 40 increments")
            )
        if lasts_s < _BLITZ_S:
            raise self._refused(Phrase("boards play with 3 minutes or more, counting 40 increments"))
        if self.opponent == ANYONE:
            return {"time": f"{seconds / 60:g}", "increment": str(increment)}
        return {"clock.limit": f"{seconds:g}", "clock.increment": str(increment)}

    def _refused(self, reason: Phrase) -> InvalidArgument:
        return InvalidArgument(
            "lichess does not take the clock {clock}: {reason}. One that it takes is {example}",
            clock=self.clock,
            reason=reason,
            example="15+10",
        )
