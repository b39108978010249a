# SPDX-License-Identifier: Apache-2.0
"""Database migrations: from any version, concurrently, and with clear errors."""

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sql
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

import companion.host.records.database as database_module
from companion.host.hall.hotplug.devices import Devices, KnownDevice
from companion.host.records.database import VERSION, connect, find, is_away, shown
from companion.host.records.store import _META, Store
from companion.model.errors import StoreError
from tests.databases import Postgres
from tests.ports import free_port

MIGRATIONS = Path(database_module.__file__).parent / "migrations"


def test_the_version_equals_the_number_of_the_last_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    script = ScriptDirectory.from_config(config)
    assert script.get_current_head() == VERSION
    assert {each.revision for each in script.walk_revisions()} == database_module.KNOWN_VERSIONS


def columns(engine: sql.Engine, table: str) -> set[tuple[str, bool]]:
    return {(each["name"], bool(each["nullable"])) for each in sql.inspect(engine).get_columns(table)}


def test_the_created_tables_match_the_used_ones(database: str) -> None:
    engine = connect(database)
    for table in _META.sorted_tables:
        assert columns(engine, table.name) == {(each.name, bool(each.nullable)) for each in table.columns}
    engine.dispose()


def test_several_programs_can_make_the_tables_at_once(database: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        engines = list(pool.map(lambda _: connect(database), range(6)))
    for engine in engines:
        with engine.connect() as connection:
            assert connection.scalar(sql.text("SELECT version_num FROM alembic_version")) == VERSION
        for table in _META.sorted_tables:
            assert columns(engine, table.name) == {(each.name, bool(each.nullable)) for each in table.columns}
        engine.dispose()


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
    engine = connect(f"sqlite:///{tmp_path}/old.sqlite")
    assert not sql.inspect(engine).has_table("about")
    engine.dispose()


def test_remembered_boards_survive_the_migration_for_cameras_and_its_reverse(database: str) -> None:
    engine = connect(database)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    Devices(engine).give(KnownDevice("5a31c0ffee000001", "red", "chess"))
    Devices(engine).give(KnownDevice("usb:046d:0825:1A2B3C", "blue", "chess"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0003")
    with engine.connect() as connection:
        kept = connection.exec_driver_sql("SELECT panel, board, game FROM panels").all()
    assert [tuple(row) for row in kept] == [("5a31c0ffee000001", "red", "chess")]
    engine.dispose()
    engine = connect(database)
    assert Devices(engine).all() == (KnownDevice("5a31c0ffee000001", "red", "chess"),)
    engine.dispose()


def test_a_store_of_a_newer_program_is_refused(database: str) -> None:
    engine = connect(database)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    engine.dispose()
    with pytest.raises(StoreError, match=f"has version 9999, this program knows {VERSION}"):
        connect(database)


def test_a_password_is_never_shown() -> None:
    with pytest.raises(StoreError) as refused:
        connect("postgresql://companion:sesame@127.0.0.1:1/club")
    assert "sesame" not in str(refused.value)
    with pytest.raises(StoreError) as unknown:
        connect("oracle+nothing://companion:sesame@127.0.0.1/club")
    assert "sesame" not in str(unknown.value)


def test_a_mistyped_store_is_named_and_not_created(server: Postgres) -> None:
    url = server.fresh()
    with pytest.raises(StoreError, match=r"cannot be used: .* does not exist"):
        find(f"{url}x")
    engine = sql.create_engine(url.replace("postgresql", "postgresql+psycopg"))
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(StoreError, match=r"there is no store at .*: name the right one with --store"):
        find(url)
    assert sql.inspect(engine).get_table_names() == ["recipes"]
    engine.dispose()
    connect(url).dispose()
    find(url).dispose()


def test_a_restarted_server_is_used_again(server: Postgres) -> None:
    engine = connect(server.fresh())
    server.stop()
    try:
        with pytest.raises(StoreError, match="cannot be used"), database_module.failing(engine):
            engine.connect()
    finally:
        server.start()
    with engine.connect() as connection:
        assert connection.scalar(sql.text("SELECT 1")) == 1
    assert "companion" in shown(engine)
    engine.dispose()


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
