# SPDX-License-Identifier: Apache-2.0
"""Fightopia: tanks and their ranks, pawns, and the giants' way to the far rank.

Source of the aims: Cheapass Games, *Fightopia*, 2004: a giant that crosses the board wins, and so
does the side that kills all enemy tanks. The terms and weights are our own; `tests/tools/tune.py`
can tune them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from companion.games.fightopia.board import (
    AIMS,
    BIT,
    BLOCK,
    BLOCK_CELLS,
    EDGE,
    GIANT_WAYS,
    GOALS,
    GRID,
    KILL,
    MARCH,
    PAIR,
    PAIR_CELLS,
    SHOOT,
    Army,
    Battle,
    Move,
    covered,
    move_of,
    stances,
)
from companion.model.game import Rules
from companion.model.grid import Cell
from companion.model.occupancy import Occupancy, cells_of
from companion.model.pieces import Side
from companion.opponent.knowledge import Knowledge
from companion.opponent.ways import Way, shortest

_KILLED, _SHOT, _CROSSED = 30, 20, 40
_FAR: Final = 6
"""Ranks from a giant's first rank to its goal."""
_MOST_ARMIES: Final = 50_000


def _ahead(corner: int, side: Side) -> Occupancy:
    """The cells of the next two ranks before a giant, one file wider each way."""
    if not BLOCK[corner]:
        return 0
    rank, file = divmod(corner, 8)
    ranks = (rank + 2, rank + 3) if side == 0 else (rank - 1, rank - 2)
    files = range(max(file - 1, 0), min(file + 3, 8))
    return sum(1 << 8 * line + each for line in ranks if 0 <= line < 8 for each in files)


_AHEAD: Final = tuple(tuple(_ahead(corner, side) for corner in range(64)) for side in (0, 1))
_GONE: Final = tuple(
    tuple(sum(cell >> 3 if side == 0 else 7 - (cell >> 3) for cell in cells_of(pair)) for pair in PAIR)
    for side in (0, 1)
)
"""For each side and stance of a tank the ranks before both its cells."""


