# SPDX-License-Identifier: Apache-2.0
"""Reasons why a change on the board is not an action of GOTTAZ."""

from __future__ import annotations

from dataclasses import dataclass

from companion.games._shared.attempts import Attempt, out_of_turn, read_attempt
from companion.games.gottaz.rules import GottazBoard
from companion.games.gottaz.state import (
    GRID,
    JUMP,
    LEAP,
    MOVE,
    PLACE,
    ROTATE,
    SLANT,
    SWAP,
    TERRITORIES,
    TSUNAMI,
    GameState,
    Move,
    ahead,
)
from companion.model.game import Violation
from companion.model.grid import OFF, Cell
from companion.model.observation import OCCUPIED, Difference, Sighting
from companion.model.pieces import STANDING, Piece, Side
from companion.model.placement import Placement


@dataclass(frozen=True, slots=True)
class _Placing:
    """A pawn from a hand that was put on a cell."""

    cell: Cell
    look: Sighting

    @classmethod
    def of(cls, difference: Difference) -> _Placing | None:
        """The only change, if it is such a placing, or None."""
        looks = dict(difference.placed)
        cells = {*difference.filled, *looks, *(cell for cell, _ in difference.changed)}
        entered = cells & {*difference.filled, *looks}
        if difference.emptied or len(cells) != 1 or not entered:
            return None
        (cell,) = entered
        return cls(cell, looks.get(cell, OCCUPIED))


def explain(
    board: GottazBoard, placement: Placement, position: GameState, difference: Difference
) -> Violation:
    """The rule that *difference* breaks, by the player's most likely intention."""
    placing = _Placing.of(difference)
    if placing is not None:
        return _explain_placing(board, placement, position, placing)
    early = _acted_out_of_turn(board, position, difference)
    if early is not None:
        return out_of_turn(GRID, placement, early)
    for read in (_explain_swap, _explain_turned, _explain_pushed):
        violation = read(board, position, difference)
        if violation is not None:
            return violation
    attempt = read_attempt(GRID, placement, difference, position.turn)
    return attempt if isinstance(attempt, Violation) else _explain_journey(board, position, attempt)


def _acted_out_of_turn(board: GottazBoard, position: GameState, difference: Difference) -> Cell | None:
    """A pawn that the side not to move has turned over or swapped, or None."""
    if difference.emptied or difference.filled:
        return None
    enemy = 1 - position.turn
    acting = [cell for cell, look in difference.changed if look.side in (None, enemy)] or difference.touched
    pawns = {cell: position.board[cell] for cell in acting if position.board[cell]}
    theirs = [cell for cell, code in pawns.items() if board.owner(code) == enemy]
    swapping = [cell for cell, code in pawns.items() if board.ability(code) == "swap"]
    is_theirs = len(theirs) == len(pawns) or (bool(swapping) and set(swapping) <= set(theirs))
    return theirs[0] if theirs and is_theirs else None


