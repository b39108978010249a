# SPDX-License-Identifier: Apache-2.0
"""Rules with drawn options: boards, numbers of players, starts and house rules."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from companion.games import find
from companion.model.game import AnyRules, Game, Option

_EVERY: Final = 3
"""One of so many games is played with drawn options."""
_IGNORED: Final = ("announce", "clock")
"""Options of announcements and suggested times, which affect no rule."""
_MOST_PLIES: Final = 120
"""Limit of the random plies before a drawn game of chess begins.

They leave few pieces, advanced pawns and lost castling rights.
"""


def is_varied(number: int) -> bool:
    """True if game *number* of a series is played with drawn options."""
    return number % _EVERY == _EVERY - 1


def rules_of(game: Game, seed: str) -> AnyRules:
    """The rules of *game* with options drawn from *seed*."""
    chance = Random(f"options {seed}")  # separate, so that the hands of other games stay the same
    return _built(game.slug, tuple(draw_options(game, chance).items()))


@functools.lru_cache(maxsize=64)
def _built(slug: str, options: tuple[tuple[str, str], ...]) -> AnyRules:
    """Build rules, which takes long for some boards."""
    return find(slug).rules(dict(options))


def draw_options(game: Game, chance: Random) -> dict[str, str]:
    """A value for each option of *game* that affects play."""
    return {
        option.name: _value(game.slug, option, chance)
        for option in game.options
        if option.name not in _IGNORED
    }


def _value(slug: str, option: Option, chance: Random) -> str:
    """One of the values of *option*; free text is readable by the game *slug*."""
    text = (
        ["file"] * 2 if slug in _FREE_TEXTS and "file" in option.values else []
    )  # more often, since no two are alike
    value = chance.choice([value for value in option.values if value != "file"] + text)
    if value == "number":
        return str(chance.randrange(5, 30))
    return _FREE_TEXTS[slug](chance) if value == "file" else value


def _chess_start(chance: Random) -> str:
    """A start of Chess960, or a position of a random game from there."""
    number = str(chance.randrange(960))
    if chance.random() < 0.5:
        return number
    rules = _built("chess", (("start", number),))
    position = rules.initial()
    for _ in range(chance.randrange(_MOST_PLIES)):
        following = rules.apply(position, chance.choice(rules.legal_moves(position)))
        if not rules.legal_moves(following):
            break
        position = following
    return rules.write_position(position)


def _tank_map(chance: Random) -> str:
    """A map with both forces on two ranks opposite each other, and obstacles between them.

    It is the same from both sides.
    """
    files, ranks = chance.randrange(6, 13), chance.randrange(8, 13)
    letters = "ABCDEFGHIJKL"[:files]
    own = [f"{letter}{rank}" for letter in letters for rank in (1, 2)]
    kinds = ["C", *chance.choices("LMHDR", k=chance.randrange(3, files))]
    places = chance.sample(own, len(kinds))
    free = [f"{letter}{rank}" for letter in letters for rank in range(3, ranks // 2 + 1)]
    walls = chance.sample(free, chance.randrange(len(free) // 3))

    def turned(name: str) -> str:
        return f"{letters[-1 - letters.index(name[0])]}{ranks + 1 - int(name[1:])}"

    tanks = [
        f"{kind}{place}N {kind.lower()}{turned(place)}S" for kind, place in zip(kinds, places, strict=True)
    ]
    obstacles = " ".join([*walls, *map(turned, walls)])
    return f"drawn; {files}x{ranks}; {obstacles}; {' '.join(tanks)}"


_FREE_TEXTS: Final[Mapping[str, Callable[[Random], str]]] = {"chess": _chess_start, "tank-chess": _tank_map}
"""Generators of free text by game; pawn sets of GOTTAZ are not drawn."""
