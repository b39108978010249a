# SPDX-License-Identifier: Apache-2.0
"""Questions that are not about a move: let a board stand, new game.

Play waits while such a question is open: observations are stored and not read as moves.
It is answered by command, by presses of any button, or by touching a cell.
If the board stays changed, the question is closed and play goes on.
"""

from __future__ import annotations

from typing import Final

from companion.model.errors import OrderRefused
from companion.model.game import InvalidPosition
from companion.model.grid import Cell
from companion.model.observation import Change, Input, Press, SensorKind
from companion.model.pieces import Side
from companion.referee.acts.board_answers import chosen
from companion.referee.acts.corrections import go_on_from, settled_line
from companion.referee.inference.belief import Belief
from companion.referee.inference.piece_identification import Ask, BoardAtRest, board_of, judged
from companion.referee.inference.search import finished
from companion.referee.inference.tracker.face import understood
from companion.referee.state.inquiry import Inquiry
from companion.referee.state.session_state import SessionState
from companion.referee.values.board.board_rotation import fitting
from companion.referee.values.events import Event, QuestionAsked, QuestionClosed
from companion.referee.values.questions import Aspect, Choice, Question

_MOST_LOOSE: Final = 12
"""Limit of cells in questions; with more, setting up a position is quicker."""

_LEAST_PLIES: Final = 2
"""Plies after which the start position may mean a new game.

Before that, it is a move that was put back.
"""

_YES_OR_NO: Final = (Choice(is_yes=True), Choice(is_yes=False))


def let_stand(state: SessionState, turn: Side, at_ms: int) -> list[Event]:
    """Adopt the board's position, or ask about its unknown pieces. Raises `OrderRefused`."""
    belief = state.belief
    _check(state)
    board = board_of(belief.undoubted, state.pieces_now(), turn)
    is_open = state.asked is not None or belief.open_depth < len(belief.line)
    is_same = turn == belief.tip.position.turn and not belief.tip.differing(belief.seen)
    if is_same and not is_open and not board.loose:
        raise OrderRefused(
            "nothing on the board differs from the record: if other pieces stand there, put the record right or set up a position"
        )
    return _judged(state, board, at_ms)


def _check(state: SessionState) -> None:
    """Raise `OrderRefused` if nothing can be let stand now."""
    belief = state.belief
    if state.outcome is not None:
        raise OrderRefused("the game is over: put the record right, or begin a new game")
    if not state.is_begun:
        raise OrderRefused("no game has begun: set up the start position first")
    if state.is_adjourned:
        raise OrderRefused("the game is adjourned: go on with it first")
    if belief.rest_ms < belief.table.timing.rest_ms:
        raise OrderRefused("the board is not at rest: take the hands off it, then ask again")
    if belief.seen.hidden and state.kind is not SensorKind.OCCUPANCY:
        raise OrderRefused("the camera does not see the whole board: clear the view, then ask again")


def _judged(state: SessionState, board: BoardAtRest, at_ms: int) -> list[Event]:
    """The events of letting *board* stand, or asking about it.

    Raises `OrderRefused` without any change.
    """
    found = judged(board)
    if isinstance(found, InvalidPosition):
        raise OrderRefused(
            "the game has no such position: {rule}", rule=found.reasons[0].rule, violation=found.reasons[0]
        )
    if isinstance(found, Ask):
        if len(board.loose) > _MOST_LOOSE:
            raise OrderRefused(
                "too many pieces have changed places to ask for each: set up a position instead"
            )
        return _asked(state, board, found, at_ms)
    if state.rules.status(found) is not None:
        raise OrderRefused("the game would be over in this position")
    events = _closed(state, at_ms)
    belief = state.belief
    sure = belief._replace(line=belief.line[: belief.open_depth])
    events += go_on_from(state, found, settled_line(sure), at_ms)
    return events


def _asked(state: SessionState, board: BoardAtRest, ask: Ask, at_ms: int) -> list[Event]:
    """The question *ask* about *board*, replacing any open one."""
    events = _closed(state, at_ms)
    belief = state.belief
    question = Question(belief.ply, board.turn, ask.aspect, (ask.cell,), ask.choices)
    state.inquiry = Inquiry(question, belief.seen, belief.edge_count, board, ask)
    return [*events, QuestionAsked(at_ms, question)]


def _closed(state: SessionState, at_ms: int) -> list[Event]:
    """Close any open question; one about a move is asked again when play goes on."""
    asked, state.asked = state.asked, None
    events: list[Event] = [QuestionClosed(at_ms, asked.ply)] if asked is not None else []
    return [*events, *dropped(state, at_ms)]


def dropped(state: SessionState, at_ms: int) -> list[Event]:
    """Close the inquiry without an answer, if there is one."""
    inquiry, state.inquiry = state.inquiry, None
    return [] if inquiry is None else [QuestionClosed(at_ms, inquiry.question.ply)]


