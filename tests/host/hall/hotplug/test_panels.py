# SPDX-License-Identifier: Apache-2.0
"""Panels that come and go at a hall's machine, over the real link.

Each panel is its own station at any port, and no move is lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from companion import games
from companion.host.clock import monotonic
from companion.host.devices.ports import OpenPort, serial_line
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.station_states import StationState
from companion.host.hall.hotplug.devices import Devices, KnownDevice
from companion.host.hall.run import HallOptions, plugged_stations
from companion.host.journal import journal as journals
from companion.host.journal.setup import GameSetup
from companion.host.play.start import PlayOptions
from companion.host.records.database import connect
from companion.host.table.table_game import Begin
from companion.link.panel import panel_for
from companion.referee.values.events import MoveMade, Stage
from companion.tournament.acts import Obeyed, Opened
from companion.tournament.values import Format
from companion.virtual.panel import VirtualPanel
from tests.host.hall.halls import BRISK, QUICK, hall_at, two_players, until
from tests.host.tables import GAME, WHOLE_GAME
from tests.host.tcp import TcpPanel

CLOCK = monotonic()
RULES = games.find(GAME).rules()
RED, BLUE = b"red-0001", b"blue-002"
CHOSEN = f"{GAME},take_back=yes"


pytestmark = pytest.mark.usefixtures("no_closing_pause")


@dataclass
class Machine:
    """A computer with ports for panels."""

    stack: AsyncExitStack
    plugged: dict[str, TcpPanel] = field(default_factory=dict)

    def ports(self) -> list[tuple[str, OpenPort]]:
        return [(name, serial_line(panel.url)) for name, panel in self.plugged.items()]

    async def build(self, identity: bytes, game: str = GAME) -> TcpPanel:
        """A panel with the game's pieces on it."""
        rules = games.find(game).rules()
        panel = VirtualPanel(panel_for(rules.grid), unique_id=identity, session=1, now_ms=CLOCK())
        for cell in rules.placement(rules.initial()).by_cell():
            panel.close(cell, CLOCK())
        return await self.stack.enter_async_context(TcpPanel(panel, CLOCK).serving())

    def plug(self, port: str, panel: TcpPanel) -> None:
        """Connect *panel*; it gets its power from the port."""
        panel.panel.reset(CLOCK())
        self.plugged[port] = panel

    def unplug(self, port: str) -> None:
        self.plugged.pop(port).cut()


def carry(panel: TcpPanel, move: str, *, is_capture: bool = False) -> asyncio.Event:
    """Move a piece, slowly enough for a switch; a captured piece is removed first.

    The event is set when the piece stands on its target.
    """
    is_put = asyncio.Event()

    def put() -> None:
        panel.panel.close(target, CLOCK())
        is_put.set()

    source, target = RULES.grid.cells(move.replace("-", " "))
    panel.panel.open(source, CLOCK())
    if is_capture:
        panel.panel.open(target, CLOCK())
    asyncio.get_running_loop().call_later(0.3, put)
    return is_put


@asynccontextmanager
async def hall_of(
    folder: Path, said: list[str], rejected_port_ms: int = 300, chosen: tuple[str, ...] = (CHOSEN,)
) -> AsyncIterator[tuple[Hall, Machine]]:
    """A hall in which all panels of a machine are stations; and the machine."""
    store = f"sqlite:///{folder}/hall.sqlite"
    async with AsyncExitStack() as stack:
        machine = Machine(stack)
        hall = await stack.enter_async_context(hall_at(folder, store))
        usual = PlayOptions(
            GameSetup(""), folder=folder / "journals", browser=False, store=store, timing=BRISK
        )
        db = connect(store)
        stack.callback(db.close)
        play_options = HallOptions(
            panel_games=chosen,
            usual=usual,
            intervals=replace(QUICK, poll_s=0.05, boot_ms=20, rejected_port_ms=rejected_port_ms),
        )
        async with plugged_stations(hall, play_options, Devices(db), said.append, machine.ports) as tasks:
            try:
                yield hall, machine
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)


def seat(hall: Hall, station: str, holds: Callable[[StationState], bool]) -> Callable[[], bool]:
    return lambda: (found := hall.hub.station_states.known.get(station)) is not None and holds(found)


