# SPDX-License-Identifier: Apache-2.0
"""Scenes of a stored game. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from companion.feedback.letters import Letters
from companion.feedback.words import Words
from companion.host.records.records import rules_of
from companion.model.grid import Cell
from companion.model.notation import GameRecord, numbers, replay
from companion.model.placement import Placement


@dataclass(frozen=True, slots=True)
class Scene:
    """One position of a game."""

    placement: Placement
    caption: str
    """The move that led to it, with its number; empty at the start."""


def scenes(record: GameRecord) -> tuple[Scene, ...]:
    """Return the positions of *record*, in order.

    Raises `CompanionError` if the game's rules reject it.
    """
    rules = rules_of(record)
    played = list(replay(rules, record))
    turns = [before.turn for (before, _), (_, text) in pairwise(played) if text]
    numbered = iter(numbers(turns))
    return tuple(
        Scene(rules.placement(position), f"{next(numbered)} {text}" if text else "")
        for position, text in played
    )


def letters_of(record: GameRecord, words: Words) -> Letters:
    """Return the letters for the pieces of *record*."""
    return Letters.of(rules_of(record), words)


def changed(shown: Sequence[Scene], number: int) -> tuple[Cell, ...]:
    """Return the cells on which position *number* differs from the previous one."""
    if not number:
        return ()
    before, after = (set(shown[at].placement.entries) for at in (number - 1, number))
    return tuple(sorted({cell for _, cells in before ^ after for cell in cells}))
