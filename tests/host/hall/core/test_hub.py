# SPDX-License-Identifier: Apache-2.0
"""Stations and the hall over a bad network.

Journals arrive complete, orders are executed once, the newest state is shown, and one program
holds an identity.
"""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.feedback.glance import Glance, SmallPiece
from companion.host.hall.core.hub import Hub
from companion.host.hall.core.journal_sync import JournalFolder, Part
from companion.host.hall.core.station_states import SILENT_MS, Hello
from companion.host.hall.core.wire import (
    Done,
    Down,
    Goodbye,
    Order,
    Refused,
    Shown,
    Up,
    Welcome,
    read_down,
    read_up,
    write,
)
from companion.host.hall.stations.station_reporter import GLANCE_MS, HELLO_MS, StationReporter
from companion.host.retry import USUAL
from companion.referee.values.commands import Pause, TakeBack

GLANCE = Glance("chess", "waiting", 0, 1, (SmallPiece("king", 0, (4,)),))


def glance(ply: int) -> Glance:
    return replace(GLANCE, ply=ply)


class Station:
    """A station's program; its journal survives a restart."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.journal = b""
        self.carried_out: list[str] = []
        """Orders in the journal."""
        self.ply = 0
        self.starts = 0
        self.start()

    def start(self) -> None:
        self.starts += 1
        hello = Hello(self.name, f"{self.name}-{self.starts}", self.name.title(), "chess")
        self.reporter = StationReporter(hello, self.read, done=dict.fromkeys(self.carried_out, ""))
        self.play(0)

    def read(self, _journal: str, start: int, end: int) -> bytes:
        return self.journal[start:end]

    def play(self, plies: int) -> None:
        self.ply += plies
        self.journal += b"".join(b'{"ply":%d}\n' % each for each in range(plies))
        self.reporter.grown("game.jsonl", len(self.journal))
        self.reporter.shows(glance(self.ply))

    def do(self, order: Order) -> None:
        self.carried_out.append(order.order)
        self.reporter.carried_out(order.order)


class World:
    """Stations, a hall, and a network between them."""

    def __init__(self, folder: Path, seed: int = 0, *, names: tuple[str, ...] = ("red", "blue")) -> None:
        self.chance = Random(seed)
        self.folder = folder
        self.stations = [Station(name) for name in names]
        self.now_ms = 0
        self.is_calm = True
        self.network: list[str] = []
        self.runs = 0
        self.given: list[tuple[str, Order]] = []
        self.start_hall()

    def start_hall(self) -> None:
        """Open orders are in the arbiter's book and are given again."""
        self.runs += 1
        self.hub = Hub(f"hall-{self.runs}", lambda station: JournalFolder(self.folder / station))
        for station, order in self.given:
            self.hub.order(station, order)

    def order(self, station: str, name: str) -> None:
        self.given.append((station, Order(name, TakeBack(), "Ana")))
        self.hub.order(*self.given[-1])

    def step(self, by_ms: int) -> None:
        self.now_ms += by_ms
        for station in self.stations:
            self.network += map(write, station.reporter.messages(self.now_ms))
        self.network += map(write, self.hub.orders_to_send(self.now_ms))
        for text in self.arriving():
            self.deliver(text)
        for text in self.arriving() if self.is_calm else ():
            self.deliver(text)

    def arriving(self) -> list[str]:
        if self.is_calm:
            arrived, self.network = self.network, []
            return arrived
        self.chance.shuffle(self.network)
        arrived = [text for text in self.network if self.chance.random() < 0.4]
        self.network = [text for text in self.network if self.chance.random() < 0.3]
        return arrived

    def deliver(self, text: str) -> None:
        if '"is":"' in text and any(
            f'"is":"{kind}"' in text for kind in ("Hello", "Shown", "Part", "Done", "Goodbye")
        ):
            self.network += map(write, self.hub.receive(read_up(text), self.now_ms))
            return
        message = read_down(text)
        for station in self.stations:
            if station.name == message.board and (order := station.reporter.receive(message, self.now_ms)):
                station.do(order)

    def settle(self) -> None:
        self.is_calm = True
        for _ in range(40):
            self.step(USUAL.message_ms // 4)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_over_a_bad_network_journals_arrive_complete_and_orders_are_executed_once(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    world = World(tmp_path_factory.mktemp("hall"), seed)
    world.is_calm = False
    for number in range(100):
        station = world.chance.choice(world.stations)
        match world.chance.randrange(10):
            case 0 | 1 | 2:
                station.play(world.chance.randrange(1, 5))
            case 3:
                world.order(station.name, f"order-{number}")
            case 4:
                station.start()
            case 5:
                world.start_hall()
            case 6:
                station.reporter.reconnect()
        world.step(world.chance.choice([1, GLANCE_MS, 500, USUAL.message_ms]))
        for each in world.stations:
            assert len(set(each.carried_out)) == len(each.carried_out)
    world.now_ms += SILENT_MS
    world.settle()
    for station in world.stations:
        copy = world.folder / station.name / "game.jsonl"
        assert (copy.read_bytes() if copy.exists() else b"") == station.journal
        assert sorted(station.carried_out) == sorted(
            o.order for name, o in world.given if name == station.name
        )
        assert world.hub.station_states.known[station.name].glance == glance(station.ply)
    assert not any(world.hub.is_open(name, order.order) for name, order in world.given)


def test_a_second_station_of_the_same_name_is_refused_and_the_first_plays_on(tmp_path: Path) -> None:
    world = World(tmp_path, names=("red",))
    world.step(1)
    rival = Station("red")
    rival.reporter.hello = replace(rival.reporter.hello, instance="rival")
    world.stations.append(rival)
    rival.play(7)
    world.step(HELLO_MS)
    world.step(GLANCE_MS)
    assert "another program is the board red already" in rival.reporter.refusal
    assert {type(up.what) for up in rival.reporter.messages(world.now_ms + HELLO_MS)} == {Hello}
    assert world.stations[0].reporter.refusal == ""
    assert world.hub.station_states.known["red"].glance == glance(0)
    assert not (tmp_path / "red" / "game.jsonl").exists()
    assert [alarm.kind for alarm in world.hub.station_states.alarms(world.now_ms)] == ["claimed"]
    first = world.stations.pop(0)  # loses its connection, and the other one takes over
    world.now_ms += SILENT_MS
    world.settle()
    assert rival.reporter.refusal == ""
    assert (tmp_path / "red" / "game.jsonl").read_bytes() == rival.journal
    assert world.hub.station_states.known["red"].glance == glance(7)
    world.stations.append(first)
    world.step(HELLO_MS)
    assert first.reporter.refusal
    world.stations = [first]
    world.now_ms += SILENT_MS
    world.settle()
    assert world.hub.station_states.known["red"].glance == glance(0), "the first must report its state again"


def test_a_station_is_missing_at_its_goodbye_and_gets_its_orders_when_it_returns(
    tmp_path: Path,
) -> None:
    world = World(tmp_path, names=("red",))
    world.step(1)
    world.hub.receive(world.stations[0].reporter.goodbye(), 2)
    assert [alarm.kind for alarm in world.hub.station_states.alarms(2)] == ["silent"]
    world.order("red", "later")
    assert world.hub.orders_to_send(3) == ()
    world.stations[0].start()
    world.settle()
    assert world.stations[0].carried_out == ["later"]


def test_an_order_that_cannot_be_executed_is_answered_with_the_reason(tmp_path: Path) -> None:
    world = World(tmp_path, names=("red",))
    world.step(1)
    world.order("red", "odd")
    (down,) = world.hub.orders_to_send(2)
    order = world.stations[0].reporter.receive(down, 2)
    assert order is not None
    world.stations[0].reporter.carried_out(order.order, "no game is on")
    (said,) = (up.what for up in world.stations[0].reporter.messages(2) if isinstance(up.what, Done))
    assert said == Done("odd", "no game is on")
    world.settle()
    assert not world.hub.is_open("red", "odd")


def test_a_copy_that_cannot_be_written_is_reported_and_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, names=("red",))
    world.stations[0].play(3)

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        world.settle()
    assert "No space left" in world.hub.fault
    world.settle()
    assert world.hub.fault == ""
    assert (tmp_path / "red" / "game.jsonl").read_bytes() == world.stations[0].journal


