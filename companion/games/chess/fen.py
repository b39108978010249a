# SPDX-License-Identifier: Apache-2.0
"""Positions as text in Forsyth-Edwards Notation, with X-FEN castling letters for Chess960.

Reading checks that the position can be played.
Writing gives an en-passant square only if such a capture is legal,
so equal positions have equal texts.

Source: PGN Standard (1994), 16.1; X-FEN as described by R. Scharnagl and H.-W. Brömse-Kösters.
"""

from __future__ import annotations

from typing import Final

from companion.games.chess.position import (
    BLACK,
    EMPTY,
    KINDS,
    WHITE,
    Position,
    attackers,
    en_passant_pawns,
    kind_at,
    of_kind,
    put,
    side_at,
)
from companion.games.chess.tables import A_FILE, BIT, GRID, HOME_RANK
from companion.model.errors import NotationError
from companion.model.game import Violation
from companion.model.grid import OFF
from companion.model.occupancy import Occupancy, cells_of
from companion.model.phrase import Phrase

STANDARD: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

LETTERS: Final = dict(zip("pnbrqk", KINDS, strict=True))
LETTER_OF: Final = {kind: letter for letter, kind in LETTERS.items()}

_KNIGHTS: Final = tuple((one, other) for one in range(5) for other in range(one + 1, 5))
"""Pairs of knight places among the five free ones, in Chess960 order."""


def numbered(number: int) -> Position:
    """The Chess960 start position with *number*, 0 to 959; 518 is the usual one.

    Source: FIDE Laws of Chess (2023), guidelines II; numbering by R. Scharnagl.
    """
    rest, light = divmod(number, 4)
    rest, dark = divmod(rest, 4)
    knights, queen = divmod(rest, 6)
    rank = [""] * 8
    rank[2 * light + 1] = rank[2 * dark] = "b"
    _fill(rank, queen, "q")
    one, other = _KNIGHTS[knights]
    _fill(rank, other, "n")
    _fill(rank, one, "n")
    for letter in "rkr":
        _fill(rank, 0, letter)
    row = "".join(rank)
    return read(f"{row}/pppppppp/8/8/8/8/PPPPPPPP/{row.upper()} w KQkq - 0 1")


def _fill(rank: list[str], place: int, letter: str) -> None:
    """Put *letter* on the free place with index *place* of *rank*."""
    free = [file for file, occupant in enumerate(rank) if not occupant]
    rank[free[place]] = letter


def faults(position: Position) -> tuple[Violation, ...]:
    """The faults that prevent *position* from being played; () if it is valid."""
    found = []
    for own in (position.white, position.black):
        kings = tuple(cells_of(position.kings & own))
        if len(kings) != 1:
            found.append(Violation.of("one-king-each", *kings, count=len(kings)))
    stranded = tuple(cells_of(position.pawns & (HOME_RANK[WHITE] | HOME_RANK[BLACK])))
    if stranded:
        found.append(Violation.of("pawn-on-end-rank", *stranded, cell=GRID.name(stranded[0])))
    if found:
        return tuple(found)
    waiting = position.white if position.turn else position.black
    king = (position.kings & waiting).bit_length() - 1
    causes = attackers(position, king, position.turn, position.white | position.black)
    if causes:
        return (Violation.of("king-could-be-taken", king, *cells_of(causes), cell=GRID.name(king)),)
    return ()


def write(position: Position) -> str:
    """*position* as FEN."""
    ranks = "/".join(_write_rank(position, rank) for rank in range(7, -1, -1))
    passed = "-" if position.passed == OFF else GRID.name(position.passed)
    return " ".join(
        [
            ranks,
            "wb"[position.turn],
            _write_rights(position) or "-",
            passed,
            str(position.quiet_plies),
            str(position.number),
        ]
    )


def _write_rank(position: Position, rank: int) -> str:
    """The pieces of one rank; digits count empty squares."""
    text, empty = "", 0
    for square in range(8 * rank, 8 * rank + 8):
        side = side_at(position, square)
        if side is None:
            empty += 1
            continue
        letter = LETTER_OF[kind_at(position, square)]
        text += (str(empty) if empty else "") + (letter.upper() if side == WHITE else letter)
        empty = 0
    return text + (str(empty) if empty else "")


def _wing_rooks(position: Position, side: int) -> tuple[list[int], list[int]]:
    """The rooks of *side* on its home rank, by wing: king's, queen's.

    The outermost rook is first in each list.
    """
    own = position.black if side else position.white
    king = (position.kings & own).bit_length() - 1
    rooks = list(cells_of(of_kind(position, "rook") & own & HOME_RANK[side]))
    return [rook for rook in reversed(rooks) if rook > king], [rook for rook in rooks if rook < king]


def _write_rights(position: Position) -> str:
    """Castling rights: K and Q for a wing's outermost rook, else a file letter."""
    text = ""
    for side in (WHITE, BLACK):
        for rooks, letter in zip(_wing_rooks(position, side), "KQ", strict=True):
            for rook in rooks:
                if position.rights & BIT[rook]:
                    name = letter if rook == rooks[0] else "ABCDEFGH"[rook & 7]
                    text += name if side == WHITE else name.lower()
    return text


