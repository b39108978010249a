# SPDX-License-Identifier: Apache-2.0
"""Moves, shots, escapes and threats: the time-critical part of Tank Chess."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from companion.games.tank_chess.maps import Map
from companion.games.tank_chess.pieces import COMMAND, KINDS, PIERCES, State, Tank, Wreck
from companion.games.tank_chess.terrain import Terrain
from companion.model.game import Announcement, CallOut, Outcome
from companion.model.grid import OFF, Cell, Grid
from companion.model.occupancy import Occupancy, cells_of
from companion.model.pieces import Side

Move: TypeAlias = int
"""Bits of a move: source << 23, final state << 10, victim.

The victim is the cell of the destroyed piece + 1, or 0.
"""

AWAY: Final = (1 << 13) - 1
"""The state of a Command Tank that has left the board."""
MOST_THREATS: Final = 4096
"""Size of the cache of threats, less than 1 MB; a full cache is emptied."""
MOST_ENDS: Final = 2048
"""Size of the cache of moves without shots, 8 MB; the same."""
_EMPTY: Final = -2
_WRECK: Final = -1


class GameState(NamedTuple):
    """A position: every tank and wreck on the board.

    A Command Tank that is neither has left the board.
    """

    turn: Side
    tanks: tuple[Tank, ...]
    """In rising order, so by cell."""
    wrecks: tuple[Wreck, ...]
    """In rising order."""


class Field(NamedTuple):
    """A position as lookup tables."""

    board: list[int]
    """By cell: the tank there, or a negative number for a wreck or nothing."""
    closed: bytearray
    """By state: 1 if its cell is occupied."""
    enemies: int
    """Occupancy of the tanks that do not shoot."""
    occupied: Occupancy
    """All tanks and wrecks."""
    commands: tuple[Tank, Tank]
    """The Command Tank of each side, or OFF."""


def unpack(move: Move) -> tuple[Cell, State, Cell]:
    """Source, final state, and the cell of the destroyed piece or OFF."""
    return move >> 23, move >> 10 & AWAY, (move & 1023) - 1


@lru_cache(maxsize=64)
def _grid(grid: Grid, obstacles: Occupancy, border: Occupancy) -> Grid:
    """*grid* with *obstacles*, also those of its *border*."""
    return replace(grid, obstacles=tuple(cells_of(obstacles)), border=tuple(cells_of(border)))


class TankCombat:
    """Tank Chess on one map: its moves and their effects."""

    slug = "tank-chess"
    sides = ("white", "black")
    allows_take_back = True

    def __init__(self, options: Mapping[str, str], chosen: Map, terrain: Terrain) -> None:
        self.options: Mapping[str, str] = MappingProxyType(dict(options))
        self.map = chosen
        self.grid = _grid(chosen.grid, chosen.obstacles | chosen.border, chosen.border)
        self.terrain = terrain
        self._start = GameState(0, chosen.tanks, ())
        self._threats: dict[tuple[Tank, Tank, Occupancy], bool] = {}
        self._known: dict[tuple[Tank, Occupancy, Occupancy], tuple[dict[Cell, list[Move]], list[Move]]] = {}

    def initial(self) -> GameState:
        """Both forces as on the map, White to move."""
        return self._start

    def is_local(self) -> None:
        """Moves and shots depend on no other tank's facing but that of the target."""

    # moves and shots

    def legal_moves(self, position: GameState) -> list[Move]:
        """All legal moves, by rising source, then target and facing, then victim."""
        field, moves = self.lay_out(position, position.turn), list[Move]()
        for tank in self._movers(position.tanks, field, position.turn):
            self._add_moves(field, tank, moves)
        moves.sort()
        return moves

    def moves_touching(self, position: GameState, cells: Occupancy) -> list[Move]:
        """The legal moves whose mover or victim is on, or comes to, one of *cells*.

        In the order of `legal_moves`.
        """
        field = self.lay_out(position, position.turn)
        free, is_shot_at, moves = cells & ~field.occupied, bool(cells & field.enemies), list[Move]()
        for tank in self._movers(position.tanks, field, position.turn):
            if cells >> (tank >> 7) & 1:
                self._add_moves(field, tank, moves)
            elif is_shot_at or self._may_come_to(tank, free):
                self._add_moves(field, tank, moves, cells)
        moves.sort()
        return moves

    def _movers(self, tanks: Sequence[Tank], field: Field, turn: Side) -> Sequence[Tank]:
        """Those of *tanks* whose *turn* it is; none once a Command Tank is gone."""
        side = turn << 3
        return () if OFF in field.commands else [tank for tank in tanks if tank & 8 == side]

    def _may_come_to(self, tank: Tank, cells: Occupancy) -> bool:
        """True if *tank* is no further from one of *cells* than it may go."""
        files, steps = self.grid.files, KINDS[tank & 7].steps
        rank, file = divmod(tank >> 7, files)
        return any(
            abs(cell // files - rank) <= steps and abs(cell % files - file) <= steps
            for cell in cells_of(cells)
        )

    def _add_moves(self, field: Field, tank: Tank, moves: list[Move], cells: Occupancy = -1) -> None:
        """Append the moves of *tank* that come to, or shoot at, one of *cells*, unordered."""
        ends, aiming = self._ends(field, tank)
        near = ends if cells < 0 else [cell for cell in cells_of(cells & ~field.occupied) if cell in ends]
        for cell in near:
            moves += ends[cell]
        shot = cells & field.enemies
        for move in (
            aiming if shot else [each for cell in near for each in aiming if each >> 13 & 1023 == cell]
        ):
            comes = cells >> (move >> 13 & 1023) & 1
            victims = self.victims(field, tank, move >> 10 & AWAY)
            moves += [move | victim + 1 for victim in victims if comes or shot >> victim & 1]
        if tank & 7 == COMMAND and cells >> (tank >> 7) & 1 and self.doors(field, tank):
            moves.append(tank >> 7 << 23 | AWAY << 10)

    def _ends(self, field: Field, tank: Tank) -> tuple[dict[Cell, list[Move]], list[Move]]:
        """The quiet moves of *tank* by cell, and those after which it sees an enemy."""
        key = tank, field.occupied, field.enemies
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MOST_ENDS:
                self._known.clear()
            sights, base = self.terrain.sights[tank & 7], tank >> 7 << 23
            ends, aiming = dict[Cell, list[Move]](), list[Move]()
            for state in self.reach(field, tank):
                ends.setdefault(state >> 3, []).append(base | state << 10)
                if sights[state] & field.enemies:
                    aiming.append(base | state << 10)
            found = self._known[key] = ends, aiming
        return found

    def reach(self, field: Field, tank: Tank) -> list[State]:
        """The states in which *tank* can end, forwards or in reverse; never its present one."""
        found = self.walk(field, tank, KINDS[tank & 7].steps)
        back = self.terrain.backs[tank >> 4]
        if back != OFF and not field.closed[back]:  # no path ahead ends there in so few steps
            found.append(back)
        return found

    def walk(self, field: Field, tank: Tank, limit: int) -> list[State]:
        """The states of *tank* after 1 to *limit* steps ahead and turns, nearest first."""
        closed = field.closed.copy()
        start = tank >> 4
        closed[start & ~7 : (start & ~7) + 8] = bytes(8)
        closed[start] = 1
        steps = self.terrain.steps
        found: list[State] = []
        edge = [start]
        for _ in range(limit):
            reached = []
            for state in edge:
                for following in steps[state]:
                    if not closed[following]:
                        closed[following] = 1
                        reached.append(following)
            found += reached
            edge = reached
        return found

    def victims(self, field: Field, tank: Tank, state: State) -> list[Cell]:
        """The cells of pieces that *tank* can destroy from *state*.

        The first piece in each direction of its arc, if the gun pierces it.
        """
        source, kind = tank >> 7, KINDS[tank & 7]
        lines, board = self.terrain.lines(kind), field.board
        found = []
        for turn in kind.arc:
            direction = state + turn & 7
            for distance, cell in enumerate(lines[direction][state >> 3]):
                if board[cell] == _EMPTY or cell == source:
                    continue
                if (distance or kind.is_mortar) and self.destroys(tank, board[cell], direction):
                    found.append(cell)
                if not kind.is_mortar:
                    break
        return found

    @staticmethod
    def destroys(shooter: Tank, target: Tank | int, direction: int) -> bool:
        """True if a shot in *direction* destroys its target: an enemy with too thin armour."""
        if target < 0 or (shooter ^ target) & 8 == 0:
            return False
        return PIERCES[shooter & 7][target & 7][direction - (target >> 4) & 7]

    def doors(self, field: Field, command: Tank) -> set[Cell]:
        """The cells from which *command* can leave the board in this turn."""
        side, start, limit = (
            command >> 3 & 1,
            command >> 4,
            KINDS[COMMAND].steps - 1,
        )  # leaving is a step, too
        rank = (start >> 3) // self.grid.files
        if self.terrain.ways_out[side][rank] > limit:
            return set()
        on_the_way = {start, *self.walk(field, command, limit)}
        return {state >> 3 for state in self.terrain.exits[side] & on_the_way}

    def apply(self, position: GameState, move: Move) -> GameState:
        """The position after *move*."""
        source, state, victim = unpack(move)
        tanks, wrecks = [], position.wrecks
        for tank in position.tanks:
            cell = tank >> 7
            if cell == source:
                if state != AWAY:
                    tanks.append(state << 4 | tank & 15)
            elif cell == victim:
                wrecks = tuple(sorted((*wrecks, cell << 4 | tank & 15)))
            else:
                tanks.append(tank)
        tanks.sort()
        return GameState(1 - position.turn, tuple(tanks), wrecks)

    def lay_out(self, position: GameState, shooter: Side) -> Field:
        """*position* as lookup tables, with *shooter*'s enemies marked."""
        cells = len(self.grid)
        board, closed = [_EMPTY] * cells, bytearray(cells * 8)
        full = b"\x01" * 8
        enemies = occupied = 0
        commands = [OFF, OFF]
        for tank in position.tanks:
            cell = tank >> 7
            occupied |= 1 << cell
            board[cell] = tank
            closed[cell << 3 : (cell << 3) + 8] = full
            if tank >> 3 & 1 != shooter:
                enemies |= 1 << cell
            if tank & 7 == COMMAND:
                commands[tank >> 3 & 1] = tank
        for wreck in position.wrecks:
            cell = wreck >> 4
            occupied |= 1 << cell
            board[cell] = _WRECK
            closed[cell << 3 : (cell << 3) + 8] = full
        return Field(board, closed, enemies, occupied, (commands[0], commands[1]))

    # outcome and threats

    def status(self, position: GameState) -> Outcome | None:
        """The outcome, or None.

        A side always has a move, since a turn needs no space.
        """
        standing = {tank & 15 for tank in position.tanks}
        for side in (0, 1):
            command = side << 3 | COMMAND
            if command not in standing:
                if any(wreck & 15 == command for wreck in position.wrecks):
                    return Outcome((1 - side,), "command-tank-destroyed")
                return Outcome((side,), "command-tank-escaped")
        return None

    def announcements(self, position: GameState) -> tuple[Announcement, ...]:
        """CHECK! if the Command Tank could be destroyed, ESCAPE! if the own one could leave.

        Both by the side that has just moved, on its next turn.
        """
        mover = 1 - position.turn
        field = self.lay_out(position, mover)
        if OFF in field.commands:
            return ()
        found = []
        target, own = field.commands[position.turn], field.commands[mover]
        causes = tuple(
            tank >> 7
            for tank in position.tanks
            if tank >> 3 & 1 == mover and self._threatens(field, tank, target)
        )
        if causes:
            found.append(Announcement(CallOut.CHECK, mover, causes, (target >> 7,)))
        if doors := self.doors(field, own):
            found.append(Announcement(CallOut.ESCAPE, mover, (own >> 7,), tuple(sorted(doors))))
        return tuple(found)

    def _threatens(self, field: Field, tank: Tank, target: Tank) -> bool:
        """True if *tank* could move and then destroy *target*.

        Cached, since consecutive moves leave most threats unchanged.
        """
        key = (tank, target, field.occupied)
        found = self._threats.get(key)
        if found is None:
            if len(self._threats) == MOST_THREATS:
                self._threats.clear()
            aims = self._aims(field, tank, target)
            found = self._threats[key] = bool(aims) and not aims.isdisjoint(self.reach(field, tank))
        return found

    def _aims(self, field: Field, tank: Tank, target: Tank) -> set[State]:
        """The states in which *tank* would destroy *target*.

        They are found backwards along the lines of fire.
        """
        source, kind, board = tank >> 7, KINDS[tank & 7], field.board
        lines = self.terrain.lines(kind)
        aims: set[State] = set()
        for direction in range(8):
            if not self.destroys(tank, target, direction):
                continue
            for distance, cell in enumerate(lines[direction ^ 4][target >> 7]):
                if board[cell] != _EMPTY and cell != source:
                    if kind.is_mortar:
                        continue
                    break
                if distance or kind.is_mortar:
                    aims.update(cell << 3 | direction - turn & 7 for turn in kind.arc)
        return aims
