# SPDX-License-Identifier: Apache-2.0
"""A rendered table before the camera: reports are true, hidden cells are not reported."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from companion.games import find
from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.observation import EMPTY, Change, Observation, SensorKind, Sighting
from companion.model.occupancy import cells_of
from companion.model.pieces import Piece
from companion.model.tags import family
from companion.referee.session.session import Session
from companion.referee.values.board.looks import look
from companion.referee.values.events import MoveMade, Stage
from companion.sensing.problems import CameraProblem
from companion.sensing.view_state import CALM
from tests.sensing.vision.tables import CameraTable
from tests.virtual.optics import Optics
from tests.virtual.render import Arm, Thing
from tests.virtual.scene import PLAIN, Exposure

KIND = SensorKind.IDENTITY_FACING
OBLIQUE = Optics(
    (1600, 900), camera_mm=(400.0, -80.0, 900.0), aim_mm=(400.0, 370.0), focal_px=850.0, noise=3.0
)
"""Above the first player's edge of a board of 16 by 16 cells (50 mm)."""
DUEL = {"map": "Duel; 8x8; B4 G5; CA1N LC2N MD2N ME3N cH8S lF7S mE7S mD6S"}
CLOSE = Optics((1280, 720), camera_mm=(200.0, -60.0, 520.0), aim_mm=(200.0, 165.0), focal_px=600.0, noise=3.0)

NARROW = Optics(
    (1280, 720), camera_mm=(100.0, -120.0, 640.0), aim_mm=(100.0, 195.0), focal_px=720.0, noise=2.0
)
"""Above the first player's edge of a board of 4 by 8 cells."""


@pytest.fixture
def table() -> CameraTable:
    """The printed Tank Chess board in its start position, after the sensor has seen it."""
    made = CameraTable(find("tank-chess"), None, OBLIQUE, seed=4)
    made.set_up(made.rules.initial())
    first = seen(made, 16)
    assert [each for each in first if each.has_gap] == first[:1]
    assert shown(first[0]) == expected(made.rules, made.rules.initial())
    return made


def seen(table: CameraTable, images: int, **circumstances: Any) -> list[Observation]:
    """The sightings of the next images."""
    told = (table.see(**circumstances) for _ in range(images))
    return [observation for observation in told if observation is not None]


def shown(observation: Observation) -> dict[Cell, Sighting]:
    return dict(observation.sightings.seen)


def expected(rules: Any, position: Any) -> dict[Cell, Sighting]:
    """The sightings of a perfect sensor."""
    return {cell: look(piece, KIND) for cell, piece in rules.placement(position).by_cell().items()}


def act(table: CameraTable, steps: Sequence[Step], exposure: Exposure = PLAIN) -> list[Observation]:
    """Hands do *steps*, always visible; returns the observations meanwhile."""
    told: list[Observation] = []
    for step in steps:
        source = step.source[0]
        told += seen(table, 2, arms=[table.arm(source)], exposure=exposure)
        mark = table.take(source)
        for cell in step.target:
            told += seen(table, 2, arms=[table.arm(cell)], exposure=exposure)
            table.put(cell, step.becomes, table.face(mark, step.becomes))
            told += seen(table, 2, arms=[table.arm(cell)], exposure=exposure)
    return told


def a_move(table: CameraTable, chance: Random, *, is_shot: bool) -> Any:
    """A legal move from the initial position."""
    position = table.rules.initial()
    fitting = [
        move
        for move in table.rules.legal_moves(position)
        if (len(table.rules.steps(position, move)) > 1) == is_shot
    ]
    return chance.choice(fitting)


def test_a_game_is_followed_move_by_move_with_its_shots_and_wrecks() -> None:
    chance = Random(8)
    table = CameraTable(find("tank-chess"), DUEL, CLOSE, seed=5)
    rules, position = table.rules, table.rules.initial()
    session = Session(rules, KIND)
    announced: list[str] = []
    wanted: list[str] = []
    shots = 0

    def tell(observation: Observation | None) -> None:
        events = session.observe(observation) if observation else session.tick(table.now_ms)
        announced.extend(
            each.move for each in events if isinstance(each, MoveMade) and each.stage is Stage.ANNOUNCED
        )

    table.set_up(position)
    for _ in range(20):
        tell(table.see())
    while moves := rules.legal_moves(position):
        firing = [move for move in moves if len(rules.steps(position, move)) > 1]
        move = chance.choice(firing or list(moves))
        steps = rules.steps(position, move)
        shots += len(steps) > 1
        lamp = Exposure(gain=chance.choice([0.85, 1.0, 1.1]), tilt=chance.choice([0.0, 0.15]))
        for observation in act(table, steps, lamp):
            tell(observation)
        wanted.append(rules.write_move(position, move))
        position = rules.apply(position, move)
        for _ in range(6):
            tell(table.see(lamp))
        for _ in range(40):
            table.now_ms += 33
            tell(None)
        assert session.position == position
    assert announced == wanted
    assert shots >= 3


