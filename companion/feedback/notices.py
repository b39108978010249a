# SPDX-License-Identifier: Apache-2.0
"""Notices beside the game: a turned board, the start of the clock, ends by hand.

Rule: a notice stays as long as its condition, and requires no immediate action.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from companion.feedback.hints import advice_sentences
from companion.feedback.prompts import drawn_to_begin
from companion.feedback.words import Words
from companion.referee.values.gestures import Gestures
from companion.referee.values.view import ClockStart, TableView

_CLAIMS: Final = 3
"""Largest number of moves named in a notice about claiming a draw."""


def notices(view: TableView, words: Words) -> Iterator[str]:
    """The notices of *view*, one sentence each."""
    said = words.common.notices
    yield from advice_sentences(view, words)
    if (side := drawn_to_begin(view)) is not None:
        yield words.fill(said.drawn, side=words.side(side))
    yield from tuple(_claims(view, words)) or map(words.count, view.counts)
    if view.middle is not None and view.leader is not None:
        yield words.fill(
            said.leaders,
            piece=words.piece(view.leader),
            first=view.grid.spell(view.middle.first),
            second=view.grid.spell(view.middle.second),
            winner=words.side(0),
            other=words.side(1),
        )
    elif view.gestures is Gestures.PRESSES:
        yield words.fill(said.presses)
    if view.clock_start is not None:
        yield words.fill(said.clock_move if view.clock_start is ClockStart.MOVE else said.clock_press)
    if view.blind:
        yield words.fill(said.blind, cells=words.comma(map(view.grid.name, view.blind)))
    if view.is_turn_unclear:
        yield words.fill(said.turn_unclear)
    elif view.turned:
        yield words.fill(said.turned, count=view.turned)


def _claims(view: TableView, words: Words) -> Iterator[str]:
    """Ways to claim a draw, if any."""
    said = words.common.notices
    if view.may_claim:
        yield words.fill(said.claim)
    elif view.claiming:
        more = ["…"] if len(view.claiming) > _CLAIMS else []
        yield words.fill(said.claim_by, moves=words.comma([*view.claiming[:_CLAIMS], *more]))
