# SPDX-License-Identifier: Apache-2.0
"""Every game can be played at the virtual table with any actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from companion import games
from companion.feedback.words import load
from companion.host.journal.journal import JournalWriter
from companion.host.journal.journal import read as read_journal
from companion.host.journal.setup import GameSetup
from companion.host.play.rig import Rig
from companion.host.play.start import usual_sensor
from companion.host.records.replay import replay
from companion.host.table.drops import judged
from companion.host.table.pipeline import Pipeline
from companion.host.virtual_table.hands import Drop
from companion.host.virtual_table.set_up import make_virtual_table
from companion.host.virtual_table.table import motions
from companion.link.connection import Connection
from companion.model.game import Count, Violation
from companion.model.observation import SensorKind
from companion.referee.session.session import Session
from companion.referee.values.commands import Answer
from companion.referee.values.events import Stage
from tests.games.playthroughs import read
from tests.hands import hands_for

from .tables import HEADER, Kept

PLAYED = Path(__file__).parents[1] / "games" / "playthroughs"
PLIES = 30


def rig_of(
    slug: str,
    options: Mapping[str, str] | None = None,
    *,
    sensor: SensorKind | None = None,
    keep: JournalWriter | None = None,
) -> Rig:
    """A running virtual table in virtual time."""
    rules = games.find(slug).rules(options)
    session, kept = Session(rules, sensor or usual_sensor(rules)), Kept()
    virtual_table = make_virtual_table(session, lambda: 1000)
    pipeline = Pipeline(
        session, load("en", slug, rules.sides), Connection(1), kept.keep if keep is None else keep.write
    )
    rig = Rig(pipeline, virtual_table.panel, virtual_table.pieces, 1000, kept.sync)
    rig.advance(300)
    return rig


def answer(rig: Rig, written: str) -> None:
    """Answer that *written* follows the moves on record, and act accordingly."""
    while rig.pipeline.view.question is not None:
        asked, record = rig.pipeline.view.question, rig.pipeline.view.record
        move = record[asked.ply].move if asked.ply < len(record) - 1 else written
        (choice,) = (number for number, each in enumerate(asked.choices) if move in each.moves)
        rig.pipeline.command(Answer(asked.ply, choice), rig.now_ms)
        rig.advance(1500)
    for pieces in motions(rig.pieces, None, rig.pipeline.view.placement):
        rig.become(pieces)


def play(rig: Rig, text: str) -> str:
    """Make the move *text*; returns the recorded move."""
    rules, position = rig.pipeline.session.rules, rig.pipeline.session.position
    move = rules.read_move(position, text)
    written = rules.write_move(position, move)
    ply = rig.pipeline.view.ply
    for hand, _ in hands_for(rig.pieces, rules.steps(position, move)):
        if isinstance(hand, Drop) and any(map(rig.pieces.standing.at, rig.pieces.reach(hand.cell))):
            found = judged(rig.pipeline.session, rig.pieces, hand.cell)
            assert not isinstance(found, Violation), f"{text}: no piece may be put there"
        for pieces in motions(rig.pieces, hand, rig.pipeline.view.placement):
            rig.become(pieces)
            rig.advance(150)
    rig.advance(1500)
    answer(rig, written)
    view = rig.pipeline.view
    assert view.fault is None, view.fault
    assert view.ply == ply + 1, f"{text} was not understood"
    assert view.record[-1].stage is Stage.ANNOUNCED
    return view.record[-1].move


@pytest.mark.parametrize("slug", games.slugs())
def test_every_game_is_played_by_hand_without_questions(slug: str) -> None:
    _, options, moves = read((PLAYED / f"{slug}.txt").read_text())
    rig = rig_of(slug, options)
    for text in moves[:PLIES]:
        assert play(rig, text) == text


@pytest.mark.parametrize("slug", ["gottaz", "tank-chess", "martian-chess"])
def test_switches_play_with_questions_and_pieces_take_the_answered_identity(slug: str) -> None:
    _, options, moves = read((PLAYED / f"{slug}.txt").read_text())
    rig = rig_of(slug, options, sensor=SensorKind.OCCUPANCY)
    for text in moves[:8]:
        assert play(rig, text) == text
    assert rig.pieces.standing == rig.pipeline.view.placement


@pytest.mark.parametrize("players", ["3", "4", "5", "6"])
def test_three_to_six_players_play_martian_chess(players: str) -> None:
    rig = rig_of("martian-chess", {"players": players})
    rules = rig.pipeline.session.rules
    for _ in range(2 * int(players)):
        position = rig.pipeline.session.position
        play(rig, rules.write_move(position, rules.legal_moves(position)[0]))
    assert len(rig.pipeline.view.scores) == int(players)


def test_camera_observations_are_in_the_journal_and_replay(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    header = replace(HEADER, setup=GameSetup("gottaz"), sensor=SensorKind.IDENTITY_FACING)
    with JournalWriter.create(path, header) as writer:
        rig = rig_of("gottaz", keep=writer)
        play(rig, "S3W3@a1")
        play(rig, "W3S3@e5")
    journal = read_journal(path)
    assert journal.header.sensor is SensorKind.IDENTITY_FACING
    assert replay(journal) is None
    assert replay(replace(journal, header=HEADER)) is not None


def test_choosing_pawns_and_stalling_need_no_action_on_the_board() -> None:
    for slug, options, text in (
        ("gottaz", {"pawns": "free-choice"}, "+S1L5"),
        ("martian-chess", {"deadlock": "call-the-clock-7"}, "clock"),
    ):
        rig = rig_of(slug, options)
        assert rig.pipeline.view.pressers
        rig.panel.press(0, rig.now_ms)
        rig.advance(100)
        rig.panel.release(0, rig.now_ms)
        rig.advance(1500)
        answer(rig, text)
        assert [move.move for move in rig.pipeline.view.record] == [text]
    assert rig.pipeline.view.counts == (Count("clock-called", 7, 7),)


def test_no_press_is_awaited_where_every_move_is_visible() -> None:
    assert not rig_of("close-quarters").pipeline.view.pressers


def test_a_piece_that_changed_hands_may_be_moved_back_by_its_new_owner() -> None:
    rig = rig_of("martian-chess", {"players": "3"})
    moves = "A11-A00 B11-B00 C11-C00 A00-A11 B00-A10 C00-A01 A01-C00"
    for text in moves.split():
        play(rig, text)
    assert moves == " ".join(move.move for move in rig.pipeline.view.record)
