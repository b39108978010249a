# SPDX-License-Identifier: Apache-2.0
"""One game between two tables, by a code, in sealed messages."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from companion import games
from companion.host.codec import decode, encode
from companion.host.journal.setup import GameSetup
from companion.host.online.two_tables.carriers import carrier_for
from companion.host.online.two_tables.code import draw_code, read_code
from companion.host.online.two_tables.kept_game import KeptGame, KeptMoves
from companion.host.online.two_tables.sealing import Sealer
from companion.host.online.two_tables.tables import invite, visit
from companion.host.play.start import PlayOptions
from companion.model.errors import InvalidArgument, OnlineRefused
from companion.model.game import Outcome
from companion.referee.values.commands import OfferDraw, Resign, TakeBack
from companion.referee.values.controls import read_control
from companion.referee.values.view import Phase
from tests.brokers import mosquitto
from tests.host.online.seats import QUICK, Seat, agreed, both, over, seated, until
from tests.host.online.walks import walking
from tests.ports import free_port


def test_a_code_has_eighty_random_bits_and_notices_a_wrong_letter() -> None:
    codes = {draw_code() for _ in range(50)}
    assert len(codes) == len({code.room for code in codes}) == 50
    code = draw_code()
    assert read_code(str(code).lower().replace("0", "o").replace("-", " ")) == code
    letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    for at, letter in enumerate(code.letters):
        wrong = letters[(letters.index(letter) + 7) % 32]
        with pytest.raises(InvalidArgument, match="compare each letter"):
            read_code(code.letters[:at] + wrong + code.letters[at + 1 :])
    assert code.letters.lower().encode() not in code.room.encode()


def ends() -> tuple[Sealer, Sealer]:
    code = draw_code()
    return Sealer(code, b"host", b"guest"), Sealer(code, b"guest", b"host")


def test_messages_are_opened_once_by_the_other_end_only() -> None:
    host, guest = ends()
    greeting = guest.encrypt(b"hello")
    opened = host.decrypt(greeting)
    assert opened is not None
    assert (opened.data, opened.is_greeting) == (b"hello", True)
    answer = host.encrypt(b"welcome", opened.session)
    assert guest.decrypt(answer) is not None
    assert guest.decrypt(answer) is None  # again
    assert host.decrypt(answer) is None  # its own
    move = guest.encrypt(b"e4")
    assert b"e4" not in move
    assert host.decrypt(move[:-1] + bytes([move[-1] ^ 1])) is None
    assert host.decrypt(move) is not None
    assert host.decrypt(move) is None
    assert Sealer(draw_code(), b"host", b"guest").decrypt(guest.encrypt(b"d4")) is None
    restarted = Sealer(host.code, b"host", b"guest")
    assert restarted.decrypt(move) is None  # recorded before the restart


def test_a_side_is_charged_for_what_its_own_table_measured() -> None:
    kept = KeptGame(games.find("chess").rules(), read_control("5+3", 2))
    kept.make(0, 0, "e4", 0, 1_000)
    kept.make(1, 1, "e5", 10_000, 61_000)  # fifty seconds were spent on the way
    assert kept.state(61_000).clocks == (306_000, 296_000)
    assert kept.state(66_000).clocks == (301_000, 296_000)
    kept.make(1, 1, "e5", 10_000, 70_000)  # again
    with pytest.raises(OnlineRefused, match="too late"):
        kept.make(1, 1, "d5", 10_000, 70_000)
    with pytest.raises(OnlineRefused, match="too late"):
        kept.make(1, 2, "Nf3", 0, 70_000)
    with pytest.raises(OnlineRefused, match="not legal"):
        kept.make(0, 2, "Nf4", 0, 70_000)
    kept.take_back(1, 1, 71_000)
    assert kept.state(71_000).take_backs == (1,)
    kept.take_back(0, 0, 72_000)
    assert (kept.moves, kept.turn) == (["e4"], 1)
    kept.offer_draw(1, 73_000)
    kept.decline_draw(0)
    assert kept.outcome is None
    kept.flag(1, 74_000)
    assert kept.state(75_000).outcome == Outcome((0,), "time")


def test_after_a_restart_each_side_is_charged_for_its_whole_thought_once() -> None:
    rules, control = games.find("chess").rules(), read_control("5+3", 2)

    def restart(kept: KeptGame, at_ms: int, now_ms: int) -> KeptGame:
        """The inviting table, of the first side, goes on at *now_ms* of its new clock."""
        saved: KeptMoves = decode(KeptMoves, json.loads(json.dumps(encode(KeptMoves, kept.saved(at_ms)))))
        return KeptGame.restored(rules, control, saved, 0, now_ms)

    kept = KeptGame(rules, control)
    kept.make(0, 0, "e4", 0, 1_000)
    kept = restart(kept, 31_000, 500)  # the second side has thought for 30 s
    assert kept.state(500).clocks == (306_000, 273_000)
    kept.make(1, 1, "e5", 60_000, 40_500)  # its own table has measured on
    assert kept.state(40_500).clocks == (306_000, 246_000)
    kept = restart(kept, 60_500, 100)  # the first side has thought for 20 s
    assert kept.state(100).clocks == (286_000, 246_000)
    kept.make(0, 2, "Nf3", 10_000, 10_100)  # its table measures from the restart
    assert kept.state(10_100).clocks == (279_000, 246_000)
    kept.restart(0, 12_000, 50_000)  # it is not the turn of the first side
    assert kept.state(20_100).clocks == (279_000, 236_000)
    kept.restart(1, 20_100, 50_000)  # the other table has gone after 10 s, and is back
    assert kept.state(50_000).clocks == (279_000, 236_000)
    ended = restart(kept, 50_000, 0)
    assert (ended.moves, ended.turn) == (["e4", "e5", "Nf3"], 1)


@dataclass
class Cut:
    """A connection to *port* that can be cut for as long as one likes."""

    port: int
    far: int
    is_cut: bool = False
    writers: set[asyncio.StreamWriter] = None  # type: ignore[assignment]

    @asynccontextmanager
    async def carried(self) -> AsyncIterator[Cut]:
        self.writers = set()
        tasks: set[asyncio.Task[None]] = set()

        async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while data := await reader.read(65_536):
                writer.write(data)
            writer.close()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if self.is_cut:
                writer.close()
                return
            try:
                there, back = await asyncio.open_connection("127.0.0.1", self.far)
            except OSError:
                writer.close()
                return
            self.writers |= {writer, back}
            tasks.add(asyncio.create_task(carry(there, writer)))
            tasks.add(asyncio.create_task(carry(reader, back)))

        server = await asyncio.start_server(talk, "127.0.0.1", self.port)
        try:
            yield self
        finally:
            server.close()
            self.cut()
            await asyncio.gather(*tasks, return_exceptions=True)

    def cut(self) -> None:
        self.is_cut = True
        for writer in self.writers:
            writer.close()


async def one_ply(seats: tuple[Seat, Seat], ply: int, choice: random.Random) -> None:
    """Let the side to move make any move; wait until both tables have it."""
    seat = seats[seats[0].table.pipeline.session.position.turn != seats[0].joined.side]
    await until(lambda: seat.view.phase is Phase.WAITING and seat.view.decider is None)
    rules, position = seat.table.pipeline.session.rules, seat.table.pipeline.session.position
    seat.play(rules.write_move(position, choice.choice(rules.legal_moves(position))))
    await until(lambda: all(len(each.made()) > ply for each in seats))
    assert seats[0].made() == seats[1].made()


@pytest.mark.parametrize(
    "slug",
    [
        "martian-chess",
        *(
            pytest.param(slug, marks=pytest.mark.long)
            for slug in ("chess", "close-quarters", "fightopia", "gottaz", "tank-chess")
        ),
    ],
)
def test_every_game_is_played_between_two_tables(tmp_path: Path, slug: str) -> None:
    async def play() -> None:
        via = f"ws://127.0.0.1:{free_port()}"
        async with both(tmp_path, slug, via) as seats:
            choice = random.Random(slug)
            for ply in range(6):
                await one_ply(seats, ply, choice)

    asyncio.run(play())


def test_take_backs_draws_and_resigning_go_both_ways(tmp_path: Path) -> None:
    async def play() -> None:
        via = f"ws://127.0.0.1:{free_port()}"
        async with both(tmp_path, "chess", via, clock="15+10") as (host, guest):
            assert host.joined.request.setup.players == guest.joined.request.setup.players == ("Ana", "Bo")
            await until(lambda: host.view.phase is Phase.WAITING and guest.view.phase is Phase.WAITING)
            host.play("e4")
            await until(lambda: guest.made() == ["e4"] and guest.view.phase is Phase.WAITING)
            assert [clock.is_running for clock in guest.view.clocks] == [False, True]
            guest.play("e5")
            await until(lambda: host.made() == ["e4", "e5"])
            guest.table.ask(TakeBack())
            await until(lambda: "asks to take back" in str(host.table.remarks.get("take-back")))
            host.table.ask(TakeBack())
            await until(lambda: host.made() == guest.made() == ["e4"])
            await until(lambda: guest.view.phase is Phase.WAITING)
            guest.play("d5")
            await until(lambda: host.made() == ["e4", "d5"])
            host.table.ask(OfferDraw(0))
            await until(lambda: guest.view.draw_offered_by == 0)
            await until(lambda: host.view.phase is Phase.WAITING)
            guest.table.ask(Resign(1))
            await until(lambda: host.view.outcome == Outcome((0,), "resignation"))

    asyncio.run(play())


def test_a_long_cut_loses_nothing(tmp_path: Path) -> None:
    async def play() -> None:
        port, far = free_port(), free_port()
        vias = (f"ws://127.0.0.1:{far}", f"ws://127.0.0.1:{port}")
        async with Cut(port, far).carried() as line, both(tmp_path, "chess", *vias) as (host, guest):
            await until(lambda: host.view.phase is Phase.WAITING and guest.view.phase is Phase.WAITING)
            host.play("e4")
            await until(lambda: guest.made() == ["e4"] and guest.view.phase is Phase.WAITING)
            line.cut()
            guest.play("e5")
            await until(lambda: "elsewhere" in guest.table.remarks and "elsewhere" in host.table.remarks)
            assert host.made() == ["e4"]
            line.is_cut = False
            await until(lambda: host.made() == ["e4", "e5"])
            await until(lambda: not host.table.remarks and not guest.table.remarks)

    asyncio.run(play())


@pytest.mark.long
def test_two_tables_meet_at_a_broker(tmp_path: Path) -> None:
    async def play() -> None:
        async with mosquitto(tmp_path) as broker:
            via = f"mqtt://127.0.0.1:{broker.port}"
            async with both(tmp_path, "chess", via) as (host, guest):
                await until(lambda: host.view.phase is Phase.WAITING and guest.view.phase is Phase.WAITING)
                host.play("e4")
                await until(lambda: guest.made() == ["e4"] and guest.view.phase is Phase.WAITING)
                broker.kill()
                guest.play("e5")
                await until(lambda: "elsewhere" in guest.table.remarks)
                await broker.start()
                await until(lambda: host.made() == ["e4", "e5"])

    asyncio.run(play())


def test_a_wrong_a_used_and_a_foreign_code_are_refused_with_the_reason(tmp_path: Path) -> None:
    async def play() -> None:
        via = f"ws://127.0.0.1:{free_port()}"
        wished = PlayOptions(GameSetup("chess"), intervals=QUICK, folder=tmp_path / "third")
        async with AsyncExitStack() as stack:
            host, guest, code = await agreed(tmp_path, "chess", via, via)
            for name, joined in (("host", host), ("guest", guest)):
                await stack.enter_async_context(seated(tmp_path, name, joined))
            with pytest.raises(OnlineRefused, match="nobody waits under this code"):
                await visit(wished, draw_code(), via)
            with pytest.raises(OnlineRefused, match="was used by another table"):
                await visit(wished, read_code(code), via)
            nowhere = f"ws://127.0.0.1:{free_port()}"
            with pytest.raises(OnlineRefused, match="nobody answers"):
                await visit(wished, read_code(code), nowhere)
            for refused in ("http://127.0.0.1", "broker"):
                with pytest.raises(InvalidArgument, match="not a way to another table"):
                    await visit(wished, read_code(code), refused)
        with pytest.raises(InvalidArgument, match="minutes, and seconds"):
            await invite(
                replace(wished, setup=GameSetup("chess", control="5+3d")), via, "white", lambda _said: None
            )
        three = PlayOptions(GameSetup("martian-chess", (("players", "3"),)), intervals=QUICK, folder=tmp_path)
        with pytest.raises(InvalidArgument, match="games of two sides"):
            await invite(three, via, "white", lambda _said: None)

    asyncio.run(play())


@pytest.mark.long
@pytest.mark.parametrize("carrier", ["websocket", "broker"])
def test_a_game_is_played_from_two_command_lines_with_an_illegal_move_a_take_back_and_an_unplugged_board(
    tmp_path: Path, carrier: str
) -> None:
    async def play() -> None:
        async with AsyncExitStack() as stack:
            via = f"ws://127.0.0.1:{free_port()}"
            if carrier == "broker":
                broker = await stack.enter_async_context(mosquitto(tmp_path))
                via = f"mqtt://127.0.0.1:{broker.port}"
            await play_via(via)

    async def play_via(via: str) -> None:
        said: list[str] = []
        folders = tmp_path / "host", tmp_path / "guest"
        for folder in folders:
            folder.mkdir()
        async with AsyncExitStack() as stack:
            words = ("--online", "new", "--via", via, "--colour", "white", "--clock", "15+10")
            hosting = asyncio.create_task(stack.enter_async_context(walking(folders[0], *words, lines=said)))
            await until(lambda: any("--online" in line for line in said))
            code = next(line for line in said if "--online" in line).split("--online ")[1].split()[0]
            visit_words = ("--online", code, "--via", via)
            guest = await stack.enter_async_context(walking(folders[1], *visit_words))
            host = await hosting
            host.carry("e2", "e5")
            await host.phase("illegal")
            host.carry("e5", "e2")
            await host.phase("waiting")
            await host.move("d4")
            await guest.obey("d4")
            await host.command("TakeBack")
            host.carry("d4", "d2")
            await guest.until(lambda: any("take back" in said for said in guest.view["notices"]))
            await guest.command("TakeBack")
            guest.carry("d4", "d2")
            await guest.until(lambda: guest.view["phase"] == "waiting" and not guest.made())
            await host.until(lambda: host.view["phase"] == "waiting" and not host.made())
            await host.move("f3")
            guest.panel.cut()
            await guest.obey("f3")
            await guest.move("e5")
            await host.obey("e5")
            await host.move("g4")
            await guest.obey("g4")
            await guest.move("Qh4#")
            await host.obey("Qh4#")
            for walk in (host, guest):
                await over(walk)

    asyncio.run(play())


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "http://127.0.0.1:1", "nonsense"])
def test_tables_in_one_house_use_no_proxy(
    tmp_path: Path, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "socks_proxy"):
        monkeypatch.setenv(name, proxy)

    async def play() -> None:
        via = f"ws://127.0.0.1:{free_port()}"
        host, guest, _ = await agreed(tmp_path, "chess", via, via)
        for joined in (host, guest):
            joined.keeping.release()

    asyncio.run(play())


@pytest.mark.parametrize(
    ("proxy", "why"),
    [
        ("socks5://127.0.0.1:1", "the proxy to wss://table.example cannot be used: "),
        ("nonsense://x", "the proxy to wss://table.example cannot be used: "),
        ("http://127.0.0.1:1", "wss://table.example cannot be reached: "),
    ],
)
def test_a_proxy_that_fails_is_a_sentence(proxy: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("https_proxy", "socks_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("socks_proxy" if proxy.startswith("socks") else "https_proxy", proxy)

    async def reported() -> str:
        said: asyncio.Queue[str] = asyncio.Queue()
        carrier = carrier_for("wss://table.example", "room", invites=False, intervals=QUICK)
        task = asyncio.create_task(carrier.run(lambda _message: None, said.put_nowait))
        try:
            return await asyncio.wait_for(said.get(), 30)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    assert asyncio.run(reported()).startswith(why)
