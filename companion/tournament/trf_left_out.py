# SPDX-License-Identifier: Apache-2.0
"""Parts of a federation's report that are not imported, with reason and line.

They are sentences that are translated into every language.
For a code on many lines, the first line is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NewType

from companion.model.errors import TournamentError
from companion.model.phrase import Phrase
from companion.tournament.event import CODES as EVENT_CODES
from companion.tournament.tie_breaks import CODES
from companion.tournament.ties import check_rated
from companion.tournament.trf import follow_on, unreported_players
from companion.tournament.values import Format, Number, Round, Tournament

Note = NewType("Note", str)
"""A sentence for the person who imports the report."""

_PLAYER: Final = "001"
_TAKEN: Final = frozenset(
    EVENT_CODES
    | {
        _PLAYER,
        "012",
        "013",
        "062",
        "072",
        "082",
        "092",
        "142",
        "152",
        "182",
        "192",
        "202",
        "212",
        "222",
        "240",
        "300",
        "310",
        "320",
        "330",
        "352",
        "801",
        "802",
        "XXR",
        "###",
    }
)
"""Codes of lines that are read, derived, given at the announcement, or remarks."""
_RATED_BY: Final = re.compile(r"[A-Z]{3} [ \d]{3}\d")
"""A player's national rating: the federation, and the starting number."""
_POINTS: Final = Note(Phrase("a game brings 1, ½ or 0 points here"))
_NO_CHOICE: Final = Note(Phrase("the pairing has no such choice here"))
_BY_HAND: Final = Note(Phrase("excuse these players by hand"))
_ACCELERATED: Final = Note(Phrase("acceleration is chosen when the tournament is announced"))
_NATIONAL: Final = Note(Phrase("national ratings come from a rating list"))
_UNKNOWN: Final = Note(Phrase("no such line is known here"))
_WHY: Final = {
    **dict.fromkeys(("XXC", "XXP", "260"), _NO_CHOICE),
    **dict.fromkeys(("XXA", "250"), _ACCELERATED),
    **dict.fromkeys(("XXS", "162", "299", "362"), _POINTS),
    "172": _NATIONAL,
    "XXZ": _BY_HAND,
}


def left_out(text: str, of: Tournament, report: Tournament) -> tuple[Note, ...]:
    """Notes on the parts of *text*, which is *report*, that are not imported into *of*.

    The players have just been entered into *of*.
    """
    return (*_lines(text), *_ties(of, report), *_rounds(text, of, report))


def _lines(text: str) -> Iterator[Note]:
    """Lines that cannot be stored."""
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
                    reason=_WHY.get(code) or (_NATIONAL if _RATED_BY.fullmatch(line[:8]) else _UNKNOWN),
                )
            )


def _ties(of: Tournament, report: Tournament) -> Iterator[Note]:
    """Tie-breaks of the report that are not those of the tournament."""
    if report.tie_breaks and report.tie_breaks != of.tie_breaks:
        yield Note(
            Phrase(
                "the report has other tie-breaks than {tournament}: {codes}",
                tournament=of.name,
                codes=tuple(CODES[name] for name in report.tie_breaks),
            )
        )


def _rounds(text: str, of: Tournament, report: Tournament) -> Iterator[Note]:
    """The first round that is not imported, and its reason.

    Also a rank that will not be used to pair the next round.
    """
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
    """The reason why no round at all is imported, or None."""
    if of.format is not Format.SWISS or of.seats > 2:
        return Note(Phrase("only a Swiss system of two at a table goes on from a report"))
    if of.boards != report.boards:
        return Note(Phrase("its teams meet on another number of boards"))
    if of.rounds or len(of.players) != len(report.players):
        return Note(Phrase("others have entered, or rounds are paired already"))
    try:
        check_rated(of)
    except TournamentError as fault:
        return Note(fault.message)
    return None


def _why_not(text: str, of: Tournament, report: Tournament, each: Round) -> Note:
    """The reason why *each* is not imported, although the rounds before it are."""
    missing = unreported_players(report, each)
    if not missing or of.boards:
        return Note(Phrase("a match is not complete, or a line-up cannot be"))
    first = missing[0]
    return Note(
        Phrase(
            "line {line} has no result of {player}",
            line=_row_of(text, first),
            player=report.player(first).name,
        )
    )


def _row_of(text: str, number: Number) -> int:
    """The line number of the player *number*."""
    lines = enumerate(text.splitlines(), 1)
    return next(row for row, line in lines if line[:3] == _PLAYER and line[4:8].strip() == str(number))