class FightopiaKnowledge(Knowledge[Battle, Move]):
    """Values and order of moves."""

    weights = MappingProxyType(
        {
            "tank": 500,
            "last_tank": 300,
            "tank_rank": 3,
            "pawn": 100,
            "giant_rank": 14,
            "giant_ways": 10,
            "blocked": 16,
            "aimed": 12,
            "turn": 10,
        }
    )
    margin = 150

    def __init__(self, rules: Rules[Battle, Move], weights: Mapping[str, int] | None = None) -> None:
        super().__init__(rules, weights)
        self._armies: dict[tuple[Side, Army], int] = {}

    def noisy(self, position: Battle, least: int = 0) -> Sequence[Move]:
        """Shots, kills, and a giant's step across."""
        turn, white, black = position
        own, enemy = (black, white) if turn else (white, black)
        occupied = covered(white) | covered(black)
        moves = [
            move
            for clear, move in GIANT_WAYS[own.giant]
            if BLOCK[move & 127] & GOALS[turn] and not clear & occupied
        ]
        shot = 0
        for stance in stances(own):
            line, met = AIMS[stance]
            shot |= met[occupied & line]
        edge = EDGE[own.giant]
        moves += [move_of(KILL, 0, stance) for stance in stances(enemy) if PAIR[stance] & edge]
        moves += [move_of(SHOOT, 0, cell) for cell in cells_of(shot & enemy.pawns)]
        return moves

    def way(self, position: Battle, move: Move) -> Way:
        """That of a shot is from the nearest tank that can fire it."""
        deed, target = move >> 14, move & 127
        if deed not in (SHOOT, KILL):
            return super().way(position, move)
        turn, white, black = position
        own = black if turn else white
        if deed == KILL:
            return shortest(GRID, BLOCK_CELLS[own.giant], PAIR_CELLS[target])
        occupied = covered(white) | covered(black)
        tanks = [
            cell
            for stance in stances(own)
            if AIMS[stance].met[occupied & AIMS[stance].line] & BIT[target]
            for cell in PAIR_CELLS[stance]
        ]
        return shortest(GRID, tanks, (target,))

    def is_threatened(self, position: Battle) -> bool:
        """True if the enemy giant could cross, or kill the last tank."""
        turn, white, black = position
        own, enemy = (black, white) if turn else (white, black)
        giant = enemy.giant
        if (giant >> 3) == (1 if turn == 0 else 5):  # one step from its goal
            occupied = covered(white) | covered(black)
            for clear, move in GIANT_WAYS[giant]:
                if BLOCK[move & 127] & GOALS[1 - turn] and not clear & occupied:
                    return True
        tanks = stances(own)
        return len(tanks) == 1 and bool(PAIR[tanks[0]] & EDGE[giant])

    def null_move(self, position: Battle) -> Battle | None:
        """The other side to move."""
        return position._replace(turn=1 - position.turn)

    def ranks(self, position: Battle, moves: Sequence[Move]) -> list[int]:
        """A giant's crossing, kills, shots; among quiet moves those of the giant first."""
        goal = GOALS[position.turn]
        ranks = []
        for move in moves:
            action = move >> 14
            if action == SHOOT:
                ranks.append(_SHOT)
            elif action == KILL:
                ranks.append(_KILLED)
            elif action == MARCH:
                ranks.append(_CROSSED if BLOCK[move & 127] & goal else 0)
            else:
                ranks.append(-1)
        return ranks

    def most_quiet(self, depth: int) -> int | None:
        """Few near the leaves."""
        return {1: 8, 2: 14}.get(depth)

    def reached(self, position: Battle, move: Move) -> tuple[Cell, ...]:
        """The cells of a giant on its goal rank."""
        is_goal = move >> 14 == MARCH and BLOCK[move & 127] & GOALS[position.turn]
        return BLOCK_CELLS[move & 127] if is_goal else ()

    def decided(self, position: Battle) -> tuple[Side, ...] | None:
        """The side whose giant has crossed, or that has killed all enemy tanks."""
        _, white, black = position
        if BLOCK[white.giant] & GOALS[0] or not black.standing | black.lying:
            return (0,)
        if BLOCK[black.giant] & GOALS[1] or not white.standing | white.lying:
            return (1,)
        return None

    def value(self, position: Battle, side: Side) -> int:
        """Armies, the giants' ways, and what is in the tanks' line of fire."""
        turn, white, black = position
        covered_white, covered_black = covered(white), covered(black)
        occupied = covered_white | covered_black
        value = (
            self._army(0, white)
            - self._army(1, black)
            + self._contact(0, white, black, covered_black, occupied)
            - self._contact(1, black, white, covered_white, occupied)
        )
        value += -self.weight["turn"] if turn else self.weight["turn"]
        return -value if side else value

    def _army(self, side: Side, army: Army) -> int:
        """The value of pieces and of the giant's advance."""
        key = (side, army)
        found = self._armies.get(key)
        if found is None:
            if len(self._armies) >= _MOST_ARMIES:
                self._armies.clear()
            weight, rank = self.weight, army.giant >> 3
            gone = rank if side == 0 else _FAR - rank
            tanks = stances(army)
            found = (
                weight["tank"] * len(tanks)
                - weight["last_tank"] * (len(tanks) == 1)
                + weight["tank_rank"] * sum(_GONE[side][stance] for stance in tanks)
                + weight["pawn"] * army.pawns.bit_count()
                + weight["giant_rank"] * gone * gone
            )
            self._armies[key] = found
        return found

    def _contact(self, side: Side, own: Army, enemy: Army, enemies: Occupancy, occupied: Occupancy) -> int:
        """The value of the giant's freedom and of aimed guns."""
        weight = self.weight
        ways = sum(1 for clear, _ in GIANT_WAYS[own.giant] if not clear & occupied)
        blocked = (_AHEAD[side][own.giant] & enemies).bit_count()
        aimed = 0
        for stance in stances(own):
            line, met = AIMS[stance]
            aimed += (met[occupied & line] & enemy.pawns).bit_count()
        return weight["giant_ways"] * ways - weight["blocked"] * blocked + weight["aimed"] * aimed


def knowledge(
    rules: Rules[Battle, Move], weights: Mapping[str, int] | None = None
) -> Knowledge[Battle, Move]:
    """The knowledge of Fightopia under *rules*."""
    return FightopiaKnowledge(rules, weights)
