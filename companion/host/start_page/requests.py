# SPDX-License-Identifier: Apache-2.0
"""Requests of the start page: games, lessons, and changes of what is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from companion import games
from companion.host.codec import Inline
from companion.host.journal.setup import GameSetup
from companion.host.table.table_game import Begin, puzzle_request
from companion.lessons.course import course
from companion.model.grid import Grid
from companion.opponent.puzzles import numbered

VIRTUAL = "virtual"
"""Key of the virtual table among the devices."""


@dataclass(frozen=True, slots=True)
class Play:
    """Request of the start page for a new game."""

    setup: Annotated[GameSetup, Inline(omitted=frozenset({"lesson", "puzzle"}))]
    device: str = VIRTUAL
    """Key of a found device."""
    language: str = ""

    @property
    def game(self) -> str:
        """Return the slug of its game."""
        return self.setup.game

    @property
    def grid(self) -> Grid:
        """Return the grid of its board."""
        return self.setup.rules.grid

    @property
    def request(self) -> Begin:
        """Return it without its device."""
        return Begin(self.setup, self.language)


@dataclass(frozen=True, slots=True)
class Exercise:
    """Request of the start page for a lesson or a puzzle."""

    game: str
    lesson: str = ""
    """Slug of the lesson; empty for a puzzle."""
    puzzle: int = 0
    """Number of the puzzle."""
    device: str = VIRTUAL
    language: str = ""

    @property
    def grid(self) -> Grid:
        """Return the grid of its board."""
        if self.lesson:
            return course(self.game).find(self.lesson).rules(self.game).grid
        return games.find(self.game).rules().grid

    @property
    def request(self) -> Begin:
        """Return it without its device. Raises `UnknownName` if there is no such puzzle."""
        if self.lesson:
            return Begin(GameSetup(self.game, lesson=self.lesson), self.language)
        return puzzle_request(numbered(self.puzzle, self.game), self.language)


@dataclass(frozen=True, slots=True)
class GoOn:
    """Request of the start page to resume a game."""

    journal: str
    """Name of its file."""
    device: str = VIRTUAL
    language: str = ""


@dataclass(frozen=True, slots=True)
class Delete:
    """Request of the start page to delete a kept game."""

    number: int = 0
    """In the store; 0 if it is not there."""
    journal: str = ""
    """Name of the file of an unfinished game; may be empty."""


@dataclass(frozen=True, slots=True)
class Import:
    """Request of the start page to keep the games of a text or a file."""

    content: str
    """Its bytes, in base64."""
    name: str = ""
