# SPDX-License-Identifier: Apache-2.0
"""Kept games are exported with thinking times and clocks, readable by other programs."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import chess.pgn
import pytest

from companion.host.journal import journal
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.records.export import to_json, to_pgn
from companion.host.records.records import KeptGame, KeptMove, from_journal, from_record, read_games
from companion.host.records.store import Store
from companion.model.errors import NotationError
from companion.model.notation import GameRecord
from companion.referee.values.commands import AdjustClock, Correct, Pause, Resume, TakeBack
from tests.fakes import FakeTable
from tests.host.tables import HEADER
from tests.referee.support import table

RECORDED = Path(__file__).parents[2] / "recordings" / "close-quarters-clocks-adjourned-and-resumed.jsonl"


def kept(fake: FakeTable, folder: Path) -> KeptGame:
    """The game played at *fake*, from its journal."""
    path = folder / "game.jsonl"
    options = tuple(fake.rules.options.items())
    header = replace(HEADER, setup=GameSetup(fake.rules.slug, options), control=fake.session.control)
    with JournalWriter.create(path, header) as writer:
        writer.write(fake.entries)
    (game,) = from_journal(journal.read(path))
    return game


def shown(fake: FakeTable, side: int) -> int:
    """The time on the clock of *side*."""
    return fake.session.view().clocks[side].left_ms


def move(fake: FakeTable, source: str, target: str, think_ms: int) -> int:
    """Move the piece from *source* after *think_ms*.

    Returns the time on the clock of its side.
    """
    side = fake.session.view().turn
    fake.wait(think_ms)
    fake.carry(source, target, after_ms=200)
    fake.wait(1_000)
    return shown(fake, side)


@pytest.mark.parametrize("is_started", [True, False])
@pytest.mark.parametrize("clock", ["1", "1+3", "1+3b", "1+3d", "3s+2x30", "1/2+3:1"])
def test_pgn_has_the_thinking_time_and_the_clock_of_each_move(
    clock: str, is_started: bool, tmp_path: Path
) -> None:
    fake = table("chess", clock=clock, is_started=is_started)
    showed = [move(fake, "e2", "e4", 2_300), move(fake, "e7", "e5", 4_000)]
    fake.ask(Pause())
    fake.wait(50_000)
    fake.ask(Resume())
    showed += [move(fake, "g1", "f3", 1_000), move(fake, "b8", "c6", 5_700)]
    fake.ask(AdjustClock(0, 30_000))
    showed += [move(fake, "f1", "b5", 200)]
    game = kept(fake, tmp_path)
    assert [each.left_ms for each in game.moves] == showed
    read = chess.pgn.read_game(io.StringIO(to_pgn(game)))
    assert read is not None
    assert not read.errors
    nodes = list(read.mainline())
    assert [node.san() for node in nodes] == ["e4", "e5", "Nf3", "Nc6", "Bb5"]
    assert [node.clock() for node in nodes] == [-(-ms // 1000) for ms in showed]
    spent = [line.spent_ms for line in fake.session.view().record]
    assert [node.emt() for node in nodes] == [round((ms or 0) / 1000) for ms in spent]


def test_the_clock_at_the_press_is_exported(tmp_path: Path) -> None:
    fake = table("chess", clock="1+5@press")
    fake.turn_lever(1)
    for side, (source, target) in enumerate([("e2", "e4"), ("e7", "e5")]):
        move(fake, source, target, 1_000)
        fake.wait(4_000)
        fake.turn_lever(side)
    game = kept(fake, tmp_path)
    assert [each.left_ms for each in game.moves] == [shown(fake, 0), shown(fake, 1)]


def test_the_hourglass_at_the_switch_is_exported(tmp_path: Path) -> None:
    fake = table("close-quarters", clock="1hourglass")
    move(fake, "a1", "a2", 4_000)
    move(fake, "d8", "d3", 3_000)
    first, second = (line.spent_ms or 0 for line in fake.session.view().record)
    left_ms = [each.left_ms for each in kept(fake, tmp_path).moves]
    assert left_ms == [60_000 - first, 60_000 + first - second]


@pytest.mark.parametrize("order", [TakeBack(), Correct(1, ("d8-d7",))])
def test_no_time_is_exported_for_withdrawn_moves_and_adopted_positions(
    order: TakeBack | Correct, tmp_path: Path
) -> None:
    fake = table("close-quarters", clock="1", take_back="yes")
    first = move(fake, "a1", "a2", 2_000)
    move(fake, "d8", "d3", 2_000)
    fake.ask(order)
    put_there = [None] if isinstance(order, Correct) else []
    assert [each.left_ms for each in kept(fake, tmp_path).moves] == [first, *put_there]


def test_an_adjourned_game_keeps_its_clocks() -> None:
    (game,) = from_journal(journal.read(RECORDED))
    assert game.moves
    assert all(each.left_ms is not None for each in game.moves)


def test_pgn_without_a_clock_has_thinking_times_and_is_read_back(tmp_path: Path) -> None:
    fake = table("chess")
    for source, target in (("e2", "e4"), ("e7", "e5")):
        fake.wait(3_000)
        fake.carry(source, target, after_ms=200)
        fake.wait(1_000)
    game = kept(fake, tmp_path)
    text = to_pgn(game)
    assert "1. e4 {[%emt 0:00:03]} 1... e5 {[%emt 0:00:04]} *" in text
    (tmp_path / "game.pgn").write_text(text)
    (again,) = read_games(tmp_path / "game.pgn")
    assert isinstance(again, KeptGame)
    assert again.record.moves == game.record.moves


def test_a_game_with_unknown_times_has_no_comments() -> None:
    assert "{" not in to_pgn(from_record(GameRecord("chess", moves=("e4", "e5"))))


def test_the_store_keeps_the_clocks(database: str) -> None:
    record = GameRecord("chess", moves=("e4",))
    game = KeptGame(record, (KeptMove(0, "e4", 2_000, 58_000),))
    with Store.open(database) as store:
        store.add(game)
        assert store.game(1) == game


def test_other_games_and_adopted_positions_cannot_be_exported_as_pgn() -> None:
    with pytest.raises(NotationError, match="PGN is for games of chess, not of gottaz"):
        to_pgn(from_record(GameRecord("gottaz")))
    with pytest.raises(NotationError, match="an arbiter let a position stand"):
        to_pgn(from_record(GameRecord("chess", adopted={0: "4k3/8/8/8/8/8/8/4K2R w K - 0 1"})))


def test_json_has_sides_moves_and_times() -> None:
    game = KeptGame(GameRecord("close-quarters", moves=("a1-b2",)), (KeptMove(0, "a1-b2", 1_500, 8_500),))
    told = json.loads(to_json(game))
    assert told["moves"] == [{"side": "sword", "move": "a1-b2", "thought_ms": 1500, "left_ms": 8500}]
    assert told["result"] == "*"
