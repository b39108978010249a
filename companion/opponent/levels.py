# SPDX-License-Identifier: Apache-2.0
"""The levels of the computer as an opponent, as `levels.toml` has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from companion.model.absent import PlayedBy
from companion.model.errors import UnknownName
from companion.model.pieces import Side
from companion.model.toml import build, parse

_FILE: Final = "levels.toml"
_OTHER: Final = "other"
USUAL_LEVEL: Final = 3
"""Number of the level that is played where none is chosen; every game has it."""


@dataclass(frozen=True, slots=True)
class Level:
    """How strong an opponent is."""

    number: int
    """From 1."""
    slug: str
    nodes: int
    """Positions looked at before a move."""
    depth: int = 0
    """Plies looked ahead; 0 for any number."""
    noise: int = 0
    """Standard deviation of the error of a value."""
    overlooked: int = 0
    """Percentage of its moves at which it sees no reply of the other side."""
    is_exact: bool = False
    """True if it plays by the tablebase, where there is one."""
    elo: int = 0
    """Strength asked of an engine of the game; 0 without one."""


@dataclass(frozen=True, slots=True)
class _Steps:
    """The levels of a game, as the file has them."""

    nodes: tuple[int, ...]
    depth: tuple[int, ...]
    noise: tuple[int, ...]
    overlooked: tuple[int, ...]
    is_exact: tuple[bool, ...] = ()
    elo: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Levels:
    """Content of the file."""

    names: Mapping[str, tuple[str, ...]]
    games: Mapping[str, _Steps]


@cache
def _content() -> _Levels:
    """The file of the levels."""
    text = resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    return build(_Levels, parse(text, _FILE), _FILE)


def names(language: str) -> tuple[str, ...]:
    """The names of all levels in *language*, in English where it has none."""
    found = _content().names
    return found.get(language, found["en"])


def levels(slug: str) -> tuple[Level, ...]:
    """The levels of the game *slug*, the weakest first."""
    games = _content().games
    steps = games.get(slug, games[_OTHER])
    exact = steps.is_exact or (False,) * len(steps.nodes)
    elo = steps.elo or (0,) * len(steps.nodes)
    rows = zip(steps.nodes, steps.depth, steps.noise, steps.overlooked, exact, elo, strict=True)
    return tuple(Level(number, names("en")[number - 1].lower(), *row) for number, row in enumerate(rows, 1))


def find_level(slug: str, text: str) -> Level:
    """The level of the game *slug* with the number or name *text*. Raises `UnknownName`."""
    found = levels(slug)
    for level in found:
        if text.lower() in (str(level.number), level.slug):
            return level
    raise UnknownName(
        "there is no level {name!r}; there are 1 to {count} and {known}",
        name=text,
        count=len(found),
        known=tuple(level.slug for level in found),
    )


def levels_by_side(played_by: Sequence[PlayedBy], chosen: Sequence[int]) -> tuple[int, ...]:
    """The level of each side, as *chosen*; 0 for a side of people.

    >>> levels_by_side([PlayedBy.TABLE, PlayedBy.COMPUTER], [])
    (0, 3)
    """
    numbers = [*chosen, *[0] * (len(played_by) - len(chosen))]
    return tuple(
        (number or USUAL_LEVEL) if by is PlayedBy.COMPUTER else 0
        for by, number in zip(played_by, numbers, strict=False)
    )


def with_level(levels: tuple[int, ...], level: int, side: Side | None = None) -> tuple[int, ...]:
    """*levels* by side with *level* on *side*, or on every side of the computer.

    >>> with_level((0, 3, 3), 5), with_level((0, 3, 3), 5, 2), with_level((0, 3, 3), 5, 0)
    ((0, 5, 5), (0, 3, 5), (0, 3, 3))
    """
    return tuple(
        level if before and side in (None, number) else before for number, before in enumerate(levels)
    )
