# SPDX-License-Identifier: Apache-2.0
"""Martian Chess: points, and the pieces in each zone, for two to six players.

Source of the points: A. Looney, *How to Play Martian Chess*. A piece belongs to the zone that it is
in, so a capture scores for one side and loses the piece that made it. The terms are our own;
`tests/tools/tune.py` has tuned the weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, cast

from companion.games.martian_chess import MartianRules
from companion.games.martian_chess.rules import CALL, GameState, Move
from companion.model.game import Rules
from companion.model.grid import Cell
from companion.model.pieces import Piece, Side
from companion.opponent.knowledge import Knowledge, Taken

_POINT: Final = 100
_POINTS: Final = {"pawn": _POINT, "drone": 2 * _POINT, "queen": 3 * _POINT}


class MartianKnowledge(Knowledge[GameState, Move]):
    """Values and order of moves."""

    weights = MappingProxyType({"point": 100, "pawn": 8, "drone": 29, "queen": 38, "reserve": 12, "turn": 15})
    margin = 100

    def __init__(self, rules: Rules[GameState, Move], weights: Mapping[str, int] | None = None) -> None:
        super().__init__(rules, weights)
        self._martian = cast(MartianRules, rules)
        self.gain_plies = 4 if len(self.sides) == 2 else 2  # who captures, gives the piece away
        layout = self._martian.layout
        self._zones, self._zone_of = layout.zones, layout.zone_of
        self._kinds = (0, self.weight["pawn"], self.weight["drone"], self.weight["queen"])
        self._worths: dict[tuple[Side, bytes], int] = {}
        self._parties = tuple(
            tuple(other for other in self.sides if other == side or self._are_partners(side, other))
            for side in self.sides
        )

    def _are_partners(self, side: Side, other: Side) -> bool:
        return self._martian.has_teams and side % 2 == other % 2

    def party(self, side: Side) -> tuple[Side, ...]:
        """With teams, those in opposite corners."""
        return self._parties[side]

    def noisy(self, position: GameState, least: int = 0) -> Sequence[Move]:
        """Captures."""
        board, zone_of, turn = position.board, self._zone_of, position.turn
        return [
            move
            for move in self.rules.legal_moves(position)
            if move != CALL and board[move & 127] and zone_of[move & 127] != turn
        ]

    def capturing(self, position: GameState) -> Sequence[Move]:
        """Captures; all moves of a last piece, which may end the game."""
        zone = self._zones[position.turn]
        is_last = sum(1 for cell in zone if position.board[cell]) == 1
        return self.rules.legal_moves(position) if is_last else self.noisy(position)

    def worth_of(self, piece: Piece) -> int:
        """The points that its capture scores."""
        return _POINTS.get(piece.kind, 0)

    def swing(self, position: GameState, move: Move, party: Sequence[Side]) -> int:
        """The points of a capture; those that others take from one another do not count."""
        if move == CALL or not (code := position.board[move & 127]):
            return 0
        loser = self._zone_of[move & 127]
        if loser == position.turn:
            return 0  # a merger
        points = _POINT * (code & 3)
        return points if position.turn in party else -points if loser in party else 0

    def points(self, won: Iterable[Piece], lost: Iterable[Piece]) -> int:
        """The points that the captures of *won* score more than those of *lost*."""
        return (sum(map(self.worth_of, won)) - sum(map(self.worth_of, lost))) // _POINT

    def owner(self, position: GameState, piece: Piece, cells: tuple[Cell, ...]) -> Side:
        """The side of the zone in which *piece* is."""
        del position, piece
        return self._zone_of[cells[0]]

    def taken(self, position: GameState, move: Move) -> Sequence[Taken]:
        """The captured piece; none that merges."""
        return [each for each in super().taken(position, move) if each.owner != position.turn]

    def ranks(self, position: GameState, moves: Sequence[Move]) -> list[int]:
        """Captures by their points, the least valuable piece first; then mergers, then others."""
        board, zone_of, turn = position.board, self._zone_of, position.turn
        ranks = []
        for move in moves:
            target = move & 127
            if move == CALL:
                ranks.append(-3)
            elif zone_of[target] == turn:
                ranks.append(0 if board[target] else -1)
            elif board[target]:
                ranks.append(4 + 4 * (board[target] & 3) - (board[move >> 7] & 3))
            else:
                ranks.append(-2)  # gives the piece away
        return ranks

    def most_quiet(self, depth: int) -> int | None:
        """Few near the leaves."""
        return {1: 8, 2: 14}.get(depth)

    def decided(self, position: GameState) -> tuple[Side, ...] | None:
        """The winners by points, when a zone is empty or the game has stalled."""
        return self.winners(position) if self._martian.is_over(position) else None

    def value(self, position: GameState, side: Side) -> int:
        """The lead in points and pieces over the best other party."""
        totals = [
            self.weight["point"] * score + self._worth(other, position.board)
            for other, score in enumerate(position.scores)
        ]
        totals[position.turn] += self.weight["turn"]
        party = self._parties[side]
        own = sum(totals[each] for each in party)
        best = max(
            (
                sum(totals[each] for each in self._parties[other])
                for other in self.sides
                if other not in party and not position.out >> other & 1
            ),
            default=0,
        )
        return own - best

    def _worth(self, side: Side, board: bytes) -> int:
        """The value of the pieces in the zone of *side*."""
        zone = self._zones[side]
        pieces = board[zone[0] : zone[-1] + 1] if len(self._zones) != 4 else board
        key = (side, pieces)
        found = self._worths.get(key)
        if found is None:
            if len(self._worths) > 50_000:
                self._worths.clear()
            inside = [code & 3 for cell in zone if (code := board[cell])]
            found = sum(self._kinds[kind] for kind in inside) + self.weight["reserve"] * len(inside)
            self._worths[key] = found
        return found


def knowledge(
    rules: Rules[GameState, Move], weights: Mapping[str, int] | None = None
) -> Knowledge[GameState, Move]:
    """The knowledge of Martian Chess under *rules*."""
    return MartianKnowledge(rules, weights)
