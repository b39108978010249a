# SPDX-License-Identifier: Apache-2.0
"""Options whose value is drawn by lot: `random`, and after the draw for example `random:2`.

The random function is passed in; the drawn value is kept with the options of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from companion.model.pieces import Side

RANDOM: Final = "random"
_DRAWN: Final = f"{RANDOM}:"

Pick: TypeAlias = Callable[[int], int]
"""A uniform random number from 0 up to, but not including, the argument."""


def is_random(value: str) -> bool:
    """True if *value* is drawn by lot, before or after the draw."""
    return value == RANDOM or lot(value) is not None


def lot(value: str) -> Side | None:
    """The side that was drawn, or None if *value* does not name one."""
    number = value.removeprefix(_DRAWN)
    is_drawn = value.startswith(_DRAWN) and len(number) == 1 and number in "123456789"
    return int(number) - 1 if is_drawn else None


def drawn(options: Mapping[str, str], sides: int, pick: Pick) -> dict[str, str]:
    """*options* with one of *sides* drawn for each `random`; earlier draws are repeated."""
    return {
        name: f"{_DRAWN}{pick(sides) + 1}" if is_random(value) else value for name, value in options.items()
    }
