# SPDX-License-Identifier: Apache-2.0
"""The games on the start page: each once, with the names of those who played."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from companion.feedback.words import load
from companion.host.journal import journal
from companion.host.journal.setup import GameSetup
from companion.host.records.records import from_journal
from companion.host.records.store import Row, Store
from companion.host.start_page.kept_lists import UnfinishedGames, called, is_kept, listed
from companion.model.absent import PlayedBy
from tests.host.tables import HEADER, WHOLE_GAME, written

COMPUTER = GameSetup(
    "close-quarters",
    players=("Ann", ""),
    played_by=(PlayedBy.TABLE, PlayedBy.COMPUTER),
    levels=(0, 2),
)


def kept_in(folder: Path, *paths: Path) -> list[Row]:
    with Store.open(f"sqlite:///{folder}/store.sqlite") as store:
        for path in paths:
            for game in from_journal(journal.read(path)):
                store.add(game)
        return store.rows()


def test_a_game_in_the_store_and_in_a_journal_is_listed_once(tmp_path: Path) -> None:
    path = written(tmp_path / "2026_close-quarters.jsonl", "a1-b2 d8-b8", replace(HEADER, setup=COMPUTER))
    rows = kept_in(tmp_path, path)
    (shown,) = listed(rows, UnfinishedGames(tmp_path).list(None), None, "en")
    assert (shown["number"], shown["journal"]) == (1, path.name)
    assert shown["players"] == ["Ann", "Computer (Amateur)"]
    assert (shown["result"], shown["is_finished"], shown["plies"]) == ("Unfinished", False, 2)
    (german,) = listed(rows, (), None, "de")  # the journal is gone
    assert (german["number"], german["journal"], german["result"]) == (1, "", "Nicht beendet")


def test_the_game_under_way_on_the_table_is_not_listed_and_a_finished_one_is(tmp_path: Path) -> None:
    path = written(tmp_path / "2026_close-quarters.jsonl", "a1-b2 d8-b8")
    found = UnfinishedGames(tmp_path).list(path)
    rows = kept_in(tmp_path, path)
    assert listed(rows, found, path, "en") == []
    assert not is_kept(rows, found, path)
    path.unlink()
    written(path, WHOLE_GAME)
    found, rows = UnfinishedGames(tmp_path).list(path), kept_in(tmp_path, path)
    (shown,) = listed(rows, found, path, "en")
    assert (shown["result"], shown["players"]) == ("Weapons won", ["Sword", "Weapons"])
    assert is_kept(rows, found, path)
    assert not is_kept([], found, path)


def test_a_side_without_a_player_has_its_own_name_and_a_person_may_be_called_as_a_computer() -> None:
    words = load("fr", "chess", ("white", "black"))
    assert list(called("chess", words, ("", "Computer"))) == ["Blancs", "Ordinateur"]
    assert list(called("chess", words, ("Computer (level 99)", "Computers"))) == ["Ordinateur", "Computers"]
