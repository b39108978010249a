# SPDX-License-Identifier: Apache-2.0
"""Reasons why a change on the Fightopia board is not a legal move.

The reason is the rule that the player most likely overlooked.
Pieces cover up to four cells, so a moved piece is found by the cells
that it left, kept and entered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.games.fightopia.board import (
    AIMS,
    BIT,
    CORNER_OF,
    EDGE,
    GIANT_WAYS,
    GRID,
    LYING,
    NEIGHBOURS,
    STANCE_OF,
    Army,
    Battle,
    barrels,
    pivots,
    slides,
    stances,
)
from companion.model.game import Argument, Violation
from companion.model.grid import Cell
from companion.model.observation import Difference
from companion.model.occupancy import Occupancy, occupancy_of
from companion.model.pieces import Piece
from companion.model.placement import Entry, Placement


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A piece of the side to move was carried from *source* to *target*."""

    piece: Piece
    source: tuple[Cell, ...]
    target: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class _Scene:
    """The input of an explanation."""

    options: Mapping[str, str]
    position: Battle
    pieces: Mapping[Cell, Piece]
    occupied: Occupancy

    @property
    def own(self) -> Army:
        """The army of the side to move."""
        return self.position.black if self.position.turn else self.position.white


def explain(
    options: Mapping[str, str], position: Battle, placement: Placement, difference: Difference
) -> Violation:
    """The rule that *difference* breaks in *position*, whose pieces are *placement*."""
    scene = _Scene(options, position, placement.by_cell(), placement.occupancy)
    disturbed = [entry for entry in placement.entries if set(entry[1]) & set(difference.emptied)]
    placed = (*difference.filled, *(cell for cell, _ in difference.changed))
    own = [entry for entry in disturbed if entry[0].side == position.turn]
    others = [entry for entry in disturbed if entry[0].side != position.turn]
    if not disturbed:
        return _from_nowhere(scene, difference, placed)
    if len(own) > 1:
        return Violation.of("several-moved", *(cell for _, cells in own for cell in cells))
    if not own:
        return _about("wrong-side", others[0]) if placed else _explain_removal(scene, others, difference)
    if others:
        return _about("one-action", others[0], other=own[0][0])
    return _explain_own(scene, own[0], placed, difference)


def _about(rule: str, entry: Entry, **more: Argument) -> Violation:
    """A violation of *rule* concerning one piece."""
    piece, cells = entry
    return Violation.of(rule, *cells, piece=piece, cell=GRID.name(cells[0]), **more)


def _from_nowhere(scene: _Scene, difference: Difference, placed: tuple[Cell, ...]) -> Violation:
    """The violation when nothing has left its place, yet something is different."""
    added = [cell for cell in placed if cell not in scene.pieces]
    if added:
        return Violation.of("piece-added", *added, cell=GRID.name(added[0]))
    changed = (*placed, *difference.touched)
    return Violation.of("piece-exchanged", *changed, cell=GRID.name(changed[0]) if changed else "")


# an own piece that moved


def _explain_own(scene: _Scene, entry: Entry, placed: tuple[Cell, ...], difference: Difference) -> Violation:
    """The reason why *entry*, an own piece, may not be in its present place."""
    piece, source = entry
    kept = [cell for cell in source if cell not in difference.emptied]
    pushed = [cell for cell in difference.touched if cell not in source]
    if not placed and not pushed:
        return _about("piece-left" if not kept else "piece-askew", entry)
    target = (*kept, *placed, *reversed(pushed))[: max(len(source), len(kept) + len(placed))]
    if len(target) > len(source):
        return Violation.of("piece-added", *placed, cell=GRID.name(placed[-1]))
    attempt = _Attempt(piece, source, tuple(sorted(target)))
    occupant = next((cell for cell in target if cell not in source and cell in scene.pieces), None)
    if occupant is not None:
        return _onto(scene, attempt, occupant)
    if len(target) < len(source):
        return _about("piece-askew", entry)
    explain_kind = {"pawn": _explain_pawn, "giant": _explain_giant, "tank": _explain_tank}[piece.kind]
    return explain_kind(scene, attempt)


def _violation(rule: str, attempt: _Attempt, *cells: Cell, **more: Argument) -> Violation:
    """A violation of *rule* by *attempt*; the entered cells come first."""
    entered = [cell for cell in attempt.target if cell not in attempt.source]
    names = {"source": GRID.name(attempt.source[0]), "target": GRID.name(attempt.target[0])}
    return Violation.of(rule, *entered, *attempt.source, *cells, piece=attempt.piece, **names, **more)


