# SPDX-License-Identifier: Apache-2.0
"""The report that federations rate from: TRF16 (FIDE Handbook C.04, annex 2), written and read.

For two at a table: federations rate nothing else. A name longer than its 33 columns is cut.
The lines of teams are in `trf_teams.py`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from py4swiss.trf.exceptions import LineError, ParsingError
from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
from py4swiss.trf.sections import PlayerSection, TournamentSection
from py4swiss.trf.sections.abstract_section import Date
from py4swiss.trf.sections.player_section import Sex, Title

from companion.model.errors import TournamentError
from companion.tournament.swiss import BYES, player_sections, starting_numbers
from companion.tournament.teams import teams
from companion.tournament.ties import standings
from companion.tournament.trf_teams import is_met, team_lines, with_teams
from companion.tournament.values import (
    DRAW,
    LOSS,
    WIN,
    Bye,
    Format,
    Number,
    Pairing,
    Player,
    Round,
    Tournament,
)

_LONGEST_NAME: Final = 33
_ALONE, _TOGETHER = "Individual", "Team"
"""How the types of tournaments begin."""
_PLAYER, _NAME, _TYPE, _ROUNDS = "001", "012", "092", "XXR"
"""How the lines begin that matter here; what others say of the tournament, and how well, does not."""
_WON: Final = (ResultToken.WIN, ResultToken.WIN_NOT_RATED, ResultToken.FORFEIT_WIN)
_DRAWN: Final = (ResultToken.DRAW, ResultToken.DRAW_NOT_RATED)
_FORFEIT: Final = (ResultToken.FORFEIT_WIN, ResultToken.FORFEIT_LOSS)
_SEXES: Final = {"f": "w"}
_TITLES: Final = {
    **{"g": "gm", "m": "im", "f": "fm", "c": "cm", "wg": "wgm", "wm": "wim", "wf": "wfm", "wc": "wcm"},
    "h": "",
}
"""How titles were written before, and one that the library does not know."""
_TYPES: Final = {
    Format.SWISS: "Individual: Swiss-System (Dutch)",
    Format.ROUND_ROBIN: "Individual: Round-Robin",
    Format.DOUBLE_ROUND_ROBIN: "Individual: Double Round-Robin",
    Format.KNOCKOUT: "Individual: Knockout",
    Format.FREE: "Individual",
}


def write_trf(tournament: Tournament) -> str:
    """*tournament* as a report. Raises `TournamentError` if more than two sit at a table."""
    if any(len(pairing.players) > 2 for each in tournament.rounds for pairing in each.pairings):
        raise TournamentError(
            f"{tournament.name}: the federations' report knows two players at a table, here sit more"
        )
    fielded = teams(tournament) if tournament.boards else ()
    kind = _TYPES[tournament.format]
    header = TournamentSection(
        tournament_name=tournament.name,
        number_of_players=str(len(tournament.players)),
        number_of_rated_players=str(sum(player.rating > 0 for player in tournament.players)),
        number_of_teams=str(len(fielded)) if fielded else None,
        type_of_tournament=kind.replace(_ALONE, _TOGETHER) if fielded else kind,
    )
    numbers = _numbers(tournament)
    alone = replace(tournament, tie_breaks=()) if fielded else tournament
    ranks = {line.player.number: line.rank for line in standings(alone)}
    sections = player_sections(tournament, numbers)
    numbered = sorted(tournament.players, key=lambda player: numbers[player.number])
    for section, player in zip(sections, numbered, strict=True):
        _describe(section, player)
        section.rank = ranks[player.number]
    told = team_lines(tournament) if fielded else ()
    rounds = [f"{_ROUNDS} {tournament.planned}"] if tournament.planned else []
    return "\n".join(
        [*header.to_strings(), *rounds, *(section.to_string() for section in sections), *told, ""]
    )


def _numbers(of: Tournament) -> dict[Number, int]:
    """The starting numbers in the report: those by which players were paired, in a round robin and of teams that of entering."""
    is_ranked = of.format in (Format.SWISS, Format.KNOCKOUT) and not of.boards
    return starting_numbers(of) if is_ranked else {player.number: player.number for player in of.players}


def read_trf(text: str) -> Tournament:
    """The tournament that *text* reports. Raises `TournamentError` naming the line."""
    sections: list[PlayerSection] = []
    about: dict[str, str] = {}
    for index, line in enumerate(text.splitlines()):
        try:
            if line.startswith(_PLAYER):
                sections.append(PlayerSection.from_string(_as_today(line)))
            elif line[:3] in (_NAME, _TYPE):
                about.setdefault(line[:3], line[4:].strip())
        except (LineError, ParsingError, ValueError) as fault:
            raise TournamentError(f"line {index + 1} of the report: {fault}") from fault
    if not sections:
        raise TournamentError("the report names no players: lines of players begin with 001")
    sections.sort(key=lambda section: section.starting_number)
    if [section.starting_number for section in sections] != list(range(1, len(sections) + 1)):
        raise TournamentError("the report's starting numbers do not run from 1 without gaps")
    kind = about.get(_TYPE, "").replace(_TOGETHER, _ALONE)
    alone = Tournament(
        about.get(_NAME, ""),
        next((each for each, name in _TYPES.items() if name == kind), Format.SWISS),
        "chess",
        players=tuple(map(_player, sections)),
        rounds=_rounds(sections),
    )
    return with_teams(alone, text)


def _as_today(line: str) -> str:
    """The *line* of a player as the library wants it: many programs write titles and dates as before 2016, or points with a comma.

    Points and rank follow from the results here, so they are left out.
    """
    sex, title, born = line[9:10].lower(), line[10:13].strip().lower(), line[69:79].strip()
    is_date = re.fullmatch(r"\d{4}([/.-]\d\d[/.-]\d\d)?", born)
    return "".join(
        (
            line[:9],
            _SEXES.get(sex, sex),
            f"{_TITLES.get(title, title):>3}",
            f"{line[13:69]:<56}",
            f"{born if is_date else '':<10}",
            f"  0.0 {line[4:8]}",
            line[89:],
        )
    )


def is_trf(text: str) -> bool:
    """True if *text* is such a report, rather than a list of players."""
    return any(line.startswith(f"{_PLAYER} ") for line in text.splitlines())


def follow_on(of: Tournament, report: Tournament) -> tuple[Round, ...]:
    """The rounds of *report* with which *of*, into which just its players were entered, goes on: those in which all are told of.

    For those of teams, the line-ups of the report come before them. None where the numbers of the players say who meets whom,
    where others have entered, too, or teams meet on another number of boards.
    """
    is_fresh = not of.rounds and len(of.players) == len(report.players)
    if not is_fresh or of.format is not Format.SWISS or of.seats > 2 or of.boards != report.boards:
        return ()
    is_whole = is_met if of.boards else _is_told
    return tuple(itertools.takewhile(lambda each: is_whole(report, each), report.rounds))


def _is_told(report: Tournament, each: Round) -> bool:
    """True if all have a table or a bye."""
    told = len(each.byes) + sum(len(pairing.players) for pairing in each.pairings)
    return told == len(report.players)


def _describe(section: PlayerSection, player: Player) -> None:
    """Write what else is known of *player* into their *section*."""
    section.name = player.name[:_LONGEST_NAME]
    section.sex = Sex(player.sex) if player.sex in set(Sex) else None
    section.title = Title(player.title.lower()) if player.title.lower() in set(Title) else None
    section.fide_federation = player.federation[:3] or None
    section.fide_number = int(player.licence) if player.licence.isdecimal() else None
    section.birth_date = _date(player.born)


def _date(born: str) -> Date | None:
    """The day that *born* names; zeros for what it leaves out."""
    parts = born.split("/")
    if len(parts) > 3 or not all(part.isdecimal() for part in parts):
        return None
    year, month, day = (*map(int, parts), 0, 0)[:3]
    return Date(year=year, month=month, day=day)


def _player(section: PlayerSection) -> Player:
    born = section.birth_date
    parts = [] if born is None else [f"{born.year:04}", f"{born.month:02}", f"{born.day:02}"]
    return Player(
        section.starting_number,
        section.name or f"Player {section.starting_number}",
        section.fide_rating or 0,
        "" if section.title is None else section.title.value.upper(),
        section.fide_federation or "",
        "" if section.fide_number is None else str(section.fide_number),
        "/".join(parts if born is not None and born.month else parts[:1]),
        "" if section.sex is None else section.sex.value,
    )


def _rounds(sections: Sequence[PlayerSection]) -> tuple[Round, ...]:
    """The rounds in which somebody has a result. Raises `TournamentError` if two players tell different things."""
    count = max(len(section.results) for section in sections)
    return tuple(
        _round(
            number, {section.starting_number: section.results[number - 1 : number] for section in sections}
        )
        for number in range(1, count + 1)
    )


def _round(number: int, of: Mapping[Number, Sequence[RoundResult]]) -> Round:
    pairings: list[Pairing] = []
    byes: list[tuple[Number, Bye]] = []
    for player, result in ((player, each) for player, results in of.items() for each in results):
        if not result.id and result.result is ResultToken.FORFEIT_WIN:
            pairings.append(Pairing(len(pairings) + 1, (player,), (WIN,), is_forfeit=True))
            continue
        if result.result.is_bye() or not result.id:
            byes.append(
                (player, next((bye for bye, token in BYES.items() if token is result.result), Bye.ZERO))
            )
            continue
        theirs = of.get(result.id, ())
        if not theirs or theirs[0].id != player or not result.result.is_compatible_with(theirs[0].result):
            raise TournamentError(
                f"round {number} of the report: players {player} and {result.id} tell different things of their game"
            )
        if result.color is ColorToken.WHITE:
            points = (_points(result.result), _points(theirs[0].result))
            pairings.append(
                Pairing(len(pairings) + 1, (player, result.id), points, is_forfeit=result.result in _FORFEIT)
            )
    return Round(number, tuple(pairings), tuple(byes))


def _points(token: ResultToken) -> int:
    return WIN if token in _WON else DRAW if token in _DRAWN else LOSS
