# SPDX-License-Identifier: Apache-2.0
"""`companion tools analyse` names the value of a position, and says what it cannot do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from companion.cli.main import main
from companion.games import find, slugs
from companion.host.analysis.searched import search_report
from companion.host.analysis.tablebases import folder
from companion.model.installation import install_command
from companion.opponent.close_quarters.analysis import Value
from companion.opponent.close_quarters.tablebase import name_of
from tests.opponent.close_quarters.samples import KING, solved

AS_KING = ["-o", "sword=king"]
WON = "4/4/4/4/4/S3/4/P1A1 s 0"
"""The Sword captures one weapon, and then the other."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the tablebases, which does not exist yet."""
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return folder()


@pytest.fixture
def solution(cache: Path) -> Path:
    """The file of the tablebase for the king's options, which exists."""
    file = cache / name_of(KING)
    cache.mkdir(parents=True)
    file.write_bytes(solved(KING).tablebase().packed())
    return file


def analysed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The JSON object that the command prints."""
    assert main(["tools", "analyse", "close-quarters", "--json", *words]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    found: dict[str, Any] = json.loads(captured.out)
    return found


def complaint(capsys: pytest.CaptureFixture[str], code: int, *words: str) -> str:
    """The error with which the command ends."""
    assert main(["tools", "analyse", *words]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def test_the_start_is_a_draw(capsys: pytest.CaptureFixture[str]) -> None:
    found = analysed(capsys)
    assert (found["value"], found["plies"], found["line"]) == ("draw", None, [])
    assert "a1-b1" in found["best"]


@pytest.mark.usefixtures("solution")
def test_best_moves_and_line_are_in_the_notation_of_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    found = analysed(capsys, *AS_KING)
    assert (found["value"], found["plies"]) == ("loss", 10)
    rules = find("close-quarters").rules({"sword": "king"})
    position = rules.initial()
    assert {rules.read_move(position, move) for move in found["best"]} <= {*rules.legal_moves(position)}
    for move in found["line"]:
        position = rules.apply(position, rules.read_move(position, move))
    outcome = rules.status(position)
    assert outcome is not None
    assert outcome.termination == "sword-eliminated"
    assert found["line"][0] == found["best"][0]


@pytest.mark.usefixtures("solution")
def test_a_turn_limit_counts(capsys: pytest.CaptureFixture[str]) -> None:
    found = analysed(capsys, *AS_KING, "-o", "turn_limit=4")
    assert (found["value"], found["plies"], len(found["line"])) == ("win", 8, 8)


def test_a_finished_game_has_no_moves(capsys: pytest.CaptureFixture[str]) -> None:
    assert analysed(capsys, "--position", "4/4/4/4/4/4/4/P3 s 3") == {
        "value": "loss",
        "plies": 0,
        "best": [],
        "line": [],
    }


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            [
                "the side to move wins with best play; plies to the end: 5",
                "best moves: ",
                "game with best play: ",
            ],
        ),
        (
            "fr",
            [
                "le camp au trait gagne avec le meilleur jeu ; demi-coups jusqu’à la fin : 5",
                "meilleurs coups : ",
                "partie avec le meilleur jeu : ",
            ],
        ),
    ],
)
def test_people_read_sentences_in_their_language(
    language: str, expected: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tools", "analyse", "close-quarters", "--position", WON, "--language", language]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(expected)
    assert all(line.startswith(start) for line, start in zip(lines, expected, strict=True))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nonsense", "expected ranks"),
        ("A2P/4/4/4/4/4/4/S2S s 0", "unknown or stands twice"),
        ("4/4/4/4/4/4/4/P3 w 0", "the side that has just moved has no piece"),
        ("4/4/4/4/4/4/4/S3 s 0", "the side that has just moved has no piece"),
        ("4/4/4/4/4/4/4/4 s 0", "the side that has just moved has no piece"),
    ],
)
def test_an_invalid_position_ends_with_2_and_the_reason(
    text: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reason in complaint(capsys, 2, "close-quarters", "--position", text)


@pytest.mark.parametrize("slug", sorted({*slugs()} - {"close-quarters"}))
def test_other_games_are_searched(slug: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "analyse", slug, "--seconds", "0.1", "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    found = json.loads(captured.out)
    assert found.keys() == {"value", "plies", "score", "best", "line", "depth", "nodes", "is_proven"}
    rules = find(slug).rules()
    position = rules.initial()
    assert found["best"] == found["line"][:1]
    for move in found["line"]:
        position = rules.apply(position, rules.read_move(position, move))
    assert found["depth"] >= 1
    assert found["nodes"] >= 1
    assert found["value"] or abs(found["score"]) < 100


def test_a_forced_mate_is_a_win_with_its_plies(capsys: pytest.CaptureFixture[str]) -> None:
    mate = "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1"
    assert main(["tools", "analyse", "chess", "--position", mate, "--json", "--seconds", "60"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["value"], found["plies"], found["score"]) == ("win", 3, None)
    assert found["line"][0] == "Qh6+"
    assert len(found["line"]) == 3
    assert found["is_proven"]


QUIET_MATE = "8/3n4/1B2k3/1p5p/1P1K3P/8/r7/2q5 b - - 1 54"
"""Re2 and mate; checks take longer."""


def test_the_plies_to_a_mate_are_proven(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "analyse", "chess", "--position", QUIET_MATE, "--json", "--seconds", "60"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["value"], found["plies"], found["is_proven"]) == ("win", 3, True)
    assert len(found["line"]) == 3


def test_an_end_that_is_not_proven_is_said_so() -> None:
    rules = find("chess").rules()
    found = search_report(rules, rules.read_position(QUIET_MATE), 60, lambda _: None, most_positions=10)
    assert (found.value, found.is_proven) == (Value.WIN, False)
    said, *_ = map(str, found.sentences())
    assert said.startswith("the search sees a win for the side to move, not proven; plies to the end: ")
    assert said.endswith(" at most")


def test_a_loss_is_proven_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    lost = "6k1/5ppp/8/8/8/8/rr6/7K w - - 0 1"
    assert main(["tools", "analyse", "chess", "--position", lost, "--json", "--seconds", "60"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["value"], found["plies"], found["is_proven"]) == ("loss", 2, True)


@pytest.mark.parametrize(
    ("slug", "text", "expected"),
    [
        ("chess", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "draw"),
        ("chess", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "loss"),
    ],
)
def test_a_finished_game_that_is_not_solved_has_its_result(
    slug: str, text: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tools", "analyse", slug, "--position", text, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["value"], found["plies"], found["best"], found["nodes"]) == (expected, 0, [], 0)


def test_people_read_the_value_of_a_search(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "analyse", "martian-chess", "--seconds", "0.1", "--language", "de"]) == 0
    lines = capsys.readouterr().out.splitlines()
    starts = ("Wert für die Seite am Zug", "beste Züge: ", "beste Fortsetzung: ", "durchsuchte Halbzüge: ")
    assert [line.startswith(start) for line, start in zip(lines, starts, strict=True)] == [True] * 4


@pytest.mark.parametrize("slug", ["chess", "gottaz"])
def test_a_table_refuses_the_analysis_of_other_games(slug: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", slug, "--analysis"]) == 2
    assert "the page shows the value of positions of close-quarters only" in capsys.readouterr().err


def test_unknown_games_and_options_end_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no game 'ludo'" in complaint(capsys, 2, "ludo")
    assert "sword" in complaint(capsys, 2, "close-quarters", "-o", "sword=queen")


def test_a_computed_tablebase_is_kept_and_used(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = analysed(capsys, *AS_KING)
    kept = cache / name_of(KING)
    assert [*cache.iterdir()] == [kept]
    before = kept.stat().st_mtime_ns
    assert analysed(capsys, *AS_KING, "--seconds", "0") == first
    assert kept.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "damage",
    ["cut", *(pytest.param(each, marks=pytest.mark.long) for each in ("changed", "older version", "empty"))],
)
def test_a_damaged_tablebase_is_computed_again(
    damage: str, solution: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = solution.read_bytes()
    solution.write_bytes(
        {
            "cut": whole[:-100],
            "changed": whole[:500] + b"\0\0\0\0" + whole[504:],
            "older version": whole.replace(b"tablebase 1", b"tablebase 0", 1),
            "empty": b"",
        }[damage]
    )
    assert solution.read_bytes() != whole
    assert analysed(capsys, *AS_KING)["plies"] == 10
    assert solution.read_bytes() == whole


@pytest.mark.long
def test_a_cache_that_cannot_be_written_is_named_and_the_answer_is_given(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_text("not a folder")
    assert main(["tools", "analyse", "close-quarters", *AS_KING]) == 0
    captured = capsys.readouterr()
    assert "plies to the end: 10" in captured.out
    assert "cannot be written" in captured.err


def test_a_computation_ends_after_the_allowed_seconds(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "--seconds" in complaint(capsys, 1, "close-quarters", *AS_KING, "--seconds", "0")
    assert not cache.exists()


def companion(*words: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, after the statement *before*."""
    program = (
        f"import sys\n{before}\nfrom companion.cli.main import main\n"
        f"code = main({[*words]!r})\nprint(*sorted(sys.modules), file=sys.stderr)\nsys.exit(code)"
    )
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


