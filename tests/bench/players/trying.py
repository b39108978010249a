# SPDX-License-Identifier: Apache-2.0
"""Gestures of players who try cells before they decide, or carry a piece low.

Times: a look at the result of a move takes one or two fixations and a thought, 0.2 to 1.5 s; a hand
that crosses the board at 0.5 to 1 m/s is over a cell of 28 to 62 mm for 30 to 120 ms, and for up
to 250 ms where it slows down. Most players keep their fingers on the piece while they try; a fifth
of them lets it go.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from companion.model.grid import Cell
from tests.bench.players.hand import Hand
from tests.bench.players.kinds import Slot, kind
from tests.bench.players.looks import Sight
from tests.bench.players.people import median
from tests.bench.players.physics import Body
from tests.bench.players.scene import Scene

LONGEST_UNDER_TOUCH_MS = 350.0
"""A longer rest may be the move, where moves cannot be taken back."""


def is_own(scene: Scene, body: Body) -> bool:
    """True unless the other side has just moved *body*, as in Martian Chess."""
    if scene.previous is None:
        return True
    before = {cells: piece for piece, cells in scene.rules.placement(scene.previous).entries}
    return body.cells in before and before[body.cells] == body.piece


def _fits(scene: Scene, hand: Hand, body: Body, cells: Sequence[Cell]) -> bool:
    return len(cells) == len(body.spots) == 1 and len(body.cells) == 1 and is_own(scene, body)


def reaches(scene: Scene, body: Body) -> dict[Cell, list[object]]:
    """The free cells to which *body* may move alone, each with these moves."""
    free, found = set(scene.desk.free_cells()), dict[Cell, list[object]]()
    for move in scene.rules.legal_moves(scene.position):
        steps = scene.rules.steps(scene.position, move)
        if len(steps) == 1 and steps[0].source == body.cells and len(steps[0].target) == 1:
            (cell,) = steps[0].target
            if cell in free:
                found.setdefault(cell, []).append(move)
    return found


def _is_a_way(scene: Scene, move: object) -> bool:
    """True if a reply to *move* could lead to the board that is meant."""
    sight = Sight(scene.rules, scene.position, scene.kind)
    meant = sight.after(scene.steps)
    after = scene.rules.apply(scene.position, move)
    return any(True for _ in Sight(scene.rules, after, scene.kind).matching(meant))


@kind("try_cells", Slot.TRAVEL, 2.5, _fits)
def try_cells(scene: Scene, hand: Hand, body: Body, cells: Sequence[Cell]) -> None:
    """The piece is tried on one to three cells before the decision.

    It is there for 0.2 to 1.5 s, or longer.

    Three of four of them are cells to which it may move. It is held low, stands with the fingers
    on it, or is let go for a second or two.
    """
    legal = reaches(scene, body)
    free = [cell for cell in scene.desk.free_cells() if cell not in cells]
    desk, wanted = scene.desk, scene.rng.choice((1, 1, 1, 2, 2, 3))
    for _ in range(wanted):
        lawful = [cell for cell in legal if cell not in cells]
        is_lawful = bool(lawful) and scene.rng.random() < 0.75
        choice = lawful if is_lawful else free
        if not choice:
            break
        over = scene.rng.choice(choice)
        if any(_is_a_way(scene, move) for move in legal.get(over, ())):
            continue
        _try(scene, hand, body, over)
    hand.fly(body, desk.spots(cells), 0.9 * desk.board.pitch)


def _try(scene: Scene, hand: Hand, body: Body, over: Cell) -> None:
    """Try *body* on the cell *over* and lift it again."""
    desk, rng = scene.desk, scene.rng
    longest = 1500.0 if scene.rules.allows_take_back else LONGEST_UNDER_TOUCH_MS
    ms = min(longest, max(200.0, median(rng, 600, 0.6)))
    way = rng.choices(("low", "held", "released"), (4, 4, 2))[0]
    spots = desk.good_spots((over,), scene.person.temperament.error)
    hand.fly(body, spots)
    if way == "low":
        hand.plan(body, scene.person.takes_ms(120), spots, rng.uniform(0.03, 0.25) * desk.board.pitch)
    else:
        hand.plan(body, scene.person.takes_ms(120), spots, 0.0)
    if way == "released" and scene.rules.allows_take_back:
        ms = rng.uniform(1000.0, 2600.0)
        scene.used.append("try_released")
    hand.wait(ms)
    hand.lift(body)


def _goes(scene: Scene, hand: Hand, body: Body, cells: Sequence[Cell]) -> bool:
    return _fits(scene, hand, body, cells) and tuple(cells) != body.cells


@kind("low_pass", Slot.TRAVEL, 3.0, _goes)
def low_pass(scene: Scene, hand: Hand, body: Body, cells: Sequence[Cell]) -> None:
    """The piece is carried so low that switches on the way close.

    It is over each of them for 50 to 250 ms. Without such cells it is carried as usual.
    """
    desk, (target,) = scene.desk, cells
    start, end = desk.board.centres[body.cells[0]], desk.board.centres[target]
    across = math.dist(start, end)
    ways = []
    for cell in desk.free_cells():
        x, y = desk.board.centres[cell]
        along = ((x - start[0]) * (end[0] - start[0]) + (y - start[1]) * (end[1] - start[1])) / across
        aside = abs((x - start[0]) * (end[1] - start[1]) - (y - start[1]) * (end[0] - start[0])) / across
        if cell != target and 0 < along < across and aside < 0.6 * desk.board.pitch:
            ways.append((along, cell))
    ways.sort()
    passed = sorted(scene.rng.sample(ways, min(len(ways), scene.rng.choice((1, 1, 2, 3)))))
    for _, cell in passed:
        jitter = 0.12 * desk.board.pitch
        x, y = desk.board.centres[cell]
        spots = [(x + scene.rng.gauss(0, jitter), y + scene.rng.gauss(0, jitter))]
        low = scene.rng.uniform(0.02, 0.2) * desk.board.pitch
        hand.plan(body, scene.person.takes_ms(110), spots, low)
        body.height = low
        hand.wait(max(0.0, scene.rng.uniform(50, 250) - 40))
    if passed:
        hand.plan(body, scene.person.takes_ms(90), desk.spots(cells), 0.5 * desk.board.pitch)
        body.height = 0.5 * desk.board.pitch
    else:
        scene.used.remove("low_pass")
