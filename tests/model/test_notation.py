# SPDX-License-Identifier: Apache-2.0
"""Written game records are read back unchanged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.games import find
from companion.model.errors import NotationError
from companion.model.game import Outcome
from companion.model.notation import GameRecord, describe_outcome, read_record, replay, write_record

names = st.from_regex(r"\A[A-Z][A-Za-z0-9_-]{0,8}\Z").filter(
    lambda name: name not in ("Game", "Option", "Start", "Result", "Scores")
)
texts = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=20)
moves = st.from_regex(r"\A[a-h][1-8][-x][a-h][1-8][!#]?\Z")
records = st.builds(
    GameRecord,
    game=st.just("close-quarters"),
    options=st.dictionaries(st.from_regex(r"\A[a-z_]{1,9}\Z"), texts, max_size=3),
    start=texts,
    moves=st.lists(moves, max_size=9).map(tuple),
    tags=st.dictionaries(names, texts, max_size=3),
    result=texts,
    scores=st.lists(st.integers(-9, 99), max_size=4).map(tuple),
)


@given(records, st.integers(1, 6), st.data())
def test_a_written_record_is_read_back_unchanged(record: GameRecord, sides: int, data: st.DataObject) -> None:
    adopted = data.draw(st.dictionaries(st.integers(0, len(record.moves)), st.just("S3/4 s 0"), max_size=2))
    record = GameRecord(
        record.game,
        record.options,
        record.start,
        record.moves,
        adopted,
        record.tags,
        record.result,
        record.scores,
    )
    assert read_record(write_record(record, sides)) == record


def test_a_record_is_written_in_the_usual_notation() -> None:
    record = GameRecord(
        "close-quarters",
        {"sword": "king"},
        moves=("a1-a2", "d8-d7", "a2-a3"),
        adopted={2: "A2P/4/4/4/4/4/4/S2M s 0"},
        tags={"White": 'Ada "the Sword"'},
        result="sword: turn-limit",
    )
    assert write_record(record, 2) == (
        '[Game "close-quarters"]\n'
        '[Option "sword" "king"]\n'
        '[White "Ada \\"the Sword\\""]\n'
        '[Result "sword: turn-limit"]\n'
        "\n"
        "1. a1-a2 d8-d7\n"
        "2. {adopted: A2P/4/4/4/4/4/4/S2M s 0} a2-a3\n"
    )


def test_a_record_replays_to_its_positions() -> None:
    rules = find("close-quarters").rules()
    record = GameRecord("close-quarters", moves=("a1-a2", "d8-d7"), adopted={1: "A3/3P/4/4/4/4/4/S2M w 0"})
    with pytest.raises(NotationError, match="ply 1: 'd8-d7' is not a legal move"):
        list(replay(rules, record))
    record = GameRecord("close-quarters", moves=("a1-a2", "d7-d6"), adopted={1: "A3/3P/4/4/4/4/4/S2M w 0"})
    *_, (last, move) = replay(rules, record)
    assert (rules.write_position(last), move) == ("A3/4/3P/4/4/4/4/S2M s 0", "d7-d6")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1. a1-a2", r"\[Game"),
        ('[Game "x"]\n[Broken', "line 2: .* is not a tag"),
        ('[Game "x"]\n1. a1-a2 {a comment}', "line 2: '{' is not understood"),
        ('[Game "x"]\n[Scores "a b"]', "'a b' are not scores"),
    ],
)
def test_invalid_records_are_refused(text: str, says: str) -> None:
    with pytest.raises(NotationError, match=says):
        read_record(text)


def test_an_outcome_names_its_winners() -> None:
    sides = ("north", "east", "south")
    assert describe_outcome(None, sides) == "*"
    assert describe_outcome(Outcome((), "no-move"), sides) == "draw: no-move"
    assert describe_outcome(Outcome((0, 2), "empty-zone"), sides) == "north+south: empty-zone"
