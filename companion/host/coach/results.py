# SPDX-License-Identifier: Apache-2.0
"""Who wins with best play, in solved games, for those who want to see it.

Its rule: a solution that is missing is computed in another process, with low priority.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from starlette.responses import JSONResponse, Response

from companion.host.clock import monotonic
from companion.host.opponent.line_process import LineProcess
from companion.host.records.records import rules_of
from companion.host.table.table import Interest, Table
from companion.host.text.error_translation import translate
from companion.host.watch.review_page import Find
from companion.model.errors import AnalysisError, CompanionError
from companion.model.game import AnyRules
from companion.model.notation import replay
from companion.model.phrase import Phrase
from companion.opponent.solved import SOLVED

Evaluate: TypeAlias = Callable[[Any], str]
"""Says the result of a position with best play; "" where that is not known."""

_MOST_MS: Final = 600_000
"""Longest time for a solution; it takes about a minute."""


class Results:
    """The evaluations of solved games, each made once."""

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], Evaluate] = {}
        self._turn = asyncio.Lock()

    async def of(self, rules: AnyRules) -> Evaluate:
        """Return the evaluation of *rules*, of a solved game. Raises `CompanionError`."""
        key = (rules.slug, *rules.options.items())
        async with self._turn:
            if key not in self._found:
                self._found[key] = await _evaluation(rules)
        return self._found[key]


async def _evaluation(rules: AnyRules) -> Evaluate:
    """Return the evaluation of *rules*; see to it that its tablebase is there."""
    from companion.host.analysis.evaluation import evaluation, is_ready

    if not await asyncio.to_thread(is_ready, rules):
        await _compute(rules)
    return await asyncio.to_thread(evaluation, rules, lambda _: None)


async def _compute(rules: AnyRules) -> None:
    """Let another process compute and keep the tablebase of *rules*. Raises `CompanionError`."""
    options = [word for name, value in rules.options.items() for word in ("-o", f"{name}={value}")]
    command = (sys.executable, "-m", "companion", "tools", "analyse", rules.slug, "--json", *options)
    process = await LineProcess.start(Phrase("the coach"), command, is_foreign=True)
    try:
        said = await process.line(monotonic(), _MOST_MS)
    finally:
        await process.kill()
    if not said.startswith("{"):
        raise AnalysisError("{reason}", reason=said)


async def follow_wishes(table: Table, results: Results) -> None:
    """Show who wins at *table* to those who want to see it, until cancelled."""
    served: object = None
    with table.watch(Interest.PLAY) as has_changed:
        while True:
            game = table.current.journal
            if table.pipeline.layers.hints.wants_result and served is not game:
                served = game
                await _serve(table, results)
            await has_changed.wait()
            has_changed.clear()


async def _serve(table: Table, results: Results) -> None:
    """Find the evaluation of the game at *table*; the page says what prevents it."""
    rules = table.pipeline.session.rules
    try:
        found = await results.of(rules)
    except CompanionError as fault:
        table.remark("result", str(fault))
        return
    if table.pipeline.session.rules is rules:
        table.show_result(found)


async def answer_results(find: Find, language: str, results: Results) -> Response:
    """Answer with the result of each position of a game, or with 404."""
    try:
        reviewed = await asyncio.to_thread(find)
        if reviewed is None or reviewed.game.record.game not in SOLVED:
            return Response(status_code=404)
        rules = rules_of(reviewed.game.record)
        evaluate = await results.of(rules)
        positions = [position for position, _ in replay(rules, reviewed.game.record)]
        return JSONResponse(await asyncio.to_thread(_said, rules, positions, evaluate, language))
    except CompanionError as fault:
        return Response(translate(fault, language), status_code=404, media_type="text/plain")


def _said(rules: AnyRules, positions: Sequence[Any], evaluate: Evaluate, language: str) -> list[str]:
    """Return the result of each position as a sentence; "" after the end."""
    said = ("" if rules.status(each) else translate(evaluate(each), language) for each in positions)
    return [each[:1].upper() + each[1:] for each in said]
