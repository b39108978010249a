# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one engine, from its greeting to its end, with every way to fail.
"""An engine plays, or is stopped with a reason; it never stops a game."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from companion.games import find
from companion.games.chess.rules import ChessRules
from companion.host.opponent.engine import Engine, check_engine
from companion.host.opponent.engine_player import EnginePlayer
from companion.host.opponent.installed import command_of, find_engine
from companion.host.opponent.thinker import SearchInput, Thinker
from companion.model.errors import NotationError, OpponentError
from companion.opponent.knowledge import WIN
from companion.opponent.levels import levels
from companion.opponent.uci import (
    EngineOption,
    EngineValue,
    can_play,
    lacks,
    names_of,
    read_move,
    read_reply,
    setup,
)

SCRIPT = Path(__file__).with_name("scripted_engine.py")
PATIENCE_MS = 60_000
"""Only an engine that hangs needs as long; a slow machine does not."""
T = TypeVar("T")

PARENT = """
import asyncio, sys
from companion.games import find
from companion.host.opponent.engine import Engine
from companion.host.opponent.thinker import SearchInput

async def think():
    rules = find("chess").rules()
    engine = await Engine.start(sys.argv[1])
    await engine.choose(SearchInput(rules, rules.initial(), most_ms=600_000))

asyncio.run(think())
"""


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
    path: Path | str,
    act: Callable[[Engine], Awaitable[T]],
    handshake_ms: int = PATIENCE_MS,
    grace_ms: int = PATIENCE_MS,
) -> T:
    async def run() -> T:
        engine = await Engine.start(
            str(path), handshake_ms=handshake_ms, first_ms=grace_ms, grace_ms=grace_ms
        )
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


def test_a_program_of_another_protocol_is_refused_with_what_it_said(tmp_path: Path) -> None:
    path = tmp_path / "no-engine"
    says = "Error (unknown command): uci"
    path.write_text(f'#!/bin/sh\nread line\necho "{says}"\nexec cat > /dev/null\n')
    path.chmod(0o755)

    async def act(engine: Engine) -> None:
        raise AssertionError(engine.name)

    with pytest.raises(OpponentError, match=rf"has not answered.*It said: '{re.escape(says)}'"):
        with_engine(path, act, handshake_ms=2000)


@pytest.mark.parametrize("content", [b"no program", b"\x7fELF\xff\x00" * 9, b""])
def test_a_file_that_is_no_program_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "no-engine"
    path.write_bytes(content)
    with pytest.raises(OpponentError, match=r"no-engine cannot be started: .*Permission denied"):
        asyncio.run(check_engine(str(path)))
    path.chmod(0o755)
    with pytest.raises(OpponentError, match="no-engine"):
        asyncio.run(check_engine(str(path)))


def test_a_folder_is_no_engine(tmp_path: Path) -> None:
    with pytest.raises(OpponentError, match=r"cannot be started: .*Permission denied"):
        asyncio.run(check_engine(str(tmp_path)))


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


MEASURED = [level for level in levels("chess") if level.elo]
"""The levels of which the strength is known; an engine can play them."""


def test_our_own_search_plays_for_an_engine_that_lies_and_is_asked_no_more(tmp_path: Path) -> None:
    at = player(tmp_path, "plays", "e2e5")
    moves = asyncio.run(at.moves(5, MEASURED[0].slug))
    assert "e5" not in moves
    assert len(moves) == 5
    assert len(at.reported) == 3
    assert "illegal move" in at.reported[0]
    assert len((tmp_path / "log.starts").read_text()) == 6


def test_an_engine_is_asked_for_the_strength_that_the_level_has(tmp_path: Path) -> None:
    for level in MEASURED:
        at = player(tmp_path, "plays")
        assert asyncio.run(at.moves(1, level.slug)) == ["a3"]
        assert f"setoption name UCI_Elo value {level.elo}\n" in (tmp_path / "log").read_text()


def test_our_own_search_plays_levels_below_the_least_measured_strength(tmp_path: Path) -> None:
    at = player(tmp_path, "plays")
    for level in levels("chess")[: -len(MEASURED)]:
        assert level.elo == 0
        assert asyncio.run(at.moves(1, level.slug)) != ["a3"]
    assert not (tmp_path / "log.starts").exists()


@pytest.mark.parametrize(
    ("above", "below", "plays"), [(0, 0, [True, True]), (1, 0, [False, True]), (0, 1, [True, False])]
)
def test_an_engine_plays_no_level_beyond_its_limits(
    above: int, below: int, plays: list[bool], tmp_path: Path
) -> None:
    """Its limits are so far within those of the weakest and strongest measured level."""
    weakest, strongest = MEASURED[0], MEASURED[-1]
    assert weakest.elo is not None
    assert strongest.elo is not None
    at = player(tmp_path, f"plays within {weakest.elo + above} {strongest.elo - below}")

    async def both() -> list[str]:
        return [*await at.moves(1, weakest.slug), *await at.moves(1, strongest.slug)]

    assert [move == "a3" for move in asyncio.run(both())] == plays


def test_a_forced_move_is_played_without_asking(tmp_path: Path) -> None:
    rules = chess()
    forced = rules.read_position("7k/8/8/8/8/8/6q1/7K w - - 0 1")
    (only,) = rules.legal_moves(forced)
    at = player(tmp_path, "hangs")

    async def chosen() -> int:
        try:
            found: int = (await at.player.choose(SearchInput(rules, forced), "8", 1)).move
            return found
        finally:
            await at.player.kill()

    assert asyncio.run(chosen()) == only
    assert not (tmp_path / "log.starts").exists()


def test_people_are_told_that_the_first_answer_takes_long_and_it_is_waited_for(tmp_path: Path) -> None:
    rules, said = chess(), list[str]()

    async def run() -> int:
        engine = await Engine.start(
            str(program(tmp_path, "loads a network at its first move")), grace_ms=100, say=said.append
        )
        try:
            found: int = (await engine.choose(SearchInput(rules, rules.initial(), most_ms=10))).move
            return found
        finally:
            await engine.close()

    assert rules.write_move(rules.initial(), asyncio.run(run())) == "e4"
    assert said == ["Scripted 1 is still getting ready for its first move"]


def test_an_engine_starts_in_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "book.bin").touch()
    rules = chess()

    async def act(engine: Engine) -> int:
        found: int = (await engine.choose(SearchInput(rules, rules.initial(), most_ms=10))).move
        return found

    assert rules.write_move(rules.initial(), with_engine(program(tmp_path, "opens its book"), act)) == "e4"


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        ((), 3),
        (("UCI_Elo", "UCI_LimitStrength", "UCI_Chess960", "MultiPV"), 0),
        (("UCI_Elo", "UCI_LimitStrength", "MultiPV"), 1),
        (("UCI_LimitStrength", "UCI_Chess960", "MultiPV"), 1),
    ],
)
def test_what_an_engine_cannot_do_is_known_from_its_options(names: tuple[str, ...], missing: int) -> None:
    assert len(lacks([EngineOption(name) for name in names])) == missing


def test_what_a_named_engine_cannot_do_is_told_once(tmp_path: Path) -> None:
    told = asyncio.run(check_engine(str(program(tmp_path, "plays"))))
    assert told == "Scripted 1 lacks several lines"


def test_chess960_is_played_by_us_if_the_engine_does_not_know_it(tmp_path: Path) -> None:
    at = player(tmp_path, "knows no Chess960", "a2a3")

    async def chosen(**options: str) -> str:
        rules = chess(**options)
        found = (await at.player.choose(SearchInput(rules, rules.initial()), "8", 1)).move
        return rules.write_move(rules.initial(), found)

    async def both() -> tuple[str, str]:
        found = await chosen(), await chosen(start="0")
        await at.player.kill()
        return found

    usual, other = asyncio.run(both())
    assert usual == "a3"
    assert other != "a3"


@pytest.mark.parametrize(
    "line",
    [
        "info depth 9 multipv 2 score cp -300 pv a2a3",
        "info string score cp -900 in the book",
        "info depth 10 score cp -400 upperbound pv e2e4",
        "info depth 10 score lowerbound cp 400 pv e2e4",
    ],
)
def test_the_value_is_exact_and_that_of_the_first_line(line: str) -> None:
    assert read_reply(line) is None
    assert read_reply("info depth 9 multipv 1 score cp 50 pv e2e4") == EngineValue(50)


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


def test_an_engine_that_does_not_answer_in_time_is_told_to_stop(tmp_path: Path) -> None:
    rules = chess()

    async def act(engine: Engine) -> int:
        found: int = (await engine.choose(SearchInput(rules, rules.initial(), most_ms=10))).move
        return found

    move = with_engine(program(tmp_path, "thinks until it is stopped"), act, grace_ms=3000)
    assert rules.write_move(rules.initial(), move) == "e4"


def test_an_engine_that_does_not_quit_is_killed(tmp_path: Path) -> None:
    async def act(engine: Engine) -> None:
        await engine.prepare(None)

    with_engine(program(tmp_path, "does not quit"), act)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere an engine reads the end of its input")
def test_an_engine_that_hangs_ends_when_its_table_is_killed(tmp_path: Path) -> None:
    path = program(tmp_path, "says that it thinks and hangs")
    os.mkfifo(tmp_path / "log.thinks")
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(path)])
    with parent, (tmp_path / "log.thinks").open() as thinks:
        assert thinks.readline() == "it thinks\n"
        parent.kill()
        assert thinks.read() == ""


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
    assert "setoption name UCI_Elo value 1500" in [*setup(declared, 1500, is_chess960=False)]


@pytest.mark.parametrize(
    ("option", "plays"),
    [
        (EngineOption("UCI_Elo", 1400, 2000), True),
        (EngineOption("UCI_Elo", 1400, 1400), True),
        (EngineOption("UCI_Elo", 1401, 2000), False),
        (EngineOption("UCI_Elo", 1000, 1399), False),
        (EngineOption("UCI_Elo"), False),
        (EngineOption("Skill Level", 0, 2000), False),
    ],
)
def test_an_engine_plays_a_strength_within_its_limits_only(option: EngineOption, plays: bool) -> None:
    assert can_play([EngineOption("UCI_LimitStrength"), option], 1400) is plays
    assert not can_play([option], 1400)


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


DEBIAN = {
    "stockfish": "",
    "fairy-stockfish": "",
    "ethereal-chess": "",
    "glaurung": "",
    "toga2": "",
    "gnuchess": "--uci",
}
"""Packages with an engine, and what it needs to speak UCI."""


@pytest.mark.long
@pytest.mark.parametrize("package", DEBIAN)
def test_engines_of_debian_can_be_chosen_and_play(package: str) -> None:
    """They are installed if COMPANION_INSTALL_ENGINES is set."""
    if "COMPANION_INSTALL_ENGINES" in os.environ:
        subprocess.run(["apt-get", "install", "--yes", package], check=True, stdout=subprocess.DEVNULL)
    text = f"{package} {DEBIAN[package]}".strip()
    if not os.path.exists(command_of(text)[0]):
        pytest.skip(f"{package} is not installed")
    rules = chess()

    async def act(engine: Engine) -> int:
        await engine.prepare(1500 if engine.can_play(1500) else None)
        found: int = (await engine.choose(SearchInput(rules, rules.initial(), most_ms=100))).move
        return found

    assert with_engine(text, act) in rules.legal_moves(rules.initial())
    told = asyncio.run(check_engine(text))
    assert (told is None) == (package in ("stockfish", "fairy-stockfish"))
