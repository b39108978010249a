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
_PARTS: Final = 3
"""Of a game's scale; the usual level is the last one of the lowest."""


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
    margin: int = 0
    """How much worse than the best one a move may be that is chosen."""
    is_exact: bool = False
    """True if it plays by the tablebase, where there is one."""
    elo: int | None = None
    """About how strong it is on Stockfish's scale; 0 for below `least_elo`, None if unknown."""


@dataclass(frozen=True, slots=True)
class _Steps:
    """The levels of a game, as the file has them."""

    nodes: tuple[int, ...]
    depth: tuple[int, ...]
    noise: tuple[int, ...]
    overlooked: tuple[int, ...]
    margin: tuple[int, ...]
    is_exact: tuple[bool, ...] = ()
    elo: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Levels:
    """Content of the file."""

    slugs: tuple[str, ...]
    """Of the scale, and that of a last level that plays by the tablebase."""
    names: Mapping[str, tuple[str, ...]]
    """In the order of the slugs, by language."""
    least_elo: int
    games: Mapping[str, _Steps]


@cache
def _content() -> _Levels:
    """The file of the levels."""
    text = resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    return build(_Levels, parse(text, _FILE), _FILE)


def names(slug: str, language: str) -> tuple[str, ...]:
    """The names of the levels of *slug*, in English where *language* has none."""
    found = _content().names
    named = found.get(language, found["en"])
    return tuple(named[place] for place in _places(slug))


def least_elo() -> int:
    """The least strength that has been measured, on Stockfish's scale."""
    return _content().least_elo


def levels(slug: str) -> tuple[Level, ...]:
    """The levels of the game *slug*, the weakest first."""
    steps, slugs = _steps(slug), _content().slugs
    exact = steps.is_exact or (False,) * len(steps.nodes)
    elo = steps.elo or (None,) * len(steps.nodes)
    rows = zip(steps.nodes, steps.depth, steps.noise, steps.overlooked, steps.margin, exact, elo, strict=True)
    named = enumerate(zip(_places(slug), rows, strict=True), 1)
    return tuple(Level(number, slugs[place], *row) for number, (place, row) in named)


def _steps(slug: str) -> _Steps:
    """The levels of the game *slug* as the file has them."""
    games = _content().games
    return games.get(slug, games[_OTHER])


def _places(slug: str) -> tuple[int, ...]:
    """Where each level's name is in the list: by its share of the scale."""
    steps, last_of_scale = _steps(slug), len(_content().slugs) - 2
    last = len(steps.nodes) - 1
    is_perfect = bool(steps.is_exact) and steps.is_exact[-1]
    return *(number * last_of_scale // last for number in range(last)), last_of_scale + is_perfect


def find_level(slug: str, text: str) -> Level:
    """The level of the game *slug* with the number or slug *text*. Raises `UnknownName`."""
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


def usual_level(slug: str) -> int:
    """The number of the level of *slug* that is played where none is chosen.

    The last one of the lowest third: newcomers can win, and others are not bored.

    >>> usual_level("chess"), usual_level("close-quarters")
    (3, 1)
    """
    return -(-len(levels(slug)) // _PARTS)


def levels_by_side(slug: str, played_by: Sequence[PlayedBy], chosen: Sequence[int]) -> tuple[int, ...]:
    """The level of each side in *slug*, as *chosen*; 0 for people.

    >>> levels_by_side("chess", [PlayedBy.TABLE, PlayedBy.COMPUTER], [])
    (0, 3)
    """
    numbers = [*chosen, *[0] * (len(played_by) - len(chosen))]
    return tuple(
        (number or usual_level(slug)) if by is PlayedBy.COMPUTER else 0
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
