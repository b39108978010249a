# SPDX-License-Identifier: Apache-2.0
"""The computing of two referees is compared on the same hands."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
from typing import Any

import pytest

from companion.model.observation import SensorKind
from tests.bench import against, reconcile
from tests.bench.players.play import draw_setting
from tests.bench.reconcile import (
    ADAPTER,
    OPEN,
    TIME_IS_UP,
    Hands,
    Part,
    Replayed,
    Row,
    parts,
    rows,
    run,
    table,
    window,
)
from tests.bench.recorded_hands import recorded

SIDE = SensorKind.SIDE


def found(costs: list[float], wrong: int | None = None, **rest: Any) -> against.Line:
    """What an adapter prints of a game."""
    common = {"how": "played", "open": [[] for _ in costs], "announced": {}, "longest": [5.0, 9.0]}
    return {"costs": costs, "wrong": len(costs) if wrong is None else wrong, **common, **rest}


def game(slug: str, now: against.Line, before: against.Line, **rest: Any) -> Replayed:
    return Replayed(Hands(Part(slug, SIDE, 4, **rest), {}, [1000, 2000, 3000, 4000]), now, before)


def row(games: list[Replayed], figure: str, of: str) -> Row:
    (one,) = (each for each in rows(games) if (each.figure, each.of) == (figure, of))
    return one


def test_a_game_counts_until_one_of_the_records_is_wrong() -> None:
    games = [
        game("chess", found([2, 4, 90], wrong=2), found([1, 1, 1])),
        game("chess", found([6]), found([2, 50])),
    ]
    one = row(games, "work", "side")
    assert (one.now, one.before, one.ratio, one.samples) == (4, 4 / 3, 3, 3)
    assert one.is_met is False
    assert one.limits == (2.5, 1.0)
    assert one.interval == (3, 3)
    games[0].now["costs"][:2] = [1, 2]
    assert row(games, "work", "side").is_met


def test_work_that_was_not_measured_is_not_met() -> None:
    one = row([game("tank-chess", found([2], wrong=0), found([2]))], "work", "side")
    assert (one.now, one.ratio, one.limits.required, one.is_met) == (None, None, 0.3, False)
    assert "MISSED" in table([one])


def test_an_open_question_is_measured_while_it_stays_open() -> None:
    plies: list[list[int]] = [[], [0], [0, 2], *([2] for _ in range(OPEN)), []]
    now = found([1.0] * 2 + [30.0] * OPEN + [1.0] * 2, open=plies)
    before = found([60.0] * (OPEN + 4))
    assert window(now) == range(2, 2 + OPEN)
    one = row([game("chess", now, before, is_answering=False)], "open question", "30 plies")
    assert (one.now, one.before, one.is_met) == (30, 60, False)
    now["open"][9] = []
    assert window(now) is None
    one = row([game("chess", now, before, is_answering=False)], "open question", "30 plies")
    assert (one.now, one.is_met) == (None, None)
    assert "did not come up" in table([one])


def test_a_question_that_costs_too_much_is_measured_until_the_time_is_up() -> None:
    now = found([900.0] * 9, open=[[], *([0] for _ in range(8))], how=TIME_IS_UP)
    assert window(now) == range(1, 8)
    before = found([70.0, 80.0], how=TIME_IS_UP)
    one = row([game("gottaz", now, before, is_answering=False)], "open question", "30 plies")
    assert (one.now, one.before) == (900, 70)


def test_the_longest_call_is_that_of_all_games() -> None:
    games = [game("chess", found([], longest=[101.0, 300.0]), found([])), game("chess", found([]), found([]))]
    call, whole = row(games, "longest", "call"), row(games, "longest", "whole input")
    assert (call.now, call.before, call.is_met) == (101, 5, False)
    assert (whole.now, whole.before, whole.is_met) == (300, 9, None)


def test_announcements_are_compared_until_one_never_comes() -> None:
    now = found([1] * 4, announced={"0": 1060, "1": 2070, "3": 4010})
    before = found([1] * 4, announced={"0": 1100, "2": 3060, "3": 4020}, wrong=1)
    one = row([game("chess", now, before)], "lateness", "p99")
    assert (one.now, one.before, one.samples) == (70, math.inf, 2)
    assert one.as_json()["before"] is None


def test_every_sensor_of_every_game_is_replayed_also_on_the_largest_board() -> None:
    for slug in ("chess", "gottaz", "fightopia"):
        assert {part.sensor for part in parts(slug) if part.is_answering} == {*SensorKind}
        assert not all(part.is_answering for part in parts(slug))
        assert all(part.is_answering for part in parts(slug, asks=False))
    names = {part.name for part in parts("tank-chess")}
    assert names == {"tank-chess", "tank-chess companion-20"}


def test_recorded_hands_are_the_same_in_each_replay() -> None:
    setting = draw_setting("close-quarters", "side", "2")
    line, edges = recorded(setting, 5)
    assert recorded(setting, 5)[0] == line
    made = [item["t"] for item in line["items"] if "begins" in item]
    assert len(made) == len(edges) == 5
    assert all(begun < edge for begun, edge in zip(made, edges, strict=True))
    one, other = (against.present().measure(ADAPTER, lines=[line]).value[0] for _ in range(2))
    assert one["how"] == "played"
    assert one["wrong"] == len(one["costs"]) == 5
    assert one["announced"] == other["announced"]
    assert all(one["announced"][str(ply)] > edge for ply, edge in enumerate(edges))
    assert 0 < one["longest"][0] <= one["longest"][1]


def test_this_tree_is_compared_with_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(against.PYTHON_VARIABLE, sys.executable)
    small = [
        Part("close-quarters", sensor, 4, is_answering=sensor is SIDE)
        for sensor in (SIDE, SensorKind.IDENTITY)
    ]
    monkeypatch.setattr(reconcile, "parts", lambda _, asks: small)
    words = ["--against", str(against.ROOT), "--quick", "--json", "--games", "close-quarters", "--seed", "7"]
    code = run(reconcile.parser().parse_args(words))
    printed = json.loads(capsys.readouterr().out)
    assert (printed["seed"], printed["ended_early"]) == (7, [0, 0])
    names = {
        "figure",
        "game",
        "of",
        "now",
        "before",
        "ratio",
        "required",
        "goal",
        "is_met",
        "samples",
        "interval",
    }
    assert all({*each} == names for each in printed["rows"])
    figures = [each["figure"] for each in printed["rows"]]
    assert figures == ["work", "open question", *["longest"] * 2, *["lateness"] * 3]
    assert all(each["ratio"] == 1 for each in printed["rows"] if each["figure"] == "lateness")
    assert code == int(any(each["is_met"] is False for each in printed["rows"]))


def test_an_unknown_tree_or_game_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(reconcile.parser().parse_args(["--against", "no-such-commit"])) == 1
    assert "no-such-commit is unknown" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        reconcile.parser().parse_args(["--against", ".", "--games", "chess,checkers"])
    assert ended.value.code == 2
    assert "no game 'checkers'" in capsys.readouterr().err


def test_an_interruption_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(against.PYTHON_VARIABLE, sys.executable)
    command = [sys.executable, reconcile.__file__, "--against", str(against.ROOT)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("seed ")
        process.send_signal(signal.SIGINT)
        assert "against: interrupted" in process.stderr.read()
    assert process.returncode == 130