def test_the_rate_of_glances_is_limited_and_the_newest_is_sent(tmp_path: Path) -> None:
    world = World(tmp_path, names=("red",))
    world.step(1)
    sent = []
    for ply in range(100):
        world.stations[0].reporter.shows(glance(ply))
        sent += [
            up.what for up in world.stations[0].reporter.messages(10 + ply) if isinstance(up.what, Shown)
        ]
    assert 2 <= len(sent) <= 1 + 100 // GLANCE_MS + 1
    late, newest = sent[0], sent[-1]
    for shown in (newest, late):
        world.hub.receive(Up("red", "red-1", shown), 200)
    assert world.hub.station_states.known["red"].glance == newest.glance


def test_a_glance_is_sent_once_and_again_only_if_it_was_lost(tmp_path: Path) -> None:
    world = World(tmp_path, names=("red",))
    world.settle()
    red = world.stations[0]
    world.step(HELLO_MS)
    assert [type(up.what) for up in red.reporter.messages(world.now_ms + HELLO_MS)] == [Hello]
    red.play(1)
    world.now_ms += HELLO_MS
    lost = red.reporter.messages(world.now_ms)
    assert Shown in map(type, (up.what for up in lost))
    world.settle()
    assert world.hub.station_states.known["red"].glance == glance(1)


