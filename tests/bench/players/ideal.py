# SPDX-License-Identifier: Apache-2.0
"""An ideal board, which reports what hands do to each cell at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple, TypeAlias

from companion.model.game import AnyRules
from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.observation import Change, Input, SensorKind
from companion.model.pieces import Piece
from tests.bench.players.physics import AWAY, Board, Body, Table

Ply: TypeAlias = tuple[int, tuple[Step, ...]]
"""A side and the steps of its move."""


class Touch(NamedTuple):
    """What a hand does to one cell of a step; without a piece it lifts."""

    step: int
    cell: Cell
    piece: Piece | None
    after: int
    """Number of cells of the step that must have been touched before."""


class Made(NamedTuple):
    """A touch during a ply, at its time."""

    at_ms: int
    ply: int
    touch: Touch


class Ideal:
    """A board on which bodies come and go from one ms to the next."""

    def __init__(self, rules: AnyRules, kind: SensorKind, position: Any, now: int) -> None:
        self.centres = [rules.grid.centre_mm(cell) for cell in range(len(rules.grid))]
        pitch = min(math.dist(self.centres[0], each) for each in self.centres[1:])
        near = (0.3 * pitch,) * len(self.centres)
        self.table = Table(Board(kind, tuple(self.centres), pitch, near, near, 1, 1, 0.0), Random(0))
        self._stands: dict[Cell, Body] = {}
        self._held: dict[tuple[int, int], Body] = {}
        """The body of each step that has begun."""
        self._on: dict[Body, dict[Cell, None]] = {}
        """The cells on which each body stands."""
        for piece, cells in rules.placement(position).entries:
            body = Body(piece, cells, [self.centres[cell] for cell in cells])
            self.table.stand(body)
            self._stands |= dict.fromkeys(cells, body)
            self._on[body] = dict.fromkeys(cells)
        self.table.now = now

    def make(self, made: Made, step: Step) -> None:
        """Plan a touch of *step*."""
        at_ms, ply, touch = made
        known = self._held.get((ply, touch.step))
        if known is None:
            known = self._stands[step.source[0]] if step.source else Body(step.becomes, (), [AWAY])
        body = self._held[ply, touch.step] = known
        on = self._on.setdefault(body, {})
        if touch.piece is None:
            on.pop(touch.cell)
        else:
            on[touch.cell] = None
            self._stands[touch.cell] = body
        spots = [self.centres[cell] for cell in on]
        spots += [AWAY] * (max(len(step.source), len(step.target)) - len(spots))
        self.table.plan(body, at_ms - 1, at_ms, spots, then=_becomes(touch.piece))


def _becomes(piece: Piece | None) -> Callable[[Body], None] | None:
    """The change of a body into *piece*, if there is one."""

    def change(body: Body) -> None:
        if piece is not None:
            body.piece = piece

    return change if piece is not None else None


def replayed(
    rules: AnyRules,
    kind: SensorKind,
    before: Any,
    plies: Sequence[Ply],
    hands: Sequence[Made],
    inputs: Sequence[Input],
) -> list[Input]:
    """What the board reports of *hands*, with the presses of *inputs* at their times."""
    times = [each.t_ms for each in inputs]
    ideal = Ideal(rules, kind, before, min(times, default=2) - 2)
    for made in hands:
        ideal.make(made, plies[made.ply][1][made.touch.step])
    for each in inputs:
        if not isinstance(each, Change):
            ideal.table.note(each.t_ms, each)
    reported: list[Input] = []
    for _, what in ideal.table.advance(max(times, default=0) + 100):
        reported += what if isinstance(what, tuple) else [what]
    return reported
