# SPDX-License-Identifier: Apache-2.0
"""The sensor test at a simulated board, as seen on lamps and display alone.

A hand goes where the lamp blinks; the faults are made in the wiring and the contacts.
"""

from dataclasses import dataclass, field, replace

import pytest

from companion.host.doctor.sensor_test import SensorTest
from companion.link.connection import Connection
from companion.sensing.sensor_check import CheckTiming, FaultKind, SwitchFault
from tests.firmware.boards import Board, board
from tests.firmware.simulator import Simulator

pytestmark = pytest.mark.firmware
TIMING = CheckTiming(hold_ms=12, wait_ms=250)
CARRY_MS = 14
STAND_MS = 32
RESTLESS_MS = 1200
"""The panel reports chatter each second."""
LONGEST_MS = 60_000


@dataclass
class Bench:
    """A board under test: the program beside the chip, in virtual time."""

    tested: Board
    sim: Simulator
    dead: frozenset[int] = frozenset()
    stuck: frozenset[int] = frozenset()
    restless: frozenset[int] = frozenset()
    also: dict[int, int] = field(default_factory=dict)
    """A second switch that the magnet closes."""
    shown: set[str] = field(default_factory=set)
    """Lines that the display has shown."""
    timing: CheckTiming = TIMING

    def __post_init__(self) -> None:
        self.host = Connection(nonce=7)
        self.program: SensorTest | None = None
        for cell in self.stuck:
            self.sim.cell(cell, True)

    def let(self, ms: int) -> None:
        for _ in range(ms):
            self.sim.feed(self.host.bytes_to_send(self.sim.now_ms))
            self.sim.run_ms(1)
            now_ms = self.sim.now_ms
            events = [*self.host.feed(self.sim.take(), now_ms), *self.host.tick(now_ms)]
            if self.program is not None:
                self.program.take(events, now_ms)
            elif self.host.is_up:
                self.program = SensorTest(self.host, "en", now_ms, self.timing)

    def blinking(self) -> int | None:
        """The cell whose lamp is amber, as the LEDs show it."""
        colours = self.tested.colours(self.sim.images())
        return next((cell for cell, (red, green, _) in enumerate(colours) if red and green), None)

    def visit(self, cell: int) -> None:
        """Let the magnet stand on *cell*."""
        felt = [each for each in (cell, self.also.get(cell, -1)) if each >= 0 and each not in self.dead]
        for each in felt:
            self.sim.cell(each, True)
        for turn in range(RESTLESS_MS if cell in self.restless else STAND_MS):
            if cell in self.restless:  # changes again before the debounce time is over
                self.sim.cell(cell, turn // 3 % 2 == 0)
            self.let(1)
        self.shown |= set(self.sim.display())
        for each in felt:
            self.sim.cell(each, each in self.stuck)
        self.let(CARRY_MS)

    def run(self) -> tuple[SwitchFault, ...]:
        """Go where the lamp blinks until the verdict."""
        while self.sim.now_ms < LONGEST_MS:
            self.shown |= set(self.sim.display())
            if self.program is not None and self.program.check.is_over:
                self.let(150)
                self.shown |= set(self.sim.display())
                return self.program.check.faults
            cell = self.blinking()
            if cell is None:
                self.let(5)
            else:
                self.visit(cell)
        raise AssertionError(f"no verdict; the display says {self.sim.display()}")


@pytest.mark.long
def test_a_board_without_faults_passes_on_its_display() -> None:
    tested = board("4x8")
    with tested.powered() as sim:
        bench = Bench(tested, sim)
        assert bench.run() == ()
        assert sim.display() == ("All switches OK", "")
        assert {"Magnet: a1", "Magnet: a8"} <= bench.shown


@pytest.mark.parametrize(
    ("weak", "wait_ms"), [((), 250), pytest.param((2,), 1500, marks=pytest.mark.long)], ids=["", "weak"]
)
def test_dead_stuck_weak_doubled_and_swapped_switches_are_found_at_the_board(
    weak: tuple[int, ...], wait_ms: int
) -> None:
    tested = board("4x8")
    order = list(tested.topology.positions)
    order[4], order[9] = order[9], order[4]
    crossed = replace(tested, topology=replace(tested.topology, positions=order))
    with crossed.powered() as sim:
        bench = Bench(
            crossed,
            sim,
            dead=frozenset({7}),
            stuck=frozenset({16}),
            restless=frozenset(weak),
            also={20: 24},
            timing=CheckTiming(hold_ms=12, wait_ms=wait_ms),
        )
        found = bench.run()
        assert set(found) == {
            SwitchFault(FaultKind.STUCK, 16),
            *(SwitchFault(FaultKind.WEAK, cell) for cell in weak),
            SwitchFault(FaultKind.DEAD, 7),
            SwitchFault(FaultKind.SWAPPED, 4, 9),
            SwitchFault(FaultKind.DOUBLED, 20, 24),
        }
        assert {"Clear the board", "d2: dead", "a6: a7 too"} <= bench.shown
        assert ("c1: weak" in bench.shown) == bool(weak)
        assert sim.display()[0] == f"Faults: {len(found)}"
        assert sim.display()[1].startswith(("a2 d2 b3 a5 a6", "c1 a2 d2 b3 a5"))


@pytest.mark.long
def test_the_shadow_of_a_slow_column_is_a_doubled_switch() -> None:
    tested = board("4x8")
    column = tested.topology.column
    with tested.powered() as sim:
        sim.lengthen(1, extra_pf=column.rising_in(15).wire_pf - column.wire_pf)
        found = Bench(tested, sim).run()
        assert set(found) == {SwitchFault(FaultKind.DOUBLED, cell, cell + 4) for cell in range(1, 28, 4)}
