# SPDX-License-Identifier: Apache-2.0
"""The table of costs is read strictly."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import resources

import pytest

from companion.model.errors import SettingsError
from companion.referee.inference.costs import DEFAULT, Costs, Steps
from companion.referee.values.timing import DEFAULT_TIMING

TEXT = (resources.files("companion.referee.inference") / "costs.toml").read_text("utf-8")


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
    ("old", "new", "reason"),
    [
        ("base = 3.0", "", r"key 'ply_base' is missing"),
        ("base = 3.0", "base = 3.0\nbaze = 1.0", r"unknown key 'ply\.baze'; known here: base, emptied"),
        ("base = 3.0", "base = -3.0", r"ply\.base must be a number of at least 0, not -3\.0"),
        ("base = 3.0", "base = inf", r"ply\.base must be a number"),
        ("base = 3.0", 'base = "3"', r"ply\.base must be of type float"),
        ("bounce_ms = 12", "bounce_ms = 1.5", r"piece\.bounce_ms must be of type int"),
        ("bounce_ms = 12", "bounce_ms = -1", r"piece\.bounce_ms must be a number of at least 0"),
        ("beam = 12", "beam = 0", r"decision\.beam must be a number of at least 1, not 0"),
        ("tries = 400", "tries = 0", r"unfollowed\.tries must be a number of at least 1"),
        ("nats = [1.0, 6.0]", "nats = [1.0]", r"twice\.nats must be an array of 2"),
        ("nats = [1.0, 6.0]", "nats = [1.0, true]", r"twice\.nats\[1\] must be of type float"),
        ("nats = [1.0, 6.0]", "nats = [1.0, -6.0]", r"twice\.nats\[1\] must be a number of at least 0"),
        ("until_ms = [1000]", "until_ms = [1000, 1000]", r"twice\.until_ms must be an array of ascending"),
        ("until_ms = [1000]", "until_ms = []", r"twice\.until_ms must be an array of ascending"),
        ("[ply]", "[ply_base]", r"ply_base must be of type float"),
        ("[ply]", "[plie]", r"unknown key 'plie'"),
        ("[ply]", "[ply", "not TOML"),
    ],
)
def test_a_wrong_table_is_refused_with_file_row_and_reason(old: str, new: str, reason: str) -> None:
    assert old in TEXT
    with pytest.raises(SettingsError, match=f"club.toml: .*{reason}"):
        Costs.read(TEXT.replace(old, new, 1), "club.toml")


def test_rows_that_are_left_out_are_those_of_the_usual_table() -> None:
    found = Costs.read("[piece]\nstop = 2\n[twice]\nnats = [2, 3]", "club.toml", DEFAULT)
    assert found == replace(DEFAULT, piece_stop=2.0, twice=Steps(DEFAULT.twice.until_ms, (2.0, 3.0)))


def test_the_rows_that_differ_from_the_default_give_the_table_again() -> None:
    assert DEFAULT.differences() == ()
    club = replace(DEFAULT, piece_stop=2.5, decision_beam=20, reply=Steps((10,), (1.0, 2.0)))
    assert [row for row, _ in club.differences()] == [
        "piece.stop",
        "reply.until_ms",
        "reply.nats",
        "decision.beam",
    ]
    assert Costs.differing(club.differences(), "costs") == club


def test_every_row_says_what_it_means_and_where_its_number_comes_from() -> None:
    table, found = "", set[str]()
    for line in TEXT.splitlines():
        if line.startswith("["):
            table = line[1 : line.index("]")]
        if line[:1].isalpha() or (
            line.startswith("[") and table in {"reply", "belated", "twice", "pause", "hold", "unfollowed"}
        ):
            key = line.split(" = ")[0] if line[0] != "[" else ""
            if key in {"until_ms", "nats"}:
                continue  # the heading says it
            assert re.search(r"# .{5,} \((estimate|sensor|rule|choice|fit)\)$", line), line
            found.add(f"{table}.{key}".rstrip("."))
    rows = {row.removesuffix(".until_ms").removesuffix(".nats") for row in DEFAULT.rows()}
    assert found == rows


def test_the_waits_of_the_settings_are_the_first_limits_of_a_rest() -> None:
    slow = replace(DEFAULT_TIMING, dwell_ms=2000, dwell_emptied_ms=2000)
    paced = DEFAULT.paced(slow)
    assert paced.hold.until_ms == (500, 2000, 2000, 2400, *DEFAULT.hold.until_ms[4:])
    assert paced.hold.at(1999) == DEFAULT.hold.at(699)
    assert DEFAULT.paced(DEFAULT_TIMING) == paced.paced(DEFAULT_TIMING) == DEFAULT
    longest = replace(DEFAULT_TIMING, longest_ms=60_000)
    assert [*DEFAULT.paced(longest).hold.until_ms][3:] == [60_000] * 3
    assert DEFAULT.paced(longest).unfollowed.until_ms == (60_000,)
    club = Costs.read("[unfollowed]\nuntil_ms = [2400, 5000]\nnats = [16, 12, 10]", "club.toml", DEFAULT)
    assert club.paced(longest).unfollowed.until_ms == (60_000, 60_000)
