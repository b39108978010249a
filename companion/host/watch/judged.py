# SPDX-License-Identifier: Apache-2.0
"""The analysis of a game: values of positions, grades of moves. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from companion.host.records.records import rules_of
from companion.host.table.layers.board_review import Grade, MoveJudgement
from companion.model.claims import ClaimKind, WrittenClaim
from companion.model.game import Outcome
from companion.model.moves import lit_cells
from companion.model.notation import GameRecord, numbers, replay
from companion.model.pieces import Side
from companion.model.written_move import WrittenMove, written_move
from companion.opponent.knowledge import SURE

_SCALE: Final = 400
"""Value, in hundredths of the least piece, at which a game is nearly decided."""
_MISTAKE: Final = 0.2
"""Least loss of a mistake, of the 2 between lost and won: a tenth."""
_BLUNDER: Final = 0.4
"""Least loss of a blunder: a fifth."""
_LEAST_PIECE: Final = 100
EDITION: Final = 4
"""Of the analyses that are made now."""


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
class Prospect:
    """What a position is worth."""

    side: Side
    """Of two, the one that is ahead; of more, the one to move."""
    least_pieces: float
    """By how much it is ahead."""
    is_won: bool = False
    """True if a search has seen that it wins."""
    moves: int = 0
    """Its moves until it wins, where that is proven."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A move that was much worse than the best one."""

    grade: Grade
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


def prospects(record: GameRecord, analysis: GameAnalysis) -> Iterator[Prospect | Outcome]:
    """Yield what each position is worth, as far as known; at the end, the outcome."""
    rules = rules_of(record)
    for judged, (position, _) in zip(analysis.positions, replay(rules, record), strict=False):
        outcome = rules.status(position)
        yield _prospect(judged, position.turn, len(rules.sides)) if outcome is None else outcome


def _prospect(judged: JudgedPosition, turn: Side, sides: int) -> Prospect:
    """What the position *judged* is worth, with *turn* to move."""
    loses = judged.value < 0 and sides == 2
    side, value = (1 - turn, -judged.value) if loses else (turn, judged.value)
    proof = ClaimKind.MATED if loses else ClaimKind.MATE
    moves = next((each.count for each in judged.claims if each.kind is proof), 0)
    return Prospect(side, value / _LEAST_PIECE, value >= SURE, moves)


def foreseen(judged: JudgedPosition, following: JudgedPosition, *, flips: bool) -> JudgedPosition:
    """*judged*, with the value of its move as the position *following* it has it.

    That was found by a search that began a ply later, so a move is never called a mistake while
    the value rises. *flips*: another side moves there.
    """
    worth = -following.value if flips else following.value
    if abs(worth) >= SURE:
        worth -= 1 if worth > 0 else -1  # the end is a ply further
    return replace(judged, value=max(judged.value, worth), played=worth)


def grade(judged: JudgedPosition, move: str) -> Grade | None:
    """The grade of *move* in the position *judged*; None for one without a mark.

    It is the one rule of what is a mistake, by the share of the chances that it gives away.
    """
    if judged.played is None or not judged.line:
        return None
    if move == judged.line[0]:
        is_only = any(each.kind is ClaimKind.ONLY_MOVE for each in judged.claims)
        return Grade.ONLY if is_only else Grade.BEST
    loss = level(judged.value) - level(judged.played)
    return Grade.BLUNDER if loss >= _BLUNDER else Grade.MISTAKE if loss >= _MISTAKE else None


def mistakes(record: GameRecord, analysis: GameAnalysis) -> list[Mistake]:
    """All mistakes and blunders, the first one first."""
    rules, played = rules_of(record), [*replay(rules_of(record), record)]
    found = []
    for number, judged in enumerate(analysis.positions[: len(played) - 1]):
        position, move = played[number][0], played[number + 1][1]
        graded = grade(judged, move)
        if graded is None or not graded.is_bad or judged.played is None:
            continue
        mistake = Mistake(
            graded,
            number,
            rules.write_position(position),
            position.turn,
            written_move(rules, position, rules.read_move(position, move)),
            written_move(rules, position, rules.read_move(position, judged.line[0])),
            level(judged.value) - level(judged.played),
            judged.claims,
            judged.played_claims,
        )
        found.append(mistake)
    return found


def judgements(record: GameRecord, analysis: GameAnalysis) -> Iterator[MoveJudgement]:
    """Yield the judgement of each move of *record*, as far as they are known.

    Values are those of the first of two sides, or of the side that moved, of more. A move without
    another legal one has no mark.
    """
    rules = rules_of(record)
    played = [*replay(rules, record)]
    for number, judged in enumerate(analysis.positions[: len(played) - 1]):
        position, move = played[number][0], played[number + 1][1]
        if judged.played is None or not judged.line or not move:
            yield MoveJudgement(move, "")
            continue
        flips = len(rules.sides) == 2 and position.turn != 0
        value = _written(judged.played, judged.played_claims, flips=flips)
        graded = grade(judged, move) if len(rules.legal_moves(position)) > 1 else None
        if move == judged.line[0]:
            yield MoveJudgement(move, value, grade=graded)
            continue
        best = rules.read_move(position, judged.line[0])
        source, target = lit_cells(rules.steps(position, best))
        yield MoveJudgement(move, value, judged.line[0], graded, source, target)


def move_numbers(record: GameRecord) -> dict[int, str]:
    """The number before each move, as the game counts, by the position after it.

    A position that an arbiter let stand counts as a move if another side is to move in it.
    """
    after: dict[int, Side] = {}
    turn: Side = 0
    for number, (position, text) in enumerate(replay(rules_of(record), record)):
        if text or (number and position.turn != turn):
            after[number] = turn
        turn = position.turn
    return dict(zip(after, numbers(after.values()), strict=True))


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
