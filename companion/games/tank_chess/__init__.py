# SPDX-License-Identifier: Apache-2.0
"""Tank Chess: destroy the enemy Command Tank, or leave the board with your own.

A Command Tank leaves on the opponent's side.
Any board with obstacles and two forces is allowed (see `maps`); the printed one is 16 by 16 spaces.

Source: Forsage Games, *Tank Chess* rules.
Not settled there: repetition, which is an option, and leaving in reverse, which decides nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from companion.games.tank_chess.maps import find_map, to_line
from companion.games.tank_chess.pieces import (
    COMMAND,
    KINDS,
    WRECK,
    State,
    Tank,
    Wreck,
    pack,
    piece_of,
    wreck_of,
)
from companion.games.tank_chess.reasons import explain
from companion.games.tank_chess.rules import AWAY, GameState, Move, unpack
from companion.games.tank_chess.terrain import Terrain
from companion.games.tank_chess.text import TankText
from companion.model.game import InvalidPosition, Option, RetiredOption, Violation, choose
from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.observation import Difference, SensorKind
from companion.model.phrase import Phrase
from companion.model.pieces import Figure, Piece, Side
from companion.model.placement import Placement

_BOX: Final = tuple(
    side << 3 | kind for side in (0, 1) for kind, count in enumerate((4, 3, 2, 1, 2, 2)) for _ in range(count)
)
"""Side and kind of every tank of the set-up on 20 files.

It includes all tanks of the printed set-up.
"""


class TankChessRules(TankText):
    """Tank Chess under chosen options: hands and sensors, on top of moves and texts."""

    leader = KINDS[COMMAND].slug
    standins: Mapping[str, str] = MappingProxyType(
        dict(zip((kind.slug for kind in KINDS), ("Pp", "Nn", "Rr", "Kk", "Bb", "Qq"), strict=True))
    )

    def box(self) -> tuple[Figure, ...]:
        """Every tank of the set with its wreck side, White's first.

        Tanks that a map needs beyond these are added, so that the tags serve all maps.
        """
        wanted = Counter(tank & 15 for tank in self.initial().tanks)
        codes = (*_BOX, *sorted((wanted - Counter(_BOX)).elements()))
        return tuple(Figure((piece_of(code), wreck_of(code))) for code in codes)

    def placement(self, position: GameState) -> Placement:
        """The tanks and wrecks with their cells; obstacles belong to the board."""
        tanks = [(tank >> 7, piece_of(tank)) for tank in position.tanks]
        return Placement.of([*tanks, *((wreck >> 4, wreck_of(wreck)) for wreck in position.wrecks)])

    def steps(self, position: GameState, move: Move) -> tuple[Step, ...]:
        """The mover's step, then that of the destroyed piece, laid on its side."""
        source, state, victim = unpack(move)
        hit = None if victim < 0 else _tank_on(position, victim)
        return _steps(_tank_on(position, source), state, hit)

    def adopt(self, placement: Placement, turn: Side, before: GameState) -> GameState | InvalidPosition:
        """The position with *placement* and *turn* to move.

        Facings that are not seen are taken from *before*.
        """
        facings = {tank >> 7: tank >> 4 & 7 for tank in before.tanks}
        tanks: list[Tank] = []
        wrecks: list[Wreck] = []
        reasons = []
        for piece, cells in placement.entries:
            seen = self._facing(piece, cells[0], facings)
            code = pack(seen, cells[0]) if len(cells) == 1 else None
            name = self.grid.name(cells[0])
            if code is None:
                reasons.append(Violation.of("piece-unknown", *cells, piece=piece, cell=name))
            elif self.terrain.obstacles >> cells[0] & 1:
                rule = "off-board" if cells[0] in self.grid.border else "obstacle"
                reasons.append(Violation.of(rule, *cells, piece=piece, target=name))
            else:
                (wrecks if seen.pose == WRECK else tanks).append(code)
        reasons += [
            Violation.of("command-tank-count", side=self.sides[side])
            for side in (0, 1)
            if sum(tank & 15 == side << 3 | COMMAND for tank in tanks) != 1
        ]
        return (
            InvalidPosition(tuple(reasons))
            if reasons
            else GameState(turn, tuple(sorted(tanks)), tuple(sorted(wrecks)))
        )

    @staticmethod
    def _facing(piece: Piece, cell: Cell, facings: Mapping[Cell, int]) -> Piece:
        """*piece* with the facing that a tank on *cell* had, if its own is unknown.

        A wreck has no facing.
        """
        if piece.pose == WRECK:
            return Piece(piece.kind, piece.side, None, WRECK)
        return piece if piece.facing is not None else Piece(piece.kind, piece.side, facings.get(cell))

    def explain(self, position: GameState, difference: Difference) -> Violation:
        """The rule that *difference* breaks."""
        return explain(self, position, difference)

    def key(self, position: GameState) -> Hashable:
        """A value equal for repeated positions: tanks with facings, and cells of wrecks."""
        return position.turn, position.tanks, tuple(wreck >> 4 for wreck in position.wrecks)


def _tank_on(position: GameState, cell: Cell) -> Tank:
    """The tank that stands on *cell*."""
    return position.tanks[bisect_left(position.tanks, cell << 7)]


@lru_cache(maxsize=4096)  # 2 MB; most moves are legal in several positions in turn
def _steps(mover: Tank, state: State, hit: Tank | None) -> tuple[Step, ...]:
    """The steps of a move to *state*, after which *hit* is a wreck."""
    piece, source = piece_of(mover), mover >> 7
    if state == AWAY:
        return (Step.remove(piece, source),)
    moved = Step(piece, (source,), (state >> 3,), piece_of(state << 4 | mover & 15))
    if hit is None:
        return (moved,)
    victim = hit >> 7
    return moved, Step(piece_of(hit), (victim,), (victim,), wreck_of(hit))


class _TankChess:
    """The game's description and its rules."""

    slug = "tank-chess"
    title = "Tank Chess"
    source = "Forsage Games, Tank Chess rules"
    needs = SensorKind.IDENTITY_FACING
    options = (
        Option(
            "map",
            ("basic-16", "companion-20", "file"),
            "the board: printed, our own with 20 files, or a map file",
            spelled=".*[;\n].*",
        ),
        Option(
            "repetition", ("none", "threefold-draw"), "is a position that comes for the third time a draw?"
        ),
        Option(
            "clock", ("none", "30", "45", "number"), "minutes a side; 30 are advised on 16 files, 45 on 20"
        ),
    )
    # it may turn on its space first, and has five steps ahead where reversing has one
    retired = (
        RetiredOption(
            "escape_in_reverse", Phrase("a Command Tank that could reverse out can also turn and drive out")
        ),
    )

    def rules(self, options: Mapping[str, str] | None = None) -> TankChessRules:
        """The rules under *options*. Raises `OptionError`, `SettingsError`.

        A map from a file is kept with them in full.
        """
        chosen = choose(self.options, options or {}, self.retired)
        board = find_map(chosen["map"])
        if not self.options[0].is_named(chosen["map"]):
            chosen["map"] = to_line(board)
        return TankChessRules(chosen, board, _terrain(board.grid, board.obstacles, board.border))


_terrain: Final = lru_cache(maxsize=4)(Terrain.of)
"""Keeps the tables of the last boards, which are asked for many times."""

GAME: Final = _TankChess()
