# SPDX-License-Identifier: Apache-2.0
"""Reasons why a change on the board is not a legal move.

The reason is the rule that the player most likely overlooked.
Obstacles to the move itself come first, the safety of the king last.
"""

from __future__ import annotations

from dataclasses import replace

from companion.games._shared.attempts import Attempt, read_attempt
from companion.games.chess.position import Position, attackers, checkers, kind_at, of_kind, side_at
from companion.games.chess.tables import (
    BETWEEN,
    BIT,
    CASTLINGS,
    DIAGONAL,
    GRID,
    HOME_RANK,
    KING,
    KNIGHT,
    LAST_RANK,
    PAWN,
    STRAIGHT,
    Castling,
)
from companion.model.game import Argument, Violation
from companion.model.observation import Difference
from companion.model.occupancy import Occupancy, cells_of, occupancy_of
from companion.model.pieces import Piece
from companion.model.placement import Placement


def explain(position: Position, placement: Placement, difference: Difference) -> Violation:
    """The rule that *difference* breaks in *position*, whose pieces are *placement*."""
    rook = _castling_rook(position, difference)
    if rook is not None:
        return _explain_castling(position, rook)
    victim = _passed_victim(position, difference)
    if victim is not None:
        rest = tuple(cell for cell in difference.emptied if cell != victim)
        difference = replace(difference, emptied=rest)
    attempt = read_attempt(GRID, placement, difference, position.turn)
    if isinstance(attempt, Violation):
        return attempt
    occupant = placement.at(attempt.target)
    if occupant is not None and occupant.side == position.turn:
        return _violation("own-piece", attempt, other=occupant)
    if attempt.piece.kind == "pawn":
        found = _explain_pawn(position, attempt, occupant, victim)
    else:
        found = _explain_officer(position, attempt)
    return found or _explain_safety(position, attempt) or _unfinished(position, attempt)


def _violation(rule: str, attempt: Attempt, *cells: int, **more: Argument) -> Violation:
    """A violation of *rule* by *attempt*."""
    names = {"source": GRID.name(attempt.source), "target": GRID.name(attempt.target)}
    return Violation.of(rule, attempt.target, attempt.source, *cells, piece=attempt.piece, **names, **more)


def _piece(position: Position, square: int) -> Piece:
    """The piece on *square*, which must be occupied."""
    return Piece(kind_at(position, square), side_at(position, square))


def _blocked(position: Position, attempt: Attempt) -> Violation | None:
    """The violation by the first piece between source and target, or None."""
    between = BETWEEN[attempt.source].get(attempt.target, 0) & (position.white | position.black)
    if not between:
        return None
    cell = min(cells_of(between), key=lambda square: abs(square - attempt.source))
    return _violation("path-blocked", attempt, cell, blocker=_piece(position, cell), cell=GRID.name(cell))


# pieces


def _explain_officer(position: Position, attempt: Attempt) -> Violation | None:
    """The reason why a king, queen, rook, bishop or knight does not move like that."""
    kind, source = attempt.piece.kind, attempt.source
    reach = {
        "king": KING[source],
        "queen": STRAIGHT[source] | DIAGONAL[source],
        "rook": STRAIGHT[source],
        "bishop": DIAGONAL[source],
        "knight": KNIGHT[source],
    }[kind]
    if not reach & BIT[attempt.target]:
        return _violation(f"{kind}-shape", attempt)
    return _blocked(position, attempt) if kind != "knight" else None


def _explain_pawn(
    position: Position, attempt: Attempt, occupant: Piece | None, victim: int | None
) -> Violation | None:
    """The reason why a pawn does not move like that."""
    turn, source, target = position.turn, attempt.source, attempt.target
    ahead = ((target >> 3) - (source >> 3)) * (-1 if turn else 1)
    if PAWN[turn][source] & BIT[target]:
        return _explain_pawn_capture(position, attempt, occupant, victim)
    if ahead < 0:
        return _violation("backwards-shape", attempt)
    if ahead not in (1, 2) or (target ^ source) & 7:
        return _violation("pawn-shape", attempt)
    if ahead == 2 and source >> 3 != (6 if turn else 1):
        return _violation("pawn-two-steps", attempt)
    if occupant is not None:
        return _violation("pawn-captures-straight", attempt, other=occupant)
    return _blocked(position, attempt)


def _explain_pawn_capture(
    position: Position, attempt: Attempt, occupant: Piece | None, victim: int | None
) -> Violation | None:
    """The reason why a pawn may not capture on a square that it attacks."""
    if occupant is not None or attempt.target == position.passed:
        return None
    if victim is not None:
        return _violation("en-passant-too-late", attempt, victim, other=_piece(position, victim))
    return _violation("pawn-without-capture", attempt)


def _passed_victim(position: Position, difference: Difference) -> int | None:
    """The square of the enemy pawn removed as if by en passant, or None."""
    back = 8 if position.turn else -8
    for target in difference.filled:
        victim = target + back
        sources = PAWN[1 - position.turn][target] & occupancy_of(difference.emptied)
        is_pawn = victim in difference.emptied and position.pawns & BIT[victim]
        if sources & position.pawns and is_pawn and side_at(position, victim) != position.turn:
            return victim
    return None


# the king's safety


