# SPDX-License-Identifier: Apache-2.0
"""The task that keeps a table in line with a game kept elsewhere.

Its rule: that place has the game, and the table has the pieces. Whatever was not agreed, whether a
move that came too late or a proposal that was declined, ends with the moves of that place.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from companion.host.online.game_elsewhere import (
    Corrected,
    Decided,
    Difference,
    GameElsewhere,
    Made,
    TakenBack,
    common_start,
    difference,
)
from companion.host.retry import USUAL, Intervals
from companion.host.table.table import Interest, Table
from companion.host.tasks import running
from companion.host.text.error_translation import translate
from companion.model.errors import CompanionError, OnlineRefused, OnlineUnreachable
from companion.model.phrase import Phrase
from companion.model.pieces import Side
from companion.referee.values.commands import (
    Adjourn,
    Conclude,
    Correct,
    DeclineDraw,
    OfferDraw,
    Play,
    ShowClocks,
)
from companion.referee.values.events import Stage
from companion.referee.values.view import TableView

_RESIGNED = "resignation"


class GameServer(Protocol):
    """The place that keeps a game.

    All calls raise `OnlineRefused`, or `OnlineUnreachable` if they may be repeated.
    """

    @property
    def state(self) -> GameElsewhere | None:
        """The game as it is there; None before the first word from there."""
        ...

    @property
    def connections(self) -> int:
        """How often it was connected: what was sent before may be lost."""
        ...

    async def run(self, changed: Callable[[], None], remark: Callable[[str, str], None]) -> None:
        """Keep `state` up to date until cancelled or, by `CompanionError`, refused.

        *changed* is called after each change; *remark* tells people what is said about a subject.
        """
        ...

    async def make(self, ply: int, move: str, spent_ms: int) -> None:
        """Make *move*, for which its side has thought *spent_ms*."""
        ...

    async def offer_draw(self) -> None:
        """Offer a draw, agree to one, or claim one."""
        ...

    async def decline_draw(self) -> None: ...

    async def resign(self) -> None: ...

    async def flag(self) -> None:
        """Say that by the table's own measure its time is over."""
        ...

    async def take_back(self, ply: int) -> None:
        """Propose to go back to before *ply*, or agree to that."""
        ...


async def follow(
    table: Table,
    server: GameServer,
    own: frozenset[Side],
    inform: Callable[[str], None],
    intervals: Intervals = USUAL,
) -> None:
    """Keep the game of *table* in line with *server*, until another game begins there.

    *own* are the sides that are played at the table.
    """

    def remark(about: str, said: str) -> None:
        if table.remarks.get(about, "") == said:
            return
        table.remark(about, said)
        if said:
            inform(translate(said, table.pipeline.words.language))

    journal = table.current.journal
    with table.watch(Interest.PLAY) as has_changed:
        follower = _Follower(table, server, own, remark, has_changed, intervals)
        async with running(server.run(has_changed.set, remark), "game elsewhere") as serving:
            serving.add_done_callback(lambda _done: has_changed.set())
            while table.current.journal is journal and not serving.done():
                has_changed.clear()
                await follower.step()
                await has_changed.wait()
        if not serving.cancelled() and (ended := serving.exception()) is not None:
            if not isinstance(ended, CompanionError):
                raise ended
            remark("elsewhere", str(ended))


