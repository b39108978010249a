# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one exporter, with the servers and files that it writes to.
"""Games for broadcasts, in files and pushed to a site, after the spectators' delay.

A failed push is tried again until it succeeds.
"""

from __future__ import annotations

import asyncio
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from companion.feedback.glance import Glance
from companion.games import find
from companion.host.hall.books import BookKeeper
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.journal_sync import Kept, Part
from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Done, Goodbye, Shown, Up
from companion.host.hall.spectators.broadcast_pgn import Games, Relay, Target, relay, relay_to, shared_out
from companion.host.hall.views import Pages
from companion.host.records.database import connect
from companion.model.game import Outcome
from companion.referee.values.events import Event, GameEnded, MoveMade, PositionAdopted, Stage
from companion.tournament.acts import (
    Act,
    DelaySet,
    Entered,
    Opened,
    ResultDecided,
    RoundDropped,
    RoundPaired,
    TableGiven,
)
from companion.tournament.pairing import next_round, seated
from companion.tournament.values import Format, Player
from tests.host.hall.chess_games import NAME, content
from tests.host.hall.halls import copy_of, until


class World:
    """A hall in which Ana and Ben play chess at the station `red`."""

    def __init__(self, folder: Path, wall: str = "2026-11-21T19:00:00+00:00") -> None:
        self.folder = folder
        self.now_ms = 0
        self.db = connect(f"sqlite:///{folder}/hall.sqlite")
        self.hall = Hall(
            BookKeeper(self.db),
            folder / "copies",
            lambda: self.now_ms,
            lambda: wall,
        )
        self.sent = 0

    async def begin(self, *, delay_s: int = 0, over_game: bool = False) -> None:
        act = self.hall.act
        await act("Ana", Opened("club", "Club evening", Format.SWISS, "chess"))
        for name in ("Ana", "Ben"):
            await act("Ana", Entered("club", Player(0, name, 1800, licence="14512345")))
        await act("Ana", RoundPaired("club", next_round(self.hall.keeper.book.of("club").tournament)))
        await act("Ana", DelaySet("club", delay_s))
        await self.hall.give("Ana", "club", 1, 1, "red", over_game=over_game)
        self.hall.take(Up("red", "i", Hello("red", "i", "Red", "chess")), lambda _down: None)

    def play(self, moves: str, *after: Event) -> None:
        """The station has copied its journal up to *moves* and the events *after*."""
        data = content(self.folder, moves, *after)
        part = Part(NAME, self.sent, zlib.crc32(data[: self.sent]), data[self.sent :].decode())
        self.hall.take(Up("red", "i", part), lambda _down: None)
        self.sent = len(data)

    def play_another(self, name: str, moves: str, order: str = "") -> None:
        """The station has copied another journal, whose game a hall's *order* began."""
        part = Part(name, 0, 0, content(self.folder, moves, order=order).decode())
        self.hall.take(Up("red", "i", part), lambda _down: None)

    def published(self) -> dict[str, str]:
        self.hall.spectators.release(self.hall.clock())
        return Games(self.hall).rounds()


def test_a_round_is_published_as_pgn_with_event_round_and_players(tmp_path: Path) -> None:
    world = World(tmp_path)
    asyncio.run(world.begin())
    assert world.published() == {}
    world.play("e4 e5 Nf3")
    (text,) = world.published().values()
    for line in (
        '[Event "Club evening"]',
        '[Round "1.1"]',
        '[White "Ana"]',
        '[Black "Ben"]',
        '[WhiteElo "1800"]',
        "1. e4 {[%emt 0:00:00]} 1... e5 {[%emt 0:00:01]} 2. Nf3 {[%emt 0:00:01]} *",
    ):
        assert line in text
    assert "14512345" not in text
    (text,) = Games(world.hall, with_ids=True).rounds().values()
    assert '[BlackFideId "14512345"]' in text
    world.db.close()


