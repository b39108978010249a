# SPDX-License-Identifier: Apache-2.0
"""The book in the database: acts are kept, failures reported, one hall writes."""

import json

import pytest

from companion.host.codec import decode, encode
from companion.host.hall.book_lock import held
from companion.host.hall.books import BookKeeper
from companion.host.records.database import connect
from companion.model.errors import StoreError, TournamentError
from companion.tournament.acts import Act, Entered, Noted, Opened, ResultReported, Withdrew
from companion.tournament.values import LOSS, WIN, Format, Player
from tests.databases import Postgres

AT = "2026-11-21T19:00:00Z"
OPENED = Opened("club", "Club evening – žabe 蛙", Format.SWISS, "tank-chess")


def test_acts_are_read_back_after_a_restart_of_the_hall(database: str) -> None:
    db = connect(database)
    keeper = BookKeeper(db)
    keeper.write("Ana", AT, OPENED)
    keeper.write("Ana", AT, Entered("club", Player(0, "Ben")))
    again = BookKeeper(db)
    assert again.book == keeper.book
    assert again.entries == keeper.entries
    assert [entry.number for entry in again.entries] == [1, 2]
    db.close()


def test_an_impossible_act_is_not_written(database: str) -> None:
    db = connect(database)
    keeper = BookKeeper(db)
    with pytest.raises(TournamentError):
        keeper.write("Ana", AT, Withdrew("club", 1))
    assert keeper.entries == BookKeeper(db).entries == []
    db.close()


def test_a_second_hall_is_refused(database: str) -> None:
    db = connect(database)
    first, second = BookKeeper(db), BookKeeper(db)
    first.write("Ana", AT, OPENED)
    with pytest.raises(StoreError, match="another hall has written"):
        second.write("Ben", AT, Noted("here I am"))
    assert second.entries == []
    db.close()


def test_one_program_at_a_time_holds_a_book(database: str) -> None:
    one, other = connect(database), connect(database)
    with held(one) as lock:
        for _ in range(2):
            with pytest.raises(StoreError, match="is held by a hall that runs"), held(other, 50):
                pytest.fail("both hold it")
            lock.look()
    with held(other):
        BookKeeper(one).write("Ana", AT, OPENED)
    one.close()
    other.close()


def test_nothing_is_written_without_the_database_and_work_continues_when_it_is_back(server: Postgres) -> None:
    db = connect(url := server.fresh())
    keeper = BookKeeper(db)
    keeper.write("Ana", AT, OPENED)
    with held(db) as lock:
        server.stop()
        try:
            for forbidden in (lambda: keeper.write("Ana", AT, Noted("dark here")), lock.look):
                with pytest.raises(StoreError, match="cannot be used"):
                    forbidden()
        finally:
            server.start()
        forgotten = held(other := connect(url))  # a restarted server has lost the lock
        with forgotten, pytest.raises(StoreError, match="is held by another hall, too"):
            lock.look()
        lock.look()
        with pytest.raises(StoreError, match="is held by a hall that runs"), held(other, 50):
            pytest.fail("the lock must exclude others")
    other.close()
    assert keeper.write("Ana", AT, Noted("light again")).number == 2
    assert [entry.act for entry in BookKeeper(db).entries] == [OPENED, Noted("light again")]
    db.close()


def test_an_act_of_a_newer_program_is_named(database: str) -> None:
    db = connect(database)
    strange = json.dumps({**encode(Act, Noted("x")), "is": "Danced"})
    with db.writing() as transaction:
        transaction.execute("INSERT INTO acts VALUES (1, ?, 'Ana', ?)", (AT, strange))
    with pytest.raises(StoreError, match="line 1 of the book is not understood"):
        BookKeeper(db)
    db.close()


def test_a_reported_result_is_stored_under_its_first_name() -> None:
    reported = ResultReported("club", 1, 1, (WIN, LOSS), "captured")
    stored = {
        "is": "ResultTold",
        "key": "club",
        "round": 1,
        "table": 1,
        "points": [2, 0],
        "reason": "captured",
    }
    assert encode(Act, reported) == stored
    assert decode(Act, stored) == reported
