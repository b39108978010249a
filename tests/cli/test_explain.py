# SPDX-License-Identifier: Apache-2.0
"""`companion tools explain-moves` prints why a ply was decided as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion import games
from companion.cli.main import main
from companion.host.journal.journal import FORMAT, Header, JournalWriter
from companion.host.journal.setup import GameSetup
from companion.model.observation import SensorKind
from companion.referee.values.timing import DEFAULT_TIMING
from tests.cli.explained import CASES, GOLDENS, printed
from tests.fakes import FakeTable
from tests.recordings import FOLDER


def kept(table: FakeTable, path: Path) -> Path:
    """The journal of *table* in *path*."""
    header = Header(
        FORMAT, "0.1.0", "2026-11-23T20:15:00+01:00", GameSetup(table.rules.slug), DEFAULT_TIMING, table.kind
    )
    with JournalWriter.create(path, header) as writer:
        writer.write(table.entries)
    return path


def chess() -> FakeTable:
    table = FakeTable(games.find("chess").rules(), SensorKind.OCCUPANCY)
    table.set_up()
    return table


@pytest.mark.parametrize("name", CASES)
def test_an_explanation_reads_like_its_golden_file(name: str) -> None:
    """After an intended change, `python -m tests.cli.explained` rewrites the files."""
    code, text = printed(*CASES[name])
    assert code == 0
    assert text == (GOLDENS / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_each_decision_takes_about_ten_lines(name: str) -> None:
    _, text = printed(*CASES[name])
    decisions = json.loads(printed(*CASES[name], "--json")[1])["decisions"]
    assert 2 * len(decisions) < len(text.splitlines()) <= 12 * len(decisions)


def test_the_last_move_is_explained_with_what_else_the_hand_may_have_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = chess()
    table.carry("g1", "f3", after_ms=300)
    table.wait(1500)
    assert (
        main(["tools", "explain-moves", str(kept(table, tmp_path / "game.jsonl")), "--at", "1", "--json"])
        == 0
    )
    [decision] = json.loads(capsys.readouterr().out)["decisions"]
    assert (decision["kind"], decision["ply"], decision["move"]) == ("announced", 1, "Nf3")
    best, rival = decision["stories"]
    assert best["moves"] == [["Nf3"]]
    assert rival["moves"] == []
    assert best["nats"] < rival["nats"]
    for story in (best, rival):
        assert story["nats"] == pytest.approx(sum(each["nats"] for each in story["charges"]), abs=0.01)


def test_a_piece_in_the_hand_at_the_end_is_explained_as_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = chess()
    table.carry("g1", "f3", after_ms=300)
    table.wait(1500)
    table.lift("g8")
    table.wait(200)
    path = kept(table, tmp_path / "game.jsonl")
    assert main(["tools", "explain-moves", str(path)]) == 0
    first = capsys.readouterr().out.splitlines()
    assert first[0].startswith("Ply 2, at ")
    assert first[0].endswith("nothing is decided yet.")
    assert first[1].startswith("1. N")
    assert main(["tools", "explain-moves", str(path), "--at", "1"]) == 0
    assert "Nf3 was announced" in capsys.readouterr().out


def test_a_move_that_the_journal_has_otherwise_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (FOLDER / "close-quarters-whole-game.jsonl").read_text(encoding="utf-8").splitlines()
    assert any('"move":"d1xb2#"' in line for line in lines)
    path = tmp_path / "game.jsonl"
    other = [line.replace('"d1xb2#"', '"d1-c3"') for line in lines if '"GameEnded"' not in line]
    path.write_text("\n".join([*other, ""]), encoding="utf-8")
    assert main(["tools", "explain-moves", str(path), "--at", "6"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("d1xb2# was announced.")
    assert lines[1] == "The journal has d1-c3 here."


@pytest.mark.parametrize(
    ("name", "content", "options", "said"),
    [
        ("nothing.jsonl", None, [], "JOURNAL: "),
        ("letter.jsonl", "Dear reader\n", [], "letter.jsonl, line 1"),
        ("game.jsonl", "", ["--at", "99"], "there is no ply 99"),
    ],
)
def test_a_wrong_argument_ends_with_2_and_the_reason(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: str | None,
    options: list[str],
    said: str,
) -> None:
    path = tmp_path / name
    if content == "":
        content = (FOLDER / "close-quarters-whole-game.jsonl").read_text(encoding="utf-8")
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert main(["tools", "explain-moves", str(path), *options]) == 2
    assert said in capsys.readouterr().err.replace("\n", " ")


def test_a_board_that_is_cleared_after_the_game_is_no_open_decision(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = chess()
    for source, target in (("f2", "f3"), ("e7", "e5"), ("g2", "g4"), ("d8", "h4")):
        table.carry(source, target, after_ms=300)
        table.wait(1500)
    for name in ("a1", "b1", "c1"):
        table.lift(name)
        table.wait(500)
    path = kept(table, tmp_path / "game.jsonl")
    assert main(["tools", "explain-moves", str(path)]) == 0
    assert "Ply 4, " in capsys.readouterr().out
