# SPDX-License-Identifier: Apache-2.0
"""`companion hall` as a program, and a real PostgreSQL that is started after it."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import PIPE
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from companion.cli.main import main
from companion.host.hall.book_lock import held
from companion.host.records.database import connect
from tests.cli.test_hall import PASSWORD, address_in, ask, program
from tests.databases import Postgres, postgres
from tests.ports import free_port
from tests.programs import Program

WAITS = "The hall waits for its store, and goes on by itself: the store at postgresql://"


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A server of this test, which stops it."""
    with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as running:
        yield running


@contextmanager
def off(server: Postgres) -> Iterator[None]:
    """The server is stopped inside the block."""
    server.stop()
    try:
        yield
    finally:
        server.start()


def refusal(url: str, language: str = "en") -> tuple[int, str]:
    """The status and text with which *url* is refused."""
    with pytest.raises(HTTPError) as refused:
        urlopen(Request(url, headers={"Accept-Language": language}), timeout=60)
    with refused.value as answer:
        return answer.code, answer.read().decode()


def test_a_hall_that_is_started_before_its_database_waits_and_goes_on_by_itself(
    server: Postgres, tmp_path: Path
) -> None:
    store, port = server.fresh(), free_port()
    assert main(["hall", "admit", "Ana", "--password", PASSWORD, "--store", store]) == 0
    words = ("hall", "--store", store, "--http-port", str(port), "--board", "red=chess")
    with ExitStack() as running:
        with off(server):
            said = running.enter_context(program(tmp_path, signal.SIGINT, *words))
            assert next(said).startswith(WAITS)
            address = f"http://127.0.0.1:{port}/"
            status, page = refusal(f"{address}arbiter", "de")
            assert status == 503
            assert "Der Saal wartet auf seine Datenbank" in page
            assert 'http-equiv="refresh"' in page
            status, told = refusal(f"{address}api/state")
            assert (status, told.startswith('{"detail":"The hall waits for its database')) == (503, True)
        assert address_in(said, "The hall is at") == address
        assert ask(address, "api/login", {"name": "Ana", "password": PASSWORD})["token"]


def test_a_hall_that_waits_for_its_database_ends_on_a_signal(tmp_path: Path) -> None:
    store = f"postgresql://companion@127.0.0.1:{free_port()}/club"
    with program(tmp_path, signal.SIGINT, "hall", "--store", store, "--http-port", "0") as said:
        assert next(said).startswith(WAITS)


@pytest.mark.parametrize("wrong", ["database", "password", pytest.param("held", marks=pytest.mark.long)])
def test_a_hall_does_not_wait_for_what_does_not_pass(wrong: str, server: Postgres, tmp_path: Path) -> None:
    store = server.fresh()
    db = connect(store)
    if wrong == "password":
        with db.writing() as transaction:
            transaction.execute("CREATE ROLE guest LOGIN PASSWORD 'right'")
        access = Path(server.folder, "data", "pg_hba.conf")
        access.write_text(f"host all guest all scram-sha-256\n{access.read_text()}")
        with off(server):
            pass
    given, reason = {
        "database": (f"{store}x", "does not exist"),
        "password": (store.replace("companion@", "guest:wrong@"), "password authentication failed"),
        "held": (store, "is held by a hall that runs"),
    }[wrong]
    with held(db):
        ended = Program(
            "companion",
            ["hall", "--store", given, "--http-port", "0"],
            stdout=PIPE,
            stderr=PIPE,
            env={**os.environ, "XDG_DATA_HOME": str(tmp_path)},
        )
        said, complaint = ended.communicate()
    db.close()
    assert (ended.returncode, said) == (1, "")
    assert reason in complaint
