# SPDX-License-Identifier: Apache-2.0
"""Chess: what each sentence claims, worked out from the FIDE laws."""

from __future__ import annotations

from typing import Final

from companion.model.game import Argument
from companion.model.pieces import Piece, Side

from .drop import Claim, Drop, Place, between, is_diagonal, is_straight, never, place, stands

Board = dict[Place, Piece]


def attacks(board: Board, start: Place, end: Place) -> bool:
    """True if the piece on *start* attacks *end*."""
    piece, way = board[start], (end[0] - start[0], end[1] - start[1])
    if piece.kind == "knight":
        return sorted(map(abs, way)) == [1, 2]
    if piece.kind == "king":
        return max(map(abs, way)) == 1
    if piece.kind == "pawn":
        return abs(way[0]) == 1 and way[1] == ahead(piece.side)
    goes = (piece.kind != "bishop" and is_straight(way)) or (piece.kind != "rook" and is_diagonal(way))
    return goes and not any(each in board for each in between(start, end))


def ahead(side: Side | None) -> int:
    return -1 if side else 1


def attackers(board: Board, end: Place, turn: Side) -> set[Place]:
    """The places of enemies of *turn* that attack *end*."""
    return {start for start, piece in board.items() if piece.side != turn and attacks(board, start, end)}


def king(board: Board, turn: Side) -> Place:
    return next(at for at, piece in board.items() if piece == Piece("king", turn))


def before(drop: Drop) -> Board:
    return {**drop.others(), place(drop.origin): drop.piece}


def after(drop: Drop) -> Board:
    """The board with the piece where it is dropped; what stood there is captured."""
    return {**drop.others(), place(drop.target): drop.piece}


def own_piece(drop: Drop, said: dict[str, Argument]) -> bool:
    other = drop.on(said["target"])
    return said["target"] == drop.target and other == said["other"] and other.side == drop.piece.side


def path_blocked(drop: Drop, said: dict[str, Argument]) -> bool:
    kind, way = drop.piece.kind, drop.way()
    goes = {
        "pawn": way == (0, 2 * ahead(drop.piece.side)) and is_at_home(drop),
        "bishop": is_diagonal(way),
        "rook": is_straight(way),
        "queen": is_straight(way) or is_diagonal(way),
    }.get(kind, False)
    is_between = place(str(said["cell"])) in between(place(drop.origin), place(drop.target))
    return goes and is_between and stands(drop, said["blocker"], said["cell"])


def is_at_home(drop: Drop) -> bool:
    return place(drop.origin)[1] == (6 if drop.piece.side else 1)


def shape(kind: str) -> Claim:
    """The claim that a *kind* does not move like that."""

    def claim(drop: Drop, said: dict[str, Argument]) -> bool:
        way = drop.way()
        forms = {
            "knight": sorted(map(abs, way)) == [1, 2],
            "bishop": is_diagonal(way),
            "rook": is_straight(way),
            "queen": is_straight(way) or is_diagonal(way),
            "king": max(map(abs, way)) == 1 or may_castle(drop),
        }
        return drop.piece.kind == kind and not forms[kind] and said["target"] == drop.target

    return claim


def pawn_shape(drop: Drop, said: dict[str, Argument]) -> bool:
    files, ranks = drop.way()
    ranks *= ahead(drop.piece.side)
    goes = (files == 0 and ranks in (1, 2)) or (abs(files) == 1 and ranks == 1)
    return drop.piece.kind == "pawn" and not goes and said["target"] == drop.target


def backwards(drop: Drop, _said: dict[str, Argument]) -> bool:
    return drop.piece.kind == "pawn" and drop.way()[1] * ahead(drop.piece.side) < 0


def two_steps(drop: Drop, _said: dict[str, Argument]) -> bool:
    is_double = drop.way() == (0, 2 * ahead(drop.piece.side))
    return drop.piece.kind == "pawn" and is_double and not is_at_home(drop)


def captures_straight(drop: Drop, said: dict[str, Argument]) -> bool:
    files, ranks = drop.way()
    is_ahead = files == 0 and ranks * ahead(drop.piece.side) in (1, 2)
    is_blocked = said["target"] == drop.target and stands(drop, said["other"], drop.target)
    return drop.piece.kind == "pawn" and is_ahead and is_blocked


def is_slanted(drop: Drop) -> bool:
    files, ranks = drop.way()
    return drop.piece.kind == "pawn" and abs(files) == 1 and ranks == ahead(drop.piece.side)


def without_capture(drop: Drop, said: dict[str, Argument]) -> bool:
    return is_slanted(drop) and drop.on(drop.target) is None and said["target"] == drop.target


def too_late(drop: Drop, said: dict[str, Argument]) -> bool:
    """A pawn stands beside, where it would be had it just gone two squares."""
    file, rank = place(drop.target)
    passed = drop.others().get((file, rank - ahead(drop.piece.side)))
    is_rank = rank == (2 if drop.piece.side else 5)
    return is_slanted(drop) and is_rank and passed == said["other"] == Piece("pawn", 1 - drop.turn)


