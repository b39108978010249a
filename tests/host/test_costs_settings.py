# SPDX-License-Identifier: Apache-2.0
"""The table of costs in the settings reaches every new game and its journal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion import games
from companion.cli.main import main
from companion.host.hall import run as evening
from companion.host.journal import journal
from companion.host.journal.journal import Continued, JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.play.start import PlayOptions, begin, new_game_request, resume
from companion.host.records.replay import opened, replay, restored
from companion.host.settings import costs_of
from companion.host.start_page import run as play
from companion.model.errors import SettingsError
from companion.model.observation import SensorKind
from companion.referee.inference.costs import DEFAULT, Costs
from companion.referee.session.session import Session
from tests.host.tables import GAME, HEADER, carry, rig_for

CLUB = replace(DEFAULT, piece_stop=2.5, ply_base=4.0)
TEXT = "[piece]\nstop = 2.5\n[ply]\nbase = 4\n"


def costs_in(session: Session) -> Costs:
    return session.belief.table.costs


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a club's table, which the settings name."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "companion").mkdir()
    file = tmp_path / "club.toml"
    file.write_text(TEXT)
    (tmp_path / "companion" / "settings.toml").write_text(f"costs = '{file}'\n")
    return file


@pytest.mark.parametrize(
    ("words", "of"),
    [
        (["play", GAME], lambda taken: taken),
        (["hall", "--board", f"red={GAME}"], lambda taken: taken.stations[0].play_options),
        (["hall", "--panels", GAME], lambda taken: taken.usual),
        (["hall", "table", "red", GAME, "--hall", "mqtt://club"], lambda taken: taken.play_options),
    ],
)
def test_a_new_game_has_the_table_of_the_settings_or_of_the_command_line(
    words: list[str],
    of: Callable[[Any], PlayOptions],
    club: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken: list[object] = []
    for place, name in ((play, "play"), (evening, "run_hall"), (evening, "run_station")):
        monkeypatch.setattr(place, name, lambda play_options, *_: taken.append(play_options))
    assert main(words) == 0
    play_options = replace(of(taken[0]), setup=GameSetup(GAME))
    started = begin(new_game_request(play_options), play_options, "en")
    assert started.header.costs == CLUB.differences()
    assert costs_in(started.session) == CLUB
    own = tmp_path / "own.toml"
    own.write_text("[ply]\nbase = 5\n")
    assert main([*words, "--costs", str(own)]) == 0
    assert of(taken[1]).costs == replace(DEFAULT, ply_base=5.0)


def test_a_resumed_game_keeps_its_table_also_when_it_is_replayed(tmp_path: Path) -> None:
    path, rules = tmp_path / f"1_{GAME}{journal.SUFFIX}", games.find(GAME).rules()
    with JournalWriter.create(path, replace(HEADER, costs=CLUB.differences())) as writer:
        carry(rig_for(writer, Session(rules, costs=CLUB)), "a1 b2", rest_ms=1500)
    started = resume(
        PlayOptions(GameSetup(GAME), folder=tmp_path, store=f"sqlite:///{tmp_path}/store.sqlite", resume=True)
    )
    assert costs_in(started.session) == CLUB
    broken_off = journal.read(path)
    session = restored(broken_off, rules, SensorKind.OCCUPANCY)
    assert costs_in(session) == CLUB
    later_ms = broken_off.last_ms + 1000
    with JournalWriter.append(broken_off, Continued(later_ms, "0.1.0", HEADER.began)) as writer:
        carry(rig_for(writer, session, later_ms), "d8 c8", rest_ms=1500)
    assert replay(journal.read(path)) is None
    assert costs_in(opened(broken_off)) == CLUB
    assert costs_in(opened(broken_off, costs=DEFAULT)) == DEFAULT


def test_a_journal_with_the_default_table_does_not_mention_it(tmp_path: Path) -> None:
    with JournalWriter.create(tmp_path / "game.jsonl", replace(HEADER, order="7")):
        pass
    assert b"costs" not in (tmp_path / "game.jsonl").read_bytes()


def test_a_wrong_table_is_refused_with_file_row_and_reason(
    club: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    club.write_text("[ply]\nbase = -1\n")
    assert main(["play", GAME]) == 1
    assert f"{club}: ply.base must be a number of at least 0, not -1" in capsys.readouterr().err
    assert main(["play", GAME, "--costs", str(club.with_name("none.toml"))]) == 1
    assert "none.toml cannot be read" in capsys.readouterr().err
    with pytest.raises(SettingsError, match=r"club\.toml: ply\.base"):
        costs_of(club)


def test_a_resumed_game_refuses_another_table(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", GAME, "--resume", "--costs", str(club)]) == 2
    assert "--costs: a resumed game keeps the table of costs" in capsys.readouterr().err
