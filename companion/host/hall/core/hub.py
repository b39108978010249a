# SPDX-License-Identifier: Apache-2.0
"""The hall's end of the protocol: processes messages of stations and repeats orders until done.

Pure, except for the copies. Its rule: only the instance that holds a station's identity is listened
to. A copy that cannot be stored is not acknowledged, so that it is sent again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from companion.host.hall.core.journal_copies import CopyRefused
from companion.host.hall.core.journal_sync import Have, JournalStore, Part, take
from companion.host.hall.core.station_states import Hello, StationStates, is_name
from companion.host.hall.core.wire import Done, Down, FromHall, Goodbye, Order, Refused, Shown, Up, Welcome
from companion.host.retry import USUAL, Intervals
from companion.host.table.table_game import Moment
from companion.model.errors import JournalError
from companion.model.phrase import Phrase


@dataclass(slots=True)
class _Pending:
    """An unanswered order."""

    order: Order
    sent_ms: int | None = None


class Hub:
    """All stations of a hall, with the copies of their journals."""

    def __init__(
        self, name: str, store_of: Callable[[str], JournalStore], intervals: Intervals = USUAL
    ) -> None:
        """*name* identifies this run of the hall;

        *store_of* returns the store of a station's journals.
        """
        self.name = name
        self.station_states = StationStates()
        self.fault = ""
        """Why copies cannot be written; empty if they can."""
        self.refused: dict[str, str] = {}
        """Why further copies are rejected, by station."""
        self._again_ms = intervals.message_ms
        """Time after which an unanswered order is repeated."""
        self._store_of = store_of
        self._stores: dict[str, JournalStore] = {}
        self._numbers: dict[tuple[str, str], int] = {}
        self._pending: dict[str, dict[str, _Pending]] = {}

    def receive(self, message: Up, now_ms: int) -> tuple[Down, ...]:
        """Process *message* and return the answers."""
        station, instance = message.board, message.instance
        if isinstance(message.what, Hello):
            is_own = (message.what.board, message.what.instance) == (station, instance)
            return self._greet(message.what, now_ms) if is_own and is_name(station) else ()
        state = self.station_states.known.get(station)
        if state is None or state.hello.instance != instance:
            return ()
        match message.what:
            case Shown() as shown:
                self._show(station, instance, shown, now_ms)
            case Part() as part:
                return self._take(station, instance, part)
            case Done() as done:
                self._close(station, done)
            case Goodbye():
                self.station_states.part(station, instance)
        return ()

    def order(self, station: str, order: Order) -> None:
        """Send *order* to *station*, now or once it is back."""
        self._pending.setdefault(station, {})[order.order] = _Pending(order)

    def moment_of(self, station: str) -> Moment:
        """Return the present moment of *station*'s game; its journal is "" if unknown."""
        state = self.station_states.known.get(station)
        glance = None if state is None else state.glance
        return Moment(state.hello.journal if state else "", None if glance is None else glance.ply)

    def forget(self, station: str) -> None:
        """Forget *station* until it presents itself again."""
        self.station_states.forget(station)
        self.refused.pop(station, None)
        for key in [key for key in self._numbers if key[0] == station]:
            del self._numbers[key]

    def is_open(self, station: str, order: str) -> bool:
        """True while *order* is unanswered."""
        return order in self._pending.get(station, {})

    def orders_to_send(self, now_ms: int) -> tuple[Down, ...]:
        """Return the orders due now for connected stations."""
        out = []
        for station, pending in self._pending.items():
            state = self.station_states.known.get(station)
            if state is None or state.is_silent(now_ms):
                continue
            for each in pending.values():
                if each.sent_ms is None or now_ms - each.sent_ms >= self._again_ms:
                    each.sent_ms = now_ms
                    out.append(Down(station, state.hello.instance, each.order))
        return tuple(out)

    def _greet(self, hello: Hello, now_ms: int) -> tuple[Down, ...]:
        is_behind = hello.shown > self._numbers.get((hello.board, hello.instance), 0)
        answer: FromHall = Welcome(self.name, now_ms, hello.at_ms, is_behind)
        if not self.station_states.greet(hello, now_ms):
            answer = Refused(
                Phrase(
                    "another program is the board {board} already: give this one another name",
                    board=hello.board,
                )
            )
        return (Down(hello.board, hello.instance, answer),)

    def _show(self, station: str, instance: str, shown: Shown, now_ms: int) -> None:
        """Process a glance, unless it is outdated."""
        if shown.number > self._numbers.get((station, instance), 0):
            self._numbers[station, instance] = shown.number
            self.station_states.show(station, instance, shown.glance, now_ms)

    def _close(self, station: str, done: Done) -> None:
        """Close the answered order."""
        self._pending.get(station, {}).pop(done.order, None)

    def _take(self, station: str, instance: str, part: Part) -> tuple[Down, ...]:
        store = self._stores.get(station)
        if store is None:
            store = self._stores[station] = self._store_of(station)
        try:
            have = take(store, part)
        except CopyRefused as fault:
            self.refused[station] = str(fault)
            return (Down(station, instance, Have(part.journal, part.offset, is_foreign=True)),)
        except JournalError as fault:
            self.fault = str(fault)
            return ()
        if part.text:
            self.fault = ""
        return (Down(station, instance, have),)
