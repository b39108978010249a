# SPDX-License-Identifier: Apache-2.0
"""Two tables go on with their game after a restart of either."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from companion.host.online.two_tables.kept_table import file_of
from companion.host.online.two_tables.tables import rejoin
from companion.model.game import Outcome
from companion.referee.commands import Resign
from companion.referee.view import Phase
from tests.brokers import mosquitto
from tests.host.online.seats import QUICK, Seat, agreed, over, seated, until
from tests.host.online.walks import Board, Walk, board_of, walking
from tests.ports import free_port


async def rejoined(seat: Seat) -> asyncio.Task[None]:
    """Go on at the table of *seat*, as after a restart."""
    joined = rejoin(seat.table.current.journal.path, QUICK)
    assert joined is not None
    assert joined.side == seat.joined.side
    assert joined.request.players == seat.joined.request.players
    return asyncio.create_task(joined.play(seat.table, lambda _said: None))


def test_either_table_goes_on_after_a_restart(tmp_path: Path) -> None:
    async def play() -> None:
        via = f"ws://127.0.0.1:{free_port()}"
        host_game, guest_game, _ = await agreed("chess", via, via, "15+10")
        async with (
            seated(tmp_path, "host", host_game) as host,
            seated(tmp_path, "guest", guest_game) as guest,
        ):
            await until(lambda: host.view.phase is Phase.WAITING and guest.view.phase is Phase.WAITING)
            host.play("e4")
            await until(lambda: guest.made() == ["e4"] and guest.view.phase is Phase.WAITING)
            await host.stop()
            guest.play("e5")
            await until(lambda: guest.made() == ["e4", "e5"])
            going_on = [await rejoined(host)]
            await until(lambda: host.made() == ["e4", "e5"])
            assert [clock.left_ms > 850_000 for clock in host.view.clocks] == [True, True]
            await guest.stop()
            await until(lambda: host.view.phase is Phase.WAITING)
            host.play("Nf3")
            await until(lambda: host.made()[-1] == "Nf3")
            going_on.append(await rejoined(guest))
            await until(lambda: guest.made() == ["e4", "e5", "Nf3"] and guest.view.phase is Phase.WAITING)
            guest.play("Nc6")
            await until(lambda: host.made() == ["e4", "e5", "Nf3", "Nc6"])
            guest.table.ask(Resign(1))
            await until(lambda: host.view.outcome == Outcome((0,), "resignation"))
            kept = [file_of(each.table.current.journal.path) for each in (host, guest)]
            assert all(path.exists() and path.stat().st_mode & 0o077 == 0 for path in kept)
            for task in going_on:
                task.cancel()
            await asyncio.gather(*going_on, return_exceptions=True)
            assert not any(path.exists() for path in kept), "the game is over"

    asyncio.run(play())


class Place:
    """A board, and programs at it one after another; they can be killed."""

    def __init__(self, folder: Path, board: Board) -> None:
        self.folder, self.board = folder, board
        folder.mkdir()

    async def start(self, *words: str, lines: list[str] | None = None) -> Walk:
        self._stack = AsyncExitStack()
        self._walk = await self._stack.enter_async_context(
            walking(self.folder, *words, lines=lines, board=self.board)
        )
        return self._walk

    async def kill(self) -> None:
        self._walk.is_killed.set()
        await self.stop()

    async def stop(self) -> None:
        await self._stack.aclose()


@pytest.mark.long
@pytest.mark.parametrize("carrier", ["websocket", "broker"])
def test_two_programs_go_on_after_each_was_killed(tmp_path: Path, carrier: str) -> None:
    async def play() -> None:
        async with AsyncExitStack() as stack:
            via = f"ws://127.0.0.1:{free_port()}"
            if carrier == "broker":
                broker = await stack.enter_async_context(mosquitto(tmp_path))
                via = f"mqtt://127.0.0.1:{broker.port}"
            boards = [await stack.enter_async_context(board_of("chess")) for _ in range(2)]
            here, there = Place(tmp_path / "host", boards[0]), Place(tmp_path / "guest", boards[1])
            said: list[str] = []
            words = ("--online", "new", "--via", via, "--colour", "white", "--clock", "15+10")
            hosting = asyncio.create_task(here.start(*words, lines=said))
            await until(lambda: any("--online" in line for line in said))
            code = next(line for line in said if "--online" in line).split("--online ")[1].split()[0]
            guest = await there.start("--online", code, "--via", via)
            host = await hosting
            await host.move("d4")
            await guest.obey("d4")

            await there.kill()
            guest = await there.start("--resume")
            await guest.move("d5")
            await host.obey("d5")
            await host.move("c4")
            await guest.obey("c4")

            await here.kill()
            await guest.move("e6")  # nobody hears it
            host = await here.start("--resume")
            await host.obey("e6")

            await here.kill()
            await there.kill()
            guest = await there.start("--resume")
            host = await here.start("--resume")
            await host.move("Nc3")
            await guest.obey("Nc3")
            assert host.made() == guest.made() == ["d4", "d5", "c4", "e6", "Nc3"]
            assert [clock["left_ms"] > 0 for clock in host.view["clocks"]] == [True, True]
            await guest.command("Resign", side=1)
            for walk in (host, guest):
                await over(walk)
            await here.stop()
            await there.stop()

    asyncio.run(play())
    assert not list(tmp_path.rglob("*two-tables*")), "the game is over"