def is_at(ply: int) -> Callable[[StationState], bool]:
    return lambda seat: seat.glance is not None and seat.glance.ply == ply and seat.glance.is_announced


def is_ready(seat: StationState) -> bool:
    return seat.glance is not None and seat.glance.phase == "waiting" and not seat.hello.trouble


def announced(folder: Path, station: str) -> list[str]:
    """The moves in all journals of *station*, without CHECK! signs."""
    events = [
        event
        for path in sorted((folder / "journals" / station).glob("*"))
        for event in journals.read(path).events
    ]
    return [
        event.move.rstrip("!")
        for event in events
        if isinstance(event, MoveMade) and event.stage is Stage.ANNOUNCED
    ]


def test_stations_appear_with_their_panels_and_a_move_at_an_unplugged_one_is_not_lost(
    tmp_path: Path,
) -> None:
    moves = WHOLE_GAME.split()
    said: list[str] = []

    async def running() -> None:
        async with hall_of(tmp_path, said) as (hall, machine):
            red, blue = await machine.build(RED), await machine.build(BLUE)
            machine.plug("usb0", red)
            await until(seat(hall, "board-1", is_ready), "the first panel is a board")
            machine.plug("usb1", blue)
            await until(seat(hall, "board-2", is_ready), "the second panel is a board")
            assert ("take_back", "yes") in hall.hub.station_states.known["board-2"].hello.options
            for number, move in enumerate(moves[:2]):
                carry(red, move)
                await until(seat(hall, "board-1", is_at(number + 1)), move)
            machine.unplug("usb0")
            await until(
                seat(hall, "board-1", lambda seat: "not plugged in" in seat.hello.trouble),
                "the first panel is missing",
            )
            carry(blue, moves[0])
            await until(seat(hall, "board-2", is_at(1)), "the other plays on")
            await carry(red, moves[2]).wait()
            machine.plug("usb7", red)
            await until(
                seat(hall, "board-1", lambda seat: is_ready(seat) and is_at(3)(seat)),
                "the first panel is back at another port",
            )
            carry(red, moves[3], is_capture=True)
            await until(seat(hall, "board-1", is_at(4)), "the board plays on")

    asyncio.run(running())
    (path,) = (tmp_path / "journals" / "board-1").glob("*")
    assert journals.read(path).header.timing == BRISK
    assert announced(tmp_path, "board-1") == moves[:4]
    assert announced(tmp_path, "board-2") == moves[:1]


def test_a_panel_is_the_same_station_after_a_restart_and_its_game_continues(
    tmp_path: Path,
) -> None:
    moves = WHOLE_GAME.split()
    said: list[str] = []

    async def once(*plugged: tuple[str, bytes], ply: int) -> None:
        async with hall_of(tmp_path, said) as (hall, machine):
            for number, (station, identity) in enumerate(plugged):
                panel = await machine.build(identity)
                for move in moves[:ply] if identity == RED else ():
                    source, target = RULES.grid.cells(move.replace("-", " "))
                    panel.panel.open(source, CLOCK())
                    panel.panel.close(target, CLOCK())
                machine.plug(f"usb{number}", panel)
                await until(seat(hall, station, is_ready), f"{station} is ready")
                if identity == RED:
                    await until(seat(hall, station, is_at(ply)), "the game is where it was")
                    carry(panel, moves[ply])
                    await until(seat(hall, station, is_at(ply + 1)), "it plays")

    asyncio.run(once(("board-1", RED), ("board-2", BLUE), ply=0))
    asyncio.run(once(("board-2", BLUE), ("board-1", RED), ply=1))
    assert announced(tmp_path, "board-1") == moves[:2]
    assert any("Going on with" in text for text in said if text.startswith("board-1"))