def test_a_move_is_reported_within_three_images_after_the_hand_is_gone(table: CameraTable) -> None:
    move = a_move(table, Random(1), is_shot=False)
    steps = table.rules.steps(table.rules.initial(), move)
    before = expected(table.rules, table.rules.initial())
    for observation in act(table, steps):
        assert observation.inputs == ()
        assert shown(observation) == before
        assert observation.sightings.hidden
    after = [observation for observation in seen(table, CALM + 1) if observation.inputs]
    assert len(after) == 1
    assert shown(after[0]) == expected(table.rules, table.rules.apply(table.rules.initial(), move))
    if steps[0].source != steps[0].target:
        left = after[0].inputs[0]
        assert isinstance(left, Change)
        assert (left.cell, left.sighting) == (steps[0].source[0], EMPTY)


def test_a_resting_hand_hides_only_the_cells_it_covers(table: CameraTable) -> None:
    free = table.grid.cell("H8")
    resting = Arm(table.grid.centre_mm(free), (900.0, 200.0), palm_mm=70.0)
    told = seen(table, 6, arms=[resting])
    assert told[-1].sightings.hidden >> free & 1
    assert not any(observation.inputs for observation in told)
    piece = table.rules.placement(table.rules.initial()).by_cell()
    source = next(cell for cell in sorted(piece) if not told[-1].sightings.hidden >> cell & 1 and cell > 128)
    target = next(steps[source] for steps in table.grid.steps if free_cell(table, steps[source]))
    mark = table.take(source)
    table.put(target, piece[source], mark)
    moved = [observation for observation in seen(table, 4, arms=[resting]) if observation.inputs]
    assert [entry.cell for entry in moved[0].inputs if isinstance(entry, Change)] == [source, target]
    assert moved[0].sightings.hidden >> free & 1


def free_cell(table: CameraTable, cell: Cell) -> bool:
    return cell >= 0 and cell not in table.standing and cell not in table.grid.obstacles


def test_a_piece_under_a_resting_hand_is_hidden_but_not_reported_gone(table: CameraTable) -> None:
    cell = min(table.standing)
    told = seen(table, 12, arms=[table.arm(cell)])
    assert told[-1].sightings.hidden >> cell & 1
    assert told[-1].sightings.occupied >> cell & 1
    assert not any(observation.inputs for observation in told)
    open_again = seen(table, 4)
    assert open_again[-1].sightings.hidden == 0
    assert not any(observation.inputs for observation in open_again)


def test_a_piece_held_over_the_board_is_still_in_the_hand(table: CameraTable) -> None:
    cell = min(table.standing)
    mark = table.take(cell)
    over = table.grid.cell("H8")
    piece = Piece(mark.piece.kind, mark.piece.side, 0, mark.piece.pose)
    held = table.thing(over, piece, mark)
    held = Thing(held.pattern, held.at_mm, held.turn_deg, held.tag_mm, held.height_mm, lifted_mm=60.0)
    told = seen(table, 8, arms=[table.arm(over)], held=[held])
    assert not any(observation.inputs for observation in told)


def test_a_removed_piece_is_reported_once_the_whole_board_is_visible(table: CameraTable) -> None:
    cell = min(table.standing)
    table.take(cell)
    told = seen(table, 6)
    assert [entry.cell for each in told for entry in each.inputs if isinstance(entry, Change)] == [cell]
    assert told[-1].sightings.hidden == 0


def test_a_lamp_that_is_switched_changes_nothing(table: CameraTable) -> None:
    for light in (Exposure(0.6), Exposure(1.15, tilt=0.3), Exposure(0.8, tilt=-0.3), PLAIN):
        told = seen(table, 5, exposure=light)
        assert not any(observation.inputs for observation in told)
        assert not told or told[-1].sightings.hidden == 0


def test_flicker_of_mains_light_changes_nothing(table: CameraTable) -> None:
    told = [table.see(Exposure(flicker=0.04, phase=0.3 * image)) for image in range(10)]
    assert not any(observation.inputs for observation in told if observation)


