# SPDX-License-Identifier: Apache-2.0
"""A game at a table, until the next game starts there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, NamedTuple, Protocol, TypeAlias

from companion import games
from companion.feedback.page import Json
from companion.host.clock import Clock
from companion.host.codec import Inline
from companion.host.devices.camera_task import CameraTask
from companion.host.devices.panels import Device
from companion.host.devices.ports import OpenPort
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.table.pipeline import Pipeline
from companion.host.virtual_table.table import VirtualTable
from companion.model.absent import PlayedBy
from companion.model.game import AnyRules, Game
from companion.model.grid import Grid
from companion.model.phrase import Phrase
from companion.opponent.levels import levels
from companion.opponent.puzzles import Puzzle
from companion.referee.values.commands import SetLevel
from companion.referee.values.controls import NONE


class Moment(NamedTuple):
    """A moment of a game, at which something about it was decided."""

    journal: str
    """Name of its journal."""
    ply: int | None
    """Number of the next ply; None if it was not known."""

    def fault(self, table_game: TableGame) -> str:
        """Return why an order is too late for *table_game*, or ""."""
        if self.journal != table_game.journal.path.name:
            return Phrase("the game that was meant is played no more")
        view = table_game.pipeline.view
        if self.ply is None or view.ply == self.ply:
            return ""
        moves = " ".join(move.move for move in view.record if move.ply >= self.ply)
        if not moves:
            return Phrase("moves were taken back since it was given: look at the board, and give it again")
        return Phrase("there was play since it was given: {moves}; look, and give it again", moves=moves)


@dataclass(frozen=True, slots=True)
class TableGame:
    """A game with its pipeline, journal, clock and devices."""

    setup: GameSetup
    pipeline: Pipeline
    journal: JournalWriter
    clock: Clock
    """Clock of the journal's timestamps."""
    open_port: OpenPort | None
    """Opens the port of the panel; None at a table with only a camera."""
    virtual_table: VirtualTable | None = None
    """The virtual table behind `open_port`, if it is one."""
    camera_task: CameraTask | None = None
    """Task that watches the camera, if there is one."""
    order: str = ""
    """Name of the hall's order that started the game; empty if people started it."""
    over: Moment | None = None
    """What that order replaces; None for any game at any moment."""
    evaluate: Callable[[Any], str] | None = None
    """Says the result of a position, for the page; None if it is not shown."""
    moved_on: int = 0
    """By how many seats each player has moved on since the game before."""
    device: Device | None = None
    """The device that was chosen; None for that of the program's start."""
    is_resumed: bool = False
    """True if the game was begun before, and broken off."""

    @property
    def game(self) -> Game:
        """Return the game that is played."""
        return games.find(self.setup.game)

    def may_set_level(self, command: SetLevel) -> bool:
        """True if the computer plays the side of *command*, and has the level."""
        return self.setup.may_set_level(command.level, command.side)

    def with_level(self, command: SetLevel) -> TableGame:
        """Return the game after *command*."""
        return replace(self, setup=self.setup.with_level(command.level, command.side))

    def has_place_for(self, grid: Grid) -> bool:
        """True if this table can play on *grid*.

        A virtual table makes a panel for any, unless its panel was chosen; a panel has room for
        smaller games; a camera sees one board only.
        """
        if self.virtual_table is not None and not self.virtual_table.name:
            return True
        laid, panel = self.pipeline.session.rules.grid, self.pipeline.panel
        if panel.shape is not None and self.camera_task is None:
            return panel.has_place_for(grid)
        return (len(grid), grid.files, grid.ranks) == (len(laid), laid.files, laid.ranks)


@dataclass(frozen=True, slots=True)
class Begin:
    """Request for another game at the same table; the game in progress is left unfinished."""

    stored_first: ClassVar[tuple[str, ...]] = ("game", "options", "players", "control", "language")

    setup: Annotated[GameSetup, Inline()]
    language: str = ""
    """Of the display, and of pages that request none; empty for the previous game's."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """Request for a game that begins once people at *place* have joined."""

    place: str
    game: Begin
    opponent: str = "anyone"
    """`anyone`, `computer` with a level after a colon, or the name of a player."""
    days: int | None = None
    """Days for each move, in correspondence."""


@dataclass(slots=True)
class Invitations:
    """What the page of a table may ask for elsewhere, and what it asks."""

    server: str = ""
    """The server on which chess can be played; empty without one."""
    wanted: Invitation | None = None
    """What was asked for last, until somebody looks for it."""

    def take(self) -> Invitation | None:
        """Return what was asked for last; once."""
        wanted, self.wanted = self.wanted, None
        return wanted


def play_on_request(rules: AnyRules, position: str, level: int, language: str = "") -> Begin:
    """Return the request to go on from *position* against the computer.

    The side to move is played at the table; *level* is that of the computer.
    """
    own = rules.read_position(position).turn
    plays = [side != own for side in range(len(rules.sides))]
    setup = GameSetup(
        rules.slug,
        tuple(rules.options.items()),
        control=NONE,
        position=position,
        played_by=tuple(PlayedBy.COMPUTER if each else PlayedBy.TABLE for each in plays),
        levels=tuple(level if each else 0 for each in plays),
    )
    return Begin(setup, language)


def puzzle_request(puzzle: Puzzle, language: str) -> Begin:
    """Return the request for *puzzle*: the computer defends as well as it can."""
    rules = games.find(puzzle.game).rules()
    request = play_on_request(rules, puzzle.position, len(levels(puzzle.game)), language)
    return replace(request, setup=replace(request.setup, puzzle=puzzle.moves))


@dataclass(frozen=True, slots=True)
class Again:
    """Request for the same game again: same options, players, time control and start."""

    keeps_sides: bool = False
    """False if each player moves on to the next side."""


NewGameRequest: TypeAlias = Begin | Again


class GameFactory(Protocol):
    """Starts and closes games at a table. Its calls may block on the disk."""

    def offer(self, language: str, table_game: TableGame) -> Json:
        """Return the games that can start in place of *table_game*, in *language*."""
        ...

    def create(self, request: NewGameRequest, table_game: TableGame, order: str = "") -> TableGame:
        """Start the game of *request* in place of *table_game*, for a hall's *order*.

        Raises `CompanionError` if it cannot be played there.
        """
        ...

    def close(self, table_game: TableGame) -> None:
        """Close the journal of *table_game* and store its games.

        Raises `JournalError` if the disk rejects it.
        """
        ...
