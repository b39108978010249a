# SPDX-License-Identifier: Apache-2.0
"""`companion records` from the command line, with games of a virtual table."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from subprocess import PIPE

import pytest
from websockets.sync.client import connect
from websockets.typing import Origin

from companion.cli.main import main
from companion.host.journal import files
from companion.model.notation import read_record
from tests.host.tables import WHOLE_GAME, written
from tests.page_reader import PageReader
from tests.programs import Program
from tests.terminals import ScreenOf

MATE = '[Event "Club"]\n[White "Ada"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store and the journals of this test only."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


@pytest.fixture
def kept(own_folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A store with a game of Close Quarters and one of chess; the folder."""
    files.folder().mkdir(parents=True)
    written(files.folder() / "game.jsonl", WHOLE_GAME)
    (own_folder / "club.pgn").write_text(MATE)
    assert main(["records", "import"]) == 0
    assert main(["records", "import", str(own_folder / "club.pgn")]) == 0
    assert capsys.readouterr().out.count("1 new") == 2
    return own_folder


def test_an_empty_list_loads_no_game_and_nothing_that_prints_tables() -> None:
    code = "import sys; from companion.cli.main import main; main(['records', 'list']); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said, loaded = ran.stdout.splitlines()
    assert said.startswith("No game is kept yet")
    assert "companion.host.records.store" in loaded.split()
    slow = {"rich.console", "companion.games", "companion.host.records.records", "ssl", "psycopg"}
    assert not slow & {*loaded.split()}


@pytest.mark.usefixtures("kept")
def test_games_are_listed_with_result_and_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", "list"]) == 0
    out = capsys.readouterr().out
    assert "2026.05.01 20:15:01" in out
    assert "weapons: sword-eliminated" in out
    assert "black: checkmate" in out
    assert main(["records", "list", "--game", "chess"]) == 0
    assert "close-quarters" not in capsys.readouterr().out


@pytest.mark.usefixtures("kept")
def test_the_list_names_the_players_and_is_not_cut_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert main(["records", "list"]) == 0
    heads, *rows = (re.split(" {2,}", line) for line in capsys.readouterr().out.splitlines())
    assert heads == ["number", "game", "players", "began", "result", "plies", "thinking time"]
    assert ["2", "chess", "Ada – ?"] in [row[:3] for row in rows]
    assert len(rows) == 2


@pytest.mark.usefixtures("kept")
def test_the_list_is_read_by_other_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", "list", "--json"]) == 0
    first, second = sorted(json.loads(capsys.readouterr().out), key=lambda each: int(each["number"]))
    assert first["game"] == "close-quarters"
    assert first["thought_ms"] > 0
    assert second == {
        "number": 2,
        "game": "chess",
        "began": "",
        "result": "black: checkmate",
        "plies": 4,
        "thought_ms": None,
        "players": ["Ada", ""],
        "sides": ["white", "black"],
        "origin": None,
    }


def test_an_empty_store_says_how_to_fill_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", "list"]) == 0
    assert "companion records import FILE" in capsys.readouterr().out
    assert main(["records", "stats"]) == 0
    assert "No game is kept yet" in capsys.readouterr().out


