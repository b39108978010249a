# SPDX-License-Identifier: Apache-2.0
"""The value of a position, found by search in a given time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from companion.host.analysis.evaluation import result
from companion.host.clock import monotonic
from companion.model.game import AnyRules
from companion.model.notation import write_line
from companion.model.phrase import Phrase
from companion.opponent.claims.budget import Budget, GaveUp
from companion.opponent.claims.ends import Ends
from companion.opponent.close_quarters.analysis import Value
from companion.opponent.find import knowledge_of
from companion.opponent.found import Found
from companion.opponent.knowledge import SURE, WIN
from companion.opponent.search import Search

USUAL_SECONDS: Final = 5.0
"""Time of an analysis if no other is wished."""
_HUNDRED: Final = 100
_PROOF_MS: Final = 1000
"""Time for a proof of the end that was seen, if no other is left."""


class SearchReport(NamedTuple):
    """A search in the notation of the game; its fields are those of the JSON."""

    value: Value | None
    """For the side to move; None unless the end of the game was seen."""
    plies: int | None
    """To the end, if it was seen; at most, if that is not proven."""
    score: float | None
    """For the side to move, in least pieces or points; None at a seen end."""
    best: tuple[str, ...]
    line: tuple[str, ...]
    depth: int
    nodes: int
    is_proven: bool
    """True if the end was seen and every reply was tried."""

    def sentences(self) -> Iterator[Phrase]:
        """Yield what people read."""
        if self.score is not None:
            yield Phrase("value for the side to move, in least pieces: {score:.2f}", score=self.score)
        elif self.value is Value.DRAW:
            yield Phrase("the game has ended in a draw")
        elif self.value is not None and self.is_proven:
            yield result(self.value, self.plies)
        elif self.value is not None:
            yield _seen(self.value, self.plies)
        if self.best:
            yield Phrase("best moves: {moves}", moves=self.best)
            yield Phrase("best line: {moves}", moves=self.line)
            yield Phrase("searched plies: {depth}; positions: {nodes}", depth=self.depth, nodes=self.nodes)


def search_report(
    rules: AnyRules,
    position: Any,
    seconds: float | None,
    watch: Callable[[Found[Any]], None],
    most_positions: int = 10**9,
) -> SearchReport:
    """Search *position* for *seconds*; *watch* sees the result of each depth.

    An end that is seen is proven with the time that is left, and *most_positions*.
    """
    outcome = rules.status(position)
    if outcome is not None:
        worth = knowledge_of(rules).worth(outcome.winners, position.turn)
        return SearchReport(_value(worth), 0, None, (), (), 0, 0, is_proven=True)
    clock, end = monotonic(), 1000 * (USUAL_SECONDS if seconds is None else seconds)
    found = None
    for found in Search(knowledge_of(rules), position, should_stop=lambda: clock() >= end).iterations():
        watch(found)
    assert found is not None
    if abs(found.value) < SURE:
        moves = write_line(rules, position, found.line)
        score = found.value / _HUNDRED
        return SearchReport(None, None, score, moves[:1], moves, found.depth, found.nodes, is_proven=False)
    end = max(end, clock() + _PROOF_MS)
    proven = _proven(rules, position, found.value, Budget(most_positions, lambda: clock() >= end))
    plies, line = proven or (WIN - abs(found.value), found.line)
    moves = write_line(rules, position, line)
    return SearchReport(
        _value(found.value), plies, None, moves[:1], moves, found.depth, found.nodes, is_proven=bool(proven)
    )


def _proven(rules: AnyRules, position: Any, value: int, budget: Budget) -> tuple[int, Sequence[Any]] | None:
    """The plies to the end that was seen, and a line; None if unproven."""
    is_won, bound = value > 0, WIN - abs(value)
    if not is_won and len(rules.sides) != 2:
        return None
    side = position.turn if is_won else 1 - position.turn
    try:
        ends = Ends(knowledge_of(rules), side, budget)
        moves = ends.least(position, (bound + is_won) // 2)
        return None if moves is None else (2 * moves - is_won, ends.line(position, moves))
    except GaveUp:
        return None


def _seen(value: Value, plies: int | None) -> Phrase:
    """The sentence for an end that a search has seen, for the side to move."""
    if value is Value.WIN:
        return Phrase(
            "the search sees a win for the side to move, not proven; plies to the end: {plies} at most",
            plies=plies,
        )
    return Phrase(
        "the search sees a loss for the side to move, not proven; plies to the end: {plies} at most",
        plies=plies,
    )


def _value(worth: int) -> Value:
    """The result that *worth* stands for."""
    return Value.WIN if worth > 0 else Value.LOSS if worth < 0 else Value.DRAW
