# SPDX-License-Identifier: Apache-2.0
"""A tournament is set up from the command line, with or without a running hall."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from companion.cli import tournament as cli_events
from companion.cli.main import main
from companion.host import settings
from companion.host.hall.book_lock import held
from companion.host.hall.books import BookKeeper
from companion.host.hall.desk.access import Arbiters
from companion.host.records.database import connect
from companion.host.settings import Settings
from companion.tournament.acts import DelaySet, Opened
from companion.tournament.book import read
from companion.tournament.values import Format
from tests.host.hall.sites import NAME, PASSWORD, QUICK, Site, site
from tests.tournament.test_rating_list import LIST


async def typed(at: Site, *words: str, password: str = PASSWORD) -> int:
    """The exit code of `companion hall` with *words*."""
    return await asyncio.to_thread(
        main, ["hall", *words, "--by", NAME, "--password", password, "--at", at.address]
    )


def test_a_tournament_is_announced_entered_paired_and_seated_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    players = tmp_path / "players.csv"
    players.write_text("name,rating\nĐurđica,2000\nBen,1900\nCleo,1800\nDan,1700\n", "utf-8")

    async def scenario() -> None:
        async with site(tmp_path) as at:
            at.station("red")
            at.station("blue")
            game = "chess,draw_rules=none"
            options = ("--rounds", "3", "--delay", "15", "--players", str(players))
            assert await typed(at, "announce", "zimska-liga-č", game, "--name", "Liga", *options) == 0
            book = at.hall.keeper.book
            opened, delay = (each.act for each in at.hall.keeper.entries[:2])
            assert opened == Opened(
                "zimska-liga-č",
                "Liga",
                Format.SWISS,
                "chess",
                (("draw_rules", "none"),),
                planned=3,
                tie_breaks=("buchholz-cut-1", "buchholz", "direct-encounter"),
            )
            assert delay == DelaySet("zimska-liga-č", 900)
            assert [each.by for each in at.hall.keeper.entries] == [NAME] * 6
            assert book.of("zimska-liga-č").tournament.player(1).name == "Đurđica"
            assert await typed(at, "pair", "zimska-liga-č", "red", "blue") == 0
            stations = at.hall.keeper.book.of("zimska-liga-č").stations
            assert {place: given.board for place, given in stations.items()} == {
                (1, 1): "red",
                (1, 2): "blue",
            }
            assert await typed(at, "pair", "zimska-liga-č") == 1
            assert await typed(at, "enter", "none", str(players), password="guess") == 1

    asyncio.run(scenario())
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "zimska-liga-č is announced",
        "zimska-liga-č: 4 players entered",
        "zimska-liga-č: round 1 is paired, 2 of its tables have a board",
    ]
    assert "results are missing at table 1" in said.err
    assert "name or password is wrong" in said.err


PROGRAM = """import sys
ranks = [line[4:8].strip() for line in open(sys.argv[1]) if line.startswith("001")]
pairs = list(zip(ranks[::2], ranks[1::2]))
print(len(pairs), *(f"{white} {black}" for white, black in pairs), sep="\\n", file=open(sys.argv[2], "w"))
"""
"""Pairs neighbours, as no rule does."""


def test_an_installed_program_pairs_in_the_hall_and_without(
    tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    players, program = tmp_path / "players.csv", tmp_path / "program.py"
    players.write_text("name,rating\nAna,1900\nBen,1800\nCleo,1700\nDan,1600\n")
    program.write_text(PROGRAM)
    command = f"{sys.executable} {program} {{report}} {{pairs}}"

    async def scenario() -> None:
        async with site(tmp_path) as at:
            assert await typed(at, "announce", "club", "chess", "--players", str(players)) == 0
            assert await typed(at, "pair", "club", "--program", "no-such-program {report}") == 1
            assert await typed(at, "pair", "club", "--program", command) == 0
            tables = at.hall.keeper.book.of("club").tournament.rounds[0].pairings
            assert [each.players for each in tables] == [(1, 2), (3, 4)]

    asyncio.run(scenario())
    assert "the pairing program 'no-such-program {report}' failed: " in capsys.readouterr().err
    monkeypatch.setattr(cli_events, "USUAL_ADDRESS", "http://127.0.0.1:1/")
    who = ["--by", NAME, "--password", PASSWORD, "--store", store]
    assert main(["hall", "announce", "cup", "chess", "--players", str(players), *who]) == 0
    assert main(["hall", "pair", "cup", "--program", command, *who]) == 0
    (first,) = BookKeeper(connect(store)).book.of("cup").tournament.rounds
    assert [each.players for each in first.pairings] == [(1, 2), (3, 4)]


def test_a_rating_list_completes_the_players_that_are_entered(
    tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    players, ratings = tmp_path / "players.csv", tmp_path / "ratings.txt"
    players.write_text("name\nJörg Müller\nNobody\n", encoding="utf-8")
    ratings.write_text("".join(LIST), encoding="utf-8")
    db = connect(store)
    Arbiters(db, QUICK).admit(NAME, PASSWORD)
    monkeypatch.setattr(cli_events, "USUAL_ADDRESS", "http://127.0.0.1:1/")
    who = ["--by", NAME, "--password", PASSWORD, "--store", store]
    assert main(["hall", "announce", "cup", "chess", *who]) == 0
    assert main(["hall", "enter", "cup", str(players), "--rating-list", str(ratings), *who]) == 0
    (player, nobody) = BookKeeper(db).book.of("cup").tournament.players
    assert (player.rating, player.title, player.licence, nobody.rating) == (2210, "FM", "100", 0)
    assert "not in the rating list: Nobody" in capsys.readouterr().out
    ratings.write_text("".join([*LIST, "cut\n"]), encoding="utf-8")
    assert main(["hall", "enter", "cup", str(players), "--rating-list", str(ratings), *who]) == 0
    assert (
        "in the rating list, line 6: it is not understood, and is left out: 'cut'" in capsys.readouterr().out
    )


def test_without_a_running_hall_the_error_names_the_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["hall", "pair", "club", "--by", "Ana", "--password", "x", "--at", "http://127.0.0.1:1/"]
    assert main(words) == 1
    assert "no hall answers at http://127.0.0.1:1: " in (said := capsys.readouterr().err)
    assert "Is `companion hall` running?" in said


def test_without_a_running_hall_a_tournament_is_written_to_its_book_with_the_same_checks_and_messages(
    tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    players = tmp_path / "players.csv"
    players.write_bytes("name\nAna\nBenoît\n".encode("cp1252"))
    monkeypatch.setattr(cli_events, "USUAL_ADDRESS", "http://127.0.0.1:1/")
    monkeypatch.setattr(settings, "read", lambda _path: Settings(store=store))
    db = connect(store)

    def typed(*words: str, password: str = PASSWORD) -> int:
        return main(["hall", *words, "--by", NAME, "--password", password])

    assert typed("announce", "club", "chess") == 1
    Arbiters(db, QUICK).admit(NAME, PASSWORD)
    assert typed("announce", "club", "chess", password="guess") == 1
    assert typed("announce", "club", "chess,draw_rules=nonsense") == 2
    assert typed("announce", "club", "chess", "--delay", "5", "--players", str(players)) == 0
    assert typed("pair", "club", "red", "--store", store) == 1
    assert typed("pair", "club", "--store", store) == 0
    assert typed("pair", "club") == 1
    players.write_bytes("name\nAna\nBenoît\nČedomil\n".encode("utf-16"))
    assert typed("enter", "club", str(players)) == 0
    with held(db):
        assert typed("enter", "club", str(players)) == 1
    said = capsys.readouterr()
    book = f"no hall runs: this goes into the book at {store}"
    unrated = "  no column has ratings: nobody in the list has one"
    assert [line for line in said.out.splitlines() if line != book] == [
        f"  {players}: it is not in Unicode; read as cp1252",
        "club is announced",
        "club: 2 players entered",
        unrated,
        "club: round 1 is paired",
        "club: 1 player entered, 2 had entered before",
        unrated,
    ]
    reasons = (
        *("companion hall admit NAME", "name or password is wrong", "nonsense", "could know these boards"),
        *("results are missing at table 1", "is held by a hall that runs"),
    )
    assert all(reason in line for reason, line in zip(reasons, said.err.strip().split("\n"), strict=True)), (
        said.err
    )
    entries = BookKeeper(db).entries
    assert [type(entry.act).__name__ for entry in entries] == [
        "Opened",
        "DelaySet",
        "Entered",
        "Entered",
        "RoundPaired",
        "Entered",
    ]
    names = [player.name for player in read(entries).of("club").tournament.players]
    assert names == ["Ana", "Benoît", "Čedomil"]
    assert {entry.by for entry in entries} == {NAME}
    db.close()