def test_known_games_are_not_imported_again(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", "import"]) == 0
    assert main(["records", "import", str(kept / "club.pgn")]) == 0
    assert capsys.readouterr().out.count("0 new, 0 brought up to date, 1 known already") == 2


@pytest.mark.usefixtures("kept")
def test_a_game_is_shown_with_its_last_position(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", "show", "1"]) == 0
    out = capsys.readouterr().out
    assert '[Result "weapons: sword-eliminated"]' in out
    assert " 2  · =ma ·  ·" in out
    assert " 8  ax ·  ·  ·" in out
    assert out.rstrip().endswith("The weapons win: the Sword is eliminated.")


@pytest.mark.usefixtures("kept")
def test_a_game_is_replayed_move_by_move(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", "replay", "2", "--seconds", "0"]) == 0
    out = capsys.readouterr().out
    assert (
        out.index("1. f3") < out.index("1… e5") < out.index("2… Qh4#") < out.index("Black wins: checkmate.")
    )


def test_games_are_exported_in_each_format(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", "export", "1"]) == 0
    assert read_record(capsys.readouterr().out).result == "weapons: sword-eliminated"
    for form, begins in (
        ("json", b"{"),
        ("pgn", b'[Event "Club"]'),
        ("svg", b"<svg "),
        ("gif", b"GIF89a"),
        ("pdf", b"%PDF-"),
    ):
        path = kept / f"game.{form}"
        assert main(["records", "export", "2", "--as", form, "--file", str(path)]) == 0
        assert path.read_bytes().startswith(begins)
        assert f"Game 2 is in {path}" in capsys.readouterr().err


def test_binary_exports_are_written_to_a_file_named_after_the_game(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(kept)
    assert main(["records", "export", "2", "--as", "pdf", "--paper", "letter"]) == 0
    assert "Game 2 is in chess-2.pdf." in capsys.readouterr().err
    assert (kept / "chess-2.pdf").stat().st_size > 1000


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are another thing there")
@pytest.mark.usefixtures("kept")
def test_a_game_is_watched_in_a_terminal() -> None:
    with ScreenOf("records", "replay", "2", "--seconds", "30") as seen:
        seen.until(lambda: "▶ 0/4 · 30 s" in seen.text)
        for typed, then in (
            ("", "■ 0/4"),
            ("", "1. f3"),
            ("3", "■ 3/4"),
            ("n", "Black wins: checkmate."),
            ("b", "2. g4"),
            ("p", "▶ 3/4"),
            ("+", "15 s"),
        ):
            seen.type(typed)
            seen.until(lambda then=then: then in seen.text)  # type: ignore[misc]
        seen.type("q")
        assert seen.wait() == 0


@pytest.mark.usefixtures("kept")
def test_statistics_tell_results_and_the_longest_think(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", "stats"]) == 0
    out = capsys.readouterr().out
    assert "weapons 1" in out
    assert "black 1" in out
    assert "(game 1, ply " in out


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["show", "9"], "there is no game 9 in the store"),
        (["export", "1", "--as", "pgn"], "PGN is for games of chess, not of close-quarters"),
        (["export", "1", "--file", "/nowhere/game.txt"], "/nowhere/game.txt cannot be written: No such file"),
        (["import", "missing.pgn"], "missing.pgn cannot be read: No such file"),
        (["list", "--store", "nonsense"], "'nonsense' is not a store"),
    ],
)
def test_what_does_not_work_is_named(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", *words]) == 1
    assert says in " ".join(capsys.readouterr().err.split())


def test_valid_games_are_imported_although_others_are_invalid(
    own_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = own_folder / "club.pgn"
    path.write_text(MATE + '\n[Event "Bad"]\n\n1. Ke4 e5 *\n\n[Event "Cut"]\n\n1. e4 Ke4 *\n')
    assert main(["records", "import", str(path)]) == 1
    captured = capsys.readouterr()
    assert "2 new, 0 brought up to date, 0 known already, 1 not understood" in captured.out
    said = " ".join(captured.err.split())
    assert "club.pgn, from line 6 on" in said
    assert "club.pgn: line 12: move 1... 'Ke4' is not a legal move" in said


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("is_ended", [pytest.param(False, marks=pytest.mark.long), True])
def test_a_game_that_ends_or_is_broken_off_is_in_the_store(
    own_folder: Path, is_ended: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(own_folder / "game.jsonl", "a1-b2 d8-b8")
    play = ["play", "close-quarters", "--resume", "--journal", str(path), "--no-browser", "--http-port", "0"]
    address = ""
    assert main(["records", "list"]) == 0
    with Program(
        "companion",
        [*play, "--port", "virtual"],
        stdout=PIPE,
        stderr=PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        for line in program.stdout:
            if found := re.search(r"http://(\S+)", line):
                address = found[1].rstrip("/")
            if "connected" in line:
                break
        if is_ended:
            resign(address)
            assert "weapons: resignation" in shown_when_kept(capsys)
        program.send_signal(signal.SIGINT)
        assert program.stdout.read() == ""
        assert program.stderr.read() == ""
    assert "1. a1-b2 d8-b8!" in shown_when_kept(capsys)


def resign(address: str) -> None:
    """The Sword gives up once it is at play."""
    with connect(f"ws://{address}/ws", origin=Origin(f"http://{address}")) as browser:
        reader = PageReader()
        while reader.take(browser.recv(timeout=60)).get("view", {}).get("phase") != "waiting":
            pass
        browser.send('{"is":"Resign","side":0}')
        while reader.take(browser.recv(timeout=60)).get("view", {}).get("phase") != "finished":
            pass


def shown_when_kept(capsys: pytest.CaptureFixture[str]) -> str:
    """The output of `records show 1` once there is a game; at most a minute."""
    until = time.monotonic() + 60
    while main(["records", "show", "1"]):
        assert time.monotonic() < until, capsys.readouterr().err
    return capsys.readouterr().out