def read(text: str) -> Position:
    """The position that *text* denotes. Raises `NotationError`.

    The two numbers at its end are optional.
    """
    position, dropped = read_generously(text)
    if dropped:
        raise _error(text, dropped[0])
    return position


def read_generously(text: str) -> tuple[Position, tuple[Phrase, ...]]:
    """The position in *text*, with what was left out or guessed.

    Raises `NotationError` if the pieces are not a position that can be played.
    """
    fields, dropped = text.split(), list[Phrase]()
    if len(fields) not in (4, 6):
        count = len(fields)
        dropped.append(Phrase("FEN has six fields, or four without its numbers, not {count}", count=count))
    ranks, turn, rights, passed, quiet, number = (*fields, *("", "w", "-", "-", "0", "1")[len(fields) :])[:6]
    if turn not in ("w", "b"):
        dropped.append(Phrase("the side to move is w or b, not {turn!r}", turn=turn))
    if not (quiet.isdecimal() and number.isdecimal()):
        dropped.append(Phrase("its last two fields are numbers"))
    if ranks.endswith("/"):
        dropped.append(Phrase("a board has 8 ranks, not {count}", count=ranks.count("/") + 1))
    position = _read_ranks(text, ranks.removesuffix("/"))._replace(
        turn=int(turn[:1].lower() == "b"),
        quiet_plies=int(quiet) if quiet.isdecimal() else 0,
        number=max(1, int(number)) if number.isdecimal() else 1,
    )
    for fault in faults(position):
        raise _error(text, _REASONS[fault.rule])
    position = position._replace(rights=_read_rights(position, rights, dropped))
    return position._replace(passed=_read_passed(position, passed, dropped)), tuple(dropped)


_REASONS: Final = {
    "one-king-each": Phrase("each side must have exactly one king"),
    "pawn-on-end-rank": Phrase("a pawn stands on the first or the last rank"),
    "king-could-be-taken": Phrase("the side to move could capture the king"),
}
"""Of `faults`, by their rule."""


def _error(text: str, reason: str) -> NotationError:
    return NotationError("{text!r} is not a chess position: {reason}", reason=reason, text=text)


def _read_ranks(text: str, ranks: str) -> Position:
    """The pieces that *ranks* denote, from the eighth rank to the first."""
    position = EMPTY
    rows = ranks.split("/")
    if len(rows) != 8:
        raise _error(text, Phrase("a board has 8 ranks, not {count}", count=len(rows)))
    for rank, row in zip(range(7, -1, -1), rows, strict=True):
        file = 0
        for letter in row:
            if letter in "12345678":
                file += int(letter)
            elif letter.lower() not in LETTERS:
                raise _error(text, Phrase("{sign!r} is not a piece", sign=letter))
            elif file < 8:
                side = WHITE if letter.isupper() else BLACK
                position = put(position, 8 * rank + file, LETTERS[letter.lower()], side)
                file += 1
            else:
                file += 1
        if file != 8:
            raise _error(
                text, Phrase("rank {rank} ({line!r}) has {file} squares", rank=rank + 1, line=row, file=file)
            )
    return position


def _read_rights(position: Position, letters: str, dropped: list[Phrase]) -> Occupancy:
    """The rooks of the castling rights that *letters* denote; impossible ones are *dropped*.

    Who writes one of these does not mean Chess960 with the others.
    """
    found = {letter: _read_right(position, letter) for letter in ("" if letters == "-" else letters)}
    if OFF in found.values():
        usual = {"K": (4, 7), "Q": (4, 0), "k": (60, 63), "q": (60, 56)}
        for letter, rook in found.items():
            king, corner = usual.get(letter, (OFF, OFF))
            if rook == OFF or rook != corner or not position.kings & BIT[king]:
                found[letter] = OFF
                dropped.append(
                    Phrase("castling right {letter!r} has no king and rook on their home rank", letter=letter)
                )
    return sum(BIT[rook] for rook in {*found.values()} - {OFF})


def _read_right(position: Position, letter: str) -> int:
    """The rook that *letter* denotes, or OFF."""
    side = WHITE if letter.isupper() else BLACK
    own = position.black if side else position.white
    king = position.kings & own
    if not king & HOME_RANK[side] or king & (A_FILE | A_FILE << 7):
        return OFF
    east, west = _wing_rooks(position, side)
    if letter in "KkQq":
        rooks = east if letter in "Kk" else west
        return rooks[0] if rooks else OFF
    rook = (56 if side else 0) + "abcdefgh".find(letter.lower())
    return rook if rook in east + west else OFF


def _read_passed(position: Position, name: str, dropped: list[Phrase]) -> int:
    """The en-passant square called *name*, or OFF if no capture is legal.

    A square that no pawn can have passed is *dropped*.
    """
    if name == "-":
        return OFF
    square = GRID.cell(name) if name in GRID.names else OFF
    back = -8 if position.turn else 8
    enemy = position.white if position.turn else position.black
    occupied = position.white | position.black
    has_victim = square >> 3 == (2 if position.turn else 5) and position.pawns & enemy & BIT[square - back]
    if not has_victim or occupied & (BIT[square] | BIT[square + back]):
        dropped.append(Phrase("no pawn can just have passed {name}", name=name))
        return OFF
    return square if en_passant_pawns(position, square) else OFF
