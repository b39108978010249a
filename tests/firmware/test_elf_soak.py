# SPDX-License-Identifier: Apache-2.0
"""No edge is lost: the host's history against random toggles on real firmware.

Meanwhile LEDs are repainted, the line is noisy, the host stalls and the board is reset. What the
host missed it must have reported itself, by reading the whole state again. `--long` simulates an
hour for each board instead of most of half a minute.
"""

import random
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

from companion.link.connection import Connection
from companion.link.events import InputEdge, InputsChanged, InputsRead, LinkEvent, LinkLost
from companion.link.protocol_gen import COMMAND_TRIES, REPLY_TIMEOUT_MS, Colour
from tests.firmware.boards import Board, board
from tests.firmware.simulator import EXTRF, Faults, Simulator

pytestmark = [pytest.mark.firmware, pytest.mark.timeout(0)]
EDGES_PER_S = 200
REST_MS = 150
"""Minimum time between toggles of a cell.

It exceeds debouncing and the longest LED output.
"""
LATE_MS = 70
"""Debouncing and the longest LED output, before an edge shows in a snapshot."""
OLD_MS = LATE_MS + (COMMAND_TRIES - 1) * REPLY_TIMEOUT_MS
"""Maximum age of a snapshot: a repeated command gets the original reply."""
BLUR_MS = 40
"""Edges closer together than this may change places.

LED output hides both, and one scan finds them.
"""
START_MS = 120
NOISE = Faults(flip_ppm=200, drop_ppm=100, twice_ppm=100, delay_ppm=100, delay_us=3000)
PALETTE = tuple(
    Colour(level, 8 * index, 40 - level, 0, 0, 0, 0, 0) for index, level in enumerate(range(0, 32, 2))
)


@dataclass(frozen=True, slots=True)
class Toggle:
    """One true edge."""

    ms: int
    is_closed: bool


@dataclass
class Truth:
    """What was done to the switches, crossed off as the host tells of it."""

    cells: int
    closed: int = 0
    waiting: dict[int, deque[Toggle]] = field(default_factory=dict)
    toggled_ms: dict[int, int] = field(default_factory=dict)
    told: int = 0
    unknown: int = 0
    newest_told_ms: int = 0
    gaps: list[tuple[int, int]] = field(default_factory=list)
    """From the last edge told to the snapshot: what the host has declared unknown."""
    worst_stamp_ms: int = 0

    def toggle(self, cell: int, now_ms: int) -> bool:
        """Note that a cell changes now, and return its new level."""
        self.closed ^= 1 << cell
        is_closed = bool(self.closed >> cell & 1)
        self.waiting.setdefault(cell, deque()).append(Toggle(now_ms, is_closed))
        self.toggled_ms[cell] = now_ms
        return is_closed

    def choose(self, chance: random.Random, now_ms: int) -> int:
        """Return a cell that has been at rest long enough."""
        rested = [
            cell for cell in range(self.cells) if now_ms - self.toggled_ms.get(cell, -REST_MS) >= REST_MS
        ]
        return chance.choice(rested)

    def hear(self, event: LinkEvent, polled_ms: int) -> None:
        """Cross off the reported edges.

        Fails on an edge that never was, is reported twice or out of order. *polled_ms* is when the
        host polled last before: even if it has stalled, no snapshot is newer.
        """
        if isinstance(event, InputsChanged):
            for edge in event.edges:
                self._skip_pairs(edge)
                true = self.waiting[edge.input].popleft()
                assert true.is_closed == edge.is_closed
                assert true.ms >= self.newest_told_ms - BLUR_MS, "out of order"
                self.newest_told_ms = max(self.newest_told_ms, true.ms)
                self.worst_stamp_ms = max(self.worst_stamp_ms, abs(edge.t_ms - true.ms))
                self.told += 1
        elif isinstance(event, InputsRead):
            self._skip_to(event, polled_ms)

    def _skip_to(self, read: InputsRead, polled_ms: int) -> None:
        """Cross off the edges in a reported gap.

        Nothing older than the edges already received may be in it.
        """
        if read.has_gap:
            self.gaps.append((self.newest_told_ms - BLUR_MS, polled_ms + LATE_MS))
        for cell, waiting in self.waiting.items():
            is_closed = bool(read.closed >> cell & 1)
            while waiting and (waiting[0].ms < polled_ms - OLD_MS or self.closed_before(cell) != is_closed):
                self._skip(cell)
            assert self.closed_before(cell) == is_closed

    def _skip_pairs(self, edge: InputEdge) -> None:
        """Cross off a closing and opening that ended before the snapshot, which hides them."""
        waiting = self.waiting[edge.input]
        while len(waiting) > 2 and abs(waiting[2].ms - edge.t_ms) < abs(waiting[0].ms - edge.t_ms):
            self._skip(edge.input)
            self._skip(edge.input)

    def _skip(self, cell: int) -> None:
        """Cross off an edge that the host has declared unknown."""
        skipped = self.waiting[cell].popleft()
        assert any(begin <= skipped.ms <= end for begin, end in self.gaps), "missed and not said"
        self.unknown += 1

    def settle(self) -> None:
        """Cross off the edges before the last snapshot; all others must have been reported."""
        for cell, waiting in self.waiting.items():
            for _ in range(len(waiting) & ~1):
                self._skip(cell)
            assert not waiting

    def closed_before(self, cell: int) -> bool:
        """Return the level of a cell before the first toggle not yet crossed off."""
        waiting = self.waiting[cell]
        return not waiting[0].is_closed if waiting else bool(self.closed >> cell & 1)


