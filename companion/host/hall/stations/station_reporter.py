# SPDX-License-Identifier: Apache-2.0
"""A station's end of the protocol: reports its view, sends its journals, receives orders.

Pure, except for reading journals. Its rule: an order is executed once, however often it is
repeated, also across a restart, since the journal records it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from companion.feedback.glance import Glance
from companion.host.hall.core.journal_sync import Have, JournalSender, LengthReporter, Read
from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Done, Down, FromStation, Goodbye, Order, Refused, Shown, Up, Welcome
from companion.host.hall.stations.clock_offset import Comparison
from companion.host.retry import USUAL, Intervals

HELLO_MS: Final = 3000
"""Interval between two hellos."""
GLANCE_MS: Final = 40
"""Smallest interval between two glances; more cannot be seen."""

LATEST_MS: Final = 60_000
"""Longest delay of an order; the hall sends later ones later."""


class StationReporter:
    """Protocol state of one station."""

    def __init__(
        self,
        hello: Hello,
        read: Read | None,
        done: Mapping[str, str] | None = None,
        intervals: Intervals = USUAL,
    ) -> None:
        """*read* reads journals;

        None if the hall reads them itself.

        *done* are the executed orders recorded there, with their faults.
        """
        self.hello = hello
        self.refusal = ""
        """Why the hall refuses the station; empty if it does not, or has not answered."""
        self.received_ms: int | None = None
        """Time of the hall's last message."""
        self._sender: JournalSender | LengthReporter = (
            LengthReporter() if read is None else JournalSender(read, intervals.message_ms)
        )
        self._done = dict(done or {})
        self._hall = ""
        self._hello_ms: int | None = None
        self._glance: Glance | None = None
        self._glance_ms: int | None = None
        self._is_fresh = False
        self._number = 0
        self._answers: list[FromStation] = []
        self._clocks = Comparison()

    # --- from the table ---

    def presents(self, hello: Hello) -> None:
        """Set the description of the station; sent at once if changed."""
        hello = self._measured(hello)
        if hello != self._measured(self.hello):
            self.hello, self._hello_ms = hello, None

    def shows(self, glance: Glance) -> None:
        """Set the view of the station."""
        self._is_fresh = self._is_fresh or glance != self._glance
        self._glance = glance

    def grown(self, journal: str, size: int) -> None:
        """Note that *size* bytes of *journal* are on the disk."""
        self._sender.grown(journal, size)

    def ended(self, journal: str, size: int) -> None:
        """Note that *journal* of an earlier game is on the disk with *size* bytes."""
        self._sender.ended(journal, size)

    def carried_out(self, order: str, fault: str = "") -> None:
        """Answer the order, which is executed and journaled, or refused with *fault*."""
        self._done[order] = fault
        self._answers.append(Done(order, fault))

    def has_done(self, order: str) -> bool:
        """True if the order is answered."""
        return order in self._done

    # --- from the hall ---

    def reconnect(self) -> None:
        """Note a new connection."""
        self._sender.reconnect(is_new_hall=False)
        self._hello_ms = self._glance_ms = None
        self._is_fresh = self._glance is not None

    def receive(self, message: Down, now_ms: int) -> Order | None:
        """Process *message*; return an order to execute."""
        if message.board != self.hello.board or message.instance != self.hello.instance:
            return None
        self.received_ms = now_ms
        match message.what:
            case Have() as have:
                self._sender.acknowledge(have)
            case Welcome() as welcome:
                self._welcomed(welcome, now_ms)
            case Refused() as refused:
                self.refusal = refused.reason
            case Order() as order:
                if order.order not in self._done:
                    return order
                self._answers.append(Done(order.order, self._done[order.order]))
        return None

    def _welcomed(self, welcome: Welcome, now_ms: int) -> None:
        """Process a welcome; resend what a restarted hall or another one has missed."""
        is_behind = welcome.is_behind or bool(self.refusal)
        self._is_fresh = self._is_fresh or (is_behind and self._glance is not None)
        self.refusal = ""
        if welcome.hall != self._hall:
            self._clocks.forget()
            self._hall = welcome.hall
            self._sender.reconnect(is_new_hall=True)
            self._is_fresh = self._glance is not None
        if welcome.hello_ms is not None:
            self._clocks.measure(welcome.hello_ms, now_ms, welcome.at_ms)

    def due_ms(self, order: Order, now_ms: int) -> int:
        """Return when to execute *order*, on our clock: now, or at the hall's common time."""
        if order.at_ms is None or not self._clocks.is_known:
            return now_ms
        return min(max(now_ms, order.at_ms + self._clocks.offset_ms), now_ms + LATEST_MS)

    # --- to the hall ---

    def messages(self, now_ms: int) -> tuple[Up, ...]:
        """Return the messages to send now."""
        out: list[FromStation] = [*self._answers]
        self._answers.clear()
        if self._hello_ms is None or now_ms - self._hello_ms >= HELLO_MS:
            self._hello_ms = now_ms
            measured = self._measured(self.hello)
            sender = self._sender
            self.hello = replace(
                measured, owed=sender.owed, lacking=sender.lacking, at_ms=now_ms, shown=self._number
            )
            out.append(self.hello)
        if self._hall and not self.refusal:
            if self._is_fresh and self._glance is not None and now_ms >= self._glance_due_ms():
                self._glance_ms, self._is_fresh = now_ms, False
                self._number += 1
                out.append(Shown(self._number, now_ms, self._glance))
            out.extend(self._sender.parts_to_send(now_ms))
        return tuple(self._up(what) for what in out)

    def goodbye(self) -> Up:
        """Return the last message."""
        return self._up(Goodbye())

    def next_deadline_ms(self) -> int:
        """Return when to call `messages` again without an event."""
        due = [0 if self._hello_ms is None else self._hello_ms + HELLO_MS]
        if self._answers:
            due.append(0)
        if self._hall and not self.refusal:
            if self._is_fresh:
                due.append(self._glance_due_ms())
            part_ms = self._sender.next_deadline_ms()
            due += [] if part_ms is None else [part_ms]
        return min(due)

    def _measured(self, hello: Hello) -> Hello:
        """Return *hello* with the current measurements."""
        return replace(
            hello,
            owed=self.hello.owed,
            lacking=self.hello.lacking,
            at_ms=self.hello.at_ms,
            shown=self.hello.shown,
            clock_offset_ms=self._clocks.offset_ms,
            clock_error_ms=self._clocks.error_ms,
            clock_drift_ms=self._clocks.drift_ms,
        )

    def _glance_due_ms(self) -> int:
        return 0 if self._glance_ms is None else self._glance_ms + GLANCE_MS

    def _up(self, what: FromStation) -> Up:
        return Up(self.hello.board, self.hello.instance, what)
