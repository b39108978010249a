# SPDX-License-Identifier: Apache-2.0
"""Messages are English sentences that keep their template and values.

Copies and serialised messages keep them, too.
"""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.model.errors import NotationError, OptionError, SettingsError
from companion.model.phrase import Phrase, as_data, from_data, gaps

REASON = Phrase("there is no {name!r}; there are {known}", name="red", known=("blue", "green"))
WHOLE = Phrase("line {line}: {reason} ({share:.1f})", line=3, reason=REASON, share=0.25)


def same(one: str, other: str) -> bool:
    """True if both are equal, including the template and values of each part."""
    if isinstance(one, Phrase) and isinstance(other, Phrase):
        parts = [(one.values[name], other.values.get(name)) for name in one.values]
        return one.template == other.template and all(
            same(left, right) if isinstance(left, str) and isinstance(right, str) else left == right
            for left, right in parts
        )
    return type(one) is type(other) and one == other


def test_a_message_is_its_english_sentence() -> None:
    assert WHOLE == "line 3: there is no 'red'; there are blue, green (0.2)"
    assert Phrase("{{x}} is {x}", x=1) == "{x} is 1"
    assert gaps("{{x}} is {x!r} or {y:.2f}") == {"x", "y"}


@pytest.mark.parametrize("template", ["{", "a } b", "{0}", "{a.b}", "{a[0]}", "{x:>999999}", "{X}"])
def test_a_brace_without_a_gap_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match="brace"):
        gaps(template)


def test_a_gap_without_value_is_refused() -> None:
    with pytest.raises(KeyError):
        Phrase("{port} is gone")


def test_an_error_keeps_its_message_through_str_and_through_other_errors() -> None:
    inner = NotationError("{text!r} is not a move", text="h9")
    outer = SettingsError("line {line}: {reason}", line=2, reason=inner)
    assert str(outer) == "line 2: 'h9' is not a move"
    assert same(str(outer), Phrase("line {line}: {reason}", line=2, reason=inner.message))
    again = OptionError(str(outer), option="position", value="h9", allowed=())
    assert again.message is outer.message


def test_an_error_keeps_only_the_values_that_its_message_names() -> None:
    fault = OptionError("there is no option {option!r}", option="size", value="9", allowed=("4", "8"))
    assert fault.message.values == {"option": "size"}
    assert (fault.value, fault.allowed) == ("9", ("4", "8"))


@pytest.mark.parametrize("message", [REASON, WHOLE, Phrase("plain")])
def test_a_message_survives_pickle_copy_and_json(message: Phrase) -> None:
    assert same(pickle.loads(pickle.dumps(message)), message)
    assert same(copy.deepcopy(message), message)
    assert same(from_data(json.loads(json.dumps(as_data(message)))), message)


def test_plain_text_is_written_unchanged() -> None:
    assert as_data("as an old journal says {it}") == "as an old journal says {it}"
    assert same(from_data("as an old journal says {it}"), "as an old journal says {it}")


def nested(depth: int) -> Any:
    """A message whose length doubles with each of *depth* steps."""
    data: Any = "ten letters"
    for _ in range(depth):
        data = {"message": "{a}{a}", "args": {"a": data}}
    return data


@pytest.mark.parametrize(
    "data",
    [
        None,
        3,
        [],
        {"message": 3},
        {"message": "{a}"},
        {"message": "{a.__class__}", "args": {"a": "x"}},
        {"message": "x", "args": []},
        {"message": "x", "args": {"a": None}},
        {"message": "x", "args": {"a": True}},
        {"message": "x", "more": 1},
        nested(40),
    ],
)
def test_invalid_message_data_are_refused(data: Any) -> None:
    with pytest.raises(ValueError, match=r"message|brace"):
        from_data(data)


@given(
    st.recursive(
        st.text() | st.integers() | st.none(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["message", "args", "a"]) | st.text(), inner)
        ),
    )
)
def test_any_data_are_decoded_as_text_or_refused(data: Any) -> None:
    try:
        text = from_data(data)
    except ValueError:
        return
    assert from_data(as_data(text)) == text
