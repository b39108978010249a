# SPDX-License-Identifier: Apache-2.0
"""A stored game as a filled score sheet. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from companion.feedback.words import Words, load
from companion.host.records.records import CORRECTED, KeptGame, from_record, outcome_of, rules_of
from companion.model.notation import GameRecord
from companion.sheets.page import Paper
from companion.sheets.pdf import to_pdf
from companion.sheets.scoresheet import Written, score_pages

_LANGUAGE: Final = "en"


def score_sheet(record: GameRecord, paper: Paper) -> bytes:
    """Return *record* as a PDF. Raises `CompanionError` if its rules reject it."""
    sides = rules_of(record).sides
    words = load(_LANGUAGE, record.game, sides)
    names = [words.side(side).name for side in range(len(sides))]
    title = words.game.title
    return to_pdf(score_pages(title, names, paper, written(record, words)), title)


@dataclass(frozen=True, slots=True)
class Remarks:
    """Remarks about an arbiter's actions; `{number}` is a move number."""

    stood: str = "Before move {number} an arbiter let a position stand."
    corrected: str = "An arbiter corrected the record from move {number} on."


ENGLISH: Final = Remarks()


def written(record: GameRecord, words: Words, remarks: Remarks = ENGLISH) -> Written:
    """Return the entries on the score sheet of *record*."""
    sides, tags = rules_of(record).sides, record.tags
    outcome = outcome_of(record)
    result = "" if outcome is None else words.outcome(outcome)
    marked = _known(tags.get(CORRECTED))
    corrected = [words.fill(remarks.corrected, number=marked)] if marked else []
    stood = [words.fill(remarks.stood, number=ply + 1) for ply in sorted(record.adopted)]
    return Written(
        event=" · ".join(filter(None, (_known(tags.get("Event")), _known(tags.get("Site"))))),
        round=_known(tags.get("Round")),
        table=_known(tags.get("Table")),
        date=_known(tags.get("Date")).replace(".", "-"),
        names=[_known(tags.get(side.capitalize())) for side in sides],
        points=[str(score) for score in record.scores],
        rounds=_rounds(from_record(record), len(sides)),
        result=" ".join(filter(None, (result, *stood, *corrected))),
    )


def _known(tag: str | None) -> str:
    """Return the value of *tag*; "" if it is missing or unknown."""
    return tag if tag and tag.strip("?.") else ""


def _rounds(game: KeptGame, sides: int) -> list[list[str]]:
    """Return the moves of *game* by rounds;

    "" for a side without a turn in a round.
    """
    rounds: list[list[str]] = []
    latest = sides
    for move in game.moves:
        if move.side <= latest:
            rounds.append([""] * sides)
        rounds[-1][move.side] = move.text
        latest = move.side
    return rounds
