# SPDX-License-Identifier: Apache-2.0
"""Events of a new belief: moves, faults, questions, start and end of the game."""

from __future__ import annotations

from companion.model.game import Outcome
from companion.referee.at_rest import shown_at_rest
from companion.referee.belief import Belief
from companion.referee.board_rotation import Rotation, fitting
from companion.referee.clock_control import keep
from companion.referee.clock_switching import end, go_on, start
from companion.referee.event_diff import events_between
from companion.referee.events import (
    BoardTurned,
    Event,
    GameBegan,
    GameEnded,
    GamePaused,
    GameResumed,
    IllegalMended,
    IllegalSeen,
    Level,
    MoveMade,
    MoveRetracted,
    QuestionAsked,
    QuestionClosed,
    Stage,
)
from companion.referee.footprints import Prospect
from companion.referee.gestures import Gestures, shown
from companion.referee.illegal_position import TOUCH_MOVE, IllegalFinding, difference, find_illegal
from companion.referee.ledger import Ledger
from companion.referee.open_question import is_due, question
from companion.referee.press_without_move import without_move
from companion.referee.questions import Question
from companion.referee.record import claim, outcome
from companion.referee.view import Phase


def follow(ledger: Ledger, belief: Belief, at_ms: int, *, is_done: bool = False) -> list[Event]:
    """The events of the step from *ledger*'s belief to *belief*, which replaces it.

    With *is_done* the side to move has declared its ply complete.
    """
    if not ledger.is_played:
        ledger.belief = belief
        if ledger.phase is Phase.FINISHED:
            return _rematch(ledger, at_ms)
        return begin(ledger, at_ms) if ledger.phase is Phase.SETTING_UP else []
    events: list[Event] = []
    if ledger.outcome is None:
        belief = _judged(ledger, belief, at_ms, events, is_done=is_done)
    moves = events_between(ledger.belief, belief, at_ms)
    ledger.believe(belief)
    moves = keep(ledger, moves)
    if any(isinstance(event, MoveRetracted) for event in moves):
        go_on(ledger)
        ledger.outcome = None
        ledger.belief = ledger.belief._replace(is_over=False)
    events += moves
    events += conclude(ledger, moves, at_ms)
    events += ask(ledger, at_ms)
    ledger.enter()
    return [*events, *_rematch(ledger, at_ms)] if ledger.outcome else events


def _judged(ledger: Ledger, belief: Belief, at_ms: int, events: list[Event], *, is_done: bool) -> Belief:
    """*belief* without plies undone by its fault; adds faults and mendings to *events*."""
    timing = belief.table.timing
    is_lawful = not belief.tip.differing(belief.seen)
    if _is_mended(ledger, belief):
        events += _mend(ledger, at_ms)
    if is_lawful:
        idle = without_move(ledger, belief)
        return fail(ledger, belief, Level.COMPLETED, idle, at_ms, events) if idle else belief
    if belief.rest_ms < timing.hint_ms and not is_done:
        return belief
    if ledger.gestures is Gestures.LEADERS and shown(belief) is not None:
        return belief
    found = find_illegal(belief, is_done=is_done)
    if found is not None and not is_done:
        found = _beside_hands(ledger, belief, found)
    if found is None:
        return belief
    if found.violation.rule != TOUCH_MOVE and (again := shown_at_rest(belief)) is not None:
        events += _mend(ledger, at_ms)
        return again
    level = Level.COMPLETED if is_done or belief.rest_ms >= timing.dwell_ms else Level.HINT
    return belief if _is_known(ledger, level, found) else fail(ledger, belief, level, found, at_ms, events)


def _mend(ledger: Ledger, at_ms: int) -> list[Event]:
    """The end of the reported fault, if it has ended."""
    if ledger.fault is None:
        return []
    ledger.fault = None
    return [IllegalMended(at_ms)]


def _is_mended(ledger: Ledger, belief: Belief) -> bool:
    """True if the fault has ended."""
    if ledger.fault is None:
        return False
    if ledger.is_without_move:
        return ledger.belief.ply != belief.ply
    return belief.line != ledger.belief.line or not belief.tip.differing(belief.seen)


def _beside_hands(ledger: Ledger, belief: Belief, found: IllegalFinding) -> IllegalFinding | None:
    """*found*, or the reported fault if pieces were only lifted since.

    None if a lifted one was misplaced: it is being corrected.
    """
    if ledger.fault is None or ledger.is_without_move:
        return found
    _, told_wrong = ledger.fault
    depth = told_wrong.ply - belief.root_ply
    if not 0 <= depth <= len(belief.line):
        return found  # its plies are settled, or no longer believed
    before, now = told_wrong.difference, difference(belief, depth)
    stood, stands = ({*each.filled, *(cell for cell, _ in each.changed)} for each in (before, now))
    lifted = len(now.emptied) - len(now.filled) - len(before.emptied) + len(before.filled)
    if lifted <= 0 or not stands <= stood:
        return found
    return told_wrong if stands == stood else None


def _is_known(ledger: Ledger, level: Level, found: IllegalFinding) -> bool:
    """True if *found* has been reported at *level* or a more severe one."""
    if ledger.fault is None:
        return False
    told_level, told_wrong = ledger.fault
    if told_wrong.difference != found.difference:
        return False
    if told_level is Level.COMPLETED:  # perhaps with the reason why it could not be let stand
        return True
    return level is Level.HINT and told_wrong.violation == found.violation


