# SPDX-License-Identifier: Apache-2.0
"""The value of a position in the terminal, as sentences or as JSON."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console
from rich.progress import Progress as ProgressLine
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from companion.host.analysis.evaluation import analyst_of, check_game, result
from companion.host.clock import monotonic
from companion.host.text.error_translation import translate
from companion.model.errors import AnalysisError, OptionError
from companion.model.game import AnyRules
from companion.model.phrase import Phrase
from companion.opponent.close_quarters.analysis import Analyst, Value

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


def report(rules: AnyRules, position: Any, seconds: float | None, errors: Console, language: str) -> Report:
    """Analyse *position*, and show the progress of a long computation on *errors*.

    Raises `UnknownName` for other games, `OptionError` for an impossible position,
    `ExtraMissing`, and `AnalysisError` after *seconds*.
    """
    check_game(rules.slug)
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

    with _watching(seconds, errors, language) as watch:
        analyst = analyst_of(rules, warn, watch)
    score, turn = analyst.score(position), position.turn
    moves: list[str] = []
    best = tuple(rules.write_move(position, move) for move in analyst.best(position))
    for move in analyst.line(position):
        moves.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    return Report(score.value(turn), score.plies, best, tuple(moves))


@contextlib.contextmanager
def _watching(seconds: float | None, errors: Console, language: str) -> Iterator[Callable[[Progress], None]]:
    """Show progress on *errors*; raise `AnalysisError` after *seconds*."""
    clock = monotonic()
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

        def watch(progress: Progress) -> None:
            if seconds is not None and clock() > 1000 * seconds:
                raise AnalysisError(
                    "the analysis takes longer than {seconds} s: allow more with --seconds", seconds=seconds
                )
            said = Phrase(
                "plies from the end: {plies}; positions: {count}",
                plies=progress.plies,
                count=progress.decided,
            )
            line.update(task, description=translate(said, language), visible=True)

        yield watch
