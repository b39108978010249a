# SPDX-License-Identifier: Apache-2.0
"""Index of a position's moves by the changes that a sensor sees.

It is built once per position, while the players think.
Afterwards a set of changed cells leads to its moves in one step.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterable, Mapping, Set
from typing import Any, Final, cast

from companion.model.game import Announcement, AnyRules, LocalRules, TouchRules
from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.observation import OCCUPIED, SensorKind, Sighting
from companion.model.occupancy import Occupancy, cells_of, occupancy_of
from companion.model.pieces import Piece, Side
from companion.model.placement import Placement
from companion.referee.values.board.imprints import Imprint, imprint_of
from companion.referee.values.board.looks import Seen, look

MOST_FOLLOWING: Final = 16
"""Cached successors of a position: 1 MB in the widest game.

Histories that are tried lead through the same ones.
"""


MOST_KNOWN: Final = 4096
"""Imprints that positions share, 2 MB; a full cache is emptied."""


@functools.cache
def _finds_sooner(kind: type[AnyRules]) -> bool:
    """True if rules of *kind* are `TouchRules`; cached, since protocol checks are slow."""
    return issubclass(kind, TouchRules)


@functools.cache
def is_local(kind: type[AnyRules]) -> bool:
    """True if rules of *kind* are `LocalRules`."""
    return issubclass(kind, LocalRules)


class Prospect:
    """A position as a sensor sees it, with the imprints of its legal moves.

    The moves are indexed on first use: a cache derived from the position.
    Where a game can list the moves that touch a cell cheaply, only requested ones are indexed.
    """

    __slots__ = (
        "_again",
        "_by_cell",
        "_by_change",
        "_called",
        "_compared",
        "_ends",
        "_following",
        "_imprints",
        "_indexed",
        "_known",
        "_text",
        "_traceless",
        "_unseen",
        "_written",
        "absent",
        "indexed",
        "kind",
        "looks",
        "notes",
        "occupied",
        "pieces",
        "placement",
        "position",
        "rules",
    )

    def __init__(
        self, rules: AnyRules, position: Any, kind: SensorKind, absent: frozenset[Side] = frozenset()
    ) -> None:
        """Hands on the board make no moves of *absent* sides."""
        self.rules = rules
        self.position = position
        self.kind = kind
        self.absent = absent
        self.placement: Placement = rules.placement(position)
        self.pieces: Mapping[Cell, Piece] = self.placement.by_cell()
        self.occupied: Occupancy = self.placement.occupancy
        self.looks: Mapping[Cell, Sighting] = (
            dict.fromkeys(self.pieces, OCCUPIED)
            if kind is SensorKind.OCCUPANCY
            else {cell: look(piece, kind) for cell, piece in self.pieces.items()}
        )
        self._called: tuple[Announcement, ...] | None = None
        self._ends: bool | None = None
        self._text: str | None = None
        self._written: dict[Hashable, str] = {}
        self._imprints: tuple[Imprint, ...] | None = None
        self._by_change: dict[Occupancy, list[Imprint]] = {}
        self._by_cell: dict[Cell, dict[Occupancy, None]] = {}
        self._traceless: dict[Cell, dict[Hashable, Imprint]] = {}
        self._unseen: bool | None = None
        """Whether a legal move leaves the board as it looks, once that is known."""
        self._indexed: Occupancy = 0
        """Cells for which all moves are indexed."""
        self.indexed = 0
        """Number of indexed moves: the cost of trying histories."""
        self._again: dict[tuple[Hashable, Occupancy], Imprint | None] = {}
        """What `again` has found for a move and the cells that it changed."""
        self._following: dict[Hashable, Prospect] = {}
        self._known: dict[Hashable, tuple[tuple[Step, ...], Sighting | None, Imprint]] = {}
        """Imprints of moves of one piece in this and other positions of the game."""
        self.notes: dict[Hashable, Any] = {}
        """What the tracker has worked out about a move."""
        self._compared: tuple[tuple[Seen | None, Occupancy], ...] = ((None, 0), (None, 0))
        """The boards that were compared last, with their differing cells."""

    @property
    def is_absent(self) -> bool:
        """True if the move in this position is decided elsewhere."""
        return self.position.turn in self.absent

    @property
    def text(self) -> str:
        """The position's text, computed on first use."""
        if self._text is None:
            self._text = self.rules.write_position(self.position)
        return self._text

    @property
    def called(self) -> tuple[Announcement, ...]:
        """The announcements in the position, computed on first use."""
        if self._called is None:
            self._called = self.rules.announcements(self.position)
        return self._called

    @property
    def is_end(self) -> bool:
        """True if the game is over in the position, computed on first use."""
        if self._ends is None:
            self._ends = self.rules.status(self.position) is not None
        return self._ends

    def written(self, move: Hashable) -> str:
        """The notation of *move*, cached, since every view contains it."""
        text = self._written.get(move)
        if text is None:
            text = self._written[move] = self.rules.write_move(self.position, move)
        return text

    @property
    def is_prepared(self) -> bool:
        """True once `has_unseen` is known."""
        return self._unseen is not None

    def prepare(self) -> None:
        """Find out whether a legal move leaves the board as it looks.

        It indexes all moves in games that cannot list those which touch a cell.
        """
        if self._unseen is not None:
            return
        if self.is_absent or not _finds_sooner(type(self.rules)):
            self.index()
            return
        moves = self.rules.legal_moves(self.position)
        self._unseen = any(not each.changed for each in map(self.imprint, moves))

    def index(self) -> None:
        """Index all moves, unless that is done."""
        if self._imprints is not None:
            return
        moves = () if self.is_absent else self.rules.legal_moves(self.position)
        self._imprints = tuple(map(self.imprint, moves))
        self._by_change, self._by_cell, self.indexed = {}, {}, 0
        self._add(self._imprints)
        self._add_traceless(self._imprints)
        self._unseen = bool(self._by_change.setdefault(0, []))

    def _add(self, imprints: Iterable[Imprint]) -> None:
        """Index *imprints*; of those with the same cells all are given or indexed already."""
        found: dict[Occupancy, list[Imprint]] = {}
        known, by_cell = self._by_change, self._by_cell
        for imprint in imprints:
            if imprint.changed not in known:
                found.setdefault(imprint.changed, []).append(imprint)
        known |= found
        self.indexed += sum(map(len, found.values()))
        for changed in found:
            cells = changed
            while cells:
                lowest = cells & -cells
                by_cell.setdefault(lowest.bit_length() - 1, {})[changed] = None
                cells ^= lowest

    def _look_up(self, cells: Occupancy) -> None:
        """Index at least the moves that change one of *cells*."""
        missing = cells & ~self._indexed
        if self._imprints is not None or not missing:
            return
        if self.is_absent or not _finds_sooner(type(self.rules)):
            self.index()
            return
        self._indexed |= missing
        imprints = [self.imprint(move) for move in self._touching(missing)]
        self._add(imprint for imprint in imprints if imprint.changed & missing)
        self._add_traceless(imprints)

    def _add_traceless(self, imprints: Iterable[Imprint]) -> None:
        """Index those of *imprints* that change nothing, by the cells of their pieces."""
        for imprint in imprints:
            if not imprint.changed:
                for cell in {cell for leg in imprint.carried for cells in leg for cell in cells}:
                    self._traceless.setdefault(cell, {})[imprint.move] = imprint

    def after(self, move: Hashable) -> Prospect:
        """The position after *move*: a cached object, if it is among the latest."""
        found = self._following.get(move)
        if found is None:
            if len(self._following) == MOST_FOLLOWING:
                del self._following[next(iter(self._following))]
            found = Prospect(self.rules, self.rules.apply(self.position, move), self.kind, self.absent)
            found._known = self._known
            self._following[move] = found
        return found

    def left(self) -> None:
        """Discard the cached successors: play has gone on from one of them."""
        self._following.clear()

    def imprints(self) -> tuple[Imprint, ...]:
        """The imprints of all legal moves, in their order."""
        self.index()
        assert self._imprints is not None
        return self._imprints

    def has_unseen(self) -> bool:
        """True if a legal move leaves the board as it looks; False before indexing.

        Stories do not depend on it: only whether a press is awaited, and when a board is examined.
        """
        return bool(self._unseen)

    def differing(self, seen: Seen) -> Occupancy:
        """The visible cells that differ from the position.

        Cached for the board and for that of a halt, which are asked for in turn.
        """
        last, other = self._compared
        if seen is not last[0]:
            if seen is not other[0]:
                other = seen, seen.differing(self.occupied, self.looks)
            self._compared = other, last
            return other[1]
        return last[1]

    def exactly(self, changed: Occupancy, seen: Seen) -> list[Imprint]:
        """The imprints that explain *changed* completely, for sightings at rest."""
        if seen.hidden:
            return [
                imprint
                for imprint in self.imprints()
                if imprint.changed & ~seen.hidden == changed and imprint.fits(seen)
            ]
        return [imprint for imprint in self.changing(changed) if imprint.fits(seen)]

    def within(self, changed: Occupancy, seen: Seen, shown: Occupancy) -> list[Imprint]:
        """The imprints that explain a part of *changed*, and all of it in *shown*."""
        self._look_up(changed)
        found: dict[Occupancy, None] = {}
        for cell in cells_of(changed):
            found.update(self._by_cell.get(cell, {}))
        return [
            imprint
            for part in found
            if part & ~changed == 0 and shown & changed & ~part == 0
            for imprint in self._by_change[part]
            if imprint.fits(seen)
        ]

    def changing(self, changed: Occupancy) -> list[Imprint]:
        """The imprints that change exactly the cells *changed*, with any sighting."""
        if not changed and 0 not in self._by_change:
            self._find_traceless()
        elif not changed & self._indexed:  # else they are indexed already
            self._look_up(changed & -changed)
        return self._by_change.get(changed, [])

    def _find_traceless(self) -> None:
        """Index the moves that change nothing, or all where that is as fast."""
        if self.is_absent or not _finds_sooner(type(self.rules)):
            self.index()
            return
        moves = self.rules.legal_moves(self.position)
        self._by_change[0] = [each for each in map(self.imprint, moves) if not each.changed]

    def again(self, before: Imprint) -> Imprint | None:
        """The imprint here of the move of *before*, if legal; nothing is indexed.

        Cached, since every line through the position asks for it.
        """
        key = before.move, before.changed
        if key not in self._again:
            self._again[key] = self._found_again(before)
        return self._again[key]

    def _found_again(self, before: Imprint) -> Imprint | None:
        move, rules = before.move, self.rules
        if self._imprints is not None or self.is_absent:
            self.index()
            return next((each for each in self._by_change.get(before.changed, ()) if each.move == move), None)
        cells = before.changed or occupancy_of((*before.source, *before.target))
        if cells and _finds_sooner(type(rules)):
            is_legal = move in self._touching(cells & -cells)
        else:
            is_legal = move in rules.legal_moves(self.position)
        return self.imprint(move) if is_legal else None

    def _touching(self, cells: Occupancy) -> dict[Hashable, None]:
        """The legal moves with a step from or to one of *cells*, in their order."""
        key = ("touching", cells)
        found: dict[Hashable, None] | None = self.notes.get(key)
        if found is None:
            moves = cast(TouchRules, self.rules).moves_touching(self.position, cells)
            found = self.notes[key] = dict.fromkeys(moves)
        return found

    def moves_touching(self, cell: Cell) -> Set[Hashable] | None:
        """The legal moves with a step from or to *cell*; nothing is indexed.

        None if the game does not list them faster than all moves, or if equal moves may differ in
        what they change: only those of local rules do not.
        """
        rules = type(self.rules)
        if self.is_absent or not (is_local(rules) and _finds_sooner(rules)):
            return None
        return self._touching(1 << cell).keys()

    def touching(self, cell: Cell) -> list[Imprint]:
        """The imprints that change *cell*."""
        self._look_up(1 << cell)
        return [imprint for part in self._by_cell.get(cell, {}) for imprint in self._by_change[part]]

    def handling(self, cell: Cell) -> list[Imprint]:
        """The imprints that change nothing although a piece on *cell* is handled."""
        self._look_up(1 << cell)
        return list(self._traceless.get(cell, {}).values())

    def taking(self, cell: Cell) -> list[Imprint]:
        """The imprints of `touching` and `handling`."""
        found, traceless = self.touching(cell), self._traceless.get(cell)
        return found if traceless is None else [*found, *traceless.values()]

    def keeping(self, handled: Occupancy, seen: Seen) -> list[Imprint]:
        """The imprints of pieces on *handled* cells that change nothing that is seen."""
        found: dict[Hashable, Imprint] = {}
        for cell in cells_of(handled):
            near = self.taking(cell) if seen.hidden else self.handling(cell)
            found |= {each.move: each for each in near if not each.changed & ~seen.hidden}
        return [each for each in found.values() if each.fits(seen)]

    def imprint(self, move: Hashable) -> Imprint:
        """The imprint of *move*, which must be legal; also of an absent side."""
        known = self._known.get(move)
        if known is not None:
            made, stood, found = known
            step, is_same = made[0], self.looks.get(made[0].target[0]) is stood
            own = self.pieces.get(step.source[0]) if step.source else None
            if is_same and own is step.piece and is_local(type(self.rules)):
                return found
        steps = tuple(self.rules.steps(self.position, move))
        if known is not None and is_same and steps is made:
            return found
        found = imprint_of(move, steps, self.kind, self.looks)
        if len(steps) == 1 and len(steps[0].target) == 1:
            if len(self._known) == MOST_KNOWN:
                self._known.clear()
            self._known[move] = steps, self.looks.get(steps[0].target[0]), found
        return found
