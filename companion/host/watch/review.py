# SPDX-License-Identifier: Apache-2.0
"""The review of a game: each position with its move, clocks and remarks.

Pure, except for what reads files.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from companion.feedback.page import Json
from companion.feedback.words import Words, load
from companion.host.journal import journal as journals
from companion.host.journal.journal import SUFFIX, Journal, following
from companion.host.records.records import KeptGame, from_journal, named_sides, rules_of, spoken_names
from companion.host.table.table import Table
from companion.host.watch.judged import move_numbers
from companion.host.watch.page import replay_json
from companion.model.errors import CompanionError
from companion.model.game import AnyRules
from companion.referee.state.replay_events import Replay
from companion.referee.values.clocks import Clocks, Control
from companion.referee.values.events import (
    DrawOffered,
    Event,
    GameAdjourned,
    GameBegan,
    GamePaused,
    IllegalSeen,
    MoveRetracted,
    RecordCorrected,
    Stage,
)
from companion.referee.values.view import ClockView

_UNKNOWN: Final = None
"""Clock of a side whose time is not known."""


@dataclass(frozen=True, slots=True)
class ReviewedGame:
    """A game with what the referee said of it."""

    game: KeptGame
    control: Control | None = None
    """Time control, if it is known."""
    remarks: Mapping[int, Sequence[Event]] = field(default_factory=dict)
    """Events that are no moves, by the number of the position in which they happened."""


def words_for(game: KeptGame, language: str) -> Words:
    """Return the words for *game* in *language*, with its players. Raises `CompanionError`."""
    words = load(language, game.record.game, rules_of(game.record).sides)
    return words.of_players(spoken_names(named_sides(game.record).values(), words))


def last_game(journal: Journal, rules: AnyRules) -> ReviewedGame | None:
    """Return the last game of *journal*; None before its first move.

    Raises `CompanionError`.
    """
    *_, game = (None, *from_journal(journal))
    remarks = _remarks(journal, rules)
    return None if game is None else ReviewedGame(game, journal.header.control, remarks)


def game_on(table: Table) -> ReviewedGame | None:
    """Return the game on *table* as far as on the disk; None before a move.

    Reads its journal. Raises `CompanionError`.
    """
    rules, path = table.pipeline.session.rules, table.current.journal.path
    return last_game(journals.read(path), rules)


def kept_game(game: KeptGame, folder: Path) -> ReviewedGame:
    """Return *game* of the store, with remarks if its journal is in *folder*."""
    if game.origin is not None:
        for path in sorted(folder.glob(f"*_{game.record.game}{SUFFIX}")):
            try:
                journal = journals.read(path)
                found = last_game(journal, rules_of(game.record))
            except CompanionError:
                continue  # the store has the game in any case
            if found is not None and found.game.origin == game.origin:
                return ReviewedGame(game, found.control, found.remarks)
    return ReviewedGame(game)


def _remarks(journal: Journal, rules: AnyRules) -> dict[int, list[Event]]:
    """Return what the referee remarked in the last game of *journal*, by position."""
    state = Replay(rules, journal.header.control)
    remarks: dict[int, list[Event]] = {}
    with following(journal) as entries:
        for entry in entries:
            if not isinstance(entry, Event):
                continue
            state.take(entry)
            at = len(state.entries)
            if isinstance(entry, GameBegan):
                remarks = {}
            if isinstance(entry, RecordCorrected) or _is_taken_back(entry):
                remarks = {number: said for number, said in remarks.items() if number <= at}
            if isinstance(
                entry, IllegalSeen | DrawOffered | GamePaused | GameAdjourned | RecordCorrected
            ) or _is_taken_back(entry):
                remarks.setdefault(at, []).append(entry)
    return remarks


def _is_taken_back(event: Event) -> bool:
    """True if an announced move was retracted."""
    return isinstance(event, MoveRetracted) and event.stage is not Stage.PROVISIONAL


def review_json(reviewed: ReviewedGame, words: Words) -> Json:
    """Return the data of the review in *words*. Raises `CompanionError`."""
    game = reviewed.game
    replay = replay_json(game.record, words)
    lines: list[Json] = []
    start = ""
    moves = iter(game.moves)
    left: list[int | None] = _first_times(reviewed.control, len(words.sides))
    counted = move_numbers(game.record)
    for number, picture in enumerate(replay["pictures"]):
        view = picture["view"]
        if view["record"]:
            (line,) = view["record"]
            move = next(moves)
            line["spent_ms"] = move.thought_ms if any(each is not None for each in left) else None
            if move.left_ms is not None:
                left[move.side] = move.left_ms
                line["spent_ms"] = move.thought_ms
            lines.append(line)
        elif number:  # a position that was let stand
            stood = words.common.labels["stood"]
            before = replay["pictures"][number - 1]["view"]
            if view["ply"] > before["ply"]:
                lines.append(_adopted(before, stood))
            elif lines:
                lines[-1] = {**lines[-1], "text": f"{lines[-1]['text']}, {stood}"}
            else:
                start = stood
        picture["caption"] = f"{counted[number]} {lines[-1]['text']}" if number in counted else ""
        view["clocks"] = _clocks(left)
        picture["remarks"] = _sentences(reviewed.remarks.get(number, ()), words)
    return {**replay, "record": lines, "start": start, "has_ended": game.record.result != "*"}


def _first_times(control: Control | None, sides: int) -> list[int | None]:
    """Return the time of each side at the start; None where it is not known."""
    if control is None:
        return [_UNKNOWN] * sides
    return [reserve.left_ms for reserve in Clocks.of(control).reserves]


def _clocks(left: Sequence[int | None]) -> list[Json | None]:
    """Return the clocks with these times; () if none is known."""
    if all(each is None for each in left):
        return []
    return [
        None if each is None else dataclasses.asdict(ClockView(each, is_running=False, at_ms=0))
        for each in left
    ]


def _adopted(before: Json, stood: str) -> Json:
    """Return the line of the record for a position that counts as a ply."""
    return {
        "ply": before["ply"],
        "side": before["turn"],
        "move": "",
        "text": stood,
        "stage": Stage.SETTLED.value,
        "source": [],
        "target": [],
        "spent_ms": None,
    }


def _sentences(events: Sequence[Event], words: Words) -> list[str]:
    """Return *events* as sentences, each once."""
    return list(dict.fromkeys(_sentence(event, words) for event in events))


def _sentence(event: Event, words: Words) -> str:
    common = words.common
    match event:
        case IllegalSeen(violation=violation):
            return words.sentence(violation)
        case DrawOffered(side=side):
            return words.fill(common.prompts.draw_offered, side=words.side(side))
        case GamePaused():
            return common.prompts.paused
        case GameAdjourned():
            return common.prompts.adjourned
        case MoveRetracted(move=move):
            return words.fill(common.labels["taken-back"], move=move)
    return common.labels["corrected"]
