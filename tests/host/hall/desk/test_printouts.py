# SPDX-License-Identifier: Apache-2.0
"""Lists of a tournament in every language, and score sheets with the games played."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from pypdf import PdfReader

from companion.host.hall.books import BookKeeper
from companion.host.hall.desk.print_stored import print_from
from companion.host.hall.desk.printouts import LISTS, print_list, print_score_sheets
from companion.host.hall.word_files import load
from companion.host.journal.journal import JournalWriter
from companion.host.records.database import connect
from companion.host.records.records import KeptGame, from_record
from companion.model.errors import TournamentError
from companion.model.notation import GameRecord
from companion.sheets.page import PAPERS
from companion.tournament.acts import Act, Entered, Opened, ResultDecided, RoundPaired, TableGiven
from companion.tournament.book import Running
from companion.tournament.pairing import next_round
from companion.tournament.values import Format, Lineup, Player
from tests.host.hall.sites import Site, site, tournament
from tests.host.tables import GAME, HEADER, WHOLE_GAME, carry, rig_for
from tests.tournament.test_pairing import by_chance, played_on
from tests.tournament.test_teams import event

A4 = PAPERS["a4"]
AT = "2026-11-21T19:00:00Z"


def text(pdf: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)


def league() -> Running:
    """Four teams after two rounds.

    In the second, one table has a station and one seat is empty.
    """
    of = played_on(event(4, boards=2, ties=("board-points", "buchholz")), by_chance(1), 1)
    of = of.lined_up(Lineup(2, "A", (1, 0)))
    of = of.paired(next_round(of))
    return Running(of, {(2, 1): TableGiven("club", 2, 1, "red")})


@pytest.mark.parametrize("language", ["de", "en", "es", "fr", "hr", "ja"])
@pytest.mark.parametrize("kind", LISTS)
def test_every_list_is_printed_in_every_language(kind: str, language: str) -> None:
    said = text(print_list(league(), kind, language, A4))
    assert "League" in said
    if language != "ja":  # its font cannot be read back from a PDF
        words = load(language)
        assert words.text("team_standings" if kind == "teams" else f"print_{kind}") in said
        assert words.text("sheet_ruler") in said
        assert words.text("sheet_page", number=1, count=1) in said


def test_pairings_show_matches_tables_stations_results_and_empty_seats() -> None:
    running = league()
    lines = text(print_list(running, "pairings", "en", A4)).splitlines()
    match = running.tournament.rounds[1].matches[0]
    assert " – ".join(match.teams) in lines
    assert "red" in lines
    assert "nobody" in lines
    first = text(print_list(running, "pairings", "en", A4, 1)).splitlines()
    assert "Round 1" in first[0] or any("Round 1" in line for line in first)
    assert any(" : " in line and line != " : " for line in first)


def test_standings_of_a_round_are_those_after_it() -> None:
    running = Running(played_on(event(4, boards=2), by_chance(1), 2))
    for kind in ("teams", "standings"):
        first, second = (text(print_list(running, kind, "en", A4, in_round)) for in_round in (1, 2))
        assert "After round 1" in first
        assert first.replace("round 1", "round 2") != second, "the points must differ, too"
        under_way = text(print_list(league(), kind, "en", A4))
        assert "Round 2" in under_way
        assert "After" not in under_way


def test_impossible_printouts_are_refused_with_the_reason() -> None:
    with pytest.raises(TournamentError, match="there is no list 'menu'; there are: pairings"):
        print_list(league(), "menu", "en", A4)
    with pytest.raises(TournamentError, match="round 9 is not paired"):
        print_list(league(), "pairings", "en", A4, 9)
    alone = Running(played_on(event(2, boards=1), by_chance(1), 0))
    with pytest.raises(TournamentError, match="round 0 is not paired"):
        print_score_sheets(alone, lambda *_: None, "en", A4)


def test_a_score_sheet_has_names_round_table_and_the_known_moves() -> None:
    running = league()

    def game(in_round: int, table: int) -> KeptGame | None:
        moves = ("f3", "e5", "g4", "Qh4#")
        known = GameRecord("chess", moves=moves, result="black: checkmate", tags={"Corrected": "3"})
        return from_record(known) if (in_round, table) == (2, 1) else None

    pdf = PdfReader(io.BytesIO(print_score_sheets(running, game, "en", A4)))
    filled, *blank = [page.extract_text() for page in pdf.pages]
    pairing = running.tournament.rounds[1].pairings[0]
    for said in ("League", "Qh4#", "Black wins: checkmate.", "corrected the record from move 3"):
        assert said in filled
    for number in pairing.players:
        assert running.tournament.player(number).name in filled
    assert len(blank) == sum(len(each.players) == 2 for each in running.tournament.rounds[1].pairings) - 1
    assert all("Qh4#" not in page for page in blank)
    german = text(print_score_sheets(running, game, "de", A4))
    for said in (
        "Partieformular",
        "Diese Linie",
        "Turnier",
        "Weiß",
        "Unterschriften",
        "berichtigte die Aufzeichnung ab Zug 3",
    ):
        assert said in german


def test_the_command_prints_from_the_store_with_the_games_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.host.journal.files.folder", lambda: tmp_path / "journals")
    store = f"sqlite:///{tmp_path}/hall.sqlite"
    with JournalWriter.create(
        tmp_path / "journals" / "red" / "2026-11-21_20-00-00_close-quarters.jsonl", HEADER
    ) as writer:
        rig = rig_for(writer)
        for move in WHOLE_GAME.split()[:2]:
            carry(rig, move.strip("!#").replace("-", " "))
    db = connect(store)
    keeper = BookKeeper(db)
    acts: list[Act] = [Opened("club", "Club evening", Format.SWISS, GAME)]
    acts += [Entered("club", Player(0, name)) for name in ("Ana", "Ben")]
    for act in acts:
        keeper.write("Ana", AT, act)
    keeper.write("Ana", AT, RoundPaired("club", next_round(keeper.book.of("club").tournament)))
    keeper.write("Ana", AT, TableGiven("club", 1, 1, "red"))
    keeper.write("Ana", AT, ResultDecided("club", 1, 1, (2, 0)))
    db.close()
    assert "Ben" in text(print_from(store, ("standings", "club", 0), "hr", "a4"))
    sheet = text(print_from(store, ("scoresheets", "club", 1), "en", "letter"))
    assert "a1-b2" in sheet
    assert "d8-b8!" in sheet
    with pytest.raises(TournamentError, match="there is no tournament 'x'"):
        print_from(store, ("standings", "x", 0), "en", "a4")


def fetched(at: Site, path: str, token: str = "") -> tuple[int, bytes]:
    try:
        with urlopen(Request(at.address + path, headers={"Authorization": f"Bearer {token}"})) as response:
            return response.status, response.read()
    except HTTPError as fault:
        with fault:
            return fault.code, fault.read()


def test_spectators_print_after_the_tournaments_delay_and_arbiters_at_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            desk = "api/desk/tournaments/club/pairings.pdf"
            assert (await asyncio.to_thread(fetched, at, desk))[0] == 401
            status, made = await asyncio.to_thread(fetched, at, desk, at.token)
            assert (status, made[:5]) == (200, b"%PDF-")
            public = "api/tournaments/club/crosstable.pdf?language=de&paper=letter"
            async with asyncio.timeout(60):
                answer, before = (404, b""), None
                while answer[0] == 404 or answer != before:  # the hall releases lists at its next check
                    before, answer = answer, await asyncio.to_thread(fetched, at, public)
            assert "Kreuztabelle" in text(answer[1])
            assert (await at.act("ResultDecided", key="club", round=1, table=1, points=[2, 0]))[0] == 200
            async with asyncio.timeout(60):
                while (await asyncio.to_thread(fetched, at, public)) == answer:
                    pass  # as above
            for path in ("scoresheets", "menu"):
                assert (await asyncio.to_thread(fetched, at, f"api/tournaments/club/{path}.pdf"))[0] == 404
            sheets = "api/desk/tournaments/club/scoresheets.pdf"
            assert "Ana" in text((await asyncio.to_thread(fetched, at, sheets, at.token))[1])
            assert (await asyncio.to_thread(fetched, at, sheets + "?round=7", at.token))[0] == 422

    asyncio.run(scenario())
