# SPDX-License-Identifier: Apache-2.0
"""Which arbiter has taken which alarm.

Pure. Its rule: an alarm that ends and comes back is a new one, which nobody has taken. One that
changes its kind, as a piece that stands on a wrong cell becomes an illegal move, stays taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from companion.host.hall.core.station_states import Alarm, matter_of
from companion.model.errors import TournamentError

_Key: TypeAlias = tuple[str, tuple[str, int]]
"""Station and matter."""


@dataclass(slots=True)
class TakenAlarms:
    """The arbiters who have taken alarms."""

    arbiters: list[str] = field(default_factory=list)
    """Arbiters in the order of their first alarm, for their colours."""
    _holders: dict[_Key, str] = field(default_factory=dict)

    def take(self, by: str, station: str, kind: str, present: Iterable[Alarm]) -> None:
        """Let *by* take the alarm *kind* of *station* among *present* ones.

        Raises `TournamentError` if it has ended, or somebody else has taken it.
        """
        there = tuple(present)
        keys = {_key(alarm) for alarm in there}
        self._holders = {key: name for key, name in self._holders.items() if key in keys}
        key = next((_key(each) for each in there if _is_about(each, station, kind)), None)
        if key is None:
            raise TournamentError("the alarm at {board} is over: nobody has to go", board=station)
        holder = self._holders.setdefault(key, by)
        if holder != by:
            raise TournamentError(
                "{name} has taken the alarm at {board} already: give it back to take it over",
                name=holder,
                board=station,
            )
        if by not in self.arbiters:
            self.arbiters.append(by)

    def give_back(self, station: str, kind: str, present: Iterable[Alarm]) -> None:
        """Give the alarm back, so that any arbiter can take it."""
        for alarm in present:
            if _is_about(alarm, station, kind):
                self._holders.pop(_key(alarm), None)

    def holder(self, alarm: Alarm) -> str:
        """Return who has taken *alarm*; empty if nobody has."""
        return self._holders.get(_key(alarm), "")


def _is_about(alarm: Alarm, station: str, kind: str) -> bool:
    """True for an alarm of *kind* at *station*, or one that it has become meanwhile."""
    return (alarm.board, alarm.matter[0]) == (station, matter_of(kind))


def _key(alarm: Alarm) -> _Key:
    return alarm.board, alarm.matter
