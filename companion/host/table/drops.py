# SPDX-License-Identifier: Apache-2.0
"""What the drop of a virtual hand becomes: a move, a question, or a reason.

Its rule: the hand completes a legal move that begins so, and asks if there are several; any
other drop is what a real hand does. Pure, but for the wait until switches have told of the hand.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from companion.host.virtual_table.completion import DropResult, Offer, Rearrangement
from companion.model.game import ActorRules, AnyRules
from companion.model.grid import OFF, Cell
from companion.model.occupancy import Occupancy, occupancy_of
from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.referee.inference.held import completions, lifted
from companion.referee.inference.illegal_position import violation_of
from companion.referee.inference.open_question import choice_of, question_between
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.imprints import Imprint
from companion.referee.values.board.looks import look
from companion.referee.values.questions import Aspect, Question
from companion.referee.values.view import Phase, TableView
from companion.virtual.pieces import PieceSet, UnplacedPiece

if TYPE_CHECKING:
    from companion.host.table.pipeline import Pipeline
    from companion.host.table.table import Table
    from companion.referee.session.session import Session

_FELT_S: Final = 2.0
"""Longest wait for the referee to see earlier motions; broken switches never report them."""


async def dropped(table: Table, pieces: PieceSet, cell: Cell) -> DropResult:
    """Return what the drop of the held piece on *cell* becomes."""
    if pieces.hand is None:
        return None
    with table.watch() as has_changed:
        try:
            async with asyncio.timeout(_FELT_S):
                while not _is_felt(table.pipeline.session, pieces):
                    await has_changed.wait()
                    has_changed.clear()
        except TimeoutError:
            pass
    return judged(table.pipeline.session, pieces, cell)


def _is_felt(session: Session, pieces: PieceSet) -> bool:
    """True if the referee's occupancy matches *pieces* on all cells with working switches."""
    seen, covered = session.belief.seen, session.rotation.placement(pieces.standing).occupancy
    return not (covered ^ seen.occupied) & ~seen.hidden


def judged(session: Session, pieces: PieceSet, cell: Cell) -> DropResult:
    """Return what the drop of the held piece on *cell* of the board becomes.

    The reason against it is that of the referee about hands that take the other piece away first.
    """
    hand, cells, under = pieces.hand, pieces.reach(cell), session.rotation.cells
    assert hand is not None
    landing = {under[each] for each in cells}
    is_led = _belongs(session, pieces, hand, landing) or _is_decided(session, hand, landing)
    if cell == hand.came_from or is_led:
        return None
    before, moves = _moves(session, pieces, hand)
    fitting = [move for move in moves if set(move.target) == landing != set(move.source)] or [
        move for move in moves if under[cell] in set(move.target) - set(move.source)
    ]
    if fitting and is_played(session.view()):
        return _Held(session, pieces, before, cell).settled(fitting)
    is_free = bool(fitting) or not any(pieces.standing.at(each) for each in cells)
    return None if is_free else violation_of(session.belief, hand.piece, [under[each] for each in cells])


def is_played(view: TableView) -> bool:
    """True if hands make moves at a table with *view*; otherwise they only move pieces."""
    return view.phase in (Phase.WAITING, Phase.HANDLING, Phase.CHOOSING, Phase.ILLEGAL)


def places_for(session: Session, pieces: PieceSet) -> tuple[Cell, ...]:
    """Return the cells where the held piece may be placed from beside the board."""
    hand = pieces.hand
    if hand is None or hand.came_from is not None:
        return ()
    moves = _entering(session.belief.tip, pieces, hand.piece)
    return tuple(sorted({cell for move in moves for cell in move.target}))


def offered(pipeline: Pipeline, pieces: PieceSet) -> Offer | None:
    """Return the moves of a piece just lifted that no drop makes; None without any.

    It is turned over in place, or it acts on another piece.
    """
    hand, session = pieces.hand, pipeline.session
    tip = session.belief.tip
    if hand is None or hand.came_from is None or hand.is_turned or not is_played(pipeline.view):
        return None
    origin = session.rotation.cells[hand.came_from]
    if lifted(session.belief) != (origin,):
        return None
    moves = [*_flipping(tip, origin), *_acting(tip, origin)]
    if not moves:
        return None
    choices = tuple(choice_of(tip, move) for move in moves)
    aspect = Aspect.POSE if all(choice.piece for choice in choices) else Aspect.MOVE
    asked = Question(session.belief.ply, tip.position.turn, aspect, (origin,), choices)
    held = _Held(session, pieces, tip, None)
    return Offer(asked, lambda choice: held.settled([moves[choice]]))


def _flipping(tip: Prospect, origin: Cell) -> Iterator[Imprint]:
    """Yield the moves that turn the piece on *origin* over."""
    for move in tip.touching(origin):
        if move.source == move.target == (origin,):
            step = tip.rules.steps(tip.position, move.move)[0]
            if step.becomes.pose != step.piece.pose:
                yield move


def _acting(tip: Prospect, origin: Cell) -> Iterator[Imprint]:
    """Yield the moves by which the piece on *origin* moves another one."""
    if isinstance(tip.rules, ActorRules):
        for move in tip.imprints():
            if tip.rules.actor(tip.position, move.move) == origin:
                yield move


def _belongs(session: Session, pieces: PieceSet, hand: UnplacedPiece, landing: set[Cell]) -> bool:
    """True if the record has the piece in *hand* on *landing*, where another stands."""
    first = min(landing, default=OFF)
    believed = session.belief.tip.placement.entry_at(first)
    standing = session.rotation.placement(pieces.standing).entry_at(first)
    if believed is None or set(believed[1]) != landing or not _alike(believed[0], hand.piece):
        return False
    return standing is None or not _alike(standing[0], hand.piece)


