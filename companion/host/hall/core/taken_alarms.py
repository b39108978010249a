# SPDX-License-Identifier: Apache-2.0
"""Which arbiter has taken which alarm.

Pure. Its rule: an alarm that ends and comes back is a new one, which nobody has taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from companion.host.hall.core.board_states import Alarm
from companion.model.errors import TournamentError

_Key: TypeAlias = tuple[str, str, int]


@dataclass(slots=True)
class TakenAlarms:
    """The arbiters who have taken alarms."""

    arbiters: list[str] = field(default_factory=list)
    """Arbiters in the order of their first alarm, for their colours."""
    _holders: dict[_Key, str] = field(default_factory=dict)

    def take(self, by: str, board: str, kind: str, present: Iterable[Alarm]) -> None:
        """Let *by* take the alarm *kind* of *board* among *present* ones.

        Raises `TournamentError` if it has ended, or somebody else has taken it.
        """
        keys = [_key(alarm) for alarm in present]
        self._holders = {key: name for key, name in self._holders.items() if key in keys}
        key = next((each for each in keys if each[:2] == (board, kind)), None)
        if key is None:
            raise TournamentError("the alarm at {board} is over: nobody has to go", board=board)
        holder = self._holders.setdefault(key, by)
        if holder != by:
            raise TournamentError(
                "{name} has taken the alarm at {board} already: give it back to take it over",
                name=holder,
                board=board,
            )
        if by not in self.arbiters:
            self.arbiters.append(by)

    def give_back(self, board: str, kind: str) -> None:
        """Give the alarm back, so that any arbiter can take it."""
        self._holders = {key: name for key, name in self._holders.items() if key[:2] != (board, kind)}

    def holder(self, alarm: Alarm) -> str:
        """Return who has taken *alarm*; empty if nobody has."""
        return self._holders.get(_key(alarm), "")


def _key(alarm: Alarm) -> _Key:
    return alarm.board, alarm.kind, alarm.since_ms
