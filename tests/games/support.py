# SPDX-License-Identifier: Apache-2.0
"""Helpers for tests of all games: option sets, random games, steps."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from companion import games
from companion.games import _template, slugs
from companion.games import find as find_game
from companion.model.errors import OptionError, SettingsError
from companion.model.game import AnyRules, Game, M, P, Rules
from companion.model.moves import Step
from companion.model.placement import Placement

SAMPLE_VALUES = {"number": ("7",), "file": ()}
"""Values for open options.

A `file` has no value that exists on every machine.
"""


def with_template() -> tuple[str, ...]:
    """All games and the template."""
    return (*slugs(), _template.GAME.slug)


def find(slug: str) -> Game:
    """The game called *slug*, the template included."""
    return _template.GAME if slug == _template.GAME.slug else find_game(slug)


def option_sets(slug: str) -> list[dict[str, str]]:
    """The defaults, then every other value of every option alone."""
    game = find(slug)
    sets: list[dict[str, str]] = [{}]
    for option in game.options:
        for value in option.values[1:]:
            sets.extend({option.name: sample} for sample in SAMPLE_VALUES.get(value, (value,)))
    return sets


def play(rules: Rules[P, M], position: P, text: str) -> P:
    """The position after the move *text*."""
    return rules.apply(position, rules.read_move(position, text))


def module(game: Game) -> str:
    """The name of the file or folder of *game*."""
    return game.slug.replace("-", "_")


def sources(game: Game) -> list[Path]:
    """The files of *game*."""
    folder = Path(games.__file__).parent
    return [*folder.glob(f"{module(game)}.py"), *folder.glob(f"{module(game)}/**/*.py")]


def boards(game: Game) -> set[str]:
    """The boards of *game*, also those that options choose: slug and grid."""
    chosen = [{}, *({option.name: value} for option in game.options for value in option.values)]
    found = set()
    for options in chosen:
        with suppress(OptionError, SettingsError):  # values that stand for any text
            found.add(f"{game.slug} {game.rules(options).grid.slug}")
    return found


def random_game(rules: AnyRules, seed: int, plies: int) -> Iterator[tuple[Any, Any]]:
    """Positions of a random game with the move played in each; at most *plies*."""
    chance = random.Random(seed)
    position = rules.initial()
    for _ in range(plies):
        moves = rules.legal_moves(position)
        if not moves:
            return
        move = chance.choice(moves)
        yield position, move
        position = rules.apply(position, move)


def random_positions(rules: AnyRules, seed: int, count: int, plies: int = 60) -> Iterator[Any]:
    """*count* positions of random games, including the last of each game."""
    while count > 0:
        position = rules.initial()
        for position, _ in random_game(rules, seed, plies):
            yield position
            count -= 1
            if not count:
                return
        seed += 1


def carried_out(placement: Placement, steps: tuple[Step, ...]) -> Placement:
    """The placement after *steps*, without knowledge of the game."""
    entries = list(placement.entries)
    for step in steps:
        if step.source:
            entries.remove((step.piece, step.source))
    entries.extend((step.becomes, step.target) for step in steps if step.target)
    return Placement(tuple(entries))
