# SPDX-License-Identifier: Apache-2.0
"""Makes one ordered history of an eboard's reports, some of which are late or missing.

Some eboards report a piece on its new cell before its old cell is empty, and never report some
cells that were empty for a moment. So a piece that still stands elsewhere is held back until that
cell is reported empty, and reports of all cells correct what was missed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from companion.model.grid import Cell
from companion.model.observation import EMPTY, Change, Sighting


class Reconciler:
    """The known pieces of one eboard."""

    def __init__(self, confirmations: int, hold_ms: int) -> None:
        """*confirmations* and *hold_ms* are those of `Timing`."""
        self._confirmations = confirmations
        self._hold_ms = hold_ms
        self.pieces: tuple[Sighting, ...] | None = None
        """The piece on each cell; None before the first whole report."""
        self._lifted: Counter[Sighting] = Counter()
        """Pieces that have left the eboard and were not put down again."""
        self._held: dict[Cell, tuple[Sighting, int]] = {}
        """New pieces of cells, with their times, whose old cells are not empty yet."""
        self._candidate: tuple[Sighting, ...] = ()
        self._repeats = 0
        """How often the candidate was reported in succession."""

    @property
    def is_settled(self) -> bool:
        """True unless a report has to be confirmed."""
        return not self._held and not self._repeats

    @property
    def deadline_ms(self) -> int | None:
        """When `expire` has something to do."""
        return min((t_ms + self._hold_ms for _, t_ms in self._held.values()), default=None)

    def forget(self) -> None:
        """Forget everything: reports may have been missed."""
        self.pieces = None
        self._lifted.clear()
        self._held.clear()
        self._repeats = 0

    def field(self, cell: Cell, piece: Sighting, t_ms: int) -> list[Change]:
        """The changes that follow from a report that *piece* is on *cell*."""
        if self.pieces is None:
            return []
        self._repeats = 0
        self._held.pop(cell, None)
        known = self.pieces[cell]
        if piece == known:
            return []
        if piece.occupied and self._hold_ms and not self._lifted[piece] and self._stands(piece):
            self._held[cell] = piece, t_ms
            return []
        return [self._set(cell, piece, t_ms), *self._released(t_ms)]

    def whole(self, pieces: tuple[Sighting, ...], t_ms: int) -> list[Change]:
        """The changes that follow from a report of all *pieces*, once it is believed.

        The first believed report makes no changes: see `pieces`.
        """
        if pieces == self.pieces:
            self._repeats = 0
            self._held.clear()
            return []
        self._repeats = self._repeats + 1 if self._repeats and pieces == self._candidate else 1
        self._candidate = pieces
        if self._repeats < self._confirmations:
            return []
        self._repeats = 0
        self._held.clear()
        if self.pieces is None:
            self.pieces = pieces
            return []
        return list(self._differences(self.pieces, pieces, t_ms))

    def expire(self, now_ms: int) -> list[Change]:
        """The changes of pieces that were held back long enough."""
        due = [(cell, piece) for cell, (piece, t_ms) in self._held.items() if now_ms >= t_ms + self._hold_ms]
        return [self._set(cell, piece, now_ms) for cell, piece in due if self._held.pop(cell, None)]

    def _stands(self, piece: Sighting) -> bool:
        """True if *piece* is known to stand on a cell."""
        return self.pieces is not None and piece in self.pieces

    def _released(self, t_ms: int) -> Iterator[Change]:
        """The changes of pieces that were held back until their old cells were empty."""
        while True:
            ready = [cell for cell, (piece, _) in self._held.items() if self._lifted[piece]]
            if not ready:
                return
            piece, _ = self._held.pop(ready[0])
            yield self._set(ready[0], piece, t_ms)

    def _differences(
        self, before: Sequence[Sighting], after: Sequence[Sighting], t_ms: int
    ) -> Iterator[Change]:
        """The changes from one report of all cells to the next: emptied cells first."""
        differing = [cell for cell, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
        for cell in sorted(differing, key=lambda cell: bool(after[cell].occupied)):
            yield self._set(cell, after[cell], t_ms)

    def _set(self, cell: Cell, piece: Sighting, t_ms: int) -> Change:
        """Note *piece* on *cell*."""
        assert self.pieces is not None
        before = self.pieces[cell]
        if before.occupied:
            self._lifted[before] += 1
        if piece.occupied and self._lifted[piece]:
            self._lifted[piece] -= 1
        self.pieces = (*self.pieces[:cell], piece, *self.pieces[cell + 1 :])
        return Change(t_ms, cell, piece if piece.occupied else EMPTY)
