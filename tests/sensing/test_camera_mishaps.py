# SPDX-License-Identifier: Apache-2.0
"""Disturbances at real tables: resting hands, lamps, changing light, displaced tags."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from companion.games import find
from companion.model.observation import Change, Observation, SensorKind, Sighting
from companion.model.pieces import Piece
from companion.model.tags import family
from companion.referee.values.board.looks import look
from companion.sensing.problems import CameraProblem
from companion.sheets.chart import lens_chart
from tests.sensing.vision.tables import CameraTable
from tests.virtual.optics import Optics
from tests.virtual.render import Arm, Thing
from tests.virtual.scene import Exposure

KIND = SensorKind.IDENTITY_FACING
DUEL = {"map": "Duel; 8x8; B4 G5; CA1N LC2N MD2N ME3N cH8S lF7S mE7S mD6S"}
CLOSE = Optics((960, 540), (200.0, -60.0, 520.0), (200.0, 165.0), focal_px=450.0, noise=3.0)


def told(table: CameraTable, images: int, **circumstances: Any) -> list[Observation]:
    """The observations of the next images."""
    made = (table.see(**circumstances) for _ in range(images))
    return [observation for observation in made if observation is not None]


def moved(table: CameraTable, observations: list[Observation]) -> list[str]:
    """The cells reported with a changed look, in order."""
    return [
        table.grid.name(entry.cell)
        for observation in observations
        for entry in observation.inputs
        if isinstance(entry, Change)
    ]


def expected(table: CameraTable) -> dict[int, Sighting]:
    """The sightings of a perfect sensor in the initial position."""
    pieces = table.rules.placement(table.rules.initial()).by_cell()
    return {cell: look(piece, KIND) for cell, piece in pieces.items()}


def shift(table: CameraTable, source: str, target: str, turned: int = 0) -> None:
    """Move a piece without a visible hand."""
    cell = table.grid.cell(source)
    piece = table.rules.placement(table.rules.initial()).by_cell()[cell]
    facing = None if piece.facing is None else (piece.facing + turned) % 8
    table.put(table.grid.cell(target), replace(piece, facing=facing), table.take(cell))


@pytest.fixture
def table() -> CameraTable:
    """A small Tank Chess board in its start position, after the sensor has seen it."""
    made = CameraTable(find("tank-chess"), DUEL, CLOSE, seed=4)
    made.set_up(made.rules.initial())
    first = told(made, 20)
    assert dict(first[0].sightings.seen) == expected(made)
    return made


def test_several_hands_hide_several_areas(table: CameraTable) -> None:
    one, other = table.grid.cell("A1"), table.grid.cell("H8")
    far = Arm(table.grid.centre_mm(other), (700.0, 500.0), palm_mm=40.0)
    seen = told(table, 8, arms=[table.arm(one), far])
    assert moved(table, seen) == []
    assert seen[-1].sightings.hidden >> one & 1
    assert seen[-1].sightings.hidden >> other & 1


def test_a_toppled_piece_hides_its_cell_until_it_stands_again(table: CameraTable) -> None:
    cell = table.grid.cell("C2")
    mark = table.standing[cell]
    blank = ((False,) * 8,) * 8  # the side, without a tag
    upright = table.thing(cell, Piece(mark.piece.kind, mark.piece.side, 0), mark)
    table.scene.put(900, replace(upright, pattern=blank, height_mm=20.0))
    table.take(cell)
    seen = told(table, 30)
    assert moved(table, seen) == []
    assert seen[-1].sightings.hidden >> cell & 1
    table.scene.put(900, None)
    table.put(cell, Piece(mark.piece.kind, mark.piece.side, 0), mark)
    again = told(table, 6)
    assert moved(table, again) == []
    assert again[-1].sightings.hidden == 0


def test_sun_and_shadow_change_nothing_and_moves_are_still_reported(
    table: CameraTable,
) -> None:
    patch = ((20.0, 130.0), (280.0, 150.0), (290.0, 290.0), (10.0, 260.0))
    source = "C2"
    for gain, target in ((1.3, "C1"), (0.7, "D1")):
        light = Exposure(0.75, patch_mm=patch, patch_gain=gain)
        assert moved(table, told(table, 20, exposure=light)) == []
        before = dict(expected(table))[table.grid.cell("C2")]
        table.put(
            table.grid.cell(target),
            Piece(str(before.kind), before.side, before.facing),
            table.take(table.grid.cell(source)),
        )
        assert moved(table, told(table, 6, exposure=light)) == [source, target]
        source = target


def test_an_exposure_that_drifts_changes_nothing(table: CameraTable) -> None:
    gains = [1.0 - 0.35 * abs((image % 60) / 30 - 1) for image in range(120)]
    observations = [table.see(Exposure(gain, flicker=0.02, phase=0.37 * gain)) for gain in gains]
    seen = [observation for observation in observations if observation is not None]
    assert moved(table, seen) == []
    shift(table, "C2", "C1")
    assert moved(table, told(table, 6)) == ["C2", "C1"]


def test_fingers_at_a_cell_on_the_edge_hide_it(table: CameraTable) -> None:
    cell = table.grid.cell("H3")
    x, y = table.grid.centre_mm(cell)
    finger = Arm((x - 10, y), (x + 300, y), palm_mm=18.0, height_mm=25.0)
    seen = told(table, 20, arms=[finger])
    assert moved(table, seen) == []
    assert seen[-1].sightings.hidden >> cell & 1
    assert moved(table, told(table, 5)) == []


def test_a_hand_that_rests_at_set_up_is_not_taken_for_the_board() -> None:
    table = CameraTable(find("tank-chess"), DUEL, CLOSE, seed=5)
    table.set_up(table.rules.initial())
    resting = Arm(table.grid.centre_mm(table.grid.cell("G3")), (700.0, 100.0), palm_mm=45.0, height_mm=20.0)
    told(table, 20, arms=[resting])
    seen = told(table, 20)
    assert seen[-1].sightings.hidden == 0
    assert dict(seen[-1].sightings.seen) == expected(table)
    shift(table, "C2", "G3")
    assert moved(table, told(table, 6)) == ["C2", "G3"]


def test_tags_of_different_heights_lie_on_their_own_cells() -> None:
    table = CameraTable(find("tank-chess"), DUEL, CLOSE, seed=6)
    chance = Random(6)
    heights = {mark.tag: chance.choice([0.0, 6.0, 20.0, 35.0]) for mark in table.marks}
    tall = CameraTable(find("tank-chess"), DUEL, CLOSE, seed=6, heights_mm=heights)
    tall.set_up(tall.rules.initial())
    assert dict(told(tall, 20)[0].sightings.seen) == expected(table)
    shift(tall, "ME3"[1:], "E4")
    assert moved(tall, told(tall, 6)) == ["E3", "E4"]


@pytest.mark.parametrize(
    ("game", "options"), [("martian-chess", {"players": "3"}), ("martian-chess", {"players": "6"})]
)
def test_boards_of_wedges_are_read(game: str, options: dict[str, str]) -> None:
    rules = find(game).rules(options)
    points = [point for outline in rules.grid.outlines for point in outline]
    (left, right), (near, far) = ((min(axis), max(axis)) for axis in zip(*points, strict=True))
    middle = ((left + right) / 2, (near + far) / 2)
    reach = max(right - left, far - near)
    optics = Optics(
        (1280, 960), (middle[0], middle[1] - 0.3 * reach, 1.5 * reach), middle, focal_px=900.0, noise=3.0
    )
    table = CameraTable(find(game), options, optics, seed=7)
    position = table.rules.initial()
    table.set_up(position)
    pieces = table.rules.placement(position).by_cell()
    wanted = {cell: (piece.kind, piece.pose) for cell, piece in pieces.items()}
    seen = dict(told(table, 20)[0].sightings.seen)
    assert {cell: (sighting.kind, sighting.pose) for cell, sighting in seen.items()} == wanted


def test_pieces_that_cover_several_cells_are_read_on_all_of_them() -> None:
    table = CameraTable(find("fightopia"), None, CLOSE, seed=8)
    table.set_up(table.rules.initial())
    assert dict(told(table, 20)[0].sightings.seen) == expected(table)


def test_a_tag_under_glare_is_hidden_but_not_reported_gone(table: CameraTable) -> None:
    cell = table.grid.cell("C2")
    mark = table.standing[cell]
    clear = table.thing(cell, Piece(mark.piece.kind, mark.piece.side, 0), mark)
    number = 16 * mark.figure + mark.part
    table.scene.put(number, clear)
    told(table, 6)
    table.scene.put(number, replace(clear, glare=0.7))
    seen = told(table, 20)
    assert moved(table, seen) == []
    assert seen[-1].sightings.hidden >> cell & 1
    table.scene.put(number, clear)
    assert moved(table, told(table, 6)) == []


def test_a_rotated_tag_is_a_piece_with_another_facing(table: CameraTable) -> None:
    cell = table.grid.cell("C2")
    before = expected(table)[cell]
    for turned in (4, 1, 6):
        mark = table.take(cell)
        facing = ((before.facing or 0) + turned) % 8
        table.put(cell, Piece(mark.piece.kind, mark.piece.side, facing), mark)
        seen = [observation for observation in told(table, 6) if observation.inputs]
        assert dict(seen[-1].sightings.seen)[cell].facing == facing


def test_a_lens_chart_left_on_the_board_is_no_piece_although_tags_are_shared() -> None:
    table = CameraTable(find("gottaz"), {"pawns": "draft"}, CLOSE, seed=7)
    table.set_up(table.rules.initial())
    first = told(table, 20)
    assert len(first) == 1
    played = [tag for tag in lens_chart().tags if tag in table.outfit.marks]
    for number, tag in enumerate(played):
        at_mm = table.grid.centre_mm(2 * number % len(table.grid))
        table.scene.put(900 + number, Thing(family().rows(tag), at_mm, 0.0, lens_chart().tag_mm, 0.0))
    seen = told(table, 30)
    assert len(played) > 10
    assert moved(table, seen) == []
    assert seen[-1].sightings.hidden


def test_a_tag_seen_through_the_paper_is_no_tag(table: CameraTable) -> None:
    cell = table.grid.cell("C2")
    mark = table.standing[cell]
    thing = table.thing(cell, Piece(mark.piece.kind, mark.piece.side, 0), mark)
    back = tuple(tuple(reversed(row)) for row in thing.pattern)  # the print shines through: mirrored
    table.scene.put(16 * mark.figure + mark.part, replace(thing, pattern=back))
    seen = told(table, 20)
    assert moved(table, seen) == []
    assert seen[-1].sightings.hidden >> cell & 1
    assert CameraProblem.DOUBLE_TAG not in table.sensor.troubles
