# SPDX-License-Identifier: Apache-2.0
"""What of a federation's report goes on in a tournament here, and what does not.

The tournament has just the players of the report.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from companion.model.errors import TournamentError
from companion.model.phrase import Phrase
from companion.model.reading import Note
from companion.tournament.tie_breaks import CODES
from companion.tournament.ties import check_rated
from companion.tournament.trf_reader import Report
from companion.tournament.trf_teams import is_met
from companion.tournament.values import Bye, Format, Number, Round, Tournament


def follow_on(of: Tournament, report: Tournament) -> tuple[Round, ...]:
    """The rounds of *report* that can be taken into *of*, which has just its players.

    A round is taken if it covers all players. For teams, it includes the line-ups of the report.
    Empty if the format derives pairings from the players' numbers, if others have entered, too, or
    in another order, if teams meet on another number of boards, or if a tie-break needs ratings
    that players lack.
    """
    is_fresh = not of.rounds and _names(of) == _names(report)
    if not is_fresh or of.format is not Format.SWISS or of.seats > 2 or of.boards != report.boards:
        return ()
    try:
        check_rated(replace(report, tie_breaks=of.tie_breaks))
    except TournamentError:
        return ()
    return tuple(
        itertools.takewhile(lambda each: bool(each.pairings) and _is_whole(report, each), report.rounds)
    )


def _names(of: Tournament) -> list[str]:
    return [player.name for player in of.players]


def _is_whole(report: Tournament, each: Round) -> bool:
    return is_met(report, each) if report.boards else not _unreported(report, each)


def announced_byes(report: Tournament, after: int) -> tuple[tuple[int, Number, Bye], ...]:
    """Byes of rounds that *report* does not pair: round, player, bye.

    These rounds follow its first *after* rounds.
    """
    following = report.rounds[after:]
    if any(each.pairings for each in following):
        return ()
    return tuple((each.number, number, bye) for each in following for number, bye in each.byes)


def _unreported(report: Tournament, each: Round) -> tuple[Number, ...]:
    """Players who are missing in *each*, or whose game is unfinished."""
    reported = {
        number for pairing in each.pairings if pairing.points is not None for number in pairing.players
    }
    reported |= {number for number, _ in each.byes}
    return tuple(player.number for player in report.players if player.number not in reported)


def left_out(of: Tournament, report: Report) -> tuple[Note, ...]:
    """The notes of *report*, and what is not imported into *of*.

    The players have just been entered into *of*.
    """
    told = report.value
    notes = [*report.notes, *_ties(of, told), *_rounds(of, report), *_order(of, report)]
    return tuple(sorted(notes, key=lambda note: note.line or len(report.notes) + max(report.rows)))


def _ties(of: Tournament, report: Tournament) -> Iterator[Note]:
    """Tie-breaks of the report that are not those of the tournament."""
    if report.tie_breaks and report.tie_breaks != of.tie_breaks:
        what = Phrase(
            "the report has other tie-breaks than {tournament}: {codes}",
            tournament=of.name,
            codes=tuple(CODES[name] for name in report.tie_breaks),
        )
        yield Note(0, what)


def _rounds(of: Tournament, report: Report) -> Iterator[Note]:
    """The first round that is not imported, and its reason."""
    taken = follow_on(of, report.value)
    following = next((each for each in report.value.rounds[len(taken) :] if each.pairings), None)
    if following is None:
        return
    row, why = 0, None if taken else _why_none(of, report.value)
    if why is None:
        row, why = _why_not(report, following)
    what = Phrase("round {round} of the report is not taken: {reason}", round=following.number, reason=why)
    yield Note(row, what)


def _order(of: Tournament, report: Report) -> Iterator[Note]:
    """The first rank that will not be used to pair the next round."""
    if of.boards or not follow_on(of, report.value):
        return
    for before, player in itertools.pairwise(report.value.players):
        if player.rating > before.rating:
            what = Phrase("{player} is ranked by rating here, not by the number", player=before.name)
            yield Note(report.rows[before.number - 1], what)
            return


def _why_none(of: Tournament, report: Tournament) -> Phrase | None:
    """The reason why no round at all is imported, or None."""
    if of.format is not Format.SWISS or of.seats > 2:
        return Phrase("only a Swiss system of two at a table goes on from a report")
    if of.boards != report.boards:
        return Phrase("its teams meet on another number of boards")
    if of.rounds or sorted(_names(of)) != sorted(_names(report)):
        return Phrase("others have entered, or rounds are paired already")
    if _names(of) != _names(report):
        return Phrase("the players have entered in another order")
    try:
        check_rated(of)
    except TournamentError as fault:
        return fault.message
    return None


def _why_not(report: Report, each: Round) -> tuple[int, Phrase]:
    """The line and the reason for which *each*, the next round, is not imported."""
    missing = _unreported(report.value, each)
    if not missing or report.value.boards:
        return 0, Phrase("a match is not complete, or a line-up cannot be")
    first = missing[0]
    what = Phrase("there is no result of {player}", player=report.value.player(first).name)
    return report.rows[first - 1], what
