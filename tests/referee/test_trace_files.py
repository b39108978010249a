# SPDX-License-Identifier: Apache-2.0
"""Files of traces are read strictly, and a needless question fails a trace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from companion.model.observation import SensorKind
from tests.referee.trace_files import Trace, TraceError, all_traces
from tests.referee.trace_results import NotOfferedError, performed, right

FILE = """
about = "Pawns."

[[trace]]
name = "a pawn"
game = "chess"
trace = "e2- 400 e4+ 1500"
record = "e4"
"""
PROMOTION = Trace(
    name="a promotion",
    game="chess",
    position="4k3/P7/8/8/8/8/7P/4K3 w - - 0 1",
    trace="a7- 200 a8+ 1000 ? 1000",
    record="a8=R+",
    questions=("a8=R+",),
)


def test_a_trace_has_what_its_table_says(tmp_path: Path) -> None:
    (tmp_path / "pawns.toml").write_text(FILE, "utf-8")
    assert list(all_traces(tmp_path)) == [
        ("pawns", Trace(name="a pawn", game="chess", trace="e2- 400 e4+ 1500", record="e4"))
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('record = "e4"', 'record = "e4"\nretracted = "e3"', "pawns.toml: a pawn: unknown key 'retracted'"),
        ('record = "e4"', "", "pawns.toml: a pawn: the key 'record' is missing"),
        ('about = "Pawns."', "", "pawns.toml: 'about' is missing"),
        ('about = "Pawns."', 'about = "Pawns."\nname = "x"', "pawns.toml: unknown key 'name'"),
        ('name = "a pawn"', 'nome = "a pawn"', "pawns.toml: trace 1: unknown key 'nome'"),
        ('record = "e4"', 'record = ["e4"]', "pawns.toml: a pawn: record: "),
        ('record = "e4"', 'record = "e4"\nquestions = 1', "pawns.toml: a pawn: questions: "),
        ('record = "e4"', 'record = "e4"\noptions = { map = 1 }', "pawns.toml: a pawn: options: "),
        ('record = "e4"', 'record = "e4"\nsensor = "magnet"', "pawns.toml: a pawn: sensor: "),
        ('record = "e4"', 'record = "e4"\nlong = "yes"', "pawns.toml: a pawn: long: "),
        ("e4+ 1500", "e4+ e4* 1500", "pawns.toml: a pawn: 'e4[*]' is no word"),
        ("e4+ 1500", "(e4+ 1500", "pawns.toml: a pawn: '[(]e4[+]' is no word"),
        (
            "[[trace]]",
            FILE.partition("\n\n")[2] + "\n[[trace]]",
            "pawns.toml: a pawn: .* has a trace of this",
        ),
    ],
)
def test_a_file_that_is_not_as_it_should_be_is_refused_by_name(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in FILE
    (tmp_path / "pawns.toml").write_text(FILE.replace(old, new, 1), "utf-8")
    with pytest.raises(TraceError, match=said):
        list(all_traces(tmp_path))


def test_the_example_of_the_description_is_a_trace(tmp_path: Path) -> None:
    described = Path(__file__).with_name("traces").joinpath("README.md").read_text("utf-8")
    example = described.partition("```toml\n")[2].partition("```")[0]
    (tmp_path / "example.toml").write_text(f'about = "Kinds."\n{example}', "utf-8")
    ((_, trace),) = all_traces(tmp_path)
    assert performed(trace, SensorKind.OCCUPANCY) == right(trace)


@pytest.mark.parametrize("key", ["questions", "illegal", "offered", "spent", "events", "record"])
def test_a_trace_with_another_result_fails(key: str) -> None:
    other = {
        "questions": (),
        "illegal": ("pawn-shape",),
        "offered": frozenset({"a8=R+"}),
        "spent": "200",
        "events": ("announced a8=R+",),
        "record": "a8=N",
    }
    assert performed(PROMOTION, SensorKind.OCCUPANCY) == right(PROMOTION)
    changed = replace(PROMOTION, **{key: other[key]})  # type: ignore[arg-type]
    assert performed(changed, SensorKind.OCCUPANCY) != right(changed)


def test_an_answer_that_is_not_offered_fails_the_trace() -> None:
    with pytest.raises(NotOfferedError, match="'a8=K', ply 0, is not offered"):
        performed(replace(PROMOTION, record="a8=K"), SensorKind.OCCUPANCY)


def test_a_question_left_open_fails_the_trace() -> None:
    left = replace(PROMOTION, trace="a7- 200 a8+ 1000", record="a8=N", questions=("a8=N",))
    assert performed(left, SensorKind.OCCUPANCY) != right(left)
    known = replace(left, offered=frozenset({"a8=N", "a8=B", "a8=R+", "a8=Q+"}))
    assert performed(known, SensorKind.OCCUPANCY) == right(known)


def test_a_trace_allows_fewer_questions_but_no_other_ones() -> None:
    wanted = right(PROMOTION)
    less, more = wanted._replace(questions=()), wanted._replace(questions=("a8=R+", "Ke2"))
    assert less.differences(wanted) == ["questions: (), right is ('a8=R+',)"]
    assert less.differences(wanted, may_ask_less=True) == []
    assert more.differences(wanted, may_ask_less=True)