def test_later_moves_at_the_station_do_not_change_the_published_round(tmp_path: Path) -> None:
    """Players analyse, the next round is drawn at once, and the arbiter decides."""

    async def scenario(world: World) -> None:
        act = world.hall.act
        await world.begin()
        world.play("e4 e5", GameEnded(9, Outcome((0,), "resignation")))
        world.play_another(NAME.replace("20-00", "21-00"), "d4 d5")
        (first,) = world.published().values()
        assert "1... e5 {[%emt 0:00:01]} 1-0" in first
        await act("Ana", ResultDecided("club", 1, 1, (1, 1)))
        await act("Ana", RoundPaired("club", seated(world.hall.keeper.book.of("club").tournament, [(2, 1)])))
        await world.hall.give("Ana", "club", 2, 1, "red")
        world.play_another(NAME.replace("20-00", "21-30"), "f4")
        assert len(world.published()) == 1, "moves before the round belong to no game"
        order = world.hall.keeper.book.of("club").stations[2, 1].order
        world.play_another(NAME.replace("20-00", "22-00"), "c4", order)
        first, second = world.published().values()
        assert "1... e5 {[%emt 0:00:01]} 1/2-1/2" in first
        assert '[Termination "adjudication"]' in first
        assert '[White "Ben"]' in second
        assert "1. c4 {[%emt 0:00:00]} *" in second
        games = Games(world.hall)
        assert games.of_all() == [second]
        assert games.of_all(1) == [first]
        assert games.of_all(3) == []
        assert games.round(world.hall.spectators.tournaments.shown["club"], 1) == first

    world = World(tmp_path)
    asyncio.run(scenario(world))
    world.db.close()


def test_a_game_is_published_from_the_position_that_an_arbiter_accepted(tmp_path: Path) -> None:
    """Otherwise the game would disappear from the broadcast, with all later moves."""
    world = World(tmp_path)
    asyncio.run(world.begin())
    stood = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 2"
    rules = find("chess").rules()
    made = MoveMade(5008, 2, 1, "Nc6", Stage.ANNOUNCED, rules.write_position(rules.initial()))
    world.play("e4 e5", PositionAdopted(8, stood), made)
    (text,) = world.published().values()
    assert f'[FEN "{stood}"]' in text
    assert "2... Nc6 {[%emt 0:00:05]} *" in text
    world.db.close()


def test_an_inconsistent_journal_is_left_out_and_stops_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    asyncio.run(world.begin())
    data = content(tmp_path, "e4 e5").decode().replace("2026-11-21T20:00:00+01:00", "soon")
    world.hall.take(Up("red", "i", Part(NAME, 0, 0, data)), lambda _down: None)
    assert world.published() == {}
    world.db.close()


def test_games_are_published_after_the_spectators_delay(tmp_path: Path) -> None:
    world = World(tmp_path)
    asyncio.run(world.begin(delay_s=900))
    world.now_ms = 1_000_000
    world.play("e4")
    world.now_ms += 600_000
    world.play("e4 e5")
    assert world.published() == {}
    world.now_ms += 300_000
    assert "1. e4 {[%emt 0:00:00]} *" in world.published()["club-round-1.pgn"]
    world.now_ms += 600_000
    assert "1... e5 {[%emt 0:00:01]} *" in world.published()["club-round-1.pgn"]
    world.db.close()


@pytest.mark.parametrize("act", [TableGiven("club", 1, 1, "blue"), RoundDropped("club")])
def test_the_delay_holds_for_moves_after_their_table_has_left_the_station(tmp_path: Path, act: Act) -> None:
    world = World(tmp_path)
    asyncio.run(world.begin(delay_s=900))
    world.hall.take(Up("red", "i", Shown(1, 0, Glance("chess", "waiting", 0, 0, ()))), lambda _down: None)
    asyncio.run(world.hall.act("Ana", act))
    asyncio.run(cup_at_once(world.hall, "red"))
    world.now_ms += 899_999
    world.hall.spectators.release(world.hall.clock())
    assert world.hall.spectators.glances.of("red") is None
    again = World(tmp_path)
    assert again.hall.spectators.delay_ms("red") == 900_000
    world.now_ms += 1
    world.hall.spectators.release(world.hall.clock())
    assert world.hall.spectators.glances.of("red") is not None
    world.db.close()
    again.db.close()


