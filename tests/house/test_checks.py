# SPDX-License-Identifier: Apache-2.0
"""`tests/house/checks.py`: tests that fail are run once more, and some long tests are drawn."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.house import checks, outcomes
from tests.house.checks import Suite
from tests.house.outcomes import Outcome, Outcomes

ROOT = Path(__file__).resolve().parents[2]
NOW_AND_THEN = """
import pathlib, pytest

def passes_the_second_time(name):
    file = pathlib.Path(__file__).with_name(name)
    assert file.exists() or file.write_text("") is None and file.with_name("never").exists()

def test_steady(): pass

@pytest.mark.parametrize("word", ["a [b]::c"])
def test_now_and_then(word): passes_the_second_time("once")

@pytest.mark.unsteady("the weather")
def test_with_a_cause(): passes_the_second_time("twice")

@pytest.fixture
def lost(): passes_the_second_time("thrice")

def test_with_a_fixture(lost): pass

@pytest.mark.long
def test_slowly(): pass
"""
NEVER = "def test_never(): assert False\n"
WAITING = """
import pytest, threading

@pytest.mark.parametrize("seconds", [0, 60, 0, 0])
def test_waits(seconds): threading.Event().wait(seconds)
"""
MARKERS = 'def pytest_configure(config): [config.addinivalue_line("markers", f"{m}: x") for m in ("long", "unsteady(x)")]\n'
LONG = """
def pytest_collection_modifyitems(config, items):
    config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("long")])
    items[:] = [item for item in items if not item.get_closest_marker("long")]
"""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A suite of its own."""
    (tmp_path / "conftest.py").write_text(MARKERS + LONG)
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = -p xdist.plugin -p pytest_timeout -p no:cacheprovider\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # loading hypothesis takes a second
    return Suite(tmp_path, tmp_path / "build" / "unsteady")


class InOneProcess(Suite):
    """A suite without workers, whose starts take most of the time of few tests."""

    def run(self, arguments: list[str], *, seconds: float = 0) -> tuple[bool, Outcomes]:
        return super().run(["--numprocesses=0", *arguments], seconds=seconds)


def write(suite: Suite, text: str) -> None:
    """Let *text* be the tests of the suite."""
    (suite.root / "test_some.py").write_text(text)


def run(suite: Suite, *arguments: str, seconds: float = 0) -> tuple[bool, Outcomes]:
    """Run the tests of the suite, in one process unless *arguments* say otherwise."""
    return suite.run(["--numprocesses=0", *arguments], seconds=seconds)


def test_a_test_that_passes_alone_is_unsteady_and_the_run_is_green(suite: Suite) -> None:
    write(suite, NOW_AND_THEN)
    is_well, found = run(suite, "--numprocesses=1")
    assert is_well
    named = {each.test.partition("::test_")[2]: each for each in suite.unsteady}
    assert set(named) == {"now_and_then[a [b]::c]", "with_a_cause", "with_a_fixture"}
    assert all(each.seconds > 0 and each.alone > 0 for each in suite.unsteady)
    assert [each.cause for each in suite.unsteady if each.cause] == ["the weather"]
    assert found.long == ("test_some.py::test_slowly",)
    assert len(found.tests) == 4
    assert found.slowest(1)[0].endswith(max(found.tests, key=lambda each: each.seconds).test)


