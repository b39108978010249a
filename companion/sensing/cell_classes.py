# SPDX-License-Identifier: Apache-2.0
"""What a cell without tags may show."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class CellClass(StrEnum):
    """What the middle of a cell shows."""

    EMPTY = "empty"
    LIGHT = "light"
    """A light piece."""
    DARK = "dark"
    HAND = "hand"
    """A hand, a sleeve, or anything else that hides the cell."""
    SHADOW = "shadow"
    """Empty ground in a shadow."""


CELL_CLASSES: Final = tuple(CellClass)
"""The order in which the classifier returns them."""
