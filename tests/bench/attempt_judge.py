# SPDX-License-Identifier: Apache-2.0
"""Perform illegal attempts in an examined game and judge the session's reaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from companion.model.observation import SensorKind
from companion.referee.inference.illegal_position import TOUCH_MOVE
from companion.referee.values.events import Event, IllegalSeen, Level, MoveRetracted, Stage
from tests.bench import oracle
from tests.bench.attempts import Attempt, Edits, correction
from tests.bench.oracle import Board
from tests.virtual.hands import Motion, pause

if TYPE_CHECKING:
    from tests.bench.examiner import Examiner

LONG_MS = 2500
"""Longer than the referee's longest wait.

Twice this is longer than two such waits, the most that it waits at all.
"""


def make_attempt(game: Examiner) -> tuple[Any, list[Motion]] | None:
    """Make an illegal attempt, let it stand, and correct it.

    The same hand may instead continue with a legal move: the move and its motions are returned.
    """
    table, board = game.table, dict(game.table.on)
    positions = [game.position, *game.past[-1:]]
    attempt = game.attempts.propose(positions, board)
    if attempt is None:
        return None
    game.score.illegal_tried += 1
    game.log.append(f"-- illegal: {attempt.method} {[game.rules.grid.name(cell) for cell in attempt.cells]}")
    game.is_lawful = False
    known, game.attempted = len(game.trace), []
    last_ms = game.perform(_paused(game, attempt.edits))
    start = len(table.history)
    is_seen_lawful = any(
        oracle.is_lawful(game.rules, before, table.on, game.kind) for before in positions
    ) or oracle.consistent(game.rules, game.position, table.on, game.kind, trace=game.trace[known:])
    if game.has_clock and not is_seen_lawful and game.chance.random() < 0.4:
        game.wait(pause(game.habits, game.chance))
        game.press(game.position.turn, len(game.truth))
    game.wait(1500)
    if not is_seen_lawful:
        game.answer()
        game.wait(700)
    if game.is_lost:
        return None
    judge(game, table.history[start:], last_ms, attempt.cells, is_excused=bool(is_seen_lawful))
    if not game.is_over and game.chance.random() < 0.2:
        continuation = _continuation(game, board, attempt)
        if continuation is not None:
            return continuation
    game.perform(_paused(game, correction(board, attempt)))
    game.wait(LONG_MS)
    game.answer()
    game.is_lawful = True
    game.compare()
    return None


def _paused(game: Examiner, edits: Edits) -> list[Motion]:
    """*edits* as motions of a hand."""
    return [Motion(pause(game.habits, game.chance), cell, piece) for cell, piece in edits]


def _continuation(game: Examiner, board: Board, attempt: Attempt) -> tuple[Any, list[Motion]] | None:
    """Draw a legal move with the piece of *attempt*, and correct everything else.

    Returns the move and its remaining motions, or None if there is no such move.
    """
    found = game.attempts.continuation(game.position, board, attempt)
    if found is None:
        return None
    (move, step), target = found, attempt.cells[-1]
    taken = ((target, board[target]),) if target in board else ()
    game.perform(_paused(game, ((target, None), *taken)))
    game.is_lawful = True
    game.log.append("-- the same hand continues")
    return move, _paused(game, tuple((cell, step.becomes) for cell in step.target))


def judge(game: Examiner, events: list[Event], last_ms: int, order: list[int], *, is_excused: bool) -> None:
    """Count how the session reacted to an illegal attempt."""
    hints = [event for event in events if isinstance(event, IllegalSeen)]
    if not hints:
        if not is_excused and not _is_taken_back(game, events):
            game.score.illegal_silent += 1
            game.fail("silent about an illegal attempt")
        return
    if not is_excused and hints[-1].level is not Level.COMPLETED:
        game.score.illegal_silent += 1
        game.fail("silent about a completed attempt")
    game.score.illegal_flagged += 1
    rules = broken(game, order)
    if hints[0].violation.rule in rules:
        game.score.illegal_reason_right += 1
    else:
        game.log.append(f"reason {hints[0].violation} but it is {rules}")
    is_early = game.table.lag_ms <= hints[0].at_ms - last_ms < 700
    if hints[0].level is Level.COMPLETED and not game.has_clock and is_early:
        game.fail("an arbiter was called too early")


def _is_taken_back(game: Examiner, events: list[Event]) -> bool:
    """True if plies were reported as taken back and the board looks as before them."""
    said = (each for each in events if isinstance(each, MoveRetracted) and each.stage is Stage.ANNOUNCED)
    first = min((each.ply for each in said), default=len(game.past))
    past = game.past[first : first + 1]
    return any(oracle.looks_like(game.rules, each, game.table.on, game.kind) for each in past)


def broken(game: Examiner, order: list[int]) -> set[str]:
    """The rules that the attempt on the cells in their *order* truly breaks.

    The hand of the last ply may revise it: then the rules of the position before that count, or
    touch-move.
    """
    is_same_hand = any(cell in game.entered and cell not in game.table.on for cell in order)
    found = {TOUCH_MOVE} if is_same_hand and not game.rules.allows_take_back else set()
    for position in (game.position, *(game.past[-1:] if is_same_hand else ())):
        for kind in (SensorKind.OCCUPANCY, game.kind):
            seen = oracle.true_difference(game.rules, position, game.table.on, order, kind)
            found.add(game.rules.explain(position, seen).rule)
    return found
