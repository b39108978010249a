# SPDX-License-Identifier: Apache-2.0
"""The value of a position in the terminal, as sentences or as JSON."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console
from rich.progress import Progress as ProgressLine
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from companion.host.analysis.evaluation import analyst_of, result
from companion.host.analysis.searched import SearchReport, search_report
from companion.host.clock import monotonic
from companion.host.text.error_translation import translate
from companion.model.errors import AnalysisError, OptionError
from companion.model.game import AnyRules
from companion.model.phrase import Phrase
from companion.opponent.close_quarters.analysis import Analyst, Value
from companion.opponent.found import Found
from companion.opponent.solved import SOLVED

if TYPE_CHECKING:
    from companion.opponent.close_quarters.solver import Progress


class Report(NamedTuple):
    """An analysis in the notation of the game; its fields are those of the JSON."""

    value: Value
    """For the side to move."""
    plies: int | None
    """None in a draw."""
    best: tuple[str, ...]
    line: tuple[str, ...]

    def sentences(self) -> Iterator[Phrase]:
        """Yield what people read."""
        yield result(self.value, self.plies)
        if self.best:
            yield Phrase("best moves: {moves}", moves=self.best)
        if self.line:
            yield Phrase("game with best play: {moves}", moves=self.line)


def report(
    rules: AnyRules, position: Any, seconds: float | None, errors: Console, language: str
) -> Report | SearchReport:
    """Analyse *position*, and show the progress of a long computation on *errors*.

    A solved game has an exact value; others are searched for *seconds*.
    Raises `OptionError` for an impossible position, `ExtraMissing`, and `AnalysisError` if a
    solution takes longer than *seconds*.
    """
    with _shown(errors, language) as show:
        if rules.slug in SOLVED:
            return _exact(rules, position, seconds, errors, language, show)

        def watch(found: Found[Any]) -> None:
            show(Phrase("searched plies: {depth}; positions: {nodes}", depth=found.depth, nodes=found.nodes))

        return search_report(rules, position, seconds, watch)


def _exact(
    rules: AnyRules,
    position: Any,
    seconds: float | None,
    errors: Console,
    language: str,
    show: Callable[[Phrase], None],
) -> Report:
    """Look *position* up in the tablebase of *rules*, which may have to be computed."""
    if not Analyst.is_possible(position):
        text = rules.write_position(position)
        raise OptionError(
            "{text!r} is not a position: the side that has just moved has no piece",
            text=text,
            option="position",
            value=text,
            allowed=(),
        )

    def warn(message: Phrase) -> None:
        errors.print(translate(message, language), soft_wrap=True, markup=False)

    analyst = analyst_of(rules, warn, _watching(seconds, show))
    score, turn = analyst.score(position), position.turn
    moves: list[str] = []
    best = tuple(rules.write_move(position, move) for move in analyst.best(position))
    for move in analyst.line(position):
        moves.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    return Report(score.value(turn), score.plies, best, tuple(moves))


def _watching(seconds: float | None, show: Callable[[Phrase], None]) -> Callable[[Progress], None]:
    """Return what shows the progress of a computation.

    It raises `AnalysisError` after *seconds*.
    """
    clock = monotonic()

    def watch(progress: Progress) -> None:
        if seconds is not None and clock() > 1000 * seconds:
            raise AnalysisError(
                "the analysis takes longer than {seconds} s: allow more with --seconds", seconds=seconds
            )
        show(
            Phrase(
                "plies from the end: {plies}; positions: {count}",
                plies=progress.plies,
                count=progress.decided,
            )
        )

    return watch


@contextlib.contextmanager
def _shown(errors: Console, language: str) -> Iterator[Callable[[Phrase], None]]:
    """Yield what shows a sentence of progress on *errors*."""
    line = ProgressLine(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    )
    with line:
        task = line.add_task("", total=None, visible=False)
        yield lambda said: line.update(task, description=translate(said, language), visible=True)