def _explain_placing(
    board: GottazBoard, placement: Placement, position: GameState, placing: _Placing
) -> Violation:
    """The violation by a pawn that came from a hand."""
    cell, side, seen = placing.cell, position.turn, placing.look
    name, standing = GRID.name(cell), placement.at(cell)
    if board.is_choosing(position):
        return Violation.of("still-choosing", cell, cell=name)
    if seen.side not in (None, side) and seen.kind in {pawn.slug for pawn in board.pawns}:
        piece = Piece(seen.kind, seen.side, pose=seen.pose or STANDING)
        return Violation.of("wrong-side", cell, piece=piece, cell=name)
    if not any(position.hands[side]):
        return Violation.of("hand-empty", cell, cell=name)
    if cell not in TERRITORIES[side]:
        return Violation.of("place-territory", cell, cell=name, row=_row(side, cell // 5))
    if standing is not None and (standing.side == side or not board.enters):
        return Violation.of("place-occupied", cell, cell=name)
    face = _lightest(board, position, seen)
    if face is None:
        return Violation.of("place-which", cell, cell=name)
    move = (PLACE, face, cell)
    if standing is not None:
        return _explain_limit(board, position, move) or _explain_battle(board, position, move)
    return _explain_limit(board, position, move) or Violation.of("place-which", cell, cell=name)


def _lightest(board: GottazBoard, position: GameState, seen: Sighting) -> int | None:
    """The face that takes least room, of those in the hand like *seen*, or None."""
    hand = position.hands[position.turn]
    faces = [
        face
        for face, shown in enumerate(board.faces)
        if hand[face // 2]
        and seen.side in (None, position.turn)
        and seen.kind in (None, board.pawns[face // 2].slug)
        and seen.pose in (None, shown.slug)
    ]
    strength, supply = board.actions.strength, board.actions.supply
    return min(faces, key=lambda face: strength[face + 1] - supply[face + 1], default=None)


def _explain_swap(board: GottazBoard, position: GameState, difference: Difference) -> Violation | None:
    """The violation by two pawns that seem to have changed places, or None."""
    cells = difference.touched or tuple(cell for cell, _ in difference.changed)
    if (
        difference.emptied
        or difference.filled
        or len(cells) != 2
        or not all(position.board[cell] for cell in cells)
    ):
        return None
    own = [cell for cell in cells if board.owner(position.board[cell]) == position.turn]
    able = [cell for cell in own if board.ability(position.board[cell]) == "swap"]
    if not able:
        return Violation.of("swap-ability", *cells, cell=GRID.name(cells[0]), other=GRID.name(cells[1]))
    other = next(cell for cell in cells if cell != able[0])
    move = (SWAP, able[0], other)
    if move not in board.candidates(position):
        return Violation.of("swap-adjacent", able[0], other, cell=GRID.name(able[0]), other=GRID.name(other))
    return _explain_limit(board, position, move) or Violation.of("swap-same", able[0], other)


def _explain_turned(board: GottazBoard, position: GameState, difference: Difference) -> Violation | None:
    """The violation by a pawn that was turned over, or only lifted, or None."""
    cells = tuple(cell for cell, _ in difference.changed) or difference.touched
    if difference.emptied or difference.filled or len(cells) != 1 or not position.board[cells[0]]:
        return None
    cell = cells[0]
    code = position.board[cell]
    if board.owner(code) != position.turn:
        return None
    if board.ability(code) != "rotate":
        return Violation.of("rotate-ability", cell, cell=GRID.name(cell))
    return _explain_limit(board, position, (ROTATE, cell, cell))


def _explain_pushed(board: GottazBoard, position: GameState, difference: Difference) -> Violation | None:
    """The violation by a pawn pushed away in front of a Tsunami, or None."""
    side = position.turn
    if len(difference.emptied) != 1:
        return None
    pushed = difference.emptied[0]
    code = position.board[pushed]
    behind = ahead(1 - side, pushed, 1)
    tsunami = position.board[behind] if behind != OFF else 0
    if not code or not tsunami or board.owner(tsunami) != side or board.ability(tsunami) != "tsunami":
        return None
    target = ahead(side, pushed, 2)
    entered = (*difference.filled, *(cell for cell, _ in difference.changed))
    landed = entered[0] if entered else target
    is_straight = landed in [ahead(side, pushed, rows) for rows in range(1, 5)]
    if landed != target and (board.owner(code) == side or not is_straight):
        return None  # a pawn that moved by itself
    if target == OFF:
        return Violation.of("tsunami-edge", pushed, behind, cell=GRID.name(pushed))
    if landed != target:
        return Violation.of("tsunami-shape", landed, pushed, cell=GRID.name(pushed), target=GRID.name(target))
    if position.board[target] and board.owner(position.board[target]) == board.owner(code):
        return Violation.of("tsunami-stack", target, pushed, cell=GRID.name(pushed), target=GRID.name(target))
    return _explain_limit(board, position, (TSUNAMI, behind, target))


def _explain_journey(board: GottazBoard, position: GameState, attempt: Attempt) -> Violation:
    """The violation by an own pawn on a cell out of reach or forbidden."""
    source, target = attempt.source, attempt.target
    code = position.board[source]
    standing = position.board[target]
    names = {"source": GRID.name(source), "target": GRID.name(target)}
    if standing and board.owner(standing) == position.turn:
        return Violation.of("own-pawn", target, source, **names)
    ability = board.ability(code)
    kind = {"leap": LEAP, "slant": SLANT, "jump": JUMP}.get(ability, MOVE)
    for move in ((MOVE, source, target), (kind, source, target)):
        if move in board.candidates(position):
            limit = _explain_limit(board, position, move)
            if limit is not None:
                return limit
            return _explain_battle(board, position, move)
    over = _between(source, target)
    if kind == LEAP and over != OFF and position.board[over]:
        return Violation.of("leap-blocked", target, source, over, cell=GRID.name(over), **names)
    shape = "move-shape" if kind == MOVE else f"{ability}-shape"
    return Violation.of(shape, target, source, **names)


def _explain_battle(board: GottazBoard, position: GameState, move: Move) -> Violation:
    """The violation when the move is legal, but the result of the battle is wrong."""
    fight = board.battle(board.change(position, move))
    if fight is None:
        return Violation.of("several-moved", move[2], move[1])
    attack, defence = fight.strengths
    name = GRID.name(fight.cell)
    return Violation.of("battle-result", fight.cell, attack=attack, defence=defence, cell=name)


def _explain_limit(board: GottazBoard, position: GameState, move: Move) -> Violation | None:
    """The row that *move* would put over its limit, or None."""
    change = board.change(position, move)
    row = board.overfull(change)
    if row is None:
        return None
    side, rank = row
    total = board.row_sum(change.board, side, rank, change.arrivals)
    limit = board.row_limit(change.board, side, rank, change.arrivals)
    rule = "row-limit" if side == position.turn else "row-limit-other"
    cells = range(rank * 5, rank * 5 + 5)
    return Violation.of(rule, *cells, row=_row(side, rank), total=total, limit=limit)


def _row(side: Side, rank: int) -> int:
    """The number of a row as *side* counts, from its own territory."""
    return rank + 1 if side == 0 else 5 - rank


def _between(source: Cell, target: Cell) -> Cell:
    """The middle cell of a straight move of two cells, or OFF."""
    for way in range(0, 8, 2):
        over = GRID.steps[way][source]
        if over != OFF and GRID.steps[way][over] == target:
            return over
    return OFF