def test_on_a_new_connection_a_station_sends_its_hello_and_glance_and_asks_for_the_halls_copies(
    tmp_path: Path,
) -> None:
    world = World(tmp_path, names=("red",))
    red = world.stations[0]
    red.play(1)
    world.settle()
    assert red.reporter.messages(world.now_ms) == ()
    red.reporter.reconnect()
    hello, shown, part = (up.what for up in red.reporter.messages(world.now_ms))
    assert isinstance(hello, Hello)
    assert isinstance(shown, Shown)
    assert shown.glance == glance(1)
    assert part == Part("game.jsonl", 0, 0, "")


def test_another_hall_on_the_same_connection_gets_everything_again_by_its_own_clock(tmp_path: Path) -> None:
    world = World(tmp_path, names=("red",))
    red = world.stations[0]
    red.play(1)
    world.settle()
    asked_ms = world.now_ms
    welcome = Welcome("another", asked_ms - 3000, asked_ms)
    for station, instance in (("blue", "red-1"), ("red", "red-2")):
        red.reporter.receive(Down(station, instance, welcome), asked_ms + 100)
    assert red.reporter.messages(asked_ms) == (), "those answers were for others"
    red.reporter.receive(Down("red", "red-1", welcome), asked_ms + 100)
    hello, shown, part = (up.what for up in red.reporter.messages(asked_ms + HELLO_MS))
    assert isinstance(hello, Hello)
    assert hello.clock_offset_ms == 3050, "the clock of the previous hall must be discarded"
    assert isinstance(shown, Shown)
    assert part == Part("game.jsonl", 0, 0, "")


@pytest.mark.parametrize(
    "message",
    [
        Up("red", "i", Hello("red", "i", "Red", "chess", (("a", "b"),), trouble="moved")),
        Up("red", "i", Shown(1, 2, GLANCE)),
        Up("red", "i", Part("a.jsonl", 3, 4, "žaba\n")),
        Up("red", "i", Done("o", "no")),
        Up("red", "i", Goodbye()),
    ],
    ids=lambda up: type(up.what).__name__,
)
def test_messages_of_stations_are_read_back_unchanged(message: Up) -> None:
    assert read_up(write(message)) == message


@pytest.mark.parametrize(
    "message",
    [
        Down("red", "i", Welcome("h", 1)),
        Down("red", "i", Refused("no")),
        Down("red", "i", Order("o", Pause(), "A")),
    ],
    ids=lambda down: type(down.what).__name__,
)
def test_messages_of_the_hall_are_read_back_unchanged(message: Down) -> None:
    assert read_down(write(message)) == message


NOWHERE = write(Up("red", "i", Shown(1, 2, replace(GLANCE, pieces=(SmallPiece("king", 0, ()),)))))
HALF = write(Up("red", "i", Part("a.jsonl", 3, 4, "Z\n"))).replace("Z", "\\ud800")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "null", "[" * 100_000, '{"version":2}', "x" * (1 << 21), NOWHERE, HALF],
)
def test_invalid_messages_are_refused(text: str) -> None:
    for read in (read_up, read_down):
        with pytest.raises(ValueError, match=r".+"):
            read(text)
