# SPDX-License-Identifier: Apache-2.0
"""What of a federation's report is not taken over, with the reason and the line, as sentences that are known in every language.

Of a code that many lines begin with, the first is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NewType

from companion.model.phrase import Phrase
from companion.tournament.trf import follow_on, untold
from companion.tournament.values import Format, Number, Round, Tournament

Note = NewType("Note", str)
"""A sentence for who enters the report."""

_PLAYER: Final = "001"
_TAKEN: Final = frozenset(
    {_PLAYER, "012", "013", "062", "072", "082", "092", "300", "310", "320", "XXR", "###"}
)
"""Codes of lines that are read, follow from others, or are said where the tournament is announced; and of remarks."""
_NOT_KEPT: Final = Note(Phrase("place, dates, arbiters and times are not kept here"))
_POINTS: Final = Note(Phrase("a game brings 1, ½ or 0 points here"))
_NO_CHOICE: Final = Note(Phrase("the pairing has no such choice here"))
_BY_HAND: Final = Note(Phrase("excuse these players by hand"))
_UNKNOWN: Final = Note(Phrase("no such line is known here"))
_WHY: Final = {
    **dict.fromkeys(("022", "032", "042", "052", "102", "112", "122", "132"), _NOT_KEPT),
    **dict.fromkeys(("XXA", "XXC", "XXP"), _NO_CHOICE),
    "XXS": _POINTS,
    "XXZ": _BY_HAND,
}


def left_out(text: str, of: Tournament, report: Tournament) -> tuple[Note, ...]:
    """What of *text*, which is *report*, is not taken into *of*, into which its players were just entered."""
    return (*_lines(text), *_rounds(text, of, report))


def _lines(text: str) -> Iterator[Note]:
    """Lines for which there is no place."""
    named = set(_TAKEN)
    for row, line in enumerate(text.splitlines(), 1):
        code = line[:3]
        if code not in named and line[3:].strip():
            named.add(code)
            yield Note(
                Phrase(
                    "line {line} of the report ({code}) is left out: {reason}",
                    line=row,
                    code=code,
                    reason=_WHY.get(code, _UNKNOWN),
                )
            )


def _rounds(text: str, of: Tournament, report: Tournament) -> Iterator[Note]:
    """The first round that is not taken, and why; and whose rank the next one will not be paired by."""
    taken = follow_on(of, report)
    following = next((each for each in report.rounds[len(taken) :] if each.pairings), None)
    if following is not None:
        why = _why_none(of, report) if not taken else ""
        yield Note(
            Phrase(
                "round {round} of the report is not taken: {reason}",
                round=following.number,
                reason=why or _why_not(text, of, report, following),
            )
        )
    for before, player in zip(report.players, report.players[1:], strict=False):
        if taken and not of.boards and player.rating > before.rating:
            row = _row_of(text, before.number)
            yield Note(
                Phrase(
                    "line {line} of the report: {player} is ranked by rating here, not by the number",
                    line=row,
                    player=before.name,
                )
            )
            return


def _why_none(of: Tournament, report: Tournament) -> Note | None:
    """Why nothing is taken whatever the rounds tell; None if there is no such reason."""
    if of.format is not Format.SWISS or of.seats > 2:
        return Note(Phrase("only a Swiss system of two at a table goes on from a report"))
    if of.boards != report.boards:
        return Note(Phrase("its teams meet on another number of boards"))
    if of.rounds or len(of.players) != len(report.players):
        return Note(Phrase("others have entered, or rounds are paired already"))
    return None


def _why_not(text: str, of: Tournament, report: Tournament, each: Round) -> Note:
    """Why *each* is not taken, although those before it are."""
    missing = untold(report, each)
    if not missing or of.boards:
        return Note(Phrase("a match is not complete, or a line-up cannot be"))
    first = missing[0]
    return Note(
        Phrase(
            "line {line} tells no result of {player}",
            line=_row_of(text, first),
            player=report.player(first).name,
        )
    )


def _row_of(text: str, number: Number) -> int:
    """The line of the player *number*."""
    lines = enumerate(text.splitlines(), 1)
    return next(row for row, line in lines if line[:3] == _PLAYER and line[4:8].strip() == str(number))
