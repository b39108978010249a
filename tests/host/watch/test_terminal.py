# SPDX-License-Identifier: Apache-2.0
"""Watching a kept game in the terminal: playback, steps, jumps, and the scenes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.feedback.screen import Size
from companion.feedback.words import load
from companion.host.records.records import rules_of
from companion.host.watch.terminal import FASTEST_S, SLOWEST_S, GameReplay, Playback
from companion.model.notation import GameRecord

RECORD = GameRecord(
    "close-quarters",
    moves=("a1-b2", "d8-b8", "b2-c3", "b8-b2", "c3-b2", "d1-b2"),
    result="weapons: sword-eliminated",
)


def replay(language: str = "en") -> GameReplay:
    return GameReplay.of(RECORD, load(language, RECORD.game, rules_of(RECORD).sides))


@pytest.mark.parametrize(
    ("before", "typed", "after"),
    [
        (Playback(6), "", Playback(6, 0, False)),
        (Playback(6, 2, False), "", Playback(6, 3, False)),
        (Playback(6, 6, False), "n", Playback(6, 6, False)),
        (Playback(6, 2), "b", Playback(6, 1, False)),
        (Playback(6, 0), "b", Playback(6, 0, False)),
        (Playback(6, 2, False), "p", Playback(6, 2, True)),
        (Playback(6, 6, False), "p", Playback(6, 0, True)),
        (Playback(6, 2), "5", Playback(6, 5, False)),
        (Playback(6, 2), "99", Playback(6, 6, False)),
        (Playback(6, 2, seconds=1), "+", Playback(6, 2, seconds=0.5)),
        (Playback(6, 2, seconds=1), "-", Playback(6, 2, seconds=2)),
        (Playback(6, 2), "what?", Playback(6, 2)),
        (Playback(6, 2), " Q ", None),
    ],
)
def test_typed_commands_control_the_playback(before: Playback, typed: str, after: Playback | None) -> None:
    assert before.typed(typed) == after


def test_the_playback_stops_at_the_end() -> None:
    playback = Playback(2)
    seen = [playback := playback.ticked() for _ in range(4)]
    assert [(each.at, each.is_playing) for each in seen] == [(1, True), (2, False), (2, False), (2, False)]


@given(st.lists(st.sampled_from(["", "n", "b", "p", "+", "-", "3", "77", "x", "tick"]), max_size=30))
def test_the_playback_stays_within_the_film(typed: list[str]) -> None:
    playback = Playback(5)
    for line in typed:
        following = playback.ticked() if line == "tick" else playback.typed(line)
        assert following is not None
        playback = following
        assert 0 <= playback.at <= playback.last
        assert FASTEST_S <= playback.seconds <= SLOWEST_S


def test_a_scene_shows_the_changes_and_the_last_one_the_result() -> None:
    assert [line.plain.rstrip() for line in replay().picture(4)] == [
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
    assert replay().picture(6)[-1].plain == "The weapons win: the Sword is eliminated."


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_screen_shows_the_current_ply_and_the_commands(language: str) -> None:
    lines = [line.plain for line in replay(language).screen(Playback(6, 4, seconds=0.5), Size(80, 23))]
    assert len(lines) <= 23
    assert lines[10] == "▶ 4/6 · 0.5 s"
    assert lines[11].startswith("Enter: ")


def test_an_unfinished_game_is_marked() -> None:
    unfinished = GameRecord("close-quarters", moves=("a1-b2",))
    words = load("en", RECORD.game, rules_of(RECORD).sides)
    assert GameReplay.of(unfinished, words).picture(1)[-1].plain == "*"
