# SPDX-License-Identifier: Apache-2.0
"""What is to be played, as it is asked for, kept, and played again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from companion import games
from companion.model.absent import PlayedBy
from companion.model.errors import SettingsError
from companion.model.game import AnyRules
from companion.model.pieces import Side
from companion.opponent.levels import levels, levels_by_side, with_level

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GameSetup:
    """What a game has in common with the same game again, also after a restart.

    A request, a journal's header and a table hold one: a new option is a field here.
    """

    game: str
    """Its slug."""
    options: tuple[tuple[str, str], ...] = ()
    """In a request, those that differ from the game's defaults."""
    players: tuple[str, ...] = ()
    """Names of the players by side, in turn order; empty if unknown."""
    control: str = ""
    """In the notation of `read_control`; empty for the default of the game's options."""
    position: str = ""
    """Initial position; empty for the usual one."""
    played_by: tuple[PlayedBy, ...] = ()
    """Who plays each side; empty if people at the table play all."""
    levels: tuple[int, ...] = ()
    """Level of the computer on each side, 0 for people; empty for the usual level."""
    lesson: str = ""
    """Slug of a lesson, which decides options and position; empty for a game."""
    warned: tuple[Side, ...] = ()
    """Sides that are warned of moves that lose at once."""
    puzzle: int = 0
    """Moves in which the position is won as a puzzle; 0 for a game."""

    @property
    def is_exercise(self) -> bool:
        """True for a lesson or a puzzle, which is no game to keep."""
        return bool(self.lesson or self.puzzle)

    @property
    def is_elsewhere(self) -> bool:
        """True if somebody elsewhere plays a side."""
        return PlayedBy.ELSEWHERE in self.played_by

    @property
    def rules(self) -> AnyRules:
        """Return the rules of its options. Raises `SettingsError` and `OptionError`."""
        return games.find(self.game).rules(dict(self.options))

    def check_sides(self, rules: AnyRules) -> None:
        """Raise `SettingsError` if *rules* have fewer sides than it names."""
        players = max(len(self.players), len(self.played_by), 1 + max(self.warned, default=-1))
        if players > len(rules.sides):
            raise SettingsError(
                "{game} has {sides} sides here, but {players} players",
                game=games.find(self.game).title,
                sides=len(rules.sides),
                players=players,
            )

    def levelled(self) -> GameSetup:
        """Return it with a level for each side."""
        return replace(self, levels=levels_by_side(self.game, self.played_by, self.levels))

    def with_level(self, level: int, side: Side | None) -> GameSetup:
        """Return it with *level* on *side*, or on every side of the computer."""
        return replace(self, levels=with_level(self.levels, level, side))

    def may_set_level(self, level: int, side: Side | None) -> bool:
        """True if the computer plays *side*, and has *level*."""
        return self.with_level(level, side) != self and 1 <= level <= len(levels(self.game))

    def again(self, sides: int, seats: int) -> GameSetup:
        """Return the same game of *sides*, each player *seats* further.

        Players elsewhere have to agree on it again: their sides are played at the table.
        """
        names = (*self.players, *[""] * (sides - len(self.players))) if any(self.players) else ()
        control, press, how = self.control.partition("@")
        return replace(
            self,
            players=_moved(names, seats),
            control=",".join(_moved(tuple(control.split(",")), seats)) + press + how,
            played_by=() if self.is_elsewhere else _moved(self.played_by, seats),
            levels=_moved(self.levels, seats),
            warned=tuple(sorted((side + seats) % sides for side in self.warned)),
        )


def _moved(values: tuple[T, ...], seats: int) -> tuple[T, ...]:
    """Return the *values* by side, each *seats* sides further."""
    return (*values[-seats:], *values[:-seats]) if seats else values
