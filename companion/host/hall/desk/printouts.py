# SPDX-License-Identifier: Apache-2.0
"""Printed documents of a tournament: pairings, standings, cross table, score sheets.

Pure. Column heads and names of tie-breaks are those of the pages, in the reader's language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from companion import games
from companion.feedback.words import load
from companion.host.hall import word_files
from companion.host.hall.core.events import setup_for
from companion.host.hall.word_files import Words
from companion.host.records.records import KeptGame
from companion.host.records.score_sheet import Remarks, written
from companion.model.errors import TournamentError
from companion.sheets.frame import Foot
from companion.sheets.lists import Column, Listing, listing_pages
from companion.sheets.page import Page, Paper
from companion.sheets.pdf import to_pdf
from companion.sheets.scoresheet import Labels, Written, score_pages
from companion.tournament.book import Running
from companion.tournament.crosstable import cross_table, written_points
from companion.tournament.teams import board_points, scores, team_standings
from companion.tournament.tie_breaks import BOARD_POINTS
from companion.tournament.ties import Standing, standings
from companion.tournament.values import Pairing, Round, Tournament

GameAt: TypeAlias = Callable[[int, int], KeptGame | None]
"""Returns the game of a round at a table, if known."""

_MANY: Final = 12
"""More columns need landscape paper."""


def print_list(running: Running, kind: str, language: str, paper: Paper, in_round: int = 0) -> bytes:
    """Return list *kind* of `LISTS` as a PDF, by default for the last round.

    Raises `TournamentError` if the list or round does not exist.
    """
    of, said = running.tournament, word_files.load(language)
    if kind not in LISTS:
        raise TournamentError("there is no list {kind!r}; there are: {known}", kind=kind, known=tuple(LISTS))
    if kind == "teams" and not of.boards:
        raise TournamentError("{tournament}: nobody plays in teams", tournament=of.name)
    listing = LISTS[kind](running, said, in_round or len(of.rounds))
    return to_pdf(listing_pages(listing, paper, _foot(said)), listing.title)


def _foot(said: Words) -> Foot:
    return Foot(
        lambda number, count: said.text("sheet_page", number=number, count=count), said.text("sheet_ruler")
    )


def _pairings(running: Running, said: Words, in_round: int) -> Listing:
    """List the pairings with stations and known results."""
    of = running.tournament
    found = of.round(in_round)
    columns = [
        Column(said.text("table"), "end"),
        Column(said.text("player")),
        Column(said.text("points"), "end"),
        Column(said.text("result"), "middle"),
        Column(said.text("points"), "end"),
        Column(said.text("player")),
        Column(said.text("board")),
    ]
    before = {line.player.number: line.points for line in _alone(of, in_round - 1)}
    rows: list[Sequence[str]] = []
    for match in found.matches:
        won = scores(found, match, of)
        result = " : ".join(map(written_points, won or ())) if match.tables else said.text("bye")
        rows.append(["  ".join([" – ".join(match.teams), result]).rstrip()])
        games_of = [each for each in found.pairings if each.table in match.tables]
        rows += [_pairing_row(running, in_round, each, before, said) for each in games_of]
    if not found.matches:
        rows = [_pairing_row(running, in_round, each, before, said) for each in found.pairings]
    rows += [["", of.player(number).name, "", "", "", said.text("bye"), ""] for number, _ in found.byes]
    if of.seats > 2:
        columns, rows = (
            [columns[0], Column(said.text("players")), columns[3], columns[6]],
            [_table_row(running, in_round, each) for each in found.pairings],
        )
    return Listing(f"{of.name} · {_round_name(found, said)}", said.text("print_pairings"), columns, rows)


def _round_name(of: Round, said: Words) -> str:
    return said.text("playoff_round") if of.is_playoff else said.text("round", number=of.number)


def _alone(of: Tournament, rounds: int) -> tuple[Standing, ...]:
    """Return the standings after *rounds*, without tie-breaks."""
    return standings(replace(of, tie_breaks=()), rounds=rounds)


def _pairing_row(
    running: Running, in_round: int, of: Pairing, before: Mapping[int, int], said: Words
) -> list[str]:
    """Return the row of a pairing of two, or without an opponent."""
    tournament, given = running.tournament, running.stations.get((in_round, of.table))
    first = tournament.player(of.players[0])
    second = tournament.player(of.players[1]).name if len(of.players) > 1 else said.text("nobody")
    their = written_points(before[of.players[1]]) if len(of.players) > 1 else ""
    return [
        str(of.table),
        first.name,
        written_points(before[first.number]),
        _result(of) or ":",
        their,
        second,
        given.board if given else "",
    ]


def _table_row(running: Running, in_round: int, of: Pairing) -> list[str]:
    """Return the row of a table for more than two."""
    given = running.stations.get((in_round, of.table))
    names = " – ".join(running.tournament.player(number).name for number in of.players)
    return [str(of.table), names, _result(of), given.board if given else ""]


def _result(of: Pairing) -> str:
    """Return the result, as far as known."""
    if of.points is None:
        return ""
    points = of.points if len(of.players) > 1 else (*of.points, 0)
    further = [":".join(map(written_points, game)) for game in of.further if game]
    return " ".join([" : ".join(map(written_points, points)), *(f"({game})" for game in further)])


def _standings(running: Running, said: Words, in_round: int) -> Listing:
    """List the standings of players."""
    of = running.tournament
    ties = () if of.boards else of.tie_breaks
    columns = [
        Column(said.text("rank"), "end"),
        Column(said.text("player")),
        Column("Elo", "end"),
        Column(said.text("points"), "end"),
        *(Column(said.text(f"tie_{name}"), "end") for name in ties),
    ]
    lines = standings(replace(of, tie_breaks=ties), rounds=in_round)
    rows = [
        [
            str(line.rank),
            " ".join(
                filter(
                    None, (line.player.title, line.player.name, line.player.team and f"({line.player.team})")
                )
            ),
            str(line.player.rating or ""),
            written_points(line.points),
            *(_number(float(value)) for value in line.tie_breaks),
        ]
        for line in lines
    ]
    return Listing(of.name, _after(said.text("standings"), said, of, in_round), columns, rows)


def _teams(running: Running, said: Words, in_round: int) -> Listing:
    """List the standings of teams."""
    of = running.tournament
    won = board_points(of, rounds=in_round)
    ties = [index for index, name in enumerate(of.tie_breaks) if name != BOARD_POINTS]
    columns = [
        Column(said.text("rank"), "end"),
        Column(said.text("team")),
        Column(said.text("match_points"), "end"),
        Column(said.text("board_points"), "end"),
        *(Column(said.text(f"tie_{of.tie_breaks[index]}"), "end") for index in ties),
    ]
    rows = [
        [
            str(line.rank),
            line.player.name,
            str(line.points),
            written_points(won[line.player.number]),
            *(_number(float(line.tie_breaks[index])) for index in ties),
        ]
        for line in team_standings(of, rounds=in_round)
    ]
    return Listing(of.name, _after(said.text("team_standings"), said, of, in_round), columns, rows)


def _crosstable(running: Running, said: Words, in_round: int) -> Listing:
    """List the cross table."""
    of = running.tournament
    table = cross_table(of)
    columns = [
        Column(said.text("rank"), "end"),
        Column(said.text("team" if of.boards else "player")),
        *(Column(head, "middle") for head in table.heads),
        Column(said.text("match_points" if of.boards else "points"), "end"),
    ]
    rows = [
        [
            str(line.rank),
            line.player.name,
            *cells,
            str(line.points) if of.boards else written_points(line.points),
        ]
        for line, cells in zip(table.lines, table.cells, strict=True)
    ]
    is_wide = len(columns) > _MANY
    return Listing(of.name, _after(said.text("print_crosstable"), said, of, in_round), columns, rows, is_wide)


def _after(title: str, said: Words, of: Tournament, in_round: int) -> str:
    """Return *title* with the round it is after, or in, if the round is incomplete."""
    if not in_round:
        return title
    found = of.round(in_round)
    when = said.text("after_round", number=in_round) if found.is_complete else _round_name(found, said)
    return f"{title} · {when}"


def _number(value: float) -> str:
    """Format a tie-break without trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def print_score_sheets(
    running: Running, game_at: GameAt, language: str, paper: Paper, in_round: int = 0
) -> bytes:
    """Return score sheets for the tables of a round, by default the last.

    They are filled in as far as games are known. Raises `TournamentError` if the round does not
    exist, `CompanionError` for an unknown game.
    """
    of = running.tournament
    found = of.round(in_round or len(of.rounds))
    pages: list[Page] = []
    for pairing in found.pairings:
        if len(pairing.players) > 1:
            pages += _score_sheet(of, found, pairing, game_at(found.number, pairing.table), (paper, language))
    if not pages:
        raise TournamentError(
            "{tournament}: nobody plays in round {number}", tournament=of.name, number=found.number
        )
    return to_pdf(pages, of.name)


