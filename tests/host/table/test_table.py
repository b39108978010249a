# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one table, whose parts are tested in other files already.
"""A table on an event loop with a panel over a real connection.

The panel is lost, found, noisy or foreign, and the table ends at any moment.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from companion import games
from companion.feedback import lights
from companion.feedback.lights import LampLevel, Meaning
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.devices import ports
from companion.host.journal import journal
from companion.host.journal.journal import CommandEntry, JournalWriter
from companion.host.mailbox import Priority
from companion.host.play.new_table import TableDevices, make_table
from companion.host.records.replay import replay
from companion.host.retry import USUAL, Intervals
from companion.host.table.link_status import LinkState
from companion.host.table.table import Table
from companion.link.framing import Packet, encode_packet
from companion.link.panel import load_panel, panel_for
from companion.link.protocol_gen import Edges, Heartbeat
from companion.model.errors import ForeignFirmware, JournalError, PanelMismatch, PortUnavailable
from companion.referee.session.session import Session
from companion.referee.values.commands import AdjustClock, OfferDraw, Resign, TakeBack
from companion.referee.values.events import GameBegan, GameEnded, MoveMade, Stage
from companion.virtual.panel import VirtualPanel
from tests.host.tables import GAME, HEADER, link_of
from tests.host.tcp import TcpPanel

CLOCK = monotonic()


pytestmark = pytest.mark.usefixtures("no_closing_pause")


@dataclass
class Hall:
    """A table, its panel, and its journal."""

    table: Table
    panel: TcpPanel
    path: Path
    running: asyncio.Task[None]

    def move(self, source: int, target: int) -> None:
        """Lift, then drop after a pause, so that the edges keep their order."""
        self.panel.panel.open(source, CLOCK())
        asyncio.get_running_loop().call_later(0.05, lambda: self.panel.panel.close(target, CLOCK()))

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until *holds*, checked after each change, or until the table ends."""
        with self.table.watch() as has_changed:
            while not holds() and not self.running.done():
                waiting = asyncio.create_task(has_changed.wait())
                done, _ = await asyncio.wait(
                    {waiting, self.running}, timeout=60, return_when=asyncio.FIRST_COMPLETED
                )
                waiting.cancel()
                assert done, "nothing has changed for a minute"
                has_changed.clear()

    def moves(self) -> list[str]:
        return [move.move for move in self.table.pipeline.view.record if move.stage is not Stage.PROVISIONAL]


@asynccontextmanager
async def hall(
    path: Path, panel: VirtualPanel | None = None, greeting_ms: int = USUAL.greeting_ms
) -> AsyncIterator[Hall]:
    """A running table with its pieces on their corners."""
    game = games.find(GAME)
    rules = game.rules()
    virtual = panel or VirtualPanel(panel_for(rules.grid), unique_id=b"testtest", session=1, now_ms=CLOCK())
    for cell in rules.grid.cells("a1 d1 a8 d8"):
        virtual.close(cell, CLOCK())
    async with TcpPanel(virtual, CLOCK).serving() as line:
        with JournalWriter.create(path, HEADER) as writer:
            words = load("en", GAME, rules.sides)
            devices = TableDevices(intervals=Intervals(greeting_ms=greeting_ms))
            table = make_table(line.url, game, Session(rules), words, writer, CLOCK, devices)
            running = asyncio.create_task(table.run())
            try:
                yield Hall(table, line, path, running)
            finally:
                running.cancel()
                await asyncio.wait({running})
        if not running.cancelled():
            running.result()


def test_a_move_is_in_the_journal_when_a_page_shows_it_as_announced(tmp_path: Path) -> None:
    async def play() -> None:
        async with hall(tmp_path / "game.jsonl") as at:
            await at.until(lambda: at.table.pipeline.view.phase == "waiting")
            at.move(0, 5)
            await at.until(lambda: at.moves() == ["a1-b2"])
            shown = at.table.page_state()
            kept = [e for e in journal.read(at.path).events if isinstance(e, MoveMade)]
            assert shown["view"]["record"][-1]["stage"] == "announced"
            assert kept[-1].stage is Stage.ANNOUNCED

    asyncio.run(play())
    assert replay(journal.read(tmp_path / "game.jsonl")) is None


