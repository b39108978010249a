# SPDX-License-Identifier: Apache-2.0
"""Two tables, killed at any moment and started with the same commands, lose nothing."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE
from typing import IO, Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from companion.cli.program import FAILED
from companion.host.virtual_table.hands import SetRight
from tests.brokers import mosquitto
from tests.host.online.seats import until
from tests.host.online.walks import PATIENCE_S, Board, board_of
from tests.page_reader import PageReader
from tests.ports import free_port
from tests.programs import Program
from tests.waits import brisk

SEED = 21
JOINING_S = 0.5
PLAYING_S = 3.0
"""Longest times between two kills; a table has joined after most of the first."""


@dataclass
class News:
    """Wakes those who wait for something at either table."""

    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def tell(self) -> None:
        async with self.changed:
            self.changed.notify_all()

    async def until(self, holds: Callable[[], bool], what: str) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S), self.changed:
                await self.changed.wait_for(holds)
        except TimeoutError as late:
            raise AssertionError(what) from late


@dataclass
class End:
    """One table: its board and hands stay while its program is killed and started again."""

    folder: Path
    board: Board
    news: News
    words: tuple[str, ...]
    side: int
    lines: list[str] = field(default_factory=list)
    """What its programs have printed."""
    shown: dict[str, Any] = field(default_factory=dict)
    announced: list[str] = field(default_factory=list)
    """The moves that its page has shown as announced."""
    starts: int = 0
    has_resigned: bool = False
    is_ending: bool = False
    program: Program | None = None
    page: ClientConnection | None = None

    async def live(self) -> None:
        """Start the same command again and again, at times `--resume`, until told to end."""
        self.folder.mkdir()
        environment = {**os.environ, **brisk(self.folder), "XDG_DATA_HOME": str(self.folder)}
        environment |= {"PYTHONUNBUFFERED": "1", "COLUMNS": "400"}
        port = ["--port", self.board.panel.url, "--no-browser", "--http-port=0"]
        while not self.is_ending:
            is_resumed = self.starts % 5 == 4 and self.announced and not self.has_resigned
            command = ["play", "chess", *port, *(("--resume",) if is_resumed else self.words)]
            program = await asyncio.to_thread(Program, "companion", command, stdout=PIPE, env=environment)
            self.program, self.shown = program, {}
            self.starts += 1
            await self.news.tell()
            assert program.stdout is not None
            loop, address = asyncio.get_running_loop(), asyncio.Future[str]()
            reading = asyncio.create_task(asyncio.to_thread(self._read, program.stdout, loop, address))
            talking = asyncio.create_task(self._talk(address))
            try:
                code = await asyncio.to_thread(program.wait)
            finally:
                program.send_signal(signal.SIGKILL)  # if the test has failed
                self.program = self.page = None
                talking.cancel()
                await asyncio.gather(reading, talking, return_exceptions=True)
                program.stdout.close()
            if code == FAILED and self.keeps("is_over"):
                return  # both tables knew the end before the kill: the code is refused
            assert code == -signal.SIGKILL or (code == 0 and self.is_ending), self.lines

    def _read(self, output: IO[str], loop: asyncio.AbstractEventLoop, address: asyncio.Future[str]) -> None:
        for line in output:
            loop.call_soon_threadsafe(self._hear, line.rstrip(), address)

    def _hear(self, line: str, address: asyncio.Future[str]) -> None:
        self.lines.append(line)
        if (found := re.search(r"The table is at http://([^/\s]+)/", line)) and not address.done():
            address.set_result(found[1])
        asyncio.get_running_loop().create_task(self.news.tell())

    async def _talk(self, address: asyncio.Future[str]) -> None:
        """Look at the page until the program ends."""
        try:
            async with connect(f"ws://{await address}/ws?name=test", max_size=None) as self.page:
                reader = PageReader()
                async for message in self.page:
                    said = reader.take(message)
                    if "view" in said:
                        self._see(said)
                        await self.news.tell()
        except (OSError, WebSocketException):
            pass  # it was killed

    def _see(self, said: dict[str, Any]) -> None:
        record = said["view"]["record"]
        made = [move["text"] for move in record if move["stage"] != "provisional"]
        assert made[: len(self.announced)] == self.announced, "an announced move was lost"
        self.shown, self.announced = said, made

    @property
    def phase(self) -> str:
        """That of the page; empty without one."""
        return str(self.shown["view"]["phase"]) if self.page is not None and self.shown else ""

    def keeps(self, what: str) -> bool:
        """True if *what* is kept for a restart."""
        return any(what in json.loads(path.read_text()) for path in self.folder.rglob("*.two-tables.json"))

    def is_over(self) -> bool:
        return bool(self.shown) and self.shown["view"]["outcome"] is not None

    async def play(self, other: End, plies: int, choice: random.Random) -> None:
        """Let the hands play *plies* moves: their own, and those that are decided elsewhere.

        After a restart the page may ask for the pieces of a move back that was not announced.
        """
        while (ply := len(self.announced)) < plies:
            wanted = "waiting" if ply % 2 == self.side else "carrying_out"

            def is_due(ply: int = ply, wanted: str = wanted) -> bool:
                is_known = wanted == "waiting" or len(other.announced) > ply
                return self.phase == "setting_up" or (self.phase == wanted and is_known)

            await self.news.until(is_due, f"table {self.side} may make ply {ply}")
            if len(self.announced) != ply:
                continue
            starts, phase = self.starts, self.phase
            self._act(ply, other, choice)
            await self.news.until(
                lambda ply=ply, starts=starts, phase=phase: (  # type: ignore[misc]
                    len(self.announced) > ply
                    or self.starts > starts
                    or (phase == "setting_up" and self.phase != phase)
                ),
                f"table {self.side} has made ply {ply}: {self.phase}",
            )

    def _act(self, ply: int, other: End, choice: random.Random) -> None:
        """Set up the pieces, make an own move, or carry out that of *other*."""
        rules, position = self.board.rules, self.board.rules.read_position(self.shown["view"]["position"])
        if self.phase == "setting_up":
            self.board.standing = rules.placement(position)
            self.board.hands.do(SetRight())
        elif self.phase == "waiting":
            lasting = [
                move
                for move in rules.legal_moves(position)
                if rules.status(rules.apply(position, move)) is None
            ]
            self.board.hands.do(tuple(rules.steps(position, choice.choice(lasting))))
        else:
            move = rules.read_move(position, other.announced[ply])
            self.board.hands.do(tuple(rules.steps(position, move)))

    async def kill(self) -> None:
        """Kill the program; another one has started when this returns."""
        before, program = self.starts, self.program
        if program is not None:
            program.send_signal(signal.SIGKILL)
            await self.news.until(lambda: self.starts > before, "it starts again")

    async def resign(self) -> None:
        """Resign on the page."""
        assert self.page is not None
        self.has_resigned = True
        await self.page.send(json.dumps({"is": "Resign", "side": self.side}))

    def stop(self) -> None:
        self.is_ending = True
        if self.program is not None:
            self.program.send_signal(signal.SIGINT)

    def codes(self) -> set[str]:
        """The codes that it has said."""
        return {found[1] for line in self.lines if (found := re.search(r"chess --online ([\w-]{20,})", line))}


@dataclass
class Killer:
    """Kills tables at drawn moments, and prints them."""

    choice: random.Random
    count: int = 0

    async def kill(self, longest_s: float, *ends: End) -> None:
        """Kill all *ends* within *longest_s*; they have started again when this returns."""
        delay_s = self.choice.uniform(0, longest_s)
        await asyncio.sleep(delay_s)  # the moment of the kill is drawn
        for end in ends:
            self.count += 1
            state = "has agreed" if end.keeps("welcome") else "has not agreed"
            print(
                f"kill {self.count}: table {end.side} after {delay_s:.2f} s, {state}, {len(end.announced)} moves"
            )
        await asyncio.gather(*(end.kill() for end in ends))


async def kill_and_play(ends: tuple[End, End], kills: int, killer: Killer, group: asyncio.TaskGroup) -> int:
    """Kill tables *kills* times, a quarter of them while they join.

    Returns the number of plies that are played meanwhile.
    """
    here, there = ends
    news, choice = here.news, killer.choice
    joining = max(2, kills // 4)
    group.create_task(here.live())
    await news.until(lambda: here.starts > 0, "the inviting table starts")
    for _ in range(joining // 2):
        await killer.kill(JOINING_S, here)
    await news.until(lambda: bool(here.codes()), "a code is said")
    (code,) = here.codes()
    there.words = ("--online", code, *there.words)
    group.create_task(there.live())
    await news.until(lambda: there.starts > 0, "the invited table starts")
    while killer.count < joining:
        await killer.kill(JOINING_S, choice.choice(ends) if kills > joining + 2 else there)
    plies = 2 + kills
    playing = [
        group.create_task(end.play(other, plies, random.Random(SEED + end.side)))
        for end, other in (ends, ends[::-1])
    ]
    while killer.count < kills:
        both = choice.random() < 0.2 and killer.count < kills - 1
        await killer.kill(PLAYING_S, *(ends if both else (choice.choice(ends),)))
    await asyncio.gather(*playing)
    assert here.codes() == {code}
    return plies


async def end_and_kill(ends: tuple[End, End]) -> None:
    """Resign at the invited table, which is killed as soon as its page shows that."""
    here, there = ends
    news = here.news
    await news.until(lambda: there.phase in ("waiting", "carrying_out"), "it may be ended")
    await there.resign()
    await news.until(there.is_over, "the invited table is over")
    await there.kill()
    await news.until(here.is_over, "the inviting table is over")
    await until(lambda: all(end.keeps("is_over") for end in ends))
    kept = [path for end in ends for path in end.folder.rglob("*.two-tables.json")]
    assert len(kept) == 2
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in kept)


async def refused(end: End) -> None:
    """The code of the finished game is refused at *end*."""
    environment = {**os.environ, **brisk(end.folder), "XDG_DATA_HOME": str(end.folder)}
    command = ["play", "chess", "--no-browser", "--http-port=0", *end.words]
    program = await asyncio.to_thread(
        Program, "companion", command, stdout=PIPE, stderr=PIPE, env=environment
    )
    printed = await asyncio.to_thread(program.communicate)
    assert program.returncode != 0
    assert "the game of this code is over" in " ".join(" ".join(printed).split())


@pytest.mark.parametrize(
    ("carrier", "kills"),
    [
        ("websocket", 4),
        pytest.param("websocket", 50, marks=pytest.mark.long),
        pytest.param("broker", 50, marks=pytest.mark.long),
    ],
)
def test_the_same_commands_go_on_after_kills_at_any_moment(tmp_path: Path, carrier: str, kills: int) -> None:
    async def play() -> None:
        async with AsyncExitStack() as stack:
            via = f"ws://127.0.0.1:{free_port()}"
            if carrier == "broker":
                broker = await stack.enter_async_context(mosquitto(tmp_path))
                via = f"mqtt://127.0.0.1:{broker.port}"
            boards = [await stack.enter_async_context(board_of("chess")) for _ in range(2)]
            news, place = News(), ("--via", via)
            new = ("--online", "new", *place, "--colour", "white", "--clock", "90+10")
            here = End(tmp_path / "host", boards[0], news, new, 0)
            there = End(tmp_path / "guest", boards[1], news, place, 1)
            async with asyncio.TaskGroup() as group:
                killer = Killer(random.Random(f"{SEED} {carrier}"))
                plies = await kill_and_play((here, there), kills, killer, group)
                assert here.announced == there.announced
                assert len(here.announced) == plies
                await end_and_kill((here, there))
                here.stop()
                there.stop()
            await refused(there)

    asyncio.run(play())
