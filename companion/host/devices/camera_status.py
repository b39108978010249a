# SPDX-License-Identifier: Apache-2.0
"""Status values of a table's camera. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from typing import Final

from companion.feedback.template import fill
from companion.feedback.word_tables import Common
from companion.model.errors import Outage
from companion.model.grid import Cell
from companion.model.observation import Observation
from companion.sensing.problems import NO_BOARD, NOT_IN_PICTURE, CameraProblem

_NAME: Final = re.compile(r"([A-Za-z]+)([0-9]+)")
"""Name of a cell in a column and a row."""
_BLINDING: Final = frozenset({CameraProblem.TOO_DARK, CameraProblem.TOO_BRIGHT})
"""Problems for which no board is found: they are named instead."""
_MANY: Final = 3
"""Smallest rectangle of cells that is named by two corners."""


class CameraState(StrEnum):
    """State of a camera."""

    OPENING = "opening"
    WATCHING = "watching"
    LOST = "lost"
    REFUSED = "refused"
    """It is another camera, or has another image size, than its profile."""
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class CameraStatus:
    """Status of a camera, with the reason."""

    state: CameraState = CameraState.OPENING
    outage: Outage | None = None
    """Why there are no images."""
    text: str = ""
    """The reason with all details, for the terminal."""
    troubles: frozenset[CameraProblem] = frozenset()
    places: Mapping[CameraProblem, tuple[Cell, ...]] = field(default_factory=dict)
    """The affected cells of some problems."""
    board: str = ""
    """The name of the other board that lies there, if it is known."""

    @property
    def is_well(self) -> bool:
        """True if the game is seen."""
        return self.state is CameraState.WATCHING and not self.troubles & NO_BOARD

    @property
    def is_shown(self) -> bool:
        """True if the camera's picture shows what is wrong."""
        return bool(self.troubles - NOT_IN_PICTURE)

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the word keys of all problems, worst first; otherwise that of the state."""
        wrong = [] if self.outage is None else [self.outage.value]
        explained = {CameraProblem.BOARD_NOT_FOUND} if self.troubles & _BLINDING else set()
        wrong += [each.value for each in CameraProblem if each in self.troubles - explained]
        return tuple(wrong) or (self.state.value,)

    def sentences(self, words: Common, names: Sequence[str]) -> list[str]:
        """Return the problems in *words*, with the *names* of the camera's cells."""
        language = words.language
        cells = {trouble.value: spans([names[cell] for cell in at]) for trouble, at in self.places.items()}
        listed = {key: language.comma.join(cells.get(key, ())) for key in self.keys}
        return [
            fill(words.camera[key], {"cells": at, "board": self.board}, language)
            for key, at in listed.items()
        ]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Return the affected cells of all problems."""
        return tuple(sorted({cell for cells in self.places.values() for cell in cells}))


def spans(names: Sequence[str]) -> list[str]:
    """Name cells, larger rectangles as one span.

    >>> spans(["C4", "D4", "E4", "C5", "D5", "E5", "A1", "F5", "B1"])
    ['C4–E5', 'A1', 'F5', 'B1']
    """
    at = {name: (_column(match[1]), int(match[2])) for name in names if (match := _NAME.fullmatch(name))}
    called, ranges, left = {place: name for name, place in at.items()}, list[str](), dict.fromkeys(names)
    while left:
        first = next(iter(left))
        del left[first]
        if first not in at:
            ranges.append(first)
            continue
        rectangle = _rectangle(at[first], {at[name] for name in left if name in at} | {at[first]})
        if len(rectangle) < _MANY:
            ranges.append(first)
            continue
        ranges.append(f"{called[rectangle[0]]}–{called[rectangle[-1]]}")
        for place in rectangle:
            left.pop(called[place], None)
    return ranges


def _rectangle(start: tuple[int, int], places: Set[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a rectangle of *places* (column, row) around *start*, widened sideways first."""
    column, row = start
    left = right = column
    while (left - 1, row) in places:
        left -= 1
    while (right + 1, row) in places:
        right += 1
    low = high = row
    while all((each, low - 1) in places for each in range(left, right + 1)):
        low -= 1
    while all((each, high + 1) in places for each in range(left, right + 1)):
        high += 1
    return [(each, line) for line in range(low, high + 1) for each in range(left, right + 1)]


def _column(letters: str) -> int:
    """Return the number of the column *letters*: 26 for Z, 27 for AA."""
    return reduce(lambda number, letter: number * 26 + ord(letter) - 96, letters.lower(), 0)


@dataclass(frozen=True, slots=True)
class ImageResult:
    """Result of an image, or of the lack of one."""

    at_ms: int
    status: CameraStatus
    observation: Observation | None = None
    """None without an image, or without news in it."""
