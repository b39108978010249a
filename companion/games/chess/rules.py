# SPDX-License-Identifier: Apache-2.0
"""Chess under chosen options: implements `Rules` on top of position and generation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from companion.games._shared.announce import called_out
from companion.games._shared.chequered import dark_cells
from companion.games.chess import fen, generation, san
from companion.games.chess.explain import explain
from companion.games.chess.position import (
    BLACK,
    KINDS,
    PROMOTED,
    WHITE,
    Position,
    apply,
    checkers,
    kind_at,
    put,
)
from companion.games.chess.tables import BIT, CASTLE, CASTLINGS, EN_PASSANT, GRID, LIGHT, Move
from companion.model.game import Announcement, CallOut, Count, InvalidPosition, Outcome, Region, Violation
from companion.model.grid import OFF, Grid
from companion.model.moves import Step
from companion.model.observation import Difference
from companion.model.occupancy import Occupancy, cells_of
from companion.model.pieces import Figure, Piece, Side
from companion.model.placement import Placement

PIECES: Final = {(kind, side): Piece(kind, side) for kind in KINDS for side in (WHITE, BLACK)}

_SET: Final = {"pawn": 8, "knight": 2, "bishop": 2, "rook": 2, "queen": 2, "king": 1}
"""Pieces of each side in the set: the second queen is for a promotion."""

_FIFTY_MOVES: Final = 100
"""Quiet plies after which a draw may be claimed: FIDE Laws 9.3."""
_SEVENTY_FIVE_MOVES: Final = 150
"""Quiet plies after which the game is drawn at once: FIDE Laws 9.6.2."""
_NEAR: Final = 20
"""Moves left to that draw from which on they are shown."""
_THREEFOLD: Final = 3
_FIVEFOLD: Final = 5


class ChessRules:
    """Chess under chosen options."""

    slug = "chess"
    grid: Grid = GRID
    sides = ("white", "black")
    leader = "king"
    allows_take_back = True
    """Sensors cannot see a hand letting go: touch-move (article 4) is left to the arbiter."""

    def __init__(self, options: Mapping[str, str], start: Position) -> None:
        self.options: Mapping[str, str] = MappingProxyType(dict(options))
        self._start = start
        self._draws = options["draw_rules"] == "fide"

    def initial(self) -> Position:
        """The position selected by option `start`."""
        return self._start

    def box(self) -> tuple[Figure, ...]:
        """A set with a second queen per side, plus extra pieces of the start."""
        at_start = Counter(piece for piece, _ in self.placement(self._start).entries)
        return tuple(
            Figure((piece,))
            for (kind, _), piece in sorted(PIECES.items(), key=lambda item: item[0][1])
            for _ in range(max(_SET[kind], at_start[piece]))
        )

    def legal_moves(self, position: Position) -> list[Move]:
        """All legal moves in rising order of source and target."""
        if self._draws and self._dead(position):
            return []
        return generation.legal_moves(position)

    def apply(self, position: Position, move: Move) -> Position:
        """The position after *move*."""
        return apply(position, move)

    # outcome and check

    def _dead(self, position: Position) -> str:
        """The reason for an immediate draw independent of further moves, or ""."""
        if position.quiet_plies >= _SEVENTY_FIVE_MOVES:
            return "seventy-five-moves"
        if not position.pawns | position.lines and _is_insufficient(position):
            return "insufficient-material"
        return ""

    def status(self, position: Position) -> Outcome | None:
        """The outcome, or None; mate on the last ply of the seventy-five moves is mate."""
        if not generation.legal_moves(position):
            if checkers(position):
                return Outcome((1 - position.turn,), "checkmate")
            return Outcome((), "stalemate")
        dead = self._dead(position) if self._draws else ""
        return Outcome((), dead) if dead else None

    def counts(self, position: Position) -> tuple[Count, ...]:
        """The moves until a draw can be claimed for want of captures and pawn moves."""
        left = (_FIFTY_MOVES - position.quiet_plies + 1) // 2
        is_near = self._draws and 0 < left <= _NEAR
        return (Count("quiet-moves", left, _FIFTY_MOVES // 2),) if is_near else ()

    def repeated(self, position: Position, times: int) -> Outcome | None:
        """The immediate draw after *times* occurrences of *position*, or None."""
        is_drawn = self._draws and times >= _FIVEFOLD
        return Outcome((), "fivefold-repetition") if is_drawn else None

    def claim(self, position: Position, times: int) -> Outcome | None:
        """The draw that may be claimed after *times* occurrences of *position*, or None."""
        if self._draws and times >= _THREEFOLD:
            return Outcome((), "threefold-repetition")
        if self._draws and position.quiet_plies >= _FIFTY_MOVES:
            return Outcome((), "fifty-moves")
        return None

    def nears_claim(self, position: Position, times: int) -> bool:
        """True if the next move may complete a repetition or the fifty moves."""
        return times >= _THREEFOLD - 1 or position.quiet_plies >= _FIFTY_MOVES - 1

    def flagged(self, position: Position, side: Side) -> Outcome | None:
        """A draw if no series of moves lets the other side mate (FIDE 6.9)."""
        is_saved = self._draws and not _could_mate(position, 1 - side)
        return Outcome((), "time-without-mate") if is_saved else None

    def announcements(self, position: Position) -> tuple[Announcement, ...]:
        """CHECK! with the checking pieces, while the game goes on."""
        causes = tuple(cells_of(checkers(position)))
        if not causes or not self.legal_moves(position):
            return ()
        own = position.black if position.turn else position.white
        check = Announcement(CallOut.CHECK, 1 - position.turn, causes, tuple(cells_of(position.kings & own)))
        return called_out(self.options, [check])

    # pieces

    def regions(self) -> tuple[Region, ...]:
        """The dark squares."""
        return (dark_cells(self.grid),)

    def placement(self, position: Position) -> Placement:
        """The pieces and their cells."""
        return _placement(position)

    def joint(self, move: Move) -> str:
        """Castling has a name: it carries two pieces."""
        return "castling" if move & 7 == CASTLE else ""

    def steps(self, position: Position, move: Move) -> tuple[Step, ...]:
        """The mover's step, then the step of the captured piece or of the castling rook."""
        source, target, code = move >> 9, move >> 3 & 63, move & 7
        turn = position.turn
        mover = PIECES[kind_at(position, source), turn]
        if code == CASTLE:
            castling = CASTLINGS[source, target]
            steps = (
                Step.move(mover, source, castling.king_target),
                Step.move(PIECES["rook", turn], target, castling.rook_target),
            )
            return tuple(step for step in steps if step.source != step.target)
        becomes = PIECES[PROMOTED[code], turn] if code in PROMOTED else mover
        moved = Step(mover, (source,), (target,), becomes)
        victim = target + (8 if turn else -8) if code == EN_PASSANT else target
        if not (position.white | position.black) & BIT[victim]:
            return (moved,)
        return moved, Step.remove(PIECES[kind_at(position, victim), 1 - turn], victim)

    def explain(self, position: Position, difference: Difference) -> Violation:
        """The rule that *difference* breaks."""
        if not self.legal_moves(position):
            return Violation.of("game-over")
        return explain(position, self.placement(position), difference)

    def adopt(self, placement: Placement, turn: Side, before: Position) -> Position | InvalidPosition:
        """The position with *placement* and *turn* to move.

        A king and rook on the same squares as in *before* keep the right to castle.
        """
        position = before._replace(
            turn=turn, pawns=0, knights=0, diagonals=0, lines=0, kings=0, white=0, black=0, passed=OFF
        )
        strange = []
        for piece, cells in placement.entries:
            if piece.side is None or (piece.kind, piece.side) not in PIECES:
                name = self.grid.name(cells[0])
                strange.append(Violation.of("piece-unknown", *cells, piece=piece, cell=name))
            else:
                position = put(position, cells[0], piece.kind, piece.side)
        reasons = tuple(strange) or fen.faults(position)
        return (
            InvalidPosition(reasons) if reasons else position._replace(rights=_kept_rights(before, position))
        )

    # text

    def key(self, position: Position) -> Hashable:
        """A value equal for repeated positions: everything but the counters.

        Source: FIDE Laws 9.2.3.
        """
        return position[:10]

    def write_move(self, position: Position, move: Move) -> str:
        """*move* in algebraic notation.

        >>> from companion.games.chess import GAME
        >>> rules = GAME.rules()
        >>> rules.write_move(rules.initial(), rules.read_move(rules.initial(), "g1f3"))
        'Nf3'
        """
        return san.write_move(position, move, self.legal_moves(position))

    def read_move(self, position: Position, text: str) -> Move:
        """The legal move that *text* denotes, in algebraic notation or by its squares."""
        return san.read_move(position, text, self.legal_moves(position))

    def carries(self, position: Position, text: str) -> Sequence[tuple[int, int]]:
        """The squares from and to which *text* may carry a piece, also illegally."""
        return san.carries(position, text)

    def write_position(self, position: Position) -> str:
        """*position* as FEN."""
        return fen.write(position)

    def read_position(self, text: str) -> Position:
        """The position that a FEN denotes. Raises `NotationError`."""
        return fen.read(text)


