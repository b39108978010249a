# SPDX-License-Identifier: Apache-2.0
"""An engine plays, or is stopped with a reason; it never stops a game."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from companion.games import find
from companion.games.chess.rules import ChessRules
from companion.host.opponent.engine import Engine, check_engine
from companion.host.opponent.engine_player import EnginePlayer, find_engine
from companion.host.opponent.thinker import SearchInput, Thinker
from companion.model.errors import NotationError, OpponentError
from companion.opponent.knowledge import WIN
from companion.opponent.uci import EngineOption, EngineValue, names_of, read_move, read_reply, setup

SCRIPT = Path(__file__).with_name("scripted_engine.py")
PATIENCE_MS = 60_000
"""Only an engine that hangs needs as long; a slow machine does not."""
T = TypeVar("T")


def chess(**options: str) -> ChessRules:
    rules = find("chess").rules(options)
    assert isinstance(rules, ChessRules)
    return rules


def program(folder: Path, conduct: str, best: str = "e2e4") -> Path:
    """An executable that behaves as *conduct* says."""
    path = folder / "engine"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{SCRIPT}" "{conduct}" "{folder}/log" "{best}"\n')
    path.chmod(0o755)
    return path


def with_engine(
    path: Path,
    act: Callable[[Engine], Awaitable[T]],
    handshake_ms: int = PATIENCE_MS,
    grace_ms: int = PATIENCE_MS,
) -> T:
    async def run() -> T:
        engine = await Engine.start(str(path), handshake_ms=handshake_ms, grace_ms=grace_ms)
        try:
            return await act(engine)
        finally:
            await engine.close()

    return asyncio.run(run())


def test_an_engine_plays_a_legal_move_with_limited_strength(tmp_path: Path) -> None:
    rules = chess()

    async def act(engine: Engine) -> str:
        assert engine.name == "Scripted 1"
        assert engine.can_play(1320)
        assert not engine.can_play(1319)
        await engine.prepare(1500)
        return rules.write_move(
            rules.initial(), (await engine.choose(SearchInput(rules, rules.initial(), most_ms=100))).move
        )

    assert with_engine(program(tmp_path, "plays"), act) == "e4"
    sent = (tmp_path / "log").read_text().splitlines()
    assert "setoption name UCI_LimitStrength value true" in sent
    assert "setoption name UCI_Elo value 1500" in sent
    assert f"position fen {rules.write_position(rules.initial())}" in sent
    assert sent[-1] == "quit"


@pytest.mark.parametrize(
    ("conduct", "reason", "grace_ms"),
    [
        ("hangs", "has not answered", 200),
        ("dies", "has ended unexpectedly", PATIENCE_MS),
        ("dies in the middle of a line", "has ended unexpectedly", PATIENCE_MS),
        ("writes a line without end", "lines without end", PATIENCE_MS),
    ],
)
def test_an_engine_that_fails_while_it_thinks_is_stopped_with_a_reason(
    conduct: str, reason: str, grace_ms: int, tmp_path: Path
) -> None:
    rules = chess()

    async def act(engine: Engine) -> None:
        await engine.choose(SearchInput(rules, rules.initial(), most_ms=10))

    with pytest.raises(OpponentError, match=reason):
        with_engine(program(tmp_path, conduct), act, grace_ms=grace_ms)


@pytest.mark.parametrize("best", ["e2e5", "0000", "(none)", "e7e5", "zz", "e2e4q"])
def test_an_illegal_move_is_refused(best: str, tmp_path: Path) -> None:
    rules = chess()

    async def act(engine: Engine) -> None:
        await engine.choose(SearchInput(rules, rules.initial(), most_ms=10))

    with pytest.raises(OpponentError, match="illegal move"):
        with_engine(program(tmp_path, "plays", best), act)


@pytest.mark.parametrize(
    ("conduct", "reason", "handshake_ms"),
    [
        ("hangs at the start", "has not answered", 200),
        ("dies at the start", "has ended unexpectedly", PATIENCE_MS),
        ("talks without end", "has not answered", 1000),
    ],
)
def test_a_program_that_is_no_engine_is_refused(
    conduct: str, reason: str, handshake_ms: int, tmp_path: Path
) -> None:
    async def act(engine: Engine) -> None:
        raise AssertionError(engine.name)

    with pytest.raises(OpponentError, match=f"is no UCI engine: .*{reason}"):
        with_engine(program(tmp_path, conduct), act, handshake_ms=handshake_ms)


@pytest.mark.parametrize(
    ("says", "reason"),
    [
        ("echo 'usage: engine FILE'; exit 2", "It said: 'usage: engine FILE'"),
        ("echo 'no such display' >&2", "It said: 'no such display'"),
        ("exit 1", "It said: ''"),
    ],
)
def test_a_path_that_is_no_engine_is_refused_with_what_it_said(
    says: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "no-engine"
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(0o755)
    with pytest.raises(OpponentError, match=reason):
        asyncio.run(check_engine(str(path)))


@dataclass
class Player:
    """An engine player for chess, and what it reported."""

    player: EnginePlayer
    reported: list[str]

    async def moves(self, count: int, level: str = "8") -> list[str]:
        """The answers to the start position, asked *count* times."""
        rules = chess()
        chosen = [
            await self.player.choose(SearchInput(rules, rules.initial()), level, 1) for _ in range(count)
        ]
        await self.player.kill()
        return [rules.write_move(rules.initial(), each.move) for each in chosen]


def player(folder: Path, conduct: str, best: str = "a2a3") -> Player:
    path, reported = str(program(folder, conduct, best)), list[str]()
    engine = EnginePlayer(path, Thinker(), lambda fault: reported.append(str(fault)), grace_ms=PATIENCE_MS)
    return Player(engine, reported)


@pytest.mark.parametrize("conduct", ["dies/plays", "plays once/plays", "dies at the start/plays"])
def test_an_engine_that_fails_in_a_game_is_started_again_and_costs_no_move(
    conduct: str, tmp_path: Path
) -> None:
    at = player(tmp_path, conduct)
    assert asyncio.run(at.moves(3)) == ["a3", "a3", "a3"]
    assert at.reported == []
    assert len((tmp_path / "log.starts").read_text()) == 2


def test_our_own_search_plays_for_an_engine_that_lies_and_is_asked_no_more(tmp_path: Path) -> None:
    at = player(tmp_path, "plays", "e2e5")
    moves = asyncio.run(at.moves(5, "6"))
    assert "e5" not in moves
    assert len(moves) == 5
    assert len(at.reported) == 3
    assert "illegal move" in at.reported[0]
    assert len((tmp_path / "log.starts").read_text()) == 6


def test_an_engine_plays_only_levels_to_which_it_limits_its_strength(tmp_path: Path) -> None:
    at = player(tmp_path, "plays")
    assert asyncio.run(at.moves(1, "5")) != ["a3"]
    assert asyncio.run(at.moves(1, "6")) == ["a3"]
    assert "setoption name UCI_Elo value 1400" in (tmp_path / "log").read_text()


def test_the_value_of_an_engine_is_that_of_its_last_line(tmp_path: Path) -> None:
    rules = chess()

    async def act(engine: Engine) -> int:
        return (await engine.choose(SearchInput(rules, rules.initial(), most_ms=10))).value

    assert with_engine(program(tmp_path, "plays"), act) == 20
    assert read_reply("info depth 9 score mate 3 pv e2e4") == EngineValue(WIN - 6)
    assert read_reply("info depth 9 score mate -2 pv e2e4") == EngineValue(4 - WIN)
    assert read_reply("info depth 9 currmove e2e4") is None


def test_a_missing_program_is_named(tmp_path: Path) -> None:
    async def act(engine: Engine) -> None:
        raise AssertionError(engine.name)

    with pytest.raises(OpponentError, match="cannot be started"):
        with_engine(tmp_path / "no such engine", act)


def test_a_thinking_engine_can_be_stopped(tmp_path: Path) -> None:
    rules = chess()

    async def act(engine: Engine) -> int:
        async def stop() -> None:
            engine.stop()

        move, _ = await asyncio.gather(
            engine.choose(SearchInput(rules, rules.initial(), most_ms=60_000)), stop()
        )
        found: int = move.move
        return found

    move = with_engine(program(tmp_path, "thinks until it is stopped"), act)
    assert rules.write_move(rules.initial(), move) == "e4"


def test_an_engine_that_does_not_quit_is_killed(tmp_path: Path) -> None:
    async def act(engine: Engine) -> None:
        await engine.prepare(None)

    with_engine(program(tmp_path, "does not quit"), act)


@pytest.mark.parametrize(
    ("options", "text", "name", "written"),
    [
        ({}, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", "O-O"),
        ({}, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1h1", "O-O"),
        ({}, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1", "O-O-O"),
        ({}, "8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8n", "a8=N"),
        ({"start": "0"}, "4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", "O-O"),
    ],
)
def test_engines_write_moves_in_their_own_way(
    options: dict[str, str], text: str, name: str, written: str
) -> None:
    rules = chess(**options)
    position = rules.read_position(text)
    assert rules.write_move(position, read_move(rules, position, name)) == written


def test_every_legal_move_is_read_back() -> None:
    rules = chess()
    position = rules.read_position("r3k2r/1P6/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1")
    for move in rules.legal_moves(position):
        assert [read_move(rules, position, name) for name in names_of(move)] == [move] * len(names_of(move))
    with pytest.raises(NotationError):
        read_move(rules, position, "e1e3")


def test_only_declared_options_are_set() -> None:
    assert [*setup([], 1500, is_chess960=True)] == ["ucinewgame"]
    declared = [EngineOption("UCI_LimitStrength"), EngineOption("UCI_Elo", 1000, 2000)]
    assert "setoption name UCI_Elo value 2000" in [*setup(declared, 2500, is_chess960=False)]


def test_an_engine_is_found_on_the_search_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "plays").rename(tmp_path / "stockfish")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert find_engine() == str(tmp_path / "stockfish")


@pytest.mark.skipif(not find_engine(), reason="no engine is installed")
def test_an_installed_engine_plays() -> None:
    rules = chess()

    async def act(engine: Engine) -> int:
        await engine.prepare(1500)
        thought = await engine.choose(SearchInput(rules, rules.initial(), most_ms=50))
        found: int = thought.move
        return found

    assert with_engine(Path(find_engine()), act) in rules.legal_moves(rules.initial())
