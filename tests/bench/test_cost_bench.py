# SPDX-License-Identifier: Apache-2.0
"""What a table costs is judged by goal and limit."""

from __future__ import annotations

import json

import pytest

from tests.bench import cost
from tests.bench.against import AgainstFailed
from tests.bench.cost import FIGURES, NAMES, Figure, Row, measured, parser, report, sources_in, table
from tests.bench.cost_tables import Pair

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
        (Row(SPEED, 100), None, "NOT MEASURED"),
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
