# SPDX-License-Identifier: Apache-2.0
"""What the search and the claims ask of a game.

`Knowledge` answers from the rules alone and knows no values; the file of a game in this folder
extends it. A *party* is a side with its partners; the search sees two parties or, with max-n, all.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import ClassVar, Final, Generic, NamedTuple

from companion.model.game import THREEFOLD, ActorRules, InvalidPosition, M, P, Rules
from companion.model.grid import Cell
from companion.model.pieces import Piece, Side
from companion.opponent.ways import NO_WAY, Way, shortest

WIN: Final = 1_000_000
"""The value of a won game, less the plies to its end."""
SURE: Final = WIN - 1000
"""Values from here on are won games."""


class Taken(NamedTuple):
    """A piece that a move takes off the board or out of action."""

    piece: Piece
    owner: Side
    """The side that loses it."""
    cells: tuple[Cell, ...]
    """The cells that it covered."""


class Knowledge(Generic[P, M]):
    """The rules of a game, and what is known about its positions: here nothing."""

    weights: ClassVar[Mapping[str, int]] = {}
    """Each term of the value with its weight; hundredths of the least piece."""
    margin: ClassVar[int] = 0
    """Rise of the value that no quiet move exceeds; 0: unknown."""
    window: ClassVar[int] = 40
    """First distance of the bounds from the value of the last iteration."""
    claim_plies: ClassVar[int] = 2
    """Plies, an even number, in which the claims try all replies."""
    gain_plies: int = 2
    """The same where something is won."""

    def __init__(self, rules: Rules[P, M], weights: Mapping[str, int] | None = None) -> None:
        """*weights* replace those of the class with the same names."""
        self.rules = rules
        self.weight = {**self.weights, **(weights or {})}
        self.sides = tuple(range(len(rules.sides)))
        self.repeats = rules.options.get("repetition") == THREEFOLD
        """True if a position that occurs for the third time is a draw."""

    # moves

    def moves(self, position: P) -> Sequence[M]:
        """All legal moves; none when the game is over."""
        return self.rules.legal_moves(position)

    def after(self, position: P, move: M) -> P:
        """The position after *move*."""
        return self.rules.apply(position, move)

    def noisy(self, position: P, least: int = 0) -> Sequence[M]:
        """The moves that change the value at once, such as captures; the game goes on.

        Those that raise it by *least* at least are enough.
        """
        del position, least
        return ()

    def null_move(self, position: P) -> P | None:
        """*position* with the other side to move.

        None where a pass may be better than every move, and in games of more than two sides.
        """
        del position
        return None

    def finishing(self, position: P) -> Sequence[M]:
        """All moves that win at once, perhaps among others."""
        return self.moves(position)

    def way(self, position: P, move: M) -> Way:
        """The way of *move* from what acts to what is captured, else its goal."""
        steps = self.rules.steps(position, move)
        if not steps:
            return NO_WAY
        actor = self._actor(position, move)
        acted_on = steps[1:] if actor is None else steps
        captured = tuple(cell for step in acted_on for cell in step.source)
        return shortest(self.rules.grid, self.acting(position, move), captured or steps[0].target)

    def _actor(self, position: P, move: M) -> Cell | None:
        """The cell of the piece that acts in *move* and stays, or None."""
        return self.rules.actor(position, move) if isinstance(self.rules, ActorRules) else None

    def acting(self, position: P, move: M) -> tuple[Cell, ...]:
        """The cells of the piece that makes *move*, which changes something."""
        actor = self._actor(position, move)
        return self.rules.steps(position, move)[0].source if actor is None else (actor,)

    def is_threatened(self, position: P) -> bool:
        """True if the side to move must answer a threat, such as check.

        Then no value is taken before all its moves have been searched.
        """
        del position
        return False

    def ranks(self, position: P, moves: Sequence[M]) -> list[int]:
        """For each of *moves* how early it should be searched.

        Noisy moves have more than 0, quiet moves 0 or less.
        """
        del position
        return [0] * len(moves)

    def most_quiet(self, depth: int) -> int | None:
        """How many quiet moves are searched *depth* plies before the end; None for all."""
        del depth
        return None

    def best_moves(self, position: P) -> Sequence[M]:
        """The best moves of *position* where the game is solved; () where it is not."""
        del position
        return ()

    def exact_value(self, position: P) -> int | None:
        """The value for the side to move in a solved game; None in others."""
        del position
        return None

    # values

    def key(self, position: P) -> Hashable:
        """A value equal for positions with the same future."""
        return position

    def party(self, side: Side) -> tuple[Side, ...]:
        """*side* with its partners."""
        return (side,)

    def decided(self, position: P) -> tuple[Side, ...] | None:
        """The winners of a finished game, or None.

        None also where only the lack of moves shows the end.
        """
        del position
        return None

    def winners(self, position: P) -> tuple[Side, ...]:
        """The winners of a game that has ended."""
        outcome = self.rules.status(position)
        return () if outcome is None else outcome.winners

    def value(self, position: P, side: Side) -> int:
        """How good *position* is for the party of *side*; below `SURE`.

        With two parties the value for the other one is the negative.
        """
        del position, side
        return 0

    def worth(self, winners: tuple[Side, ...], side: Side) -> int:
        """The value of a game that *winners* have won for the party of *side*."""
        if not winners or (side in winners and not set(winners) <= set(self.party(side))):
            return 0
        return WIN if side in winners else -WIN

    # material

    def worth_of(self, piece: Piece) -> int:
        """The worth of *piece* in hundredths of the least; 0 if it has none."""
        return self.weight.get(piece.kind, 0)

    def points(self, won: Iterable[Piece], lost: Iterable[Piece]) -> int:
        """The points by which *won* count more than *lost*; 0 in games without points."""
        del won, lost
        return 0

    def owner(self, position: P, piece: Piece, cells: tuple[Cell, ...]) -> Side:
        """The side that has *piece*, which is on *cells*."""
        del cells
        return (position.turn + 1) % len(self.sides) if piece.side is None else piece.side

    def taken(self, position: P, move: M) -> Sequence[Taken]:
        """The pieces with a worth that *move* takes, perhaps also own ones."""
        return [
            Taken(step.piece, self.owner(position, step.piece, step.source), step.source)
            for step in self.rules.steps(position, move)
            if step.source and not step.target and self.worth_of(step.piece)
        ]

    def swing(self, position: P, move: M, party: Sequence[Side]) -> int:
        """The material that *party* gains by *move*, with promotions."""
        found = 0
        for step in self.rules.steps(position, move):
            worth = self.worth_of(step.piece)
            rise = self.worth_of(step.becomes) - worth if step.target else -worth if step.source else 0
            found += rise if step.piece.side in party else -rise
        return found

    def capturing(self, position: P) -> Sequence[M]:
        """All moves that gain material or win at once; perhaps others, too."""
        return self.noisy(position)

    def passed(self, position: P) -> P | None:
        """*position* with the other side to move; None if that is impossible.

        None also between more than two sides, and where the side to move must answer a threat.
        """
        rules = self.rules
        if len(self.sides) != 2 or self.is_threatened(position) or rules.announcements(position):
            return None
        found = rules.adopt(rules.placement(position), 1 - position.turn, position)
        if isinstance(found, InvalidPosition) or rules.status(found) is not None:
            return None
        return found

    def reached(self, position: P, move: M) -> tuple[Cell, ...]:
        """The cells that *move* reaches and that matter for the aim of the game."""
        del position, move
        return ()
