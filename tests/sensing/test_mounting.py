# SPDX-License-Identifier: Apache-2.0
"""A game lies on all or a part of its panel."""

from __future__ import annotations

import pytest

from companion import games
from companion.link.events import InputEdge, InputsChanged, InputsRead
from companion.link.panel import load_panel
from companion.model.grid import OFF, rectangle
from companion.model.observation import OCCUPIED, Change, Sightings
from companion.model.occupancy import occupancy_of
from companion.sensing.mounting import corner_names, mount, mounting_under, mountings, turned_goals
from companion.sensing.reed import ReedSensor

SMALL, LARGE = rectangle(4, 8), rectangle(8, 8)
PLACES = corner_names(mountings(SMALL, 64, 8, 8), 8, 8)


def on(corner: str, names: str) -> int:
    """The inputs under the cells *names* of a game at *corner*."""
    return occupancy_of(PLACES[corner].under[cell] for cell in SMALL.cells(names))


def test_a_game_lies_in_the_middle_of_a_larger_panel_by_default() -> None:
    usual = mountings(SMALL, 64, 8, 8)[0]
    assert LARGE.name(usual.corner) == "c1"
    assert [LARGE.name(usual.under[cell]) for cell in SMALL.cells("a1 d1 a8 d8")] == ["c1", "f1", "c8", "f8"]
    assert mountings(LARGE, 256, 16, 16)[0].corner == rectangle(16, 16).cell("e5")


def test_every_place_with_room_is_possible_and_no_other() -> None:
    assert set(PLACES) == {"a1", "b1", "c1", "d1", "e1"}
    assert len(mountings(LARGE, 400, 20, 20)) == 13 * 13
    assert mountings(LARGE, 32, 4, 8) == ()
    assert mountings(SMALL, 64, 8, 8)[1:] != ()


def test_a_game_on_a_panel_of_its_size_has_one_place_without_a_frame() -> None:
    (only,) = mountings(LARGE, 64, 8, 8)
    assert only == mount(LARGE)
    assert not only.frame


def test_a_grid_that_is_not_a_rectangle_needs_its_own_panel() -> None:
    wedges = games.find("martian-chess").rules({"players": "3"}).grid
    panel = load_panel("wedges-3")
    assert mountings(wedges, panel.cells, panel.files, panel.ranks) == (mount(wedges),)
    assert mountings(wedges, 400, 20, 20) == ()


def test_a_frame_surrounds_the_game_and_the_rest_is_dark() -> None:
    image = PLACES["d1"].image([7] * 32, frame=5)
    assert {LARGE.name(cell)[0] for cell, colour in enumerate(image) if colour == 5} == {"c", "h"}
    assert {LARGE.name(cell)[0] for cell, colour in enumerate(image) if colour == 7} == set("defg")
    assert {LARGE.name(cell)[0] for cell, colour in enumerate(image) if colour == 0} == set("ab")
    inner = mountings(LARGE, 256, 16, 16)[0]
    assert len(inner.frame) == 10 * 10 - 8 * 8
    assert all(inner.cells[number] == OFF for number in inner.frame)


def test_pieces_beside_the_game_are_not_sensed() -> None:
    sensor = ReedSensor(PLACES["c1"])
    parked = LARGE.cell("a4")
    read = sensor.observe(InputsRead(10, closed=on("c1", "b2") | 1 << parked, aux=0, has_gap=False))
    assert read is not None
    assert read.sightings == Sightings(occupancy_of(SMALL.cells("b2")))
    assert sensor.observe(InputsChanged(20, (InputEdge(20, parked, False),), on("c1", "b2"), 0)) is None
    edges = InputEdge(30, parked, True), InputEdge(31, LARGE.cell("c1"), True)
    seen = sensor.observe(InputsChanged(40, edges, on("c1", "a1 b2") | 1 << parked, 0))
    assert seen is not None
    assert seen.inputs == (Change(31, SMALL.cell("a1"), OCCUPIED),)


@pytest.mark.parametrize("corner", list(PLACES))
def test_the_pieces_say_where_the_game_is(corner: str) -> None:
    start = occupancy_of(SMALL.cells("a1 b1 c1 d1 a8 d8"))
    for goal in turned_goals(SMALL, start):
        closed = occupancy_of(PLACES[corner].under[cell] for cell in range(32) if goal >> cell & 1)
        assert mounting_under(PLACES.values(), closed, turned_goals(SMALL, start)) == PLACES[corner]


def test_pieces_that_fit_two_places_or_none_do_not_say_where_the_game_is() -> None:
    start = turned_goals(SMALL, occupancy_of(SMALL.cells("a1 b1 c1 d1")))
    whole_rank = occupancy_of(LARGE.cells("a1 b1 c1 d1 e1 f1 g1 h1"))
    assert mounting_under(PLACES.values(), whole_rank, start) is None
    assert mounting_under(PLACES.values(), on("b1", "a1 b1 c1"), start) is None
    assert mounting_under(PLACES.values(), 0, turned_goals(SMALL, 0)) is None