def test_play_continues_on_a_slow_disk_and_announcements_wait_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_taken = threading.Event()
    real = os.fsync

    def fsync(file: int) -> None:
        has_taken.wait()
        real(file)

    async def play() -> None:
        async with hall(tmp_path / "game.jsonl") as at:
            await at.until(lambda: at.table.pipeline.view.phase == "waiting")
            monkeypatch.setattr(os, "fsync", fsync)
            at.move(0, 5)
            await at.until(lambda: at.table.pipeline.is_unsafe)
            at.move(31, 29)
            await at.until(lambda: len(at.table.pipeline.view.record) == 2)
            assert not at.moves()
            has_taken.set()
            await at.until(lambda: at.moves() == ["a1-b2", "d8-b8!"])

    try:
        asyncio.run(play())
    finally:
        has_taken.set()


def test_a_table_that_ends_waits_for_its_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    has_begun, has_taken = threading.Event(), threading.Event()
    real = os.fsync

    def fsync(file: int) -> None:
        has_begun.set()
        has_taken.wait()
        real(file)

    async def play() -> None:
        async with hall(tmp_path / "game.jsonl") as at:
            await at.until(lambda: at.table.pipeline.view.phase == "waiting")
            monkeypatch.setattr(os, "fsync", fsync)
            at.move(0, 5)
            await asyncio.to_thread(has_begun.wait)
            at.running.cancel()
            done, _ = await asyncio.wait({at.running}, timeout=0.2)
            assert not done
            has_taken.set()

    try:
        asyncio.run(play())
    finally:
        has_taken.set()


def test_a_lost_connection_is_restored_and_the_game_continues(tmp_path: Path) -> None:
    async def play() -> None:
        async with hall(tmp_path / "game.jsonl") as at:
            await at.until(lambda: at.table.pipeline.view.phase == "waiting")
            at.panel.cut()
            await at.until(lambda: at.table.pipeline.status.state == "lost")
            at.move(0, 5)
            await at.until(lambda: at.moves() == ["a1-b2"])
            assert at.table.pipeline.status.state == "connected"

    asyncio.run(play())


def silent_panel() -> VirtualPanel:
    """A panel that does not answer, before a table with a short timeout."""
    panel = VirtualPanel(load_panel("4x8"), unique_id=b"testtest", session=1, now_ms=CLOCK())
    panel.is_mute = True
    return panel


def test_a_port_without_answer_is_reopened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another panel may be on another port by now."""
    panel = silent_panel()

    async def play() -> None:
        async with hall(tmp_path / "game.jsonl", panel, 100) as at:
            await at.until(lambda: "no panel answers on socket://" in at.table.pipeline.status.text)
            panel.is_mute = False
            await at.until(lambda: at.table.pipeline.view.phase == "waiting")

    asyncio.run(play())


def test_a_device_that_sends_endlessly_and_is_no_panel_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A microcontroller with another program may print at full speed."""
    panel = silent_panel()

    async def babble(at: Hall) -> None:
        while True:
            at.table.inbox.put(b"1023\r\n")
            await asyncio.sleep(0)  # so that there is always more to read

    async def play() -> None:
        async with hall(tmp_path / "game.jsonl", panel, 100) as at:
            babbling = asyncio.create_task(babble(at))
            await at.until(lambda: "no panel answers on socket://" in at.table.pipeline.status.text)
            babbling.cancel()

    asyncio.run(asyncio.wait_for(play(), 60))


def test_edges_have_priority_over_status_packets_of_the_panel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = games.find(GAME)
    rules = game.rules()
    edges = encode_packet(Packet(Edges.TYPE, 0, b"12345678"))
    beat = encode_packet(Packet(Heartbeat.TYPE, 0, b"12345678"))
    chunks = (
        beat,
        edges,
        beat,
        edges[:4],
        edges[4:],
        beat[:1],
        beat[1:],
        beat + edges[:1],
        edges[1:2],
        edges[2:],
    )
    with JournalWriter.create(tmp_path / "game.jsonl", HEADER) as writer:
        table = make_table("loop://", game, Session(rules), load("en", GAME, rules.sides), writer, CLOCK)
        hastes: list[Priority] = []
        monkeypatch.setattr(table.inbox, "put", lambda _chunk, haste: hastes.append(haste))
        for chunk in chunks:
            table.arrive(chunk)
    is_first = "-+-++---++"
    assert [haste is Priority.FIRST for haste in hastes] == [mark == "+" for mark in is_first]


