# SPDX-License-Identifier: Apache-2.0
"""Reader and writer of the rating report TRF16 (FIDE Handbook C.04, annex 2).

For two at a table: federations rate nothing else. A name longer than its 33 columns is cut.
The lines of teams are in `trf_teams.py`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from py4swiss.trf.exceptions import LineError, ParsingError
from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
from py4swiss.trf.sections import PlayerSection, TournamentSection
from py4swiss.trf.sections.abstract_section import Date
from py4swiss.trf.sections.player_section import Sex, Title

from companion.model.errors import TournamentError
from companion.model.phrase import Phrase
from companion.tournament.event import header_lines, read_event
from companion.tournament.spreadsheet import UTF_8
from companion.tournament.starting_order import starting_numbers
from companion.tournament.swiss import BYES, bye_result, player_sections
from companion.tournament.teams import teams
from companion.tournament.ties import check_rated, standings
from companion.tournament.trf_header import bye_lines, read_byes, read_ties, tournament_lines
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
_RESULTS, _WIDTH = 91, 10
"""First column of a player's rounds, and columns of each."""
_ABSENT: Final = RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=ResultToken.ZERO_POINT_BYE)
_ON: Final = RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=ResultToken.ZERO_POINT_BYE)
"""A game without a result."""
_BYES_BEFORE: Final = {"=": "H", "-": "Z", " ": "Z"}
"""Codes of byes in reports before 2016, and of programs between rounds."""
_ALONE, _TOGETHER = "Individual", "Team"
"""First words of the types of tournaments."""
_PLAYER, _NAME, _TYPE = "001", "012", "092"
"""Codes of the lines that are used."""
_ENCODING: Final = "### UTF-8"
"""A remark for readers that would guess."""
_WON: Final = (ResultToken.WIN, ResultToken.WIN_NOT_RATED, ResultToken.FORFEIT_WIN)
_DRAWN: Final = (ResultToken.DRAW, ResultToken.DRAW_NOT_RATED)
_FORFEIT: Final = (ResultToken.FORFEIT_WIN, ResultToken.FORFEIT_LOSS)
_SEXES: Final = {"f": "w"}
_TITLES: Final = {
    **{"g": "gm", "m": "im", "f": "fm", "c": "cm", "wg": "wgm", "wm": "wim", "wf": "wfm", "wc": "wcm"},
    "h": "",
}
"""Older codes of titles, and one that the library lacks."""
_TYPES: Final = {
    Format.SWISS: "Individual: Swiss-System (Dutch)",
    Format.ROUND_ROBIN: "Individual: Round-Robin",
    Format.DOUBLE_ROUND_ROBIN: "Individual: Double Round-Robin",
    Format.KNOCKOUT: "Individual: Knockout",
    Format.FREE: "Individual",
}


@dataclass(frozen=True, slots=True)
class _PlayerRounds:
    """The rounds in a player's line."""

    number: Number
    results: tuple[RoundResult | None, ...]


