# SPDX-License-Identifier: Apache-2.0
"""Answers by the button of whoever is asked: a press steps to the next choice, two quick ones take the one that was shown.

Two, since a button is pressed by mistake, and an answer changes the record.
"""

from __future__ import annotations

from typing import Final

from companion.model.observation import Press
from companion.referee.belief import Belief
from companion.referee.ledger import Ledger
from companion.referee.questions import Pointed, Question

_QUICK_MS: Final = 300
"""Longest between two presses that are one answer."""


def is_answering(ledger: Ledger, belief: Belief, press: Press) -> bool:
    """True if *press* is about the open question about *belief*: its side has completed its turn, or play rests or is over, so that it can mean nothing else."""
    asked, depth = ledger.asked, belief.open_depth
    if asked is None or belief.root_ply + depth != asked.ply or depth >= len(belief.line):
        return False
    if not ledger.is_played:
        return press.button == asked.side
    is_over = depth < len(belief.line) - 1 or belief.line[depth].is_pressed or not ledger.awaits_press
    return press.button == asked.side != belief.tip.position.turn and is_over


def chosen(ledger: Ledger, asked: Question, at_ms: int) -> int | None:
    """The choice that a press *at_ms* takes; None if it only steps to the next one."""
    before = ledger.pointed if ledger.pointed is not None and ledger.pointed.asked == asked else None
    if before is not None and before.before is not None and at_ms - before.at_ms <= _QUICK_MS:
        ledger.pointed = None
        return before.before
    shown = None if before is None else before.choice
    ledger.pointed = Pointed(asked, 0 if shown is None else (shown + 1) % len(asked.choices), at_ms, shown)
    return None
