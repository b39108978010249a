# SPDX-License-Identifier: Apache-2.0
"""Tank Chess as text: `C1-B3NWxD14!` for a move, `w CH1N MF1N lF14x` for a position.

The rulebook defines no notation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from companion.games.tank_chess import kifu
from companion.games.tank_chess.maps import read_tank, write_tank
from companion.games.tank_chess.pieces import COMMAND, LETTERS, Tank, Wreck, kind_and_side, sign
from companion.games.tank_chess.rules import AWAY, GameState, Move, TankCombat, unpack
from companion.model.errors import NotationError
from companion.model.game import CallOut
from companion.model.grid import COMPASS
from companion.model.notation import not_legal

_MOVE: Final = re.compile(r"([A-Z]\d+)-(?:OFF|([A-Z]\d+)([NS]?[EW]|[NS])(?:X([A-Z]\d+))?)[!^#]*")
_SIDES: Final = "wb"


class TankText(TankCombat):
    """Texts for one map, on top of the moves."""

    def write_move(self, position: GameState, move: Move) -> str:
        """`C1-B3NW`; `xJ3` for a destroyed piece, `-off` for leaving.

        `!` is CHECK, `^` ESCAPE, `#` the end.
        """
        source, state, victim = unpack(move)
        name = self.grid.name
        if state == AWAY:
            return f"{name(source)}-off#"
        shot = f"x{name(victim)}" if victim >= 0 else ""
        after = self.apply(position, move)
        cries = [announcement.cry for announcement in self.announcements(after)]
        marks = (
            "!" * (CallOut.CHECK in cries)
            + "^" * (CallOut.ESCAPE in cries)
            + "#" * (self.status(after) is not None)
        )
        return f"{name(source)}-{name(state >> 3)}{COMPASS[state & 7]}{shot}{marks}"

    def read_move(self, position: GameState, text: str) -> Move:
        """The legal move that *text* denotes, in upper or lower case; marks are optional.

        It may also be written as players write it: see `kifu`.
        """
        parts = _MOVE.fullmatch((kifu.translated(text) or text.strip()).upper())
        if parts is None:
            raise NotationError("{text!r} is not a move: expected A1-B2NE, A1-B2NExJ3 or A1-off", text=text)
        source, target, facing, victim = parts.groups()
        state = self.grid.cell(target) << 3 | COMPASS.index(facing) if target else AWAY
        move = self.grid.cell(source) << 23 | state << 10 | (self.grid.cell(victim) + 1 if victim else 0)
        if move not in self.legal_moves(position):
            raise not_legal(self.write_position(position), text)
        return move

    def write_position(self, position: GameState) -> str:
        """Side to move, then tanks with their facing and wrecks with an x.

        Each is kind (small for Black), space, facing.
        """
        tanks = [write_tank(self.grid, tank) for tank in position.tanks]
        wrecks = [f"{sign(wreck)}{self.grid.name(wreck >> 4)}x" for wreck in position.wrecks]
        return " ".join([_SIDES[position.turn], *tanks, *wrecks])

    def read_position(self, text: str) -> GameState:
        """The position that *text* denotes. Raises `NotationError`."""
        side, *words = text.split() or [""]
        if side not in ("w", "b") or not words:
            raise NotationError("{text!r} is not a position: expected w or b, then tanks", text=text)
        wrecks = sorted(self._read_wreck(word) for word in words if word.endswith("x"))
        tanks = sorted(read_tank(self.grid, word) for word in words if not word.endswith("x"))
        fault = self.fault(tanks, wrecks)
        if fault:
            raise NotationError("{text!r} is not a position: {reason}", reason=fault, text=text)
        return GameState(_SIDES.index(side), tuple(tanks), tuple(wrecks))

    def _read_wreck(self, word: str) -> Wreck:
        """The wreck that *word* denotes."""
        if word[0].upper() not in LETTERS:
            raise NotationError(
                "{text!r} is not a wreck: expected a letter of {letters}, a space and x",
                letters=LETTERS,
                text=word,
            )
        return self.grid.cell(word[1:-1]) << 4 | kind_and_side(word[0])

    def fault(self, tanks: Sequence[Tank], wrecks: Sequence[Wreck]) -> str:
        """The reason why *tanks* and *wrecks* are not a position, or "".

        Two pieces on a cell, a piece on an obstacle, or a wrong number of Command Tanks.
        """
        cells = [*(tank >> 7 for tank in tanks), *(wreck >> 4 for wreck in wrecks)]
        for cell in cells:
            if self.terrain.obstacles >> cell & 1:
                what = "outside the board" if cell in self.grid.border else "an obstacle"
                return f"{self.grid.name(cell)} is {what}"
            if cells.count(cell) > 1:
                return f"two pieces stand on {self.grid.name(cell)}"
        counts = [sum(tank & 15 == side << 3 | COMMAND for tank in tanks) for side in (0, 1)]
        if sorted(counts) not in ([0, 1], [1, 1]):
            return f"White has {counts[0]} Command Tanks and Black {counts[1]}"
        return ""