def test_a_panel_restarted_during_a_game_is_greeted_again(tmp_path: Path) -> None:
    async def play() -> None:
        async with hall(tmp_path / "game.jsonl") as at:
            await at.until(lambda: at.table.pipeline.view.phase == "waiting")
            at.move(0, 5)
            await at.until(lambda: at.moves() == ["a1-b2"])
            lamps = at.panel.panel.device.lamps
            shown = list(lamps.image)
            at.panel.panel.reset(CLOCK())
            await at.until(lambda: lamps.image == shown and link_of(at.table.pipeline).is_idle)
            at.move(31, 29)
            await at.until(lambda: at.moves() == ["a1-b2", "d8-b8!"])

    asyncio.run(play())


def test_garbage_on_the_line_changes_nothing(tmp_path: Path) -> None:
    async def play() -> None:
        async with hall(tmp_path / "game.jsonl") as at:
            await at.until(lambda: at.table.pipeline.view.phase == "waiting")
            at.panel.send(bytes(range(256)) * 4)
            at.move(0, 5)
            await at.until(lambda: at.moves() == ["a1-b2"])
            assert link_of(at.table.pipeline).counters.bad_packets > 0

    asyncio.run(play())


def test_a_command_is_executed(tmp_path: Path) -> None:
    async def play() -> None:
        async with hall(tmp_path / "game.jsonl") as at:
            await at.until(lambda: at.table.pipeline.view.phase == "waiting")
            at.table.ask(Resign(0))
            await at.until(lambda: at.table.pipeline.view.outcome is not None)

    asyncio.run(play())
    assert isinstance(journal.read(tmp_path / "game.jsonl").events[-1], GameEnded)


