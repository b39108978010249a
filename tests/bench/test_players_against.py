# SPDX-License-Identifier: Apache-2.0
"""The players meet the referees of two trees, and their games are paired."""

from __future__ import annotations

import argparse
import json
import subprocess

import pytest

from tests.bench import against
from tests.bench.against import present
from tests.bench.players_against import ADAPTER, Comparison, run, table

OLD = "4449642f"
GAME = {"game": "close-quarters", "sensor": "occupancy", "seed": "1/0", "plies": 6}


def test_players_play_the_same_game_again_in_this_tree() -> None:
    one, other = (present().measure(ADAPTER, lines=[GAME]).value for _ in range(2))
    assert [{**each, "session_ms": 0} for each in one] == [{**each, "session_ms": 0} for each in other]
    assert one[0]["plies"] > 0
    assert len(one[0]["hands"]) == 16


def test_the_report_pairs_the_games() -> None:
    def game(name: str, seed: int, failure: str, hands: str = "same") -> against.Line:
        about = f"ply 3: {failure}" if failure else ""
        rest = {"plies": 10, "about": about, "hands": hands, "session_ms": 500.0}
        rest["counts"] = {"false alarm": seed, "silent": 0, "needless question": 1}
        return {"game": name, "sensor": "side", "seed": f"7/{seed}", "failure": failure, **rest}

    comparison = Comparison()
    now = [game("chess", 0, ""), game("chess", 1, "error"), game("gottaz", 2, ""), {"void": "?"}]
    before = [game("chess", 0, "stuck"), game("chess", 1, "misread", "other"), game("gottaz", 2, ""), {}]
    comparison.add(against.Measured(now, 2.0, 30 << 20), against.Measured(before, 4.0, 40 << 20))
    chess, gottaz, every = comparison.rows()
    assert (chess["now"]["crashed"], chess["before"]["stuck"], chess["before"]["misread"]) == (1, 1, 1)
    assert (chess["only_now"], chess["only_before"], every["p_better"], every["p_worse"]) == (0, 1, 0.5, 1.0)
    assert (gottaz["games"], gottaz["now"]["failures"], every["games"]) == (1, 0, 3)
    figures = comparison.figures()
    assert (figures["same_hands"], figures["void"], figures["processor_ratios"]) == (2, 1, [0.5])
    assert (figures["session_s"], figures["peak_mib"]) == ([1.5, 1.5], [30, 40])
    assert [each["game"] for each in comparison.differences()] == ["chess side 7/0", "chess side 7/1"]
    assert "33.3 % (6.1 to 79.2)" in table([every])
    assert (every["now"]["plies"], every["now"]["false alarm"], every["before"]["needless question"]) == (
        30,
        3,
        3,
    )


def test_undecidable_games_are_no_failures_of_their_tree() -> None:
    def game(failure: str) -> against.Line:
        counts = {"false alarm": 0, "silent": 0, "needless question": 0}
        known = {"game": "chess", "sensor": "side", "seed": "7/0", "plies": 10, "counts": counts}
        return {**known, "failure": failure, "about": failure, "hands": "same", "session_ms": 1.0}

    comparison = Comparison()
    now, before = [game("undecidable"), game("undecidable")], [game("misread"), game("")]
    comparison.add(against.Measured(now, 2.0, 30 << 20), against.Measured(before, 4.0, 40 << 20))
    *_, every = comparison.rows()
    assert (every["now"]["undecidable"], every["now"]["failures"], every["before"]["failures"]) == (2, 0, 1)
    assert (every["only_now"], every["only_before"]) == (0, 1)
    assert "undecidable" in table([every]).splitlines()[0]


@pytest.mark.long
def test_players_meet_the_referee_of_an_older_commit(capsys: pytest.CaptureFixture[str]) -> None:
    if subprocess.run(["git", "cat-file", "-e", OLD], cwd=against.ROOT, check=False).returncode:
        pytest.skip(f"{OLD} is not in this clone")
    given = argparse.Namespace(
        **{"against": OLD, "keep": False, "seed": "1", "json": True, "games": ["chess", "gottaz"]},
        **{"sensors": ["occupancy"], "plies": 12, "length": 6, "faulty": 0, "minutes": 0.0},
    )
    code, (printed, said) = run(given), capsys.readouterr()
    if "was not installed" in said:
        pytest.skip(f"the environment of {OLD} cannot be installed; {against.PYTHON_VARIABLE} can name one")
    assert code == 0, said
    found = json.loads(printed)
    assert (found["games"], found["void"], found["same_hands"]) == (2, 0, 2)
