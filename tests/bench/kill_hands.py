# SPDX-License-Identifier: Apache-2.0
"""Hands that play drawn moves at the pages of tables, which are killed meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Protocol

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, InvalidMessage, WebSocketException

from companion import games
from tests.bench.kill_judge import Shown
from tests.page_reader import PageReader

Json = dict[str, Any]

LATE_S: Final = 25.0
"""A move that is not announced for so long is reported."""
SET_UP_S: Final = 2.0
"""Pieces that stand wrong for so long are put right."""
QUIET: Final = re.compile(r"[NBRQK]?[a-h]?[1-8]?[a-h][1-8]")
"""A move without capture, check and promotion."""
RULES: Final = games.find("chess").rules()


@dataclass
class Table:
    """What the hands know of one table."""

    board: str
    is_seated: bool = True
    view: Json = field(default_factory=dict)
    now_ms: int = 0
    """The time of the game."""
    hand: Any = None
    """What the virtual hand holds."""
    seen_at: float = 0.0
    made: tuple[int, str, float] | None = None
    """The ply, the move and the time of one that is not announced yet."""
    plies: int = 12
    """The current game ends after so many."""
    finished_at: float | None = None
    unset_at: float | None = None
    """Since when the pieces have not stood as they should."""
    is_connected: bool = False
    is_reported: bool = False


class Tables(Protocol):
    """The pages and journals of tables."""

    def pages(self) -> Mapping[str, str]:
        """The pages of the tables that run, by station."""
        ...

    def journals(self, station: str) -> Mapping[str, bytes]:
        """The journals of *station*, oldest first."""
        ...


class Hands:
    """Two hands at each table that has a page."""

    def __init__(self, tables: Tables, shown: Shown, chance: Random) -> None:
        self._tables = tables
        self._chance = chance
        self.shown = shown
        self.tables: dict[str, Table] = {}
        self.is_resting = False
        """True: no new move is begun."""
        self.times_s: list[tuple[float, str]] = []
        """From putting a piece down to the announcement, with the station."""
        self.late: list[tuple[float, str]] = []
        """Moves that were not announced in time, with the time of each."""
        self.interrupted = 0
        """Moves that were made when the game was replaced, or the table killed."""
        self.questions = 0
        self.games = 0
        """Casual games that were begun at the pages."""

    async def play(self, station: str, *, is_seated: bool) -> None:
        """Play at *station*, whenever it has a page, until cancelled."""
        table = self.tables[station] = Table(station, is_seated)
        while True:
            page = self._tables.pages().get(station)
            if page is not None:
                with contextlib.suppress(
                    OSError, WebSocketException, InvalidHandshake, InvalidMessage, TimeoutError, EOFError
                ):
                    address = f"{page.replace('http', 'ws', 1)}ws"
                    async with connect(address, max_size=None, open_timeout=5) as line:
                        await self._sit(table, line)
            self._interrupt(table)
            table.is_connected, table.now_ms = False, 0
            await asyncio.sleep(0.1)  # other programs bring pages about, and tell nobody

    async def _sit(self, table: Table, line: ClientConnection) -> None:
        reader = PageReader()
        while True:
            try:
                async with asyncio.timeout(0.5):
                    told = reader.take(await line.recv())
            except TimeoutError:
                told = {}
            if "view" in told:
                table.is_connected = True
                if told["now_ms"] < table.now_ms:  # another game has begun
                    self._interrupt(table)
                table.now_ms = told["now_ms"]
                table.view, table.hand = told["view"], (told.get("virtual") or {}).get("hand")
                table.seen_at = time.monotonic()
                self._see(table)
            if table.is_connected:
                await self._act(table, line)

    def _interrupt(self, table: Table) -> None:
        self.interrupted += table.made is not None
        table.made, table.is_reported = None, False

    def _see(self, table: Table) -> None:
        moves = self.shown.add(table.board, table.view["record"])
        if table.made is None:
            return
        ply, move, at = table.made
        if len(moves) > ply:
            self.times_s.append((time.monotonic() - at, f"{table.board} {ply} {move}"))
            table.made, table.is_reported = None, False
        elif table.view["phase"] == "paused" or len(table.view["record"]) < ply:
            self._interrupt(table)  # by an arbiter

    async def _act(self, table: Table, line: ClientConnection) -> None:
        view = table.view
        if table.made is not None:
            self._report_late(table)
        elif view["question"] is not None:
            await self._answer(table, line)
        elif view["outcome"] is not None:
            await self._begin(table, line)
        elif view["phase"] in ("setting_up", "illegal"):
            await self._set_right(table, line)
        elif self._is_free(table):
            table.finished_at = None
            if view["ply"] >= table.plies:
                table.plies = self._chance.randint(6, 24)
                await line.send(json.dumps({"is": "Resign", "side": view["turn"]}))
                view["phase"] = "resigned"  # until the table tells more
            else:
                await self._move(table, line)

    def _is_free(self, table: Table) -> bool:
        view = table.view
        return (
            not self.is_resting
            and view["phase"] == "waiting"
            and table.hand is None
            and len(view["record"]) == view["ply"]
            and all(each["stage"] != "provisional" for each in view["record"])
        )

    async def _move(self, table: Table, line: ClientConnection) -> None:
        drawn = quiet_move(table.view, self._chance)
        if drawn is None:
            table.plies = table.view["ply"]
            return
        text, gestures = drawn
        for gesture in gestures:
            await line.send(gesture)
        table.made = (table.view["ply"], text, time.monotonic())

    async def _set_right(self, table: Table, line: ClientConnection) -> None:
        """Put the pieces where they belong, as when a game began during a move."""
        now = time.monotonic()
        if table.unset_at is None or now - table.unset_at > 2 * SET_UP_S:
            table.unset_at = now
        elif now - table.unset_at > SET_UP_S:
            table.unset_at = None
            await line.send(json.dumps({"is": "SetRight"}))

    async def _answer(self, table: Table, line: ClientConnection) -> None:
        """Choose the first answer of a question that is open."""
        self.questions += 1
        ply = table.view["question"]["ply"]
        table.view["question"] = None  # until the table tells more
        await line.send(json.dumps({"is": "Answer", "ply": ply, "choice": 0}))

    async def _begin(self, table: Table, line: ClientConnection) -> None:
        """Begin a casual game some time after one has ended."""
        now = time.monotonic()
        if table.finished_at is None:
            table.finished_at = now + self._chance.uniform(2, 6 if not table.is_seated else 20)
        elif now > table.finished_at and not self.is_resting:
            table.finished_at = None
            table.view["outcome"] = None
            table.view["phase"] = "beginning"  # until the table tells more
            self.games += 1
            await line.send(json.dumps({"is": "Begin", "game": "chess"}))

    def _report_late(self, table: Table) -> None:
        assert table.made is not None
        ply, move, at = table.made
        late = time.monotonic() - at
        if late < LATE_S or table.is_reported:
            return
        table.is_reported = True
        view = {name: table.view[name] for name in table.view if name in TOLD}
        *_, (journal, content) = self._tables.journals(table.board).items()
        tail = "\n    ".join(line[:200] for line in content.decode().splitlines()[-8:])
        self.late.append(
            (
                at,
                (
                    f"{table.board}: {move} at ply {ply} is not announced after {late:.0f} s; "
                    f"last message {time.monotonic() - table.seen_at:.1f} s ago, at {table.now_ms} ms of the game; "
                    f"in the hand: {table.hand}; record {table.view['record'][-3:]}; {view}\n  {journal}:\n    {tail}"
                ),
            )
        )
        if view["phase"] == "waiting":  # so that the game goes on
            table.made = None


def quiet_move(view: Json, chance: Random) -> tuple[str, tuple[str, str]] | None:
    """A drawn move in *view*, and the messages that make it; None without any.

    It captures nothing, gives no check, and does not move the piece of the move before last,
    which might raise a question.
    """
    position = RULES.read_position(view["position"])
    last = view["record"][-2]["target"] if view["ply"] > 1 else []
    quiet = dict[str, tuple[str, str]]()
    for move in RULES.legal_moves(position):
        text = RULES.write_move(position, move)
        if QUIET.fullmatch(text):
            (step,) = RULES.steps(position, move)
            if step.source[0] not in last:
                lift, drop = {"is": "Lift", "cell": step.source[0]}, {"is": "Drop", "cell": step.target[0]}
                quiet[text] = json.dumps(lift), json.dumps(drop)
    return chance.choice(sorted(quiet.items())) if quiet else None


TOLD: Final = (
    *("phase", "turn", "ply", "position", "prompt", "notices", "occupied", "lifted", "targets", "guides"),
    *("fault", "question", "outcome", "clock_start", "clocks", "commands"),
)
"""What a report of a late move says of the view."""
