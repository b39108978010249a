# SPDX-License-Identifier: Apache-2.0
"""Fightopia: pawns, tanks of two cells and a giant of four, on a chessboard.

    8  t p p G G p p t      two tanks (t) along the a and h files, a giant (G), ten pawns a side
    7  t . p G G p . t
    6  . . p p p p . .
    ...
    3  . . p p p p . .
    2  t . p G G p . t
    1  t p p G G p p t      White moves first, or the side that was drawn

A package, since it would not fit one file: `board` < `notation` < `explain` < `rules`.

Source: Cheapass Games, *Fightopia*, James Ernest and Mike Selinker, 2004.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from companion.games._shared.announce import announce
from companion.games._shared.first import beginner, first
from companion.model.game import CallOut, Option, RetiredOption, choose
from companion.model.observation import SensorKind

if TYPE_CHECKING:
    from companion.games.fightopia.rules import FightopiaRules

_FIRST: Final = first("white", "black")


class _Fightopia:
    """The game's description and its rules."""

    slug = "fightopia"
    title = "Fightopia"
    source = "Cheapass Games, Fightopia, James Ernest and Mike Selinker, 2004"
    needs = SensorKind.OCCUPANCY
    options = (
        Option(
            "pivot_clearance", ("landing", "swept"), "what must be empty for a pivot; swept: the corner too"
        ),
        Option("no_move", ("loss", "draw", "pass"), "what it means when the side to move cannot act"),
        Option("repetition", ("none", "threefold-draw"), "the same position for the third time"),
        _FIRST,
        announce(*CallOut),
    )
    retired: tuple[RetiredOption, ...] = ()

    def rules(self, options: Mapping[str, str] | None = None) -> FightopiaRules:
        """The rules under *options*. Raises `OptionError`."""
        from companion.games.fightopia.rules import FightopiaRules  # makes tables

        chosen = choose(self.options, options or {}, self.retired)
        return FightopiaRules(chosen, beginner(_FIRST, chosen, len(FightopiaRules.sides)))


GAME: Final = _Fightopia()
