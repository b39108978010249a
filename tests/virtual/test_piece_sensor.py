# SPDX-License-Identifier: Apache-2.0
"""A camera adds faces and facings to what the switches report."""

from __future__ import annotations

from companion.model.observation import (
    EMPTY,
    OCCUPIED,
    Change,
    Observation,
    Press,
    SensorKind,
    Sighting,
    Sightings,
)
from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.virtual.piece_sensor import PieceSensor

TANK = Piece("tank", 0, facing=2)
SEEN = Sighting(occupied=True, kind="tank", side=0, facing=2, pose="standing")


def felt(at_ms: int, occupied: int, *inputs: Change | Press) -> Observation:
    return Observation(at_ms, inputs, Sightings(occupied), at_ms)


def eye(kind: SensorKind = SensorKind.IDENTITY_FACING) -> PieceSensor:
    """A piece sensor that sees a tank on cell 3, before any switch reported it."""
    made = PieceSensor(kind)
    assert made.look(Placement.of([(3, TANK)]), 5) is None
    return made


def test_a_piece_put_down_is_reported_with_its_face_when_its_switch_closes() -> None:
    told = eye().completed(felt(9, 8, Change(9, 3, OCCUPIED), Press(9, 1)))
    assert told.inputs == (Change(9, 3, SEEN), Press(9, 1))
    assert told.sightings == Sightings(8, seen=((3, SEEN),))


def test_no_piece_is_seen_where_no_switch_is_closed() -> None:
    told = eye().completed(felt(9, 0, Change(9, 3, EMPTY)))
    assert told == felt(9, 0, Change(9, 3, EMPTY))


def test_a_piece_turned_in_place_is_reported() -> None:
    watching = eye()
    watching.completed(felt(9, 8))
    assert watching.look(Placement.of([(3, TANK)]), 10) is None
    turned = Sighting(occupied=True, kind="tank", side=0, facing=5, pose="standing")
    told = watching.look(Placement.of([(3, Piece("tank", 0, facing=5))]), 20)
    assert told == Observation(20, (Change(20, 3, turned),), Sightings(8, seen=((3, turned),)), 20)


def test_a_camera_reports_no_more_than_its_sensor_kind_allows() -> None:
    watching = eye(SensorKind.SIDE)
    told = watching.completed(felt(9, 8, Change(9, 3, OCCUPIED)))
    assert told.inputs == (Change(9, 3, Sighting(occupied=True, side=0)),)
    assert watching.look(Placement.of([(3, Piece("tank", 0, facing=5))]), 20) is None
