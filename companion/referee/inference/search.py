# SPDX-License-Identifier: Apache-2.0
"""Searches that go in steps, between which others may have the processor."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeAlias, TypeVar

from companion.referee.inference.belief import Belief

Search: TypeAlias = Generator[None, None, Belief]
"""Returns the next belief at its end; each step takes some ms at most."""

_Found = TypeVar("_Found")


class Hurried(Exception):
    """Thrown into a search that is to end at its present step."""


def finished(steps: Generator[None, None, _Found]) -> _Found:
    """The result of *steps*, however long they take."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: _Found = end.value
            return found
