# SPDX-License-Identifier: Apache-2.0
"""An interrupted game is found: the newest, one by number, one by journal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from companion.host.journal import journal
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.play.start import PlayOptions, resume
from companion.host.records.records import from_journal
from companion.host.records.store import Store
from companion.model.errors import JournalError
from tests.host.tables import GAME, HEADER, WHOLE_GAME, play, rig_for


@pytest.fixture
def play_options(tmp_path: Path) -> PlayOptions:
    """A folder with three games, kept in a store in this order.

    Two are unfinished, one has ended.
    """
    url = f"sqlite:///{tmp_path / 'store.sqlite'}"
    with Store.open(url) as store:
        for name, moves in (("1", "a1-b2 d8-b8"), ("2", "a1-a3"), ("3", WHOLE_GAME)):
            path = tmp_path / f"{name}_{GAME}{journal.SUFFIX}"
            header = replace(HEADER, began=f"2026-05-0{name}T20:15:00+02:00")
            with JournalWriter.create(path, header) as writer:
                play(rig_for(writer), moves)
            for game in from_journal(journal.read(path)):
                store.add(game)
    return PlayOptions(GameSetup(GAME), folder=tmp_path, store=url, resume=True)


def with_record(play_options: PlayOptions, number: int, game: str = GAME) -> PlayOptions:
    """The same options with *number* in the store."""
    return PlayOptions(
        GameSetup(game), folder=play_options.folder, store=play_options.store, resume=True, record=number
    )


@pytest.mark.parametrize(("number", "moves"), [(1, ["a1-b2", "d8-b8!"]), (2, ["a1-a3"])])
def test_a_game_is_resumed_by_number(play_options: PlayOptions, number: int, moves: list[str]) -> None:
    started = resume(with_record(play_options, number))
    assert [line.move for line in started.session.view().record] == moves
    assert started.resumed is not None
    assert started.resumed.path.name.startswith(str(number))


def test_a_finished_game_cannot_be_resumed(play_options: PlayOptions) -> None:
    with pytest.raises(JournalError, match="game 3 cannot go on: it has ended, or no journal"):
        resume(with_record(play_options, 3))


def test_the_number_of_another_game_is_refused(play_options: PlayOptions) -> None:
    with pytest.raises(JournalError, match="game 1 is one of close-quarters, not of chess"):
        resume(with_record(play_options, 1, "chess"))
