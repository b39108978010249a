# SPDX-License-Identifier: Apache-2.0
"""Events of a new belief: moves, faults, questions, start and end of the game."""

from __future__ import annotations

from companion.referee.acts.carrying_out import carried_out, named
from companion.referee.acts.clock_control import update_clocks
from companion.referee.acts.press_without_move import without_move
from companion.referee.inference.belief import Belief
from companion.referee.inference.event_diff import events_between
from companion.referee.inference.illegal_position import TOUCH_MOVE, IllegalFinding, difference
from companion.referee.inference.leaders import shown
from companion.referee.inference.open_question import is_due, question
from companion.referee.inference.tracker import face
from companion.referee.state.clock_switching import go_on, start
from companion.referee.state.conclusion import conclude
from companion.referee.state.session_state import SessionState
from companion.referee.values.board.board_rotation import Rotation, fitting
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.events import (
    BoardTurned,
    Event,
    GameBegan,
    GamePaused,
    GameResumed,
    IllegalMended,
    IllegalSeen,
    Level,
    MoveRetracted,
    QuestionAsked,
    QuestionClosed,
    Stage,
)
from companion.referee.values.gestures import Gestures
from companion.referee.values.questions import Question
from companion.referee.values.view import Phase


def follow(state: SessionState, belief: Belief, at_ms: int, *, is_done: bool = False) -> list[Event]:
    """The events of the step from *state*'s belief to *belief*, which replaces it.

    None while a question suspends play. With *is_done* the side to move has declared its ply
    complete.
    """
    if not state.is_played:
        state.belief = belief
        if state.inquiry is not None:
            return []
        if state.phase is Phase.FINISHED:
            return _rematch(state, at_ms)
        if state.phase is Phase.CARRYING_OUT:
            return carried_out(state, at_ms)
        return begin(state, at_ms) if state.phase is Phase.SETTING_UP else []
    events: list[Event] = []
    if state.outcome is None:
        belief = _judged(state, belief, at_ms, events, is_done=is_done)
    moves = [*_reopened(state, belief, at_ms), *events_between(state.belief, belief, at_ms)]
    state.believe(belief)
    moves = update_clocks(state, moves)
    if any(isinstance(event, MoveRetracted) for event in moves):
        go_on(state)
        state.outcome = None
        state.belief = state.belief._replace(is_over=False)
    events += moves
    events += conclude(state, moves, at_ms)
    events += ask(state, at_ms)
    state.enter()
    return [*events, *_rematch(state, at_ms)] if state.outcome else events


def _reopened(state: SessionState, belief: Belief, at_ms: int) -> list[Event]:
    """The retraction of the settled plies that *belief* reopens."""
    old, first = state.belief, belief.root_ply
    if first >= old.root_ply:
        return []
    events = events_between(old, old._replace(line=()), at_ms)
    gone = reversed([*enumerate(state.played)][first:])
    events += (MoveRetracted(at_ms, number, entry.text, Stage.SETTLED) for number, entry in gone)
    del state.played[first:]
    state.belief = belief._replace(line=())
    return events


def _judged(state: SessionState, belief: Belief, at_ms: int, events: list[Event], *, is_done: bool) -> Belief:
    """*belief* without plies undone by its fault; adds faults and mendings to *events*."""
    timing = belief.table.timing
    is_lawful = not belief.tip.differing(belief.seen)
    if _is_mended(state, belief):
        belief = _put_right(state, belief)
        events += _mend(state, at_ms)
    if is_lawful:
        idle = without_move(state, belief)
        return report_illegal(state, belief, Level.COMPLETED, idle, at_ms, events) if idle else belief
    if belief.rest_ms < timing.hint_ms and not is_done:
        return belief
    if state.gestures is Gestures.LEADERS and shown(belief) is not None:
        return belief
    found = face.find_illegal(belief, is_done=is_done)
    if found is not None and not is_done:
        found = _beside_hands(state, belief, found)
    if found is None:
        return belief
    found = named(state, belief, found)
    level = Level.COMPLETED if is_done or belief.rest_ms >= timing.dwell_ms else Level.HINT
    return (
        belief
        if _is_known(state, level, found)
        else report_illegal(state, belief, level, found, at_ms, events)
    )


def _mend(state: SessionState, at_ms: int) -> list[Event]:
    """The end of the reported fault, if it has ended."""
    if state.fault is None:
        return []
    state.fault = None
    return [IllegalMended(at_ms)]


def _put_right(state: SessionState, belief: Belief) -> Belief:
    """*belief* after the end of the reported fault, unless it ended by a ply."""
    is_ply = belief.line != state.belief.line or belief.tip.differing(belief.seen)
    return belief if is_ply else face.put_right(belief)


def _is_mended(state: SessionState, belief: Belief) -> bool:
    """True if the fault has ended."""
    if state.fault is None:
        return False
    if state.is_without_move:
        return state.belief.ply != belief.ply
    return belief.line != state.belief.line or not belief.tip.differing(belief.seen)


