# SPDX-License-Identifier: Apache-2.0
"""Guides for setting up a position, with the fewest movements of pieces.

Used for set-ups and for corrections after an illegal move.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import zip_longest
from typing import Final, NamedTuple

from companion.model.grid import Cell, Grid, distances
from companion.model.moves import Step
from companion.model.observation import SensorKind
from companion.model.occupancy import Occupancy, occupancy_of
from companion.model.pieces import Piece, Side
from companion.model.placement import Placement
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.looks import Seen, fits, look
from companion.referee.values.board.marks import Edge
from companion.referee.values.view import Guide

UNKNOWN_PIECE: Final = Piece("unknown")
"""A piece of unknown kind."""

_HANDLING: Final = 1000
"""Cost of lifting a piece, in steps: fewer pieces first, then shorter paths."""

_NOWHERE: Final[Mapping[Cell, Piece]] = {}


@dataclass(frozen=True, slots=True)
class PiecesInPlay:
    """The pieces on cells and in hands, as far as the hands could be followed."""

    on: Mapping[Cell, Piece]
    hand: tuple[tuple[Piece, Cell], ...] = ()
    """Pieces in hands with their source cells, the last taken last."""


def tracked(
    pieces: PiecesInPlay,
    edges: Iterable[Edge],
    turn: Side,
    steps: Iterable[Step] = (),
    goal: Mapping[Cell, Piece] = _NOWHERE,
) -> PiecesInPlay:
    """The state of `pieces` after *edges*, when *turn* was to move.

    A piece placed on its source cell is put back, unless it was lifted to make space for another.
    Hands that are led to *goal* by *steps* rather place what belongs on a cell. Where another kind
    is to stand afterwards, that is what they take from the box.
    """
    on, hand, steps = dict(pieces.on), list(pieces.hand), tuple(steps)
    led = {(cell, target): step.becomes for step in steps for cell in step.source for target in step.target}
    boxed = {
        cell: step.becomes for step in steps if step.becomes.kind != step.piece.kind for cell in step.target
    }
    stood, held = dict[Cell, Cell](), dict[Cell, Cell]()  # where pieces on cells, or from them, were at first
    for edge in edges:
        if not edge.is_occupied:
            hand.append((on.pop(edge.cell, UNKNOWN_PIECE), edge.cell))
            held[edge.cell] = stood.pop(edge.cell, edge.cell)
        elif hand:
            going = [item for item in hand if (held.get(item[1]), edge.cell) in led]
            wanted = goal.get(edge.cell)
            going = going or [item for item in hand if wanted and _alike(item[0], wanted)] or hand
            taken = min(going, key=lambda item: _reluctance(item, edge.cell, hand, turn))
            hand.remove(taken)
            first = stood[edge.cell] = held.pop(taken[1], taken[1])
            on[edge.cell] = led.get((first, edge.cell)) or boxed.get(edge.cell) or taken[0]
        else:
            on[edge.cell] = UNKNOWN_PIECE
    return PiecesInPlay(on, tuple(hand))


def _reluctance(
    item: tuple[Piece, Cell], cell: Cell, hand: Sequence[tuple[Piece, Cell]], turn: Side
) -> tuple[bool, int]:
    """Reluctance to assume that *item* of *hand* was put on *cell*: low is likely."""
    piece, source = item
    has_mover = any(other.side == turn and origin != cell for other, origin in hand)
    is_victim = source == cell and piece.side != turn and has_mover
    kept = 0 if source == cell and not is_victim else 1
    return (is_victim, kept * 100 - hand.index(item) + (0 if piece.side == turn else 50))


def guides(wanted: Prospect, pieces: PiecesInPlay, seen: Seen) -> tuple[Guide, ...]:
    """Guides to *wanted*, in the order of the cells; the possible ones first.

    Ambiguous ones are for later: one piece is carried at a time, and a held piece comes first.
    A piece of unknown kind may belong to any cell with a missing piece.
    """
    found = {
        cell: _known(pieces.on.get(cell, UNKNOWN_PIECE), seen, cell, wanted.kind)
        for cell in _occupied(seen, wanted)
    }
    wrong = sorted(cell for cell in found if not _may_stand(found[cell], cell, cell, wanted, seen))
    missing = sorted(
        cell
        for cell, piece in wanted.pieces.items()
        if not seen.hidden >> cell & 1 and (cell in wrong or cell not in found)
    )
    grid = wanted.rules.grid
    homes = {cell for piece, cell in pieces.hand if wanted.pieces.get(cell) == piece}
    costs = []
    for source in wrong:
        far = distances(grid, source)
        costs.append(
            [
                _HANDLING + far[target] + (target in homes) * _HANDLING // 2
                if _may_stand(found[source], source, target, wanted, seen)
                else _HANDLING * 3
                for target in missing
            ]
        )
    partners = assign(costs, default=_HANDLING * 2)
    carried = [
        Guide(wanted.pieces[missing[target]], wrong[number], missing[target])
        for number, target in enumerate(partners)
        if target is not None
    ]
    served = {guide.target for guide in carried}
    off = [Guide(found[wrong[n]], wrong[n], None) for n, target in enumerate(partners) if target is None]
    add = [Guide(wanted.pieces[cell], None, cell) for cell in missing if cell not in served]
    in_hand = {(piece.kind, piece.side) for piece, _ in pieces.hand}
    free = {cell for cell in missing if cell not in found}
    held = [
        guide for guide in add if guide.target in free and (guide.piece.kind, guide.piece.side) in in_hand
    ]
    ordered = _by_piece((*held, *carried, *off, *(guide for guide in add if guide not in held)), wanted)
    known = {cell for cell, piece in found.items() if piece is not UNKNOWN_PIECE}
    return _in_turn(ordered, wanted, _Standing(occupancy_of(found), occupancy_of(known), _targets(held)))


class _Standing(NamedTuple):
    """Facts that decide which guides can be followed now."""

    occupied: Occupancy
    known: Occupancy
    """Occupied cells with known pieces."""
    held: Occupancy
    """The free cells to which a held piece belongs."""


class _Turn(IntEnum):
    """Order of presentation: the lowest first."""

    PUT_DOWN = 0
    CARRY = 1
    TAKE_OFF = 2
    EXCHANGE = 3
    """To be carried to a cell with another piece."""
    SET_UP = 4
    """From the box, or from any wrong cell, to a cell where it is missing."""


def _in_turn(found: Sequence[Guide], wanted: Prospect, standing: _Standing) -> tuple[Guide, ...]:
    """*found*, piece by piece, the possible ones first and the later ones marked."""
    whole = {cell: cells for _, cells in wanted.placement.entries if len(cells) > 1 for cell in cells}
    errands: dict[Hashable, list[Guide]] = {}
    for guide in found:
        key = whole.get(guide.target, guide) if guide.target is not None else guide
        errands.setdefault(key, []).append(guide)
    ordered = sorted(errands.values(), key=lambda errand: _turn(errand, standing))
    if not ordered:
        return ()
    first, turn = ordered[0], _turn(ordered[0], standing)

    def is_now(errand: list[Guide]) -> bool:
        if turn in (_Turn.CARRY, _Turn.EXCHANGE):
            return errand is first
        is_alike = turn is not _Turn.PUT_DOWN or _alike(errand[0].piece, first[0].piece)
        return is_alike and _turn(errand, standing) is turn

    return tuple(replace(guide, is_later=not is_now(errand)) for errand in ordered for guide in errand)


def _turn(errand: Sequence[Guide], standing: _Standing) -> _Turn:
    """The order of *errand*, the guides of one piece."""
    sources, targets = _sources(errand), _targets(errand)
    if not sources:
        return _Turn.PUT_DOWN if targets & standing.held else _Turn.SET_UP
    if sources & ~standing.known:
        return _Turn.SET_UP
    if not targets:
        return _Turn.TAKE_OFF
    return _Turn.EXCHANGE if targets & standing.occupied & ~sources else _Turn.CARRY


def _sources(found: Iterable[Guide]) -> Occupancy:
    """The cells that *found* empty."""
    return occupancy_of(guide.source for guide in found if guide.source is not None)


def _targets(found: Iterable[Guide]) -> Occupancy:
    """The cells that *found* fill."""
    return occupancy_of(guide.target for guide in found if guide.target is not None)


def _by_piece(found: Sequence[Guide], wanted: Prospect) -> tuple[Guide, ...]:
    """*found* by cell; each large piece of *wanted* has one main guide.

    It is carried, or put straight.
    """
    ordered = list(found)
    for piece, cells in wanted.placement.entries:
        if len(cells) < 2:
            continue
        numbers = [number for number, guide in enumerate(found) if guide.target in cells]
        sources = sorted(source for number in numbers if (source := found[number].source) is not None)
        targets = sorted(target for number in numbers if (target := found[number].target) is not None)
        for place, (number, source, target) in enumerate(zip_longest(numbers, sources, targets)):
            ordered[number] = Guide(piece, source, target, is_part=place > 0)
    return tuple(ordered)


def standing(pieces: PiecesInPlay, before: Prospect, seen: Seen) -> Placement:
    """The pieces on the board, as far as known from *before*, hands and sensor.

    A large piece stays whole on its old cells; on new ones,
    touching cells of its kind are one piece.
    """
    on = {cell: _known(piece, seen, cell, before.kind) for cell, piece in pieces.on.items()}
    entries = [
        entry for entry in before.placement.entries if all(on.get(cell) == entry[0] for cell in entry[1])
    ]
    sizes = {piece: len(cells) for piece, cells in before.placement.entries}
    loose = set(on) - {cell for _, cells in entries for cell in cells}
    while loose:
        cell = min(loose)
        cells = _touching(before.rules.grid, cell, {each for each in loose if on[each] == on[cell]})
        whole = cells if len(cells) == sizes.get(on[cell], 1) else {cell}
        entries.append((on[cell], tuple(sorted(whole))))
        loose -= whole
    return Placement(tuple(entries))


def _touching(grid: Grid, cell: Cell, among: set[Cell]) -> set[Cell]:
    """*cell* and all cells of *among* connected with it."""
    found, fresh = {cell}, {cell}
    while fresh:
        fresh = {step[each] for each in fresh for step in grid.steps} & among - found
        found |= fresh
    return found


def _occupied(seen: Seen, wanted: Prospect) -> list[Cell]:
    """The visible occupied cells."""
    return [
        cell for cell in range(len(wanted.rules.grid)) if seen.occupied >> cell & ~(seen.hidden >> cell) & 1
    ]


def _known(piece: Piece, seen: Seen, cell: Cell, kind: SensorKind) -> Piece:
    """*piece*, or the one that the sensor shows on *cell* if it differs."""
    sighting = seen.look(cell)
    if piece is not UNKNOWN_PIECE and fits(sighting, look(piece, kind)):
        return piece
    if sighting.kind is None:
        return UNKNOWN_PIECE
    return Piece(sighting.kind, sighting.side, sighting.facing, sighting.pose or piece.pose)


def _serves(piece: Piece, wanted: Piece | None, kind: SensorKind) -> bool:
    """True if *piece* may be where *wanted* should be; indistinguishable ones may."""
    if wanted is None:
        return False
    return piece is UNKNOWN_PIECE or (fits(look(piece, kind), look(wanted, kind)) and _alike(piece, wanted))


def _may_stand(piece: Piece, source: Cell, target: Cell, wanted: Prospect, seen: Seen) -> bool:
    """True if *piece*, which is seen on *source*, may be what *wanted* has on *target*."""
    is_served = _serves(piece, wanted.pieces.get(target), wanted.kind)
    return is_served and (piece is not UNKNOWN_PIECE or fits(seen.look(source), wanted.looks[target]))


def _alike(piece: Piece, wanted: Piece) -> bool:
    """True if kind and side are equal, known from history without a sensor."""
    return piece.kind == wanted.kind and piece.side == wanted.side


def assign(costs: Sequence[Sequence[int]], *, default: int) -> list[int | None]:
    """The column of each row, or None, at the least total cost.

    A row without a column costs *default*.
    Exact, by shortest augmenting paths: cubic in the number of rows and columns.
    Source: Kuhn, *The Hungarian Method for the Assignment Problem*, 1955,
    in the form of Jonker and Volgenant, 1987.
    """
    rows = len(costs)
    columns = len(costs[0]) if rows else 0
    wide = columns + rows  # every row may stay alone in a column of its own
    table = [[*row, *([default] * rows)] for row in costs]
    row_price, column_price = [0] * rows, [0] * wide
    owner: list[int | None] = [None] * wide
    for row in range(rows):
        _augment(table, row, row_price, column_price, owner)
    partner: list[int | None] = [None] * rows
    for column in range(columns):
        held = owner[column]
        if held is not None:
            partner[held] = column
    return partner


def _augment(
    table: list[list[int]], start: int, row_price: list[int], column_price: list[int], owner: list[int | None]
) -> None:
    """Assign a column to row *start*, moving other rows along the cheapest path."""
    wide = len(column_price)
    cost = [table[start][c] - row_price[start] - column_price[c] for c in range(wide)]
    reached_from = [start] * wide
    done: list[int] = []
    open_columns = set(range(wide))
    while True:
        column = min(open_columns, key=lambda c: (cost[c], c))
        open_columns.remove(column)
        done.append(column)
        row = owner[column]
        if row is None:
            break
        for other in open_columns:
            reduced = cost[column] + table[row][other] - row_price[row] - column_price[other]
            if reduced < cost[other]:
                cost[other], reached_from[other] = reduced, row
    least = cost[column]
    row_price[start] += least
    for passed in done[:-1]:
        holder = owner[passed]
        assert holder is not None
        row_price[holder] += least - cost[passed]
        column_price[passed] -= least - cost[passed]
    while True:
        row = reached_from[column]
        previous = next((c for c in range(wide) if owner[c] == row), None)
        owner[column] = row
        if row == start:
            return
        assert previous is not None
        column = previous