@lru_cache(maxsize=64)
def _placement(position: Position) -> Placement:
    """The pieces of *position*, which many attempts with a lifted piece ask for."""
    return Placement.of(
        (square, PIECES[kind_at(position, square), side])
        for side, own in enumerate((position.white, position.black))
        for square in cells_of(own)
    )


def _kept_rights(before: Position, after: Position) -> Occupancy:
    """The rights of *before* whose king and rook are on the same squares in *after*."""
    kept = 0
    for own, owned in ((before.white, after.white), (before.black, after.black)):
        if before.kings & own & after.kings & owned:
            kept |= before.rights & own & owned & after.lines & ~after.diagonals
    return kept


def _could_mate(position: Position, side: Side) -> bool:
    """True if *side* has enough material to mate with the other side's help.

    With a lone knight the other side must have a piece other than a queen that blocks its king;
    with bishops of one colour a pawn, a knight, or a bishop of the other colour.
    """
    own, others = (position.white, position.black) if side == 0 else (position.black, position.white)
    if own & (position.pawns | position.lines):
        return True
    if own & position.knights:
        is_lone = (own & ~position.kings).bit_count() == 1
        queens = position.lines & position.diagonals
        return not is_lone or bool(others & ~position.kings & ~queens)
    bishops = position.diagonals & ~position.lines
    if not own & bishops:
        return False
    is_one_colour = not bishops & LIGHT or not bishops & ~LIGHT
    return not is_one_colour or bool(position.pawns | position.knights)


def _is_insufficient(position: Position) -> bool:
    """True without pawns, rooks and queens if no series of moves can mate.

    That is one minor piece, or bishops of one colour.
    """
    knights, bishops = position.knights, position.diagonals
    if knights:
        return not bishops and not knights & knights - 1
    return not bishops & LIGHT or not bishops & ~LIGHT
