# SPDX-License-Identifier: Apache-2.0
"""The hall's end of the protocol: processes messages of boards and repeats orders until done.

Pure, except for the copies. Its rule: only the instance that holds a board's identity is listened
to. A copy that cannot be stored is not acknowledged, so that it is sent again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from companion.host.hall.core.board_states import BoardStates, Hello, is_name
from companion.host.hall.core.journal_copies import CopyRefused
from companion.host.hall.core.journal_sync import Have, JournalStore, Part, take
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
    """All boards of a hall, with the copies of their journals."""

    def __init__(
        self, name: str, store_of: Callable[[str], JournalStore], intervals: Intervals = USUAL
    ) -> None:
        """*name* identifies this run of the hall;

        *store_of* returns the store of a board's journals.
        """
        self.name = name
        self.board_states = BoardStates()
        self.fault = ""
        """Why copies cannot be written; empty if they can."""
        self.refused: dict[str, str] = {}
        """Why further copies are rejected, by board."""
        self._again_ms = intervals.message_ms
        """Time after which an unanswered order is repeated."""
        self._store_of = store_of
        self._stores: dict[str, JournalStore] = {}
        self._numbers: dict[tuple[str, str], int] = {}
        self._pending: dict[str, dict[str, _Pending]] = {}

    def receive(self, message: Up, now_ms: int) -> tuple[Down, ...]:
        """Process *message* and return the answers."""
        board, instance = message.board, message.instance
        if isinstance(message.what, Hello):
            is_own = (message.what.board, message.what.instance) == (board, instance)
            return self._greet(message.what, now_ms) if is_own and is_name(board) else ()
        state = self.board_states.known.get(board)
        if state is None or state.hello.instance != instance:
            return ()
        match message.what:
            case Shown() as shown:
                self._show(board, instance, shown, now_ms)
            case Part() as part:
                return self._take(board, instance, part)
            case Done() as done:
                self._close(board, done)
            case Goodbye():
                self.board_states.part(board, instance)
        return ()

    def order(self, board: str, order: Order) -> None:
        """Send *order* to *board*, now or once it is back."""
        self._pending.setdefault(board, {})[order.order] = _Pending(order)

    def moment_of(self, board: str) -> Moment:
        """Return the present moment of *board*'s game; its journal is "" if unknown."""
        state = self.board_states.known.get(board)
        glance = None if state is None else state.glance
        return Moment(state.hello.journal if state else "", None if glance is None else glance.ply)

    def forget(self, board: str) -> None:
        """Forget *board* until it presents itself again."""
        self.board_states.forget(board)
        self.refused.pop(board, None)
        for key in [key for key in self._numbers if key[0] == board]:
            del self._numbers[key]

    def is_open(self, board: str, order: str) -> bool:
        """True while *order* is unanswered."""
        return order in self._pending.get(board, {})

    def orders_to_send(self, now_ms: int) -> tuple[Down, ...]:
        """Return the orders due now for connected boards."""
        out = []
        for board, pending in self._pending.items():
            state = self.board_states.known.get(board)
            if state is None or state.is_silent(now_ms):
                continue
            for each in pending.values():
                if each.sent_ms is None or now_ms - each.sent_ms >= self._again_ms:
                    each.sent_ms = now_ms
                    out.append(Down(board, state.hello.instance, each.order))
        return tuple(out)

    def _greet(self, hello: Hello, now_ms: int) -> tuple[Down, ...]:
        is_behind = hello.shown > self._numbers.get((hello.board, hello.instance), 0)
        answer: FromHall = Welcome(self.name, now_ms, hello.at_ms, is_behind)
        if not self.board_states.greet(hello, now_ms):
            answer = Refused(
                Phrase(
                    "another program is the board {board} already: give this one another name",
                    board=hello.board,
                )
            )
        return (Down(hello.board, hello.instance, answer),)

    def _show(self, board: str, instance: str, shown: Shown, now_ms: int) -> None:
        """Process a glance, unless it is outdated."""
        if shown.number > self._numbers.get((board, instance), 0):
            self._numbers[board, instance] = shown.number
            self.board_states.show(board, instance, shown.glance, now_ms)

    def _close(self, board: str, done: Done) -> None:
        """Close the answered order."""
        self._pending.get(board, {}).pop(done.order, None)

    def _take(self, board: str, instance: str, part: Part) -> tuple[Down, ...]:
        store = self._stores.get(board)
        if store is None:
            store = self._stores[board] = self._store_of(board)
        try:
            have = take(store, part)
        except CopyRefused as fault:
            self.refused[board] = str(fault)
            return (Down(board, instance, Have(part.journal, part.offset, is_foreign=True)),)
        except JournalError as fault:
            self.fault = str(fault)
            return ()
        if part.text:
            self.fault = ""
        return (Down(board, instance, have),)