def test_the_second_time_an_unsteady_test_is_red_unless_it_names_its_cause(
    suite: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    write(suite, NOW_AND_THEN)
    run(suite)
    suite.report()
    said = capsys.readouterr().out
    assert "alone" in said
    assert "its cause: the weather" in said
    assert "second time" not in said
    (suite.root / "twice").unlink()
    assert run(Suite(suite.root, suite.remembered))[0]
    (suite.root / "once").unlink()
    again = Suite(suite.root, suite.remembered)
    assert not run(again)[0]
    again.report()
    assert "unsteady for the second time: mend it" in capsys.readouterr().out
    lines = (suite.root / "build/unsteady").read_text().splitlines()
    assert [line.split(maxsplit=4)[4].rpartition("::")[2] for line in lines] == [
        *("c]", "test_with_a_cause", "test_with_a_fixture", "c]")
    ]


def test_the_list_is_printed_when_it_is_empty(suite: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    suite.report()
    assert capsys.readouterr().out == "== unsteady: none\n"
    assert (suite.root / "build/unsteady").read_text() == ""


def test_a_test_that_fails_again_is_red(suite: Suite) -> None:
    write(suite, NEVER)
    is_well, found = run(suite)
    assert not is_well
    assert not suite.unsteady
    assert [each.test for each in found.failed] == ["test_some.py::test_never"]


@pytest.mark.parametrize(
    "count", [pytest.param(outcomes.AT_MOST, marks=pytest.mark.long), outcomes.AT_MOST + 1]
)
def test_more_than_ten_failures_are_not_run_again(
    suite: Suite, count: int, capfd: pytest.CaptureFixture[str]
) -> None:
    test = NOW_AND_THEN.split("@pytest.mark.unsteady")[0].replace('["a [b]::c"]', f"range({count})")
    write(suite, test.replace('"once"', 'f"once-{word}"'))
    is_well, _ = run(suite)
    assert is_well == (count == outcomes.AT_MOST)
    assert capfd.readouterr().out.count("once more, alone") == (count if is_well else 0)


@pytest.mark.parametrize(
    ("broken", "workers"),
    [("import nothing_of_this_name\n", 0), ("def test_ends():\n    import os\n    os._exit(3)\n", 1)],
)
def test_a_file_that_cannot_be_read_and_a_test_that_ends_python_are_red(
    suite: Suite, broken: str, workers: int
) -> None:
    write(suite, broken)
    assert not run(suite, f"--numprocesses={workers}")[0]


def test_a_run_that_stops_at_a_failure_is_red(suite: Suite) -> None:
    write(suite, NOW_AND_THEN)
    assert not run(suite, "-x")[0]


def test_what_is_not_done_in_the_time_is_left_without_a_failure(suite: Suite) -> None:
    write(suite, WAITING)
    is_well, found = run(suite, "--numprocesses=1", seconds=2)
    assert is_well
    assert [each.is_skipped for each in found.tests] == [False, True, True, True]
    assert not found.failed


def test_all_long_tests_come_round_and_the_day_decides() -> None:
    long = [f"tests/test_{file}.py::test_it" for file in range(200)]
    many = tuple([*long, *(f"tests/test_200.py::test_it[{number}]" for number in range(5))])
    day = date(2026, 11, 28)
    days = [checks.drawn(many, day + timedelta(number)) for number in range(17 * 5)]
    assert days[0] == checks.drawn(many[::-1], day)
    assert set(days[0]).isdisjoint(days[1])
    assert all(len(chosen) == checks.DRAWN_A_DAY for chosen in days)
    assert {test for chosen in days[:17] for test in chosen} >= set(long)
    assert {test for chosen in days for test in chosen} == set(many)
    assert checks.drawn((), day) == []
    assert checks.drawn(many[:3], day) != []


def test_a_failure_of_a_drawn_test_says_how_to_repeat_it(
    suite: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    (suite.root / "conftest.py").write_text(
        'def pytest_addoption(parser): parser.addoption("--long", action="store_true")\n'
    )
    write(suite, NEVER)
    assert not InOneProcess(suite.root, suite.remembered).run_drawn(
        ("test_some.py::test_never",), date(2026, 11, 28)
    )
    assert "repeat it with: python3 check.py --long test_some.py::test_never\n" in capsys.readouterr().out


def test_programs_that_tests_start_find_their_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    code = "import sys; print(sys.dont_write_bytecode)"
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env=checks.tests_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == "False\n"
    assert checks.tests_environment()["PATH"] == os.environ["PATH"]


def test_each_check_is_reported_with_its_duration() -> None:
    code, said, seconds = checks.read([sys.executable, "-c", "print('well')"])
    assert (code, said) == (0, "well\n")
    assert 0 < seconds < 60


def test_slowest_tests_come_first_and_without_a_report_none() -> None:
    found = Outcomes((Outcome("a", 1), Outcome("b", 2.04)))
    assert found.slowest() == ["    2.0 s  b", "    1.0 s  a"]
    assert Outcomes().slowest() == []
