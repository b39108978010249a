# SPDX-License-Identifier: Apache-2.0
"""Printed boards of other games and sizes: a wrong board is named. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from companion.model.game import Game
from companion.model.tags import BOARDS, corner_tags


@dataclass(frozen=True, slots=True)
class OtherBoards:
    """Boards that are not the one of the game, by their names."""

    tags: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The ids of their corner tags."""
    middles_mm: Mapping[str, Mapping[int, tuple[float, float]]] = field(default_factory=dict)
    """The centres of corner tags that do not tell the game: only their distances differ."""


def tags_of_boards(games: Iterable[Game], but: Iterable[int]) -> dict[str, tuple[int, ...]]:
    """The corner tags of the boards of *games*, by title.

    The board with the tags *but* is left out.
    The grid follows the title of a game with several boards.
    """
    titles = {game.slug: game.title for game in games}
    own, named = set(but), dict[str, tuple[int, ...]]()
    for slug, grid in (board.split() for board in BOARDS):
        if slug in titles and not own.issuperset(tags := corner_tags(slug, grid)):
            is_one = sum(board.startswith(f"{slug} ") for board in BOARDS) == 1
            named[titles[slug] if is_one else f"{titles[slug]} ({grid})"] = tags
    return named
