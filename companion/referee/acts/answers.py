# SPDX-License-Identifier: Apache-2.0
"""Answers to questions, by command or button: what they add to the record."""

from __future__ import annotations

from collections.abc import Generator

from companion.referee.acts.clock_control import timed
from companion.referee.acts.effects import ask, follow
from companion.referee.acts.inquiry_flow import replied
from companion.referee.inference.event_diff import events_between
from companion.referee.inference.open_question import left_by, resolved
from companion.referee.inference.tracker import face
from companion.referee.state.conclusion import conclude
from companion.referee.state.session_state import SessionState
from companion.referee.values.commands import Answer
from companion.referee.values.events import Event, MoveMade
from companion.referee.values.view import Phase


def answer(state: SessionState, given: Answer, at_ms: int) -> Generator[None, None, list[Event]]:
    """The events of the answer *given*, if its question is still open. Raises `OrderRefused`."""
    inquiry = state.inquiry
    if inquiry is not None:
        is_answer = given.ply == inquiry.question.ply and 0 <= given.choice < len(inquiry.question.choices)
        return replied(state, inquiry, given.choice, at_ms) if is_answer else []
    asked = state.asked
    if asked is None or asked.ply != given.ply or not 0 <= given.choice < len(asked.choices):
        return []
    if not state.is_played:
        return completed(state, given.choice, at_ms)
    return follow(state, (yield from face.answered(state.belief, given.choice)), at_ms)


def completed(state: SessionState, choice: int, at_ms: int) -> list[Event]:
    """The record after an answer in a pause or after the end.

    After the end the result stays.
    """
    belief = state.belief
    belief = resolved(belief, belief.open_depth, left_by(belief, choice))
    events = [
        timed(state, event) if isinstance(event, MoveMade) else event
        for event in events_between(state.belief, belief, at_ms)
    ]
    state.believe(belief)
    if not state.is_decided:
        events += conclude(state, events, at_ms)
    if state.phase is Phase.PAUSED and state.outcome is not None:
        state.is_held = False
        state.send("ended")
    return [*events, *ask(state, at_ms)]
