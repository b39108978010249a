# SPDX-License-Identifier: Apache-2.0
"""The computer as a player at a table, thinking in processes of its own.

Its rule: the process is killed when its answer is not wanted any more, whatever it computes; the
next question starts another. While people think, it thinks about the answers to their moves, which
changes no move. It does not outlive the table, since its input ends then.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from companion.host.opponent.thinker import STRONGEST_MS, USUAL_MS, Ahead, MoveSource, SearchInput, Thinker
from companion.host.play.absent_player import NAMES, Decision, MoveRequest, play_absent, requested
from companion.host.table.table import Interest, Table
from companion.host.tasks import guarded, running
from companion.host.text.error_translation import translate
from companion.model.absent import PlayedBy
from companion.model.errors import CompanionError
from companion.model.game import AnyRules
from companion.opponent.levels import levels, usual_level
from companion.referee.session.session import Session
from companion.referee.values.view import Phase, TableView

_LEAST_MS: Final = 100
_PLIES_LEFT: Final = 20
"""The computer thinks for at most this part of the time on its clock."""
_CONTENT: Final = -50
"""Value, in hundredths of the least piece, up to which it takes a draw."""


class Computer:
    """An `AbsentPlayer` of the level that each request names."""

    def __init__(self, seed: int, thinker: MoveSource | None = None) -> None:
        """With the same *seed* it plays the same moves.

        In puzzles our own search defends, not *thinker*: an engine of limited strength may blunder.
        """
        self._seed = seed
        self._thinker = thinker or Thinker()
        self._defender = Thinker()

    async def decide(self, request: MoveRequest, session: Session, view: TableView) -> Decision:
        """Return the decision about *request*. Raises `OpponentError`."""
        rules, source = session.rules, self._source(is_puzzle=request.is_puzzle)
        position, level = rules.read_position(request.position), request.level or usual_level(rules.slug)
        most_ms = _most_ms(rules, level)
        if view.clocks:
            most_ms = max(_LEAST_MS, min(most_ms, view.clocks[request.side].left_ms // _PLIES_LEFT))
        try:
            at = SearchInput(rules, position, session.earlier(), most_ms)
            thought = await source.choose(at, str(level), self._seed + request.ply)
        except asyncio.CancelledError:
            await source.kill()
            raise
        return Decision(rules.write_move(position, thought.move), takes_draw=thought.value <= _CONTENT)

    def think_ahead(self, foreseen: Foreseen | None, session: Session) -> None:
        """Think about the answers after *foreseen*; None: think ahead no more."""
        if foreseen is None:
            self._thinker.rest()
            self._defender.rest()
            return
        rules, numbers = session.rules, foreseen.levels
        position = rules.read_position(foreseen.position)
        most_ms = max(_most_ms(rules, each) for each in numbers if each)
        at = SearchInput(rules, position, session.earlier(), most_ms)
        self._source(is_puzzle=foreseen.is_puzzle).think_ahead(Ahead(at, numbers, self._seed + foreseen.ply))

    def _source(self, *, is_puzzle: bool) -> MoveSource:
        return self._defender if is_puzzle else self._thinker

    async def close(self) -> None:
        """End the processes."""
        await self._thinker.kill()
        await self._defender.kill()


def _most_ms(rules: AnyRules, level: int) -> int:
    """The longest time for a move of *level*."""
    return STRONGEST_MS if level == len(levels(rules.slug)) else USUAL_MS


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A position in which the computer is soon to move."""

    journal: Path
    ply: int
    position: str
    levels: tuple[int, ...]
    is_puzzle: bool


def foreseen(table: Table) -> Foreseen | None:
    """Return the position about which the computer thinks ahead at *table*; None without one."""
    view, current = table.pipeline.view, table.current
    is_on = view.phase in (Phase.WAITING, Phase.HANDLING) and view.outcome is None
    if not is_on or not any(current.setup.levels):
        return None
    return Foreseen(
        current.journal.path, view.ply, view.position, current.setup.levels, current.setup.puzzle > 0
    )


async def think_ahead(table: Table, computer: Computer) -> None:
    """Let *computer* think while people do, until cancelled."""
    about: Foreseen | None = None
    with table.watch(Interest.PLAY) as has_changed:
        while True:
            now = foreseen(table)
            is_asked = requested(table, PlayedBy.COMPUTER) is not None  # what is foreseen may be that
            if now != about and not is_asked:
                about = now
                computer.think_ahead(now, table.pipeline.session)
            await has_changed.wait()
            has_changed.clear()


@asynccontextmanager
async def played_by_computer(
    table: Table, computer: Computer, inform: Callable[[str], None]
) -> AsyncIterator[None]:
    """Let *computer* play its sides at *table* inside the block; *inform* gets failures."""

    def show(said: str | CompanionError) -> None:
        inform(translate(said, table.pipeline.words.language))

    by = PlayedBy.COMPUTER
    try:
        async with (
            running(guarded(NAMES[by], play_absent(table, by, computer, show), show), "computer"),
            running(guarded(NAMES[by], think_ahead(table, computer), show), "computer ahead"),
        ):
            yield
    finally:
        await computer.close()
