# SPDX-License-Identifier: Apache-2.0
"""The store: one copy of each game, growing games, statistics, refusals."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from companion.host.records.records import KeptGame, KeptMove, from_record
from companion.host.records.store import Added, Row, Store
from companion.model.errors import StoreError
from companion.model.notation import GameRecord

RULES_MOVES = ("a1-b2", "d8-d7", "b2-b3")


def game(plies: int = 2, day: str = "2026.05.01", origin: str | None = None, result: str = "*") -> KeptGame:
    """A game of Close Quarters whose plies took 1, 2, 3 seconds."""
    record = GameRecord(
        "close-quarters", moves=RULES_MOVES[:plies], tags={"Date": day, "Time": "20:00:00"}, result=result
    )
    moves = tuple(
        replace(move, thought_ms=1000 * ply) for ply, move in enumerate(from_record(record).moves, 1)
    )
    return KeptGame(record, moves, origin)


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    with Store.open(database) as opened:
        yield opened


def test_a_stored_game_is_read_back_unchanged(store: Store) -> None:
    assert store.add(game(origin="here")) is Added.NEW
    assert store.game(1) == game(origin="here")
    sides = ("sword", "weapons")
    assert store.rows() == [
        Row(1, "close-quarters", "2026.05.01 20:00:00", "*", 2, 3000, ("", ""), sides, "here")
    ]
    assert store.rows("chess") == []


def test_the_same_game_is_stored_once(store: Store) -> None:
    store.add(game())
    assert store.add(game()) is Added.KNOWN
    assert store.add(game(day="2026.05.02")) is Added.NEW
    assert len(store.rows()) == 2


def test_a_game_that_grows_in_its_journal_keeps_its_number(store: Store) -> None:
    store.add(game(1, origin="here"))
    store.add(game(1, day="2026.06.01", origin="there"))
    assert store.add(game(3, origin="here")) is Added.GROWN
    assert store.add(game(3, origin="here")) is Added.KNOWN
    assert store.game(1) == game(3, origin="here")
    assert [row.number for row in store.rows()] == [1, 2]


def test_a_journal_replaces_the_same_game_without_times(store: Store) -> None:
    bare = game()
    store.add(replace(bare, moves=tuple(KeptMove(move.side, move.text) for move in bare.moves)))
    assert store.add(game(origin="here")) is Added.GROWN
    assert [row.thought_ms for row in store.rows()] == [3000]
    assert store.add(bare) is Added.KNOWN


def test_the_latest_game_is_listed_last(store: Store) -> None:
    store.add(game(day="2026.05.03"))
    store.add(game(day="2026.05.01"))
    assert [row.number for row in store.rows()] == [2, 1]


def test_statistics_count_results_and_find_the_longest_think(store: Store) -> None:
    store.add(game(1, result="sword: turn-limit"))
    store.add(game(2, result="weapons: sword-eliminated"))
    store.add(game(3, result="weapons: resignation"))
    store.add(from_record(GameRecord("chess", moves=("e4",))))
    chess, ours = store.statistics()
    assert chess.game == "chess"
    assert (chess.average_ms, chess.longest, chess.results) == (None, None, (("*", 1),))
    assert ours.results == (("weapons", 2), ("sword", 1))
    assert ours.average_plies == 2
    assert ours.average_ms == pytest.approx((1000 + 3000 + 6000) / 3)
    assert ours.longest == (3, 2, "b2-b3", 3000)
    assert [ours] == store.statistics("close-quarters")


def test_a_missing_game_is_named(store: Store) -> None:
    with pytest.raises(StoreError, match="there is no game 7 in the store"):
        store.game(7)


def test_readers_and_a_writer_work_side_by_side(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/records.sqlite"):
        pass
    file = sqlite3.connect(tmp_path / "records.sqlite")
    assert file.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    file.close()


def test_stored_games_survive_a_restart(database: str) -> None:
    with Store.open(database) as store:
        store.add(game())
    with Store.open(database) as store:
        assert store.game(1) == game()


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ada, " * 100)
    with pytest.raises(StoreError, match="cannot be used: file is not a database"):
        Store.open(f"sqlite:///{tmp_path}/letter.txt")
    for url in ("nonsense", "nonsense://here"):
        with pytest.raises(StoreError, match=f"'{url}' is not a store"):
            Store.open(url)


def test_a_game_is_deleted_with_its_moves_and_its_analysis(store: Store) -> None:
    store.add(game(3))
    store.add(game(day="2026.05.02"))
    digest = store.game(1).digest
    store.keep_analysis(digest, "{}")
    store.delete(1)
    assert [row.number for row in store.rows()] == [2]
    assert store.analysis(digest) is None
    with pytest.raises(StoreError, match="there is no game 1"):
        store.delete(1)
    assert store.add(game(3)) is Added.NEW
