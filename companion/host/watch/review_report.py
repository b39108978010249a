# SPDX-License-Identifier: Apache-2.0
"""The analysis of a game as text and as JSON, for terminal and page."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from companion import games
from companion.feedback.hints import best, review
from companion.feedback.page import Json
from companion.feedback.words import Words
from companion.host.records.records import KeptGame, rules_of
from companion.host.watch.judged import (
    GameAnalysis,
    JudgedPosition,
    Mistake,
    Prospect,
    curves,
    judgements,
    mistakes,
    move_numbers,
    prospects,
)
from companion.host.watch.reviewer import Reviewer
from companion.model.game import AnyRules, Outcome
from companion.model.notation import GameRecord, replay
from companion.model.written_move import written_move

if TYPE_CHECKING:
    from rich.console import Console

_BARS: Final = "▁▂▃▄▅▆▇█"


def reviewed(game: KeptGame, store: str | None, ms: int, errors: Console) -> GameAnalysis:
    """Return the analysis of *game*, with progress on *errors*. Raises `CompanionError`."""
    from rich.progress import Progress

    async def work() -> GameAnalysis:
        reviewer = Reviewer(store, ms)
        try:
            with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
                found = await reviewer.progress(game)
                task = progress.add_task(game.record.game, total=found.total)
                async for found in reviewer.finish(game):
                    progress.update(task, completed=len(found.positions))
            return found
        finally:
            await reviewer.close()

    return asyncio.run(work())


def as_data(record: GameRecord, analysis: GameAnalysis, words: Words) -> Json:
    """Return what pages and programs read of *analysis*."""
    rules = rules_of(record)
    return {
        "done": len(analysis.positions),
        "total": analysis.total,
        "curves": [
            {"side": each.side, "points": [[number, round(at, 3)] for number, at in each.points]}
            for each in curves(record, analysis)
        ],
        "values": [_value(each, words) for each in prospects(record, analysis)],
        "grades": [each.grade for each in judgements(record, analysis)],
        "best": [
            {"line": list(each.line), "sentence": _best(rules, position, each, words)}
            for each, (position, _) in zip(analysis.positions, replay(rules, record), strict=False)
        ],
        "mistakes": [
            {
                "number": each.number,
                "grade": each.grade,
                "position": each.position,
                "side": each.side,
                "played": each.played.text,
                "better": each.better.text,
                "loss": round(each.loss, 3),
                "sentence": sentence(each, words),
            }
            for each in mistakes(record, analysis)
        ],
    }


def _value(found: Prospect | Outcome, words: Words) -> str:
    """Return who is ahead, in least pieces, or in how many moves who wins."""
    if isinstance(found, Outcome):
        return words.outcome(found)
    side, said = words.side(found.side), words.common.hints
    if found.moves:
        return words.fill(said["value-wins-in"], winner=side, count=found.moves)
    if found.is_won:
        return words.fill(said["value-winning"], winner=side)
    if not round(found.least_pieces, 1):
        return said["value-even"]
    sign = "+" if found.least_pieces > 0 else "−"
    return words.fill(said["value"], side=side, sign=sign, value=abs(found.least_pieces))


def _best(rules: AnyRules, position: Any, judged: JudgedPosition, words: Words) -> str:
    """Return the best move of *position*, and why; "" after the end."""
    if not judged.line:
        return ""
    move = written_move(rules, position, rules.read_move(position, judged.line[0]))
    return best(move, judged.claims, words)


def sentence(mistake: Mistake, words: Words) -> str:
    """Return how the move is refuted, if that is proven, and what was better."""
    return review(mistake.played, mistake.played_claims, mistake.better, mistake.claims, words)


def lines(record: GameRecord, analysis: GameAnalysis, words: Words) -> Iterator[str]:
    """Yield the analysis for the terminal."""
    said, rules = words.common.hints, rules_of(record)
    for each in curves(record, analysis):
        yield words.fill(said["curve"], side=words.side(each.side), lost=_BARS[0], won=_BARS[-1])
        yield "".join(_BARS[round((at + 1) / 2 * (len(_BARS) - 1))] for _, at in each.points)
    found, counted = mistakes(record, analysis), move_numbers(record)
    if not found:
        yield words.fill(said["no-mistakes"])
    for mistake in found:
        yield ""
        yield f"{counted[mistake.number + 1]} {sentence(mistake, words)}"
        usual = {option.name: option.default for option in games.find(record.game).options}
        options = [
            f"-o {shlex.quote(f'{name}={value}')}"
            for name, value in rules.options.items()
            if value != usual.get(name)
        ]
        others = [f"--computer {side}" for number, side in enumerate(rules.sides) if number != mistake.side]
        command = (
            "companion play",
            record.game,
            *options,
            "--position",
            shlex.quote(mistake.position),
            *others,
        )
        yield words.fill(said["play-on"], command=" ".join(command))
