# SPDX-License-Identifier: Apache-2.0
"""Shadows, block sides and mirrored lamps are not hands; a resting hand is."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from companion.model.grid import Cell
from companion.model.observation import SensorKind, Sighting
from companion.model.occupancy import cells_of
from companion.referee.values.board.looks import look
from companion.sensing.problems import CameraProblem
from tests.sensing.lamplit import Block, Hand, Lamplit, Pinhole, Room, Spot

DUEL = {"map": "Duel; 8x8; B4 G5; CA1N LC2N MD2N ME3N cH8S lF7S mE7S mD6S"}
ABOVE = Pinhole((960, 540), (100.0, -150.0, 420.0), (100.0, 85.0), 1050.0)
LOW_LAMP = Room((-500.0, -100.0, 500.0))
"""Long shadows to the right."""
GLARE = Room(spots=(Spot((112.0, 112.0)),))
TWO_SECONDS = 60
"""Images."""
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 6))]
"""Of tables that differ by chance."""


def table_of(seed: int, room: Room) -> Lamplit:
    """The start position of the duel, after the sensor has seen it."""
    table = Lamplit(DUEL, ABOVE, seed, room)
    table.set_up(table.rules.initial())
    table.see(10)
    assert table.last is not None
    assert dict(table.last.sightings.seen) == truth(table)
    return table


def truth(table: Lamplit) -> dict[Cell, Sighting]:
    """The sightings of a perfect sensor."""
    return {cell: look(piece, SensorKind.IDENTITY_FACING) for cell, piece in table.pieces.items()}


def reported(table: Lamplit) -> dict[Cell, Sighting]:
    assert table.last is not None
    return dict(table.last.sightings.seen)


def hidden(table: Lamplit) -> set[str]:
    assert table.last is not None
    return {table.grid.name(cell) for cell in cells_of(table.last.sightings.hidden)}


def named(table: Lamplit, trouble: CameraProblem) -> set[str]:
    """The cells for which the sensor reports *trouble*."""
    return {table.grid.name(cell) for cell in table.sensor.places.get(trouble, ())}


def shift(table: Lamplit, source: str, target: str, facing: int | None = None) -> None:
    """Move a piece without a visible hand."""
    here, there = table.grid.cells(f"{source} {target}")
    piece = table.pieces[here]
    mark = table.take(here)
    table.put(there, piece if facing is None else replace(piece, facing=facing), mark)


def crowded(table: Lamplit, chance: Random) -> tuple[str, str]:
    """A piece, and a free cell with at least two pieces beside it."""
    grid, walls = table.grid, set(table.grid.obstacles)
    while True:
        source, target = chance.choice(sorted(table.pieces)), chance.randrange(len(grid))
        x, y = grid.centre_mm(target)
        apart = {
            cell: max(abs(x - at[0]), abs(y - at[1]))
            for cell in table.pieces
            for at in [grid.centre_mm(cell)]
        }
        others = [cell for cell, far in apart.items() if far < 30 and cell != source]
        if target not in table.pieces and target not in walls and len(others) >= 2:
            return grid.name(source), grid.name(target)


@pytest.mark.parametrize("seed", SEEDS)
def test_pieces_between_shadows_are_reported_within_two_seconds(seed: int) -> None:
    table, chance = table_of(seed, LOW_LAMP), Random(seed)
    for _ in range(4):
        shift(table, *crowded(table, chance), facing=chance.randrange(8))
        table.see(TWO_SECONDS)
        assert reported(table) == truth(table)
        assert hidden(table) == set()
        assert table.sensor.troubles == frozenset()


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_pieces_beside_a_mirrored_lamp_are_reported_within_two_seconds(seed: int) -> None:
    table = table_of(seed, GLARE)
    here = "E3"
    for there in Random(seed).sample(["D3", "F4", "C4", "C5", "F6", "G6", "E2", "G4"], 4):
        shift(table, here, there)
        table.see(TWO_SECONDS)
        assert reported(table) == truth(table)
        here = there


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_a_mirrored_lamp_is_named_by_its_cells_within_three_seconds(seed: int) -> None:
    chance = Random(seed)
    column, row = chance.randrange(3, 6), 4
    middle = (25 * column + chance.uniform(5, 20), 25 * row + chance.uniform(5, 20))
    table = Lamplit(DUEL, ABOVE, seed, Room(spots=(Spot(middle),), gain=chance.choice([0.6, 1.0])))
    table.set_up(table.rules.initial())
    table.see(90)
    cells = named(table, CameraProblem.GLARE)
    assert "ABCDEFGH"[column] + str(row + 1) in cells
    centres = [table.grid.centre_mm(table.grid.cell(name)) for name in cells]
    assert all(abs(x - middle[0]) < 50 and abs(y - middle[1]) < 50 for x, y in centres)
    assert CameraProblem.UNSEEN not in table.sensor.troubles
    table.light(Room())
    table.see(TWO_SECONDS)
    assert table.sensor.troubles == frozenset()
    assert hidden(table) == set()


def test_a_known_mirrored_lamp_delays_no_report() -> None:
    table = table_of(3, replace(GLARE, lamp_mm=(60.0, 60.0, 2000.0)))  # nearly no shadow
    table.see(TWO_SECONDS)
    hand = Hand((125.0, 95.0), (150.0, -200.0))
    for _ in range(2):
        shift(table, "E3", "F4")
        table.see(4, [hand], shake_mm=2.0)
        table.see(6)
        assert reported(table) == truth(table)
        shift(table, "F4", "E3")
        table.see(4, [hand], shake_mm=2.0)
        table.see(6)
        assert reported(table) == truth(table)


@pytest.mark.parametrize("seed", SEEDS[:4])
@pytest.mark.parametrize(
    "room",
    [pytest.param(LOW_LAMP, marks=pytest.mark.long, id="shadows"), pytest.param(GLARE, id="glare")],
)
def test_a_resting_hand_never_makes_a_move(seed: int, room: Room) -> None:
    table, chance = table_of(seed, room), Random(seed)
    for _ in range(2):
        before = reported(table)
        source, target = crowded(table, chance)
        there = table.grid.centre_mm(table.grid.cell(target))
        rest = (there[0] + chance.uniform(-15, 15), there[1] + chance.uniform(-10, 20))
        hand = Hand(rest, (150.0, -200.0), wide_mm=chance.uniform(45, 75))
        told = table.see(5, [hand], shake_mm=5.0)
        shift(table, source, target)
        told += table.see(75, [hand], shake_mm=chance.choice([0.4, 0.8, 1.5]))
        assert all(dict(each.sightings.seen) in (before, truth(table)) for each in told)
        assert reported(table) in (before, truth(table))
        table.see(TWO_SECONDS)
        if not hidden(table):
            assert reported(table) == truth(table)


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_pieces_under_a_motionless_arm_are_not_reported_gone(seed: int) -> None:
    table = table_of(seed, LOW_LAMP)
    table.see(TWO_SECONDS)
    before = reported(table)
    arm = Hand((70.0, 60.0), (90.0, -200.0))
    told = table.see(150, [arm])
    assert not any(each.inputs for each in told)
    assert reported(table) == before
    assert hidden(table) > {"C2"}
    assert named(table, CameraProblem.UNSEEN) >= {"C2"}
    table.see(TWO_SECONDS)
    assert hidden(table) == set()
    assert table.sensor.troubles == frozenset()


@pytest.mark.long
def test_a_foreign_object_on_the_board_is_reported_and_moves_beside_it_are_seen() -> None:
    table = table_of(2, LOW_LAMP)
    blank = ((True,) * 8,) * 8
    x, y = table.grid.centre_mm(table.grid.cell("H4"))
    table.lay(Block(blank, (x - 6, y), 20.0, 30.0, 14.0))
    table.see(TWO_SECONDS)
    assert named(table, CameraProblem.UNSEEN) >= {"H4"}
    assert hidden(table) >= {"H4"}
    shift(table, "E3", "F4")
    table.see(TWO_SECONDS)
    assert reported(table) == truth(table)
    table.lay()
    table.see(TWO_SECONDS)
    assert hidden(table) == set()
    assert table.sensor.troubles == frozenset()


def test_a_toppled_piece_is_hidden_and_reported_while_others_move() -> None:
    table = table_of(5, LOW_LAMP)
    cell = table.grid.cell("D2")
    block, piece = table.blocks[cell], table.pieces[cell]
    mark = table.take(cell)
    side = ((False,) * 8,) * 8
    table.lay(replace(block, rows=side, height_mm=16.0, turn_deg=30.0))
    shift(table, "E7", "E6")
    table.see(TWO_SECONDS)
    assert reported(table) == truth(table) | {cell: look(piece, SensorKind.IDENTITY_FACING)}
    assert hidden(table) >= {"D2"}
    assert "D2" in named(table, CameraProblem.UNSEEN)
    table.lay()
    table.put(cell, piece, mark)
    table.see(TWO_SECONDS)
    assert reported(table) == truth(table)
    assert hidden(table) == set()


def test_a_piece_with_an_unreadable_tag_is_hidden_and_reported_beside_others() -> None:
    table = Lamplit(DUEL, ABOVE, 4, LOW_LAMP)
    table.set_up(table.rules.initial())
    cell = table.grid.cell("D2")
    smeared = [(*row[:4], True, True, True, True) for row in table.blocks[cell].rows]
    table.blocks[cell] = replace(table.blocks[cell], rows=smeared)
    table.see(90)
    assert reported(table) == {at: seen for at, seen in truth(table).items() if at != cell}
    assert "D2" in hidden(table)
    assert named(table, CameraProblem.UNSEEN) == {"D2"}