def test_moves_wait_for_the_delay_of_the_tournament_that_the_station_is_assigned_to(
    tmp_path: Path,
) -> None:
    """The game began before the arbiter assigned it.

    Moves whose delay had passed by then stay public.
    """
    world = World(tmp_path)
    hall = world.hall
    say = partial(hall.take, route=lambda _down: None)
    seen = Glance("chess", "waiting", 0, 1, ())
    for station in ("red", "blue"):
        say(Up(station, "i", Hello(station, "i", station, "chess")))
        say(Up(station, "i", Shown(1, 0, seen)))
    world.now_ms = 600_000
    world.play("e4 e5")
    say(Up("red", "i", Shown(2, 0, replace(seen, ply=2))))
    say(Up("blue", "i", Hello("blue", "i", "blue", "chess", clock_offset_ms=500)))
    asyncio.run(world.begin(delay_s=600, over_game=True))
    asyncio.run(hall.give("Ana", "club", 1, 1, "blue", over_game=True))
    assert hall.spectators.glances.shown == {"blue": seen}
    assert not [part for part in Pages(hall).spectators() if part in ("board/red", "board/blue")], (
        "later hellos of the boards must wait, too"
    )
    assert copy_of(hall, "red") is None
    world.now_ms += 599_999
    hall.spectators.release(hall.clock())
    assert hall.spectators.glances.of("red") is None
    world.now_ms += 1
    hall.spectators.release(hall.clock())
    assert hall.spectators.glances.shown == {"red": replace(seen, ply=2), "blue": seen}
    assert {"board/red", "board/blue"} <= Pages(hall).spectators().keys()
    assert copy_of(hall, "red") is not None
    world.db.close()


def test_published_moves_stay_public_when_the_delay_grows_in_mid_round(tmp_path: Path) -> None:
    world = World(tmp_path)
    asyncio.run(world.begin())
    seen = Glance("chess", "waiting", 0, 1, ())
    say = partial(world.hall.take, route=lambda _down: None)
    say(Up("red", "i", Shown(1, 0, seen)))
    asyncio.run(world.hall.act("Ana", DelaySet("club", 60)))
    asyncio.run(world.hall.give("Ana", "club", 1, 1, "red"))
    say(Up("red", "i", Shown(2, 0, replace(seen, ply=2))))
    for now_ms, ply in ((0, 1), (59_999, 1), (60_000, 2)):
        world.now_ms = now_ms
        world.hall.spectators.release(world.hall.clock())
        assert world.hall.spectators.glances.shown == {"red": replace(seen, ply=ply)}
    world.db.close()


async def cup_at_once(hall: Hall, station: str) -> None:
    """Another tournament, without a delay, then plays at *station*."""
    await hall.act("Ana", Opened("cup", "Cup", Format.KNOCKOUT, "chess"))
    for name in ("Cleo", "Dan"):
        await hall.act("Ana", Entered("cup", Player(0, name)))
    await hall.act("Ana", RoundPaired("cup", next_round(hall.keeper.book.of("cup").tournament)))
    await hall.give("Ana", "cup", 1, 1, station)


def test_a_restarted_hall_publishes_the_games_that_it_has(tmp_path: Path) -> None:
    world = World(tmp_path)
    asyncio.run(world.begin())
    world.play("e4 e5")
    before = world.published()
    world.db.close()
    again = World(tmp_path)
    say = partial(again.hall.take, route=lambda _down: None)
    say(Up("red", "i", Hello("red", "i", "Red", "chess")))
    assert again.published() == {}
    older = NAME.replace("20-00", "19-00")
    for what in (
        Part(NAME, 0, 0, ""),
        Part(older, 0, 0, content(tmp_path, "d4").decode()),
        Part(older, 0, 0, ""),
    ):
        say(Up("red", "i", what))
    assert again.published() == before
    again.db.close()


def test_the_delay_of_journals_continues_after_a_restart_of_the_hall(tmp_path: Path) -> None:
    world = World(tmp_path)
    asyncio.run(world.begin(delay_s=900))
    world.db.close()
    again = World(tmp_path, "2026-11-21T19:10:00+00:00")
    for now_ms, shown in ((0, []), (299_999, []), (300_000, ["club"])):
        again.now_ms = now_ms
        again.hall.spectators.release(again.hall.clock())
        assert list(again.hall.spectators.tournaments.shown) == shown
    again.db.close()


def test_without_a_delay_moves_are_published_at_once(tmp_path: Path) -> None:
    world = World(tmp_path)
    asyncio.run(world.begin())
    shown = Shown(1, 0, Glance("chess", "waiting", 0, 0, ()))
    world.hall.take(Up("red", "i", shown), lambda _down: None)
    assert world.hall.spectators.glances.of("red") == shown.glance
    world.db.close()


