# SPDX-License-Identifier: Apache-2.0
"""Chess by the FIDE Laws, from the usual start, any other position, or Chess960.

    8  r n b q k b n r      White (capitals) moves first
    7  p p p p p p p p
    ...
    2  P P P P P P P P
    1  R N B Q K B N R

A package, since it would not fit one file:
`tables` (constants) < `position` < `generation` < `fen` < `san` < `explain` < `rules`,
and `pgn` beside them.

Source: FIDE Laws of Chess, taking effect from 1 January 2023.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from companion.games._shared.announce import announce
from companion.model.errors import NotationError, OptionError
from companion.model.game import CallOut, Option, RetiredOption, choose
from companion.model.observation import SensorKind

if TYPE_CHECKING:
    from companion.games.chess.position import Position
    from companion.games.chess.rules import ChessRules


class _Chess:
    """The game's description and its rules."""

    slug = "chess"
    title = "Chess"
    source = "FIDE Laws of Chess, 2023"
    needs = SensorKind.IDENTITY  # only for the piece to which a pawn was promoted
    options = (
        Option(
            "start",
            ("standard", "file"),
            "the start: standard, a FEN, or a Chess960 number from 0 to 959",
            spelled=r"\d{1,3}|[^\n]*/[^\n]*",
        ),
        Option("draw_rules", ("fide", "none"), "draws by repetition, by quiet moves, for lack of material"),
        announce(CallOut.CHECK),
    )
    retired: tuple[RetiredOption, ...] = ()

    def rules(self, options: Mapping[str, str] | None = None) -> ChessRules:
        """The rules under *options*. Raises `OptionError`."""
        from companion.games.chess.rules import ChessRules  # makes tables, which take a tenth of a second

        chosen = choose(self.options, options or {}, self.retired)
        return ChessRules(chosen, _start(chosen["start"]))


def _start(value: str) -> Position:
    """The start position called *value*. Raises `OptionError`."""
    from companion.games.chess import fen

    if value == "standard":
        return fen.read(fen.STANDARD)
    if value.isdecimal() and len(value) < 10 and int(value) < 960:
        return fen.numbered(int(value))
    try:
        return fen.read(value)
    except NotationError as error:
        raise OptionError(
            "option start: {value!r} is not allowed; allowed are standard, a FEN, 0 to 959 ({reason})",
            reason=error,
            option="start",
            value=value,
            allowed=("standard", "a FEN", "0 to 959"),
        ) from error


GAME: Final = _Chess()
