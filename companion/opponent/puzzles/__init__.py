# SPDX-License-Identifier: Apache-2.0
"""Puzzles: positions won by force, a file for each game.

`tests/tools/puzzles.py` makes them, and a test proves each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

from companion.model.errors import UnknownName
from companion.model.toml import build, parse


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position to be won."""

    game: str
    number: int
    """In its file, from 1."""
    moves: int
    """Moves of the side to move until it has won, at most."""
    position: str


@dataclass(frozen=True, slots=True)
class _Group:
    """Puzzles of one length."""

    moves: int
    positions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _File:
    """Content of a file."""

    puzzles: tuple[_Group, ...]


def games() -> tuple[str, ...]:
    """The slugs of the games that have puzzles."""
    names = (each.name for each in resources.files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def puzzles(game: str, moves: int | None = None) -> tuple[Puzzle, ...]:
    """The puzzles of *game*, the shortest first, or those of *moves*. Raises `UnknownName`."""
    if game not in games():
        raise UnknownName(
            "there are no puzzles of {name!r}; there are some of {known}", name=game, known=games()
        )
    found = _read(game)
    chosen = tuple(each for each in found if moves in (None, each.moves))
    if not chosen:
        raise UnknownName(
            "there is no puzzle of {game} in {name} moves; there are some in {known}",
            game=game,
            name=str(moves),
            known=tuple(dict.fromkeys(str(each.moves) for each in found)),
        )
    return chosen


@cache
def _read(game: str) -> tuple[Puzzle, ...]:
    """The puzzles of *game*, as its file has them."""
    name = f"{game}.toml"
    text = resources.files(__name__).joinpath(name).read_text(encoding="utf-8")
    content = build(_File, parse(text, name), name)
    listed = ((group.moves, position) for group in content.puzzles for position in group.positions)
    return tuple(Puzzle(game, number, *each) for number, each in enumerate(listed, 1))


def every() -> tuple[Puzzle, ...]:
    """The puzzles of all games."""
    return tuple(each for game in games() for each in puzzles(game))


def lengths(game: str) -> tuple[int, ...]:
    """The numbers of moves in which puzzles of *game* are won. Raises `UnknownName`."""
    return tuple(dict.fromkeys(each.moves for each in puzzles(game)))


def of_the_day(day: int, game: str | None = None, moves: int | None = None) -> Puzzle:
    """The puzzle of *day*, a number: another one each day. Raises `UnknownName`."""
    slug = games()[day % len(games())] if game is None else game
    among = puzzles(slug, moves)
    return among[day // (1 if game else len(games())) % len(among)]


def numbered(number: int, game: str) -> Puzzle:
    """The puzzle *number* of *game*, from 1. Raises `UnknownName`."""
    among = puzzles(game)
    if not 1 <= number <= len(among):
        raise UnknownName(
            "there is no puzzle {name} of {game}; there are {known}",
            game=game,
            name=str(number),
            known=tuple(str(each.number) for each in among),
        )
    return among[number - 1]
