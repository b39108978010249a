# SPDX-License-Identifier: Apache-2.0
"""Journals are copied exactly despite loss, delay, repetition and restarts."""

import zlib
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.host.hall.core.journal_sync import (
    AT_ONCE,
    MOST_BYTES,
    MOST_NAMED,
    Have,
    JournalFolder,
    JournalSender,
    Lacking,
    Part,
    take,
)
from companion.host.retry import USUAL
from companion.model.errors import JournalError


class World:
    """A table with its journals, a hall, and messages in transit between them."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = Random(seed)
        self.folder = folder
        self.journals: dict[str, bytes] = {}
        self.now_ms = 0
        self.giver = JournalSender(self.read)
        self.hall = JournalFolder(folder)
        self.up: list[Part] = []
        self.down: list[Have] = []
        self.is_calm = False

    def read(self, journal: str, start: int, end: int) -> bytes:
        return self.journals[journal][start:end]

    def write(self, journal: str, lines: int) -> None:
        more = "".join(f"{self.chance.randrange(10**9)} žaba 蛙\n" for _ in range(lines))
        self.journals[journal] = self.journals.get(journal, b"") + more.encode()
        self.giver.grown(journal, len(self.journals[journal]))

    def restart_table(self) -> None:
        self.giver = JournalSender(self.read)
        for journal, content in self.journals.items():
            tell = self.chance.choice([self.giver.grown, self.giver.ended])
            tell(journal, len(content))

    def kill_hall(self) -> None:
        """Kill the hall while it writes: the end of a line is missing."""
        for path in self.folder.glob("*"):
            content = path.read_bytes()
            path.write_bytes(content + self.journals[path.name][len(content) : len(content) + 7])
        self.hall = JournalFolder(self.folder)

    def step(self) -> None:
        self.now_ms += (
            USUAL.message_ms // 10 if self.is_calm else self.chance.choice([0, 1, 300, USUAL.message_ms])
        )
        self.up += self.giver.parts_to_send(self.now_ms)
        for part in self.delivered(self.up):
            self.down.append(take(self.hall, part))
        for have in self.delivered(self.down):
            self.giver.acknowledge(have)

    def delivered(self, queue: list) -> list:  # type: ignore[type-arg]
        """The messages of *queue* that arrive now; some are late, doubled or lost."""
        if self.is_calm:
            arrived, queue[:] = list(queue), []
            return arrived
        self.chance.shuffle(queue)
        arrived = []
        for message in list(queue):
            fate = self.chance.random()
            if fate < 0.7:
                queue.remove(message)
            if fate < 0.4 or fate > 0.85:
                arrived.append(message)
        return arrived

    def copies(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.glob("*")}


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_a_copy_is_always_the_beginning_of_its_journal_and_finally_complete(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    world = World(tmp_path_factory.mktemp("hall"), seed)
    for _ in range(80):
        match world.chance.randrange(12):
            case 0 | 1 | 2:
                world.write(world.chance.choice("ab"), world.chance.randrange(1, 40))
            case 3:
                world.restart_table()
            case 4:
                world.kill_hall()
                world.giver.reconnect(is_new_hall=True)
            case 5:
                world.giver.reconnect(is_new_hall=False)
        world.step()
        for name, copy in world.copies().items():
            assert world.journals[name].startswith(copy.rpartition(b"\n")[0])
    world.is_calm = True
    for _ in range(200):
        world.step()
    assert world.giver.next_deadline_ms() is None
    assert world.giver.owed == 0
    assert world.giver.lacking == ()
    assert world.copies() == world.journals


def quiet(folder: Path) -> World:
    world = World(folder, 0)
    world.is_calm = True
    return world


def test_a_long_journal_is_sent_in_parts_of_whole_lines(tmp_path: Path) -> None:
    world = quiet(tmp_path)
    world.write("a", 5000)
    world.giver.acknowledge(Have("a", 0))
    (part,) = world.giver.parts_to_send(0)
    assert part.text.endswith("\n")
    assert MOST_BYTES // 2 < len(part.text.encode()) <= MOST_BYTES
    assert world.giver.parts_to_send(1) == ()
    assert world.giver.next_deadline_ms() == USUAL.message_ms


def test_a_line_longer_than_a_part_is_sent_in_one_piece(tmp_path: Path) -> None:
    world = quiet(tmp_path)
    world.journals["a"] = b"x" * (3 * MOST_BYTES) + b"\nshort\n"
    world.giver.grown("a", len(world.journals["a"]))
    for _ in range(5):
        world.step()
    assert world.copies() == world.journals


def test_a_journal_that_differs_from_the_halls_copy_is_left_unchanged_on_both_sides(tmp_path: Path) -> None:
    world = quiet(tmp_path)
    world.write("a", 3)
    other = b"another game\n"
    JournalFolder(tmp_path).append("a", other)
    for _ in range(5):
        world.step()
    assert world.giver.foreign == ("a",)
    assert world.giver.parts_to_send(10 * USUAL.message_ms) == ()
    assert world.copies() == {"a": other}


def test_a_copy_that_differs_is_found_even_if_nothing_is_left_to_send(tmp_path: Path) -> None:
    world = quiet(tmp_path)
    world.journals["a"] = b"one game\n"
    JournalFolder(tmp_path).append("a", b"two game\n")
    world.giver.ended("a", 9)
    world.step()
    assert world.giver.lacking == (Lacking("a", 9, zlib.crc32(b"one game\n"), is_foreign=True),)
    assert world.giver.next_deadline_ms() is None


def earlier_games(folder: Path, count: int) -> World:
    world = quiet(folder)
    for number in range(count):
        world.journals[f"{number:02}"] = b"a game\n"
        world.giver.ended(f"{number:02}", 7)
    return world


def test_a_few_earlier_games_are_sent_at_a_time_and_the_current_one_never_waits(
    tmp_path: Path,
) -> None:
    world = earlier_games(tmp_path, 30)
    assert [part.journal for part in world.giver.parts_to_send(0)] == ["00", "01", "02", "03"]
    assert AT_ONCE == 4
    assert world.giver.parts_to_send(1) == ()
    assert world.giver.next_deadline_ms() == USUAL.message_ms
    world.write("now", 1)
    assert [part.journal for part in world.giver.parts_to_send(2)] == ["now"]
    assert len(world.giver.lacking) == MOST_NAMED, "a hello must stay short"
    assert world.giver.lacking[0].journal == "29"
    for _ in range(60):
        world.step()
    assert world.copies() == world.journals
    assert world.giver.lacking == ()


def test_a_game_that_the_hall_refuses_does_not_delay_the_others(tmp_path: Path) -> None:
    """The hall's limit may be reached, or its disk full.

    Other journals may be shorter, and answers about this one may be lost.
    """
    world = earlier_games(tmp_path, 9)
    for _ in range(60):
        world.now_ms += USUAL.message_ms // 10
        for part in world.giver.parts_to_send(world.now_ms):
            if part.journal >= "04":
                world.giver.acknowledge(take(world.hall, part))
    assert sorted(world.copies()) == ["04", "05", "06", "07", "08"]
    assert [each.journal for each in world.giver.lacking] == ["03", "02", "01", "00"]


def test_each_run_of_the_hall_confirms_an_earlier_game_once(tmp_path: Path) -> None:
    world = earlier_games(tmp_path, 2)
    for _ in range(5):
        world.step()
    world.giver.reconnect(is_new_hall=False)
    assert world.giver.parts_to_send(world.now_ms) == ()
    assert world.giver.next_deadline_ms() is None
    world.giver.reconnect(is_new_hall=True)
    assert [part.text for part in world.giver.parts_to_send(world.now_ms)] == ["", ""]


def test_a_copy_longer_than_the_journal_counts_as_another_journal(tmp_path: Path) -> None:
    world = quiet(tmp_path)
    world.write("a", 1)
    world.giver.acknowledge(Have("a", 10_000))
    assert world.giver.foreign == ("a",)


@pytest.mark.parametrize("is_lazy", [False, True])
@pytest.mark.parametrize("lines", [1, 1000, 2500])
def test_a_partial_write_is_reported_and_leaves_the_copy_unchanged(
    tmp_path: Path, lines: int, *, is_lazy: bool
) -> None:
    """The system's limit for file sizes acts like a full disk.

    It accepts what fits, and then nothing.
    """
    resource = pytest.importorskip("resource", reason="this system has no limits for file sizes")
    store = JournalFolder(tmp_path, is_lazy=is_lazy)
    store.append("a", b"one\n")
    more = "12345678\n" * lines
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(more), before[1]))
    try:
        with pytest.raises(JournalError, match="a cannot be written"):
            store.append("a", more.encode())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (tmp_path / "a").read_bytes() == b"one\n"
    assert take(store, Part("a", 4, store.check("a"), more)) == Have(
        "a", 4 + len(more), check=store.check("a")
    )
    assert (tmp_path / "a").read_text() == "one\n" + more


@pytest.mark.parametrize("name", ["../a", "/etc/passwd", ".", "..", "", ".hidden", "a\0b"])
def test_a_path_is_refused_as_the_name_of_a_journal(tmp_path: Path, name: str) -> None:
    with pytest.raises(JournalError, match="is not a name of a journal"):
        take(JournalFolder(tmp_path / "hall"), Part(name, 0, 0, "x\n"))
