# SPDX-License-Identifier: Apache-2.0
"""Moves, captures, mergers and outcomes: the time-critical part of Martian Chess."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from companion.games.martian_chess.zones import ZonedBoard
from companion.model.game import Announcement, Outcome
from companion.model.pieces import Side

PAWN, DRONE, QUEEN = 1, 2, 3
Code: TypeAlias = int
"""A piece: its kind, and `kind << 2` of the upper piece of a stack.

A kind is equal to its points.
"""

Move: TypeAlias = int
"""source << 7 | target, in cells; or CALL."""
CALL: Final = 1 << 14
"""The side to move calls the clock; it still has to move."""
NOBODY: Final = -1


_MERGEABLE: Final = {
    (queen, drone): (
        0,
        (0 if queen else 1 << DRONE) | (0 if drone else 1 << PAWN),
        0 if queen else 1 << PAWN,
        0,
    )
    for queen in (False, True)
    for drone in (False, True)
}
"""Kinds that each kind may be put on, as bits.

Keyed by whether a Queen and a Drone are in the own zone.
"""


class GameState(NamedTuple):
    """A position."""

    turn: Side
    board: bytes
    """By cell: the code of the piece there, or 0."""
    occupied: int
    scores: tuple[int, ...]
    undo: Move = NOBODY
    """The move that would undo the last one, if that is forbidden."""
    quiet: int = NOBODY
    """Moves since the last capture, if they are counted."""
    out: int = 0
    """Sides that have resigned or lost on time, as bits: skipped, and they cannot win."""


class MartianMoves:
    """Martian Chess under chosen options."""

    slug = "martian-chess"
    allows_take_back = True
    standins: Mapping[str, str] = MappingProxyType({"pawn": "Pp", "drone": "RrKk", "queen": "QqBb"})

    def __init__(self, options: Mapping[str, str], board: ZonedBoard, first: Side) -> None:
        """Rules under *options* on *board*; *first* moves first."""
        self._first = first
        self.options: Mapping[str, str] = MappingProxyType(dict(options))
        self.layout = board
        self.grid = board.grid
        self.players = len(board.zones)
        self.sides = tuple(f"player-{number + 1}" for number in range(self.players))
        rule = options["no_undo"]
        self._undoes = rule == "off" or (rule != "all" and self.players > 2)
        self._undoes_captures = rule == "quiet-only"
        self.calls = options["deadlock"] == "call-the-clock-7"
        self.limit = {"none": 0, "27-quiet-moves": 27, "call-the-clock-7": 7}[options["deadlock"]]
        self.stacks = options["merge"] == "stack"
        self.has_teams = options["teams"] == "opposite-corners" and self.players == 4

    def initial(self) -> GameState:
        """Nine pieces in each outer corner."""
        start = self.layout.start
        occupied = sum(1 << cell for cell, code in enumerate(start) if code)
        quiet = 0 if self.limit and not self.calls else NOBODY
        return GameState(self._first, start, occupied, (0,) * self.players, quiet=quiet)

    # moves

    def legal_moves(self, position: GameState) -> list[Move]:
        """All legal moves by rising source and target, the call of the clock last.

        Of moves with the same result the first is kept.
        """
        if self.is_over(position):
            return []
        moves = self._moves(position.turn, position.board)
        if self.layout.meets_itself:
            moves = list(set(moves))
        moves.sort()
        if self._undoes or self._undoes_captures:
            self._drop_twins(position, moves)
        if position.undo != NOBODY and position.undo in moves:
            moves.remove(position.undo)
        if self.calls and position.quiet == NOBODY:
            moves.append(CALL)
        return moves

    def _moves(self, turn: Side, board: bytes) -> list[Move]:
        """Each path of each own piece, up to the first piece on it.

        That piece may be captured or merged with.
        """
        zone_of, ways = self.layout.zone_of, self.layout.ways
        own = [(cell, code & 3) for cell in self.layout.zones[turn] if (code := board[cell])]
        kinds = {kind for _, kind in own}
        mergeable = _MERGEABLE[QUEEN in kinds, DRONE in kinds]
        moves = []
        for cell, kind in own:
            base, merges = cell << 7, mergeable[kind]
            for way in ways[kind][cell]:
                for target in way:
                    other = board[target]
                    if not other:
                        moves.append(base | target)
                        continue
                    if zone_of[target] != turn or merges >> (other & 3) & 1:
                        moves.append(base | target)
                    break
        return moves

    def _drop_twins(self, position: GameState, moves: list[Move]) -> None:
        """Keep one of several captures of equal pieces that give the same position.

        Not where the move back is forbidden: then the positions differ in that.
        """
        board, zone_of = position.board, self.layout.zone_of
        twins = [
            move
            for move in moves
            if board[move & 127] == board[move >> 7] and zone_of[move & 127] != position.turn
        ]
        for first, second in pairwise(twins):
            if first >> 7 == second >> 7:
                moves.remove(second)

    def apply(self, position: GameState, move: Move) -> GameState:
        """The position after *move*."""
        turn, board, occupied, scores, _, quiet, out = position
        if move == CALL:
            return position._replace(quiet=0)
        source, target = move >> 7, move & 127
        zone_of = self.layout.zone_of
        changed = bytearray(board)
        code, other = changed[source], changed[target]
        changed[source] = 0
        crosses = zone_of[target] != turn
        if quiet >= 0:
            quiet += 1
        if other and crosses:
            scores = (*scores[:turn], scores[turn] + (other & 3), *scores[turn + 1 :])
            quiet = min(quiet, 0)
        elif other:
            code = self.merged(code, other)
        changed[target] = code
        forbidden = crosses and not self._undoes and not (other and self._undoes_captures)
        undo = target << 7 | source if forbidden else NOBODY
        occupied = occupied & ~(1 << source) | 1 << target
        return GameState(self._after(turn, out), bytes(changed), occupied, scores, undo, quiet, out)

    def merged(self, upper: Code, lower: Code) -> Code:
        """The piece that *upper* on *lower* becomes: a Drone of two Pawns, else a Queen."""
        kind = DRONE if upper & 3 == lower & 3 else QUEEN
        return kind | (upper >> 2 or upper & 3) << 2 if self.stacks else kind

    def _after(self, side: Side, out: int) -> Side:
        """The side to move after *side*: the next one that is not *out*."""
        following = (side + 1) % self.players
        while out >> following & 1 and following != side:
            following = (following + 1) % self.players
        return following

    def _before(self, side: Side, out: int) -> Side:
        """The side that moved before *side*."""
        previous = (side - 1) % self.players
        while out >> previous & 1 and previous != side:
            previous = (previous - 1) % self.players
        return previous

    def withdraw(self, position: GameState, side: Side) -> GameState:
        """The position after *side* has resigned or lost on time.

        It is skipped from now on and cannot win.
        """
        out = position.out | 1 << side
        if position.turn != side:
            return position._replace(out=out)
        return position._replace(out=out, turn=self._after(side, out), undo=NOBODY)

    # outcome

    def is_over(self, position: GameState) -> bool:
        """True if a zone is empty, quiet moves are exhausted, or one side remains."""
        occupied = position.occupied
        for mask in self.layout.masks:
            if not occupied & mask:
                return True
        return (self.limit > 0 and position.quiet >= self.limit) or (
            position.out > 0 and self._is_alone(position)
        )

    def _is_alone(self, position: GameState) -> bool:
        """True if only one side, or one team, can still win."""
        return len({self._team(side) for side in self._inside(position)}) == 1

    def _inside(self, position: GameState) -> list[Side]:
        """The sides that can win."""
        return [side for side in range(self.players) if not position.out >> side & 1]

    def _team(self, side: Side) -> int:
        """The team of *side*; its own without teams."""
        return side % 2 if self.has_teams else side

    def status(self, position: GameState) -> Outcome | None:
        """The outcome, or None: a side with a piece always has a move."""
        if not self.is_over(position):
            return None
        scores = position.scores
        if any(not position.occupied & mask for mask in self.layout.masks):
            return Outcome(self._winners(position, ties=False), "zone-empty", scores)
        if self._is_alone(position):
            return Outcome(self._winners(position, ties=False), "last-player", scores)
        return Outcome(self._winners(position, ties=True), "quiet-moves", scores)

    def _winners(self, position: GameState, *, ties: bool) -> tuple[Side, ...]:
        """The sides with the highest score.

        A tie is won by the last mover, unless it *ties*;
        the last mover need not be among the tied sides.
        Tied sides share the win over those with less; if all tie, it is a draw.
        """
        inside = self._inside(position)
        totals = {
            self._team(side): sum(
                score for other, score in enumerate(position.scores) if self._team(other) == self._team(side)
            )
            for side in inside
        }
        best = {team for team, total in totals.items() if total == max(totals.values())}
        if len(best) > 1 and not ties:
            best = {self._team(self._before(position.turn, position.out))}
        elif best == totals.keys() and ties:
            best = set()
        return tuple(side for side in inside if self._team(side) in best)

    def announcements(self, position: GameState) -> tuple[Announcement, ...]:
        """Always (): the game has no check."""
        del position
        return ()
