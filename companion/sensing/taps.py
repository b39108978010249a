# SPDX-License-Identifier: Apache-2.0
"""A piece that is tapped twice: lifted and put back twice in quick succession."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from companion.model.grid import Cell
from companion.model.observation import Change, Input

_WITHIN_MS: Final = 1200
"""Longest time from the first lift to the second return."""
_CHANGES: Final = 4
"""Lifted, put back, lifted, put back."""


class Taps:
    """Recognises taps in the changes of a board."""

    def __init__(self) -> None:
        self._recent: list[tuple[int, Cell, bool]] = []

    def count(self, inputs: Iterable[Input]) -> int:
        """Return how often *inputs* complete a double tap."""
        found = 0
        for each in inputs:
            if not isinstance(each, Change) or each.sighting.occupied is None:
                continue
            state = each.cell, each.sighting.occupied
            if not self._recent or self._recent[-1][1:] != state:  # details of a piece follow its arrival
                self._recent = [*self._recent[1 - _CHANGES :], (each.t_ms, *state)]
                if self._is_double():
                    found += 1
                    self._recent = []
        return found

    def _is_double(self) -> bool:
        """True if the last changes are a double tap on one cell."""
        times, cells, states = zip(*self._recent, strict=True)
        is_quick = times[-1] - times[0] <= _WITHIN_MS
        return is_quick and len(set(cells)) == 1 and states == (False, True, False, True)
