# SPDX-License-Identifier: Apache-2.0
"""The head of the federation's report: written, checked, and read back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.model.errors import TournamentError
from companion.tournament.acts import Described, Entry, Opened
from companion.tournament.book import read
from companion.tournament.event import Event, checked, missing
from companion.tournament.trf import write_trf
from companion.tournament.trf_reader import read_trf
from companion.tournament.values import Format
from tests.tournament.test_pairing import by_chance, played_on, tournament

OPEN = Event(
    "Zürich",
    "SUI",
    "2026/11/20",
    "2026/11/22",
    "IA Ana Sudac (12345678)",
    ("Ben Judge", "Čedo Sudac"),
    "90 min/40 moves + 30 s",
    ("2026/11/20", "2026/11/21", "2026/11/22"),
)


def test_the_head_of_a_report_is_complete_and_read_back() -> None:
    of = replace(played_on(tournament(6, rounds=3), by_chance(1), 3), event=OPEN)
    of = replace(of, tie_breaks=("buchholz-cut-1", "sonneborn-berger"))
    lines = write_trf(of).splitlines()
    assert [line[:3] for line in lines[:22]] == [
        *("012", "022", "032", "042", "052", "062", "072", "092", "102", "112", "112", "122", "132"),
        *("###", "XXR", "142", "152", "182", "192", "202", "212", "001"),
    ]
    assert "### UTF-8" in lines
    dates = next(line for line in lines if line.startswith("132"))
    assert (dates[91:99], dates[101:109], dates[111:119]) == ("26/11/20", "26/11/21", "26/11/22")
    assert "202 BH/C1,SB" in lines
    assert "212 PTS,BH/C1,SB" in lines
    back = read_trf("\n".join(lines)).value
    assert (back.event, back.tie_breaks) == (OPEN, of.tie_breaks)


@pytest.mark.parametrize(
    ("time_control", "encoded"),
    [("90 min + 30 s", "5400+30"), ("15+10", "900+10"), ("25'", "1500"), ("slow", "")],
)
def test_the_time_control_is_encoded_if_it_is_one_period(time_control: str, encoded: str) -> None:
    of = replace(tournament(4, rounds=3), event=replace(OPEN, time_control=time_control))
    lines = [line[4:] for line in write_trf(of).splitlines() if line.startswith("222")]
    assert lines == ([encoded] if encoded else [])


def test_what_a_federation_asks_for_is_named() -> None:
    assert missing(OPEN, 3) == ()
    assert missing(OPEN, 4) == ("dates of the rounds",)
    assert missing(Event("Zürich"), 0)[:2] == ("federation", "first day")


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (replace(OPEN, federation="Swiss"), "'Swiss' is no federation"),
        (replace(OPEN, starts="20.11.2026"), "'20.11.2026' is no date"),
        (replace(OPEN, starts="2026/02/30"), "is no date"),
        (replace(OPEN, ends="2026/11/19"), "the dates do not follow each other"),
        (replace(OPEN, city="Zürich\n001"), "goes into one line"),
    ],
)
def test_an_event_that_cannot_be_reported_is_refused_with_the_value(wrong: Event, reason: str) -> None:
    with pytest.raises(TournamentError, match=reason):
        checked(wrong)


def test_the_book_keeps_the_event() -> None:
    opened = Entry(1, "", "Ana", Opened("open", "Open", Format.SWISS, "chess"))
    book = read((opened, Entry(2, "", "Ana", Described("open", OPEN))))
    assert book.of("open").tournament.event == OPEN