def _is_decided(session: Session, hand: UnplacedPiece, landing: set[Cell]) -> bool:
    """True if a move decided elsewhere brings the piece in *hand* to *landing*."""
    decided = session.view().decided
    if decided is None or hand.came_from is None:
        return False
    origin = session.rotation.cells[hand.came_from]
    return any(origin in step.source and landing == set(step.target) for step in decided.steps)


def _alike(one: Piece, other: Piece) -> bool:
    """True if both are of one kind and side."""
    return (one.kind, one.side) == (other.kind, other.side)


def _moves(session: Session, pieces: PieceSet, hand: UnplacedPiece) -> tuple[Prospect, list[Imprint]]:
    """Return the legal moves of the piece in *hand*, with the position before."""
    belief = session.belief
    before, moves = completions(belief, lifted(belief))
    origin = None if hand.came_from is None else session.rotation.cells[hand.came_from]
    if origin is not None and origin in belief.tip.pieces:
        last = belief.line[-1].imprint if before is not belief.tip else None
        start = last.source[0] if last is not None and origin in last.target else origin
        return before, [move for move in moves if start in move.source]
    steps = {move.move: before.rules.steps(before.position, move.move)[0] for move in moves}
    found = [move for move in moves if _alike(steps[move.move].becomes, hand.piece)]
    found = found or [move for move in moves if _alike(steps[move.move].piece, hand.piece)]
    if found or origin is not None:
        return before, found
    return belief.tip, list(_entering(belief.tip, pieces, hand.piece))


def _entering(tip: Prospect, pieces: PieceSet, piece: Piece) -> Iterator[Imprint]:
    """Yield the moves that put *piece* on the board, with any of its faces up."""
    faces = pieces.faces(piece) or (piece,)
    known = {(face.kind, face.side, face.pose) for face in faces}
    for move in tip.imprints():
        if move.target and not move.source:
            becomes = tip.rules.steps(tip.position, move.move)[0].becomes
            if (becomes.kind, becomes.side, becomes.pose) in known:
                yield move


@dataclass(frozen=True, slots=True)
class _Held:
    """A piece in a hand that completes a move of the position *before*."""

    session: Session
    pieces: PieceSet
    before: Prospect
    over: Cell | None
    """The cell of the board over which the piece is held."""

    def settled(self, moves: Sequence[Imprint]) -> DropResult:
        """Return the move, or a question unless *moves* look alike."""
        hand, before = self.pieces.hand, self.before
        assert hand is not None
        if hand.is_turned:
            moves = [move for move in moves if self._stands_as(move, hand.piece)] or moves
        if len({(move.changed, move.looks) for move in moves}) == 1:
            return self._rearranged(moves[0])
        asked, left = question_between(before, moves, self.session.belief.ply)
        choices = tuple(replace(choice, touch=None) for choice in asked.choices)  # the hand is full
        asked = replace(asked, choices=choices)
        return Offer(asked, lambda choice: self.settled(left[choice]), self.over, self._as_it_is(moves))

    def _as_it_is(self, moves: Sequence[Imprint]) -> Rearrangement | None:
        """Return that of *moves* which changes nothing but the cell of the held piece."""
        hand, before = self.pieces.hand, self.before
        assert hand is not None
        plain = [
            move
            for move in moves
            if self._stands_as(move, hand.piece) and len(before.rules.steps(before.position, move.move)) == 1
        ]
        return self._rearranged(plain[0]) if len(plain) == 1 else None

    def _stands_as(self, move: Imprint, piece: Piece) -> bool:
        """True if the piece on the target of *move* looks like *piece* afterwards."""
        kind, standing = self.session.kind, self.before.after(move.move).pieces.get(move.target[0])
        placed = self.session.rotation.piece(piece)
        return standing is not None and look(standing, kind) == look(placed, kind)

    def _rearranged(self, move: Imprint) -> Rearrangement:
        """Return what *move* changes; what looks alike stays as it is."""
        hand, kind, rotation = self.pieces.hand, self.session.kind, self.session.rotation.back()
        assert hand is not None
        recorded, after = self.session.belief.tip.placement, self.before.after(move.move).placement
        reached = set(move.target)  # also by a piece like the one that stood there
        gone = Placement(tuple(e for e in recorded.entries if e not in after.entries or reached & set(e[1])))
        come = Placement(tuple(e for e in after.entries if e not in recorded.entries or reached == set(e[1])))
        removed = tuple(cells[0] for _, cells in rotation.placement(gone).entries)
        put = list(rotation.placement(come).entries)
        target = {rotation.cells[cell] for cell in reached}
        is_mover = self.over is not None or hand.came_from in [rotation.cells[each] for each in move.source]
        own = next((entry for entry in put if set(entry[1]) == target), None) if is_mover else None
        if own is not None:
            put.remove(own)
            is_same = look(own[0], kind) == look(hand.piece, kind)
            own = (hand.piece if is_same else own[0], own[1])
        elif hand.came_from is not None and not is_mover:
            own = (hand.piece, tuple(sorted(self.pieces.reach(hand.came_from))))
        return Rearrangement(removed, (*([own] if own else []), *put), own is not None)


def entered(rules: AnyRules, position: Any) -> Occupancy:
    """Return the cells on which a move in *position* puts a piece."""
    steps = (step for move in rules.legal_moves(position) for step in rules.steps(position, move))
    return occupancy_of(cell for step in steps for cell in step.target)
