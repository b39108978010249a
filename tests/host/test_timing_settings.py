# SPDX-License-Identifier: Apache-2.0
"""The referee's waits are a setting that holds for every way to start a game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from companion import games
from companion.cli.main import main
from companion.host.hall import run as evening
from companion.host.journal import journal
from companion.host.journal.journal import Continued, Entry, JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.play.game_factory import TableGameFactory
from companion.host.play.start import PlayOptions, begin, new_game_request, resume
from companion.host.records.replay import replay, restored
from companion.host.start_page import run as play
from companion.host.table.table_game import Again
from companion.model.observation import Observation, SensorKind
from companion.referee.session.session import Session
from companion.referee.values.events import MoveMade, Stage
from companion.referee.values.timing import DEFAULT_TIMING
from tests.fakes import FakeTable
from tests.host.tables import GAME, HEADER, carry, rig_for

SLOW = replace(DEFAULT_TIMING, dwell_ms=2000, dwell_emptied_ms=2000)


def patiences(entries: Iterable[Entry]) -> list[int]:
    """How long the board rested before each announced move in *entries*."""
    changed_ms, found = 0, []
    for entry in entries:
        match entry:
            case Observation(inputs=(*_, last)):
                changed_ms = last.t_ms
            case MoveMade(at_ms, stage=Stage.ANNOUNCED):
                found.append(at_ms - changed_ms)
    return found


def patience_of(session: Session) -> int:
    """The same for the first move of a game that starts with *session*."""
    table = FakeTable(session.rules, session.kind, session=session)
    table.set_up()
    table.carry("a1", "b2", after_ms=100)
    table.wait(3000)
    (found,) = patiences(table.entries)
    return found


@pytest.fixture
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings, journals and store of this test alone; moves are announced late."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "companion").mkdir()
    (tmp_path / "companion" / "settings.toml").write_text(
        "[waits]\ndwell_ms = 2000\ndwell_emptied_ms = 2000\n"
    )
    return tmp_path


@pytest.mark.parametrize(
    ("words", "of"),
    [
        (["play", GAME], lambda taken: taken),
        (["hall", "--board", f"red={GAME}"], lambda taken: taken.stations[0].play_options),
        (["hall", "--panels", GAME], lambda taken: taken.usual),
        (["hall", "table", "red", GAME, "--hall", "mqtt://club"], lambda taken: taken.play_options),
    ],
)
def test_tables_and_stations_of_halls_announce_moves_after_the_wait_of_the_settings(
    words: list[str], of: Callable[..., PlayOptions], own_settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[object] = []
    for place, name in ((play, "play"), (evening, "run_hall"), (evening, "run_station")):
        monkeypatch.setattr(place, name, lambda play_options, *_: taken.append(play_options))
    assert main(words) == 0
    play_options = replace(of(taken[0]), setup=GameSetup(GAME))
    started = begin(new_game_request(play_options), play_options, "en")
    assert started.header.timing == SLOW
    assert patience_of(started.session) == 2000
    (own_settings / "companion" / "settings.toml").unlink()
    assert main(words) == 0
    play_options = replace(of(taken[1]), setup=GameSetup(GAME))
    assert (
        patience_of(begin(new_game_request(play_options), play_options, "en").session)
        == DEFAULT_TIMING.dwell_ms
    )


def test_the_next_game_at_the_same_table_uses_the_same_wait(tmp_path: Path) -> None:
    play_options = PlayOptions(
        GameSetup(GAME), folder=tmp_path, store=f"sqlite:///{tmp_path}/store.sqlite", timing=SLOW
    )
    game_factory = TableGameFactory(play_options, lambda _: None)
    first = game_factory.first(begin(new_game_request(play_options), play_options, "en"))
    again = game_factory.create(Again(), first)
    assert patience_of(again.pipeline.session) == 2000
    for table_game in (first, again):
        game_factory.close(table_game)


def test_a_resumed_game_keeps_its_original_waits(tmp_path: Path) -> None:
    path = tmp_path / f"1_{GAME}{journal.SUFFIX}"
    with JournalWriter.create(path, replace(HEADER, timing=SLOW)) as writer:
        rig_for(writer, Session(games.find(GAME).rules(), timing=SLOW))
    store = f"sqlite:///{tmp_path}/store.sqlite"
    started = resume(PlayOptions(GameSetup(GAME), folder=tmp_path, store=store, resume=True))
    assert patience_of(started.session) == 2000


def test_a_journal_replays_with_its_own_waits_also_after_it_was_continued(tmp_path: Path) -> None:
    path, rules = tmp_path / "game.jsonl", games.find(GAME).rules()
    with JournalWriter.create(path, replace(HEADER, format=1, timing=SLOW)) as writer:
        carry(rig_for(writer, Session(rules, timing=SLOW)), "a1 b2", rest_ms=2500)
    broken_off = journal.read(path)
    session = restored(broken_off, rules, SensorKind.OCCUPANCY)
    later_ms = broken_off.last_ms + 1000
    with JournalWriter.append(broken_off, Continued(later_ms, "0.1.0", HEADER.began)) as writer:
        carry(rig_for(writer, session, later_ms), "d8 c8", rest_ms=2500)
    whole = journal.read(path)
    assert patiences(whole.entries) == [2000, 2000]
    assert replay(whole) is None
    path.write_text(path.read_text().replace('"dwell_ms":2000', '"dwell_ms":2400', 1))
    assert replay(journal.read(path)) is not None
