# SPDX-License-Identifier: Apache-2.0
"""Numbers of positions of Close Quarters.

The cells of Sword, Spear, Mace and Axe are the digits of a number to base 33, where 32 stands for
an eliminated piece. The side to move is not part of the number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from companion.model.grid import OFF, Cell
from companion.opponent.close_quarters.paths import CELLS

GONE: Final = CELLS
BASE: Final = CELLS + 1
POSITIONS: Final = BASE**4
WEIGHTS: Final = (BASE**3, BASE**2, BASE, 1)


def number_of(cells: Sequence[Cell]) -> int:
    """The number of the position with the four pieces on *cells*.

    >>> number_of((0, OFF, OFF, OFF)) == number_of((1, OFF, OFF, OFF)) - BASE**3
    True
    """
    return sum((GONE if cell == OFF else cell) * weight for cell, weight in zip(cells, WEIGHTS, strict=True))
