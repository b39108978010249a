# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one server, from the search for a game to its end.
"""Play on lichess from the table, against a server written from its public description."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from subprocess import PIPE

import pytest

from companion import games
from companion.cli.main import main
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.journal import journal
from companion.host.journal.journal import JournalWriter
from companion.host.online import tokens
from companion.host.online.lichess import LichessTable, find_game
from companion.host.online.lichess_account import check_token
from companion.host.online.lichess_states import LichessGame
from companion.host.online.lichess_wish import Wish
from companion.host.play.new_table import make_table
from companion.host.records.replay import replay, session_of
from companion.host.retry import Intervals
from companion.host.table.table import Table
from companion.model.errors import InvalidArgument, OnlineRefused, OnlineUnreachable, SettingsError
from companion.model.game import Outcome
from companion.referee.values.commands import DeclineDraw, OfferDraw, Resign, TakeBack
from companion.referee.values.events import Stage
from companion.referee.values.view import Phase, TableView
from tests.host.online.fake_lichess import TOKEN, FakeGame, FakeLichess, lichess
from tests.host.online.walks import PATIENCE_S, walking
from tests.host.tables import HEADER
from tests.programs import Program

QUICK = Intervals(retry_s=0.02, rate_limit_s=0.3, server_silence_s=5)


@dataclass
class Seat:
    """A virtual table that plays a game of the server."""

    table: Table
    lichess: FakeLichess
    game: FakeGame
    told: list[str] = field(default_factory=list)

    @property
    def view(self) -> TableView:
        return self.table.pipeline.view

    def made(self) -> list[str]:
        return [line.move for line in self.view.record if line.stage is not Stage.PROVISIONAL]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until *holds*, examined after each change and every few ms."""
        async with asyncio.timeout(PATIENCE_S):
            with self.table.watch() as has_changed:
                while not holds():
                    waiting = asyncio.create_task(has_changed.wait())
                    await asyncio.wait({waiting}, timeout=0.02)
                    waiting.cancel()
                    has_changed.clear()

    async def move(self, text: str) -> None:
        """Make a move with the virtual hands; wait until the server has it."""
        await self.until(lambda: self.view.phase is Phase.WAITING)
        rules, position = self.table.pipeline.session.rules, self.table.pipeline.session.position
        plies = len(self.game.board.move_stack)
        self.table.do(tuple(rules.steps(position, rules.read_move(position, text))))
        await self.until(lambda: len(self.game.board.move_stack) > plies)

    async def reply(self, code: str) -> None:
        """Let the opponent move; wait until the hands have carried that out."""
        plies = len(self.made())
        self.game.make(code)
        await self.until(lambda: len(self.made()) > plies)


@asynccontextmanager
async def seated(tmp_path: Path, game: FakeGame | None = None) -> AsyncIterator[Seat]:
    """A virtual table with a game of the fake server."""
    async with lichess() as fake:
        on = fake.begin(game or FakeGame("game0001"))
        joined = await find_game(fake.url, TOKEN, Wish(clock="15+10"), "", lambda _said: None, QUICK)
        async with playing(tmp_path, joined) as (table, told):
            yield Seat(table, fake, on, told)


@asynccontextmanager
async def playing(tmp_path: Path, joined: LichessTable) -> AsyncIterator[tuple[Table, list[str]]]:
    """A table at which *joined* is played, and what it tells people."""
    setup = joined.request.setup
    found = games.find("chess")
    rules = found.rules()
    header = replace(
        HEADER,
        setup=replace(setup, options=tuple(rules.options.items())),
    )
    told: list[str] = []
    with JournalWriter.create(tmp_path / "game.jsonl", header) as writer:
        session, words = session_of(header, rules), load("en", "chess", rules.sides)
        table = make_table(None, found, session, words, writer, monotonic())
        running = asyncio.create_task(table.run())
        following = asyncio.create_task(joined.play(table, told.append))
        try:
            yield table, told
            assert not following.done()
        finally:
            for task in (following, running):
                task.cancel()
            await asyncio.gather(following, running, return_exceptions=True)