@dataclass
class Campaign:
    """One board, one host, one truth, in virtual time."""

    sim: Simulator
    leds: int
    truth: Truth
    chance: random.Random
    connection: Connection = field(default_factory=lambda: Connection(0x77))
    losses: int = 0
    stall_until_ms: int = 0
    polled_ms: int = 0
    image: list[int] = field(default_factory=list)

    def live(self, ms: int, *, toggles: bool) -> None:
        """Let milliseconds pass for hand, board and host."""
        for _ in range(ms):
            now_ms = self.sim.now_ms
            if toggles and self.chance.random() < EDGES_PER_S / 1000:
                cell = self.truth.choose(self.chance, now_ms)
                self.sim.cell(cell, self.truth.toggle(cell, now_ms))
            if now_ms >= self.stall_until_ms:
                self._host(now_ms)
            self.sim.run_ms(1)

    def _host(self, now_ms: int) -> None:
        if now_ms % 50 == 0 and self.leds:
            self._repaint()
        self._hear(self.connection.feed(self.sim.take(), now_ms))
        self._hear(self.connection.tick(now_ms))
        self.sim.feed(self.connection.bytes_to_send(now_ms))
        self.polled_ms = now_ms

    def _repaint(self) -> None:
        """Light some other cells, as a game does twenty times a second at most."""
        self.image = self.image or [0] * self.leds
        for _ in range(5):
            self.image[self.chance.randrange(self.leds)] = self.chance.randrange(16)
        self.connection.show(tuple(self.image))

    def _hear(self, events: Iterable[LinkEvent]) -> None:
        for event in events:
            self.losses += isinstance(event, LinkLost)
            self.truth.hear(event, self.polled_ms)

    def settle(self) -> None:
        """Let the line be quiet and the host catch up."""
        for towards_chip in (True, False):
            self.sim.set_faults(towards_chip=towards_chip, faults=Faults())
        self.live(4000, toggles=False)
        self.truth.settle()


def campaign(sim: Simulator, on: Board, seed: int) -> Campaign:
    """A host that opens the port of a board that has started."""
    sim.run_ms(START_MS)
    made = Campaign(sim, on.panel.leds, Truth(on.panel.cells), random.Random(seed))
    made.connection.colour(PALETTE)
    made.live(400, toggles=False)
    assert made.connection.is_up
    return made


@pytest.fixture(
    params=[
        "8x8",
        pytest.param("16x16", marks=pytest.mark.long),
        pytest.param("20x20", marks=pytest.mark.long),
    ]
)
def on(request: pytest.FixtureRequest) -> Board:
    return board(str(request.param))


def test_on_a_good_line_every_edge_is_reported_with_its_time(on: Board) -> None:
    with on.powered() as sim:
        run = campaign(sim, on, seed=1)
        run.live(5_000, toggles=True)
        run.settle()
        truth = run.truth
        assert truth.told > 0.95 * EDGES_PER_S * 5
        assert truth.unknown == 0
        assert truth.worst_stamp_ms <= BLUR_MS
        assert run.losses == 0
        assert sim.counts().rx_overruns == 0


@pytest.mark.parametrize(
    "name", ["8x8", *(pytest.param(name, marks=pytest.mark.long) for name in ("16x16", "20x20"))]
)
def test_under_noise_stalls_and_resets_the_history_is_true_or_marks_its_gaps(
    name: str, *, is_long: bool
) -> None:
    on = board(name)
    with on.powered() as sim:
        run = campaign(sim, on, seed=2)
        seconds = 3600 if is_long else 22
        for towards_chip in (True, False):
            sim.set_faults(towards_chip=towards_chip, faults=NOISE)
        for second in range(seconds):
            if second % 20 == 19:
                sim.reset(EXTRF)
            if second % 7 == 3:
                run.stall_until_ms = sim.now_ms + run.chance.randrange(50, 600)
            run.live(1000, toggles=True)
        run.settle()
        truth = run.truth
        assert truth.told + truth.unknown > 0.95 * EDGES_PER_S * seconds
        assert truth.unknown < 0.05 * truth.told
        assert run.losses >= seconds // 20