@dataclass
class _Follower:
    """What was done about the present difference, so that nothing is done twice."""

    table: Table
    server: GameServer
    own: frozenset[Side]
    remark: Callable[[str, str], None]
    has_changed: asyncio.Event
    intervals: Intervals
    agreed: list[str] = field(default_factory=list)
    """The moves of the last time when both places had the same."""
    has_compared: bool = False
    sent: tuple[int, Difference] | None = None
    """What was sent last, with the connection."""
    asked: tuple[Difference, str] | None = None
    """What the table was asked for last, with the position."""
    was_proposed: bool = False
    """True once the other place has shown our proposal to take back."""
    said: set[tuple[object, ...]] = field(default_factory=set)
    """What was said about draws and the end, with the ply."""
    shown: tuple[object, ...] = ()
    """The clocks that were shown last."""
    since_ms: int | None = None
    """Time at which a side at the table began to think; None before."""
    left_ms: int | None = None
    """Time left of that side then, if it is kept."""

    async def step(self) -> None:
        """Do what is due."""
        state, view = self.server.state, self.table.pipeline.view
        if state is None or not view.is_begun:
            return
        self._show_clocks(state)
        try:
            await self._compare(state, view)
        except OnlineRefused as refused:
            self.remark("refused", str(refused))
        except OnlineUnreachable:  # the server says so itself, and calls again when it is back
            self.sent = None
            self.said.clear()
            asyncio.get_running_loop().call_later(self.intervals.retry_s, self.has_changed.set)

    async def _compare(self, state: GameElsewhere, view: TableView) -> None:
        """Compare moves, then offers, then results."""
        here = [line.move for line in view.record if line.stage is not Stage.PROVISIONAL]
        if not self.has_compared:  # a game that goes on: each may have moves that the other lacks
            self.agreed, self.has_compared = list(common_start(here, state.moves)), True
        number = len(self.agreed)
        turn = view.record[number].side if number < len(view.record) else view.turn
        found = difference(self.agreed, here, state.moves, is_mine=turn in self.own)
        if found is not None:
            await self._settle(found, state, view)
            return
        if here != self.agreed:
            self.agreed, self.asked = here, None
            self.remark("refused", "")
        self.sent, self.was_proposed = None, False
        if view.decided is not None:  # it was taken back there before the hands had carried it out
            self._ask_once(Corrected(len(here), ()), view)
        elif view.outcome is None and not state.is_over:
            await self._measure(state, view)
            await self._exchange_offers(state, view)
        await self._compare_results(state, view)

    async def _settle(self, found: Difference, state: GameElsewhere, view: TableView) -> None:
        """Do what *found* asks for, once."""
        if isinstance(found, Decided):
            if view.decider is not None and view.ply == found.ply:
                self._ask_once(found, view)
        elif isinstance(found, Corrected):
            self._ask_once(found, view)
        elif state.is_over or (isinstance(found, TakenBack) and self._is_declined(state)):
            same = len(self.agreed) if isinstance(found, Made) else found.ply
            self._ask_once(Corrected(same, tuple(state.moves[same:])), view)
        elif self.sent != (self.server.connections, found):
            self.sent = (self.server.connections, found)
            if isinstance(found, TakenBack):
                await self.server.take_back(found.ply)
            else:
                spent_ms = 0 if self.since_ms is None else self.table.current.clock() - self.since_ms
                await self.server.make(found.ply, found.move, spent_ms)

    def _is_declined(self, state: GameElsewhere) -> bool:
        """True if our proposal to take back was shown there, and is not any more."""
        is_shown, was_shown = bool(self.own & set(state.take_backs)), self.was_proposed
        self.was_proposed = was_shown or is_shown
        if was_shown and not is_shown:
            self.remark("refused", Phrase("the take-back was declined: put the pieces back"))
        return was_shown and not is_shown

    def _ask_once(self, found: Decided | Corrected, view: TableView) -> None:
        """Give the table the command about *found* in this position, unless that was done."""
        if self.asked == (found, view.position):
            return
        self.asked = (found, view.position)
        if isinstance(found, Corrected):
            self.table.ask(Correct(found.ply, found.moves))
        else:
            self.table.ask(Play(found.ply, found.move, view.position))

    async def _measure(self, state: GameElsewhere, view: TableView) -> None:
        """Note when a side at the table begins to think, and its time ends."""
        now_ms = self.table.current.clock()
        if view.turn not in self.own:
            self.since_ms = None
            return
        if self.since_ms is None:
            self.since_ms = now_ms
            self.left_ms = state.clocks[view.turn] if state.running == view.turn and state.clocks else None
        if self.left_ms is None:
            return
        rest_ms = self.since_ms + self.left_ms - now_ms
        if rest_ms > 0:
            asyncio.get_running_loop().call_later(rest_ms / 1000, self.has_changed.set)
        elif self._is_first("flag", view):
            await self.server.flag()

    async def _exchange_offers(self, state: GameElsewhere, view: TableView) -> None:
        """Pass offers of draws and take-backs on, each once."""
        (mine,) = self.own
        other = 1 - mine
        if other in state.draw_offers:
            await self._pass_on_offer(mine, view)
        elif view.draw_offered_by == other:
            self.table.ask(DeclineDraw(mine))
        if view.draw_offered_by != mine:
            pass
        elif self._is_first("offered", view):
            await self.server.offer_draw()
        elif mine in state.draw_offers:
            self.said.add(("seen", view.ply))
        elif ("seen", view.ply) in self.said:
            self.table.ask(DeclineDraw(other))
        is_asked = bool(set(state.take_backs) - self.own)
        asks = Phrase("your opponent asks to take back: take back here to agree, or play on")
        self.remark("take-back", asks if is_asked else "")

    async def _pass_on_offer(self, mine: Side, view: TableView) -> None:
        """Pass the offer of the other side on, or that *mine* has declined it."""
        if view.draw_declined_by == mine:
            if self._is_first("declined", view):
                await self.server.decline_draw()
        elif view.draw_offered_by is None and self._is_first("shown", view):
            self.table.ask(OfferDraw(1 - mine))

    async def _compare_results(self, state: GameElsewhere, view: TableView) -> None:
        """End the game where the other place has not ended yet."""
        if state.is_aborted:
            if self._is_first("aborted", view):
                self.remark("elsewhere", Phrase("the game was ended elsewhere without a result"))
                self.table.ask(Adjourn())
        elif state.outcome is not None:
            if view.outcome is None and self._is_first("ended", view):
                self.table.ask(Conclude(state.outcome.winners, state.outcome.termination))
        elif view.outcome is not None and self._is_first("over", view):
            if view.outcome.termination == _RESIGNED and not self.own & set(view.outcome.winners):
                await self.server.resign()
            elif not view.outcome.winners:
                await self.server.offer_draw()

    def _is_first(self, what: str, view: TableView) -> bool:
        """True if *what* was not said in this ply."""
        key = (what, view.ply)
        is_first = key not in self.said
        self.said.add(key)
        return is_first

    def _show_clocks(self, state: GameElsewhere) -> None:
        """Show the clocks of *state*, if they are news."""
        now = (state.clocks, state.running)
        if state.clocks and now != self.shown:
            self.shown = now
            self.table.ask(ShowClocks(*now))
