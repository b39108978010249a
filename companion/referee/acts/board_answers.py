# SPDX-License-Identifier: Apache-2.0
"""Answers at the board, and by button.

A press selects the next choice, two quick ones take the selected one:
two, since a button may be pressed by mistake, and an answer changes the record.
At the board a lit cell is touched: its piece is lifted and replaced, or a magnet is held to it.
"""

from __future__ import annotations

from typing import Final

from companion.model.observation import Change, Press
from companion.model.occupancy import Occupancy
from companion.referee.inference.belief import Belief
from companion.referee.state.session_state import SessionState
from companion.referee.values.board.imprints import Imprint
from companion.referee.values.questions import Pointed, Question

_QUICK_MS: Final = 300
"""Longest interval between two presses of one answer."""
_TOUCH_MS: Final = 1500
"""Longest touch of a lit cell that answers; a piece held longer is thought about."""


def is_answering(state: SessionState, belief: Belief, press: Press) -> bool:
    """True if *press* is an answer to the open question about *belief*.

    Its side has completed its turn, or play rests or is over: it cannot mean anything else.
    """
    asked, depth = state.asked, belief.open_depth
    if asked is None or belief.root_ply + depth != asked.ply or depth >= len(belief.line):
        return False
    if not state.is_played:
        return press.button == asked.side
    is_over = depth < len(belief.line) - 1 or belief.line[depth].is_pressed or not state.pressers
    return press.button == asked.side != belief.tip.position.turn and is_over


def chosen(state: SessionState, asked: Question, at_ms: int) -> int | None:
    """The choice taken by a press at *at_ms*; None if it selects the next one."""
    before = state.pointed if state.pointed is not None and state.pointed.asked == asked else None
    if before is not None and before.before is not None and at_ms - before.at_ms <= _QUICK_MS:
        state.pointed = None
        return before.before
    shown = None if before is None else before.choice
    state.pointed = Pointed(asked, 0 if shown is None else (shown + 1) % len(asked.choices), at_ms, shown)
    return None


def touched(state: SessionState, belief: Belief, change: Change) -> tuple[Question, int] | None:
    """Question and choice of a touch that ended with *change*, if no other cell changes.

    It began after the question was asked, and was short. Another change soon after would indicate a
    move.
    """
    asked, depth, bit = state.asked, belief.open_depth, 1 << change.cell
    if asked is None or belief.tip.differing(belief.seen) or len(belief.edges) < 2:
        return None
    began = belief.edges[-2]
    is_touch = began.cell == change.cell and depth < len(belief.line)
    is_touch &= began.t_ms >= state.asked_ms and change.t_ms - began.t_ms <= _TOUCH_MS
    choices = [number for number, choice in enumerate(asked.choices) if choice.touch == change.cell]
    if not is_touch or len(choices) != 1 or belief.root_ply + depth != asked.ply:
        return None
    if any(_brings(imprint, bit) for imprint in belief.tip.exactly(0, belief.seen)):
        return None  # rather a part of a traceless move of the side to move
    last, is_earlier = belief.line[-1], depth < len(belief.line) - 1
    if is_earlier and not last.is_left and any(_brings(other, bit) for other in last.candidates):
        return None  # rather a part of the last ply: a victim that is laid down
    return asked, choices[0]


def _brings(imprint: Imprint, cells: Occupancy) -> bool:
    """True if *imprint* puts a piece on one of *cells*."""
    return any(cells >> cell & 1 for _, target in imprint.carried for cell in target)


def answer_at_ms(belief: Belief) -> int:
    """Time at which a finished touch counts as an answer."""
    return belief.rest_since_ms + belief.table.timing.rest_ms