def checks(drop: Drop, board: Board, said: dict[str, Argument]) -> bool:
    """True if the named attacker gives check on *board*."""
    at = place(str(said["cell"]))
    return board.get(at) == said["attacker"] and at in attackers(board, king(board, drop.turn), drop.turn)


def pinned(drop: Drop, said: dict[str, Argument]) -> bool:
    is_king = drop.piece.kind == "king"
    return not is_king and checks(drop, after(drop), said) and not checks(drop, before(drop), said)


def in_check(drop: Drop, said: dict[str, Argument]) -> bool:
    return checks(drop, before(drop), said) and checks(drop, after(drop), said)


def into_check(drop: Drop, said: dict[str, Argument]) -> bool:
    is_there = said["target"] == drop.target
    return drop.piece.kind == "king" and is_there and checks(drop, after(drop), said)


# castling


def rooks(drop: Drop) -> list[Place]:
    """The own rooks with which the king may mean to castle."""
    (file, rank), (to_file, to_rank) = place(drop.origin), place(drop.target)
    home = 7 if drop.turn else 0
    if drop.piece != Piece("king", drop.turn) or (rank, to_rank) != (home, home):
        return []
    own = [at for at, piece in drop.others().items() if piece == Piece("rook", drop.turn) and at[1] == home]
    return [at for at in own if at == (to_file, to_rank) or to_file == (6 if at[0] > file else 2) != file]


def has_right(drop: Drop, rook: Place) -> bool:
    return bool(drop.position.rights >> (8 * rook[1] + rook[0]) & 1)


def may_castle(drop: Drop) -> bool:
    return any(has_right(drop, rook) for rook in rooks(drop))


def castling_lost(drop: Drop, said: dict[str, Argument]) -> bool:
    rook = place(str(said["cell"]))
    return rook in rooks(drop) and not has_right(drop, rook)


def squares(drop: Drop, rook: Place) -> tuple[Place, set[Place]]:
    """The king's target, and all squares that castling needs."""
    start = place(drop.origin)
    target, beside = (6, 5) if rook[0] > start[0] else (2, 3)
    files = (start[0], rook[0], target, beside)
    return (target, start[1]), {(file, start[1]) for file in range(min(files), max(files) + 1)}


def castling_blocked(drop: Drop, said: dict[str, Argument]) -> bool:
    is_seen = stands(drop, said["blocker"], said["cell"])
    at = place(str(said["cell"]))
    return is_seen and any(
        has_right(drop, rook) and at != rook and at in squares(drop, rook)[1] for rook in rooks(drop)
    )


def castling_in_check(drop: Drop, _said: dict[str, Argument]) -> bool:
    board = before(drop)
    return may_castle(drop) and bool(attackers(board, place(drop.origin), drop.turn))


def castling_through(drop: Drop, said: dict[str, Argument]) -> bool:
    """The named square lies on the king's way and is attacked."""
    at, start = place(str(said["cell"])), place(drop.origin)
    found = attackers(drop.others(), at, drop.turn)
    is_attacked = said["attacker"] in {drop.others()[each] for each in found}
    return is_attacked and any(
        has_right(drop, rook) and at in between(start, squares(drop, rook)[0]) for rook in rooks(drop)
    )


def castling_into(drop: Drop, said: dict[str, Argument]) -> bool:
    at = place(str(said["cell"]))
    for rook in rooks(drop):
        target, _ = squares(drop, rook)
        board = {each: piece for each, piece in drop.others().items() if each != rook}
        board[target[0] + (-1 if target[0] == 6 else 1), target[1]] = Piece("rook", drop.turn)
        found = {board[each] for each in attackers(board, target, drop.turn)}
        if has_right(drop, rook) and at == target and said["attacker"] in found:
            return True
    return False


CLAIMS: Final[dict[str, Claim]] = {
    "own-piece": own_piece,
    "path-blocked": path_blocked,
    **{f"{kind}-shape": shape(kind) for kind in ("knight", "bishop", "rook", "queen", "king")},
    "pawn-shape": pawn_shape,
    "backwards-shape": backwards,
    "pawn-two-steps": two_steps,
    "pawn-captures-straight": captures_straight,
    "pawn-without-capture": without_capture,
    "en-passant-too-late": too_late,
    "pinned": pinned,
    "in-check": in_check,
    "king-into-check": into_check,
    "castling-lost": castling_lost,
    "castling-blocked": castling_blocked,
    "castling-in-check": castling_in_check,
    "castling-through-check": castling_through,
    "castling-into-check": castling_into,
    **dict.fromkeys(
        (
            *("en-passant-unfinished", "promotion-missing", "castling-unfinished", "game-over"),
            *("piece-unknown", "one-king-each", "pawn-on-end-rank", "king-could-be-taken"),
        ),
        never,
    ),
}
