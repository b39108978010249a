# SPDX-License-Identifier: Apache-2.0
"""Lost and doubled edges are as specified."""

from __future__ import annotations

from random import Random

from companion.model.pieces import Piece
from tests.bench.players.physics import Body, Table
from tests.bench.players.test_physics import CENTRES, PITCH, board


def made(noise: float, seed: int) -> tuple[Table, list[tuple[int, int, bool | None]]]:
    """The table after a piece was moved to the next cell, and the changes."""
    table = Table(board(), Random(seed), noise)
    body = Body(Piece("pawn", 0), (0,), [CENTRES[0]])
    table.stand(body)
    table.plan(body, 10, 150, None, PITCH)
    table.plan(body, 160, 260, [CENTRES[1]], PITCH)
    table.plan(body, 270, 400, None, 0.0)
    changes = [what for _, what in table.advance(1000) if isinstance(what, tuple)]
    return table, [(each.t_ms, each.cell, each.sighting.occupied) for many in changes for each in many]


def test_without_noise_each_edge_is_reported_once() -> None:
    _, found = made(0.0, 1)
    assert [what[1:] for what in found] == [(0, False), (1, True)]


def test_a_disturbed_edge_is_late_or_comes_twice_and_the_end_is_right() -> None:
    plain = {cell: at for at, cell, _ in made(0.0, 1)[1]}
    lost = doubled = 0
    for seed in range(40):
        table, found = made(0.4, seed)
        lost, doubled = lost + table.noise.counts["lost_edge"], doubled + table.noise.counts["double_edge"]
        assert table.sightings().occupied == 0b10
        assert all(plain[cell] <= at <= plain[cell] + 1000 for at, cell, _ in found)
        if table.noise.counts["lost_edge"] and not table.noise.counts["double_edge"]:
            assert any(at > plain[cell] for at, cell, _ in found)
    assert lost > 5
    assert doubled > 5


def test_an_exchanged_piece_is_not_missed() -> None:
    for seed in range(60):
        table = Table(board(), Random(seed), 0.5)
        bodies = [Body(Piece("pawn", 0), (cell,), [CENTRES[cell]]) for cell in (0, 1)]
        for body in bodies:
            table.stand(body)
        table.plan(bodies[1], 10, 40, None, PITCH)
        table.plan(bodies[0], 10, 40, None, PITCH)
        table.plan(bodies[0], 41, 60, [CENTRES[1]], 0.0)
        changes = [each for _, what in table.advance(1000) if isinstance(what, tuple) for each in what]
        assert any(each.cell == 1 and not each.sighting.occupied for each in changes)
