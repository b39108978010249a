# SPDX-License-Identifier: Apache-2.0
"""A hall with many stations in every state, for tests of its pages."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion import games
from companion.feedback.glance import Glance, SmallPiece
from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Done, Shown, Up
from companion.model.game import Outcome
from companion.referee.values.view import ClockView
from companion.tournament.acts import ResultReported
from tests.host.hall.sites import Site, site

NOW_MS = 2_000_000
_RULES = games.find("chess").rules()
PIECES = tuple(
    SmallPiece(piece.kind, piece.side, cells, piece.facing, piece.pose or "")
    for piece, cells in _RULES.placement(_RULES.initial()).entries
)


def glance(ply: int = 12, left_s: tuple[int, int] = (300, 240), **more: Any) -> Glance:
    """What a station shows in the middle of a game of chess."""
    turn, rests = ply % 2, not more.keys().isdisjoint(("outcome", "awaits_clock"))
    clocks = tuple(
        ClockView(1000 * left, side == turn and not rests, NOW_MS) for side, left in enumerate(left_s)
    )
    shown = {"phase": "waiting", "clocks": clocks, "move": "Nf3", **more}
    return Glance("chess", turn=turn, ply=ply, pieces=PIECES, **shown)


STATES: dict[str, Glance] = {
    "illegal": glance(fault="The Knight may not move there.", is_completed=True, phase="illegal"),
    "reported": glance(30, outcome=Outcome((0,), "checkmate"), result="White wins."),
    "flag": glance(31, outcome=Outcome((1,), "time"), result="White has run out of time."),
    "question": glance(question="Which piece was moved?", phase="choosing"),
    "paused": glance(phase="paused"),
    "draw": glance(draw_offered_by=0),
    "ready": glance(0, awaits_clock=True),
    "thinking": glance(),
}
"""A glance for each state that a station itself shows."""


class FullHall:
    """A hall in a thread of its own."""

    def __init__(self, at: Site, loop: asyncio.AbstractEventLoop) -> None:
        self.at = at
        self.has_ended = asyncio.Event()
        self._loop = loop
        self._shown = 0

    @property
    def address(self) -> str:
        return self.at.address

    def run(self, coroutine: Any) -> Any:
        """The result of *coroutine*, run in the hall's loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(60)

    def end(self) -> None:
        """Let the hall's loop end."""
        self._loop.call_soon_threadsafe(self.has_ended.set)

    def ask(self, path: str, body: object = None) -> Any:
        """The answer of the hall, which has to be well."""
        status, answer = self.run(self.at.ask(path, body))
        assert status == 200, answer
        return answer

    def show(
        self, station: str, shown: Glance, trouble: str = "", *, ms: int = NOW_MS, error_ms: int = 0
    ) -> None:
        """Let *station* show a glance, at *ms*; its clock may be off by *error_ms*."""
        self._shown += 1
        number = self._shown

        async def take() -> None:
            self.at.clock[0] = ms
            hello = Hello(station, "i", station, "chess", trouble=trouble, clock_error_ms=error_ms)
            for what in (hello, Shown(number, 0, shown)):
                self.at.hall.take(Up(station, "i", what), lambda _down: None)

        self.run(take())

    def report(self, station: str, table: int, points: tuple[int, int]) -> None:
        """Let *station* report the result of its table."""
        self.run(self.at.hall.act(station, ResultReported("club", 1, table, points, "checkmate")))

    def obey(self) -> None:
        """Let the stations answer all orders."""

        async def answer() -> None:
            hall = self.at.hall
            for order in hall.keeper.book.orders.values():
                hall.take(Up(order.board, "i", Done(order.order)), lambda _down: None)
            await hall.settle_results()

        self.run(answer())

    def fall_silent(self, *stations: str) -> None:
        """Let the last message of *stations* be a minute old."""
        known = self.at.hall.hub.station_states.known
        for station in stations:
            known[station] = replace(known[station], received_ms=NOW_MS - 60_000)


@contextmanager
def full_hall(folder: Path, stations: int, *, has_begun: bool = True) -> Iterator[FullHall]:
    """A hall with *stations* stations, at which the first round of a tournament is seated.

    The stations have begun its games, unless *has_begun* is false.
    """
    is_served, found = threading.Event(), list[FullHall]()

    async def serve() -> None:
        async with site(folder) as at:
            found.append(FullHall(at, asyncio.get_running_loop()))
            await at.log_in()
            is_served.set()
            await found[0].has_ended.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert is_served.wait(60)
    (hall,) = found
    try:
        names = [f"b{number}" for number in range(1, stations + 1)]
        for name in names:
            hall.show(name, glance(0, awaits_clock=True))
        hall.ask(
            "api/acts", {"is": "Opened", "key": "club", "name": "Club", "format": "swiss", "game": "chess"}
        )
        players = "".join(f"Player {n:03} Surname,{2300 - n}\n" for n in range(2 * stations))
        hall.ask("api/tournaments/club/players", {"csv": f"name,rating\n{players}"})
        hall.ask("api/tournaments/club/rounds", {})
        hall.ask("api/tournaments/club/seats", {"boards": names})
        if has_begun:
            hall.obey()
        yield hall
    finally:
        hall.end()
        thread.join(60)
