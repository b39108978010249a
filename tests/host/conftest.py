# SPDX-License-Identifier: Apache-2.0
"""Databases of each kind."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import Postgres, postgres


@pytest.fixture(scope="session")
def server() -> Iterator[Postgres]:
    """A PostgreSQL server for all tests."""
    with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a fresh database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/new folder/records.sqlite"
    server: Postgres = request.getfixturevalue("server")
    return server.fresh()
