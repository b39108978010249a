# SPDX-License-Identifier: Apache-2.0
"""Moves that are decided elsewhere, and carried out by the hands at the table.

Meanwhile the board is compared with the position after the move, not with the rules:
the hands are led there, and whatever else they do is led back. No clock runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from companion.model.errors import IllegalMoveError, NotationError, OrderRefused
from companion.model.game import Violation
from companion.model.moves import Step
from companion.model.observation import Change, Input, SensorKind
from companion.model.occupancy import Occupancy
from companion.model.pieces import Side
from companion.referee.acts.clock_control import update_clocks
from companion.referee.acts.corrections import put_on_record, settled_line
from companion.referee.inference.belief import Belief, Ply
from companion.referee.inference.event_diff import events_between
from companion.referee.inference.guidance import PiecesInPlay, guides, tracked
from companion.referee.inference.illegal_position import TOUCH_MOVE, IllegalFinding
from companion.referee.inference.tracker.face import announced
from companion.referee.state.clock_switching import rest
from companion.referee.state.conclusion import conclude
from companion.referee.state.session_state import SessionState
from companion.referee.values.board.decided import DecidedMove
from companion.referee.values.board.marks import Edge
from companion.referee.values.commands import Play
from companion.referee.values.events import Event, IllegalMended, MoveDecided, Stage
from companion.referee.values.view import Guide, Phase

DECIDED_ELSEWHERE: str = "decided-elsewhere"
"""Rule of the referee: hands wait until an absent side has decided."""


def decider(state: SessionState) -> Side | None:
    """The absent side that is to decide its move now, if one is."""
    belief, clocks = state.belief, state.clocks
    turn: Side = belief.tip.position.turn
    if turn not in state.absent or not state.is_begun or state.outcome is not None:
        return None
    is_going_on = state.phase not in (Phase.SETTING_UP, Phase.PAUSED) and state.inquiry is None
    is_sure = Stage.PROVISIONAL not in belief.stages[-1:]
    is_pressed = clocks is None or clocks.running in (None, turn)
    return turn if is_going_on and is_sure and is_pressed and state.decided is None else None


def decide(state: SessionState, play: Play, at_ms: int) -> list[Event]:
    """The events of *play*. Raises `OrderRefused` without any change."""
    move = _decided(state, play)
    answered = settled_line(announced(state.belief))
    events = put_on_record(state, answered, at_ms)
    if state.fault is not None:
        state.fault = None
        events.append(IllegalMended(at_ms))
    state.pressed = state.done = state.touched = None
    state.decided = move
    rest(state, at_ms)
    if state.is_played:
        state.enter()
    return [*events, MoveDecided(at_ms, move.ply, move.side, move.text)]


def _decided(state: SessionState, play: Play) -> DecidedMove:
    """The move of *play*. Raises `OrderRefused` if it cannot be played now."""
    belief, rules = state.belief, state.rules
    tip = belief.tip
    turn: Side = tip.position.turn
    if turn not in state.absent:
        raise OrderRefused(
            "{side} is played at the table: make its moves on the board", side=rules.sides[turn]
        )
    is_under_way = state.is_begun and state.outcome is None and state.decided is None
    is_sure = belief.open_depth == len(belief.line)  # what is decided in a position answers its last ply
    is_here = play.ply == belief.ply and play.position in ("", tip.text)
    if not (is_under_way and is_sure and is_here):
        raise OrderRefused(
            "the move {move} was decided for ply {ply} of another position: decide again in the present one",
            move=play.move,
            ply=play.ply + 1,
        )
    try:
        move = rules.read_move(tip.position, play.move)
    except (NotationError, IllegalMoveError) as fault:
        raise OrderRefused(
            "move {number}, {text}, cannot be played: {reason}",
            number=play.ply + 1,
            text=play.move,
            reason=fault,
        ) from fault
    return DecidedMove.of(tip, move, play.ply, belief.edge_count)


def entered(state: SessionState, belief: Belief, entered: Input) -> Belief:
    """The belief after *entered*; a press says that the move is carried out."""
    if isinstance(entered, Change):
        return belief.sensed(entered)
    move = state.decided
    if move is not None and not move.after.differing(belief.seen):
        state.decided = replace(move, is_confirmed=True)
    return belief


def waits_ms(state: SessionState) -> tuple[int, ...]:
    """Required rest times for decisions while a move is carried out."""
    timing = state.belief.table.timing
    return (timing.rest_ms, timing.hint_ms, timing.dwell_emptied_ms, timing.longest_ms)


def carried_out(state: SessionState, at_ms: int) -> list[Event]:
    """The events of the decided move, if the board shows it."""
    move, belief = state.decided, state.belief
    if move is None or not _is_shown(state, move):
        return []
    ply = Ply(
        move.imprint,
        move.after,
        belief.mark,
        Stage.SETTLED,
        is_pressed=True,
        is_left=True,
        is_told=True,
    )
    made = belief._replace(line=(*belief.line, ply))
    moves = events_between(belief, made, at_ms)
    state.believe(made)
    moves = update_clocks(state, moves)
    state.decided = None
    state.belief = state.belief.afresh(state.belief.root, ply=state.belief.root_ply)
    moves += conclude(state, moves, at_ms)
    state.enter()
    return moves


def _is_shown(state: SessionState, move: DecidedMove) -> bool:
    """True if the board is at rest and shows *move*, or somebody has said so."""
    belief, timing = state.belief, state.belief.table.timing
    is_hidden = belief.seen.hidden & move.handled and state.kind is not SensorKind.OCCUPANCY
    if move.after.differing(belief.seen) or is_hidden:
        return False
    if not move.is_confirmed and move.unseen(_edges(state, move)):
        # A piece that left may still be in the hand; without any change only people know.
        return bool(move.imprint.changed) and belief.rest_ms >= timing.longest_ms
    is_placed = any(step.target for step in move.steps)
    is_only_lifted = bool(move.imprint.changed) and not is_placed and not move.is_confirmed
    return belief.rest_ms >= (timing.dwell_emptied_ms if is_only_lifted else timing.rest_ms)


def _edges(state: SessionState, move: DecidedMove) -> tuple[Edge, ...]:
    """The edges since *move* arrived."""
    return state.belief.edges[max(0, move.since - state.belief.first_edge) :]


def needs_press(state: SessionState) -> bool:
    """True if only a press can say that the decided move is carried out."""
    move, belief = state.decided, state.belief
    if move is None or move.is_confirmed or move.after.differing(belief.seen):
        return False
    return bool(move.unseen(_edges(state, move)))


def errands(state: SessionState) -> tuple[Guide, ...]:
    """What hands have to do for the decided move, or to put right."""
    move = state.decided
    if move is None:
        return ()
    found = list(_turned(guides(move.after, _pieces(state, move), state.belief.seen)))
    for step in move.unseen(_edges(state, move)):
        led = {guide.target for guide in found if guide.source is not None}
        if step.source and not led & set(step.target):
            found += _guides_of(step, is_later=bool(found))
    return _amiss_first(found, move, state.belief.seen.occupied)


def _pieces(state: SessionState, move: DecidedMove) -> PiecesInPlay:
    """The places of the pieces, if hands follow the guides."""
    stood = PiecesInPlay(move.before.pieces)
    return tracked(stood, _edges(state, move), move.side, move.steps, move.after.pieces)


def _guides_of(step: Step, *, is_later: bool) -> Iterator[Guide]:
    """The guides for *step*, of which the sensor shows nothing."""
    pairs = zip(sorted(step.source), sorted(step.target), strict=False)
    for number, (source, target) in enumerate(pairs):
        yield Guide(step.becomes, source, target, is_part=number > 0, is_later=is_later)


def _amiss_first(found: list[Guide], move: DecidedMove, occupied: Occupancy) -> tuple[Guide, ...]:
    """*found*, beginning with what is to be put right, if that is possible now."""
    starts = [number for number, guide in enumerate(found) if not guide.is_part]
    for start, end in pairwise([*starts, len(found)]):
        errand = found[start:end]
        free = all(guide.target is None or not occupied >> guide.target & 1 for guide in errand)
        if start and free and is_amiss(move, errand):
            rest = [replace(guide, is_later=True) for guide in (*found[:start], *found[end:])]
            return (*(replace(guide, is_later=False) for guide in errand), *rest)
    return tuple(found)


def is_amiss(move: DecidedMove, found: Iterable[Guide]) -> bool:
    """True if one of *found* does not belong to *move*: hands have done something else."""
    cells = (cell for guide in found for cell in (guide.source, guide.target) if cell is not None)
    return any(not move.handled >> cell & 1 for cell in cells)


def _turned(found: tuple[Guide, ...]) -> tuple[Guide, ...]:
    """*found*, with a turn where a piece is taken off and put back."""
    put = {guide.target: guide for guide in found if guide.source is None}
    turned = {
        guide.source
        for guide in found
        if guide.target is None
        and guide.source in put
        and (guide.piece.kind, guide.piece.side)
        == (put[guide.source].piece.kind, put[guide.source].piece.side)
    }
    if not turned:
        return found
    left = [guide for guide in found if guide.target is not None or guide.source not in turned]
    left = [
        replace(guide, source=guide.target) if guide.source is None and guide.target in turned else guide
        for guide in left
    ]
    if all(guide.is_later for guide in left):
        left = [replace(guide, is_later=False) if number == 0 else guide for number, guide in enumerate(left)]
    return tuple(left)


def named(state: SessionState, belief: Belief, found: IllegalFinding) -> IllegalFinding:
    """*found*, or that its side decides elsewhere, if hands have moved for it."""
    depth = found.ply - belief.root_ply
    if found.violation.rule == TOUCH_MOVE or not 0 <= depth <= len(belief.line):
        return found
    turn: Side = belief.before(depth).position.turn
    if turn not in state.absent:
        return found
    cells = tuple(_concerned(found))
    return found._replace(violation=Violation.of(DECIDED_ELSEWHERE, *cells, side=state.rules.sides[turn]))


def _concerned(found: IllegalFinding) -> Iterator[int]:
    """The cells that differ."""
    difference = found.difference
    yield from difference.emptied
    yield from difference.filled
    yield from (cell for cell, _ in difference.changed)