def _explain_safety(position: Position, attempt: Attempt) -> Violation | None:
    """The violation that leaves the king in check after *attempt*, or None."""
    turn = position.turn
    own = position.black if turn else position.white
    source, target = BIT[attempt.source], BIT[attempt.target]
    taken = target
    if attempt.piece.kind == "pawn" and attempt.target == position.passed:
        taken = BIT[attempt.target + (8 if turn else -8)]
    occupied = (position.white | position.black) & ~(source | taken) | target
    king = target if attempt.piece.kind == "king" else position.kings & own
    causes = attackers(position, king.bit_length() - 1, 1 - turn, occupied) & ~taken
    if not causes:
        return None
    rule = "in-check" if checkers(position) else "pinned"
    if attempt.piece.kind == "king":
        rule = "king-into-check"
    cause = causes.bit_length() - 1
    return _violation(
        rule, attempt, *cells_of(causes), attacker=_piece(position, cause), cell=GRID.name(cause)
    )


def _unfinished(position: Position, attempt: Attempt) -> Violation:
    """The violation when the move is legal but incomplete, or something else is different."""
    if attempt.piece.kind == "pawn" and LAST_RANK[position.turn] & BIT[attempt.target]:
        return _violation("promotion-missing", attempt)
    if attempt.piece.kind == "pawn" and attempt.target == position.passed:
        victim = attempt.target + (8 if position.turn else -8)
        return _violation("en-passant-unfinished", attempt, victim, cell=GRID.name(victim))
    return _violation("several-moved", attempt)


# castling


def _castling_rook(position: Position, difference: Difference) -> int | None:
    """The square of the rook with which *difference* tries to castle, or None.

    King and rook have both been put on their squares, or the king alone has moved there by more
    than a step and not onto an own piece. A king that stays needs the right: else the rook moved.
    """
    own = position.black if position.turn else position.white
    king = (position.kings & own).bit_length() - 1
    rooks = of_kind(position, "rook") & own & HOME_RANK[position.turn]
    for rook in cells_of(rooks if HOME_RANK[position.turn] & BIT[king] else 0):
        castling = CASTLINGS.get((king, rook))
        if castling is None or not _may_stand(difference, castling):
            continue
        is_rooks_part = castling.king_target == king and not position.rights & BIT[rook]
        is_step = abs(castling.king_target - king) <= 1 or BIT[castling.king_target] & own
        if (not is_step and _entered_alone(difference, king) == castling.king_target) or (
            not is_rooks_part and _is_whole(difference, king, rook, castling)
        ):
            return rook
    return None


def _entered_alone(difference: Difference, king: int) -> int | None:
    """The square to which *king* went, if nothing else has left its own; else None."""
    entered = (*difference.filled, *(cell for cell, _ in difference.changed))
    entered = entered or difference.touched[-1:]
    return entered[0] if difference.emptied == (king,) and len(entered) == 1 else None


def _is_whole(difference: Difference, king: int, rook: int, castling: Castling) -> bool:
    """True if *king* and *rook* have left their squares for those of *castling*.

    A square that one leaves and the other enters was touched.
    """
    before, after = BIT[king] | BIT[rook], BIT[castling.king_target] | BIT[castling.rook_target]
    entered = BIT[rook] & BIT[castling.king_target] | BIT[king] & BIT[castling.rook_target]
    handled = occupancy_of((*difference.touched, *(cell for cell, _ in difference.changed)))
    emptied, filled = occupancy_of(difference.emptied), occupancy_of(difference.filled)
    return emptied == before & ~after and filled == after & ~before and not entered & ~handled


def _may_stand(difference: Difference, castling: Castling) -> bool:
    """True unless other pieces than king and rook are known to be on their squares."""
    wanted = {castling.king_target: "king", castling.rook_target: "rook"}
    return all(look.kind in (None, wanted.get(cell, look.kind)) for cell, look in difference.placed)


def _explain_castling(position: Position, rook: int) -> Violation:
    """The reason why the king may not castle with *rook*."""
    own = position.black if position.turn else position.white
    king = (position.kings & own).bit_length() - 1
    castling = CASTLINGS[king, rook]
    attempt = Attempt(Piece("king", position.turn), king, castling.king_target)
    if not position.rights & BIT[rook]:
        return _violation("castling-lost", attempt, rook, cell=GRID.name(rook))
    blockers = (position.white | position.black) & castling.empty
    if blockers:
        cell = min(cells_of(blockers), key=lambda square: abs(square - king))
        return _violation(
            "castling-blocked", attempt, cell, blocker=_piece(position, cell), cell=GRID.name(cell)
        )
    if checkers(position):
        return _violation("castling-in-check", attempt, *cells_of(checkers(position)))
    return _explain_kings_path(position, attempt, rook)


def _explain_kings_path(position: Position, attempt: Attempt, rook: int) -> Violation:
    """The violation when castling is attacked on its path or lacks the rook's step."""
    castling = CASTLINGS[attempt.source, rook]
    occupied = (position.white | position.black) ^ BIT[attempt.source]
    for square in cells_of(castling.path & ~BIT[castling.king_target]):
        causes = attackers(position, square, 1 - position.turn, occupied)
        if causes:
            return _attacked("castling-through-check", position, attempt, square, causes)
    after = occupied & ~BIT[rook] | BIT[castling.rook_target]
    causes = attackers(position, castling.king_target, 1 - position.turn, after)
    if causes:
        return _attacked("castling-into-check", position, attempt, castling.king_target, causes)
    return _violation(
        "castling-unfinished", attempt, rook, cell=GRID.name(castling.rook_target), rook=GRID.name(rook)
    )


def _attacked(rule: str, position: Position, attempt: Attempt, square: int, causes: Occupancy) -> Violation:
    """The violation: *causes* attack *square*, which the king passes or reaches in castling."""
    attacker = _piece(position, causes.bit_length() - 1)
    return _violation(rule, attempt, square, *cells_of(causes), cell=GRID.name(square), attacker=attacker)
