# SPDX-License-Identifier: Apache-2.0
"""An engine thinks about the expected reply while the opponent does."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from companion.host.opponent.engine_player import EnginePlayer
from companion.host.opponent.thinker import Ahead, SearchInput, Thinker
from tests.host.opponent.test_engine import MEASURED, PATIENCE_MS, chess, program


def pondered(
    folder: Path, conduct: str, reply: str, *, grace_ms: int = PATIENCE_MS, rests: bool = False
) -> tuple[list[str], list[str], list[str]]:
    """The moves of an engine as White before and after *reply*.

    It may think ahead in between. Also what the last engine was sent, and the failures reported.
    """
    rules, reported = chess(), list[str]()
    path = str(program(folder, conduct, "e2e4/g1f3"))
    player = EnginePlayer(path, Thinker(), lambda fault: reported.append(str(fault)), grace_ms)

    async def run() -> list[str]:
        first = await player.choose(SearchInput(rules, rules.initial()), "8", 1)
        between = rules.apply(rules.initial(), first.move)
        player.think_ahead(Ahead(SearchInput(rules, between), (8, 0), 2))
        if rests:
            player.rest()
        after = rules.apply(between, rules.read_move(between, reply))
        player.think_ahead(Ahead(SearchInput(rules, after), (8, 0), 3))  # not announced yet
        second = await player.choose(SearchInput(rules, after), "8", 3)
        await player.kill()
        return [rules.write_move(rules.initial(), first.move), rules.write_move(after, second.move)]

    moves = asyncio.run(run())
    return moves, (folder / "log").read_text().splitlines(), reported


def test_an_engine_ponders_about_the_reply_that_it_expects(tmp_path: Path) -> None:
    moves, sent, _ = pondered(tmp_path, "ponders", "e5")
    assert moves == ["e4", "Nf3"]
    assert "setoption name Ponder value true" in sent
    after = "position fen rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    assert sent[-3:] == [after, "go ponder movetime 1000", "ponderhit"]


def test_another_reply_than_the_expected_one_is_a_new_question(tmp_path: Path) -> None:
    moves, sent, _ = pondered(tmp_path, "ponders", "c5")
    assert moves == ["e4", "Nf3"], "what it found for the other reply is dropped"
    after = "position fen rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    assert sent[-5:] == ["go ponder movetime 1000", "stop", "isready", after, "go movetime 1000"]


def test_an_engine_that_rests_is_asked_anew(tmp_path: Path) -> None:
    moves, sent, _ = pondered(tmp_path, "ponders", "e5", rests=True)
    assert moves == ["e4", "Nf3"]
    assert "stop" in sent
    assert "ponderhit" not in sent


def test_an_engine_that_does_not_declare_it_is_not_let_ponder(tmp_path: Path) -> None:
    moves, sent, _ = pondered(tmp_path, "plays", "e5")
    assert moves == ["e4", "Nf3"]
    assert not [line for line in sent if "onder" in line]


class Noted(Thinker):
    """Our own search, with the levels for which it thinks ahead."""

    def __init__(self) -> None:
        super().__init__()
        self.ahead: list[tuple[int, ...]] = []

    def think_ahead(self, ahead: Ahead) -> None:
        self.ahead.append(ahead.levels)


def test_our_own_search_thinks_ahead_for_the_levels_that_it_plays(tmp_path: Path) -> None:
    by_us, by_engine = MEASURED[0].number - 1, MEASURED[0].number
    rules, own = chess(), Noted()
    at = SearchInput(rules, rules.initial())
    player = EnginePlayer(str(program(tmp_path, "ponders")), own, print, PATIENCE_MS)

    async def run() -> None:
        for level in (by_us, by_engine):
            await player.choose(at, str(level), 1)
            player.think_ahead(Ahead(at, (level, 0), 2))
        await player.kill()

    asyncio.run(run())
    assert own.ahead == [(by_us, 0)]


def test_an_engine_that_ignores_ponderhit_is_told_to_stop(tmp_path: Path) -> None:
    moves, sent, reported = pondered(tmp_path, "ponders and ignores ponderhit", "e5", grace_ms=3000)
    assert moves == ["e4", "a3"], "the move that it has found so far"
    assert sent[-2:] == ["ponderhit", "stop"]
    assert reported == []


@pytest.mark.parametrize("reply", ["e5", "c5"])
@pytest.mark.parametrize(
    ("conduct", "grace_ms", "starts"),
    [
        ("ponders and answers at once", PATIENCE_MS, 1),
        ("ponders and answers twice", 3000, 1),
        ("ponders and dies/ponders", PATIENCE_MS, 2),
        ("ponders and hangs/ponders", 2000, 2),
    ],
)
def test_an_engine_that_fails_while_it_ponders_costs_no_move(
    conduct: str, grace_ms: int, starts: int, reply: str, tmp_path: Path
) -> None:
    moves, _, reported = pondered(tmp_path, conduct, reply, grace_ms=grace_ms)
    assert moves[0] == "e4"
    assert moves[1] == ("a3" if (conduct, reply) == ("ponders and answers twice", "e5") else "Nf3")
    assert reported == []
    assert len((tmp_path / "log.starts").read_text()) == starts
