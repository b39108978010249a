# SPDX-License-Identifier: Apache-2.0
"""The table of costs is read strictly."""

from __future__ import annotations

from importlib import resources

import pytest

from companion.referee.tracker.costs import DEFAULT, Costs, Steps

TEXT = (resources.files("companion.referee.tracker") / "costs.toml").read_text("utf-8")


def test_a_duration_costs_what_its_row_says() -> None:
    steps = Steps((100, 200), (3.0, 2.0, 1.0))
    assert [steps.at(ms) for ms in (0, 99, 100, 199, 200, 10_000)] == [3.0, 3.0, 2.0, 2.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "steps", [DEFAULT.reply, DEFAULT.pause, DEFAULT.hold, DEFAULT.belated, DEFAULT.twice]
)
def test_the_limits_of_durations_ascend(steps: Steps) -> None:
    assert list(steps.until_ms) == sorted(set(steps.until_ms))


def test_what_is_quicker_than_people_costs_more_as_a_reply_and_less_as_a_pause() -> None:
    assert list(DEFAULT.reply.nats) == sorted(DEFAULT.reply.nats, reverse=True)
    assert list(DEFAULT.pause.nats) == sorted(DEFAULT.pause.nats)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("base = 3.0", "", "ply_base"),
        ("base = 3.0", "base = 3.0\nbaze = 1.0", "ply_baze"),
        ("nats = [1.0, 6.0]", "nats = [1.0]", "twice"),
    ],
)
def test_a_table_that_lacks_something_or_has_too_much_is_refused_by_name(
    old: str, new: str, named: str
) -> None:
    assert old in TEXT
    with pytest.raises(ValueError, match=named):
        Costs.read(TEXT.replace(old, new))
