# SPDX-License-Identifier: Apache-2.0
"""The physics of switches and magnets is as specified."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from companion.model.grid import rectangle
from companion.model.observation import Change, SensorKind
from companion.model.pieces import Piece
from tests.bench.players.physics import Board, Body, Point, Table

PITCH = 40.0
GRID = rectangle(4, 4)
CENTRES = tuple((x * PITCH / 50.0, y * PITCH / 50.0) for x, y in (GRID.centre_mm(cell) for cell in range(16)))


def board(closing: float = 0.4, opening: float = 0.5, kind: SensorKind = SensorKind.OCCUPANCY) -> Board:
    return Board(
        kind,
        CENTRES,
        PITCH,
        (closing * PITCH,) * 16,
        (opening * PITCH,) * 16,
        scan_ms=1,
        settle=1,
        bounce=0.0,
    )


def slide(table: Table, *ways: Point) -> list[tuple[int, int, bool | None]]:
    """Push a piece along the board; (time, cell, occupied) of every change."""
    body = Body(Piece("pawn", 0), (0,), [ways[0]])
    table.stand(body)
    for number, way in enumerate(ways[1:]):
        table.plan(body, number * 1000 + 10, number * 1000 + 1000, [way])
    found = []
    for _, changes in table.advance(1000 * len(ways)):
        assert isinstance(changes, tuple)
        found += [(each.t_ms, each.cell, each.sighting.occupied) for each in changes]
    return found


def x_at(t_ms: int, start: float, end: float) -> float:
    part = (t_ms - 10) / 990
    return start + (end - start) * part**3 * (10 - 15 * part + 6 * part * part)


def test_a_switch_opens_at_a_greater_distance_than_it_closes() -> None:
    (x, y), far = CENTRES[0], CENTRES[0][0] + PITCH * 0.6
    found = slide(Table(board(), Random(1)), (x, y), (far, y), (x, y))
    opened, closed = (at for at, cell, _ in found if cell == 0)
    assert x_at(opened, x, far) - x == pytest.approx(0.5 * PITCH, abs=0.5)
    assert x_at(closed - 1000, far, x) - x == pytest.approx(0.4 * PITCH, abs=0.5)


def test_switches_with_gaps_lose_a_piece_between_cells() -> None:
    assert [what[1:] for what in slide(Table(board(0.3, 0.35), Random(1)), CENTRES[0], CENTRES[1])] == [
        (0, False),
        (1, True),
    ]


def test_two_switches_that_reach_over_their_border_both_close() -> None:
    found = slide(Table(board(0.55, 0.6), Random(1)), CENTRES[0], CENTRES[1])
    assert [what[1:] for what in found] == [(1, True), (0, False)]


def test_a_piece_off_the_middle_closes_two_switches_or_none() -> None:
    (x, y), (x2, _) = CENTRES[0], CENTRES[1]
    for closing, opening, closed in ((0.52, 0.6, 0b11), (0.4, 0.45, 0)):
        table = Table(board(closing, opening), Random(1))
        table.stand(Body(Piece("pawn", 0), (0,), [((x + x2) / 2, y)]))
        assert table.sightings().occupied == closed


def test_a_low_piece_closes_a_switch_and_a_lifted_one_does_not() -> None:
    for height, felt in ((0.2, 1), (0.9, 0)):
        table = Table(board(), Random(1))
        body = Body(Piece("pawn", 0), (0,), [CENTRES[0]])
        table.stand(body)
        table.plan(body, 10, 200, None, height * PITCH)
        list(table.advance(500))
        assert table.sightings().occupied == felt


def test_an_identity_reader_reports_the_nearest_piece() -> None:
    table = Table(board(0.4, 0.5, SensorKind.IDENTITY), Random(1))
    (x, y) = CENTRES[0]
    table.stand(Body(Piece("pawn", 0), (0,), [(x + 8, y)]))
    table.stand(Body(Piece("rook", 1), (0,), [(x, y)]))
    ((_, seen),) = table.sightings().seen
    assert (seen.kind, seen.side, seen.facing) == ("rook", 1, None)


def test_flutter_is_reported_only_with_little_debouncing() -> None:
    counts = {}
    for settle in (1, 4):
        made = replace(board(), bounce=1.0, settle=settle)
        changes = 0
        for seed in range(40):
            changes += len(slide(Table(made, Random(seed)), CENTRES[0], CENTRES[1]))
        counts[settle] = changes
    assert counts[1] > 100
    assert counts[4] == 80


def test_dead_and_stuck_switches_never_change() -> None:
    made = replace(board(), dead=frozenset({0}), stuck=frozenset({1}))
    table = Table(made, Random(1))
    found = slide(table, CENTRES[0], CENTRES[1])
    assert found == []
    assert table.sightings().occupied == 0b10


def test_changes_are_reported_in_order_of_time() -> None:
    table = Table(board(), Random(1))
    bodies = [Body(Piece("pawn", 0), (cell,), [CENTRES[cell]]) for cell in range(4)]
    for body in bodies:
        table.stand(body)
    for number, body in enumerate(bodies):
        table.plan(body, 10 + number * 5, 300, None, 80.0)
    table.note(100, {"note": "between"})
    items = list(table.advance(1000))
    assert [at for at, _ in items] == sorted(at for at, _ in items)
    assert sum(isinstance(what, tuple) for _, what in items) >= 1
    assert all(isinstance(each, Change) for _, what in items if isinstance(what, tuple) for each in what)
