# SPDX-License-Identifier: Apache-2.0
"""The switches of a panel become ordered observations on the grid's cells."""

from __future__ import annotations

import pytest

from companion.link.events import InputEdge, InputsChanged, InputsRead, LinkEvent, LinkLost
from companion.link.protocol_gen import INPUT_BUTTON, INPUT_LEVER
from companion.model.grid import Grid, rectangle
from companion.model.observation import EMPTY, OCCUPIED, Change, LeverTurned, Observation, Press, Sightings
from companion.sensing.mounting import mount
from companion.sensing.reed import ReedSensor
from tests.wires import ConnectionPair


def test_a_lifted_and_placed_piece_with_a_press_between_keeps_its_order() -> None:
    sensor = ReedSensor(mount(rectangle(8, 8)))
    sensor.observe(InputsRead(100, closed=1 << 8, aux=0, has_gap=False))
    edges = (
        InputEdge(200, 8, False),
        InputEdge(230, INPUT_BUTTON + 2, True),
        InputEdge(240, INPUT_BUTTON + 2, False),
        InputEdge(250, INPUT_LEVER, True),
        InputEdge(300, 16, True),
    )
    assert sensor.observe(InputsChanged(310, edges, closed=1 << 16, aux=1 << 15)) == Observation(
        310,
        (Change(200, 8, EMPTY), Press(230, 2), LeverTurned(250, 1), Change(300, 16, OCCUPIED)),
        Sightings(1 << 16),
        rest_since_ms=300,
    )


def test_a_press_does_not_affect_the_sightings() -> None:
    sensor = ReedSensor(mount(rectangle(8, 8)))
    sensor.observe(InputsChanged(50, (InputEdge(40, 1, True),), closed=2, aux=0))
    pressed = sensor.observe(InputsChanged(90, (InputEdge(80, INPUT_BUTTON, True),), closed=2, aux=1))
    assert pressed is not None
    assert pressed.rest_since_ms == 40


def test_a_released_button_is_no_observation() -> None:
    sensor = ReedSensor(mount(rectangle(8, 8)))
    assert sensor.observe(InputsChanged(90, (InputEdge(80, INPUT_BUTTON, False),), closed=0, aux=0)) is None


def test_a_gap_is_passed_on() -> None:
    sensor = ReedSensor(mount(rectangle(8, 8)))
    read = sensor.observe(InputsRead(700, closed=5, aux=0, has_gap=True))
    assert read == Observation(700, (), Sightings(5), rest_since_ms=700, has_gap=True)


def test_other_events_make_no_observation() -> None:
    assert ReedSensor(mount(rectangle(8, 8))).observe(LinkLost(1, "gone")) is None


def corner(grid: Grid, name: str, turns: int) -> str:
    """The position of the panel's cell *name* after *turns*."""
    return grid.name(mount(grid, turns).cells[grid.cell(name)])


@pytest.mark.parametrize(
    ("turns", "expected"),
    [(0, "a1 b1 h1"), (1, "a8 a7 a1"), (2, "h8 g8 a8"), (3, "h1 h2 h8"), (-1, "h1 h2 h8")],
)
def test_a_square_panel_may_be_rotated(turns: int, expected: str) -> None:
    grid = rectangle(8, 8)
    assert " ".join(corner(grid, name, turns) for name in ("a1", "b1", "h1")) == expected


def test_a_rotated_panel_reports_the_grids_cells_and_sides() -> None:
    grid = rectangle(4, 8)
    sensor = ReedSensor(mount(grid, 2))
    edges = (InputEdge(10, 0, True), InputEdge(20, INPUT_LEVER, True))
    seen = sensor.observe(InputsChanged(30, edges, closed=1, aux=1 << 15))
    assert seen is not None
    assert seen.sightings.occupied == 1 << grid.cell("d8")
    assert seen.inputs == (Change(10, grid.cell("d8"), OCCUPIED), LeverTurned(20, 0))


@pytest.mark.parametrize(("grid", "turns"), [(rectangle(4, 8), 1), (rectangle(4, 8), 3)])
def test_a_panel_that_is_not_square_cannot_be_rotated_by_a_quarter(grid: Grid, turns: int) -> None:
    with pytest.raises(ValueError, match="cannot be turned"):
        mount(grid, turns)


def test_a_broken_switch_is_hidden_and_its_edges_are_ignored() -> None:
    grid = rectangle(8, 8)
    sensor = ReedSensor(mount(grid), broken=1 << 4)
    seen = sensor.observe(
        InputsChanged(30, (InputEdge(10, 4, True), InputEdge(20, 5, True)), closed=0x30, aux=0)
    )
    assert seen is not None
    assert seen.sightings == Sightings(1 << 5, hidden=1 << 4)
    assert seen.inputs == (Change(20, 5, OCCUPIED),)
    assert sensor.observe(InputsChanged(50, (InputEdge(40, 4, False),), closed=0x20, aux=0)) is None


def test_a_switch_of_a_virtual_panel_makes_an_observation() -> None:
    """The whole chain: a virtual panel, the real link, the sensor."""
    grid = rectangle(4, 8)
    pair = ConnectionPair("4x8")
    pair.run(5)
    pair.panel.close(grid.cell("c3"), pair.now_ms)
    pair.run(10)
    sensor = ReedSensor(mount(grid))
    seen: list[LinkEvent] = pair.events
    observations = [made for event in seen if (made := sensor.observe(event))]
    assert [
        grid.spell([each.cell for each in made.inputs if isinstance(each, Change)]) for made in observations
    ] == [
        "",
        "c3",
    ]
