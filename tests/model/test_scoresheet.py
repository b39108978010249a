# SPDX-License-Identifier: Apache-2.0
"""Whole games as text: read back to the same, or refused with the place of the fault."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.games import find
from companion.model.errors import NotationError
from companion.model.game import Outcome
from companion.model.scoresheet import Result, Scoresheet, Stand, positions, read, scoresheet, write

RULES = find("close-quarters").rules()
TEXT = """companion record 1
game: close-quarters
option: sword=one-or-two
tag: place=Club evening
start: A2P/4/4/4/4/4/4/S2M s 0

1. a1-a2 | d8-d7
2. a2-b3
stand: A3/3P/4/4/4/1S2/4/3M s 0
3. b3-b4
result: weapons, resignation
"""
SHEET = Scoresheet(
    "close-quarters",
    (("sword", "one-or-two"),),
    (("place", "Club evening"),),
    "A2P/4/4/4/4/4/4/S2M s 0",
    ("a1-a2", "d8-d7", "a2-b3", Stand("A3/3P/4/4/4/1S2/4/3M s 0"), "b3-b4"),
    Result(("weapons",), "resignation"),
)


def test_a_record_is_written_round_by_round_and_read_back() -> None:
    assert write(SHEET, sides=2) == TEXT
    assert read(TEXT) == SHEET


def test_the_positions_of_a_record_are_played_again() -> None:
    texts = [RULES.write_position(position) for position in positions(RULES, SHEET)]
    assert texts[0] == SHEET.start
    assert texts[-2:] == ["A3/3P/4/4/4/1S2/4/3M s 0", "A3/3P/4/4/1S2/4/4/3M w 0"]


def test_moves_and_outcome_become_a_record() -> None:
    start = RULES.initial()
    move = RULES.read_move(start, "a1-b2")
    sheet = scoresheet(RULES, start, [move], Outcome((), "agreement", (3, -1)), {"round": "1"})
    assert (sheet.game, sheet.entries, sheet.tags) == ("close-quarters", ("a1-b2",), (("round", "1"),))
    assert dict(sheet.options) == dict(RULES.options)
    assert write(sheet, sides=2).endswith("\n1. a1-b2\nresult: nobody, agreement, 3 -1\n")
    assert read(write(sheet, sides=2)) == sheet


words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6)
entries = st.lists(st.one_of(words.map(lambda word: f"{word}-{word}"), words.map(Stand)))
results = st.none() | st.builds(
    Result,
    st.lists(words.filter(lambda word: word != "nobody")).map(tuple),
    words,
    st.lists(st.integers()).map(tuple),
)


@given(entries, results, st.dictionaries(words, words), st.integers(2, 6))
def test_any_record_is_read_back(
    played: list[str | Stand], result: Result | None, tags: dict[str, str], sides: int
) -> None:
    sheet = dataclasses.replace(SHEET, entries=tuple(played), result=result, tags=tuple(tags.items()))
    assert read(write(sheet, sides)) == sheet


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "its first line must be 'companion record 1'"),
        (TEXT.replace("game: close-quarters\n", ""), "needs a game and a start"),
        (
            TEXT.replace("tag:", "note:"),
            "line 4 of a game record says nothing known: 'note: place=Club evening'",
        ),
        (TEXT.replace(", resignation", ""), "'weapons' is no result"),
        (TEXT.replace("resignation", "resignation, many"), "is no result"),
    ],
)
def test_a_text_that_is_no_record_is_refused(text: str, why: str) -> None:
    with pytest.raises(NotationError, match=why):
        read(text)


def test_an_illegal_move_in_a_record_is_named_with_its_ply() -> None:
    with pytest.raises(NotationError, match="ply 2: 'd8-c6' is no legal move"):
        positions(RULES, read(TEXT.replace("d8-d7", "d8-c6")))