def _score_sheet(
    of: Tournament, found: Round, pairing: Pairing, game: KeptGame | None, how: tuple[Paper, str]
) -> Sequence[Page]:
    """Return the score sheet of a table."""
    paper, language = how
    slug = game.record.game if game else of.game
    setup = setup_for(of, len(pairing.players))
    options = dict(game.record.options if game else setup.options if setup else ())
    rules = games.find(slug).rules(games.kept_options(slug, options))
    words = load(language, slug, rules.sides)
    sides = [words.side(side).name for side in range(len(rules.sides))]
    names = [of.player(number).name for number in pairing.seated]
    said = word_files.load(language)
    remarks = Remarks(said.texts["sheet_stood"], said.texts["sheet_corrected"])
    known = written(game.record, words, remarks) if game else Written()
    points = [written_points(each) for each in pairing.latest or ()]
    details = replace(
        known, event=of.name, round=str(found.number), table=str(pairing.table), names=names, points=points
    )
    labels = Labels(
        said.text("sheet_title"),
        said.text("sheet_event"),
        said.text("sheet_round"),
        said.text("table"),
        said.text("sheet_date"),
        said.text("points"),
        said.text("result"),
        said.text("sheet_signatures"),
        _foot(said),
    )
    return score_pages(words.game.title, sides, paper, details, labels)


LISTS: Final[Mapping[str, Callable[[Running, Words, int], Listing]]] = {
    "pairings": _pairings,
    "standings": _standings,
    "crosstable": _crosstable,
    "teams": _teams,
}
"""The lists of a tournament, by name."""
