# SPDX-License-Identifier: Apache-2.0
"""Moves as text: writes SAN; reads SAN, long forms and bare squares.

Source: FIDE Laws of Chess (2023), appendix C; PGN Standard (1994), 8.2.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from companion.games.chess.fen import LETTER_OF, LETTERS, write
from companion.games.chess.generation import legal_moves
from companion.games.chess.position import PROMOTED, Position, apply, checkers, kind_at
from companion.games.chess.tables import BIT, CASTLE, CASTLINGS, EN_PASSANT, GRID, Move
from companion.model.errors import AmbiguousMove, NotationError
from companion.model.notation import not_legal
from companion.model.occupancy import cells_of

_MOVE: Final = re.compile(
    r"(?P<kind>[NBRQK])?(?P<file>[a-h])?(?P<rank>[1-8])?[-x:]?(?P<target>[a-h][1-8])=?(?P<becomes>[NBRQnbrq])?"
)
_NULL: Final = ("--", "Z0", "@@@@", "0000")
"""Null moves of analysis programs: chess has no such move."""
_MARKS: Final = "+#!?=-/"
"""Suffixes of a move: check, mate, and annotations."""
_FIGURINES: Final = str.maketrans(
    {
        figurine: letter
        for pair, letter in zip(("♔♚", "♕♛", "♖♜", "♗♝", "♘♞"), "KQRBN", strict=True)
        for figurine in pair
    }
    | dict.fromkeys("♙♟\ufe0e\ufe0f", "")
)
_CASTLE: Final = re.compile(r"[Oo0]-?[Oo0](?P<long>-?[Oo0])?")


def target_of(move: Move) -> int:
    """The square that the moving piece reaches: the king's in castling."""
    source, target = move >> 9, move >> 3 & 63
    return CASTLINGS[source, target].king_target if move & 7 == CASTLE else target


def write_move(position: Position, move: Move, moves: Sequence[Move]) -> str:
    """*move* in SAN, unambiguous among *moves*, which are all legal ones."""
    after = apply(position, move)
    mark = ""
    if checkers(after):
        mark = "+" if legal_moves(after) else "#"
    return _write_bare(position, move, moves) + mark


def _write_bare(position: Position, move: Move, moves: Sequence[Move]) -> str:
    """*move* without the suffix for check or mate."""
    source, target, code = move >> 9, move >> 3 & 63, move & 7
    if code == CASTLE:
        return "O-O" if target > source else "O-O-O"
    kind = kind_at(position, source)
    is_capture = code == EN_PASSANT or (position.white | position.black) & BIT[target]
    name = GRID.name(target)
    if kind == "pawn":
        becomes = f"={LETTER_OF[PROMOTED[code]].upper()}" if code in PROMOTED else ""
        return f"{GRID.name(source)[0]}x{name}{becomes}" if is_capture else name + becomes
    rivals = [
        other >> 9
        for other in moves
        if other >> 3 & 63 == target
        and other & 7 != CASTLE
        and other >> 9 != source
        and kind_at(position, other >> 9) == kind
    ]
    return f"{LETTER_OF[kind].upper()}{_origin(source, rivals)}{'x' if is_capture else ''}{name}"


def _origin(source: int, rivals: Sequence[int]) -> str:
    """The disambiguation of *source* from *rivals*: nothing, file, rank, or both."""
    name = GRID.name(source)
    if not rivals:
        return ""
    if all(rival & 7 != source & 7 for rival in rivals):
        return name[0]
    if all(rival >> 3 != source >> 3 for rival in rivals):
        return name[1]
    return name


def read_move(position: Position, text: str, moves: Sequence[Move]) -> Move:
    """The one of *moves* that *text* denotes. Raises `NotationError`, `AmbiguousMove`.

    Signs for capture, check and mate are optional; `e2e4`, `e7e8q` and figurines are accepted, too.
    """
    bare = _bare(text)
    if text in _NULL:
        raise NotationError("{text!r} is a null move, which chess does not have", text=text)
    if castle := _CASTLE.fullmatch(bare):
        found = [
            move
            for move in moves
            if move & 7 == CASTLE and (move >> 3 & 63 < move >> 9) == bool(castle["long"])
        ]
    elif match := _MOVE.fullmatch(bare):
        found = list(_fitting(position, match, moves))
    else:
        raise NotationError("{text!r} is not written like a move: Nf3, exd5, O-O or e7e8q", text=text)
    if not found:
        raise not_legal(write(position), text)
    if len(found) > 1:
        fitting = ", ".join(write_move(position, move, moves) for move in found)
        raise AmbiguousMove(
            "{text!r} may be any of {moves} in {position}", moves=fitting, position=write(position), text=text
        )
    return found[0]


def carries(position: Position, text: str) -> Sequence[tuple[int, int]]:
    """Source and target squares of the pieces that *text* may carry, also illegally."""
    bare = _bare(text)
    own = position.black if position.turn else position.white
    if castle := _CASTLE.fullmatch(bare):
        king = (position.kings & own).bit_length() - 1
        return ((king, king & 56 | (2 if castle["long"] else 6)),)
    match = _MOVE.fullmatch(bare)
    if match is None:
        return ()
    kind = LETTERS[match["kind"].lower()] if match["kind"] else "pawn"
    file = match["file"] or (match["target"][0] if kind == "pawn" else None)
    is_bare = match["file"] and match["rank"] and not match["kind"]
    target = GRID.cell(match["target"])
    return [
        (square, target)
        for square in cells_of(own)
        if square != target
        and (is_bare or kind_at(position, square) == kind)
        and file in (None, GRID.name(square)[0])
        and match["rank"] in (None, GRID.name(square)[1])
    ]


def _bare(text: str) -> str:
    """*text* with letters for figurines, and without marks."""
    bare = text.strip().translate(_FIGURINES).rstrip(_MARKS)
    for mark in ("e.p.", "e.p", "ep"):
        bare = bare.removesuffix(mark)
    return bare.rstrip()


def _fitting(position: Position, match: re.Match[str], moves: Iterable[Move]) -> Iterable[Move]:
    """The moves that fit the parts of *match*.

    Without a piece letter, two bare squares fit any kind, everything else a pawn.
    """
    is_coordinates = bool(match["file"] and match["rank"])
    wanted = LETTERS[match["kind"].lower()] if match["kind"] else None if is_coordinates else "pawn"
    becomes = LETTERS[match["becomes"].lower()] if match["becomes"] else None
    for move in moves:
        source = GRID.name(move >> 9)
        is_castling_by_squares = is_coordinates and abs(target_of(move) - (move >> 9)) > 1
        if (
            GRID.name(target_of(move)) == match["target"]
            and wanted in (None, kind_at(position, move >> 9))
            and match["file"] in (None, source[0])
            and match["rank"] in (None, source[1])
            and PROMOTED.get(move & 7) == becomes
            and (move & 7 != CASTLE or is_castling_by_squares)
        ):
            yield move
