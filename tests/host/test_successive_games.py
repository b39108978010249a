# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one program, with the games that follow each other in it.
"""Successive games at one table: offers, starts, and what is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from companion.cli.main import main
from companion.games import find, slugs
from companion.host.clock import monotonic
from companion.host.game_info import control_of
from companion.host.journal import journal
from companion.host.journal.setup import GameSetup
from companion.host.play import start
from companion.host.play.absent_player import requested
from companion.host.play.game_factory import TableGameFactory
from companion.host.play.start import PlayOptions
from companion.host.records.database import default_url
from companion.host.records.replay import replay
from companion.host.records.store import Store
from companion.host.table import catalogue
from companion.host.table.table import Table
from companion.host.table.table_game import Again, Begin
from companion.host.web import server, table_page
from companion.link.panel import load_panel
from companion.model.absent import PlayedBy
from companion.model.errors import SettingsError
from companion.model.grid import Grid
from companion.model.occupancy import cells_of
from companion.referee.values.commands import SetLevel
from companion.referee.values.controls import write_control
from companion.referee.values.events import GameBegan
from companion.virtual.panel import VirtualPanel
from tests.host.tables import until
from tests.host.tcp import TcpPanel
from tests.host.web.test_server import line_of
from tests.page_reader import PageReader


def at_table(play_options: PlayOptions, play_on: Callable[[Table], object]) -> Table:
    """Run the table of *play_options* during *play_on*, then close it in order."""
    game_factory = TableGameFactory(play_options, lambda _: None)
    table = Table(
        game_factory.first(
            start.begin(start.new_game_request(play_options), play_options, play_options.language)
        ),
        game_factory,
    )

    async def run() -> None:
        running = asyncio.create_task(table.run())
        try:
            async with asyncio.timeout(60):
                await play_on(table)  # type: ignore[misc]
        finally:
            running.cancel()
            await asyncio.wait({running})
        if not running.cancelled():
            running.result()

    try:
        asyncio.run(run())
    finally:
        game_factory.close(table.current)
    return table


async def started(table: Table, slug: str) -> None:
    """Wait until the pieces of *slug* stand correctly."""
    await until(table, lambda: (table.current.game.slug, table.pipeline.view.phase) == (slug, "waiting"))


def test_another_game_at_the_virtual_table_has_new_pieces_and_its_own_journal(own_folder: Path) -> None:
    async def play_on(table: Table) -> None:
        await started(table, "close-quarters")
        request = Begin(GameSetup("chess", (("announce", "none"),), ("Ann", "Ben"), control="15+10"), "de")
        await table.request_game(request)
        await started(table, "chess")
        picture = table.page_state()
        assert picture["virtual"] is not None
        assert len(picture["virtual"]["pieces"]) == 32
        assert picture["view"]["options"]["announce"] == "none"
        assert table.description()["players"] == ["Ann", "Ben"]
        assert table.pipeline.words.language == "de"
        assert [clock.left_ms for clock in table.pipeline.view.clocks][1] == 910_000

    at_table(PlayOptions(GameSetup("close-quarters")), play_on)
    found = {
        read.header.setup.game: read
        for read in map(journal.read, (own_folder / "companion/journals").iterdir())
    }
    assert {"close-quarters", "chess"} == set(found)
    assert found["chess"].header.setup.players == ("Ann", "Ben")
    assert all(isinstance(read.events[0], GameBegan) for read in found.values())
    assert [replay(read) for read in found.values()] == [None, None]


def test_a_rematch_has_the_same_game_options_and_time_with_the_sides_swapped(own_folder: Path) -> None:
    async def play_on(table: Table) -> None:
        await started(table, "fightopia")
        before = table.current
        before.pipeline.orders["of the hall"] = "no time is kept here"
        await table.request_game(Again())
        await until(table, lambda: table.current is not before)
        await started(table, "fightopia")
        now = table.current
        assert (now.setup.players, now.setup.control) == (("Ben", "Ann"), "3+2")  # who began is second now
        assert table.pipeline.orders == {"of the hall": "no time is kept here"}, (
            "the answer from the previous game must be kept"
        )
        assert table.pipeline.session.rules.options["no_move"] == "pass"

    play_options = PlayOptions(
        GameSetup("fightopia", (("no_move", "pass"),), players=("Ann", "Ben"), control="blitz")
    )
    at_table(play_options, play_on)
    assert len(list((own_folder / "companion/journals").iterdir())) == 2


def test_a_game_begins_with_any_position_and_so_does_the_next(own_folder: Path) -> None:
    position = "4/4/4/4/4/S3/4/P1A1 s 0"

    async def play_on(table: Table) -> None:
        await started(table, "close-quarters")
        before = table.current
        assert (before.pipeline.view.position, before.pipeline.view.occupied.bit_count()) == (position, 3)
        await table.request_game(Again())
        await until(table, lambda: table.current is not before)
        await started(table, "close-quarters")
        assert table.pipeline.view.position == position

    at_table(PlayOptions(GameSetup("close-quarters", position=position)), play_on)
    found = [journal.read(path) for path in (own_folder / "companion/journals").iterdir()]
    assert [read.header.setup.position for read in found] == [position, position]
    assert [replay(read) for read in found] == [None, None]


@pytest.mark.parametrize(
    ("position", "why"), [("4/4 s 0", "4/4 s 0"), ("8/8/8/8/8/5k2/6q1/6K1 w - - 0 1", "the game is over")]
)
def test_a_finished_position_is_refused_as_a_start(
    own_folder: Path, capsys: pytest.CaptureFixture[str], position: str, why: str
) -> None:
    assert main(["play", "chess", "--position", position, "--no-browser"]) == 2
    assert why in capsys.readouterr().err


def test_an_unfinished_game_is_kept_with_the_players_names(own_folder: Path) -> None:
    async def play_on(table: Table) -> None:
        async with (
            server.serving(table, server.listen("127.0.0.1", 0)) as address,
            connect(line_of(address)) as line,
        ):
            await started(table, "close-quarters")
            await line.send('{"is":"Lift","cell":0}')
            await line.send('{"is":"Drop","cell":5}')
            await until(table, lambda: [m.stage for m in table.pipeline.view.record] == ["announced"])
            await line.send('{"is":"Begin","game":"gottaz"}')
            await started(table, "gottaz")

    at_table(PlayOptions(GameSetup("close-quarters", players=("Ann", "Ben"))), play_on)
    with Store.open(default_url()) as store:
        (row,) = store.rows()
        tags = store.game(row.number).record.tags
    assert (tags["Sword"], tags["Weapons"]) == ("Ann", "Ben")


def test_an_impossible_request_is_answered_and_the_game_continues(own_folder: Path) -> None:
    async def play_on(table: Table) -> None:
        async with (
            server.serving(table, server.listen("127.0.0.1", 0)) as address,
            connect(line_of(address)) as line,
        ):
            await started(table, "close-quarters")
            await line.send('{"is":"Begin","game":"chess","control":"soon"}')
            assert "'soon' is not a time" in (await answer(line, "refused"))
            async with connect(line_of(address) + "?language=de") as german:
                await german.send('{"is":"Begin","game":"chess","control":"soon"}')
                assert "keine Zeit" in (await answer(german, "refused"))
            assert table.current.game.slug == "close-quarters"

    at_table(PlayOptions(GameSetup("close-quarters")), play_on)


def test_spectators_see_everything_and_cannot_send_commands(own_folder: Path) -> None:
    async def play_on(table: Table) -> None:
        async with (
            server.serving(table, server.listen("127.0.0.1", 0)) as address,
            connect(line_of(address) + "?watch=true&language=de") as watching,
            connect(line_of(address)) as playing,
        ):
            assert (await answer(watching, "table"))["language"] == "de"
            await watching.send('{"is":"Resign","side":0}')
            await watching.send("ping")
            while await watching.recv() != "pong":
                pass
            await playing.send("ping")
            while await playing.recv() != "pong":
                pass
            assert table.pipeline.view.outcome is None

    at_table(PlayOptions(GameSetup("close-quarters")), play_on)


async def answer(line: ClientConnection, key: str) -> Any:
    """The value of *key* in the next message that has it."""
    reader = PageReader()
    while key not in (message := reader.take(await line.recv())):
        pass
    return message[key]


@pytest.mark.parametrize(
    ("text", "is_understood"),
    [
        ('{"is":"Begin","game":"chess","options":[["announce","none"]]}', True),
        ('{"is":"Begin","game":"close-quarters","options":[["turn_limit","20"]],"language":"ja"}', True),
        ('{"is":"Again"}', True),
        ('{"is":"Begin","game":"ludo"}', False),
        ('{"is":"Begin","game":"chess","position":"8/8/8/4k3/8/4K3/8/8 w - - 0 1"}', True),
        ('{"is":"Begin","game":"chess","position":"' + "8/" * 2000 + '"}', False),
        ('{"is":"Begin","game":"../chess"}', False),
        ('{"is":"Begin","game":"tank-chess","options":[["map","/etc/passwd"]]}', False),
        ('{"is":"Begin","game":"tank-chess","options":[["map","file"]]}', False),
        ('{"is":"Begin","game":"chess","options":[["colour","red"]]}', False),
        ('{"is":"Begin","game":"chess","language":"xx"}', False),
        ('{"is":"Begin","game":"chess","players":["' + "A" * 41 + '"]}', False),
        ('{"is":"Begin","game":"chess","players":["a\\u0007b"]}', False),
        ('{"is":"Begin","game":"chess","played_by":["table","computer"],"levels":[0,8]}', True),
        ('{"is":"Begin","game":"close-quarters","played_by":["computer","computer"],"levels":[1,3]}', True),
        ('{"is":"Begin","game":"close-quarters","played_by":["table","computer"],"levels":[0,4]}', False),
        ('{"is":"Begin","game":"chess","played_by":["table","computer"],"levels":[3,3]}', False),
        ('{"is":"Begin","game":"chess","played_by":["table","computer"],"levels":[0,0]}', False),
        ('{"is":"Begin","game":"chess","played_by":["table","computer"]}', False),
        ('{"is":"Begin","game":"chess","played_by":["table","elsewhere"],"levels":[0,0]}', False),
        ('{"is":"Begin","game":"chess","warned":[1]}', True),
        ('{"is":"Begin","game":"chess","warned":[-1]}', False),
    ],
)
def test_a_browser_may_request_only_offered_games(own_folder: Path, text: str, is_understood: bool) -> None:
    async def play_on(table: Table) -> None:
        assert is_understood == (table_page.understand(text, table) is not None)

    at_table(PlayOptions(GameSetup("close-quarters")), play_on)


def test_a_real_board_is_offered_only_what_fits_its_grid() -> None:
    offered = catalogue.offer("en", lambda grid: grid.slug == "8x8")["games"]
    assert [game["slug"] for game in offered] == ["chess", "fightopia", "martian-chess"]
    (martian,) = (game for game in offered if game["slug"] == "martian-chess")
    (players,) = (option for option in martian["options"] if option["name"] == "players")
    assert (players["default"], [value["value"] for value in players["values"]]) == ("4", ["4"])
    assert len(martian["sides"]) == 4


def test_the_offers_are_computed_once_for_each_language(own_folder: Path) -> None:
    play_options = PlayOptions(GameSetup("chess"))
    game_factory = TableGameFactory(play_options, lambda _: None)
    table_game = game_factory.first(start.begin(start.new_game_request(play_options), play_options, "en"))
    offered = game_factory.offer("en", table_game)
    assert game_factory.offer("en", table_game) is offered
    assert game_factory.offer("de", table_game)["games"][0]["title"] == "Schach"
    assert own_folder
    game_factory.close(table_game)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_offered_game_can_be_started(language: str) -> None:
    def fits(grid: Grid) -> bool:
        return True

    for game in catalogue.offer(language, fits)["games"]:
        for option in game["options"]:
            for value in option["values"]:
                assert value["label"]
                rules = find(game["slug"]).rules({option["name"]: value["value"]})
                assert len(value.get("sides", game["sides"])) == len(rules.sides)


def test_a_game_with_an_option_for_minutes_uses_it_for_the_clock() -> None:
    assert write_control(control_of(find("tank-chess").rules({"clock": "30"}))) == "30"
    assert control_of(find("tank-chess").rules()) is None
    assert write_control(control_of(find("tank-chess").rules({"clock": "30"}), "5+3")) == "5+3"


def test_more_players_than_sides_are_refused(own_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["play", "chess", "--player", "Ann", "--player", "Ben", "--player", "Eve", "--no-browser"]
    assert main(words) == 1
    assert "2 sides here, but 3 players" in capsys.readouterr().err


@pytest.mark.usefixtures("no_closing_pause")
def test_a_real_panel_accepts_another_game_for_which_it_has_room(own_folder: Path) -> None:
    clock = monotonic()
    panel = VirtualPanel(load_panel("8x8"), unique_id=b"testtest", session=1, now_ms=clock())

    async def play_on() -> None:
        async with TcpPanel(panel, clock).serving() as line:
            play_options = PlayOptions(GameSetup("chess"), port=line.url)
            game_factory = TableGameFactory(play_options, lambda _: None)
            started = start.begin(start.new_game_request(play_options), play_options, "en")
            table = Table(game_factory.first(started), game_factory)
            running = asyncio.create_task(table.run())
            try:
                async with asyncio.timeout(60):
                    await until(table, lambda: table.pipeline.status.state == "connected")
                    with pytest.raises(SettingsError, match="needs the 16x16 grid; this table has 8x8"):
                        await table.request_game(Begin(GameSetup("tank-chess")))
                    offered = game_factory.offer("en", table.current)["games"]
                    assert {each["slug"] for each in offered} == {*slugs()} - {"tank-chess"}
                    await table.request_game(Begin(GameSetup("close-quarters")))
                    await until(table, lambda: table.current.game.slug == "close-quarters")
                    await until(table, lambda: table.pipeline.status.state == "connected")
                    await table.request_game(Begin(GameSetup("fightopia")))
                    await until(table, lambda: table.current.game.slug == "fightopia")
                    await until(table, lambda: table.pipeline.status.state == "connected")
                    for cell in cells_of(table.pipeline.view.placement.occupancy):
                        panel.close(cell, clock())
                    await until(table, lambda: table.pipeline.view.phase == "waiting")
            finally:
                running.cancel()
                await asyncio.wait({running})
                game_factory.close(table.current)

    asyncio.run(play_on())


def test_a_rematch_gives_the_computer_the_next_side_and_another_game_has_none(own_folder: Path) -> None:
    by = (PlayedBy.TABLE, PlayedBy.COMPUTER)

    async def play_on(table: Table) -> None:
        await started(table, "chess")
        assert table.pipeline.view.played_by == by
        assert table.current.setup.levels == (0, 2)
        first = table.current
        await table.request_game(Again())
        await until(table, lambda: table.current is not first)
        await until(table, lambda: table.pipeline.view.phase in ("waiting", "carrying_out"))
        assert table.pipeline.view.played_by == by[::-1]
        assert table.current.setup.levels == (2, 0)
        assert table.description()["computers"] == [2, 0]
        await table.request_game(Begin(GameSetup("fightopia")))
        await started(table, "fightopia")
        assert not table.pipeline.view.played_by

    at_table(PlayOptions(GameSetup("chess"), computer=("black",), level="beginner"), play_on)


@pytest.mark.parametrize(
    ("game", "usual"), [("chess", 3), ("fightopia", 2), ("martian-chess", 2), ("close-quarters", 1)]
)
def test_where_no_level_is_named_the_usual_one_of_the_game_is_played(game: str, usual: int) -> None:
    by_command = start.new_game_request(PlayOptions(GameSetup(game), computer=("2",))).setup
    by_journal = GameSetup(game, played_by=by_command.played_by).levelled()
    assert by_command.levels == by_journal.levels == (0, usual)


def test_a_resumed_game_keeps_the_level_of_the_computer_and_the_warnings(own_folder: Path) -> None:
    async def play_on(table: Table) -> None:
        await started(table, "chess")

    at_table(PlayOptions(GameSetup("chess"), computer=("black",), level="expert", warned=("white",)), play_on)
    for warned, sides in (((), (0,)), (("black",), (1,))):
        play_options = PlayOptions(GameSetup("chess"), resume=True, warned=warned)
        game_factory = TableGameFactory(play_options, lambda _: None)
        resumed = game_factory.first(start.resume(play_options))
        assert resumed.setup.levels == (0, 7)
        assert resumed.setup.warned == sides
        game_factory.close(resumed)


def test_the_level_is_changed_during_a_game_and_kept_when_it_is_resumed(own_folder: Path) -> None:
    async def play_on(table: Table) -> None:
        await started(table, "chess")
        first = table.current.journal
        assert table.description()["computers"] == [0, 7]
        for impossible in (SetLevel(9), SetLevel(0), SetLevel(2, 0)):
            table.ask(impossible)
        table.ask(SetLevel(2, 1))
        await until(table, lambda: table.current.setup.levels == (0, 2))
        assert table.description()["computers"] == [0, 2]
        table.ask(SetLevel(4))
        await until(table, lambda: table.current.setup.levels == (0, 4))
        assert table.current.journal is first
        rules, position = table.pipeline.session.rules, table.pipeline.session.position
        table.do(rules.steps(position, rules.read_move(position, "e4")))
        await until(table, lambda: requested(table, PlayedBy.COMPUTER) is not None)
        wanted = requested(table, PlayedBy.COMPUTER)
        assert wanted is not None
        assert wanted.level == 4, "from the next move on"

    at_table(PlayOptions(GameSetup("chess"), computer=("black",), level="expert"), play_on)
    resumed = start.resume(PlayOptions(GameSetup("chess"), resume=True))
    assert resumed.header.setup.levels == (0, 4)
    assert resumed.resumed is not None
    asked = [each.command for each in resumed.resumed.entries if isinstance(each, journal.CommandEntry)]
    assert asked == [SetLevel(2, 1), SetLevel(4)]
    assert replay(resumed.resumed) is None


def _is_other(table: Table, before: journal.JournalWriter) -> bool:
    return table.current.journal is not before


def test_the_warned_player_keeps_the_warnings_on_the_next_side_and_another_game_has_none(
    own_folder: Path,
) -> None:
    async def play_on(table: Table) -> None:
        await started(table, "chess")
        assert table.current.setup.warned == (1,)
        assert table.description()["warned"] == [1]
        for keeps_sides in (False, True):
            journal_before = table.current.journal
            await table.request_game(Again(keeps_sides))
            await until(table, partial(_is_other, table, journal_before))
            assert table.current.setup.warned == (0,)
        with pytest.raises(SettingsError, match="has 2 sides here"):
            await table.request_game(Begin(GameSetup("chess", warned=(2,))))
        await table.request_game(Begin(GameSetup("fightopia")))
        await started(table, "fightopia")
        assert not table.current.setup.warned

    at_table(PlayOptions(GameSetup("chess"), warned=("black",)), play_on)
