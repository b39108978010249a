# SPDX-License-Identifier: Apache-2.0
"""The codec: values are read back; invalid data are named with their place."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.host.codec import Inline, decode, encode
from companion.host.hall.core.wire import Done
from companion.host.text.error_translation import translate
from companion.model.game import Announcement, Outcome, Violation
from companion.model.observation import Difference, Observation
from companion.model.phrase import Phrase
from companion.referee.values.commands import Command
from companion.referee.values.events import Event, GameEnded, IllegalSeen, Level


def through_json(hint: Any, value: Any) -> Any:
    """*value* after writing it as a line of JSON and reading it back."""
    return decode(hint, json.loads(json.dumps(encode(hint, value))))


@pytest.mark.parametrize("kind", [Event, Command, Observation, Difference, Violation, Announcement, Outcome])
def test_every_journal_entry_is_read_back_unchanged(kind: Any) -> None:
    @given(st.from_type(kind))
    def holds(value: Any) -> None:
        assert through_json(kind, value) == value

    holds()


def test_numbers_words_and_pieces_in_a_violation_keep_their_types() -> None:
    from companion.model.pieces import Piece

    violation = Violation.of("row-limit", 4, limit=8, cell="8", piece=Piece("mace", 1))
    assert through_json(Violation, violation) == violation


def test_a_phrase_is_written_with_its_values_and_older_text_unchanged() -> None:
    reason = Phrase("table {table}: {reason}", table=3, reason=Phrase("log in first"))
    written = encode(Done, Done("o1", reason))
    assert written["fault"] == {
        "message": "table {table}: {reason}",
        "args": {"table": 3, "reason": {"message": "log in first", "args": {}}},
    }
    back = through_json(Done, Done("o1", reason)).fault
    assert isinstance(back, Phrase)
    assert (back.template, back.values) == (reason.template, reason.values)
    assert encode(Done, Done("o1", "in words")) == {"order": "o1", "fault": "in words"}
    assert type(decode(Done, {"order": "o1", "fault": "in words"}).fault) is str
    assert encode(Done, Done("o1")) == {"order": "o1"}


def test_defaults_are_left_out_so_that_lines_stay_short() -> None:
    assert encode(Difference, Difference((1,), ())) == {"emptied": [1], "filled": []}


@dataclass(frozen=True)
class Inner:
    """Fields of its holder's object."""

    name: str
    words: tuple[str, ...] = ()
    size: int = 0
    place: str = ""
    secret: int = 0


@dataclass(frozen=True)
class Holder:
    """Holds an `Inner`, and a field with the name of one that is left out."""

    stored_first: ClassVar[tuple[str, ...]] = ("name", "number")

    number: int
    inner: Annotated[Inner, Inline({"place": "at"}, frozenset({"secret"}), frozenset({"words"}))]
    secret: int = 0


@dataclass(frozen=True)
class Outer:
    """Holds a holder."""

    holder: Annotated[Holder, Inline({"number": "count"})]


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (Holder(1, Inner("a")), {"name": "a", "number": 1, "words": []}),
        (
            Holder(1, Inner("a", ("b",), 2, "c"), 3),
            {"name": "a", "number": 1, "words": ["b"], "size": 2, "at": "c", "secret": 3},
        ),
        (Outer(Holder(1, Inner("a", place="c"))), {"name": "a", "count": 1, "words": [], "at": "c"}),
    ],
)
def test_inline_fields_are_keys_of_the_holder_in_its_order(value: Any, data: dict[str, Any]) -> None:
    assert json.dumps(encode(type(value), value)) == json.dumps(data)
    assert through_json(type(value), value) == value
    member = through_json(Holder | Outer | Done, value)
    assert member == value
    assert encode(Holder, Holder(1, Inner("a", secret=4))) == {"name": "a", "number": 1, "words": []}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"name": "a", "words": []}, "must be Holder with number"),
        ({"name": "a", "number": 1}, "must be Holder with words"),
        ({"name": "a", "number": 1, "words": [], "place": "c"}, "must be Holder without place"),
        ({"name": "a", "number": 1, "words": [], "inner": {}}, "must be Holder without inner"),
        ({"name": "a", "number": 1, "words": [2]}, ".words[0]: must be of type str"),
    ],
)
def test_inline_fields_that_do_not_fit_are_named_as_those_of_the_holder(
    data: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        decode(Holder, data)


def test_an_error_can_be_translated() -> None:
    with pytest.raises(ValueError, match="must be one of hint, completed") as caught:
        decode(tuple[Level, ...], ["terrible"])
    assert translate(str(caught.value), "de") == "[0]: muss eines von hint, completed sein, nicht 'terrible'"


@pytest.mark.parametrize(
    ("hint", "data", "words"),
    [
        (Event, {"is": "GameLost", "at_ms": 1}, "must be one of GameBegan, MoveMade"),
        (Event, {"is": "IllegalMended"}, "with at_ms"),
        (Event, {"is": "IllegalMended", "at_ms": 1, "by": 2}, "without by"),
        (Event, {"is": "IllegalMended", "at_ms": "1"}, ".at_ms: must be of type int"),
        (GameEnded, {"at_ms": 1, "outcome": {"winners": ["a"], "termination": "x"}}, ".outcome.winners[0]"),
        (Level, "terrible", "must be one of hint, completed"),
        (IllegalSeen, 7, "must be an object"),
        (tuple[int, int], [1], "an array of 2"),
        (Done, {"order": "o1", "fault": {"message": "{a}"}}, ".fault: must be text, or an object"),
    ],
)
def test_an_error_names_the_invalid_value(hint: Any, data: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("[", r"\[").replace(".", r"\.")):
        decode(hint, data)
