# SPDX-License-Identifier: Apache-2.0
"""A board's end of the hall: says what it shows, gives its journals, takes orders. Playing does not wait for any of it.

Pure but for reading journals. Its rule: an order is done once, however often it comes, also across a restart:
the journal remembers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from companion.feedback.glance import Glance
from companion.host.hall.boards.clock_offset import Comparison
from companion.host.hall.core.journal_sync import Have, JournalSender, LengthReporter, Read
from companion.host.hall.core.seats import Hello
from companion.host.hall.core.wire import Done, Down, FromBoard, Goodbye, Order, Refused, Shown, Up, Welcome

HELLO_MS: Final = 3000
"""Between two hellos."""
GLANCE_MS: Final = 40
"""Between two glances at the least: more than the eye can follow helps nobody."""

LATEST_MS: Final = 60_000
"""For which an order may wait for its time: what the hall wants later it says later."""


class BoardReporter:
    """Speaks for one board."""

    def __init__(self, hello: Hello, read: Read | None, done: Mapping[str, str] | None = None) -> None:
        """*read* reads journals, None where the hall does so itself.

        *done* are the names of orders that these say were carried out, and why some could not be.
        """
        self.hello = hello
        self.refusal = ""
        """Why the hall does not take the board; empty if it does, or has not answered."""
        self.heard_ms: int | None = None
        """When the hall was heard last."""
        self._giver: JournalSender | LengthReporter = (
            LengthReporter() if read is None else JournalSender(read)
        )
        self._done = dict(done or {})
        self._hall = ""
        self._hello_ms: int | None = None
        self._glance: Glance | None = None
        self._glance_ms: int | None = None
        self._is_fresh = False
        self._number = 0
        self._answers: list[FromBoard] = []
        self._clocks = Comparison()

    # --- from the table ---

    def presents(self, hello: Hello) -> None:
        """The board describes itself so from now on; told at once if that is new."""
        hello = self._measured(hello)
        if hello != self._measured(self.hello):
            self.hello, self._hello_ms = hello, None

    def shows(self, glance: Glance) -> None:
        """The board shows this now."""
        self._is_fresh = self._is_fresh or glance != self._glance
        self._glance = glance

    def grown(self, journal: str, size: int) -> None:
        """The first *size* bytes of *journal* are safe."""
        self._giver.grown(journal, size)

    def ended(self, journal: str, size: int) -> None:
        """*journal* is of an earlier game and has *size* bytes, all of them safe."""
        self._giver.ended(journal, size)

    def carried_out(self, order: str, fault: str = "") -> None:
        """The order was carried out and is in the journal, or cannot be for the reason *fault*."""
        self._done[order] = fault
        self._answers.append(Done(order, fault))

    def has_done(self, order: str) -> bool:
        """True if the order is answered for good."""
        return order in self._done

    # --- from the hall ---

    def reconnect(self) -> None:
        """The way to the hall is new."""
        self._giver.reconnect(is_new_hall=False)
        self._hello_ms = self._glance_ms = None
        self._is_fresh = self._glance is not None

    def heard(self, message: Down, now_ms: int) -> Order | None:
        """The hall has said *message*; an order that is to be carried out now."""
        if message.board != self.hello.board or message.instance != self.hello.instance:
            return None
        self.heard_ms = now_ms
        match message.what:
            case Have() as have:
                self._giver.heard(have)
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
        """The hall knows the board; one that was started anew, or listened to another meanwhile, may have lost something."""
        is_behind = welcome.is_behind or bool(self.refusal)
        self._is_fresh = self._is_fresh or (is_behind and self._glance is not None)
        self.refusal = ""
        if welcome.hall != self._hall:
            self._clocks.forget()
            self._hall = welcome.hall
            self._giver.reconnect(is_new_hall=True)
            self._is_fresh = self._glance is not None
        if welcome.hello_ms is not None:
            self._clocks.heard(welcome.hello_ms, now_ms, welcome.at_ms)

    def due_ms(self, order: Order, now_ms: int) -> int:
        """When *order* is to be carried out, by our clock: now, or when the hall wants it at many boards at one time."""
        if order.at_ms is None or not self._clocks.is_known:
            return now_ms
        return min(max(now_ms, order.at_ms + self._clocks.offset_ms), now_ms + LATEST_MS)

    # --- to the hall ---

    def messages(self, now_ms: int) -> tuple[Up, ...]:
        """What is to be sent now."""
        out: list[FromBoard] = [*self._answers]
        self._answers.clear()
        if self._hello_ms is None or now_ms - self._hello_ms >= HELLO_MS:
            self._hello_ms = now_ms
            measured = self._measured(self.hello)
            giver = self._giver
            self.hello = replace(
                measured, owed=giver.owed, lacking=giver.lacking, at_ms=now_ms, shown=self._number
            )
            out.append(self.hello)
        if self._hall and not self.refusal:
            if self._is_fresh and self._glance is not None and now_ms >= self._glance_due_ms():
                self._glance_ms, self._is_fresh = now_ms, False
                self._number += 1
                out.append(Shown(self._number, now_ms, self._glance))
            out.extend(self._giver.parts_to_send(now_ms))
        return tuple(self._up(what) for what in out)

    def goodbye(self) -> Up:
        """The last message."""
        return self._up(Goodbye())

    def next_deadline_ms(self) -> int:
        """When `messages` is to be asked again, if nothing happens before."""
        due = [0 if self._hello_ms is None else self._hello_ms + HELLO_MS]
        if self._answers:
            due.append(0)
        if self._hall and not self.refusal:
            if self._is_fresh:
                due.append(self._glance_due_ms())
            part_ms = self._giver.next_deadline_ms()
            due += [] if part_ms is None else [part_ms]
        return min(due)

    def _measured(self, hello: Hello) -> Hello:
        """*hello* with what changes by itself."""
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

    def _up(self, what: FromBoard) -> Up:
        return Up(self.hello.board, self.hello.instance, what)
