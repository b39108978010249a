# SPDX-License-Identifier: Apache-2.0
"""The board with which a game begins: the known position, or what differs. Pure.

The position is the prior. Each cell is judged by classes that were learned from the others; a cell
is read otherwise only if it is clearly likelier, and looks like others of that class. What looks
like nothing else is believed to be as it should be.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from companion.model.observation import EMPTY, OCCUPIED, Sighting
from companion.sensing.appearance import UNKNOWN, Labels, left_out
from companion.sensing.problems import CameraProblem
from companion.sensing.untagged_table import UntaggedTable
from companion.sensing.vision.discs import veils
from companion.sensing.vision.geometry import Floats, View
from companion.sensing.vision.sampler import Flags

MOST: Final = 6
"""Cells that may differ from the known position: three pieces on wrong cells."""
_CLEAR: Final = 7.5
"""Nats by which another class must lead for a cell to be read as that.

In 165 photographs of eight sets no cell of 8 070 led by more than 6.7 against what was on it.
"""
_FAIR: Final = 5.5
"""The same where several cells lead: each spoils the classes of the others."""
_ALIKE: Final = 8.0
"""Greatest strangeness of a cell that is like others of its class."""
# of 4 374 empty cells in these photographs none was stranger than 7.6
_RIGHT: Final = 0.85
"""Share of the cells that must be read as they should be."""


@dataclass(frozen=True, slots=True, eq=False)
class FirstBoard:
    """What was found; *problem* says why a game cannot begin."""

    looks: tuple[Sighting, ...]
    """What each class stands for."""
    board: Labels
    """(n,): the class of each cell."""
    learnable: Labels
    """The same without cells that resemble nothing else, or are behind a piece."""
    strange: Flags
    """(n,): the empty cells that look like nothing else."""
    cells: Flags
    """(n,): the cells that are not as in the known position."""
    problem: CameraProblem | None = None


def first_board(features: Floats, tones: Labels, table: UntaggedTable, view: View) -> FirstBoard:
    """The board in *features*, (n, d), through *view*, with *table*'s position as prior."""
    standing = [cell for cell in range(len(table.grid)) if cell in table.start]
    veiled: Flags = np.any(veils(view, table.grid, table.tallest_mm)[standing], axis=0)
    sides = sorted({side for side in table.start.values() if side is not None})
    if len(sides) > 1 and None not in table.start.values():
        looks = (EMPTY, *(Sighting(True, side=side) for side in sides))
        start = _labels(table, {side: number for number, side in enumerate(sides, 1)})
        found = _found(features, tones, start, looks, veiled)
        if found.problem is None:
            return _turned(found, features) if table.is_light_first and _is_symmetric(table) else found
    return _found(features, tones, _labels(table, {}), (EMPTY, OCCUPIED), veiled)


def _labels(table: UntaggedTable, classes: dict[int, int]) -> Labels:
    """(n,): the class of each cell in the known position; 1 without a class."""
    labels = np.zeros(len(table.grid), np.intp)
    for cell, side in table.start.items():
        labels[cell] = 1 if side is None else classes.get(side, 1)
    return labels


def _is_symmetric(table: UntaggedTable) -> bool:
    """True if half a turn of the board exchanges the two sides."""
    last = len(table.grid) - 1
    return {last - cell: side for cell, side in table.start.items()} == {
        cell: None if side is None else 1 - side for cell, side in table.start.items()
    }


def _turned(found: FirstBoard, features: Floats) -> FirstBoard:
    """*found* with exchanged sides, if the first one's pieces are the darker ones.

    Then the pieces stand turned by half; the referee turns the board.
    """
    first, second = (float(np.median(features[found.board == number, 0])) for number in (1, 2))
    if first >= second:
        return found
    empty, one, other = found.looks
    return replace(found, looks=(empty, other, one))


def _found(
    features: Floats, tones: Labels, start: Labels, looks: tuple[Sighting, ...], veiled: Flags
) -> FirstBoard:
    """The board that is found with these classes; *veiled* cells are believed to be right.

    The cell that is wrong most clearly is read otherwise first: it may have spoilt its class.
    """
    board, cells, least = start.copy(), np.arange(len(start)), _CLEAR
    for _ in range(MOST + 1):
        logs, strangeness = left_out(features, board, tones, len(looks))
        best = logs.argmax(axis=1)
        lead = logs.max(axis=1) - logs[cells, board]
        may_be = (strangeness[cells, best] <= _ALIKE) & ~veiled & (board == start)
        least = _FAIR if (may_be & (lead >= _FAIR)).sum() > 1 else least
        other = may_be & (lead >= least)
        if not other.any():
            break
        worst = int(np.where(other, lead + strangeness[cells, board], -1.0).argmax())
        board[worst] = best[worst]
    is_odd = (strangeness[cells, board] > _ALIKE) & (np.bincount(board)[board] > 2)
    strange = is_odd & (board == 0) & ~veiled
    learnable = np.where(is_odd | veiled, UNKNOWN, board)
    is_wrong = (best != start) & ~veiled
    is_right = is_wrong.mean() <= 1 - _RIGHT and (board != start).sum() <= MOST
    problem = None if is_right else CameraProblem.NOT_SET_UP
    return FirstBoard(looks, board, learnable, strange, (board != start) & is_right, problem)