def test_a_moved_camera_is_noticed_and_finds_the_board_again(table: CameraTable) -> None:
    kicked = CameraTable(
        find("tank-chess"),
        None,
        Optics((1600, 900), (425.0, -90.0, 895.0), (405.0, 365.0), roll_deg=2.0, focal_px=850.0, noise=3.0),
        seed=4,
    )
    kicked.set_up(kicked.rules.initial())
    kicked.sensor, kicked.now_ms = table.sensor, table.now_ms
    told = seen(kicked, 25)
    assert not any(observation.inputs for observation in told)
    assert CameraProblem.CAMERA_MOVED in table.sensor.troubles
    assert told[-1].sightings.hidden == 0
    cell = min(kicked.standing)
    kicked.take(cell)
    gone = seen(kicked, 5)
    assert [entry.cell for each in gone for entry in each.inputs if isinstance(entry, Change)] == [cell]


def test_a_camera_without_a_board_in_view_hides_all_cells_and_reports_it(table: CameraTable) -> None:
    dark = np.zeros((900, 1600), np.uint8)
    told = [table.sensor.observe(dark, table.now_ms + 33 * image) for image in range(1, 20)]
    last = [observation for observation in told if observation][-1]
    assert last.sightings.hidden == table.grid.everything
    assert table.sensor.troubles == {CameraProblem.BOARD_NOT_FOUND}


def test_foreign_and_duplicate_tags_are_reported_and_ignored(table: CameraTable) -> None:
    spot = table.grid.cell("H8")
    stranger = Thing(family().rows(115), table.grid.centre_mm(spot), 0.0, table.tag_mm, table.height_mm)
    table.scene.put(900, stranger)
    told = seen(table, 5)
    assert table.sensor.troubles == {CameraProblem.STRANGE_TAG}
    assert table.sensor.places == {CameraProblem.STRANGE_TAG: (spot,)}
    assert told[-1].sightings.hidden >> spot & 1
    table.scene.put(900, None)
    twin = min(table.standing)
    mark = table.standing[twin]
    table.scene.put(901, table.thing(spot, Piece(mark.piece.kind, mark.piece.side, 0), mark))
    told += seen(table, 6)
    assert table.sensor.troubles == {CameraProblem.DOUBLE_TAG}
    assert table.sensor.places == {CameraProblem.DOUBLE_TAG: tuple(sorted((twin, spot)))}
    assert not any(observation.inputs for observation in told)


def test_a_piece_replaced_by_an_equal_one_is_reported_as_taken() -> None:
    table = CameraTable(find("martian-chess"), None, NARROW, seed=4)
    table.set_up(table.rules.initial())
    seen(table, 20)
    alike = [cell for cell, mark in table.standing.items() if mark.piece.kind == "drone"][:2]
    (source, target), piece = alike, table.standing[alike[0]].piece
    taker = table.take(source)
    table.take(target)
    table.put(target, piece, taker)
    told = [observation for observation in seen(table, 8) if observation.inputs]
    drone = look(piece, KIND)
    assert [(entry.cell, entry.sighting) for entry in told[0].inputs if isinstance(entry, Change)] == [
        (target, EMPTY),
        (source, EMPTY),
        (target, drone),
    ]
    assert len(told) == 1


@pytest.mark.parametrize("has_panel", [True, False])
def test_visible_changes_are_reported_during_a_move_if_a_panel_reports_the_rest(
    has_panel: bool,
) -> None:
    table = CameraTable(find("tank-chess"), DUEL, CLOSE, seed=4, has_panel=has_panel)
    table.set_up(table.rules.initial())
    before = shown(seen(table, 20)[-1])
    source, target, victim = table.grid.cells("C2 C4 F7")
    table.put(target, Piece(str(before[source].kind), 0, 2), table.take(source))
    table.take(victim)
    told = seen(table, 12, arms=[table.arm(victim)])
    changed = [entry for observation in told for entry in observation.inputs if isinstance(entry, Change)]
    if has_panel:
        assert [entry.cell for entry in changed] == [source, target]
        assert changed[1].sighting.facing == 2
        assert told[-1].sightings.hidden >> victim & 1
    else:
        assert changed == []
    gone = seen(table, 6)
    assert dict(gone[-1].sightings.seen).keys() == before.keys() - {source, victim} | {target}
    assert gone[-1].sightings.hidden == 0


def test_hidden_cells_keep_their_last_sighting(table: CameraTable) -> None:
    cell = min(table.standing)
    told = seen(table, 4, arms=[table.arm(cell)])
    before = expected(table.rules, table.rules.initial())
    assert shown(told[-1]) == before
    assert set(cells_of(told[-1].sightings.occupied)) == set(before)
