# SPDX-License-Identifier: Apache-2.0
"""What an option leaves to chance: it says `random`, and once it is drawn also which side, as in `random:2`.

The draw itself is made outside, by a function that is handed in; what it came to is kept with the options of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from companion.model.pieces import Side

RANDOM: Final = "random"
_DRAWN: Final = f"{RANDOM}:"

Pick: TypeAlias = Callable[[int], int]
"""A number from 0 up to, but not including, the one that is given, each as likely as the others."""


def is_random(value: str) -> bool:
    """True if *value* leaves something to chance, drawn already or not."""
    return value == RANDOM or lot(value) is not None


def lot(value: str) -> Side | None:
    """The side that was drawn, if *value* tells of one."""
    number = value.removeprefix(_DRAWN)
    is_drawn = value.startswith(_DRAWN) and len(number) == 1 and number in "123456789"
    return int(number) - 1 if is_drawn else None


def drawn(options: Mapping[str, str], sides: int, pick: Pick) -> dict[str, str]:
    """*options* with one of *sides* drawn for each that leaves it to chance; what was drawn before is drawn again."""
    return {
        name: f"{_DRAWN}{pick(sides) + 1}" if is_random(value) else value for name, value in options.items()
    }
