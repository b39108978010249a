# SPDX-License-Identifier: Apache-2.0
"""The analysis of a game: the value of each position, and the largest mistakes. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from companion.host.records.records import rules_of
from companion.host.table.layers.board_review import MoveJudgement
from companion.model.claims import ClaimKind, WrittenClaim
from companion.model.game import AnyRules
from companion.model.moves import lit_cells
from companion.model.notation import GameRecord, replay
from companion.model.pieces import Side
from companion.model.written_move import WrittenMove, written_move
from companion.opponent.knowledge import SURE

_SCALE: Final = 400
"""Value, in hundredths of the least piece, at which a game is nearly decided."""
_LEAST: Final = 0.2
"""Least loss of a mistake, of the 2 between a lost and a won game."""
_MISTAKES: Final = 3
_LEAST_PIECE: Final = 100
EDITION: Final = 2
"""Of the analyses that are made now; the moves of their claims can be said."""


@dataclass(frozen=True, slots=True)
class JudgedPosition:
    """A position of a game."""

    value: int
    """For the side to move, with best play."""
    line: tuple[str, ...] = ()
    """The best line; () at the end of the game."""
    played: int | None = None
    """The value of the move that was made; None after the last."""
    claims: tuple[WrittenClaim, ...] = ()
    """What is verified of the best move."""
    played_claims: tuple[WrittenClaim, ...] = ()
    """What is verified of the move that was made."""


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """The analysis of a game, as far as it has come."""

    total: int
    """Number of positions."""
    positions: tuple[JudgedPosition, ...] = ()
    edition: int = 0
    """Of the program that made it; older analyses are made again."""

    @property
    def is_complete(self) -> bool:
        """True if all positions are judged."""
        return len(self.positions) >= self.total


@dataclass(frozen=True, slots=True)
class Curve:
    """The levels of a side, as far as they are known."""

    side: Side
    points: tuple[tuple[int, float], ...]
    """The numbers of positions, counted from 0, with the level there."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A move that was much worse than the best one."""

    number: int
    """Of the position before it, counted from 0."""
    position: str
    """That position, as text."""
    side: Side
    played: WrittenMove
    better: WrittenMove
    loss: float
    """From 0 to 2: a won game that is lost."""
    claims: tuple[WrittenClaim, ...]
    """What is verified of the better move."""
    played_claims: tuple[WrittenClaim, ...]
    """What is verified of the move that was made: what it loses."""


def level(value: int) -> float:
    """*value* from -1 (lost) to 1 (won).

    >>> [round(level(value), 2) for value in (-1_000_000, 0, 400, 999_990)]
    [-1.0, 0.0, 0.76, 1.0]
    """
    return math.tanh(value / _SCALE)


def curves(record: GameRecord, analysis: GameAnalysis) -> list[Curve]:
    """The curve of the first of two sides, or those of each of more.

    With more than two sides a position has a value for the side to move only, until the end.
    """
    rules = rules_of(record)
    points: dict[Side, list[tuple[int, float]]] = {
        side: [] for side in range(len(rules.sides) if len(rules.sides) > 2 else 1)
    }
    for number, (each, (position, _)) in enumerate(
        zip(analysis.positions, replay(rules, record), strict=False)
    ):
        outcome = rules.status(position)
        if len(points) == 1:
            points[0].append((number, level(each.value if position.turn == 0 else -each.value)))
        elif outcome is None:
            points[position.turn].append((number, level(each.value)))
        else:
            for side, found in points.items():
                found.append((number, _level_at_end(outcome.winners, side)))
    return [Curve(side, tuple(found)) for side, found in points.items()]


def _level_at_end(winners: tuple[Side, ...], side: Side) -> float:
    """The level of *side* in a finished game."""
    return 0.0 if not winners else 1.0 if side in winners else -1.0


def mistakes(record: GameRecord, analysis: GameAnalysis) -> list[Mistake]:
    """The largest mistakes, the first one first."""
    rules = rules_of(record)
    found = sorted(_mistakes(rules, record, analysis), key=lambda each: -each.loss)[:_MISTAKES]
    return sorted(found, key=lambda each: each.number)


def _mistakes(rules: AnyRules, record: GameRecord, analysis: GameAnalysis) -> Iterator[Mistake]:
    played = [*replay(rules, record)]
    for number, judged in enumerate(analysis.positions[: len(played) - 1]):
        position, move = played[number][0], played[number + 1][1]
        if judged.played is None or not judged.line or not move:
            continue
        loss = level(judged.value) - level(judged.played)
        if loss < _LEAST or move == judged.line[0]:
            continue
        yield Mistake(
            number,
            rules.write_position(position),
            position.turn,
            written_move(rules, position, rules.read_move(position, move)),
            written_move(rules, position, rules.read_move(position, judged.line[0])),
            loss,
            judged.claims,
            judged.played_claims,
        )


def judgements(
    record: GameRecord, analysis: GameAnalysis, largest: Sequence[Mistake]
) -> Iterator[MoveJudgement]:
    """Yield the judgement of each move of *record*; *largest* are its mistakes.

    Values are those of the first of two sides, or of the side that moved, of more.
    """
    rules = rules_of(record)
    numbers = {each.number for each in largest}
    played = [*replay(rules, record)]
    for number, judged in enumerate(analysis.positions[: len(played) - 1]):
        position, move = played[number][0], played[number + 1][1]
        if judged.played is None or not judged.line or not move:
            yield MoveJudgement(move, "")
            continue
        flips = len(rules.sides) == 2 and position.turn != 0
        value = _written(judged.played, judged.played_claims, flips=flips)
        if move == judged.line[0]:
            yield MoveJudgement(move, value)
            continue
        best = rules.read_move(position, judged.line[0])
        source, target = lit_cells(rules.steps(position, best))
        yield MoveJudgement(move, value, judged.line[0], number in numbers, source, target)


def _written(value: int, claims: Sequence[WrittenClaim], *, flips: bool) -> str:
    """*value* in least pieces, for the other side if it *flips*.

    A forced end that is proven, as one of *claims*, has its number of moves; one that only a search
    has seen is a clear advantage.

    >>> [_written(each, (), flips=False) for each in (135, -20, 0, 999_997)]
    ['+1.4', '-0.2', '+0.0', '+-']
    >>> _written(-999_996, (WrittenClaim(ClaimKind.MATED, count=2),), flips=True)
    '+#2'
    """
    signs = "-+" if flips else "+-"
    for each in claims:
        if each.kind in (ClaimKind.MATE, ClaimKind.MATED):
            return f"{signs[each.kind is ClaimKind.MATED]}#{each.count}"
    if abs(value) >= SURE:
        return signs if value > 0 else signs[::-1]
    return f"{(-value if flips else value) / _LEAST_PIECE:+.1f}"
