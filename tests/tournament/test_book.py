# SPDX-License-Identifier: Apache-2.0
"""The arbiter's book: acts, refusals, and append-only storage."""

import json
from dataclasses import replace

import pytest

from companion.host.codec import decode, encode
from companion.model.errors import TournamentError
from companion.tournament.acts import (
    Act,
    Corrected,
    DelaySet,
    Entered,
    Entry,
    Excused,
    Noted,
    Obeyed,
    Opened,
    Ordered,
    ResultDecided,
    ResultReported,
    Returned,
    RoundDropped,
    RoundPaired,
    TableGiven,
    Withdrew,
)
from companion.tournament.book import Book, read, written
from companion.tournament.pairing import next_round
from companion.tournament.values import DRAW, LOSS, WIN, Bye, Format, Player


def book_of(*acts: Act) -> Book:
    return read(Entry(number, "2026-11-21T19:00:00Z", "Ana", act) for number, act in enumerate(acts, 1))


OPENED = Opened("club", "Club evening", Format.SWISS, "close-quarters", tie_breaks=("buchholz",))
PLAYERS = tuple(Entered("club", Player(0, name)) for name in ("Ana", "Ben", "Cleo", "Dan", "Eva"))
BEGUN = book_of(OPENED, *PLAYERS)
PAIRED = RoundPaired("club", next_round(BEGUN.of("club").tournament))
FIRST = written(BEGUN, PAIRED)

EVERY: tuple[Act, ...] = (
    OPENED,
    PLAYERS[0],
    Withdrew("club", 2),
    Returned("club", 2),
    Corrected("club", 2, "Bénédicte", 0),
    Excused("club", 1, 3, Bye.HALF),
    PAIRED,
    RoundDropped("club"),
    TableGiven("club", 1, 2, "board-7"),
    ResultReported("club", 1, 2, (WIN, LOSS), "captured"),
    ResultDecided("club", 1, 2, None, note="the clock was wrong"),
    ResultDecided("club", 1, 2, (WIN, LOSS), is_forfeit=True),
    DelaySet("club", 900),
    Ordered("board-7", "o1", "{}", "noise"),
    Obeyed("board-7", "o1"),
    Noted("lights went out"),
)


@pytest.mark.parametrize("act", EVERY, ids=lambda act: type(act).__name__)
def test_every_act_is_written_and_read_back(act: Act) -> None:
    assert decode(Act, json.loads(json.dumps(encode(Act, act)))) == act


def test_a_correction_of_a_player_changes_nothing_else() -> None:
    after = written(FIRST, Corrected("club", 2, "Bénédicte", 1900)).of("club").tournament
    before = FIRST.of("club").tournament
    assert after.player(2) == Player(2, "Bénédicte", 1900)
    assert (after.rounds, after.players[2:]) == (before.rounds, before.players[2:])


def test_a_reported_result_counts_once_the_arbiter_has_confirmed_it() -> None:
    told = written(FIRST, ResultReported("club", 1, 1, (DRAW, DRAW), "agreed"))
    assert told.of("club").tournament.round(1).pairings[0].points is None
    assert (1, 1) in told.of("club").reported
    decided = written(told, ResultDecided("club", 1, 1, (DRAW, DRAW)))
    assert decided.of("club").tournament.round(1).pairings[0].points == (DRAW, DRAW)
    assert not decided.of("club").reported


def test_the_current_pairing_of_a_board_is_found() -> None:
    book = written(written(FIRST, TableGiven("club", 1, 1, "red")), TableGiven("club", 1, 2, "blue"))
    assert book.at_station("red") == TableGiven("club", 1, 1, "red")
    assert book.at_station("green") is None


def test_a_board_of_two_tournaments_has_the_pairing_that_awaits_a_result() -> None:
    cup: tuple[Opened | Entered | RoundPaired, ...] = (OPENED, *PLAYERS, PAIRED)
    book = written(FIRST, TableGiven("club", 1, 1, "red"))
    for act in cup:
        book = written(book, replace(act, key="cup"))
    book = written(book, TableGiven("cup", 1, 2, "red"))
    assert book.at_station("red") == TableGiven("cup", 1, 2, "red")
    book = written(book, ResultDecided("cup", 1, 2, (WIN, LOSS)))
    assert book.at_station("red") == TableGiven("club", 1, 1, "red")
    book = written(book, ResultDecided("club", 1, 1, (WIN, LOSS)))
    assert book.at_station("red") == TableGiven("cup", 1, 2, "red")


def test_a_board_reassigned_to_another_table_leaves_the_first() -> None:
    book = written(written(FIRST, TableGiven("club", 1, 1, "red")), TableGiven("club", 1, 2, "red"))
    assert dict(book.of("club").stations) == {(1, 2): TableGiven("club", 1, 2, "red")}


def test_a_withdrawn_round_leaves_nothing() -> None:
    book = written(FIRST, TableGiven("club", 1, 1, "red"))
    book = written(book, ResultReported("club", 1, 1, (WIN, LOSS), "captured"))
    assert written(book, RoundDropped("club")) == BEGUN, "what was told is not that of who is paired next"


def test_an_order_is_open_until_it_is_answered() -> None:
    ordered = Ordered("red", "o1", "{}")
    book = written(FIRST, ordered)
    assert dict(book.orders) == {"o1": ordered}
    assert written(book, Obeyed("red", "o1")) == FIRST
    assert written(book, Obeyed("red", "o1", "no game is on")) == replace(FIRST, refused=frozenset({"o1"}))


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (OPENED, "there is a tournament 'club' already"),
        (Opened("a b", "X", Format.FREE, ""), "is not a key"),
        (Opened("x", "X", Format.FREE, "", seats=7), "2 to 6 sit at a table"),
        (Opened("x", "X", Format.FREE, "", tie_breaks=("luck",)), "no tie-break 'luck'"),
        (Withdrew("other", 1), "there is no tournament 'other'; there are: club"),
        (Withdrew("club", 9), "there is no player 9"),
        (Returned("club", 1), "Ana has not withdrawn"),
        (Excused("club", 1, 1, Bye.HALF), "round 1 is paired already"),
        (PAIRED, "round 1 does not follow 1"),
        (TableGiven("club", 1, 9, "red"), "no table 9"),
        (ResultReported("club", 2, 1, (WIN, LOSS), "x"), "round 2 is not paired"),
        (DelaySet("club", 3601), "0 to 60 minutes"),
    ],
)
def test_an_invalid_act_is_refused_with_the_reason(act: Act, reason: str) -> None:
    with pytest.raises(TournamentError, match=reason):
        written(FIRST, act)


@pytest.mark.parametrize(
    "change", [{"format": Format.FREE}, {"seats": 3}, {"boards": 15}, {"boards": -1}], ids=str
)
def test_teams_need_boards_of_two_and_paired_rounds(change: dict[str, object]) -> None:
    league = replace(OPENED, boards=4)
    assert book_of(league).of("club").tournament.boards == 4
    with pytest.raises(TournamentError, match="teams meet on 1 to 14 boards, two at each"):
        book_of(replace(league, **change))  # type: ignore[arg-type]
