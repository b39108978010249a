# SPDX-License-Identifier: Apache-2.0
"""Tank Chess: tanks by their worth, the way of the Command Tank, and ground gained.

Source of kinds and aims: Forsage Games, *Tank Chess* rules, tables 1 to 3. The terms and weights
are our own; `tests/tools/tune.py` can tune them.
A side has some five hundred moves. Where a tank can go depends only on the cells around it, so its
moves are kept; the tests compare them with those of the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple, cast

from companion.games.tank_chess import TankChessRules
from companion.games.tank_chess.pieces import COMMAND, KINDS, WRECK, State, Tank, piece_of
from companion.games.tank_chess.rules import AWAY, Field, GameState, Move
from companion.model.game import Rules
from companion.model.grid import OFF, Cell
from companion.model.occupancy import Occupancy
from companion.model.pieces import Piece, Side
from companion.opponent.knowledge import Knowledge, Taken

_LIGHT, _MEDIUM, _HEAVY, _, _DESTROYER, _MORTAR = range(6)
_LEAVES, _KILLS = 90, 60
_MOST_REACHES: Final = 50_000


class _Reach(NamedTuple):
    """Where a tank can go."""

    moves: tuple[Move, ...]
    states: tuple[State, ...]
    sights: Occupancy
    """Cells that it could hit from there, if nothing were in between."""


class TankKnowledge(Knowledge[GameState, Move]):
    """Moves, values and order."""

    weights = MappingProxyType(
        {
            "light": 100,
            "medium": 160,
            "heavy": 240,
            "destroyer": 220,
            "mortar": 220,
            "command_rank": 3,
            "ground": 3,
            "turn": 10,
        }
    )
    margin = 120
    claim_plies = gain_plies = 0

    def __init__(self, rules: Rules[GameState, Move], weights: Mapping[str, int] | None = None) -> None:
        super().__init__(rules, weights)
        self._tanks = cast(TankChessRules, rules)
        self._files, self._ranks = rules.grid.files, rules.grid.ranks
        weight = self.weight
        kinds = {
            _LIGHT: weight["light"],
            _MEDIUM: weight["medium"],
            _HEAVY: weight["heavy"],
            _DESTROYER: weight["destroyer"],
            _MORTAR: weight["mortar"],
            COMMAND: 0,
        }
        self._worth = tuple(kinds.get(kind, 0) for kind in range(8))
        self._near = tuple(
            tuple(self._around(cell, kind.steps) for cell in range(len(rules.grid))) for kind in KINDS
        )
        self._reaches: dict[tuple[int, Occupancy], _Reach] = {}
        self._places: dict[Tank, int] = {}

    def _around(self, cell: int, steps: int) -> Occupancy:
        """The cells around *cell* that a tank may enter in *steps*."""
        rank, file = divmod(cell, self._files)
        row = sum(1 << each for each in range(max(file - steps, 0), min(file + steps, self._files - 1) + 1))
        rows = range(max(rank - steps, 0), min(rank + steps, self._ranks - 1) + 1)
        return sum(row << each * self._files for each in rows) & ~(1 << cell)

    # moves

    def moves(self, position: GameState) -> Sequence[Move]:
        """All legal moves, in no particular order."""
        return self._listed(position, is_noisy=False)

    def _listed(self, position: GameState, *, is_noisy: bool) -> Sequence[Move]:
        """The legal moves, or only those that destroy or leave the board."""
        field = self._tanks.lay_out(position, position.turn)
        if OFF in field.commands:
            return []
        moves: list[Move] = []
        for tank in position.tanks:
            if tank >> 3 & 1 == position.turn:
                reach = self._reach(field, tank)
                if not is_noisy:
                    moves += reach.moves
                self._add_shots(moves, field, tank, reach)
                if tank & 7 == COMMAND and self._tanks.doors(field, tank):
                    moves.append(tank >> 7 << 23 | AWAY << 10)
        return moves

    def noisy(self, position: GameState, least: int = 0) -> Sequence[Move]:
        """Shots that destroy, one for each victim and tank; and leaving the board."""
        field = self._tanks.lay_out(position, position.turn)
        moves: list[Move] = []
        for tank in position.tanks:
            if tank >> 3 & 1 != position.turn:
                continue
            reach = self._reach(field, tank)
            if reach.sights & field.enemies:
                shots: list[Move] = []
                self._add_shots(shots, field, tank, reach)
                moves += {move & 1023: move for move in shots}.values()
            if tank & 7 == COMMAND and self._tanks.doors(field, tank):
                moves.append(tank >> 7 << 23 | AWAY << 10)
        return moves

    def finishing(self, position: GameState) -> Sequence[Move]:
        """Shots at the enemy Command Tank, and leaving with the own one.

        Nothing else wins: a side always has a move.
        """
        field = self._tanks.lay_out(position, position.turn)
        if OFF in field.commands:
            return []
        target = field.commands[1 - position.turn] >> 7
        moves: list[Move] = []
        for tank in position.tanks:
            if tank >> 3 & 1 != position.turn:
                continue
            reach = self._reach(field, tank)
            if reach.sights >> target & 1:
                shots: list[Move] = []
                self._add_shots(shots, field, tank, reach)
                moves += (move for move in shots if move & 1023 == target + 1)
            if tank & 7 == COMMAND and self._tanks.doors(field, tank):
                moves.append(tank >> 7 << 23 | AWAY << 10)
        return moves

    def _reach(self, field: Field, tank: Tank) -> _Reach:
        """Where *tank* can go, which depends on the cells near it only."""
        kind, cell = tank & 7, tank >> 7
        key = (tank & ~8, field.occupied & self._near[kind][cell])
        found = self._reaches.get(key)
        if found is None:
            if len(self._reaches) >= _MOST_REACHES:
                self._reaches.clear()
            states = tuple(self._tanks.reach(field, tank))
            by_state = self._tanks.terrain.sights[kind]
            sights = 0
            for state in states:
                sights |= by_state[state]
            moves = tuple(cell << 23 | state << 10 for state in states)
            found = self._reaches[key] = _Reach(moves, states, sights)
        return found

    def _add_shots(self, moves: list[Move], field: Field, tank: Tank, reach: _Reach) -> None:
        """Append the moves of *tank* that destroy a piece."""
        if not reach.sights & field.enemies:
            return
        by_state, enemies = self._tanks.terrain.sights[tank & 7], field.enemies
        for move, state in zip(reach.moves, reach.states, strict=True):
            if by_state[state] & enemies:
                moves += [move | victim + 1 for victim in self._tanks.victims(field, tank, state)]

    def null_move(self, position: GameState) -> GameState | None:
        """The other side to move."""
        return position._replace(turn=1 - position.turn)

    def capturing(self, position: GameState) -> Sequence[Move]:
        """All shots that destroy, from wherever they are fired, and leaving the board."""
        return self._listed(position, is_noisy=True)

    def worth_of(self, piece: Piece) -> int:
        """The worth of a tank that can fight."""
        kind = next((number for number, kind in enumerate(KINDS) if kind.slug == piece.kind), COMMAND)
        return 0 if piece.pose == WRECK else self._worth[kind]

    def taken(self, position: GameState, move: Move) -> Sequence[Taken]:
        """The destroyed tank, which stays as a wreck."""
        victim = (move & 1023) - 1
        found = [piece_of(tank) for tank in position.tanks if tank >> 7 == victim]
        return [Taken(piece, piece.side or 0, (victim,)) for piece in found if self.worth_of(piece)]

    def swing(self, position: GameState, move: Move, party: Sequence[Side]) -> int:
        """The worth of the destroyed tank."""
        victim = (move & 1023) - 1
        kind = next((tank & 7 for tank in position.tanks if tank >> 7 == victim), COMMAND)
        return self._worth[kind] if position.turn in party else -self._worth[kind]

    def reached(self, position: GameState, move: Move) -> tuple[Cell, ...]:
        """The cell at the edge from which the Command Tank can leave."""
        source, state = move >> 23, move >> 10 & AWAY
        is_command = any(tank >> 7 == source and tank & 7 == COMMAND for tank in position.tanks)
        return (state >> 3,) if is_command and state in self._tanks.terrain.exits[position.turn] else ()

    def ranks(self, position: GameState, moves: Sequence[Move]) -> list[int]:
        """Leaving, shots by the victim's worth, then moves that bring a target into sight."""
        tanks = {tank >> 7: tank for tank in position.tanks}
        sights, worth = self._tanks.terrain.sights, self._worth
        enemy = 1 - position.turn
        targets = sum(1 << (tank >> 7) for tank in position.tanks if tank >> 3 & 1 == enemy)
        command = sum(1 << (tank >> 7) for tank in position.tanks if tank & 15 == enemy << 3 | COMMAND)
        ranks = []
        for move in moves:
            victim, source = move & 1023, move >> 23
            state = move >> 10 & AWAY
            if state == AWAY:
                ranks.append(_LEAVES)
            elif victim:
                kind = tanks[victim - 1] & 7
                ranks.append(_KILLS if kind == COMMAND else 5 + worth[kind] // 10)
            else:
                seen = sights[tanks[source] & 7][state]
                ranks.append(0 if seen & command else -1 if seen & targets else -2)
        return ranks

    def most_quiet(self, depth: int) -> int | None:
        """Few of five hundred, but for the first plies."""
        return {1: 8, 2: 14, 3: 30, 4: 60}.get(depth, 120)

    # values

    def decided(self, position: GameState) -> tuple[Side, ...] | None:
        """The side that has destroyed the enemy Command Tank, or has left with its own."""
        commands = [tank for tank in position.tanks if tank & 7 == COMMAND]
        return None if len(commands) == 2 else self.winners(position)

    def value(self, position: GameState, side: Side) -> int:
        """The worth of all tanks, each on its cell."""
        places, value = self._places, 0
        for tank in position.tanks:
            found = places.get(tank)
            if found is None:
                found = places[tank] = self._place(tank)
            value += found
        value += -self.weight["turn"] if position.turn else self.weight["turn"]
        return -value if side else value

    def _place(self, tank: Tank) -> int:
        """The value of *tank* for White: its kind, and the ground that it has gained."""
        side, kind, rank = tank >> 3 & 1, tank & 7, (tank >> 7) // self._files
        gone = self._ranks - 1 - rank if side else rank
        if kind == COMMAND:
            half = self._ranks // 2
            value = self.weight["command_rank"] * max(gone - half, 0) ** 2 // 2
        else:
            value = self._worth[kind] + self.weight["ground"] * min(gone, self._ranks // 2)
        return -value if side else value


def knowledge(
    rules: Rules[GameState, Move], weights: Mapping[str, int] | None = None
) -> Knowledge[GameState, Move]:
    """The knowledge of Tank Chess under *rules*."""
    return TankKnowledge(rules, weights)
