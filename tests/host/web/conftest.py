# SPDX-License-Identifier: Apache-2.0
"""A table to serve."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion import games
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.journal.journal import JournalWriter
from companion.host.play.new_table import make_table
from companion.host.table.table import Table
from companion.referee.session.session import Session
from tests.host.tables import GAME, HEADER


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    game = games.find(GAME)
    rules = game.rules()
    with JournalWriter.create(tmp_path / "game.jsonl", HEADER) as writer:
        yield make_table(None, game, Session(rules), load("en", GAME, rules.sides), writer, monotonic())
