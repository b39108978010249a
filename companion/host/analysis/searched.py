# SPDX-License-Identifier: Apache-2.0
"""The value of a position, found by search in a given time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from companion.host.analysis.evaluation import result
from companion.host.clock import monotonic
from companion.model.game import AnyRules
from companion.model.phrase import Phrase
from companion.opponent.close_quarters.analysis import Value
from companion.opponent.find import knowledge_of
from companion.opponent.knowledge import SURE, WIN
from companion.opponent.search import Found, Search

USUAL_SECONDS: Final = 5.0
"""Time of an analysis if no other is wished."""
_HUNDRED: Final = 100


class SearchReport(NamedTuple):
    """A search in the notation of the game; its fields are those of the JSON."""

    value: Value | None
    """For the side to move; None unless the end of the game was seen."""
    plies: int | None
    """To the end, if it was seen."""
    score: float | None
    """For the side to move, in least pieces or points; None at a seen end."""
    best: tuple[str, ...]
    line: tuple[str, ...]
    depth: int
    nodes: int

    def sentences(self) -> Iterator[Phrase]:
        """Yield what people read."""
        if self.score is not None:
            yield Phrase("value for the side to move, in least pieces: {score:.2f}", score=self.score)
        elif self.value is Value.DRAW:
            yield Phrase("the game has ended in a draw")
        elif self.value is not None:
            yield result(self.value, self.plies)
        if self.best:
            yield Phrase("best moves: {moves}", moves=self.best)
            yield Phrase("best line: {moves}", moves=self.line)
            yield Phrase("searched plies: {depth}; positions: {nodes}", depth=self.depth, nodes=self.nodes)


def search_report(
    rules: AnyRules, position: Any, seconds: float | None, watch: Callable[[Found[Any]], None]
) -> SearchReport:
    """Search *position* for *seconds*; *watch* sees the result of each depth."""
    outcome = rules.status(position)
    if outcome is not None:
        worth = knowledge_of(rules).worth(outcome.winners, position.turn)
        return SearchReport(_value(worth), 0, None, (), (), 0, 0)
    clock, end = monotonic(), 1000 * (USUAL_SECONDS if seconds is None else seconds)
    found = None
    for found in Search(knowledge_of(rules), position, should_stop=lambda: clock() >= end).iterations():
        watch(found)
    assert found is not None
    is_seen = abs(found.value) >= SURE
    moves: list[str] = []
    for move in found.line:
        moves.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    return SearchReport(
        _value(found.value) if is_seen else None,
        WIN - abs(found.value) if is_seen else None,
        None if is_seen else found.value / _HUNDRED,
        (moves[0],),
        tuple(moves),
        found.depth,
        found.nodes,
    )


def _value(worth: int) -> Value:
    """The result that *worth* stands for."""
    return Value.WIN if worth > 0 else Value.LOSS if worth < 0 else Value.DRAW
