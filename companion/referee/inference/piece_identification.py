# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one search with its candidates and its questions.
"""Identification of the pieces on a board that is let stand.

Pure, and independent of the game. Pieces follow from the sensor, or from questions.
A cell is loose if its piece may differ from the position believed.
Candidates for a loose cell come in ranks: pieces that are missing from their cells,
pieces in hands or captured before, and any other piece of the game.
The latter are offered only if the game accepts the whole board with them,
and nothing is asked if the missing pieces leave exactly one solution.
A missing piece is offered even if the game refuses it: then the reason is reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Final, NamedTuple

from companion.model.game import HasBox, HasHands, InvalidPosition
from companion.model.grid import OFF, Cell
from companion.model.occupancy import Occupancy, cells_of, occupancy_of
from companion.model.pieces import Piece, Side
from companion.model.placement import Entry, Placement
from companion.referee.inference.belief import Belief
from companion.referee.inference.guidance import UNKNOWN_PIECE, PiecesInPlay
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.looks import Seen, fits, look
from companion.referee.values.questions import Aspect, Choice

_MISSING, _IN_RESERVE, _ANY = range(3)
"""Ranks of candidates, the likeliest first."""

_TRIES: Final = 3000
"""Limit of whole boards tested with the game for one question.

Beyond it a candidate counts as accepted.
"""


class _Candidate(NamedTuple):
    """A piece that may be on a loose cell."""

    face: Piece
    """The piece without its facing."""
    rank: int
    facing: int | None
    """Its last known facing; None if its kind has no front."""
    origins: tuple[Cell, ...] = ()
    """Cells where such pieces are missing."""


class Ask(NamedTuple):
    """The question about a loose cell."""

    cell: Cell
    aspect: Aspect
    groups: tuple[tuple[Piece, ...], ...]
    """The remaining candidates with each answer; empty for the answer "another piece"."""
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class BoardAtRest:
    """A board at rest that is to be let stand, as far as known."""

    before: Prospect
    """The last believed position."""
    seen: Seen
    turn: Side
    """The side to move next."""
    held: Mapping[Cell, Piece]
    """The pieces on unchanged cells."""
    loose: tuple[Cell, ...]
    """In the order of filling."""
    missing: tuple[tuple[Piece, Cell], ...]
    """Pieces that may be elsewhere now, with their former cells."""
    likely: Mapping[Cell, Piece]
    """Pieces on loose cells if the hands were followed correctly."""
    named: Mapping[Cell, tuple[Piece, ...]]
    """Candidates for a loose cell from an open question about a move."""
    confirmed: Mapping[Cell, tuple[Piece, ...]] = field(default_factory=dict)
    """Remaining candidates of a cell after answers, without facings."""
    faced: Mapping[Cell, int] = field(default_factory=dict)
    """Facings given by answers."""

    def answered(self, asked: Ask, choice: int) -> BoardAtRest:
        """The board after the answer *choice* to *asked*."""
        group = asked.groups[choice]
        if asked.aspect is Aspect.FACING:
            (piece,) = group
            assert piece.facing is not None
            return replace(self, faced={**self.faced, asked.cell: piece.facing})
        return replace(self, confirmed={**self.confirmed, asked.cell: group})

    @cached_property
    def candidates(self) -> Mapping[Cell, tuple[_Candidate, ...]]:
        """The candidates for each loose cell by the sensor, the likeliest first."""
        reserve, every = _reserve(self.before), _faces(self.before)
        return {cell: tuple(_candidates(self, cell, reserve, every)) for cell in self.loose}


def board_of(belief: Belief, pieces: PiecesInPlay, turn: Side) -> BoardAtRest:
    """The board after *belief*, with pieces as tracked in `pieces`; *turn* moves next."""
    tip, seen = belief.tip, belief.seen
    named = _named(belief)
    touched = _exchangeable(belief)
    hidden = seen.hidden & tip.occupied
    standing = (seen.occupied & ~seen.hidden) | hidden
    loose = standing & (tip.differing(seen) | touched | sum(1 << cell for cell in named)) & ~hidden
    held = {cell: piece for cell, piece in tip.pieces.items() if standing & ~loose & 1 << cell}
    order = {edge.cell: number for number, edge in enumerate(belief.edges)}

    def in_order(cells: Occupancy) -> list[Cell]:
        return sorted(cells_of(cells), key=lambda cell: order.get(cell, -1))

    gone = tip.occupied & ~sum(1 << cell for cell in held)
    return BoardAtRest(
        before=tip,
        seen=seen,
        turn=turn,
        held=held,
        loose=tuple(in_order(loose)),
        missing=tuple((tip.pieces[cell], cell) for cell in in_order(gone)),
        likely={
            cell: piece for cell, piece in pieces.on.items() if loose >> cell & 1 and piece != UNKNOWN_PIECE
        },
        named=named,
    )


def _named(belief: Belief) -> dict[Cell, tuple[Piece, ...]]:
    """The pieces that may be on a cell according to undecided moves."""
    found: dict[Cell, dict[Piece, None]] = {}
    for depth in range(belief.open_depth, len(belief.line)):
        if not belief.line[depth].is_open:
            continue
        before = belief.before(depth)
        boards = [before.after(each.move).pieces for each in belief.line[depth].candidates]
        boards += [before.pieces] if belief.line[depth].is_doubted else []
        for cell in {cell for pieces in boards for cell in pieces}:
            here = dict.fromkeys(pieces.get(cell) for pieces in boards)
            if len(here) > 1 and belief.seen.occupied >> cell & 1:
                found.setdefault(cell, {}).update(dict.fromkeys(piece for piece in here if piece))
    return {cell: tuple(pieces) for cell, pieces in found.items()}


def _exchangeable(belief: Belief) -> Occupancy:
    """Cells that look unchanged but may hold another piece.

    They were lifted and filled while others were handled.
    Cells changed by plies of the line are known.
    """
    tip, found, explained = belief.tip, 0, 0
    for ply in belief.line:
        explained |= occupancy_of((*ply.imprint.source, *ply.imprint.target))
    apart: set[Cell] = set()
    accompanied: set[Cell] = set()
    for edge in belief.edges:
        cell, is_explained = edge.cell, bool(explained >> edge.cell & 1)
        others = apart - {cell}
        lifted = sum(1 if tip.occupied >> each & 1 else -1 for each in others)
        accompanied |= others
        if is_explained:
            continue
        if edge.is_occupied != bool(tip.occupied >> cell & 1):
            apart.add(cell)
            accompanied = accompanied | {cell} if lifted > 0 else accompanied - {cell}
            continue
        if edge.is_occupied and cell in accompanied:
            found |= 1 << cell
        apart.discard(cell)
        accompanied.discard(cell)
    return found


def _face(piece: Piece) -> Piece:
    """*piece* without its facing."""
    return replace(piece, facing=None)


def _reserve(before: Prospect) -> Counter[Piece]:
    """The pieces in hands, and those of the start position that have left the board."""
    rules = before.rules
    start = Counter(rules.placement(rules.initial()).by_cell().values())
    captured = start - Counter(before.pieces.values())
    hands = rules.hands(before.position) if isinstance(rules, HasHands) else ()
    return captured + Counter(piece for hand in hands for piece in hand)


def _faces(before: Prospect) -> list[Piece]:
    """All pieces of the game."""
    rules = before.rules
    box = [face for figure in rules.box() for face in figure.faces] if isinstance(rules, HasBox) else []
    return [*box, *(piece for piece, _ in rules.placement(rules.initial()).entries)]


def _candidates(
    board: BoardAtRest, cell: Cell, reserve: Counter[Piece], every: Sequence[Piece]
) -> Iterator[_Candidate]:
    """The candidates for *cell*, each face once."""
    sighting = board.seen.look(cell)
    missing = [piece for piece, _ in board.missing]
    first = [board.likely[cell]] if board.likely.get(cell) in missing else []
    ranked = (
        *((piece, _MISSING) for piece in (*first, *board.named.get(cell, ()), *missing)),
        *((piece, _IN_RESERVE) for piece in reserve),
        *((piece, _ANY) for piece in every),
    )
    known: set[Piece] = set()
    allowed = board.confirmed.get(cell)
    for piece, rank in ranked:
        face = _face(piece)
        is_excluded = allowed is not None and face not in allowed
        if face in known or is_excluded or not fits(sighting, look(face, board.before.kind)):
            continue
        known.add(face)
        origins = tuple(origin for other, origin in board.missing if _face(other) == face)
        yield _Candidate(face, rank, piece.facing, origins)


class _Search:
    """Search for assignments of candidates to all loose cells."""

    def __init__(self, board: BoardAtRest) -> None:
        self.board = board
        self.left = _TRIES
        self.refused: InvalidPosition | None = None
        """The reason why the first complete board was refused."""
        self._missing = Counter(_face(piece) for piece, _ in board.missing)

    def near(self, fixed: Mapping[Cell, _Candidate]) -> dict[Cell, _Candidate] | None:
        """The likeliest assignment of missing pieces that agrees with *fixed*, accepted or not."""
        return next(self._completed(fixed, {}, 0, is_near=True), None)

    def accepted(self, fixed: Mapping[Cell, _Candidate]) -> dict[Cell, _Candidate] | None:
        """The likeliest assignment of any pieces that agrees with *fixed* and is accepted."""
        found = self._completed(fixed, {}, 0, is_near=False)
        return next((chosen for chosen in found if self._is_accepted(chosen)), None)

    def _completed(
        self, fixed: Mapping[Cell, _Candidate], chosen: dict[Cell, _Candidate], number: int, *, is_near: bool
    ) -> Iterator[dict[Cell, _Candidate]]:
        """The assignments that continue *chosen*, the first *number* cells."""
        if number == len(self.board.loose):
            yield chosen
            return
        cell = self.board.loose[number]
        for each in [fixed[cell]] if cell in fixed else self.board.candidates[cell]:
            if self.left > 0 and (not is_near or self._is_free(each, cell, chosen)):
                yield from self._completed(fixed, {**chosen, cell: each}, number + 1, is_near=is_near)

    def _is_free(self, candidate: _Candidate, cell: Cell, chosen: Mapping[Cell, _Candidate]) -> bool:
        """True if one more such piece is missing, or named for *cell*.

        Named by a person or by an open question.
        """
        face = candidate.face
        if cell in self.board.confirmed or face in map(_face, self.board.named.get(cell, ())):
            return True
        return self._missing[face] > sum(each.face == face for each in chosen.values())

    def _is_accepted(self, chosen: Mapping[Cell, _Candidate]) -> bool:
        """True if the game accepts the board with *chosen*."""
        self.left -= 1
        adopted = adopted_with(self.board, chosen)
        if isinstance(adopted, InvalidPosition) and self.refused is None:
            self.refused = adopted
        return not isinstance(adopted, InvalidPosition)


def judged(board: BoardAtRest) -> Any:
    """The position of *board*, an `Ask` for unknown pieces, or `InvalidPosition`."""
    search = _Search(board)
    near = search.near({})
    if near is not None and not _is_ambiguous(board, search, near):
        adopted = adopted_with(board, near)
        if not isinstance(adopted, InvalidPosition):
            return _faced(board, near) or adopted
    accepted = search.accepted({})
    if accepted is not None:
        found = ((cell, _possible(board, search, cell, accepted[cell])) for cell in board.loose)
        asked = next((_ask(board, cell, each) for cell, each in found if len(each) > 1), None)
        return asked or _faced(board, accepted) or adopted_with(board, accepted)
    if search.refused is not None:
        return search.refused
    unknown = (_Candidate(UNKNOWN_PIECE, _ANY, None),)
    return adopted_with(board, {cell: (board.candidates[cell] or unknown)[0] for cell in board.loose})


def _is_ambiguous(board: BoardAtRest, search: _Search, near: Mapping[Cell, _Candidate]) -> bool:
    """True if missing pieces may be on the loose cells in another way than *near*."""
    return any(
        search.near({cell: each}) is not None
        for cell in board.loose
        for each in board.candidates[cell]
        if each.face != near[cell].face
    )


def _possible(board: BoardAtRest, search: _Search, cell: Cell, accepted: _Candidate) -> list[_Candidate]:
    """The candidates for *cell* that are offered.

    Missing pieces, since the reason why they may not be there is reported,
    and those that the game accepts.
    """
    return [
        each
        for each in board.candidates[cell]
        if each.face == accepted.face
        or search.near({cell: each}) is not None
        or search.accepted({cell: each}) is not None
        or search.left <= 0
    ]


def _ask(board: BoardAtRest, cell: Cell, found: Sequence[_Candidate]) -> Ask:
    """The question about the piece on *cell*: kind and side, then face."""
    groups: dict[Piece, list[_Candidate]] = {}
    for each in found:
        groups.setdefault(Piece(each.face.kind, each.face.side, shows=each.face.shows), []).append(each)
    faces = [tuple(each.face for each in group) for group in groups.values()]
    if len(groups) == 1:
        choices = tuple(Choice((cell,), None, each.face) for each in found)
        return Ask(cell, Aspect.POSE, tuple((each.face,) for each in found), choices)
    choices = tuple(_choice(board, cell, group) for group in groups.values())
    return Ask(cell, Aspect.STANDS, (*faces, ()), (*choices, Choice()))


def _choice(board: BoardAtRest, cell: Cell, group: Sequence[_Candidate]) -> Choice:
    """The answer that leaves *group*.

    Touched where such a piece is missing, or where it is.
    """
    origins = tuple(dict.fromkeys(origin for each in group for origin in each.origins))
    free = [each for each in origins if each == cell or not board.seen.occupied >> each & 1]
    return Choice(origins, free[0] if free else None, group[0].face)


def _faced(board: BoardAtRest, chosen: Mapping[Cell, _Candidate]) -> Ask | None:
    """The question about the first loose cell with an unknown facing."""
    grid = board.before.rules.grid
    for cell in board.loose:
        each = chosen[cell]
        if each.facing is None or cell in board.faced or board.seen.look(cell).facing is not None:
            continue
        named = [piece.facing for piece in board.named.get(cell, ()) if piece.facing is not None]
        facings = dict.fromkeys((*named, each.facing, *range(len(grid.steps))))
        pieces = [replace(each.face, facing=facing) for facing in facings]
        ahead = [grid.steps[facing][cell] for facing in facings]
        choices = tuple(
            Choice((cell,), None if touch == OFF else touch, piece)
            for touch, piece in zip(ahead, pieces, strict=True)
        )
        return Ask(cell, Aspect.FACING, tuple((piece,) for piece in pieces), choices)
    return None


def adopted_with(board: BoardAtRest, chosen: Mapping[Cell, _Candidate]) -> Any:
    """The position with *chosen* on the loose cells, or `InvalidPosition`."""
    pieces = dict(board.held)
    for cell, each in chosen.items():
        facing = board.seen.look(cell).facing
        if facing is None and each.facing is not None:
            facing = board.faced.get(cell, each.facing)
        pieces[cell] = replace(each.face, facing=facing)
    refused: InvalidPosition | None = None
    for placement in _placements(board.before, pieces):
        adopted = board.before.rules.adopt(placement, board.turn, board.before.position)
        if not isinstance(adopted, InvalidPosition):
            return adopted
        refused = refused or adopted
    return refused


def _placements(before: Prospect, pieces: Mapping[Cell, Piece]) -> Iterator[Placement]:
    """The groupings of *pieces* into whole pieces.

    A piece that covers several cells stays in its place, if possible.
    """
    stood = [entry for entry in before.placement.entries if len(entry[1]) > 1]
    sizes = {piece: len(cells) for piece, cells in stood}
    whole = [(piece, cells) for piece, cells in stood if all(pieces.get(cell) == piece for cell in cells)]
    covered = {cell for _, cells in whole for cell in cells}
    single = [(piece, (cell,)) for cell, piece in pieces.items() if piece not in sizes]
    rest = {cell: piece for cell, piece in pieces.items() if piece in sizes and cell not in covered}
    for parts in _parts(before, rest, sizes):
        yield Placement((*whole, *single, *parts))


def _parts(
    before: Prospect, rest: Mapping[Cell, Piece], sizes: Mapping[Piece, int]
) -> Iterator[tuple[Entry, ...]]:
    """The divisions of the cells *rest* into pieces of their size.

    Single cells where that is not possible.
    """
    if not rest:
        yield ()
        return
    first = min(rest)
    piece = rest[first]
    near = _near(before, first, [cell for cell in rest if rest[cell] == piece], sizes[piece])
    for others in combinations(near, sizes[piece] - 1):
        cells = (first, *others)
        left = {cell: each for cell, each in rest.items() if cell not in cells}
        for parts in _parts(before, left, sizes):
            yield ((piece, tuple(sorted(cells))), *parts)
    if len(near) < sizes[piece] - 1:
        left = {cell: each for cell, each in rest.items() if cell != first}
        for parts in _parts(before, left, sizes):
            yield ((piece, (first,)), *parts)


def _near(before: Prospect, first: Cell, cells: Sequence[Cell], size: int) -> list[Cell]:
    """Those of *cells* fewer than *size* steps from *first*, over any cells."""
    found, fresh = {first}, {first}
    for _ in range(size - 1):
        fresh = {step[each] for each in fresh for step in before.rules.grid.steps} - found - {OFF}
        found |= fresh
    return sorted(cell for cell in cells if cell in found and cell != first)
