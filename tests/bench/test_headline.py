# SPDX-License-Identifier: Apache-2.0
"""What is slower or larger than before is found, in three runs of three."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.bench import against, headline
from tests.bench.adapters.headline import MEASUREMENTS, NAMED, trace
from tests.bench.against import AgainstFailed
from tests.bench.headline import FIGURES, Figure, Measure, Row, Values, compared, report, run, table

SPEED = Figure("speed", "ms", "how long it takes", "clock")
DELAY = Figure("delay", "ms", "how late it is", "clock")
SIZE = Figure("size", "kB", "how large it is", "scales")


class Tree:
    """A tree whose measurements have invented values, one for each run; the last one stays."""

    def __init__(self, **values: Sequence[Values]) -> None:
        self.left: dict[str, Iterator[Values]] = {name: iter(each) for name, each in values.items()}
        self.taken: list[str] = []

    def __call__(self, source: str) -> Values:
        self.taken.append(source)
        found = next(self.left.get(source, iter(())), None)
        if found is None:
            raise AgainstFailed(f"it has no {source}")
        return found


def speeds(*values: float) -> list[Values]:
    return [{"speed": value} for value in values]


def only(figure: Figure, now: Measure, before: Measure) -> Row:
    (row,) = compared([figure], now, before)
    return row


@pytest.mark.parametrize(
    ("now", "verdict"), [(100, "same"), (109, "same"), (91, "same"), (90, "less"), (50, "less")]
)
def test_what_is_not_larger_is_measured_once(now: float, verdict: str) -> None:
    trees = Tree(clock=speeds(now)), Tree(clock=speeds(100))
    row = only(SPEED, *trees)
    assert (row.verdict, row.ratio, row.runs) == (verdict, now / 100, 1)
    assert [tree.taken for tree in trees] == [["clock"], ["clock"]]


def test_what_is_larger_once_or_twice_is_measured_again_and_passes() -> None:
    row = only(SPEED, Tree(clock=speeds(150, 103)), Tree(clock=speeds(100, 100)))
    assert (row.verdict, row.now, row.runs) == ("same", 103, 2)
    row = only(SPEED, Tree(clock=speeds(150, 140, 99)), Tree(clock=speeds(100, 100, 90)))
    assert (row.verdict, row.now, row.before, row.runs) == ("same", 99, 90, 3)


def test_what_is_larger_in_three_runs_is_named_with_its_best_run() -> None:
    now, before = Tree(clock=speeds(150, 120, 130)), Tree(clock=speeds(100, 100, 100))
    row = only(SPEED, now, before)
    assert (row.verdict, row.now, row.runs, row.is_over) == ("LARGER", 120, 3, True)
    assert now.taken == before.taken == ["clock"] * 3


def test_figures_of_one_measurement_are_judged_one_by_one() -> None:
    now = Tree(clock=[{"speed": 150, "delay": 10}, {"speed": 100, "delay": 90}], scales=[{"size": 2_000}] * 3)
    before = Tree(clock=[{"speed": 100, "delay": 10}] * 2, scales=[{"size": 1_000}] * 3)
    rows = {row.name: row for row in compared([SPEED, SIZE, DELAY], now, before)}
    assert rows["size"].verdict == "LARGER"
    assert rows["speed"].verdict == rows["delay"].verdict == "same"
    assert rows["delay"].now == 10, "it was not over, so its later values do not count"


def test_what_an_older_tree_lacks_is_not_there_and_no_error() -> None:
    both = Tree(clock=[{"speed": 1, "delay": 1}], scales=[{"size": 1}])
    rows = list(compared([SPEED, DELAY, SIZE], both, Tree(clock=speeds(1))))
    assert {row.name: row.verdict for row in rows} == {
        "speed": "same",
        "delay": "not there",
        "size": "not there",
    }
    assert not any(row.is_over for row in rows)


def test_what_this_tree_cannot_measure_is_an_error() -> None:
    with pytest.raises(AgainstFailed, match="it has no clock"):
        only(SPEED, Tree(), Tree(clock=speeds(1)))


def test_the_report_names_both_values_with_their_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        Row("speed", "ms", "how long it takes", 12.0, 10.0, 3),
        Row("size", "kB", "how large it is", 4.0, None),
    ]
    head, first, second = table(rows).splitlines()
    assert head.split()[:5] == ["figure", "before", "now", "ratio", "verdict"]
    assert first.split()[:8] == ["speed", "10", "ms", "12", "ms", "1.20", "LARGER", "in"]
    assert second.split()[:6] == ["size", "-", "4", "kB", "-", "not"]
    report(rows, as_json=True)
    found = json.loads(capsys.readouterr().out)["figures"]
    assert [(each["name"], each["verdict"]) for each in found] == [("speed", "LARGER"), ("size", "not there")]
    assert found[0]["ratio"] == pytest.approx(1.2)


def test_the_adapter_has_the_measurements_of_all_figures() -> None:
    assert {figure.source for figure in FIGURES} == {*MEASUREMENTS}
    assert len({figure.name for figure in FIGURES}) == len(FIGURES)


def test_what_a_page_loads_at_once_is_found() -> None:
    text = (
        '<link rel="icon" href="a.svg"> <script type="module" src="b.js"></script> <a href="no.html">\n'
        'import { c } from "./c.js";\nexport * from "./d.js";\n  later = import("./no.js");\n@import "e.css";'
    )
    assert ["".join(found) for found in NAMED.findall(text)] == ["a.svg", "b.js", "./c.js", "./d.js", "e.css"]


def test_a_ply_begins_with_an_idle_lift() -> None:
    assert trace("e2e4") == "e2- 400 e2+ 900 e2- 500 e4+ 3000"
    assert trace("b5xc6") == "b5- 400 b5+ 900 c6- 300 b5- 500 c6+ 3000"


@pytest.mark.parametrize("words", [[], ["--against"], ["--against", "HEAD", "--only", "lamp,beauty"]])
def test_wrong_arguments_are_named(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        headline.parser().parse_args(words)
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "beauty" in said or "--against" in said


def test_figures_are_chosen_by_their_names() -> None:
    given = headline.parser().parse_args(["--against", "HEAD", "--only", "wheel, lamp"])
    assert [figure.name for figure in given.only] == ["lamp", "wheel"]


def test_this_tree_is_as_large_as_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(against.PYTHON_VARIABLE, sys.executable)
    given = headline.parser().parse_args(["--against", str(against.ROOT), "--only", "wheel", "--json"])
    assert run(given) == 0
    (found,) = json.loads(capsys.readouterr().out)["figures"]
    assert (found["name"], found["ratio"], found["verdict"]) == ("wheel", 1.0, "same")
    assert found["now"] > 500


def test_an_unknown_commit_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(headline.parser().parse_args(["--against", "no-such-commit"])) == 1
    assert "no-such-commit is unknown" in capsys.readouterr().err


def test_an_interruption_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(against.PYTHON_VARIABLE, sys.executable)
    command = [sys.executable, str(Path(headline.__file__)), "--against", str(against.ROOT)]
    with subprocess.Popen([*command, "--only", "perft,search"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("perft in now")
        process.send_signal(signal.SIGINT)
        assert "interrupted" in process.stderr.read()
    assert process.returncode == 130


@pytest.mark.long
@pytest.mark.firmware
def test_every_figure_of_this_tree_is_that_of_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(against.PYTHON_VARIABLE, sys.executable)
    code = run(headline.parser().parse_args(["--against", str(against.ROOT), "--json"]))
    found = json.loads(capsys.readouterr().out)["figures"]
    assert [each["name"] for each in found] == [figure.name for figure in FIGURES]
    assert [each for each in found if each["verdict"] not in ("same", "less") or not each["now"]] == []
    assert code == 0
