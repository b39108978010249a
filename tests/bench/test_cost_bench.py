# SPDX-License-Identifier: Apache-2.0
"""What a table costs is judged by goal and limit."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench import against, cost
from tests.bench.against import AgainstFailed
from tests.bench.cost import FIGURES, NAMES, Figure, Row, measured, parser, report, sources_in, table
from tests.bench.cost_commands import files_of, remembered
from tests.bench.cost_pages import Traffic
from tests.bench.cost_tables import GAME, Pair, boards, motions, processor_s

SIZE = Figure("size", "kB", 3, 8, "scales", "how large it is")
SPEED = Figure("speed", "ms", 0.5, 0.8, "clock", "how long it takes", is_ratio=True)


@pytest.mark.parametrize(
    ("row", "of_target", "verdict"),
    [
        (Row(SIZE, 2, 100), 0.25, "goal"),
        (Row(SIZE, 4, 1), 0.5, "met"),
        (Row(SIZE, 8, 1), 1, "met"),
        (Row(SIZE, 12, 100), 1.5, "MISSED"),
        (Row(SPEED, 50, 100), 0.625, "goal"),
        (Row(SPEED, 60, 100), 0.75, "met"),
        (Row(SPEED, 100, 100), 1.25, "MISSED"),
        (Row(SPEED, 80, 100), 1, "met"),
        (Row(SPEED, 100), None, "NOT MEASURED"),
        (Row(SPEED, 100, 0), None, "NOT MEASURED"),
        (Row(SIZE), None, "NOT MEASURED"),
    ],
)
def test_a_row_is_judged_by_its_figure_or_its_ratio(row: Row, of_target: float | None, verdict: str) -> None:
    assert row.of_target == pytest.approx(of_target)
    assert (row.verdict, row.is_met) == (verdict, verdict in ("goal", "met"))


def test_a_measurement_that_fails_costs_its_rows_only(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> dict[str, Pair]:
        raise AgainstFailed("the scales are gone")

    sources = {"scales": fail, "clock": lambda: {"speed": Pair(1.0, 4.0)}, "other": fail}
    rows = [*measured([SIZE, SPEED], sources)]
    assert [(row.figure, row.now, row.before) for row in rows] == [(SIZE, None, None), (SPEED, 1.0, 4.0)]
    assert "scales: not measured. the scales are gone" in capsys.readouterr().err
    assert "NOT MEASURED" in table(rows)


def test_every_row_has_a_measurement_and_is_printed_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    sources = sources_in(*[None] * 3)  # type: ignore[arg-type]  # nothing is measured
    assert {figure.source for figure in FIGURES} == sources.keys()
    assert all(0 < figure.goal <= figure.limit for figure in FIGURES)
    report([Row(figure, 1, 2) for figure in reversed(FIGURES)], as_json=True)
    printed = json.loads(capsys.readouterr().out)["rows"]
    assert [row["name"] for row in printed] == [*NAMES]
    assert {"now", "before", "of_target", "goal", "required"} <= printed[0].keys()


def test_a_missed_row_gives_one_and_a_wrong_name_two(monkeypatch: pytest.MonkeyPatch) -> None:
    def take(_given: object, rows: list[Row]) -> None:
        rows.append(Row(FIGURES[0], *values))

    monkeypatch.setattr(cost, "take", take)
    given = parser().parse_args(["--against", "."])
    values = (1.0, 4.0)
    assert cost.run(given) == 0
    values = (4.0, 4.0)
    assert cost.run(given) == 1
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(["--against", ".", "no-such-row"])
    assert ended.value.code == 2


def test_a_capture_begins_with_the_taken_piece() -> None:
    assert [(square, letter) for square, letter, _ in motions("pd7xc6")] == [
        ("c6", "-"),
        ("d7", "-"),
        ("c6", "p"),
    ]
    assert len(GAME) >= 20


def test_boards_of_an_older_tree_stand_behind_terminals(tmp_path: Path) -> None:
    eboard = """
class {}:
    def __init__(self, begun, now_ms): pass
    def bytes_to_send(self, now_ms): return b"here"
    def next_deadline_ms(self): return 1 << 60
    def feed(self, data, now_ms): pass
    def take(self, square, now_ms): self.bytes_to_send = lambda now_ms: b""
"""
    virtual = tmp_path / "companion" / "virtual"
    (virtual / "boards").mkdir(parents=True)
    (tmp_path / "companion" / "link").mkdir()
    (tmp_path / "companion" / "__init__.py").touch()
    (tmp_path / "companion" / "link" / "panel.py").write_text("load_panel = None\n")
    (virtual / "panel.py").write_text("VirtualPanel = None\n")
    (virtual / "boards" / "dgt.py").write_text(eboard.format("VirtualDgtBoard"))
    (virtual / "boards" / "millennium.py").write_text(eboard.format("VirtualMillenniumBoard"))
    with against.Tree(tmp_path, Path(sys.executable), "older") as tree, boards(tree, "dgt") as made:
        assert made.ports[0].startswith("dgt:")
        with open(made.ports[0].removeprefix("dgt:"), "rb", buffering=0) as terminal:
            assert terminal.read(4) == b"here"


def test_what_the_browser_answers_itself_is_no_request() -> None:
    traffic = Traffic({"page": 441.0, "style": 0.0, "icon": 690.0}, {"style"}, ["ws://127.0.0.1:1/ws"])
    assert traffic.requests == 3
    assert traffic.kilobytes == pytest.approx(1.131)


def test_the_processor_time_of_a_session_has_that_of_its_children() -> None:
    work = "sum(range(3_000_000)); print(flush=True); input()"
    begin = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}])"
    with subprocess.Popen(
        [sys.executable, "-c", begin], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        spent = processor_s(process.pid)
        process.communicate(b"\n")
    assert spent > 0.02


def test_a_tree_without_git_is_copied_without_what_is_hidden(tmp_path: Path) -> None:
    for name in ("start.py", "companion/games/chess.py", ".venv/bin/python"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert sorted(files_of(tmp_path)) == ["companion/games/chess.py", "start.py"]
    assert {"start.py", "tests/bench/cost.py"} <= {*files_of(against.ROOT)}


def test_an_environment_is_known_by_all_that_determines_it(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    for name in ("start.py", "pyproject.toml", "requirements/run.txt", "README.md"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    tree = against.Tree(tmp_path, Path(sys.executable), "made")
    known = remembered(tree)
    (tmp_path / "README.md").write_text("changed", encoding="utf-8")
    assert remembered(tree) == known
    (tmp_path / "requirements" / "run.txt").write_text("changed", encoding="utf-8")
    assert remembered(tree) != known


@pytest.mark.browser
def test_an_interruption_ends_with_130(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(against.PYTHON_VARIABLE, sys.executable)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))  # Chromium writes there
    command = [sys.executable, str(Path(cost.__file__)), "--against", str(against.ROOT)]
    with subprocess.Popen([*command, "games", "reload"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("commands")
        process.send_signal(signal.SIGINT)
        assert "interrupted" in process.stderr.read()
    assert process.returncode == 130
