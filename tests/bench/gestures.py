# SPDX-License-Identifier: Apache-2.0
"""Gestures of chess: scripts of cells that are emptied and filled, for a legal move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from companion.model.game import AnyRules
from companion.model.moves import Step

PAUSE_MS = 250


class Made(NamedTuple):
    """A legal move and its steps."""

    rules: AnyRules
    position: Any
    move: Any
    steps: tuple[Step, ...]

    @property
    def source(self) -> int:
        """The cell that the moving piece leaves."""
        return self.steps[0].source[0]

    @property
    def target(self) -> int:
        """The cell that the moving piece reaches."""
        return self.steps[0].target[0]


Script = list[tuple[int, int, bool]]
"""Changes in order: wait in ms, cell, and whether it becomes occupied."""


def quiet(made: Made) -> Script | None:
    return [(0, made.source, False), (PAUSE_MS, made.target, True)] if len(made.steps) == 1 else None


def slide(made: Made) -> Script | None:
    """Slide along every cell of a straight line; stop 100 ms on each."""
    passed = between(made)
    if len(made.steps) > 1 or not passed:
        return None
    script = [(0, made.source, False)]
    for cell in passed:
        script += [(40, cell, True), (100, cell, False)]
    return [*script, (40, made.target, True)]


def between(made: Made) -> list[int]:
    """The cells between source and target of a straight move.

    [] for other moves and for steps to a neighbour.
    """
    for steps in made.rules.grid.steps:
        passed, cell = list[int](), steps[made.source]
        while cell not in (-1, made.target):
            passed.append(cell)
            cell = steps[cell]
        if cell == made.target:
            return passed
    return []


def is_capture(made: Made) -> bool:
    return len(made.steps) == 2 and made.steps[1].source == made.steps[0].target and not made.steps[1].target


def capture_target_first(made: Made) -> Script | None:
    if not is_capture(made):
        return None
    return [(0, made.target, False), (PAUSE_MS, made.source, False), (PAUSE_MS, made.target, True)]


def capture_mover_first(made: Made) -> Script | None:
    if not is_capture(made):
        return None
    return [(0, made.source, False), (PAUSE_MS, made.target, False), (PAUSE_MS, made.target, True)]


def capture_push(made: Made) -> Script | None:
    return [(0, made.source, False)] if is_capture(made) else None


def castling(order: str) -> Callable[[Made], Script | None]:
    """Castling in *order*: K and R are lifted, k and r are put down."""

    def script(made: Made) -> Script | None:
        if len(made.steps) != 2 or not made.steps[1].target:
            return None
        king, rook = made.steps
        at = {"K": king.source, "k": king.target, "R": rook.source, "r": rook.target}
        return [(PAUSE_MS, at[letter][0], letter.islower()) for letter in order]

    return script


def is_en_passant(made: Made) -> bool:
    return len(made.steps) == 2 and not made.steps[1].target and made.steps[1].source != made.steps[0].target


def en_passant_victim_first(made: Made) -> Script | None:
    if not is_en_passant(made):
        return None
    victim = made.steps[1].source[0]
    return [(0, victim, False), (PAUSE_MS, made.source, False), (PAUSE_MS, made.target, True)]


def en_passant_victim_last(made: Made) -> Script | None:
    if not is_en_passant(made):
        return None
    victim = made.steps[1].source[0]
    return [(0, made.source, False), (PAUSE_MS, made.target, True), (PAUSE_MS, victim, False)]


def bump_mid_move(made: Made) -> Script | None:
    """With the mover in the hand, lift a neighbour of the target and replace it."""
    if len(made.steps) > 1:
        return None
    occupied = made.rules.placement(made.position).by_cell()
    near = [steps[made.target] for steps in made.rules.grid.steps]
    bumped = next((cell for cell in near if cell in occupied and cell != made.source), None)
    if bumped is None:
        return None
    return [
        (0, made.source, False),
        (PAUSE_MS, bumped, False),
        (60, bumped, True),
        (PAUSE_MS, made.target, True),
    ]


def promotion(made: Made) -> Script | None:
    return quiet(made) if made.steps[0].piece.kind != made.steps[0].becomes.kind else None


GESTURES: dict[str, Callable[[Made], Script | None]] = {
    "quiet": lambda made: None if promotion(made) else quiet(made),
    "slide": slide,
    "capture-target-first": lambda made: None if changes_kind(made) else capture_target_first(made),
    "capture-mover-first": lambda made: None if changes_kind(made) else capture_mover_first(made),
    "capture-push": lambda made: None if changes_kind(made) else capture_push(made),
    "castle-king-first": castling("KkRr"),
    "castle-rook-first": castling("RrKk"),
    "castle-two-hands-rook-first": castling("KRrk"),
    "castle-two-hands-king-first": castling("RKkr"),
    "en-passant-victim-first": en_passant_victim_first,
    "en-passant-victim-last": en_passant_victim_last,
    "bump-mid-move": bump_mid_move,
    "promotion": promotion,
}


def changes_kind(made: Made) -> bool:
    return made.steps[0].piece.kind != made.steps[0].becomes.kind


def moves_of_random_games(rules: AnyRules, seed: int) -> Iterator[Made]:
    """Every legal move of every position of random games, endlessly."""
    chance = Random(seed)
    while True:
        position = rules.initial()
        while moves := rules.legal_moves(position):
            for move in moves:
                yield Made(rules, position, move, tuple(rules.steps(position, move)))
            position = rules.apply(position, chance.choice(moves))