def test_moves_go_both_ways_with_the_servers_clocks(tmp_path: Path) -> None:
    async def play() -> None:
        async with seated(tmp_path) as at:
            await at.move("e4")
            await at.reply("e7e5")
            await at.until(lambda: [clock.left_ms for clock in at.view.clocks] == [893_000, 893_000])
            assert [clock.is_running for clock in at.view.clocks] == [True, False]
            at.game.say({"type": "chatLine", "room": "player", "username": "Bo", "text": "Hello"})
            at.game.say({"type": "chatLine", "room": "spectator", "username": "Kib", "text": "Nf3!"})
            await at.until(lambda: at.told == ["Bo: Hello"])
            shown = at.table.page_state()["view"]
            assert "Bo: Hello" in shown["notices"]
            assert "Bo: Hello" in [said["text"] for said in shown["spoken"]]
            at.game.end("resign", "white")
            await at.until(lambda: at.view.outcome == Outcome((0,), "resignation"))
        assert at.game.sent == ["move/e2e4"]

    asyncio.run(play())
    assert replay(journal.read(tmp_path / "game.jsonl")) is None


@pytest.mark.parametrize("proxy", ["socks://127.0.0.1:9", "ftp://127.0.0.1:9", "http://[::x"])
def test_a_proxy_that_cannot_be_used_is_named(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", proxy)
    with pytest.raises(
        SettingsError, match="the proxy in all_proxy, http_proxy or https_proxy cannot be used"
    ):
        check_token("https://lichess.example", "token")


def test_a_login_that_cannot_be_made_speaks_of_no_game() -> None:
    with pytest.raises(OnlineUnreachable, match=r"127\.0\.0\.1:1 cannot be reached: ") as why:
        check_token("http://127.0.0.1:1", "token")
    assert "game" not in why.value.message


def test_an_opponent_who_makes_a_move_is_there_again(tmp_path: Path) -> None:
    async def play() -> None:
        async with seated(tmp_path) as at:
            await at.move("e4")
            at.game.say({"type": "opponentGone", "gone": True, "claimWinInSeconds": 8})
            await at.until(lambda: "gone" in at.table.remarks)
            await at.reply("e7e5")
            assert "gone" not in at.table.remarks

    asyncio.run(play())


def test_cut_streams_too_many_requests_and_lines_that_are_late_or_doubled_lose_nothing(
    tmp_path: Path,
) -> None:
    async def play() -> None:
        async with seated(tmp_path) as at:
            await at.move("e4")
            late = json.dumps(at.game.state()) + "\n"
            await at.reply("e7e5")
            at.game.say(at.game.state())
            at.game.say(late)
            await at.move("Nf3")
            assert at.made() == ["e4", "e5", "Nf3"]
            at.lichess.too_many = 1
            at.game.cut()
            at.game.make("b8c6")
            await at.until(lambda: any("too much" in said for said in at.told))
            await at.until(lambda: at.made()[-1:] == ["Nc6"])
            assert at.table.remarks == {}
            at.lichess.too_many = 1
            await at.move("Bb5")
            assert at.game.sent.count("move/f1b5") == 1

    asyncio.run(play())


def test_draws_are_offered_declined_and_agreed_from_both_sides(tmp_path: Path) -> None:
    async def play() -> None:
        async with seated(tmp_path) as at:
            await at.move("e4")
            await at.reply("e7e5")
            at.table.ask(OfferDraw(0))
            await at.until(lambda: at.game.draws == {"w"})
            await at.until(lambda: at.view.draw_offered_by == 0)
            at.game.draws.clear()
            at.game.say()
            await at.until(lambda: at.view.draw_declined_by == 1)
            await at.move("Nf3")
            at.game.draws.add("b")
            at.game.say()
            await at.until(lambda: at.view.draw_offered_by == 1)
            at.table.ask(DeclineDraw(0))
            await at.until(lambda: "draw/no" in at.game.sent)
            await at.reply("b8c6")
            at.game.draws.add("b")
            at.game.say()
            await at.until(lambda: at.view.draw_offered_by == 1)
            at.table.ask(OfferDraw(0))
            await at.until(lambda: at.game.status == "draw")
            assert at.view.outcome == Outcome((), "agreement")

    asyncio.run(play())


def test_take_backs_are_proposed_declined_and_agreed(tmp_path: Path) -> None:
    async def play() -> None:
        async with seated(tmp_path) as at:
            await at.move("e4")
            await at.reply("e7e5")
            at.table.ask(TakeBack(2))
            await at.until(lambda: at.game.take_backs == {"w"} and at.made() == [])
            at.game.take_backs.clear()
            at.game.say()
            await at.until(lambda: at.made() == ["e4", "e5"])
            await at.until(lambda: at.view.phase is Phase.WAITING)
            at.table.ask(TakeBack(2))
            await at.until(lambda: at.game.take_backs == {"w"} and at.made() == [])
            at.game.take_back(2)
            await at.move("d4")
            await at.until(lambda: at.made() == ["d4"])
            at.game.take_backs.add("b")
            at.game.say()
            await at.until(lambda: any("asks to take back" in said for said in at.told))
            await at.reply("d7d5")
            assert at.made() == ["d4", "d5"]

    asyncio.run(play())


@pytest.mark.parametrize(
    ("status", "winner", "outcome"),
    [
        ("outoftime", "black", Outcome((1,), "time")),
        pytest.param("outoftime", None, Outcome((), "time-without-mate"), marks=pytest.mark.long),
        pytest.param("timeout", "white", Outcome((0,), "abandonment"), marks=pytest.mark.long),
        pytest.param("cheat", "white", Outcome((0,), "unknown"), marks=pytest.mark.long),
    ],
)
def test_the_server_decides_how_a_game_ends(
    tmp_path: Path, status: str, winner: str | None, outcome: Outcome
) -> None:
    async def play() -> None:
        async with seated(tmp_path) as at:
            await at.until(lambda: at.view.phase is Phase.WAITING)
            at.game.end(status, winner)
            await at.until(lambda: at.view.outcome == outcome)

    asyncio.run(play())


@pytest.mark.long
def test_a_game_that_is_aborted_has_no_result(tmp_path: Path) -> None:
    async def play() -> None:
        async with seated(tmp_path) as at:
            await at.until(lambda: at.view.phase is Phase.WAITING)
            at.game.end("aborted")
            await at.until(lambda: at.view.is_adjourned)
            assert at.view.outcome is None
            assert any("without a result" in said for said in at.told)

    asyncio.run(play())


def test_resigning_at_the_table_resigns_there(tmp_path: Path) -> None:
    async def play() -> None:
        async with seated(tmp_path, FakeGame("game0002", colour="black")) as at:
            await at.reply("e2e4")
            await at.move("e5")
            at.table.ask(Resign(1))
            await at.until(lambda: at.game.status == "resign")
            assert at.game.winner == "white"

    asyncio.run(play())


@pytest.mark.long
def test_a_game_that_is_on_goes_on_from_its_position(tmp_path: Path) -> None:
    game = FakeGame("game0003")
    for code in ("e2e4", "e7e5", "g1f3"):
        game.make(code)

    async def play() -> None:
        async with seated(tmp_path, game) as at:
            await at.reply("b8c6")
            await at.move("Bb5")
            assert at.made() == ["Nc6", "Bb5"]

    asyncio.run(play())


def test_anyone_a_player_and_the_computer_are_asked_in_their_own_ways() -> None:
    async def ask() -> None:
        async with lichess() as fake:
            said: list[str] = []

            def finding(wish: Wish) -> asyncio.Task[LichessTable]:
                return asyncio.create_task(find_game(fake.url, TOKEN, wish, "", said.append, QUICK))

            seeking = finding(Wish(clock="15+10", is_rated=True))
            await fake.has_seek.wait()
            fake.begin(FakeGame("seek0001", colour="black"))
            found = await seeking
            assert (found.start.number, found.start.side) == ("seek0001", 1)
            assert found.request.setup.players == ("FM Bo", "Ana")
            fake.games.clear()
            assert (await finding(Wish("computer:5", "5+3"))).start.number == "ai000001"
            fake.games.clear()
            assert (await finding(Wish("Bo", days=3))).start.number == "chal0001"
            fake.games.clear()
            fake.declines = True
            with pytest.raises(OnlineRefused, match="Bo has declined"):
                await finding(Wish("Bo", "10"))
            with pytest.raises(OnlineRefused, match="does not accept the token"):
                await find_game(fake.url, "lip_old", Wish("Bo", "10"), "", said.append, QUICK)
            assert fake.seeks == [
                {"rated": "true", "variant": "standard", "color": "random", "time": "15", "increment": "10"},
                {
                    "variant": "standard",
                    "color": "random",
                    "level": "5",
                    "clock.limit": "300",
                    "clock.increment": "3",
                },
                {
                    "rated": "false",
                    "variant": "standard",
                    "color": "random",
                    "days": "3",
                    "keepAliveStream": "true",
                },
                {
                    "rated": "false",
                    "variant": "standard",
                    "color": "random",
                    "clock.limit": "600",
                    "clock.increment": "0",
                    "keepAliveStream": "true",
                },
            ]

    asyncio.run(ask())


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        (Wish(clock="3+2"), "8 minutes or more"),
        (Wish("Bo", "2+1"), "3 minutes or more"),
        (Wish("Bo", "fast"), "not a time control"),
        (Wish("Bo", "90/40+30:30+30"), "the same for both"),
        (Wish("Bo", "200"), "180 minutes"),
        (Wish(clock="10.5"), "whole minutes"),
        (Wish(), "needs a clock, or days"),
        (Wish(days=4), "not 4"),
        (Wish(clock="15+10", days=3), "not both"),
        (Wish("computer:9", "15"), "levels 1 to 8"),
    ],
)
def test_what_the_board_api_refuses_is_said_before(wish: Wish, reason: str) -> None:
    with pytest.raises((InvalidArgument, ValueError), match=reason):
        wish.form()


