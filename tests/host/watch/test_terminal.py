# SPDX-License-Identifier: Apache-2.0
"""Watching a kept game in the terminal: playback, steps, jumps, and the scenes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.feedback.screen import Size
from companion.feedback.words import load
from companion.host.records.records import rules_of
from companion.host.watch.terminal import FASTEST_S, SLOWEST_S, Film, Reel
from companion.model.notation import GameRecord

RECORD = GameRecord(
    "close-quarters",
    moves=("a1-b2", "d8-b8", "b2-c3", "b8-b2", "c3-b2", "d1-b2"),
    result="weapons: sword-eliminated",
)


def film(language: str = "en") -> Film:
    return Film.of(RECORD, load(language, RECORD.game, rules_of(RECORD).sides))


@pytest.mark.parametrize(
    ("before", "typed", "after"),
    [
        (Reel(6), "", Reel(6, 0, False)),
        (Reel(6, 2, False), "", Reel(6, 3, False)),
        (Reel(6, 6, False), "n", Reel(6, 6, False)),
        (Reel(6, 2), "b", Reel(6, 1, False)),
        (Reel(6, 0), "b", Reel(6, 0, False)),
        (Reel(6, 2, False), "p", Reel(6, 2, True)),
        (Reel(6, 6, False), "p", Reel(6, 0, True)),
        (Reel(6, 2), "5", Reel(6, 5, False)),
        (Reel(6, 2), "99", Reel(6, 6, False)),
        (Reel(6, 2, seconds=1), "+", Reel(6, 2, seconds=0.5)),
        (Reel(6, 2, seconds=1), "-", Reel(6, 2, seconds=2)),
        (Reel(6, 2), "what?", Reel(6, 2)),
        (Reel(6, 2), " Q ", None),
    ],
)
def test_typed_commands_control_the_playback(before: Reel, typed: str, after: Reel | None) -> None:
    assert before.typed(typed) == after


def test_the_playback_stops_at_the_end() -> None:
    reel = Reel(2)
    seen = [reel := reel.ticked() for _ in range(4)]
    assert [(each.at, each.is_playing) for each in seen] == [(1, True), (2, False), (2, False), (2, False)]


@given(st.lists(st.sampled_from(["", "n", "b", "p", "+", "-", "3", "77", "x", "tick"]), max_size=30))
def test_the_playback_stays_within_the_film(typed: list[str]) -> None:
    reel = Reel(5)
    for line in typed:
        following = reel.ticked() if line == "tick" else reel.typed(line)
        assert following is not None
        reel = following
        assert 0 <= reel.at <= reel.last
        assert FASTEST_S <= reel.seconds <= SLOWEST_S


def test_a_scene_shows_the_changes_and_the_last_one_the_result() -> None:
    assert [line.plain.rstrip() for line in film().picture(4)] == [
        " 8  ax-·  ·  ·",
        " 7  ·  ·  ·  ·",
        " 6  ·  ·  ·  ·",
        " 5  ·  ·  ·  ·",
        " 4  ·  ·  ·  ·",
        " 3  ·  ·  SW ·",
        " 2  · =sp ·  ·",
        " 1  ·  ·  ·  ma",
        "    a  b  c  d",
        "2… b8-b2",
    ]
    assert film().picture(6)[-1].plain == "The weapons win: the Sword is eliminated."


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_screen_shows_the_current_ply_and_the_commands(language: str) -> None:
    lines = [line.plain for line in film(language).screen(Reel(6, 4, seconds=0.5), Size(80, 23))]
    assert len(lines) <= 23
    assert lines[10] == "▶ 4/6 · 0.5 s"
    assert lines[11].startswith("Enter: ")


def test_an_unfinished_game_is_marked() -> None:
    unfinished = GameRecord("close-quarters", moves=("a1-b2",))
    words = load("en", RECORD.game, rules_of(RECORD).sides)
    assert Film.of(unfinished, words).picture(1)[-1].plain == "*"
