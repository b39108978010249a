# SPDX-License-Identifier: Apache-2.0
"""The inference of a session: the functions that turn what is sensed into a belief."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from companion.model.observation import Input
from companion.referee import at_rest, growing, illegal_position, patience, reconcile
from companion.referee.belief import Belief
from companion.referee.illegal_position import IllegalFinding
from companion.referee.reconcile import Search
from companion.referee.tracker import face


class FindIllegal(Protocol):
    """Finds what is illegal on the board; None while a legal move can follow."""

    def __call__(self, belief: Belief, *, is_done: bool = False) -> IllegalFinding | None: ...


class Inference(NamedTuple):
    """One way to infer the plies."""

    reconcile: Callable[[Belief, Input], Search]
    """What is believed after an input."""
    rested: Callable[[Belief, int], Search]
    """What is believed at a time, if nothing was sensed since."""
    answered: Callable[[Belief, int], Search]
    """What is believed after the choice of an answer."""
    understood: Callable[[Belief], Search]
    """What is believed after all cells were read again."""
    announced: Callable[[Belief], Belief]
    """The belief with all its plies announced."""
    put_right: Callable[[Belief], Belief]
    """What is believed after a reported fault was put right."""
    find_illegal: FindIllegal
    patience_ms: Callable[[Belief], int]
    """How long time can change what is believed."""
    shown_at_rest: Callable[[Belief], Belief | None]
    """Another belief that explains a board at rest; None without one."""


def _understood(belief: Belief) -> Search:
    """What `growing` believes after all cells were read again, in one step."""
    yield from ()
    return growing.understood(belief)


FORMER: Final = Inference(
    reconcile.reconcile,
    reconcile.rested,
    reconcile.answered,
    _understood,
    growing.announced,
    lambda belief: belief,
    illegal_position.find_illegal,
    patience.patience_ms,
    at_rest.shown_at_rest,
)
"""The inference before the tracker, kept to compare the two."""

TRACKER: Final = Inference(
    face.reconcile,
    face.rested,
    face.answered,
    face.understood,
    face.announced,
    face.put_right,
    face.find_illegal,
    face.patience_ms,
    lambda belief: None,  # the tracker believes a board at rest by itself
)
"""The inference of a table. It keeps its reasons: see `companion explain-moves`."""
