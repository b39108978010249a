# SPDX-License-Identifier: Apache-2.0
"""`companion play`, `tools demo` and `records replay` from the command line, with their errors."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from subprocess import PIPE

import pytest

from companion.cli.main import main
from companion.games import slugs
from companion.host.journal import journal
from companion.model.installation import install_command
from tests.host.tables import HEADER, WHOLE_GAME, written
from tests.programs import Program

PLAY = ["play", "close-quarters", "--no-browser", "--http-port", "0"]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Journals of this test only."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def test_the_demo_shows_legal_moves_an_illegal_one_check_and_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["tools", "demo"]) == 0
    out = capsys.readouterr().out
    for said in (
        "The weapons move.",
        "The Axe moves diagonally",
        "Move the Axe from a5 to a8.",
        "CHECK!",
        "The weapons win: the Sword is eliminated.",
        "replays to the same events",
    ):
        assert said in out
    captions = [line for line in out.splitlines() if not line.startswith(" ")]
    assert "The Sword goes round the corner." in captions
    assert len(captions) == len(set(captions))


def waits_and_says(words: list[str], said: str) -> bool:
    """True if `companion` with *words* says *said* and runs on until Ctrl-C."""
    with Program(
        "companion", words, stdout=PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
    ) as program:
        assert program.stdout is not None
        is_said = any(said in line for line in program.stdout)
        program.send_signal(signal.SIGINT)
        program.stdout.read()
    return is_said and program.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize(
    ("port", "said"),
    [
        ("/dev/ttyNONE", "there is no port /dev/ttyNONE. Ports present:"),
        ("socket://127.0.0.1:9", "socket://127.0.0.1:9 cannot be opened"),
        pytest.param("auto", "plug the panel in", marks=pytest.mark.long),
    ],
)
def test_a_board_that_is_missing_is_named_and_waited_for(port: str, said: str) -> None:
    assert waits_and_says([*PLAY, "--port", port], said)


@pytest.mark.skipif(sys.platform == "win32", reason="ports have other names and no permissions")
def test_a_failed_start_leaves_no_journal(own_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert waits_and_says([*PLAY, "--port", "/dev/ttyNONE"], "there is no port /dev/ttyNONE")
    assert main([*PLAY, "--broken", "z9"]) == 2
    assert not list(own_folder.rglob("*.jsonl"))


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_a_start_without_an_answer_says_what_to_look_for_and_leaves_no_journal(own_folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = f"socket://127.0.0.1:{silent.getsockname()[1]}"
        program = Program(
            "companion",
            [*PLAY, "--port", port],
            stdout=PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        with program:
            assert program.stdout is not None
            said = next(line for line in program.stdout if line.startswith("No panel"))
            assert "Hello" not in said
            assert "companion tools panels" in said
            program.send_signal(signal.SIGINT)
            program.stdout.read()
    assert program.returncode == 0
    assert not list(own_folder.rglob("*.jsonl"))


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["play", "ludo"], 2, "there is no game 'ludo'"),
        (["play", "close-quarters", "-o", "sword=long"], 2, "allowed are one-or-two, king"),
        (["play", "close-quarters", "-o", "colour=red"], 2, "there is no option 'colour'"),
        (["play", "close-quarters", "-o", "sword"], 2, "write NAME=VALUE"),
        (["play", "close-quarters", "--language", "xx"], 2, "there are no words in 'xx'"),
        (["play", "close-quarters", "--resume"], 1, "no unfinished game of close-quarters"),
        (["play", "close-quarters", "--resume", "-o", "sword=king"], 2, "keeps the options"),
        (
            ["play", "close-quarters", "--resume", "--clock", "5"],
            2,
            "keeps the options, the clock and the players",
        ),
        (["play", "close-quarters", "--clock", "5++3"], 2, "'5++3' is not a time control"),
        (["play", "close-quarters", "--resume", "--computer", "weapons"], 2, "the players"),
        (["play", "close-quarters", "--resume", "--level", "2"], 2, "the players"),
        (
            ["play", "close-quarters", "--computer", "red"],
            2,
            "has no side 'red': its sides are sword, weapons",
        ),
        (["play", "close-quarters", "--computer", "sword", "--level", "9"], 2, "there is no level '9'"),
        (["play", "gottaz", "--engine", "stockfish"], 2, "an engine plays chess only"),
        (["puzzle", "chess", "--moves", "9"], 2, "there is no puzzle of chess in 9 moves"),
        (["puzzle", "chess", "--number", "99"], 2, "there is no puzzle 99 of chess"),
        (["play", "chess", "--engine", "/bin/true"], 1, "/bin/true is no UCI engine"),
        (["play", "close-quarters", "--http-port", "70000"], 2, "http-port"),
        (["play", "close-quarters", "--position", "nonsense"], 2, "'nonsense' is not a position"),
        (["play", "close-quarters", "--broken", "z9"], 2, "z9"),
        (["play", "chess", "--port", "virtual:16x16", "--at", "z9"], 2, "name a cell such as"),
        ([*PLAY, "--camera", "/nowhere.avi"], 1, "/nowhere.avi cannot be opened as a source of images"),
        ([*PLAY, "--camera", "97"], 1, "camera 97"),
        ([*PLAY, "--camera", "0", "--profile", "none"], 1, "none.toml: make one with: python -m calibration"),
        ([*PLAY, "--profile", "kitchen"], 2, "name it with --camera"),
        (
            ["play", "close-quarters", "--journal", "/proc/none/game.jsonl"],
            1,
            "/proc/none/game.jsonl cannot be written",
        ),
        (["records", "replay", "/nowhere.jsonl"], 1, "/nowhere.jsonl cannot be read: No such file"),
    ],
)
def test_bad_words_are_answered_with_cause_and_remedy(
    words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code == main(words)
    assert said in capsys.readouterr().err


def test_a_camera_of_the_settings_is_used_unless_a_virtual_table_is_wished_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "companion").mkdir()
    (tmp_path / "companion" / "settings.toml").write_text('camera = "97"\nprofile = "none"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert main(PLAY) == 1
    assert "there is no profile" in capsys.readouterr().err
    assert main([*PLAY, "--camera", "98"]) == 1
    assert "camera 98" in capsys.readouterr().err
    assert main([*PLAY, "--port", "virtual", "--language", "xx"]) == 2
    assert "there are no words in 'xx'" in capsys.readouterr().err


@pytest.mark.parametrize("library", ["cv2", pytest.param("numpy", marks=pytest.mark.long)])
def test_a_camera_without_its_libraries_is_answered_with_what_to_install(library: str) -> None:
    without = (
        "import sys; from companion.cli.main import main; sys.modules[sys.argv[1]] = None;"
        "sys.exit(main(['play', 'close-quarters', '--camera', '0']))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", without, library], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert f"a camera needs {library}, which is not installed: {install_command('camera')}" in ran.stderr


def test_camera_libraries_are_not_loaded_without_a_camera() -> None:
    assert not {"cv2", "numpy"} & loaded_to_play()


def test_no_search_is_loaded_where_the_computer_does_not_play() -> None:
    loaded = loaded_to_play()
    assert "companion.opponent.levels" in loaded  # for the lists of the page
    own = (*(slug.replace("-", "_") for slug in slugs()), "search", "player", "proof", "find")
    assert not {f"companion.opponent.{name}" for name in own} & loaded
    assert not [name for name in loaded if name.startswith(("companion.opponent.close_quarters", "numpy"))]
    assert not [name for name in loaded if name.startswith("companion.host.analysis.")]
    assert not {f"companion.host.opponent.{name}" for name in ("engine", "mind", "worker")} & loaded


def test_a_table_loads_neither_the_store_nor_what_prints_nor_what_halls_need() -> None:
    packages = {name.partition(".")[0] for name in loaded_to_play()}
    assert not {"sqlite3", "psycopg", "reportlab", "PIL", "fastapi", "pydantic"} & packages


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent to a process")
def test_a_served_table_has_loaded_nothing_that_few_people_ask_for(tmp_path: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "companion", "play", "chess", *PLAY[2:]]
    with (
        (tmp_path / "imports").open("w+", encoding="utf-8") as imports,
        subprocess.Popen(command, stdout=PIPE, stderr=imports, text=True) as table,
    ):
        assert table.stdout is not None
        assert any("http://" in line for line in table.stdout)
        table.send_signal(signal.SIGINT)
        table.communicate()
        imports.seek(0)
        loaded = {line.rpartition("|")[2].strip() for line in imports}
    assert {"companion.games.chess.rules", "companion.host.online.elsewhere"} <= loaded
    rare = ["rich", "segno", "companion.host.terminal", "companion.sheets", "companion.feedback.rulebook"]
    rare += [f"companion.host.online.{each}" for each in ("board_service", "join", "lichess", "two_tables")]
    rare += [f"companion.host.watch.{each}" for each in ("game_drawing", "svg", "tries")]
    assert [each for each in loaded for name in rare if each == name or each.startswith(f"{name}.")] == []


def test_a_search_loads_the_knowledge_of_its_own_game_only() -> None:
    code = (
        "import sys; from companion.games import find; from companion.opponent.find import knowledge_of;"
        "knowledge_of(find('chess').rules()); print(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    known = {f"companion.opponent.{slug.replace('-', '_')}" for slug in slugs()}
    loaded = ran.stdout.split()
    assert known & {*loaded} == {"companion.opponent.chess"}
    assert not [name for name in loaded if name.startswith(("companion.opponent.puzzles", "numpy"))]


@cache
def loaded_to_play() -> frozenset[str]:
    """The modules of a program that is about to serve a table."""
    loads = "import sys, companion.host.start_page.run, companion.cli; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, check=True)
    return frozenset(ran.stdout.split())


def test_a_journal_of_another_game_is_not_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "game.jsonl", "a1-b2")
    assert main(["play", "gottaz", "--resume", "--journal", str(path)]) == 1
    assert "is a game of close-quarters, not of gottaz" in capsys.readouterr().err


def test_a_finished_game_is_not_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "game.jsonl", WHOLE_GAME)
    assert main(["play", "close-quarters", "--resume", "--journal", str(path)]) == 1
    assert "no game that was broken off" in capsys.readouterr().err


def test_replay_reports_identical_events(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "game.jsonl", "a1-b2 d8-b8")
    assert main(["records", "replay", str(path)]) == 0
    assert "the same again" in capsys.readouterr().out


def test_replay_names_the_first_difference_and_ends_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "game.jsonl", "a1-b2", replace(HEADER, format=1))
    path.write_text(path.read_text().replace("a1-b2", "a1-c3"))
    assert main(["records", "replay", str(path)]) == 1
    assert "the replay MoveMade" in capsys.readouterr().out


def test_replay_of_a_truncated_journal_reports_what_it_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "game.jsonl", "a1-b2")
    path.write_bytes(path.read_bytes()[:-9])
    assert main(["records", "replay", str(path)]) == 0
    assert "was cut off and is left out" in capsys.readouterr().out


def test_replay_of_a_damaged_journal_names_the_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "game.jsonl", "a1-b2")
    lines = path.read_text().splitlines()
    lines[2] = lines[2][:-3]
    path.write_text("\n".join(lines) + "\n")
    assert main(["records", "replay", str(path)]) == 1
    assert "line 3" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_ctrl_c_ends_play_and_keeps_the_game(own_folder: Path, how: signal.Signals) -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "companion", *PLAY],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    with program:
        assert program.stdout is not None
        assert program.stderr is not None
        for line in program.stdout:
            if "connected" in line:
                break
        program.send_signal(how)
        assert program.stderr.read() == ""
        program.stdout.read()
    assert program.returncode == 0
    (path,) = own_folder.rglob("*.jsonl")
    assert not journal.read(path).note
