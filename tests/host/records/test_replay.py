# SPDX-License-Identifier: Apache-2.0
"""A journal replays to the same events; the first difference is named."""

from __future__ import annotations

import dataclasses
import re
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion import games
from companion.host.hall.core.finished_games import recall
from companion.host.journal import journal
from companion.host.journal.journal import CommandEntry, Continued, JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.play.rig import Rig
from companion.host.play.start import PlayOptions, begin, new_game_request, open_journal
from companion.host.records.records import from_journal
from companion.host.records.replay import opened, replay
from companion.model.errors import CompanionError, JournalError, SettingsError
from companion.model.observation import SensorKind
from companion.referee.session.session import Session
from companion.referee.values.commands import NewGame, OfferDraw
from companion.referee.values.controls import read_control
from companion.referee.values.events import GameResumed, MoveMade
from companion.referee.values.view import Phase
from companion.virtual.pieces import PieceSet
from tests.host.tables import (
    HEADER,
    WHOLE_GAME,
    Kept,
    carry,
    panel_under,
    pipeline_for,
    play,
    rig_for,
    written,
)
from tests.recordings import FOLDER

OLD = dataclasses.replace(HEADER, format=1)
"""Damage with valid checksums."""


def test_a_whole_game_with_an_illegal_move_replays_to_the_same_events(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with JournalWriter.create(path, HEADER) as writer:
        rig = rig_for(writer)
        play(rig, "a1-b2 a8-a5 a5-a8 " + WHOLE_GAME.partition(" ")[2])
    read = journal.read(path)
    assert len(read.events) > 20
    assert replay(read) is None


def test_a_game_with_own_pawns_replays_without_their_file(tmp_path: Path) -> None:
    pawns = resources.files("companion.games").joinpath("pawn_sets", "starter.toml").read_text("utf-8")
    own = tmp_path / "own.toml"
    own.write_text(pawns.replace("leap-3/support-3", "slant-3/jump-3"), encoding="utf-8")
    play_options = PlayOptions(GameSetup("gottaz", options=(("pawns", str(own)),)), folder=tmp_path)
    started = begin(new_game_request(play_options), play_options, "en")
    with open_journal(started, play_options) as writer:
        writer.write([CommandEntry(1, NewGame())])
    own.unlink()
    read = journal.read(writer.path)
    assert replay(read) is None
    assert "slant-3/jump-3" in opened(read).rules.options["pawns"]


@pytest.mark.parametrize("move", ["", "Ng8"])
def test_a_draw_claimed_with_a_move_is_replayed(tmp_path: Path, move: str) -> None:
    header = dataclasses.replace(HEADER, setup=GameSetup("chess"))
    there_and_back = "g1-f3 g8-f6 f3-g1 f6-g8"
    with JournalWriter.create(tmp_path / "drawn.jsonl", header) as writer:
        rig = rig_for(writer, Session(games.find("chess").rules()))
        play(rig, f"{there_and_back} {there_and_back.rpartition(' ')[0]}")
        rig.pipeline.command(OfferDraw(1, move), rig.now_ms)
        play(rig, "" if move else "f6-g8")
    read = journal.read(writer.path)
    assert replay(read) is None
    (kept,) = from_journal(read)
    assert kept.record.result == "draw: threefold-repetition"
    assert len(kept.moves) == (7 if move else 8)


def test_an_older_journal_that_names_a_file_is_replayed_while_the_file_exists(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_bytes(resources.files("companion.games").joinpath("pawn_sets", "starter.toml").read_bytes())
    header = dataclasses.replace(HEADER, setup=GameSetup("gottaz", (("pawns", str(own)),)))
    with JournalWriter.create(tmp_path / "old.jsonl", header) as writer:
        writer.write([CommandEntry(1, NewGame())])
    read = journal.read(writer.path)
    assert replay(read) is None
    own.unlink()
    with pytest.raises(SettingsError, match=r"own\.toml cannot be read"):
        replay(read)


def test_a_changed_event_is_found(tmp_path: Path) -> None:
    path = written(tmp_path / "game.jsonl", "a1-b2 d8-b8", OLD)
    lines = path.read_text().splitlines()
    (number, *_) = [n for n, line in enumerate(lines) if '"MoveMade"' in line and "d8-b8" in line]
    lines[number] = lines[number].replace("d8-b8", "d8-b7")
    path.write_text("\n".join(lines) + "\n")
    departure = replay(journal.read(path))
    assert departure is not None
    assert number + 1 == departure.line
    assert isinstance(departure.written, MoveMade)
    assert "d8-b8" in str(departure.found)


def test_a_missing_event_is_found(tmp_path: Path) -> None:
    path = written(tmp_path / "game.jsonl", "a1-b2 d8-b8", OLD)
    lines = path.read_text().splitlines()
    (number, *_) = [n for n, line in enumerate(lines) if '"MoveMade"' in line]
    del lines[number]
    path.write_text("\n".join(lines) + "\n")
    departure = replay(journal.read(path))
    assert departure is not None
    assert departure.written is None
    assert departure.line == number + 1


def test_a_truncated_journal_replays_to_its_end(tmp_path: Path) -> None:
    lines = written(tmp_path / "game.jsonl", "a1-b2 d8-b8").read_bytes().splitlines(keepends=True)
    path = tmp_path / "cut.jsonl"
    for count in range(1, len(lines)):
        path.write_bytes(b"".join(lines[:count]) + lines[count][:-5])
        assert replay(journal.read(path)) is None


def test_an_interrupted_and_resumed_game_replays_as_a_whole(tmp_path: Path) -> None:
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


def test_a_resumed_game_compares_the_board_with_the_record_and_guides_to_it(tmp_path: Path) -> None:
    """Two pieces were knocked over while the program was not running."""
    path = written(tmp_path / "game.jsonl", "a1-b2 d8-b8")
    read = journal.read(path)
    rules = games.find("close-quarters").rules()
    at_ms = read.last_ms + 1
    kept = Kept()
    pipeline = pipeline_for(
        kept, Session.restore(rules, read.events, SensorKind.OCCUPANCY, read.header.timing)
    )
    right = PieceSet(pipeline.view.placement)
    b2, b8, c4 = rules.grid.cells("b2 b8 c4")
    astray = right.lift(b2).drop(c4).clear(b8)
    rig = Rig(pipeline, panel_under(pipeline, at_ms), astray, at_ms, kept.sync)
    rig.advance(1000)
    assert pipeline.view.phase == Phase.SETTING_UP
    assert {b2, b8} <= {guide.target for guide in pipeline.view.guides}
    assert any("b2" in line or "b8" in line for line in rig.panel.lines)
    rig.become(rig.pieces.lift(c4).drop(b2))
    rig.advance(1000)
    rig.become(rig.pieces.take(0).drop(b8))
    rig.advance(1000)
    assert [entry for entry in kept.entries if isinstance(entry, GameResumed)]
    assert [move.move for move in pipeline.view.record] == ["a1-b2", "d8-b8!"]
    carry(rig, "b2 c3")
    assert len(pipeline.view.record) == 3


def test_an_interrupted_game_with_clocks_replays_to_the_same_events(tmp_path: Path) -> None:
    rules = games.find("close-quarters").rules()
    control = read_control("60s+2", 2)
    header = dataclasses.replace(HEADER, control=control)
    path = tmp_path / "game.jsonl"
    with JournalWriter.create(path, header) as writer:
        play(rig_for(writer, Session(rules, control=control)), "a1-b2 d8-b8")
    broken = journal.read(path)
    session = Session.restore(rules, broken.events, control=broken.header.control)
    shown = session.view().clocks
    assert 63_900 <= shown[0].left_ms <= 64_000, "the first move costs nothing"
    assert shown[1].left_ms < 64_000
    now_ms = broken.last_ms + 1
    with JournalWriter.append(broken, Continued(now_ms, "0.1.0", "2026-05-02T20:15:00+02:00")) as writer:
        play(rig_for(writer, session, now_ms), "b2-c3")
    again = journal.read(path)
    assert replay(again) is None
    told = [event.spent_ms for event in again.events if isinstance(event, MoveMade)]
    first, *others = [spent for spent in told if spent is not None]
    assert first == 0
    assert [spent > 0 for spent in others] == [True, True]


_CLOCKS = FOLDER / "close-quarters-clocks-adjourned-and-resumed.jsonl"


def read_everywhere(path: Path, content: bytes) -> list[str]:
    """Read *content* in every way: desk, store, resuming, replay; return the refusals."""
    refusals: list[str] = []
    for read in (
        lambda: recall(path, content),
        lambda: list(from_journal(journal.parse(path, content))),
        lambda: replay(journal.parse(path, content)),
    ):
        try:
            read()
        except CompanionError as fault:
            refusals.append(str(fault))
    return refusals


@settings(max_examples=60)
@given(st.data())
def test_a_journal_with_any_damage_is_read_or_refused(data: st.DataObject) -> None:
    good = bytearray(_CLOCKS.read_bytes())
    place = st.integers(0, len(good) - 1)
    damage = data.draw(st.sampled_from(["flip", "digit", "cut", "lines"]))
    match damage:
        case "flip":
            good[data.draw(place)] ^= 1 << data.draw(st.integers(0, 7))
        case "digit":
            digits = [at for at, byte in enumerate(good) if chr(byte).isdigit()]
            good[data.draw(st.sampled_from(digits))] = ord(data.draw(st.sampled_from("0123456789")))
        case "cut":
            del good[data.draw(place) :]
        case "lines":
            lines = bytes(good).splitlines(keepends=True)
            one, other = (data.draw(st.integers(1, len(lines) - 1)) for _ in range(2))
            lines[one], lines[other] = lines[other], lines[one]
            good = bytearray(b"".join(lines))
    refusals = read_everywhere(_CLOCKS, bytes(good))
    assert all(refusals), "a refusal without a sentence"
    if damage == "cut" and b"\n" in good:  # what came before the cut is kept, whole line by whole line
        kept = journal.parse(_CLOCKS, bytes(good)).entries
        assert kept == journal.parse(_CLOCKS, _CLOCKS.read_bytes()).entries[: len(kept)]
        assert len(kept) == good.count(b"\n") - 1


@pytest.mark.parametrize(
    ("line", "good", "bad", "desk", "store"),
    [
        (
            24,
            '"ply":1',
            '"ply":7',
            "line 24 does not fit what is before it",
            "line 24 does not fit what is before it",
        ),
        (24, "d8-d3!", "d8-d9!", "line 24: .*d9", "line 24: .*d9"),
        (5, "A2P", "A2X", "line 5: .*X", "line 5: .*X"),
        (5, '"at_ms":1060', '"at_ms":1000000000000000', "", "line 5 does not fit"),
    ],
)
def test_a_valid_line_with_invalid_content_is_named_with_its_file(
    line: int, good: str, bad: str, desk: str, store: str
) -> None:
    lines = _CLOCKS.read_text("utf-8").splitlines(keepends=True)
    assert good in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(good, bad)
    content = "".join(lines).encode()
    for said, read in (
        (desk, lambda: recall(_CLOCKS, content)),
        (store, lambda: list(from_journal(journal.parse(_CLOCKS, content)))),
    ):
        if said:
            with pytest.raises(JournalError, match=f"^{re.escape(str(_CLOCKS))}, {said}"):
                read()