def replied(state: SessionState, inquiry: Inquiry, choice: int, at_ms: int) -> list[Event]:
    """The events of answering *inquiry* with *choice*.

    Raises `OrderRefused` if the position is invalid: then it stays open.
    """
    if inquiry.board is not None and inquiry.ask is not None:
        if not inquiry.ask.groups[choice]:
            raise OrderRefused("no other piece may stand there: put it back, or set up a position")
        return _judged(state, inquiry.board.answered(inquiry.ask, choice), at_ms)
    events = dropped(state, at_ms)
    if inquiry.question.choices[choice].is_yes:
        state.clear(state.initial)
    else:
        state.declined = inquiry.seen
        play_on(state)
    return events


def play_on(state: SessionState) -> None:
    """Read the observations stored while a question suspended play."""
    if state.is_played:
        state.belief = finished(understood(state.belief))


def withdrawn(state: SessionState, belief: Belief, entered: Input) -> list[Event]:
    """The events of withdrawing the question about a new game.

    Pieces that are moved from the start position again are no new game.
    """
    inquiry = state.inquiry
    if inquiry is None or inquiry.question.aspect is not Aspect.NEW_GAME or not isinstance(entered, Change):
        return []
    if not state.initial.differing(belief.sensed(entered).seen):
        return []
    state.belief = belief
    return _given_up(state, entered.t_ms)


def entered_aside(state: SessionState, belief: Belief, entered: Input, events: list[Event]) -> Belief:
    """The belief after *entered* during an inquiry; adds the events of a press."""
    inquiry = state.inquiry
    if isinstance(entered, Change):
        return belief.sensed(entered)
    if inquiry is None or not isinstance(entered, Press):
        return belief
    choice = chosen(state, inquiry.question, entered.t_ms)
    if choice is None:
        return belief
    state.belief = belief
    try:
        events += replied(state, inquiry, choice, entered.t_ms)
    except OrderRefused:
        events += _given_up(state, entered.t_ms)
    return state.belief


def touched(state: SessionState) -> int | None:
    """The choice whose cell was touched since the inquiry began.

    None if anything else was touched, or the board has changed.
    """
    belief, inquiry = state.belief, state.inquiry
    if inquiry is None or belief.seen != inquiry.seen:
        return None
    cells: set[Cell] = {edge.cell for edge in belief.edges[max(0, inquiry.edges - belief.first_edge) :]}
    found = [number for number, each in enumerate(inquiry.question.choices) if each.touch in cells]
    return found[0] if len(found) == len(cells) == 1 else None


def attended(state: SessionState, now_ms: int) -> list[Event]:
    """The events of a touch that answers the inquiry, or of closing it.

    It is closed when the board stays changed.
    """
    belief, inquiry = state.belief, state.inquiry
    timing = belief.table.timing
    if inquiry is None or belief.rest_ms < timing.rest_ms:
        return []
    choice = touched(state)
    if choice is not None:
        try:
            return replied(state, inquiry, choice, now_ms)
        except OrderRefused:
            return _given_up(state, now_ms)
    if belief.seen != inquiry.seen and belief.rest_ms >= timing.longest_ms:
        return _given_up(state, now_ms)
    return []


def _given_up(state: SessionState, now_ms: int) -> list[Event]:
    """Close the inquiry and continue play."""
    events = dropped(state, now_ms)
    play_on(state)
    return events


def due_ms(state: SessionState) -> int | None:
    """The next deadline of the inquiry without observations."""
    belief, inquiry = state.belief, state.inquiry
    if inquiry is None or belief.edge_count == inquiry.edges:
        return None
    timing = belief.table.timing
    waits = (timing.rest_ms, timing.longest_ms)
    due = (belief.rest_since_ms + wait for wait in waits)
    return next((deadline for deadline in due if deadline > belief.now_ms), None)


def proposed(state: SessionState, at_ms: int) -> list[Event]:
    """The question about a new game, if the start position was set up."""
    belief = state.belief
    if state.inquiry is not None or belief.rest_ms < belief.table.timing.dwell_ms:
        return []
    if not _may_begin(state) or belief.seen == state.declined:
        return []
    events = _closed(state, at_ms)
    question = Question(belief.ply, belief.tip.position.turn, Aspect.NEW_GAME, (), _YES_OR_NO)
    state.inquiry = Inquiry(question, belief.seen, belief.edge_count)
    return [*events, QuestionAsked(at_ms, question)]


def proposed_at_ms(state: SessionState) -> int | None:
    """Time of the question about a new game while play rests.

    While it goes on, the board is examined anyway.
    """
    belief = state.belief
    if state.inquiry is not None or not state.is_begun or belief.seen == state.declined:
        return None
    if state.initial.differing(belief.seen) or not _may_begin(state):
        return None
    due = belief.rest_since_ms + belief.table.timing.dwell_ms
    return due if due > belief.now_ms else None


def _may_begin(state: SessionState) -> bool:
    """True if the start position is on the board after the game has moved on.

    Straight or turned.
    """
    belief, start = state.belief, state.initial
    is_under_way = state.is_begun and state.outcome is None and not state.is_held
    if not is_under_way or belief.ply < _LEAST_PLIES or not belief.tip.differing(belief.seen):
        return False
    if belief.tip.placement == start.placement:
        return False
    return not start.differing(belief.seen) or len(fitting(start, belief.seen)) == 1
