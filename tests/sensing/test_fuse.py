# SPDX-License-Identifier: Apache-2.0
"""Switches and camera fused: each observation comes from a sensor, in switch order."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from companion.model.grid import Cell, rectangle
from companion.model.observation import (
    EMPTY,
    OCCUPIED,
    Change,
    Observation,
    Press,
    Sighting,
    Sightings,
)
from companion.model.occupancy import occupancy_of
from companion.sensing.fuse import LATE_MS, Fuser

GRID = rectangle(3, 2)
KING = Sighting(True, "king", 0)
TANK = Sighting(True, "tank", 1, 2)
TURNED = Sighting(True, "tank", 1, 4)


@dataclass
class Bench:
    """A fuser, the inputs of its two sensors, and its observations."""

    closed: set[Cell] = field(default_factory=set)
    shown: dict[Cell, Sighting] = field(default_factory=dict)
    hidden: set[Cell] = field(default_factory=set)
    now_ms: int = 1000
    fuser: Fuser = field(default_factory=lambda: Fuser(GRID))
    told: list[Observation] = field(default_factory=list)

    def hear(self, observation: Observation | None) -> Observation | None:
        if observation is not None:
            self.told.append(observation)
        return observation

    def felt(self, *inputs: Change | Press, has_gap: bool = False) -> Observation | None:
        sightings = Sightings(occupancy_of(self.closed))
        return self.hear(self.fuser.felt(Observation(self.now_ms, inputs, sightings, self.now_ms, has_gap)))

    def edge(self, cell: Cell, *, is_closed: bool) -> Observation | None:
        self.closed = self.closed | {cell} if is_closed else self.closed - {cell}
        return self.felt(Change(self.now_ms, cell, OCCUPIED if is_closed else EMPTY))

    def seen(self, *changed: Cell, taken: Cell | None = None) -> Observation | None:
        """*taken*: the cell on which an equal piece now replaces the former one."""
        left = () if taken is None else (Change(self.now_ms - 33, taken, EMPTY),)
        entered = (Change(self.now_ms, cell, self.shown.get(cell, EMPTY)) for cell in changed)
        inputs = (*left, *entered)
        sightings = Sightings(
            occupancy_of(self.shown), occupancy_of(self.hidden), tuple(sorted(self.shown.items()))
        )
        return self.hear(self.fuser.seen(Observation(self.now_ms, inputs, sightings, self.now_ms)))

    def wait(self, ms: int = LATE_MS + 1) -> Observation | None:
        """Let time pass without new camera images."""
        self.now_ms += ms
        return self.hear(self.fuser.looked(self.now_ms))

    def look(self, cell: Cell) -> Sighting:
        """The reported look of *cell*."""
        sightings = self.told[-1].sightings
        return dict(sightings.seen).get(cell, OCCUPIED if sightings.occupied >> cell & 1 else EMPTY)


def bench(**pieces: Sighting) -> Bench:
    """Both sensors have seen *pieces*, by the names of their cells."""
    cells = {GRID.cell(name): sighting for name, sighting in pieces.items()}
    made = Bench(closed=set(cells), shown=cells)
    assert made.felt(has_gap=True) is None  # no camera report yet
    first = made.seen()
    assert first is not None
    assert first.has_gap
    assert dict(first.sightings.seen) == cells
    return made


def test_a_lift_is_reported_at_once_and_the_placed_piece_once_the_camera_sees_it() -> None:
    at = bench(a1=KING)
    lifted = at.edge(0, is_closed=False)
    assert lifted is not None
    assert lifted.inputs == (Change(1000, 0, EMPTY),)
    at.now_ms += 200
    put = at.edge(4, is_closed=True)
    assert put is not None
    assert put.inputs == (Change(1200, 4, OCCUPIED),)
    at.now_ms += 100
    at.shown = {4: KING}
    known = at.seen(0, 4)
    assert known is not None
    assert known.inputs == ()
    assert at.look(4) == KING


def test_a_push_by_an_equal_piece_is_reported_without_any_edge() -> None:
    at = bench(a1=TANK, b1=TANK)
    at.edge(0, is_closed=False)
    at.now_ms += 100
    at.shown = {1: TANK}
    told = at.seen(0, 1, taken=1)
    assert told is not None
    assert told.inputs == (Change(1067, 1, EMPTY), Change(1100, 1, TANK))


def test_a_removal_for_an_equal_piece_is_reported_once_by_its_switch() -> None:
    at = bench(a1=TANK, b1=TANK)
    for cell, is_closed in ((0, False), (1, False), (1, True)):
        at.edge(cell, is_closed=is_closed)
    at.now_ms += 100
    at.shown = {1: TANK}
    told = at.seen(0, 1, taken=1)
    assert told is not None
    assert told.inputs == ()
    assert at.look(1) == TANK


def test_a_piece_put_back_is_identified_only_by_a_later_image() -> None:
    at = bench(a1=KING)
    at.edge(0, is_closed=False)
    at.edge(0, is_closed=True)
    assert at.look(0) == OCCUPIED
    assert at.wait(LATE_MS) is None
    assert at.wait(1) is not None
    assert at.look(0) == KING


def test_switches_report_under_a_hand_and_the_camera_reports_a_turn_afterwards() -> None:
    at = bench(b1=TANK)
    at.hidden = {1}
    assert at.seen() is None
    at.hidden, at.shown = set(), {1: TURNED}
    turned = at.seen(1)
    assert turned is not None
    assert turned.inputs == (Change(1000, 1, TURNED),)


def test_a_lift_under_a_hand_is_reported_by_the_switch() -> None:
    at = bench(b1=TANK)
    at.hidden = {1}
    at.seen()
    lifted = at.edge(1, is_closed=False)
    assert lifted is not None
    assert lifted.inputs == (Change(1000, 1, EMPTY),)


def test_a_piece_with_a_weak_magnet_is_accepted_after_some_images() -> None:
    at = bench(a1=KING)
    at.edge(0, is_closed=False)
    at.shown = {3: KING}
    at.seen(0, 3)
    assert at.look(3) == EMPTY
    believed = at.wait()
    assert believed is not None
    assert believed.inputs == (Change(at.now_ms, 3, KING),)
    assert at.fuser.disputed == 1 << 3


def test_a_stuck_switch_is_overruled_only_while_the_whole_board_is_visible() -> None:
    at = bench(a1=KING)
    at.shown, at.hidden = {}, {5}
    at.seen(0)
    at.wait()
    assert at.look(0) == OCCUPIED  # under the hand on c2 there may be a piece that the camera did not count
    at.hidden = set()
    at.seen()
    at.wait()
    assert at.look(0) == EMPTY
    assert at.fuser.disputed == 1


def test_a_switch_that_changes_again_is_trusted_again() -> None:
    at = bench(a1=KING)
    at.shown = {}
    at.seen(0)
    at.wait()
    at.closed.clear()
    assert at.edge(0, is_closed=False) is None  # already known
    assert at.fuser.disputed == 0
    assert at.edge(0, is_closed=True) is not None
    assert at.look(0) == OCCUPIED


def test_presses_keep_their_place_among_the_edges() -> None:
    at = bench(a1=KING)
    at.closed = {1}
    inputs = (Change(1001, 0, EMPTY), Press(1002, 1), Change(1003, 1, OCCUPIED))
    told = at.felt(*inputs)
    assert told is not None
    assert told.inputs == inputs


def test_the_panel_plays_on_without_camera_and_keeps_known_pieces() -> None:
    at = bench(a1=KING, b1=TANK)
    at.hear(at.fuser.blind(at.now_ms))
    assert (at.look(0), at.look(1)) == (KING, TANK)
    at.edge(0, is_closed=False)
    at.edge(3, is_closed=True)
    assert at.look(3) == OCCUPIED
    at.wait()
    assert at.look(1) == TANK


def test_the_camera_plays_on_without_panel_and_hides_covered_cells() -> None:
    at = bench(a1=KING)
    at.edge(0, is_closed=False)
    believed = at.hear(at.fuser.numb(at.now_ms))
    assert believed is not None
    assert believed.inputs == (
        Change(1000, 0, KING),
    )  # as the camera saw it, whatever the switches reported last
    at.hidden = {0}
    at.seen()
    assert at.told[-1].sightings.hidden == 1
    at.shown, at.hidden = {4: KING}, set()
    moved = at.seen(0, 4)
    assert moved is not None
    assert moved.inputs == (Change(1000, 0, EMPTY), Change(1000, 4, KING))


def test_a_table_that_starts_without_camera_reports_its_switches() -> None:
    at = Bench(closed={2})
    at.felt(has_gap=True)
    assert at.told == []
    at.hear(at.fuser.blind(at.now_ms))
    assert at.told[-1].sightings == Sightings(1 << 2)


def test_a_cell_whose_switch_is_broken_is_seen_or_hidden() -> None:
    at = bench(a1=KING, b1=TANK)
    at.hear(at.fuser.felt(Observation(at.now_ms, (), Sightings(1 << 1, hidden=1), at.now_ms, has_gap=True)))
    assert at.look(0) == KING
    at.hidden = {0}
    at.seen()
    assert at.told[-1].sightings.hidden == 1


looks = st.none() | st.sampled_from([KING, TANK, TURNED])
cells = st.integers(0, len(GRID) - 1)
acts = st.lists(
    st.one_of(
        st.tuples(st.just("edge"), cells),
        st.tuples(st.just("see"), cells, looks),
        st.tuples(st.just("hide"), st.sets(cells, max_size=3)),
        st.tuples(st.just("wait"), st.integers(1, 700)),
        st.tuples(st.just("blind")),
        st.tuples(st.just("numb")),
    ),
    max_size=25,
)


def act(at: Bench, what: tuple[object, ...]) -> None:
    """Apply one random event to the two sensors."""
    match what:
        case ("edge", int(cell)):
            at.edge(cell, is_closed=cell not in at.closed)
        case ("see", int(cell), None):
            at.shown = {where: look for where, look in at.shown.items() if where != cell}
            at.seen(cell)
        case ("see", int(cell), Sighting() as look):
            at.shown = {**at.shown, cell: look}
            at.seen(cell)
        case ("hide", set(hidden)):
            at.hidden = hidden
            at.seen()
        case ("wait", int(ms)):
            at.wait(ms)
        case ("blind",):
            at.hear(at.fuser.blind(at.now_ms))
        case ("numb",):
            at.hear(at.fuser.numb(at.now_ms))


@given(acts)
def test_every_report_comes_from_one_of_the_sensors(script: list[tuple[object, ...]]) -> None:
    at = bench(a1=KING, b1=TANK)
    for what in script:
        count = len(at.told)
        act(at, what)
        at.now_ms += 1
        if len(at.told) == count:
            continue
        sightings = at.told[-1].sightings
        for cell in range(len(GRID)):
            if sightings.hidden >> cell & 1:
                continue
            told, shown = at.look(cell), at.shown.get(cell, EMPTY)
            assert told.occupied in (cell in at.closed, shown.occupied)
            for claim in ("kind", "side", "facing", "pose"):
                assert getattr(told, claim) in (None, getattr(shown, claim))


@given(acts)
def test_the_inputs_lead_from_each_sighting_to_the_next(script: list[tuple[object, ...]]) -> None:
    at = bench(a1=KING, b1=TANK)
    for what in script:
        act(at, what)
        at.now_ms += 1
    occupied = at.told[0].sightings.occupied
    times: list[int] = []
    for observation in at.told[1:]:
        for entered in observation.inputs:
            assert isinstance(entered, Change)
            bit = 1 << entered.cell
            occupied = occupied | bit if entered.sighting.occupied else occupied & ~bit
            times.append(entered.t_ms)
        if not observation.has_gap:
            assert occupied == observation.sightings.occupied
        occupied = observation.sightings.occupied
    assert times == sorted(times)


@given(acts)
def test_sightings_are_complete_once_both_sensors_agree(script: list[tuple[object, ...]]) -> None:
    at = bench(a1=KING, b1=TANK)
    for what in script:
        act(at, what)
        at.now_ms += 1
    at.hidden, at.closed = set(), set(at.shown)
    at.felt(has_gap=True)
    at.seen()
    at.wait()
    at.wait()
    assert {cell: at.look(cell) for cell in range(len(GRID))} == {
        cell: at.shown.get(cell, EMPTY) for cell in range(len(GRID))
    }
    assert at.fuser.disputed == 0
