# SPDX-License-Identifier: Apache-2.0
"""The seats of a running table: browsers, time, and notifications."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from starlette.websockets import WebSocket

from companion.feedback.page import Json
from companion.host.table.table import Table
from companion.host.table.table_game import TableGame
from companion.host.tasks import Watchers
from companion.host.web.beginning import PATIENCE_S, Asker, Beginning
from companion.host.web.seats import Seating, Seats
from companion.model.pieces import Side

_SEATING: Final = tuple(field.name for field in dataclasses.fields(Seating))


@dataclasses.dataclass(frozen=True, slots=True)
class Sit:
    """A browser wants to play exactly these sides; without sides it only watches."""

    sides: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class StandUp:
    """A browser wants no seat any more."""


@dataclasses.dataclass(frozen=True, slots=True)
class GiveSeat:
    """A browser answers to the one that asks for its seat."""

    side: int
    gives: bool


@dataclasses.dataclass(frozen=True, slots=True)
class LetBegin:
    """A browser answers to the one that wants to begin another game."""

    lets: bool


SeatMessage: TypeAlias = Sit | StandUp | GiveSeat | LetBegin


class TableSeats:
    """The seats of *table* over its games."""

    def __init__(self, table: Table, patience_s: float = PATIENCE_S) -> None:
        """The players have *patience_s* to answer to a request for another game."""
        self._table = table
        self._game: TableGame = table.current
        self._seats = Seats(len(table.pipeline.session.rules.sides))
        self._beginning = Beginning(table, self._seats, self._notify, patience_s)
        self._watchers = Watchers()
        self._alarm: asyncio.TimerHandle | None = None

    def enter(self, browser: str, changed: asyncio.Event) -> None:
        """A page of *browser* was opened; *changed* is set on news."""
        self._watchers.append(changed)
        self._seats.enter(browser)
        self._notify()

    def leave(self, browser: str, changed: asyncio.Event) -> None:
        """A page of *browser* was closed."""
        self._watchers.remove(changed)
        self._seats.leave(browser, self._now_ms())
        self._notify()

    def take(self, browser: str, message: SeatMessage) -> None:
        """Execute a *message* of *browser*."""
        self._follow()
        match message:
            case Sit(sides):
                self._seats.sit(browser, sides, self._now_ms())
            case StandUp():
                self._seats.stand_up(browser, self._now_ms())
            case GiveSeat(side, gives):
                self._seats.answer(browser, side, gives=gives)
            case LetBegin(lets):
                self._beginning.answer(browser, lets=lets)
        self._notify()

    def deny(self, browser: str, side: Side | None) -> None:
        """Tell *browser* that it may not act for *side*; None for no side."""
        self._seats.deny(browser, side)
        self._notify()

    async def begin(self, asker: Asker, game: str, begin: Callable[[], Awaitable[None]]) -> None:
        """Do *begin*, which starts *game*, if *asker* may, or once those who play let it."""
        self._follow()
        await self._beginning.request(asker, game, begin)

    def withdraw(self, browser: WebSocket) -> None:
        """*browser*, which may have asked for another game, has gone."""
        self._beginning.withdraw(browser)

    def play(self, browser: str) -> None:
        """*browser* has moved in this game."""
        self._seats.play(browser)

    def holds(self, browser: str) -> bool:
        """True if *browser* has a seat."""
        self._follow()
        return self._seats.holds(browser)

    def sides_of(self, browser: str) -> frozenset[Side]:
        """Return the sides for which *browser* may move."""
        self._follow()
        return self._seats.sides_of(browser)

    def seen_by(self, browser: str, language: str = "") -> Json:
        """Return the seats as *browser* sees them, for its page in *language*."""
        self._follow()
        seating, may = self._seats.seen_by(browser), sorted(self.sides_of(browser))
        held = (*seating.mine, *seating.taken)
        free = [side for side in self._table.pipeline.view.seated if side not in held]
        begins = self._beginning.asked_of(browser, language)
        seen = {name: getattr(seating, name) for name in _SEATING}
        return {**seen, "may": may, "free": free, "begins": begins}

    def _follow(self) -> None:
        """Move the seats on with the players if another game has begun.

        Another kind of game frees them, as do a lesson and a puzzle, which decide who plays what.
        """
        before, current = self._game, self._table.current
        if current.journal is before.journal:
            return
        self._game = current
        sides, sides_before = (len(each.pipeline.session.rules.sides) for each in (current, before))
        is_same = current.game.slug == before.game.slug and sides == sides_before
        if is_same and not current.setup.is_exercise:
            self._seats.play_again(self._table.pipeline.view.seated, by=current.moved_on)
        else:
            self._seats.play_other(sides)
        self._beginning.note_other_game()

    def _notify(self) -> None:
        """Notify the pages, and wake up when the next seat becomes free."""
        self._watchers.notify()
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        due_ms = self._seats.next_deadline_ms()
        if due_ms is not None:
            wait_s = max(0, due_ms - self._now_ms()) / 1000
            self._alarm = asyncio.get_running_loop().call_later(wait_s, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self._seats.tick(self._now_ms())
        self._notify()

    @staticmethod
    def _now_ms() -> int:
        return round(asyncio.get_running_loop().time() * 1000)