def test_a_second_program_cannot_change_the_games_of_a_station(tmp_path: Path) -> None:
    world = World(tmp_path)
    asyncio.run(world.begin())
    world.play("e4")
    before = world.published()
    data = content(tmp_path, "d4 d5")
    for what in (
        Part("2026-11-21_21-00-00_chess.jsonl", 0, 0, data.decode()),
        Kept("2026-11-21_21-00-00_chess.jsonl", 10),
        Shown(99, 0, Glance("chess", "finished", 0, 0, ())),
        Done("order"),
        Goodbye(),
    ):
        world.hall.take(Up("red", "impostor", what), lambda _down: None)
    assert world.published() == before
    assert [path.name for path in (tmp_path / "copies" / "red").iterdir()] == [NAME]
    assert world.hall.spectators.glances.of("red") is None
    assert not world.hall.answered
    assert not world.hall.unsettled
    assert not world.hall.hub.station_states.known["red"].is_gone
    world.db.close()


def test_only_a_local_station_may_name_a_file_to_be_read(tmp_path: Path) -> None:
    world = World(tmp_path)
    asyncio.run(world.begin())
    world.hall.take(Up("red", "i", Kept("../../secret.jsonl", 10)), lambda _down: None)
    assert copy_of(world.hall, "red") is None
    world.db.close()


@dataclass
class Site:
    """A site that shows games; the first pushes fail."""

    url: str
    got: list[tuple[str, str]] = field(default_factory=list)
    """Authorization and text of each push."""
    answers: list[int] = field(default_factory=lambda: [503, 302])
    """The statuses of the first answers; 302 redirects."""


@contextmanager
def site() -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["content-length"])).decode()
            self.send_response(receiver.answers.pop(0) if receiver.answers else 200)
            self.send_header("Location", "/elsewhere")
            self.end_headers()
            receiver.got.append((self.headers["authorization"], text))

        def do_GET(self) -> None:
            receiver.got.append((self.headers["authorization"], "sent elsewhere"))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver = Site(f"http://127.0.0.1:{server.server_port}/push")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_games_are_written_and_pushed_again_until_the_site_accepts_them(tmp_path: Path) -> None:
    async def scenario(shown: Site) -> None:
        world = World(tmp_path)
        await world.begin()
        world.play("e4 e5")
        world.published()
        relaying = asyncio.create_task(
            relay(world.hall, Relay(tmp_path / "pgn", (Target(shown.url),), "sesame"))
        )
        faults = world.hall.faults
        await until(lambda: bool(faults.get("games pushed")), "the failed push is reported")
        assert (
            f"{shown.url} cannot be handed on, and is tried again: HTTP Error 503"
            in faults["games pushed"][0]
        )
        await until(lambda: "HTTP Error 302" in "".join(faults["games pushed"]), "the second attempt")
        await until(lambda: not faults["games pushed"], "the third attempt")
        relaying.cancel()
        await asyncio.gather(relaying, return_exceptions=True)
        world.db.close()

    with site() as shown:
        asyncio.run(scenario(shown))
    assert [text.splitlines()[0] for _, text in shown.got] == ['[Event "Club evening"]'] * 3
    assert {word for word, _ in shown.got} == {"Bearer sesame"}
    assert [path.name for path in (tmp_path / "pgn").iterdir()] == ["club-round-1.pgn"]
    assert (tmp_path / "pgn" / "club-round-1.pgn").read_text() == shown.got[-1][1]


def numbered(counts: dict[int, int]) -> Callable[[int], list[str]]:
    """Games with their round and table, as many as *counts* says of each round."""
    return lambda number: [f"game {number}.{table}" for table in range(1, counts[number] + 1)]


def test_the_games_of_two_hundred_stations_fill_one_broadcast_after_another() -> None:
    made = relay_to(
        None, [*(f"https://site.example/{name}" for name in "abcd"), "2=https://site.example/two"]
    )
    assert made is not None
    texts, faults = shared_out(numbered({0: 200, 2: 64}), made.targets)
    shown = {url[-3:]: text.splitlines() for url, text in texts.items()}
    assert {url: (lines[0], lines[-1], len(lines)) for url, lines in shown.items()} == {
        "e/a": ("game 0.1", "game 0.64", 64),
        "e/b": ("game 0.65", "game 0.128", 64),
        "e/c": ("game 0.129", "game 0.192", 64),
        "e/d": ("game 0.193", "game 0.200", 8),
        "two": ("game 2.1", "game 2.64", 64),
    }
    assert faults == []
    texts, faults = shared_out(numbered({0: 65}), made.targets[:1])
    assert len(next(iter(texts.values())).splitlines()) == 64
    assert faults == ["only 64 of 65 games are broadcast: name another URL with --push"]
