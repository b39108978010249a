# SPDX-License-Identifier: Apache-2.0
"""How clocks switch, rest and go back: the same while a game is played and when its events are replayed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

from companion.model.game import AnyRules
from companion.model.pieces import Side
from companion.referee.clocks import (
    Clocks,
    adjusted,
    passed,
    resumed,
    set_going,
    started,
    stopped,
    switched,
    used_ms,
)
from companion.referee.events import MoveMade
from companion.referee.record import still_in


class ClockedGame(Protocol):
    """A game whose clocks are kept, with what is needed to take plies back."""

    clocks: Clocks | None
    """None if no time is kept."""
    earlier_clocks: dict[int, Clocks]
    """The clocks as they ran in each ply."""
    spent_ms: dict[int, int]
    """How long each ply took."""
    is_start_due: bool
    """True if the first clock is to run as soon as play begins."""
    ended_ms: int | None
    """Since when the clocks stand still because a move has ended the game."""

    @property
    def rules(self) -> AnyRules: ...

    @property
    def current(self) -> Any:
        """The position after the last ply."""
        ...

    @property
    def to_move(self) -> Side:
        """The side to move there."""
        ...

    @property
    def next_ply(self) -> int:
        """Number of the ply to be played."""
        ...

    def side_of(self, ply: int) -> Side:
        """The side that plays *ply*, one that was made or the next."""
        ...


def start(game: ClockedGame, at_ms: int) -> None:
    """Play begins or goes on: the clock that ran goes on; the first one starts only if somebody has asked for that."""
    clocks, is_due = game.clocks, game.is_start_due
    game.is_start_due = False
    if clocks is None:
        return
    if clocks.running is not None:
        game.clocks = resumed(clocks, at_ms)
    elif is_due or (clocks.control.by_moves and not clocks.control.starts_by_hand):
        game.clocks = started(clocks, game.to_move, at_ms)


def rest(game: ClockedGame, at_ms: int) -> None:
    """Play rests."""
    if game.clocks is not None:
        game.clocks = stopped(game.clocks, at_ms)


def end(game: ClockedGame, at_ms: int) -> None:
    """A move has ended the game, unless its hand goes on."""
    rest(game, at_ms)
    game.is_start_due = False
    game.ended_ms = at_ms


def go_on(game: ClockedGame) -> None:
    """The end was none: clocks that stand still since then should have run on."""
    clocks, ended_ms = game.clocks, game.ended_ms
    if clocks is not None and ended_ms is not None and clocks.since_ms > ended_ms:
        game.clocks = resumed(clocks, ended_ms)
    game.ended_ms = None


def follow_move(game: ClockedGame, made: MoveMade, at_ms: int) -> None:
    """The move that *made* tells of was made at *at_ms*: whoever is to move now thinks, if moves drive the clocks."""
    clocks, following = game.clocks, game.side_of(made.ply + 1)
    if clocks is None:
        return
    if made.ply not in game.earlier_clocks:
        if clocks.control.by_moves:
            switch(game, made.ply, made.side, following, at_ms)
    elif made.ply + 1 not in game.earlier_clocks and clocks.running is not None:
        game.clocks = replace(clocks, running=following)  # who pressed could not know who is to move


def stop(game: ClockedGame, ply: int, side: Side, at_ms: int) -> None:
    """*side* has stopped its clock by hand when *ply* was complete, whether its move was seen by then or not."""
    is_unseen = ply == game.next_ply
    switch(game, ply, side, _next(game, side) if is_unseen else game.side_of(ply + 1), at_ms)


def _next(game: ClockedGame, side: Side) -> Side:
    """Who is to move after *side*, as far as that can be said before its move is known."""
    count = len(game.rules.sides)
    others = {other for other in still_in(game.rules, game.current) if other != side}
    return min(others, key=lambda other: (other - side) % count, default=side)


def switch(game: ClockedGame, ply: int, side: Side, following: Side, at_ms: int) -> None:
    """The clock of *side* is stopped at the end of *ply*, and that of *following* runs."""
    clocks = game.clocks
    if clocks is None or clocks.running not in (None, side):
        return
    is_first = clocks.running is None and clocks.control.starts_by_hand and ply >= 0
    if is_first and clocks.control.by_moves:
        clocks = replace(
            clocks, since_ms=at_ms
        )  # a clock that does not run remembers with it when the ply was made
        game.spent_ms[ply] = 0
    if clocks.running is not None:
        game.spent_ms[ply] = used_ms(clocks, at_ms)
    game.earlier_clocks[ply] = clocks
    game.clocks = (
        set_going(clocks, side, following, at_ms) if is_first else switched(clocks, following, at_ms)
    )


def give_back(game: ClockedGame, ply: int, at_ms: int) -> None:
    """The clock was pressed for *ply* before that was made: its side goes on thinking, as after a pause.

    Nobody has gained or lost anything by it, nor completed a ply.
    """
    earlier, spent_ms = game.earlier_clocks.pop(ply), game.spent_ms.pop(ply, 0)
    if earlier.running is None:
        game.clocks = started(earlier, game.to_move, at_ms)
    else:
        game.clocks = replace(earlier, since_ms=at_ms, thought_ms=spent_ms)


def pass_on(game: ClockedGame, ply: int, at_ms: int) -> None:
    """Whoever is to move by decision thinks from now on, or from when play goes on; *ply*, if it was nobody's move, can be taken back."""
    clocks, turn = game.clocks, game.to_move
    if clocks is None or clocks.running in (None, turn):
        return
    game.earlier_clocks[ply] = clocks
    game.clocks = passed(clocks, turn, at_ms)
    if clocks.since_ms > at_ms:  # they rest
        rest(game, at_ms)


def forget(game: ClockedGame, ply: int) -> None:
    """*ply* was none, nor what followed it: the clocks are as they were in it, and its side goes on thinking."""
    for number in sorted((number for number in game.earlier_clocks if number >= ply), reverse=True):
        game.spent_ms.pop(number, None)
        game.clocks = game.earlier_clocks.pop(number)


def give(game: ClockedGame, side: int, by_ms: int) -> None:
    """The clock of *side* has *by_ms* more, and keeps them if plies are taken back."""
    if game.clocks is not None:
        game.clocks = adjusted(game.clocks, side, by_ms)
        game.earlier_clocks = {
            ply: adjusted(clocks, side, by_ms) for ply, clocks in game.earlier_clocks.items()
        }


def drop(game: ClockedGame, ply: int) -> None:
    """Nothing is known any more of the times from *ply* on."""
    for times in (game.earlier_clocks, game.spent_ms):
        for number in [number for number in times if number >= ply]:
            del times[number]


def made_at_ms(clocks: Clocks, spent_ms: int) -> int:
    """When the running side has thought for *spent_ms* about its ply."""
    return clocks.since_ms + spent_ms - clocks.thought_ms
