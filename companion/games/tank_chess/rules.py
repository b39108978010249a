# SPDX-License-Identifier: Apache-2.0
"""Moving, shooting, escaping, and what threatens: the part of Tank Chess that must be fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from companion.games.tank_chess.maps import Map
from companion.games.tank_chess.pieces import COMMAND, KINDS, PIERCES, State, Tank, Wreck
from companion.games.tank_chess.terrain import Terrain
from companion.model.game import Announcement, CallOut, Outcome
from companion.model.grid import OFF, Cell
from companion.model.occupancy import Occupancy, cells_of
from companion.model.pieces import Side

Move: TypeAlias = int
"""source << 23 | state at the end << 10 | cell of the destroyed piece + 1, or 0."""

AWAY: Final = (1 << 13) - 1
"""The state of a Command Tank that has left the board."""
MOST_THREATS: Final = 4096
"""Threats that are kept before all are forgotten: less than 1 MB."""
_EMPTY: Final = -2
_WRECK: Final = -1


class GameState(NamedTuple):
    """A position: every tank and wreck on the board; a Command Tank that is neither has left it."""

    turn: Side
    tanks: tuple[Tank, ...]
    """In rising order, so by cell."""
    wrecks: tuple[Wreck, ...]
    """In rising order."""


class Field(NamedTuple):
    """A position laid out for looking up."""

    board: list[int]
    """By cell: the tank there, or one of two negative numbers for a wreck and for nothing."""
    closed: bytearray
    """By state: 1 if something stands there."""
    enemies: int
    """Occupancy of the tanks that do not shoot."""
    occupied: Occupancy
    """All tanks and wrecks."""
    commands: tuple[Tank, Tank]
    """The Command Tank of each side, or OFF."""


def unpack(move: Move) -> tuple[Cell, State, Cell]:
    """Source, state at the end, and the cell of the destroyed piece or OFF."""
    return move >> 23, move >> 10 & AWAY, (move & 1023) - 1


class TankCombat:
    """Tank Chess on one map: which moves there are and what they do."""

    slug = "tank-chess"
    sides = ("white", "black")
    allows_take_back = True

    def __init__(self, options: Mapping[str, str], chosen: Map, terrain: Terrain) -> None:
        self.options: Mapping[str, str] = MappingProxyType(dict(options))
        self.map = chosen
        self.grid = replace(chosen.grid, obstacles=tuple(cells_of(chosen.obstacles)))
        self.terrain = terrain
        self._start = GameState(0, chosen.tanks, ())
        self._threats: dict[tuple[Tank, Tank, Occupancy], bool] = {}

    def initial(self) -> GameState:
        """Both forces as the map has them, White to move."""
        return self._start

    # moving and shooting

    def legal_moves(self, position: GameState) -> list[Move]:
        """All lawful moves, by rising source, then target and facing, then victim."""
        return self._moves_of(position.tanks, self.lay_out(position, position.turn), position.turn)

    def moves_touching(self, position: GameState, cells: Occupancy) -> list[Move]:
        """The legal moves whose mover or victim stands on one of *cells*, or comes to one, in their order."""
        field = self.lay_out(position, position.turn)
        free = cells & ~field.occupied
        tanks = [
            tank
            for tank in position.tanks
            if cells & field.enemies or cells >> (tank >> 7) & 1 or self._may_come_to(tank, free)
        ]
        return [
            move
            for move in self._moves_of(tanks, field, position.turn)
            if cells >> (move >> 23) & 1
            or cells >> (move >> 13 & 1023) & 1
            or cells << 1 >> (move & 1023) & 1
        ]

    def _moves_of(self, tanks: Sequence[Tank], field: Field, turn: Side) -> list[Move]:
        """The lawful moves of those of *tanks* on *field* whose *turn* it is, in their order."""
        if OFF in field.commands:
            return []
        moves: list[Move] = []
        side = turn << 3
        for tank in tanks:
            if tank & 8 == side:
                self._add_moves(field, tank, moves)
        moves.sort()
        return moves

    def _may_come_to(self, tank: Tank, cells: Occupancy) -> bool:
        """True if *tank* stands no further from one of *cells* than it may go."""
        files, steps = self.grid.files, KINDS[tank & 7].steps
        rank, file = divmod(tank >> 7, files)
        return any(
            abs(cell // files - rank) <= steps and abs(cell % files - file) <= steps
            for cell in cells_of(cells)
        )

    def _add_moves(self, field: Field, tank: Tank, moves: list[Move]) -> None:
        """Append the moves of *tank*, in no order."""
        source, kind = tank >> 7, tank & 7
        base = source << 23
        sights, enemies = self.terrain.sights[kind], field.enemies
        for state in self.reach(field, tank):
            move = base | state << 10
            moves.append(move)
            if sights[state] & enemies:
                for victim in self.victims(field, tank, state):
                    moves.append(move | victim + 1)
        if kind == COMMAND and self.doors(field, tank):
            moves.append(base | AWAY << 10)

    def reach(self, field: Field, tank: Tank) -> list[State]:
        """Where *tank* can end: after as many steps as it has, or after reversing; never as it is."""
        found = self.walk(field, tank, KINDS[tank & 7].steps)
        back = self.terrain.backs[tank >> 4]
        if back != OFF and not field.closed[back]:  # no way ahead ends there in so few steps
            found.append(back)
        return found

    def walk(self, field: Field, tank: Tank, limit: int) -> list[State]:
        """Where *tank* can be after 1 to *limit* steps ahead and turns, nearest first."""
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
        """What *tank* can destroy from *state*: the first piece in each direction of its arc, if it pierces it."""
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
        """True if a shot travelling in *direction* destroys what it hits: an enemy whose armour there is too thin."""
        if target < 0 or (shooter ^ target) & 8 == 0:
            return False
        return PIERCES[shooter & 7][target & 7][direction - (target >> 4) & 7]

    def doors(self, field: Field, command: Tank) -> set[Cell]:
        """The cells from which *command* can leave the board in this turn."""
        side, start, limit = command >> 3 & 1, command >> 4, KINDS[COMMAND].steps - 1  # leaving is a step too
        rank = (start >> 3) // self.grid.files
        if (self.grid.ranks - 1 - rank if side == 0 else rank) > limit:
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
        """*position* for looking up, with *shooter*'s enemies marked."""
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

    # the end, and what threatens

    def status(self, position: GameState) -> Outcome | None:
        """How the game has ended, or None: a side always has a move, since turning in place needs no room."""
        standing = {tank & 15 for tank in position.tanks}
        for side in (0, 1):
            command = side << 3 | COMMAND
            if command not in standing:
                if any(wreck & 15 == command for wreck in position.wrecks):
                    return Outcome((1 - side,), "command-tank-destroyed")
                return Outcome((side,), "command-tank-escaped")
        return None

    def announcements(self, position: GameState) -> tuple[Announcement, ...]:
        """CHECK! if the side that has just moved could destroy the Command Tank, ESCAPE! if its own could leave."""
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
        """True if *tank* could move and then destroy *target*; kept, since moves that are written together leave most as it is."""
        key = (tank, target, field.occupied)
        found = self._threats.get(key)
        if found is None:
            if len(self._threats) == MOST_THREATS:
                self._threats.clear()
            aims = self._aims(field, tank, target)
            found = self._threats[key] = bool(aims) and not aims.isdisjoint(self.reach(field, tank))
        return found

    def _aims(self, field: Field, tank: Tank, target: Tank) -> set[State]:
        """The states in which *tank* would destroy *target*: found by going back along the lines of fire."""
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
