# SPDX-License-Identifier: Apache-2.0
"""Keeps the last result of a function that is called often and seldom gives another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, TypeVarTuple

_Given = TypeVarTuple("_Given")
_T = TypeVar("_T")


class Memo(Generic[*_Given, _T]):
    """A pure function that gives the same object again while its arguments are equal.

    Unlike `functools.cache`, it compares its arguments and does not hash them: one that is the same
    object costs nothing.
    """

    __slots__ = ("_function", "_given", "_made")

    def __init__(self, function: Callable[[*_Given], _T]) -> None:
        self._function = function
        self._given: tuple[Any, ...] | None = None
        self._made: Any = None

    def __call__(self, *given: *_Given) -> _T:
        """Return the function's result for *given*."""
        if given != self._given:
            self._made = self._function(*given)
            self._given = given
        made: _T = self._made
        return made
