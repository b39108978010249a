# SPDX-License-Identifier: Apache-2.0
"""Database migrations: from any version, concurrently, and with clear errors."""

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from companion.host.hall.hotplug.devices import Devices, KnownDevice
from companion.host.records.database import connect, find, is_away
from companion.host.records.migrations import STEPS, VERSION, migrate, version_of
from companion.host.records.records import from_record
from companion.host.records.store import Store
from companion.model.errors import StoreError
from companion.model.notation import GameRecord
from tests.databases import Postgres
from tests.ports import free_port

TABLES = ("moves", "games", "acts", "arbiters", "devices", "analyses", "sessions", "alembic_version")
OLD_GAME = "INSERT INTO games (digest, game, began, winners, result, plies, record) VALUES ('x', 'chess', '', '*', '*', 0, '')"


def make_old(url: str, version: str, *statements: str) -> None:
    """Make a store of *version* at *url*, and execute *statements* in it."""
    with closing(connect(url)) as db, db.writing() as transaction:
        for table in TABLES:
            transaction.execute(f"DROP TABLE {table}")
        migrate(transaction, version)
        for statement in statements:
            transaction.execute(statement)


def test_several_programs_can_make_the_tables_at_once(database: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        opened = list(pool.map(lambda _: connect(database), range(6)))
    for db in opened:
        with db.reading() as transaction:
            assert version_of(transaction) == VERSION
        assert Store(db).rows() == []
        db.close()


def test_a_store_from_before_versions_were_counted_keeps_its_games(tmp_path: Path) -> None:
    file = sqlite3.connect(tmp_path / "old.sqlite")
    file.executescript(
        """
        CREATE TABLE about (name VARCHAR PRIMARY KEY, value INTEGER);
        INSERT INTO about VALUES ('schema', 1);
        CREATE TABLE games (number INTEGER PRIMARY KEY, origin VARCHAR(64) UNIQUE, digest VARCHAR(64) NOT NULL UNIQUE,
            game VARCHAR NOT NULL, began VARCHAR NOT NULL, winners VARCHAR NOT NULL, result VARCHAR NOT NULL,
            plies INTEGER NOT NULL, thought_ms INTEGER, record TEXT NOT NULL);
        CREATE TABLE moves (game INTEGER NOT NULL REFERENCES games (number) ON DELETE CASCADE, ply INTEGER NOT NULL,
            side INTEGER NOT NULL, move VARCHAR NOT NULL, thought_ms INTEGER, PRIMARY KEY (game, ply));
        INSERT INTO games VALUES (1, NULL, 'x', 'chess', '2026.01.01', '*', '*', 0, NULL, '');
        """
    )
    file.close()
    with Store.open(f"sqlite:///{tmp_path}/old.sqlite") as store:
        assert [row.game for row in store.rows()] == ["chess"]
    with closing(connect(f"sqlite:///{tmp_path}/old.sqlite")) as db, db.reading() as transaction:
        assert not transaction.has_table("about")


@pytest.mark.parametrize("version", STEPS)
def test_a_store_of_each_version_is_brought_up_to_date(version: str, database: str) -> None:
    make_old(database, version, OLD_GAME)
    with closing(find(database)) as db:
        with db.reading() as transaction:
            assert version_of(transaction) == VERSION
            assert all(map(transaction.has_table, TABLES))
            assert not transaction.has_table("panels")
        store = Store(db)
        assert [(row.number, row.game) for row in store.rows()] == [(1, "chess")]
        record = GameRecord("chess", moves=("e4",))
        store.add(from_record(record))
        assert store.game(2).record == record


def test_sensor_boards_that_a_store_remembers_become_devices(database: str) -> None:
    make_old(database, "0003", "INSERT INTO panels VALUES ('5a31c0ffee000001', 'red', 'chess')")
    with closing(connect(database)) as db:
        assert Devices(db).all() == (KnownDevice("5a31c0ffee000001", "red", "chess"),)


def test_a_store_of_a_newer_program_is_refused(database: str) -> None:
    with closing(connect(database)) as db, db.writing() as transaction:
        transaction.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match=f"has version 9999, this program knows {VERSION}"):
        connect(database)


def test_a_password_is_never_shown() -> None:
    for url in (
        "postgresql://companion:sesame@127.0.0.1:1/club",
        "postgresql+psycopg://companion:open/sesame@127.0.0.1:1/club",
        "postgresql://companion:%/sesame@127.0.0.1:1/club?sslmode",
        "postgresql://127.0.0.1:1/club?password=sesame",
        "oracle+nothing://companion:sesame@127.0.0.1/club",
    ):
        with pytest.raises(StoreError) as refused:
            connect(url)
        assert "sesame" not in str(refused.value)
        assert "127.0.0.1" in str(refused.value)


@pytest.mark.parametrize("path", ["", ":memory:", "file:club", "club.sqlite?timeout=9"])
def test_a_store_in_sqlite_is_the_name_of_a_file(path: str) -> None:
    with pytest.raises(StoreError, match="is not a store: write sqlite:///FILE"):
        connect(f"sqlite:///{path}")


def test_a_store_on_a_server_asks_for_its_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    url = "postgresql://me@127.0.0.1/club"
    with pytest.raises(StoreError, match=r"needs psycopg, which is not installed: .*hall") as fault:
        connect(url)
    assert not is_away(url, fault.value)


def test_a_mistyped_store_is_named_and_not_created(server: Postgres) -> None:
    url = server.fresh()
    with pytest.raises(StoreError, match=r"cannot be used: .* does not exist"):
        find(f"{url}x")
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(StoreError, match=r"there is no store at .*: name the right one with --store"):
        find(url)
    with psycopg.connect(url) as connection:
        made = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert made == [("recipes",)]
    connect(url).close()
    find(url.replace(":", "+psycopg:", 1)).close()


def test_a_restarted_server_is_used_again(server: Postgres) -> None:
    with closing(connect(server.fresh())) as db:
        server.stop()
        try:
            with pytest.raises(StoreError, match="cannot be used"), db.reading():
                pytest.fail("the server is off")
        finally:
            server.start()
        with db.reading() as transaction:
            assert transaction.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize(
    ("state", "passes"), [("57P03", True), ("28P01", False), ("3D000", False), ("28000", False)]
)
def test_a_server_that_starts_is_away_and_one_that_refuses_is_not(state: str, *, passes: bool) -> None:
    words = [sys.executable, "-m", "tests.refusing_postgres", state]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as refuser:
        try:
            assert refuser.stdout is not None
            url = f"postgresql://me@127.0.0.1:{next(refuser.stdout).strip()}/club"
            with pytest.raises(StoreError) as fault:
                connect(url)
            assert is_away(url, fault.value) == passes
        finally:
            refuser.kill()


def test_a_server_that_is_out_of_reach_is_away_and_a_file_or_a_wrong_url_is_not(tmp_path: Path) -> None:
    for url, passes in (
        (f"postgresql://me@127.0.0.1:{free_port()}/club", True),
        ("postgresql://me@nowhere.invalid/club", True),
        ("postgresql://me@127.0.0.1/club?sslmode=perhaps", False),
        ("mongodb://127.0.0.1/club", False),
        (f"sqlite:///{tmp_path}", False),
    ):
        with pytest.raises(StoreError) as fault:
            connect(url)
        assert is_away(url, fault.value) == passes, url
