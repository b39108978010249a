# SPDX-License-Identifier: Apache-2.0
"""A federation's report is entered from the command line, into a book."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.cli.main import main
from companion.tournament.trf import write_trf
from companion.tournament.trf_left_out import left_out
from companion.tournament.trf_reader import read_trf
from companion.tournament.values import Format, Tournament
from tests.tournament.test_pairing import by_chance, played_on, tournament

PASSWORD = "sesame-open"


def said(store: Path, capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """What `companion hall` prints for *words*, with the book in *store*."""
    assert main(["hall", *words, "--by", "Ana", "--password", PASSWORD, "--store", f"sqlite:///{store}"]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_report_with_bad_parts_is_entered_and_they_are_named(
    own_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, report = own_folder / "hall.sqlite", own_folder / "report.trf"
    assert main(["hall", "admit", "Ana", "--password", PASSWORD, "--store", f"sqlite:///{store}"]) == 0
    text = write_trf(played_on(tournament(6, rounds=5), by_chance(1), 3))
    lines = text.splitlines()
    first = next(row for row, line in enumerate(lines) if line.startswith("001"))
    lines[first] = f"{lines[first][:10]}AGM Jürgen{lines[first][20:]}"
    lines[first + 1] = f"{lines[first + 1][:91]}   9 w 1{lines[first + 1][99:]}"
    lines.insert(first, "QQQ some line")
    damaged = "\n".join(lines)
    report.write_bytes(damaged.encode("cp1252"))
    said(store, capsys, "announce", "club", "chess", "--rounds", "5")
    told = said(store, capsys, "enter", "club", str(report))
    of = read_trf(damaged)
    fresh = Tournament(
        "club", Format.SWISS, "chess", players=of.value.players, tie_breaks=of.value.tie_breaks
    )
    assert f"  line {first + 1}: the line (QQQ) is left out: no such line is known here" in told
    assert [f"  {note.sentence()}" for note in left_out(fresh, of)] == told[-len(left_out(fresh, of)) :]
    assert told[-len(left_out(fresh, of)) - 1] == "club: 6 players entered, 0 rounds taken over, 3 left out"


def test_the_announcement_of_teams_says_which_system_pairs_them(
    own_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = own_folder / "hall.sqlite"
    assert main(["hall", "admit", "Ana", "--password", PASSWORD, "--store", f"sqlite:///{store}"]) == 0
    teams = said(store, capsys, "announce", "league", "chess", "--match-boards", "2")
    assert teams[-1].startswith(
        "teams are paired as players, on match points: by FIDE's Dutch system (C.04.3)"
    )
    alone = said(store, capsys, "announce", "club", "chess")
    assert alone[-1] == "club is announced"