def test_of_two_panels_with_one_identity_the_second_is_reported_and_the_first_plays_on(
    tmp_path: Path,
) -> None:
    async def running() -> None:
        async with hall_of(tmp_path, []) as (hall, machine):
            first, second = await machine.build(RED), await machine.build(RED)
            machine.plug("usb0", first)
            await until(seat(hall, "board-1", is_ready), "the first panel is a board")
            machine.plug("usb1", second)
            await until(lambda: bool(hall.faults.get("panels")), "the duplicate is reported")
            assert hall.faults["panels"] == (
                f"two panels say that they are {RED.hex()}, at usb0 and at usb1: unplug one of them",
            )
            carry(first, "a1-b2")
            await until(seat(hall, "board-1", is_at(1)), "the first plays on")
            machine.plugged.pop("usb1")
            await until(lambda: not hall.faults["panels"], "the duplicate is gone")
            machine.plugged["usb1"] = second
            await until(lambda: bool(hall.faults["panels"]), "the duplicate is back")
            machine.unplug("usb0")
            await until(
                seat(hall, "board-1", lambda seat: is_ready(seat) and is_at(0)(seat)),
                "the other panel is the board now",
            )
            await until(lambda: not hall.faults["panels"], "no duplicate is left")
            assert list(hall.hub.station_states.known) == ["board-1"]

    asyncio.run(running())


def test_a_panel_that_fits_no_chosen_game_is_named_with_these_games(tmp_path: Path) -> None:
    async def running() -> None:
        async with hall_of(tmp_path, []) as (hall, machine):
            machine.plug("usb0", await machine.build(RED, "gottaz"))
            await until(lambda: bool(hall.faults.get("panels")), "the panel is reported")
            assert hall.faults["panels"] == (
                f"the panel {RED.hex()} has 25 cells, for which none of these games is: {CHOSEN}",
            )
            assert not hall.hub.station_states.known

    asyncio.run(running())


def test_a_panel_plays_the_largest_chosen_game_for_which_it_has_room(tmp_path: Path) -> None:
    async def running() -> None:
        async with hall_of(tmp_path, [], chosen=(CHOSEN, "tank-chess", "chess")) as (hall, machine):
            machine.plug("usb0", await machine.build(RED, "chess"))
            await until(seat(hall, "board-1", lambda state: state.hello.game == "chess"), "chess is played")

    asyncio.run(running())


@pytest.mark.long
def test_a_panel_that_does_not_fit_a_tournaments_game_reports_it_and_plays_on(tmp_path: Path) -> None:
    """The same holds for another game, and after the connection is cut at its port.

    The panel is found again at once, not only at the next scan of silent ports.
    """

    async def running() -> None:
        async with hall_of(tmp_path, [], rejected_port_ms=600_000) as (hall, machine):
            red = await machine.build(RED)
            machine.plug("usb0", red)
            await until(seat(hall, "board-1", is_ready), "it appears")
            await two_players(hall, "board-1", Opened("club", "Club hall_of", Format.SWISS, "chess"))
            answers = (entry.act for entry in hall.keeper.entries)
            await until(
                lambda: not hall.keeper.book.orders and hall.keeper.entries[-1].by == "board-1", "said"
            )
            (answer,) = (each for each in answers if isinstance(each, Obeyed))
            assert answer.fault == "Chess needs the 8x8 grid; this table has 4x8"
            carry(red, "a1-b2")
            await until(seat(hall, "board-1", is_at(1)), "the board plays on")
            await hall.order("Arbiter", "board-1", Begin(GameSetup(GAME)))
            carry(red, "b2-a1")
            await until(seat(hall, "board-1", lambda seat: is_ready(seat) and is_at(0)(seat)), "another game")
            red.cut()
            carry(red, "a1-b2")
            await until(seat(hall, "board-1", is_at(1)), "it plays on again")

    asyncio.run(running())


def test_an_assigned_panel_replaces_another(database: str) -> None:
    db = connect(database)
    devices = Devices(db)
    devices.give(KnownDevice("aa", "red", GAME))
    devices.give(KnownDevice("bb", "blue", "chess"))
    devices.give(KnownDevice("cc", "red", "chess"))
    assert devices.all() == (KnownDevice("bb", "blue", "chess"), KnownDevice("cc", "red", "chess"))
    assert devices.forget("blue")
    assert not devices.forget("blue")
    assert devices.all() == (KnownDevice("cc", "red", "chess"),)
    devices.give(KnownDevice("dd", "blue", "gottaz,no_move=loss,supply_leaves=tolerated"))
    assert devices.all()[0].game == "gottaz,no_move=loss", "an option that was removed since is left out"
    db.close()
