# SPDX-License-Identifier: Apache-2.0
"""The sensor test finds every kind of fault of a switch, and no others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from companion.link.events import InputEdge, InputsChanged
from companion.sensing.sensor_check import FAULTY, GOOD, WANTED, FaultKind, SensorCheck, SwitchFault

CELLS = 12
STEP_MS = 20
WALK_MS, STAND_MS = 300, 700
DEAD, STUCK, WEAK, DOUBLED, ELSEWHERE, SWAPPED, RESTLESS = FaultKind


@dataclass
class Board:
    """Twelve switches with faults, and a hand that follows the lamp."""

    closes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """The switches that a magnet closes, where it is not that of its cell."""
    sticks: frozenset[int] = frozenset()
    """Switches that do not open again."""
    flickers: frozenset[int] = frozenset()
    closed: set[int] = field(default_factory=set)
    now_ms: int = 0

    def __post_init__(self) -> None:
        self.check = SensorCheck(range(CELLS), sum(1 << cell for cell in self.closed), 0)

    def let(self, ms: int) -> None:
        for _ in range(ms // STEP_MS):
            self.now_ms += STEP_MS
            self.check.advance(self.now_ms)

    def set(self, cells: tuple[int, ...], is_closed: bool) -> None:
        moved = [cell for cell in cells if (cell in self.closed) != is_closed]
        for cell in moved:
            if is_closed or cell not in self.sticks:
                self.closed ^= {cell}
                edge = InputEdge(self.now_ms, cell, is_closed)
                self.check.take(InputsChanged(self.now_ms, (edge,), 0, 0), self.now_ms)

    def visit(self, at: int) -> None:
        """Carry the magnet to cell *at*, let it stand, and lift it."""
        felt = self.closes.get(at, (at,))
        self.let(WALK_MS)
        self.set(felt, True)
        for _ in range(STAND_MS // (2 * STEP_MS) if at in self.flickers else 0):
            self.set(felt, False)
            self.let(STEP_MS)
            self.set(felt, True)
            self.let(STEP_MS)
        self.let(STAND_MS)
        self.set(felt, False)

    def test(self) -> tuple[SwitchFault, ...]:
        """Follow the lamp to the verdict; return the faults."""
        for _ in range(1000):
            if self.check.is_over:
                return self.check.faults
            if self.check.target is None:
                self.let(WALK_MS)
            else:
                self.visit(self.check.target)
        raise AssertionError(f"no verdict; {self.check.target} is lit")


def test_a_board_without_faults_passes() -> None:
    board = Board()
    assert board.test() == ()
    assert board.check.is_right
    assert board.check.good == set(range(CELLS))


@pytest.mark.parametrize(
    ("board", "faults"),
    [
        (lambda: Board(closes={5: ()}), (SwitchFault(DEAD, 5),)),
        (lambda: Board(sticks=frozenset({3})), (SwitchFault(STUCK, 3),)),
        (lambda: Board(sticks=frozenset({11})), (SwitchFault(STUCK, 11),)),
        (lambda: Board(closed={7}, sticks=frozenset({7})), (SwitchFault(STUCK, 7),)),
        (lambda: Board(flickers=frozenset({4})), (SwitchFault(WEAK, 4),)),
        (lambda: Board(closes={2: (2, 6)}), (SwitchFault(DOUBLED, 2, 6),)),
        (lambda: Board(closes={2: (2, 6), 6: (2, 6)}), (SwitchFault(DOUBLED, 2, 6),)),
        (lambda: Board(closes={1: (2,), 2: (1,)}), (SwitchFault(SWAPPED, 1, 2),)),
        (lambda: Board(closes={1: (9,), 9: (1,)}), (SwitchFault(SWAPPED, 1, 9),)),
        (
            lambda: Board(closes={0: (1,), 1: (2,), 2: (0,)}),
            (SwitchFault(ELSEWHERE, 0, 1), SwitchFault(ELSEWHERE, 1, 2), SwitchFault(ELSEWHERE, 2, 0)),
        ),
        (
            lambda: Board(closes={1: (1, 5), 3: (), 8: (10,), 10: (8,)}, flickers=frozenset({6})),
            (
                SwitchFault(DOUBLED, 1, 5),
                SwitchFault(WEAK, 6),
                SwitchFault(SWAPPED, 8, 10),
                SwitchFault(DEAD, 3),
            ),
        ),
    ],
)
def test_each_fault_is_found_and_nothing_else(
    board: Callable[[], Board], faults: tuple[SwitchFault, ...]
) -> None:
    assert board().test() == faults


def test_a_fault_is_known_while_the_magnet_still_stands_there() -> None:
    board = Board(closes={0: (0, 4)})
    board.let(WALK_MS)
    board.set((0, 4), True)
    board.let(500)
    assert board.check.faults == (SwitchFault(DOUBLED, 0, 4),)
    assert board.check.last_fault == SwitchFault(DOUBLED, 0, 4)
    lamps = board.check.lamps(CELLS)
    assert (lamps[0], lamps[1], lamps[4]) == (FAULTY, WANTED, FAULTY)


def test_a_slip_of_the_hand_is_withdrawn_at_the_second_visit() -> None:
    board = Board()
    board.let(WALK_MS)
    board.set((6,), True)
    board.let(STAND_MS)
    board.set((6,), False)
    assert board.check.faults == (SwitchFault(ELSEWHERE, 0, 6),)
    assert board.test() == ()
    assert board.check.lamps(CELLS) == (GOOD,) * CELLS


def test_cells_that_a_hand_passes_are_no_faults() -> None:
    board = Board()
    for _ in range(CELLS):
        wanted = board.check.target
        assert wanted is not None
        for passed in range(CELLS):
            board.set((passed,), True)
            board.let(60)
            board.set((passed,), False)
            board.let(60)
        board.visit(wanted)
    board.let(WALK_MS)
    assert board.check.is_right


def test_a_piece_on_the_board_is_taken_off_before_the_test_begins() -> None:
    board = Board(closed={2, 3})
    assert board.check.waits_for_empty_board == (2, 3)
    board.let(1000)
    board.set((2, 3), False)
    assert board.test() == ()


def test_a_cell_that_is_skipped_is_dead_and_one_back_is_visited_again() -> None:
    board = Board()
    board.visit(0)
    board.check.skip(board.now_ms)
    assert (board.check.target, board.check.faults) == (2, (SwitchFault(DEAD, 1),))
    board.check.back(board.now_ms)
    assert (board.check.target, board.check.faults) == (1, ())
    assert board.test() == ()


def test_a_test_that_is_ended_names_what_is_missing() -> None:
    board = Board()
    for cell in range(3):
        board.visit(cell)
    board.check.end()
    assert board.check.missing == tuple(range(3, CELLS))
    assert not board.check.is_right


def test_a_whole_dead_row_is_visited_only_once() -> None:
    board = Board(closes=dict.fromkeys(range(9), ()))
    assert len(board.test()) == 9
    assert board.now_ms < 9 * 10_000 + 5_000 + CELLS * (WALK_MS + STAND_MS)


def test_a_switch_that_the_panel_reports_as_restless_is_weak() -> None:
    board = Board()
    for cell in (5, 0):  # only the second is being visited
        board.check.note_chatter(cell, 10)
    assert board.check.faults == (SwitchFault(WEAK, 0),)


@pytest.mark.parametrize(("pause_ms", "faults"), [(80, (SwitchFault(RESTLESS, 7),)), (500, ())])
def test_a_switch_that_changes_faster_than_a_hand_is_restless_wherever_the_magnet_is(
    pause_ms: int, faults: tuple[SwitchFault, ...]
) -> None:
    board = Board()
    for _ in range(20):
        board.set((7,), 7 not in board.closed)
        board.let(pause_ms)
    assert tuple(each for each in board.check.faults if each.cell == 7) == faults


def test_six_changes_under_a_passing_magnet_are_no_fault() -> None:
    board = Board()
    for _ in range(6):
        board.set((7,), 7 not in board.closed)
        board.let(STEP_MS)
    assert board.check.faults == ()
