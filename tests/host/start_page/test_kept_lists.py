# SPDX-License-Identifier: Apache-2.0
"""The games on the start page: each once, with the names of those who played."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from companion.feedback.words import load
from companion.host.journal import journal
from companion.host.journal.setup import GameSetup
from companion.host.records.records import from_journal, from_record
from companion.host.records.store import Row, Store
from companion.host.start_page.cards import last_picture
from companion.host.start_page.kept_lists import UnfinishedGames, called, is_kept, listed
from companion.model.absent import PlayedBy
from companion.model.notation import GameRecord
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


def test_a_stored_game_of_numbered_players_has_their_names_its_winner_and_its_board(tmp_path: Path) -> None:
    record = GameRecord(
        "martian-chess",
        moves=("b2-a3", "c8-d8"),
        tags={"Player-2": "Computer (level 1)"},
        result="player-2: resignation",
    )
    with Store.open(f"sqlite:///{tmp_path}/store.sqlite") as store:
        store.add(from_record(record))
        rows, kept = store.rows(), store.game(1).record
    (shown,) = listed(rows, (), None, "en")
    assert shown["players"] == ["Player 1", "Computer (Newcomer)"]
    assert shown["result"] == "Player 2 won"
    assert [each["result"] for each in listed(rows, (), None, "fr")] == ["Victoire : joueur 2"]
    assert last_picture(kept) == last_picture(record)
