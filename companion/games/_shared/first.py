# SPDX-License-Identifier: Apache-2.0
"""The option that selects the side that moves first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.model.errors import OptionError
from companion.model.game import Option
from companion.model.lots import RANDOM, lot
from companion.model.pieces import Side

_NAME: Final = "first"


def first(*seats: str) -> Option:
    """The option: one value for each of *seats*, in the order of the sides.

    A single seat stands for the first side only.
    """
    return Option(_NAME, (*seats, RANDOM), "who begins; random: this is drawn by lot before each game")


def beginner(option: Option, options: Mapping[str, str], sides: int) -> Side:
    """The side that moves first, of *sides*; side 0 before the draw.

    Raises `OptionError`.
    """
    value = options[_NAME]
    if value == RANDOM:
        return 0
    drawn = lot(value)
    if drawn is None:
        return option.values.index(value)
    if drawn >= sides:
        raise OptionError(
            "option {option}: side {side} was drawn, but there are {sides}",
            side=drawn + 1,
            sides=sides,
            option=_NAME,
            value=value,
            allowed=option.values,
        )
    return drawn