def test_the_default_options_need_no_numpy() -> None:
    done = companion("tools", "analyse", "close-quarters", before="sys.modules['numpy'] = None")
    assert done.returncode == 0
    assert done.stdout.startswith("a draw")


def test_without_numpy_the_error_names_the_extra() -> None:
    done = companion("tools", "analyse", "close-quarters", *AS_KING, before="sys.modules['numpy'] = None")
    assert done.returncode == 1
    assert install_command("analysis") in done.stderr


def test_a_table_without_numpy_leaves_no_journal_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    words = ["play", "close-quarters", *AS_KING, "--analysis", "--no-browser", "--http-port=0"]
    done = companion(*words, before="sys.modules['numpy'] = None")
    assert done.returncode == 1
    assert install_command("analysis") in done.stderr
    assert not [*tmp_path.rglob("*.jsonl")]


@pytest.mark.parametrize("words", [["--help"], ["tools", "moves", "close-quarters"], ["games"]], ids=" ".join)
def test_other_commands_import_neither_solver_nor_numpy(words: list[str]) -> None:
    done = companion(*words)
    assert done.returncode == 0
    loaded = {*done.stderr.split()}
    assert "companion.cli.main" in loaded
    loaded -= {"companion.opponent", "companion.opponent.levels"}  # a game has a list of its levels
    assert not [
        name for name in loaded if name.startswith(("numpy", "companion.opponent", "companion.host.analysis"))
    ]
