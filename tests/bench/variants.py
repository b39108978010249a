# SPDX-License-Identifier: Apache-2.0
"""Rules with options drawn by chance: boards, numbers of players, starts and house rules that nobody plays by default."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from companion.games import find
from companion.model.game import AnyRules, Game, Option

_EVERY: Final = 3
"""One game in so many is played with drawn options."""
_ASIDE: Final = ("announce", "clock")
"""Options of announcements and advised times, which concern no piece and no rule."""
_WALK: Final = 120
"""Plies, at most, after which a drawn game of chess begins: with few pieces, pawns far up, and rights to castle gone."""


def is_varied(number: int) -> bool:
    """True if game *number* of a series is played with drawn options."""
    return number % _EVERY == _EVERY - 1


def rules_of(game: Game, seed: str) -> AnyRules:
    """The rules of *game* under options that are drawn from *seed*."""
    chance = Random(f"options {seed}")  # of its own: the hands of other games are what they were
    return _built(game.slug, tuple(drawn(game, chance).items()))


@functools.lru_cache(maxsize=64)
def _built(slug: str, options: tuple[tuple[str, str], ...]) -> AnyRules:
    """Rules which take long to build for some boards."""
    return find(slug).rules(dict(options))


def drawn(game: Game, chance: Random) -> dict[str, str]:
    """A value for each option of *game* on which the play depends."""
    return {
        option.name: _value(game.slug, option, chance) for option in game.options if option.name not in _ASIDE
    }


def _value(slug: str, option: Option, chance: Random) -> str:
    """One of the values of *option*; where any text may stand, one that the game at *slug* can read."""
    text = (
        ["file"] * 2 if slug in _TEXTS and "file" in option.values else []
    )  # the more, since no two are alike
    value = chance.choice([value for value in option.values if value != "file"] + text)
    if value == "number":
        return str(chance.randrange(5, 30))
    return _TEXTS[slug](chance) if value == "file" else value


def _chess_start(chance: Random) -> str:
    """A start of Chess960, or a position that a random game from there has come to."""
    number = str(chance.randrange(960))
    if chance.random() < 0.5:
        return number
    rules = _built("chess", (("start", number),))
    position = rules.initial()
    for _ in range(chance.randrange(_WALK)):
        following = rules.apply(position, chance.choice(rules.legal_moves(position)))
        if not rules.legal_moves(following):
            break
        position = following
    return rules.write_position(position)


def _tank_map(chance: Random) -> str:
    """A map with both forces on two ranks opposite each other, and obstacles between them; the same from either side."""
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


_TEXTS: Final[Mapping[str, Callable[[Random], str]]] = {"chess": _chess_start, "tank-chess": _tank_map}
"""What may stand where any text may, by game; pawn sets of GOTTAZ are not drawn."""