def test_whoever_sees_a_lifted_piece_sees_why_it_cannot_move(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with hall(tmp_path / "game.jsonl") as here:
            pipeline, stuck = here.table.pipeline, 28
            await here.until(lambda: pipeline.view.phase == "waiting")
            here.panel.panel.open(stuck, CLOCK())
            await here.until(lambda: pipeline.view.lifted == (stuck,))
            assert pipeline.view.immobile is not None

    asyncio.run(scenario())


def test_a_repeated_order_is_executed_once_and_an_impossible_one_refused_with_a_reason(
    tmp_path: Path,
) -> None:
    answers = {
        "first": "",
        "second": "no time is kept at this table",
        "third": "it had no effect: it is not possible at this point of the game",
        "last": "",
    }

    async def play() -> None:
        async with hall(tmp_path / "game.jsonl") as at:
            await at.until(lambda: at.table.pipeline.view.phase == "waiting")
            for _ in range(3):
                at.table.ask(OfferDraw(0), "first")
            at.table.ask(AdjustClock(0, 1000), "second")
            at.table.ask(TakeBack(), "third")
            at.table.ask(Resign(0), "last")
            await at.until(lambda: at.table.pipeline.view.outcome is not None)
            assert at.table.pipeline.orders == answers

    asyncio.run(play())
    asked = [each for each in journal.read(tmp_path / "game.jsonl").entries if isinstance(each, CommandEntry)]
    assert [(each.order, each.fault) for each in asked] == list(answers.items())


def test_a_first_panel_that_does_not_fit_ends_the_program_with_the_reason(tmp_path: Path) -> None:
    async def play() -> None:
        panel = VirtualPanel(load_panel("wedges-6"), unique_id=b"testtest", session=1, now_ms=CLOCK())
        async with hall(tmp_path / "game.jsonl", panel, 100) as at:
            await at.until(lambda: at.table.pipeline.panel.objection is not None)

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(play())
    assert caught.group_contains(PanelMismatch, match="32 of the 4x8 grid")


def test_foreign_firmware_ends_the_program_with_the_command_that_fixes_it(tmp_path: Path) -> None:
    async def play() -> None:
        panel = VirtualPanel(load_panel("4x8"), unique_id=b"testtest", session=1, now_ms=CLOCK())
        panel.device.fingerprint ^= 1
        async with hall(tmp_path / "game.jsonl", panel, 100) as at:
            await at.until(lambda: at.table.pipeline.panel.objection is not None)

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(play())
    assert caught.group_contains(ForeignFirmware, match=r"flash the program.*panel 4x8")


def test_play_continues_on_a_full_disk_with_a_warning_that_it_is_not_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """/dev/full accepts nothing, like a full disk."""

    async def play() -> None:
        async with hall(tmp_path / "game.jsonl") as at:
            await at.until(lambda: at.table.pipeline.view.phase == "waiting")
            full = JournalWriter(Path("/dev/full"), open("/dev/full", "wb", buffering=0))  # noqa: SIM115, ASYNC230
            at.table.current = replace(at.table.current, journal=full)
            at.table.pipeline.keep = full.write
            at.move(0, 5)
            await at.until(lambda: at.moves() == ["a1-b2"])
            said = "The game cannot be written to the disk: play goes on, but the game is not kept"
            await at.until(lambda: said in at.table.page_state()["link"]["complaints"])
            with pytest.raises(JournalError, match=r"No space left.*the end of the game is not in it"):
                full.close()

    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    asyncio.run(play())
    ours = [record for record in caplog.records if record.name.startswith("companion")]
    assert [record.getMessage() for record in ours if record.levelno >= logging.ERROR] == [
        "/dev/full cannot be written: No space left on device"
    ]
    caplog.clear()


@pytest.mark.parametrize("moment_s", [0.0, 0.001, 0.02, 0.1, 0.3])
def test_a_table_ended_at_any_moment_leaves_a_valid_journal_and_no_task_or_thread(
    tmp_path: Path, moment_s: float
) -> None:
    async def play() -> None:
        async with hall(tmp_path / "game.jsonl") as at:
            at.move(0, 5)
            await asyncio.sleep(moment_s)
        assert {asyncio.current_task()} == asyncio.all_tasks()

    asyncio.run(play())
    if not (tmp_path / "game.jsonl").exists():
        return  # no events yet
    read = journal.read(tmp_path / "game.jsonl")
    assert not read.note
    assert replay(read) is None
    assert all(isinstance(event, GameBegan | MoveMade) for event in read.events)


def test_a_missing_port_ends_the_program_before_the_game(tmp_path: Path) -> None:
    async def play() -> None:
        await ports.serial_line("/dev/ttyNONE")(lambda _: None, lambda _: None)

    with pytest.raises(PortUnavailable, match="no port /dev/ttyNONE"):
        asyncio.run(play())


def test_quiet_lamps_are_dimmed_on_the_panel_and_on_the_page(tmp_path: Path) -> None:
    """The level changes the colours sent to the panel and shown on the page."""
    rules = games.find(GAME).rules()
    words = load("en", GAME, rules.sides)

    async def first_colours(level: LampLevel) -> tuple[Sequence[int], Sequence[int]]:
        with JournalWriter.create(tmp_path / f"{level}.jsonl", HEADER) as writer:
            session = Session(rules)
            table = make_table(None, games.find(GAME), session, words, writer, CLOCK, TableDevices(level))
            running = asyncio.create_task(table.run())
            with table.watch() as has_changed:
                while table.pipeline.status.state is not LinkState.CONNECTED:
                    await has_changed.wait()
                    has_changed.clear()
                while not any(any(look[:3]) for look in table.page_state()["lamps"]["palette"]):
                    await has_changed.wait()
                    has_changed.clear()
            shown = table.page_state()["lamps"]["palette"]
            running.cancel()
            await asyncio.wait({running})
        target, missing = (lights.index_of(each) for each in (Meaning.TARGET, Meaning.SET_UP_MISSING))
        return shown[target][:3], shown[missing][:3]

    assert asyncio.run(first_colours(LampLevel.FULL)) == ([0, 90, 255], [0, 160, 255])
    assert asyncio.run(first_colours(LampLevel.QUIET)) == ([0, 0, 0], [0, 48, 76])