def fail(
    ledger: Ledger, belief: Belief, level: Level, found: IllegalFinding, at_ms: int, events: list[Event]
) -> Belief:
    """The valid part of *belief* after *found*, which is added to *events*."""
    depth = found.ply - belief.root_ply
    if depth < len(belief.line):
        belief = belief._replace(line=belief.line[:depth], guess=None)
    depth -= found.violation.rule == TOUCH_MOVE
    side = belief.before(depth).position.turn
    ledger.fault, ledger.pressed = (level, found), None
    events.append(IllegalSeen(at_ms, side, level, found.difference, found.violation))
    return belief


def conclude(ledger: Ledger, moves: list[Event], at_ms: int) -> list[Event]:
    """The end of the game, if one of *moves* caused it."""
    new = [event for event in moves if isinstance(event, MoveMade) and event.stage is Stage.ANNOUNCED]
    if any(event.side != ledger.draw_offered_by for event in new):
        ledger.draw_offered_by = None
    belief = ledger.belief
    if not new or not belief.line or belief.stages[-1] is Stage.PROVISIONAL:
        return []
    ended = outcome(ledger.rules, ledger.earlier(), belief.tip.position)
    if ended is None and any((event.side, event.ply) == ledger.claiming for event in new):
        ended = _claimed(ledger)
    ledger.belief = belief._replace(is_over=ended is not None)
    ledger.outcome = ended
    if ended:
        end(ledger, at_ms)
    return [GameEnded(at_ms, ended)] if ended else []


def _claimed(ledger: Ledger) -> Outcome | None:
    """The draw claimed by the last mover, if its claim ply is the last."""
    belief = ledger.belief
    is_last = ledger.claiming is not None and ledger.claiming[1] + 1 == belief.ply
    return claim(ledger.rules, ledger.earlier(), belief.tip.position) if is_last else None


def ask(ledger: Ledger, at_ms: int) -> list[Event]:
    """Questions that are due or obsolete now; after the game, all remaining ones."""
    belief = ledger.belief
    is_now = ledger.is_decided or is_due(belief)
    wanted = _wanted(ledger) if is_now or ledger.asked else None
    if wanted == ledger.asked:
        return []
    events: list[Event] = [QuestionClosed(at_ms, ledger.asked.ply)] if ledger.asked else []
    ledger.asked = wanted if is_now else None
    if ledger.asked:
        events.append(QuestionAsked(at_ms, ledger.asked))
    return events


def _wanted(ledger: Ledger) -> Question | None:
    """The question about the first open ply.

    Computed again only after a change, since the wording takes long.
    """
    belief, depth = ledger.belief, ledger.belief.open_depth
    if depth == len(belief.line):
        return None
    ply = belief.line[depth]
    about = (belief.root_ply + depth, belief.before(depth), belief.candidates(depth), ply.is_doubted)
    if ledger.worded is None or ledger.worded[0] != about:
        ledger.worded = (about, question(belief))
    return ledger.worded[1]


def begin(ledger: Ledger, at_ms: int) -> list[Event]:
    """The start of play, if the wanted position is on the board at rest."""
    if ledger.belief.rest_ms < ledger.belief.table.timing.rest_ms:
        return []
    events = _turned(ledger, at_ms)
    belief = ledger.belief
    if belief.tip.differing(belief.seen):
        return []
    ledger.send("set_up")
    ledger.begun_ms = at_ms
    ledger.belief = belief.afresh(belief.root, ply=belief.root_ply, line=belief.line)
    if not ledger.is_begun:
        ledger.is_begun = True
        events.append(GameBegan(at_ms, belief.root.text))
    elif not ledger.is_held:
        events.append(GameResumed(at_ms))
    if ledger.is_held:
        ledger.send("halted")
        return [*events, GamePaused(at_ms)]
    start(ledger, at_ms)
    return events


def _turned(ledger: Ledger, at_ms: int) -> list[Event]:
    """The event of a turned board, if the wanted position fits in one orientation only.

    Not if it is the present orientation.
    """
    belief, rules = ledger.belief, ledger.rules
    found = fitting(belief.tip, belief.seen) if belief.tip.differing(belief.seen) else []
    ledger.is_turn_unclear = len(found) > 1
    if len(found) != 1:
        return []
    ledger.rotation = Rotation.of(rules.grid, ledger.rotation.quarters + found[0].quarters, len(rules.sides))
    ledger.belief = belief._replace(seen=found[0].seen(belief.seen), edges=())
    return [BoardTurned(at_ms, ledger.rotation.degrees)]


def _rematch(ledger: Ledger, at_ms: int) -> list[Event]:
    """A new game, if the start position was set up after the end of one."""
    belief = ledger.belief
    if not belief.tip.differing(belief.seen) or not _stands(ledger.initial, belief):
        return []
    if belief.rest_ms < belief.table.timing.rest_ms:
        return []
    ledger.clear(ledger.initial)
    return begin(ledger, at_ms)


def _stands(goal: Prospect, belief: Belief) -> bool:
    """True if all of *goal* is seen on the board, straight or turned."""
    return not goal.differing(belief.seen) or len(fitting(goal, belief.seen)) == 1
