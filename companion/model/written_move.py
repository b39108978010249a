# SPDX-License-Identifier: Apache-2.0
"""A move as sentences need it: its notation, and its steps in names.

It needs neither rules nor position to be said, so it goes to other processes and is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from companion.model.game import ActorRules, AnyRules, HasShortNotation, PickRules
from companion.model.grid import Cell, Grid
from companion.model.moves import Step
from companion.model.pieces import Piece, Side


@dataclass(frozen=True, slots=True)
class WrittenStep:
    """A step in names."""

    piece: Piece
    """The piece before the step."""
    becomes: Piece
    """The piece after the step."""
    source: tuple[str, ...] = ()
    """The names of the cells that it covers before; () if it enters the board."""
    target: tuple[str, ...] = ()
    """The names of the cells that it covers after; () if it leaves the board."""
    heading: int | None = None
    """Where it faces after, in eighths clockwise from the first player's forward."""


@dataclass(frozen=True, slots=True)
class WrittenMove:
    """A move of *side* in words' material."""

    text: str
    """Its notation."""
    side: Side
    steps: tuple[WrittenStep, ...] = ()
    """What happens to the pieces; a piece that acts and stays is the first."""
    is_named: bool = False
    """True where players call a move by its notation, as in chess."""


def written_move(rules: AnyRules, position: Any, move: Any) -> WrittenMove:
    """*move* in *position*, to be said."""
    steps = [_written(step, rules.grid) for step in rules.steps(position, move)]
    acting = rules.actor(position, move) if isinstance(rules, ActorRules) else None
    picked = rules.picked(move) if isinstance(rules, PickRules) else None
    if acting is not None:
        steps.insert(0, _staying(rules, position, acting))
    elif picked is not None:
        steps.append(WrittenStep(picked, picked))
    text = rules.write_move(position, move)
    return WrittenMove(text, position.turn, tuple(steps), isinstance(rules, HasShortNotation))


def written_line(rules: AnyRules, position: Any, line: Iterable[Any]) -> tuple[WrittenMove, ...]:
    """Each move of *line*, which is played from *position*, to be said."""
    moves = []
    for move in line:
        moves.append(written_move(rules, position, move))
        position = rules.apply(position, move)
    return tuple(moves)


def _staying(rules: AnyRules, position: Any, cell: Cell) -> WrittenStep:
    """The piece on *cell*, which acts and stays."""
    piece = rules.placement(position).at(cell)
    assert piece is not None
    return _written(Step(piece, (cell,), (cell,), piece), rules.grid)


def _written(step: Step, grid: Grid) -> WrittenStep:
    facing = step.becomes.facing
    return WrittenStep(
        step.piece,
        step.becomes,
        tuple(map(grid.name, step.source)),
        tuple(map(grid.name, step.target)),
        None if facing is None or not step.target else facing * 8 // len(grid.steps),
    )