def _onto(scene: _Scene, attempt: _Attempt, cell: Cell) -> Violation:
    """The violation by the piece on *cell*, which *attempt* entered."""
    other = scene.pieces[cell]
    rule = "own-piece" if other.side == scene.position.turn else "no-capture"
    return _violation(rule, attempt, cell, other=other, cell=GRID.name(cell))


def _explain_pawn(scene: _Scene, attempt: _Attempt) -> Violation:
    if not NEIGHBOURS[attempt.source[0]] & BIT[attempt.target[0]]:
        return _violation("pawn-shape", attempt)
    return _violation("several-moved", attempt)


def _explain_giant(scene: _Scene, attempt: _Attempt) -> Violation:
    corner = CORNER_OF.get(occupancy_of(attempt.target))
    if corner is None:
        return _violation("piece-askew", attempt, cell=GRID.name(attempt.source[0]))
    if corner not in [move & 127 for _, move in GIANT_WAYS[scene.own.giant]]:
        return _violation("giant-shape", attempt)
    return _violation("several-moved", attempt)


def _explain_tank(scene: _Scene, attempt: _Attempt) -> Violation:
    """The reason why a tank may not drive or pivot like that."""
    source = STANCE_OF[occupancy_of(attempt.source)]
    target = STANCE_OF.get(occupancy_of(attempt.target))
    if target is None:
        return _violation("piece-askew", attempt, cell=GRID.name(attempt.source[0]))
    turning = next((turning for turning in pivots(source) if turning.target == target), None)
    if turning is None and target not in [reached for reached, _ in slides(source)]:
        return _violation(_tank_shape(source, target), attempt)
    is_swept = scene.options["pivot_clearance"] == "swept"
    if turning is None or not is_swept or turning.corner not in scene.pieces:
        return _violation("several-moved", attempt)
    blocker, name = scene.pieces[turning.corner], GRID.name(turning.corner)
    return _violation("pivot-swept", attempt, turning.corner, blocker=blocker, cell=name)


def _tank_shape(source: int, target: int) -> str:
    """The rule against a tank's move that is neither a drive nor a pivot."""
    if (source < LYING) != (target < LYING):
        return "tank-pivot"
    axis = 7 if source < LYING else 56
    return "tank-too-far" if source & axis == target & axis else "tank-sideways"


# a removed enemy piece


def _explain_removal(scene: _Scene, enemies: list[Entry], difference: Difference) -> Violation:
    """The reason why pieces of the enemy may not be removed."""
    entry = enemies[0]
    if len(enemies) > 1:
        return _about("one-action", entry, other=enemies[1][0])
    if not set(entry[1]) <= set(difference.emptied):
        return _about("piece-askew", entry)
    if entry[0].kind == "giant":
        return _about("giant-unkillable", entry)
    if entry[0].kind == "tank":
        return _explain_tank_kill(scene, entry)
    return _explain_pawn_kill(scene, entry)


def _explain_tank_kill(scene: _Scene, entry: Entry) -> Violation:
    """The reason why an enemy tank may not be removed."""
    cells = occupancy_of(entry[1])
    is_met = any(
        AIMS[stance].met[scene.occupied & AIMS[stance].line] & cells for stance in stances(scene.own)
    )
    if EDGE[scene.own.giant] & cells:  # legal by itself: something else is different, too
        return _about("several-moved", entry)
    return _about("shot-only-pawns" if is_met else "kill-out-of-reach", entry)


def _explain_pawn_kill(scene: _Scene, entry: Entry) -> Violation:
    """The reason why an enemy pawn may not be removed."""
    cell = entry[1][0]
    for stance in stances(scene.own):
        for ray in barrels(stance):
            if cell in ray:
                return _explain_shot(scene, entry, ray[: ray.index(cell)])
    if EDGE[scene.own.giant] & BIT[cell]:
        return _about("giant-spares-pawns", entry)
    if NEIGHBOURS[cell] & scene.own.pawns:
        return _about("pawn-kills-nothing", entry)
    return _about("shot-no-aim", entry)


def _explain_shot(scene: _Scene, entry: Entry, between: tuple[Cell, ...]) -> Violation:
    """The obstacle to a shot on its way through *between*."""
    blocker = next((cell for cell in between if cell in scene.pieces), None)
    if blocker is None:  # legal by itself: something else is different, too
        return _about("several-moved", entry)
    piece, (cell,) = entry
    return Violation.of(
        "shot-blocked", cell, blocker, piece=piece, cell=GRID.name(blocker), target=GRID.name(cell),
        blocker=scene.pieces[blocker],
    )  # fmt: skip