def _beside_hands(state: SessionState, belief: Belief, found: IllegalFinding) -> IllegalFinding | None:
    """*found*, or the reported fault if pieces were only lifted since.

    None if a lifted one was misplaced: it is being corrected.
    """
    if state.fault is None or state.is_without_move:
        return found
    _, told_wrong = state.fault
    depth = told_wrong.ply - belief.root_ply
    if not 0 <= depth <= len(belief.line):
        return found  # its plies are settled, or no longer believed
    before, now = told_wrong.difference, difference(belief, depth)
    stood, stands = ({*each.filled, *(cell for cell, _ in each.changed)} for each in (before, now))
    lifted = len(now.emptied) - len(now.filled) - len(before.emptied) + len(before.filled)
    if lifted <= 0 or not stands <= stood:
        return found
    return told_wrong if stands == stood else None


def _is_known(state: SessionState, level: Level, found: IllegalFinding) -> bool:
    """True if *found* has been reported at *level* or a more severe one."""
    if state.fault is None:
        return False
    told_level, told_wrong = state.fault
    if told_wrong.difference != found.difference:
        return False
    if told_level is Level.COMPLETED:  # perhaps with the reason why it could not be let stand
        return True
    return level is Level.HINT and told_wrong.violation == found.violation


def report_illegal(
    state: SessionState, belief: Belief, level: Level, found: IllegalFinding, at_ms: int, events: list[Event]
) -> Belief:
    """The valid part of *belief* after *found*, which is added to *events*."""
    depth = found.ply - belief.root_ply
    if depth < len(belief.line):
        belief = belief._replace(line=belief.line[:depth])
    depth -= found.violation.rule == TOUCH_MOVE
    side = belief.before(depth).position.turn
    state.fault, state.pressed = (level, found), None
    events.append(IllegalSeen(at_ms, side, level, found.difference, found.violation))
    return belief


def ask(state: SessionState, at_ms: int) -> list[Event]:
    """Questions that are due or obsolete now; after the game, all remaining ones."""
    belief = state.belief
    is_now = state.is_decided or is_due(belief)
    wanted = _wanted(state) if is_now or state.asked else None
    if wanted == state.asked:
        return []
    events: list[Event] = [QuestionClosed(at_ms, state.asked.ply)] if state.asked else []
    state.asked = wanted if is_now else None
    if state.asked:
        state.asked_ms = at_ms
        events.append(QuestionAsked(at_ms, state.asked))
    return events


def _wanted(state: SessionState) -> Question | None:
    """The question about the first open ply.

    Computed again only after a change, since the wording takes long.
    """
    belief, depth = state.belief, state.belief.open_depth
    if depth == len(belief.line):
        return None
    ply = belief.line[depth]
    about = (belief.root_ply + depth, belief.before(depth), ply.candidates, ply.is_doubted)
    if state.worded is None or state.worded[0] != about:
        state.worded = (about, question(belief))
    return state.worded[1]


def begin(state: SessionState, at_ms: int) -> list[Event]:
    """The start of play, if the wanted position is on the board at rest."""
    if not state.is_sensed or state.belief.rest_ms < state.belief.table.timing.rest_ms:
        return []
    events = _turned(state, at_ms)
    belief = state.belief
    if belief.tip.differing(belief.seen):
        return []
    state.send("set_up")
    state.begun_ms = at_ms
    state.belief = belief.afresh(belief.root, ply=belief.root_ply, line=belief.line)
    if not state.is_begun:
        state.is_begun = True
        events.append(GameBegan(at_ms, belief.root.text))
    elif not state.is_held:
        events.append(GameResumed(at_ms))
    if state.is_held:
        state.send("halted")
        return [*events, GamePaused(at_ms)]
    start(state, at_ms)
    if state.decided is not None:
        state.enter()
    return events


def _turned(state: SessionState, at_ms: int) -> list[Event]:
    """The event of a turned board, if the wanted position fits in one orientation only.

    Not if it is the present orientation.
    """
    belief, rules = state.belief, state.rules
    found = fitting(belief.tip, belief.seen) if belief.tip.differing(belief.seen) else []
    state.is_turn_unclear = len(found) > 1
    if len(found) != 1:
        return []
    state.rotation = Rotation.of(rules.grid, state.rotation.quarters + found[0].quarters, len(rules.sides))
    state.belief = belief._replace(seen=found[0].seen(belief.seen), edges=())
    return [BoardTurned(at_ms, state.rotation.degrees)]


def _rematch(state: SessionState, at_ms: int) -> list[Event]:
    """A new game, if the start position was set up after the end of one."""
    belief = state.belief
    if not belief.tip.differing(belief.seen) or not _stands(state.initial, belief):
        return []
    if belief.rest_ms < belief.table.timing.rest_ms:
        return []
    state.clear(state.initial)
    return begin(state, at_ms)


def _stands(goal: Prospect, belief: Belief) -> bool:
    """True if all of *goal* is seen on the board, straight or turned."""
    return not goal.differing(belief.seen) or len(fitting(goal, belief.seen)) == 1
