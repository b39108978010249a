# SPDX-License-Identifier: Apache-2.0
"""Switching, stopping and resetting of clocks, in play and in replays of events."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

from companion.model.game import AnyRules
from companion.model.pieces import Side
from companion.referee.values.clocks import (
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
from companion.referee.values.events import MoveMade
from companion.referee.values.record import still_in


class ClockedGame(Protocol):
    """A game with clocks, and the data needed to take plies back."""

    clocks: Clocks | None
    """None without time control."""
    earlier_clocks: dict[int, Clocks]
    """The clocks in each ply."""
    spent_ms: dict[int, int]
    """Thinking time of each ply."""
    is_start_due: bool
    """True if the first clock starts as soon as play begins."""
    ended_ms: int | None
    """Time at which a move ended the game and stopped the clocks."""

    @property
    def is_carrying_out(self) -> bool:
        """True while hands carry out a move that was decided elsewhere: no clock runs."""
        ...

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
        """Number of the next ply."""
        ...

    def side_of(self, ply: int) -> Side:
        """The side that plays *ply*, one that was made or the next."""
        ...


def start(game: ClockedGame, at_ms: int) -> None:
    """Start or continue play: the clock that ran resumes.

    The first one starts only on request, and none while a move is carried out.
    """
    clocks, is_due = game.clocks, game.is_start_due
    game.is_start_due = False
    if clocks is None:
        return
    if clocks.running is not None:
        game.clocks = resumed(clocks, at_ms)
    elif is_due or (clocks.control.by_moves and not clocks.control.starts_by_hand):
        game.clocks = started(clocks, game.to_move, at_ms)
    if game.is_carrying_out:
        rest(game, at_ms)


def rest(game: ClockedGame, at_ms: int) -> None:
    """Stop the clocks: play rests."""
    if game.clocks is not None:
        game.clocks = stopped(game.clocks, at_ms)


def end(game: ClockedGame, at_ms: int) -> None:
    """Stop the clocks: a move has ended the game, unless its hand goes on."""
    rest(game, at_ms)
    game.is_start_due = False
    game.ended_ms = at_ms


def go_on(game: ClockedGame) -> None:
    """Undo `end`: the clocks should have run since then."""
    clocks, ended_ms = game.clocks, game.ended_ms
    if clocks is not None and ended_ms is not None and clocks.since_ms > ended_ms:
        game.clocks = resumed(clocks, ended_ms)
    game.ended_ms = None


def follow_move(game: ClockedGame, made: MoveMade, at_ms: int) -> None:
    """Switch the clocks for *made*, a move made at *at_ms*, if moves drive them.

    A move that was carried out for an absent side always does.
    """
    clocks, following = game.clocks, game.side_of(made.ply + 1)
    if clocks is None:
        return
    if made.ply not in game.earlier_clocks:
        if clocks.control.by_moves or game.is_carrying_out:
            switch(game, made.ply, made.side, following, at_ms)
    elif made.ply + 1 not in game.earlier_clocks and clocks.running is not None:
        game.clocks = replace(clocks, running=following)  # the side that pressed could not know the next side


def stop(game: ClockedGame, ply: int, side: Side, at_ms: int) -> None:
    """Stop the clock of *side* by hand at the end of *ply*.

    Its move may have been seen or not.
    """
    is_unseen = ply == game.next_ply
    switch(game, ply, side, _next(game, side) if is_unseen else game.side_of(ply + 1), at_ms)


def _next(game: ClockedGame, side: Side) -> Side:
    """The side after *side*, as far as known before its move."""
    count = len(game.rules.sides)
    others = {other for other in still_in(game.rules, game.current) if other != side}
    return min(others, key=lambda other: (other - side) % count, default=side)


def switch(game: ClockedGame, ply: int, side: Side, following: Side, at_ms: int) -> None:
    """Stop the clock of *side* at the end of *ply*, and start that of *following*."""
    clocks = game.clocks
    if clocks is None or clocks.running not in (None, side):
        return
    is_first = clocks.running is None and clocks.control.starts_by_hand and ply >= 0
    if is_first and clocks.control.by_moves:
        clocks = replace(clocks, since_ms=at_ms)  # a stopped clock stores the time of the ply with it
        game.spent_ms[ply] = 0
    if clocks.running is not None:
        game.spent_ms[ply] = used_ms(clocks, at_ms)
    game.earlier_clocks[ply] = clocks
    game.clocks = (
        set_going(clocks, side, following, at_ms) if is_first else switched(clocks, following, at_ms)
    )


def give_back(game: ClockedGame, ply: int, at_ms: int) -> None:
    """Handle a press for *ply* before it was made: its side goes on thinking.

    As after a pause; no time is gained or lost, and no ply completed.
    """
    earlier, spent_ms = game.earlier_clocks.pop(ply), game.spent_ms.pop(ply, 0)
    if earlier.running is None:
        game.clocks = started(earlier, game.to_move, at_ms)
    else:
        game.clocks = replace(earlier, since_ms=at_ms, thought_ms=spent_ms)


def pass_on(game: ClockedGame, ply: int, at_ms: int) -> None:
    """Let the side to move by decision think, from now or later.

    Later if play rests.

    *ply*, if it was nobody's move, can be taken back.
    """
    clocks, turn = game.clocks, game.to_move
    if clocks is None or clocks.running in (None, turn):
        return
    game.earlier_clocks[ply] = clocks
    game.clocks = passed(clocks, turn, at_ms)
    if clocks.since_ms > at_ms:  # they rest
        rest(game, at_ms)


def forget(game: ClockedGame, ply: int) -> None:
    """Reset the clocks to those in *ply*, which was retracted with all later ones."""
    for number in sorted((number for number in game.earlier_clocks if number >= ply), reverse=True):
        game.spent_ms.pop(number, None)
        game.clocks = game.earlier_clocks.pop(number)


def give(game: ClockedGame, side: int, by_ms: int) -> None:
    """Give the clock of *side* *by_ms* more, also if plies are taken back."""
    if game.clocks is not None:
        game.clocks = adjusted(game.clocks, side, by_ms)
        game.earlier_clocks = {
            ply: adjusted(clocks, side, by_ms) for ply, clocks in game.earlier_clocks.items()
        }


def drop(game: ClockedGame, ply: int) -> None:
    """Discard the times from *ply* on."""
    for times in (game.earlier_clocks, game.spent_ms):
        for number in [number for number in times if number >= ply]:
            del times[number]


def made_at_ms(clocks: Clocks, spent_ms: int) -> int:
    """Time at which the running side has thought for *spent_ms* about its ply."""
    return clocks.since_ms + spent_ms - clocks.thought_ms