def write_trf(tournament: Tournament, byes: Mapping[Number, Bye] | None = None) -> str:
    """*tournament* as a report. Raises `TournamentError` with more than two at a table.

    With the *byes* of the next round it is the request to a pairing program for that round.
    """
    if any(len(pairing.players) > 2 for each in tournament.rounds for pairing in each.pairings):
        raise TournamentError(
            "{tournament}: the federations' report knows two players at a table, here sit more",
            tournament=tournament.name,
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
        if byes and player.number in byes:
            section.results.append(bye_result(byes[player.number]))
    lines_of_teams = team_lines(tournament) if fielded else ()
    rounds = tournament.planned or (0 if byes is None else len(tournament.rounds) + 1)
    announced = () if byes is not None or fielded else bye_lines(tournament, numbers)
    return "\n".join(
        [
            *_in_order([*header.to_strings(), *header_lines(tournament.event)]),
            _ENCODING,
            *tournament_lines(tournament, rounds, numbers),
            *(section.to_string() for section in sections),
            *announced,
            *lines_of_teams,
            "",
        ]
    )


def _in_order(lines: Sequence[str]) -> list[str]:
    """*lines* about the event by their codes; those of one code in their order."""
    return sorted(lines, key=lambda line: line[:3])


def _numbers(of: Tournament) -> dict[Number, int]:
    """The starting numbers in the report: those used for pairing.

    In a round robin and for teams, the order of entry.
    """
    is_ranked = of.format is not Format.FREE and not of.boards
    return starting_numbers(of) if is_ranked else {player.number: player.number for player in of.players}


def read_trf(text: str) -> Tournament:
    """The tournament that *text* reports. Raises `TournamentError` naming the line."""
    sections: list[PlayerSection] = []
    results: list[_PlayerRounds] = []
    about: dict[str, str] = {}
    text = without_mark(text)
    for index, line in enumerate(text.splitlines()):
        try:
            if line.startswith(_PLAYER):
                sections.append(PlayerSection.from_string(_as_today(line)))
                results.append(_PlayerRounds(sections[-1].starting_number, _results(line[_RESULTS:])))
            elif line[:3] in (_NAME, _TYPE):
                about.setdefault(line[:3], line[4:].strip())
        except (LineError, ParsingError, ValueError) as fault:
            raise TournamentError(
                "line {line} of the report: {reason}", line=index + 1, reason=fault
            ) from fault
    if not sections:
        raise TournamentError("the report names no players: lines of players begin with 001")
    sections.sort(key=lambda section: section.starting_number)
    if [section.starting_number for section in sections] != list(range(1, len(sections) + 1)):
        raise TournamentError("the report's starting numbers do not run from 1 without gaps")
    kind = about.get(_TYPE, "")
    rounds = _rounds(results)
    following = read_byes(text, len(rounds))
    players = tuple(
        replace(each, excused=tuple(following.get(each.number, ()))) for each in map(_player, sections)
    )
    alone = Tournament(
        about.get(_NAME, ""),
        next(
            (each for each, name in _TYPES.items() if name == kind.replace(_TOGETHER, _ALONE)), Format.SWISS
        ),
        "chess",
        players=players,
        rounds=rounds,
        event=read_event(text),
    )
    found = with_teams(alone, text, is_individual=kind.casefold().startswith(_ALONE.casefold()))
    return replace(found, tie_breaks=read_ties(text, teams=bool(found.boards)))


def _as_today(line: str) -> str:
    """The *line* of a player in the library's format.

    Many programs write titles and dates as before 2016, or points with a comma.
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
            "  ",
        )
    )


def _results(text: str) -> tuple[RoundResult | None, ...]:
    """The result of each round in a player's line.

    `_ON` for a game without a result, None where it is blank. Raises `ValueError`.
    """
    found: list[RoundResult | None] = []
    for start in range(0, len(text.rstrip()), _WIDTH):
        part = f"{text[start : start + _WIDTH - 2]:<{_WIDTH - 2}}"
        opponent, result = part[:4].strip(), part[7]
        if not part.strip():
            found.append(None)
        elif result == " " and opponent.strip("0"):
            found.append(_ON)
        elif not opponent.strip("0") and result in _BYES_BEFORE:
            found.append(RoundResult.from_string(f"0000 - {_BYES_BEFORE[result]}"))
        else:
            try:
                found.append(RoundResult.from_string(part))
            except ValueError:
                raise ValueError(Phrase("invalid round result {text!r}", text=part)) from None
    while found and found[-1] is None:
        found.pop()
    return tuple(found)


def is_trf(text: str) -> bool:
    """True if *text* is such a report, not a list of players."""
    return any(line.startswith(f"{_PLAYER} ") for line in without_mark(text).splitlines())


def without_mark(text: str) -> str:
    """*text* without the mark that many editors put before Unicode."""
    return text.removeprefix(UTF_8)


def follow_on(of: Tournament, report: Tournament) -> tuple[Round, ...]:
    """The rounds of *report* that can be taken into *of*, which has just its players.

    A round is taken if it covers all players. For teams, it includes the line-ups of the report.
    Empty if the format derives pairings from the players' numbers, if others have entered, too,
    if teams meet on another number of boards, or if a tie-break needs ratings that players lack.
    """
    is_fresh = not of.rounds and len(of.players) == len(report.players)
    if not is_fresh or of.format is not Format.SWISS or of.seats > 2 or of.boards != report.boards:
        return ()
    try:
        check_rated(replace(report, tie_breaks=of.tie_breaks))
    except TournamentError:
        return ()
    is_whole = is_met if of.boards else covers_all_players
    return tuple(
        itertools.takewhile(lambda each: bool(each.pairings) and is_whole(report, each), report.rounds)
    )


def announced_byes(report: Tournament, after: int) -> tuple[tuple[int, Number, Bye], ...]:
    """Byes of rounds that *report* does not pair: round, player, bye.

    These rounds follow its first *after* rounds.
    """
    following = report.rounds[after:]
    if any(each.pairings for each in following):
        return ()
    return tuple((each.number, number, bye) for each in following for number, bye in each.byes)


def covers_all_players(report: Tournament, each: Round) -> bool:
    """True if all players have a table or a bye."""
    return not unreported_players(report, each)


def unreported_players(report: Tournament, each: Round) -> tuple[Number, ...]:
    """Players who are missing in *each*, or whose game is unfinished."""
    reported = {number for pairing in each.pairings for number in pairing.players}
    reported |= {number for number, _ in each.byes}
    return tuple(player.number for player in report.players if player.number not in reported)


def _describe(section: PlayerSection, player: Player) -> None:
    """Write the other data of *player* into their *section*."""
    section.name = player.name[:_LONGEST_NAME]
    section.sex = Sex(player.sex) if player.sex in set(Sex) else None
    section.title = Title(player.title.lower()) if player.title.lower() in set(Title) else None
    section.fide_federation = player.federation[:3] or None
    section.fide_number = int(player.licence) if player.licence.isdecimal() else None
    section.birth_date = _date(player.born)


def _date(born: str) -> Date | None:
    """The date in *born*; zeros for missing parts."""
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
        str(section.fide_number or ""),
        "/".join(parts if born is not None and born.month else parts[:1]),
        "" if section.sex is None else section.sex.value,
    )


def _rounds(players: Sequence[_PlayerRounds]) -> tuple[Round, ...]:
    """The rounds in the lines of players.

    A blank means absent, except in the last paired round, where the game may be unfinished.
    Raises `TournamentError` if two players contradict each other.
    """
    count = max(len(each.results) for each in players)
    found = [
        {each.number: each.results[index] for each in players if index < len(each.results)}
        for index in range(count)
    ]
    last = max(
        (index for index, result in enumerate(found) if any(map(_is_paired, result.values()))), default=-1
    )
    for index in range(last + 1):
        blank = [each.number for each in players if found[index].get(each.number) is None]
        for number in blank:
            was_absent = index > 0 and found[index - 1][number] is _ABSENT
            if index < last or was_absent or len(blank) == 1:  # a game takes two
                found[index][number] = _ABSENT
    return tuple(
        _round(index + 1, {number: result for number, result in each.items() if result is not None})
        for index, each in enumerate(found)
    )


def _is_paired(result: RoundResult | None) -> bool:
    """True for a game, finished or not."""
    return result is not None and (result is _ON or bool(result.id))


def _round(number: int, of: Mapping[Number, RoundResult]) -> Round:
    pairings: list[Pairing] = []
    byes: list[tuple[Number, Bye]] = []
    for player, result in of.items():
        if result is _ON or of.get(result.id) is _ON:
            continue
        if not result.id and result.result is ResultToken.FORFEIT_WIN:
            pairings.append(Pairing(len(pairings) + 1, (player,), (WIN,), is_forfeit=True))
            continue
        if result.result.is_bye() or not result.id:
            byes.append(
                (player, next((bye for bye, token in BYES.items() if token is result.result), Bye.ZERO))
            )
            continue
        theirs = of.get(result.id)
        if theirs is None or theirs.id != player or not result.result.is_compatible_with(theirs.result):
            raise TournamentError(
                "round {number} of the report: players {player} and {other} tell different things of "
                "their game",
                number=number,
                player=player,
                other=result.id,
            )
        if result.color is ColorToken.WHITE:
            points = (_points(result.result), _points(theirs.result))
            pairings.append(
                Pairing(len(pairings) + 1, (player, result.id), points, is_forfeit=result.result in _FORFEIT)
            )
    return Round(number, tuple(pairings), tuple(byes))


def _points(token: ResultToken) -> int:
    return WIN if token in _WON else DRAW if token in _DRAWN else LOSS
