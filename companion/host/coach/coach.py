# SPDX-License-Identifier: Apache-2.0
"""The coach of a table: hints on request, and warnings of losing moves.

Its rule: it follows the view only, and thinks in a process of its own, which it ends when the
position changes. Nothing of it reaches the journal.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from companion.feedback.page import commands
from companion.host.opponent.thinker import PROOF_MS, Analysis, SearchInput, Thinker
from companion.host.table.table import Interest, Table
from companion.host.tasks import guarded, running
from companion.host.text.error_translation import translate
from companion.model.absent import PlayedBy
from companion.model.advice import Advice, AdviceKind, HintStage
from companion.model.errors import CompanionError
from companion.model.game import AnyRules
from companion.model.moves import lit_cells
from companion.model.phrase import Phrase
from companion.model.pieces import Side
from companion.model.written_move import written_move
from companion.opponent.knowledge import SURE
from companion.referee.values.events import Stage
from companion.referee.values.view import Phase, TableView


@dataclass(frozen=True, slots=True)
class Times:
    """How long the coach thinks, and shows a warning."""

    hint_ms: int = 1500
    before_ms: int = 1500
    """For the value of a position before a move."""
    move_ms: int = 400
    """For the value of a move that was made."""
    nodes: int = 4000
    """Positions looked at for each of the two values."""
    hint_nodes: int | None = None
    """Positions looked at for a hint; None for any number."""
    warning_s: float = 6.0
    """The computer answers only after that."""


USUAL: Final = Times()
_LOSS: Final = 200
"""Loss of value, in hundredths of the least piece, of which the coach warns."""


@dataclass(frozen=True, slots=True)
class _Hint:
    """A hint with all that there is to say; it is shown in three stages."""

    whole: Advice
    presses: int = 1

    def shown(self) -> Advice | None:
        """The hint as far as it is shown now; None after the last stage."""
        if self.presses > len(self.stages):
            return None
        stage = self.stages[self.presses - 1]
        shown = replace(self.whole, stage=stage)
        if stage is HintStage.REASON:
            return shown
        shown = replace(shown, claims=(), cries=())
        return replace(shown, target=()) if stage is HintStage.PIECE else shown

    @property
    def stages(self) -> Sequence[HintStage]:
        """The stages of the hint; two if its piece is shot."""
        return (*HintStage,) if self.whole.target else (HintStage.PIECE, HintStage.REASON)

    def after_a_press(self) -> _Hint:
        """The hint at its next stage; the first one follows when it was hidden."""
        return replace(self, presses=self.presses % (len(self.stages) + 1) + 1)


class Coach:
    """Gives hints at *table*, and warns those sides that its game names."""

    def __init__(
        self,
        table: Table,
        inform: Callable[[str], None],
        thinker: Thinker | None = None,
        times: Times = USUAL,
    ) -> None:
        """*inform* gets failures."""
        self._table = table
        self._inform = inform
        self._thinker = thinker or Thinker()
        self._times = times
        self._task: asyncio.Task[None] | None = None
        self._position = ""
        """The position that the task, the hint and the warning are about."""
        self._hint: _Hint | None = None
        self._presses = 0
        """Presses of the hint key that were answered."""
        self._best: tuple[str, int] | None = None
        """A position of a warned side, and the value of its best move."""

    async def run(self) -> None:
        """Advise until cancelled."""
        with self._table.watch(Interest.PLAY) as has_changed:
            try:
                while True:
                    await self._follow(self._table.pipeline.view)
                    await has_changed.wait()
                    has_changed.clear()
            finally:
                await self._stop()

    async def _follow(self, view: TableView) -> None:
        """Do what *view* asks for."""
        pipeline = self._table.pipeline
        if PlayedBy.ELSEWHERE in view.played_by:
            return  # against people elsewhere a hint would be cheating
        if not view.gives_hints:
            self._presses = pipeline.layers.hints.presses
            self._table.advise(None)
        if view.position != self._position:
            await self._stop()
            self._position, self._hint = view.position, None
            self._examine(view)
        if view.gives_hints and view.advice is None and self._task is None:
            self._show_task(view)
        if pipeline.layers.hints.presses != self._presses:
            self._presses = pipeline.layers.hints.presses
            if "hint" in commands(view):
                await self._answer_press(view)

    async def _answer_press(self, view: TableView) -> None:
        """Show a hint, or more of it."""
        if self._hint is not None:
            self._hint = self._hint.after_a_press()
            self._table.advise(self._hint.shown())
        elif view.advice is None or view.advice.kind is AdviceKind.TASK:
            await self._stop()
            self._table.advise(Advice(AdviceKind.HINT, view.position))
            self._begin(self._seek(view))

    def _examine(self, view: TableView) -> None:
        """Examine the last move of a warned side, or its possible moves."""
        last, warned = view.record[-1] if view.record else None, self._table.current.setup.warned
        if view.outcome is not None or not view.gives_hints:
            return
        is_open = last is not None and (last.stage is Stage.PROVISIONAL or view.allows_take_back)
        if last is not None and last.side in view.seated and self._table.current.setup.puzzle:
            self._begin(self._prove(view, last.side))
        elif last is not None and last.side in warned and is_open and last.move:
            self._begin(self._judge(view, last.side, last.move))
        elif view.turn in warned and view.decider is None:
            self._begin(self._prepare(view))
        elif last is not None and last.side in warned:  # it cannot be judged: nobody waits for that
            self._table.advise(None, judged=view.position)

    def _show_task(self, view: TableView) -> None:
        """Say what is to be done in a puzzle, when the solver is to move."""
        left = self._moves_left(view, view.turn)
        if left and view.turn in view.seated and view.phase is Phase.WAITING and view.outcome is None:
            self._table.advise(Advice(AdviceKind.TASK, view.position, count=left))

    def _moves_left(self, view: TableView, side: Side) -> int:
        """Return how many moves of a puzzle *side* has left; 0 in a game."""
        return max(0, self._table.current.setup.puzzle - sum(move.side == side for move in view.record))

    async def _prove(self, view: TableView, side: Side) -> None:
        """Say so if *side* does not win its puzzle any more after its last move."""
        at = SearchInput(*self._at(view), most_ms=PROOF_MS)
        if not await self._thinker.proves(at, side, self._moves_left(view, side)):
            target = view.record[-1].target
            self._table.advise(Advice(AdviceKind.MISSED, view.position, (), target))

    async def _seek(self, view: TableView) -> None:
        """Find a hint, and show its first stage."""
        rules, position = self._at(view)
        past = self._table.pipeline.session.earlier()
        at = SearchInput(rules, position, past, self._times.hint_ms)
        found = await self._thinker.analyse(at, most_nodes=self._times.hint_nodes, with_claims=True)
        source, target = lit_cells(rules.steps(position, found.line[0]))
        cries = tuple(each.cry for each in rules.announcements(rules.apply(position, found.line[0])))
        move = written_move(rules, position, found.line[0])
        self._hint = _Hint(Advice(AdviceKind.HINT, view.position, source, target, found.claims, cries, move))
        self._table.advise(self._hint.shown())

    async def _prepare(self, view: TableView) -> None:
        """Find the value of the best move, before one is made."""
        at = SearchInput(*self._at(view), most_ms=self._times.before_ms)
        found = await self._thinker.analyse(at, most_nodes=self._times.nodes)
        self._best = view.position, found.value

    async def _judge(self, view: TableView, side: Side, move: str) -> None:
        """Warn if *move*, which *side* has made and can still take back, loses at once."""
        session = self._table.pipeline.session
        before = session.earlier()[-1]
        rules = session.rules
        at, known = SearchInput(rules, before, most_ms=self._times.move_ms), self._best
        if known is None or known[0] != rules.write_position(before):
            found = await self._thinker.analyse(at, most_nodes=self._times.nodes)
            known = rules.write_position(before), found.value
        made = await self._thinker.analyse(at, most_nodes=self._times.nodes, move=move, with_claims=True)
        if is_blunder(known[1], made.value):
            self._table.advise(_warning(made, view), judged=view.position)
            await asyncio.sleep(self._times.warning_s)
            self._table.advise(None, judged=view.position)
        else:
            self._table.advise(None, judged=view.position)

    def _at(self, view: TableView) -> tuple[AnyRules, Any]:
        rules = self._table.pipeline.session.rules
        return rules, rules.read_position(view.position)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        work = guarded(Phrase("the coach"), self._without_failure(work), self.show)
        self._task = asyncio.create_task(work, name="coach thinks")

    async def _without_failure(self, work: Coroutine[Any, Any, None]) -> None:
        """Do *work*; say why it fails, and show no advice then."""
        try:
            await work
        except CompanionError as fault:
            self.show(fault)
            self._table.advise(None, judged=self._position)

    def show(self, said: str | CompanionError) -> None:
        """Say *said* in the language of the table."""
        self._inform(translate(said, self._table.pipeline.words.language))

    async def _stop(self) -> None:
        """End the present work, with its process if it computes."""
        task, self._task = self._task, None
        if task is not None and not task.done():
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            await self._thinker.kill()

    async def close(self) -> None:
        """End the process."""
        await self._thinker.kill()


def is_blunder(best: int, made: int) -> bool:
    """True if a move of value *made* loses at once where the value was *best*."""
    if made <= -SURE:
        return best > -SURE
    return best < SURE and best - made >= _LOSS


def _warning(made: Analysis, view: TableView) -> Advice:
    """Return the warning of the last move, which is judged as *made*."""
    return Advice(AdviceKind.WARNING, view.position, (), view.record[-1].target, made.claims)


@asynccontextmanager
async def coached(coach: Coach) -> AsyncIterator[None]:
    """Let *coach* advise inside the block."""
    try:
        async with running(guarded(Phrase("the coach"), coach.run(), coach.show), "coach"):
            yield
    finally:
        await coach.close()
