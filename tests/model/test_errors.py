# SPDX-License-Identifier: Apache-2.0
"""Errors cross processes with their message and attributes."""

from __future__ import annotations

import copy
import inspect
import pickle

import pytest

from companion.model import errors
from companion.model.errors import CompanionError, Outage
from companion.model.game import Violation
from companion.model.phrase import Phrase

KINDS = [
    kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, CompanionError)
]
"""Every class of the tree."""
VALUES = {
    "board": "red",
    "name": "xx",
    "known": ("de", "en"),
    "option": "clock",
    "value": "never",
    "allowed": ("5+3", "none"),
    "port": "/dev/ttyUSB0",
    "ours": "3",
    "theirs": "2",
    "expected": 64,
    "found": 60,
    "outage": Outage.BUSY,
    "text": "Ke9",
    "violation": Violation("leaves-check", ()),
}
"""A value for each parameter of their constructors."""


def made(kind: type[CompanionError]) -> CompanionError:
    """Return an error of *kind*, with a value for every parameter."""
    wanted = inspect.signature(kind).parameters
    given = {name: value for name, value in VALUES.items() if name in wanted}
    message = ["{cause} at {place!r}"] if "message" in wanted else []
    gaps = {"cause": "noise", "place": "a1"} if message else {}
    return kind(*message, **gaps, **given)


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_survives_pickling_and_copying(kind: type[CompanionError]) -> None:
    error = made(kind)
    error.add_note("seen in the printer")
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(other) is kind
        assert isinstance(other.message, Phrase)
        assert (other.message.template, other.message.values) == (
            error.message.template,
            error.message.values,
        )
        assert str(other) == str(error)
        assert vars(other) == vars(error)