def test_a_clock_is_written_as_lichess_writes_it() -> None:
    assert Wish("Bo", "10+0").form()["clock.limit"] == "600"
    assert Wish(clock="15+10").form()["time"] == "15"


def test_moves_disappear_only_after_a_proposal_or_on_a_fresh_stream() -> None:
    game = LichessGame()
    state = {"type": "gameState", "moves": "e2e4 e7e5", "status": "started"}
    first = game.take_full({"state": state})
    assert first is not None
    assert first.moves == ("e4", "e5")
    assert game.take({**state, "moves": "e2e4"}) is None
    assert game.take({**state, "btakeback": True}) is not None
    shorter = game.take({**state, "moves": "e2e4"})
    assert shorter is not None
    assert shorter.moves == ("e4",)
    castled = game.take({**state, "moves": "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1h1"})
    assert castled is not None
    assert castled.moves[-1] == "O-O"
    with pytest.raises(OnlineRefused, match="not legal"):
        game.take({**state, "moves": "e2e5"})


def test_a_token_is_asked_for_checked_and_kept_for_this_user_only(
    own_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = {**os.environ, "XDG_DATA_HOME": str(own_folder), "COLUMNS": "200"}
    printed: list[str] = []

    def talk(url: str, *words: str, typed: str = "") -> int:
        with Program(
            "companion", ["online", *words, url], stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
        ) as program:
            assert program.stdin is not None
            program.stdin.write(typed)
            out, err = program.communicate()
            printed.append(out + err)
        assert program.returncode is not None
        return program.returncode

    async def log_in() -> None:
        async with lichess() as fake:
            assert await asyncio.to_thread(talk, fake.url, "login", typed="lip_wrong\n") == 1
            assert "does not accept the token" in printed[-1]
            assert not tokens.file().exists()
            assert await asyncio.to_thread(talk, fake.url, "login", typed=f"{TOKEN}\n") == 0
            assert f"Ana plays on {fake.url}" in printed[-1]
            assert TOKEN not in printed[-1]
            assert stat.S_IMODE(tokens.file().stat().st_mode) == 0o600
            assert tokens.token_of(fake.url) == TOKEN
            assert await asyncio.to_thread(talk, fake.url, "logout") == 0
            assert "DELETE /api/token" in fake.asked
            with pytest.raises(OnlineRefused, match="companion online login"):
                tokens.token_of(fake.url)

    asyncio.run(log_in())
    assert main(["online", "login", "http://lichess.example"]) == 2
    assert "begins with https://" in capsys.readouterr().err


@pytest.mark.long
def test_a_game_is_played_from_the_command_line_with_an_illegal_move_a_take_back_and_cut_lines(
    own_folder: Path,
) -> None:

    async def play() -> None:
        async with lichess() as fake:
            tokens.keep(fake.url, TOKEN)
            words = ("--online", fake.url, "--against", "computer:3", "--clock", "15+10")
            async with walking(own_folder, *words) as walk:
                game = fake.games["ai000001"]
                assert not walk.view["gives_hints"]
                walk.carry("e2", "e5")
                await walk.phase("illegal")
                walk.carry("e5", "e2")
                await walk.phase("waiting")
                await walk.move("d4")
                await walk.until(lambda: game.sent == ["move/d2d4"])
                await walk.command("TakeBack")
                walk.carry("d4", "d2")
                await walk.until(lambda: game.take_backs == {"w"})
                game.take_back(1)
                await walk.phase("waiting")
                await walk.move("f3")
                await walk.until(lambda: "move/f2f3" in game.sent)
                walk.panel.cut()
                game.cut()
                game.make("e7e5")
                await walk.obey("e5")
                await walk.move("g4")
                await walk.until(lambda: "move/g2g4" in game.sent)
                game.make("d8h4")
                await walk.obey("Qh4#")
                await walk.until(lambda: walk.view["outcome"] is not None)
                assert [move for move in game.sent if move.startswith("move")] == [
                    "move/d2d4",
                    "move/f2f3",
                    "move/g2g4",
                ]

    asyncio.run(play())
