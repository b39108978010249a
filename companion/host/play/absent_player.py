# SPDX-License-Identifier: Apache-2.0
"""The task that asks for moves of sides not played at the table.

Its rule: it follows the view only. As soon as that asks for another move, or for none, thinking
about the former one is stopped, and a late answer is dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from companion.host.table.table import Interest, Table
from companion.host.tasks import Show, guarded
from companion.model.absent import PlayedBy
from companion.model.errors import CompanionError
from companion.model.phrase import Phrase
from companion.model.pieces import Side
from companion.referee.session.session import Session
from companion.referee.values.commands import DeclineDraw, OfferDraw, Play
from companion.referee.values.events import Stage
from companion.referee.values.view import TableView

JUDGEMENT_MS: Final = 3000
"""Longest wait of the computer's reply for the judgement of the move before it.

The coach's two searches take 0.8 s at most, and what it says of the move 1 s more on a busy
machine; a slow one has as long again. Elsewhere the judgement is there in less than half a second.
"""


@dataclass(frozen=True, slots=True)
class MoveRequest:
    """A position in which a move is to be decided."""

    journal: Path
    """The journal of the game."""
    ply: int
    side: Side
    position: str
    level: int = 0
    """Level at which the computer is to play; 0 for the usual one."""
    is_puzzle: bool = False
    """True if the side defends in a puzzle."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What an absent player decides in a position."""

    move: str
    """A legal move, in the game's notation."""
    takes_draw: bool = False
    """True if it accepts an offered draw, and claims one where it may."""


class AbsentPlayer(Protocol):
    """Decides the moves of sides from outside the table."""

    async def decide(self, request: MoveRequest, session: Session, view: TableView) -> Decision:
        """Return the decision; stop at once when cancelled.

        *session* and *view* are those of the table when it is asked. Raises `CompanionError` if it
        cannot decide.
        """
        ...


NAMES: Final = {PlayedBy.COMPUTER: Phrase("the computer"), PlayedBy.ELSEWHERE: Phrase("the game elsewhere")}
"""What plays sides from outside the table, in messages."""


async def play_absent(table: Table, by: PlayedBy, player: AbsentPlayer, show: Show) -> None:
    """Let *player* decide the moves of all sides played *by* it, until cancelled.

    *show* gets failures; after one the player is asked again at the next move.
    """
    about: MoveRequest | None = None
    thinking: asyncio.Task[None] | None = None
    with table.watch(Interest.PLAY) as has_changed:
        try:
            while True:
                wanted = requested(table, by)
                if wanted != about:
                    about = wanted
                    await _stopped(thinking)
                    thinking = None
                    if about is not None:
                        work = guarded(NAMES[by], _decide(table, by, about, player, show), show)
                        thinking = asyncio.create_task(work, name="absent player")
                await has_changed.wait()
                has_changed.clear()
        finally:
            await _stopped(thinking)


def requested(table: Table, by: PlayedBy) -> MoveRequest | None:
    """Return the request for a move that a side played *by* it decides now."""
    view = table.pipeline.view
    is_sure = not view.record or view.record[-1].stage is not Stage.PROVISIONAL
    is_warned = view.advice is not None  # of the move before, which may be taken back
    if view.decider is None or view.played_by[view.decider] is not by or not is_sure or is_warned:
        return None
    current, setup, side = table.current, table.current.setup, view.decider
    level = setup.levels[side] if setup.levels else 0
    return MoveRequest(current.journal.path, view.ply, side, view.position, level, setup.puzzle > 0)


def is_judged(table: Table) -> bool:
    """True unless the coach still judges the last move of a warned side."""
    hints, view = table.pipeline.layers.hints, table.pipeline.view
    is_in_game = hints.are_given and bool(view.record) and not table.current.setup.puzzle
    is_warned_of = is_in_game and view.record[-1].side in table.current.setup.warned
    return not is_warned_of or hints.judged == view.position


async def _judgement(table: Table, until_ms: int) -> None:
    """Wait until the last move is judged, or the table's clock shows *until_ms*."""
    clock = table.current.clock
    with table.watch(Interest.PLAY) as has_changed, contextlib.suppress(TimeoutError):
        while not is_judged(table) and (left_ms := until_ms - clock()) > 0:
            async with asyncio.timeout(left_ms / 1000):
                await has_changed.wait()
            has_changed.clear()


async def _decide(table: Table, by: PlayedBy, request: MoveRequest, player: AbsentPlayer, show: Show) -> None:
    """Ask *player* and play its move; the computer thinks while the coach does."""
    pipeline, until_ms = table.pipeline, table.current.clock() + JUDGEMENT_MS
    try:
        decision = await player.decide(request, pipeline.session, pipeline.view)
    except CompanionError as fault:
        show(fault)
        return
    if by is PlayedBy.COMPUTER:
        await _judgement(table, until_ms)
    view = pipeline.view
    is_offered = view.draw_offered_by not in (None, request.side)
    if decision.takes_draw and (is_offered or view.may_claim):
        table.ask(OfferDraw(request.side))
    elif is_offered:
        table.ask(DeclineDraw(request.side))
    table.ask(Play(request.ply, decision.move, request.position))


async def _stopped(thinking: asyncio.Task[None] | None) -> None:
    """Stop *thinking*, if it goes on."""
    if thinking is not None:
        thinking.cancel()
        await asyncio.wait({thinking})  # a cancellation of the caller meanwhile is not lost
