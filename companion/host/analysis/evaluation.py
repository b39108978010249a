# SPDX-License-Identifier: Apache-2.0
"""The result of a position with best play, as a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from companion.games.close_quarters import CloseQuartersRules
from companion.host.analysis.tablebases import is_there, tablebase_for
from companion.model.errors import UnknownName
from companion.model.game import AnyRules
from companion.model.phrase import Phrase
from companion.opponent.close_quarters.analysis import Analyst, Value
from companion.opponent.close_quarters.paths import MoveOptions
from companion.opponent.solved import SOLVED

if TYPE_CHECKING:
    from companion.opponent.close_quarters.solver import Progress


def check_game(slug: str) -> None:
    """Raise `UnknownName` if the page cannot show values of the game *slug*."""
    if slug not in SOLVED:
        raise UnknownName(
            "the page shows the value of positions of {known} only, not of {name!r}: use companion tools analyse",
            name=slug,
            known=SOLVED,
        )


def is_ready(rules: AnyRules) -> bool:
    """True if the results of *rules* need no computation."""
    return rules.slug not in SOLVED or is_there(MoveOptions.of(rules.options))


def analyst_of(
    rules: AnyRules, warn: Callable[[Phrase], None], watch: Callable[[Progress], None] = lambda _: None
) -> Analyst:
    """Return the analyst of *rules*; computing a tablebase takes seconds, which *watch* sees.

    *warn* gets the reason why it cannot be kept. Raises `UnknownName` and `ExtraMissing`.
    """
    check_game(rules.slug)
    assert isinstance(rules, CloseQuartersRules)
    return Analyst(rules, tablebase_for(MoveOptions.of(rules.options), watch, warn))


def evaluation(rules: AnyRules, warn: Callable[[Phrase], None]) -> Callable[[Any], str]:
    """Return a function that says the result of a position of *rules*.

    It says "" for impossible positions and for games that cannot be analysed.
    Raises `ExtraMissing`.
    """
    if rules.slug not in SOLVED:
        return lambda _: ""
    analyst = analyst_of(rules, warn)

    def said(position: Any) -> str:
        if not analyst.is_possible(position):
            return ""
        score = analyst.score(position)
        return result(score.value(position.turn), score.plies)

    return said


def result(value: Value, plies: int | None) -> Phrase:
    """Return the sentence for *value*, for the side to move."""
    match value:
        case Value.DRAW:
            return Phrase("a draw with best play: neither side can force a win")
        case Value.WIN:
            return Phrase("the side to move wins with best play; plies to the end: {plies}", plies=plies)
        case Value.LOSS:
            return Phrase("the side to move loses with best play; plies to the end: {plies}", plies=plies)
