# SPDX-License-Identifier: Apache-2.0
"""A journal leads to the same events again, or the first departure is named."""

from __future__ import annotations

from pathlib import Path

from companion import games
from companion.host import journal
from companion.host.journal import Continued, JournalWriter
from companion.host.replay import replay
from companion.model.observation import SensorKind
from companion.referee.events import MoveMade
from companion.referee.session import Session
from tests.host.tables import HEADER, WHOLE_GAME, carry, play, rig_for, written


def test_a_whole_game_with_an_illegal_move_replays_to_the_same_events(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with JournalWriter.create(path, HEADER) as writer:
        rig = rig_for(writer)
        play(rig, "a1-b2 a8-a5 a5-a8 " + WHOLE_GAME.partition(" ")[2])
    read = journal.read(path)
    assert len(read.events) > 20
    assert replay(read) is None


def test_a_changed_event_is_found(tmp_path: Path) -> None:
    path = written(tmp_path / "game.jsonl", "a1-b2 d8-b8")
    lines = path.read_text().splitlines()
    (number, *_) = [n for n, line in enumerate(lines) if '"MoveMade"' in line and "d8-b8" in line]
    lines[number] = lines[number].replace("d8-b8", "d8-b7")
    path.write_text("\n".join(lines) + "\n")
    departure = replay(journal.read(path))
    assert departure is not None
    assert number + 1 == departure.line
    assert isinstance(departure.written, MoveMade)
    assert "d8-b8" in str(departure.found)


def test_an_event_that_is_missing_is_found(tmp_path: Path) -> None:
    path = written(tmp_path / "game.jsonl", "a1-b2 d8-b8")
    lines = path.read_text().splitlines()
    (number, *_) = [n for n, line in enumerate(lines) if '"MoveMade"' in line]
    del lines[number]
    path.write_text("\n".join(lines) + "\n")
    departure = replay(journal.read(path))
    assert departure is not None
    assert departure.written is None
    assert departure.line == number + 1


def test_a_journal_cut_off_anywhere_replays_as_far_as_it_goes(tmp_path: Path) -> None:
    lines = written(tmp_path / "game.jsonl", "a1-b2 d8-b8").read_bytes().splitlines(keepends=True)
    path = tmp_path / "cut.jsonl"
    for count in range(1, len(lines)):
        path.write_bytes(b"".join(lines[:count]) + lines[count][:-5])
        assert replay(journal.read(path)) is None


def test_a_game_that_was_broken_off_and_continued_replays_as_a_whole(tmp_path: Path) -> None:
    path = written(tmp_path / "game.jsonl", "a1-b2 d8-b8")
    read = journal.read(path)
    restored = Session.restore(
        games.find("close-quarters").rules(), read.events, SensorKind.OCCUPANCY, read.header.timing
    )
    at_ms = read.last_ms + 1
    with JournalWriter.append(read, Continued(at_ms, "0.1.0", "later")) as writer:
        rig = rig_for(writer, restored, at_ms)
        carry(rig, "b2 c3")
    again = journal.read(path)
    assert replay(again) is None
    made = [event.move for event in again.events if isinstance(event, MoveMade)]
    assert made[-1] == "b2-c3"
