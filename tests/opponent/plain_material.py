# SPDX-License-Identifier: Apache-2.0
"""Material and captures of each game, by which the judge of claims counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from companion.games import find
from companion.games.chess.position import checkers
from companion.games.chess.tables import EN_PASSANT
from companion.games.fightopia.board import KILL, MARCH, SHOOT, stances
from companion.games.gottaz.state import CENTRE, JUMP, LEAP, MOVE, SLANT, TSUNAMI
from companion.games.martian_chess.rules import CALL, NOBODY
from companion.games.tank_chess.pieces import WRECK
from companion.games.tank_chess.rules import AWAY
from companion.model.grid import OFF, Cell
from companion.model.pieces import Piece, Side
from companion.opponent.find import knowledge_of

Loss = tuple[Piece, tuple[Cell, ...]]
"""A piece that leaves the game, with the cells where it stood."""


class Table:
    """A game of two sides with its worths; the least piece has 1."""

    worths: ClassVar[dict[str, float]] = {}

    def __init__(self, slug: str, **options: str) -> None:
        self.rules: Any = find(slug).rules(options)
        knowledge = knowledge_of(self.rules)
        self.moves, self.after, self.key = knowledge.moves, knowledge.after, knowledge.key
        self.decided, self.exact_value = knowledge.decided, knowledge.exact_value
        self.knowledge = knowledge

    def ended(self, position: Any, moves: Sequence[Any]) -> tuple[Side, ...] | None:
        """The winners, () for a draw, or None; *moves* are the legal ones."""
        winners = self.decided(position)
        if winners is not None or moves:
            return winners
        outcome = self.rules.status(position)
        return None if outcome is None else outcome.winners

    def gain(self, position: Any, move: Any, after: Any) -> float:
        """What *move* brings its side in material."""
        del move
        before, then = self.balance(position), self.balance(after)
        return then - before if position.turn == 0 else before - then

    def balance(self, position: Any) -> float:
        """Material of side 0 less that of side 1."""
        raise NotImplementedError

    def is_noisy(self, position: Any, move: Any) -> bool:
        """True if *move* changes the material, or may end the game by reaching a goal."""
        raise NotImplementedError

    def must_answer(self, position: Any) -> bool:
        """True if the side to move may not simply stand still, as in check."""
        del position
        return False

    def passed(self, position: Any) -> Any | None:
        """*position* with the other side to move; None if that is not allowed."""
        return position._replace(turn=1 - position.turn)

    def may_finish(self, position: Any, move: Any, after: Any) -> bool:
        """False only if *move* surely does not win at once."""
        del position, move, after
        return True

    def wins_at_once(self, position: Any) -> bool:
        """True if the side to move has a move that wins the game."""
        for move in self.moves(position):
            after = self.after(position, move)
            if self.may_finish(position, move, after) and self.is_won(after, position.turn):
                return True
        return False

    def is_won(self, position: Any, side: Side) -> bool:
        """True if the game is over and *side* has won."""
        winners = self.decided(position)
        if winners is None and not self.moves(position):
            winners = self.ended(position, ())
        return winners is not None and side in winners

    def losses(self, position: Any, move: Any) -> Iterator[Loss]:
        """The pieces that leave the game by *move*."""
        for step in self.rules.steps(position, move):
            if not step.target or step.becomes.pose == WRECK:
                yield step.piece, step.source

    def worth(self, piece: Piece) -> float:
        """Its worth in least pieces."""
        return self.worths.get(piece.kind, 0.0)

    def owner(self, position: Any, piece: Piece, cells: Sequence[Cell]) -> Side | None:
        """The side of a *piece* on *cells*."""
        del position, cells
        return piece.side

    def goal(self, position: Any, move: Any, after: Any) -> tuple[Cell, ...]:
        """The cells that matter for the aim of the game which *move* reaches, or ()."""
        del position, move, after
        return ()


class ChessTable(Table):
    worths: ClassVar[dict[str, float]] = {"pawn": 1, "knight": 3, "bishop": 3, "rook": 5, "queen": 9}

    def balance(self, position: Any) -> float:
        total = 0.0
        queens = position.diagonals & position.lines
        for kind, worth in (
            (position.pawns, 1),
            (position.knights, 3),
            (position.diagonals ^ queens, 3),
            (position.lines ^ queens, 5),
            (queens, 9),
        ):
            total += worth * ((kind & position.white).bit_count() - (kind & position.black).bit_count())
        return total

    def is_noisy(self, position: Any, move: int) -> bool:
        enemy = position.white if position.turn else position.black
        code = move & 7
        promotes = code not in (0, EN_PASSANT) and position.pawns >> (move >> 9) & 1
        return bool(enemy >> (move >> 3 & 63) & 1 or code == EN_PASSANT or promotes)

    def must_answer(self, position: Any) -> bool:
        return bool(checkers(position))

    def passed(self, position: Any) -> Any | None:
        if checkers(position):
            return None
        return position._replace(turn=1 - position.turn, passed=OFF)

    def may_finish(self, position: Any, move: Any, after: Any) -> bool:
        return bool(checkers(after))

    def goal(self, position: Any, move: int, after: Any) -> tuple[Cell, ...]:
        target = move >> 3 & 63
        is_promoted = position.pawns >> (move >> 9) & 1 and target >> 3 in (0, 7)
        return (target,) if is_promoted else ()


class MartianTable(Table):
    worths: ClassVar[dict[str, float]] = {"pawn": 1, "drone": 2, "queen": 3}

    def balance(self, position: Any) -> float:
        return float(position.scores[0] - position.scores[1])

    def is_noisy(self, position: Any, move: int) -> bool:
        target = move & 127
        zone_of = self.rules.layout.zone_of
        return move != CALL and bool(position.board[target]) and zone_of[target] != position.turn

    def passed(self, position: Any) -> Any | None:
        return position._replace(turn=1 - position.turn, undo=NOBODY)

    def owner(self, position: Any, piece: Piece, cells: Sequence[Cell]) -> Side | None:
        return int(self.rules.layout.zone_of[cells[0]])

    def losses(self, position: Any, move: Any) -> Iterator[Loss]:
        if self.is_noisy(position, move):
            entry = self.rules.placement(position).entry_at(move & 127)
            if entry is not None:
                yield entry


class FightopiaTable(Table):
    worths: ClassVar[dict[str, float]] = {"pawn": 1, "tank": 4}

    def balance(self, position: Any) -> float:
        _, white, black = position
        tanks = len(stances(white)) - len(stances(black))
        return float(white.pawns.bit_count() - black.pawns.bit_count() + 4 * tanks)

    def is_noisy(self, position: Any, move: int) -> bool:
        deed = move >> 14
        ranks = (0, 6)
        return deed in (SHOOT, KILL) or (deed == MARCH and (move & 127) >> 3 in ranks)

    def may_finish(self, position: Any, move: int, after: Any) -> bool:
        return move >> 14 in (KILL, MARCH) or not self.moves(after)

    def goal(self, position: Any, move: int, after: Any) -> tuple[Cell, ...]:
        outcome = self.rules.status(after)
        if outcome is None or outcome.termination != "giant-across":
            return ()
        cells: tuple[Cell, ...] = self.rules.steps(position, move)[0].target
        return cells


class TankTable(Table):
    worths: ClassVar[dict[str, float]] = {
        "light-tank": 1,
        "medium-tank": 1.5,
        "heavy-tank": 2.5,
        "tank-destroyer": 2,
        "heavy-mortar": 2,
    }
    _BY_CODE: ClassVar = (1, 1.5, 2.5, 0, 2, 2, 0, 0)

    def balance(self, position: Any) -> float:
        return sum(
            -self._BY_CODE[tank & 7] if tank & 8 else self._BY_CODE[tank & 7] for tank in position.tanks
        )

    def is_noisy(self, position: Any, move: int) -> bool:
        return bool(move & 1023) or move >> 10 & AWAY == AWAY

    def wins_at_once(self, position: Any) -> bool:
        """CHECK! and ESCAPE! of the side to move, as if the other had the turn."""
        return bool(self.rules.announcements(position._replace(turn=1 - position.turn)))

    def may_finish(self, position: Any, move: int, after: Any) -> bool:
        return self.is_noisy(position, move)

    def goal(self, position: Any, move: int, after: Any) -> tuple[Cell, ...]:
        return (move >> 23,) if move >> 10 & AWAY == AWAY else ()


class GottazTable(Table):
    """Only pawns that a battle sends home count; placing one wins nothing."""

    def worth(self, piece: Piece) -> float:
        return 1.0

    def gain(self, position: Any, move: Any, after: Any) -> float:
        if position.hands == after.hands or move[0] not in (MOVE, LEAP, SLANT, JUMP, TSUNAMI):
            return 0.0
        own, other = position.turn, 1 - position.turn
        home = [sum(after.hands[side]) - sum(position.hands[side]) for side in (own, other)]
        return float(home[1] - home[0])

    def is_noisy(self, position: Any, move: Any) -> bool:
        kind, _, where = move
        if kind not in (MOVE, LEAP, SLANT, JUMP, TSUNAMI):
            return False
        return bool(position.board[where]) or where in CENTRE

    def may_finish(self, position: Any, move: Any, after: Any) -> bool:
        return bool(after.winner != OFF)

    def losses(self, position: Any, move: Any) -> Iterator[Loss]:
        if move[0] in (MOVE, LEAP, SLANT, JUMP, TSUNAMI):
            yield from super().losses(position, move)

    def goal(self, position: Any, move: Any, after: Any) -> tuple[Cell, ...]:
        turn, rules = position.turn, self.rules

        def centre(each: Any) -> set[Cell]:
            return {cell for cell in CENTRE if each.board[cell] and rules.owner(each.board[cell]) == turn}

        now, then = centre(position), centre(after)
        return tuple(sorted(then - now)) if len(then) >= 2 else ()


class QuartersTable(Table):
    worths: ClassVar[dict[str, float]] = {"spear": 1, "mace": 1, "axe": 1}

    def balance(self, position: Any) -> float:
        return float((position.sword != OFF) - sum(cell != OFF for cell in position[2:5]))

    def is_noisy(self, position: Any, move: int) -> bool:
        return move % 32 in position[1:5]


TABLES: dict[str, type[Table]] = {
    "chess": ChessTable,
    "close-quarters": QuartersTable,
    "fightopia": FightopiaTable,
    "gottaz": GottazTable,
    "martian-chess": MartianTable,
    "tank-chess": TankTable,
}


def table_of(slug: str) -> Table:
    """The game with its default options."""
    return TABLES[slug](slug)
