# SPDX-License-Identifier: Apache-2.0
"""Levels are rated by games against an engine, here a scripted one."""

from __future__ import annotations

import json
import math
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import chess
import pytest

from companion.opponent.levels import levels
from tests.bench import engine_elo
from tests.bench.engine_elo import LEAST, MOST, figures, in_words, next_rival, score_of

ENGINE = """
import sys
import chess
asked, board = [], chess.Board()
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("option name UCI_LimitStrength type check default false")
        print("option name UCI_Elo type spin default 1350 min 1350 max 2850")
        print("option name Threads type spin default 1 min 1 max 8")
        print("option name Hash type spin default 64 min 1 max 64")
        print("uciok")
    elif words[0] == "isready":
        print("readyok")
    elif words[0] == "setoption":
        asked.append(line)
    elif words[0] == "position":
        at = words.index("moves") if "moves" in words else len(words)
        board = chess.Board() if words[1] == "startpos" else chess.Board(" ".join(words[2:at]))
        for move in words[at + 1 :]:
            board.push_uci(move)
    elif words[0] == "go":
        print("info depth 1 score cp 30 nodes 1 pv", next(iter(board.legal_moves)))
        print("bestmove", next(iter(board.legal_moves)))
        with open(__file__ + ".asked", "a") as file:
            file.writelines(asked)
        asked = []
    elif words[0] == "quit":
        break
    sys.stdout.flush()
"""


@pytest.fixture
def engine(tmp_path: Path) -> str:
    program = tmp_path / "engine.py"
    program.write_text(ENGINE)
    return shlex.join([sys.executable, str(program)])


def test_a_level_is_rated_against_an_engine(
    engine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "argv", ["engine_elo", "--quick", "--engine", engine, "--json", "--seed", "7"])
    engine_elo.main()
    found = json.loads(capsys.readouterr().out)
    level = found["levels"]["1"]
    assert (level["games"], level["rivals"], found["seed"]) == (2, [1500, 1500], 7)
    assert level["score"] >= 0.5, "the first legal move is no match for the lowest level"
    asked = (tmp_path / "engine.py.asked").read_text()
    assert "name UCI_Elo value 1500" in asked
    assert "name UCI_LimitStrength value true" in asked
    assert "name Hash value 16" in asked


def test_the_rival_follows_the_rating(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    level = replace(levels("chess")[-1], depth=1)
    found = engine_elo.measure(level, 2, 3, 1, engine, 10)
    assert found["games"] == 4
    assert found["score"] >= 0.75
    assert found["rivals"][0] == 1500
    assert found["rivals"][1] > 1600
    assert found["from"] > 1350
    assert capsys.readouterr().err.count("level 8") == 2


def test_the_next_rival_is_on_the_scale_and_not_far() -> None:
    assert next_rival([(1500, 1.0), (1500, 1.0)]) == 1900
    assert next_rival([(1500, 0.0), (1500, 0.0)]) == LEAST
    assert next_rival([(2700, 1.0), (2700, 1.0)]) == MOST
    assert next_rival([(1500, 1.0), (1500, 0.0), (1600, 1.0), (1600, 0.0)]) == 1550


def test_ratings_in_words() -> None:
    assert in_words(1510.4, 1302.0, 1700.0) == "1510 (below 1350 to 1700)"
    assert in_words(2700.0, 2500.0, math.inf) == "2700 (2500 to above 2850)"
    assert in_words(1200.0, 900.0, 1500.0) == "below 1350 (1500 at most)"
    assert in_words(-math.inf, -math.inf, 1300.0) == "below 1350"
    assert in_words(math.inf, 1417.2, math.inf) == "above 2850 (1417 at least)"
    assert figures([(1400, 0.0), (1500, 0.5)])["rivals"] == [1400, 1500]


def test_games_end_by_the_rules() -> None:
    mated = chess.Board("7k/5QQ1/8/8/8/8/8/K7 b - - 0 1")
    assert (score_of(mated, 0), score_of(mated, 1)) == (1, 0)
    assert score_of(chess.Board("7k/5Q2/8/8/8/8/8/K7 b - - 0 1"), 0) == 0.5
    assert score_of(chess.Board("7k/5Q2/8/8/8/8/8/K7 w - - 100 80"), 1) == 0.5
    board = chess.Board()
    for move in ("Nf3", "Nf6", "Ng1", "Ng8") * 2:
        assert score_of(board, 0) is None
        board.push_san(move)
    assert score_of(board, 0) == 0.5
