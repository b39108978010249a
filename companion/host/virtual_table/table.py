# SPDX-License-Identifier: Apache-2.0
"""A virtual table: pieces, the hands that move them, and the panel below.

Its rule: hands know no rules, and execute one motion after another at a human pace. The panel
senses only which cells are covered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from companion.host.clock import Clock
from companion.host.devices.ports import OnChunk, OnEnd, Port, VirtualPort
from companion.host.virtual_table.completion import DropResult, Offer, Rearrangement, completing
from companion.host.virtual_table.hands import (
    Choose,
    Clear,
    Drop,
    Flip,
    Hand,
    Lift,
    Motion,
    PressClock,
    PutAway,
    PutBack,
    SetRight,
    Take,
    Touch,
    Turn,
)
from companion.model.game import Violation
from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.occupancy import cells_of
from companion.model.pieces import Piece, Side
from companion.model.placement import Placement
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet

_HAND_S: Final = 0.12
"""Interval between two motions of a hand; a part of it covers the panel's debounce.

Faster clicks and keys are queued.
"""


Move: TypeAlias = tuple[Step, ...]
"""The steps of a move."""

Permits: TypeAlias = Callable[[PieceSet], bool]
"""Returns true if a motion may be made with these pieces."""

Judge: TypeAlias = Callable[[PieceSet, Cell], Awaitable[DropResult]]
"""Returns what the drop of the held piece on a cell becomes."""

Offers: TypeAlias = Callable[[PieceSet], Offer | None]
"""Returns the moves of a lifted piece that no drop makes."""


async def _plain(_pieces: PieceSet, _cell: Cell) -> DropResult:
    """Return that a drop is just a drop."""
    return None


def _nothing(_pieces: PieceSet) -> Offer | None:
    """Return that nothing is offered."""
    return None


class VirtualTable:
    """The pieces of a virtual table and the panel under them."""

    def __init__(
        self, panel: VirtualPanel, pieces: PieceSet, clock: Clock, under: Sequence[int] = (), name: str = ""
    ) -> None:
        """*under* has the panel's cell under each of the pieces' cells; empty if equal.

        *name* is that of a panel that was chosen; empty for the one that fits the game.
        """
        self.name: Final = name
        self._under = under or range(panel.device.panel.cells)
        self.panel = panel
        self.pieces = pieces
        self._clock = clock
        self._port: VirtualPort | None = None
        self._moved_s = -_HAND_S
        """Time of the last motion, on the event loop's clock."""
        self.refused: Violation | None = None
        """The rule that the last motion would have broken; None if it was made."""
        self._asked: Offer | None = None
        self._judge: Judge = _plain
        self._offers: Offers = _nothing
        self._waiting: asyncio.Queue[tuple[Motion | None, Permits | None]] = asyncio.Queue()
        """Queued motions with their permission; None exchanges pieces that were corrected."""
        self._is_moving = False
        for cell in cells_of(pieces.occupied):
            panel.close(self._under[cell], clock())

    async def open_port(self, on_chunk: OnChunk, _on_end: OnEnd) -> Port:
        """Connect to the panel: an `OpenPort`."""
        self._port = VirtualPort(self.panel, self._clock, on_chunk)
        self._port.fetch()
        return self._port

    @property
    def is_idle(self) -> bool:
        """True if every queued motion has been executed."""
        return self._waiting.empty() and not self._is_moving

    @property
    def offer(self) -> Offer | None:
        """The moves that the hand may complete by a choice, if there are several."""
        return self._asked or self._offers(self.pieces)

    def do(self, hand: Motion, permits: Permits | None = None) -> None:
        """Queue a motion or the steps of a move; *permits* is asked later."""
        self._waiting.put_nowait((hand, permits))

    def agree(self) -> None:
        """Queue the exchange of each piece whose identity the players have corrected."""
        self._waiting.put_nowait((None, None))

    def supply(self, hands: Iterable[Iterable[Piece]], standing: Placement) -> bool:
        """Add the missing pieces of *hands* beside the board; true if any was missing.

        *standing* is the recorded placement on the board.
        """
        held = [piece for hand in hands for piece in hand]
        before = self.pieces
        if held:
            self.pieces = before.supply([*held, *(piece for piece, _ in standing.entries)])
        return self.pieces is not before

    async def run(
        self,
        believed: Callable[[], Placement],
        has_changed: Callable[[bool], None],
        judge: Judge = _plain,
        offers: Offers = _nothing,
    ) -> None:
        """Execute queued motions forever.

        *believed* returns the recorded placement.

        *has_changed* is called after each motion, with true if the panel senses it, too. *judge*
        decides on drops, and *offers* on moves that are none.
        """
        self._judge, self._offers = judge, offers
        while True:
            hand, permits = await self._waiting.get()
            if permits is not None and not permits(self.pieces):
                continue
            self._is_moving = True
            if isinstance(hand, PressClock):
                await self._press(hand.side)
            else:
                await self._execute(hand, believed, has_changed)
            self._is_moving = False

    async def _execute(
        self,
        hand: Motion | None,
        believed: Callable[[], Placement],
        has_changed: Callable[[bool], None],
    ) -> None:
        """Execute one queued motion on the pieces; the arguments are those of `run`."""
        result = await self._judged(hand)
        self.refused = result if isinstance(result, Violation) else None
        self._asked = result if isinstance(result, Offer) else None
        for pieces in self._looks(hand, result, believed):
            is_felt = pieces.occupied != self.pieces.occupied
            if is_felt:
                await self._take_time()
            self._become(pieces)
            has_changed(is_felt)
        if self._asked is not None:
            has_changed(False)

    async def _judged(self, hand: Motion | None) -> DropResult:
        """Return what the motion *hand* becomes; None for itself."""
        match hand:
            case Drop(cell) | Touch(cell) if self._asked is not None and cell == self._asked.over:
                return self._asked.as_it_is or self._asked
            case Drop(cell) | Touch(cell) if self.pieces.hand is not None:
                return await self._judge(self.pieces, cell)
            case Choose(ply, choice):
                offer = self.offer
                asked = offer and offer.question
                is_answer = asked and asked.ply == ply and 0 <= choice < len(asked.choices)
                return offer.answered(choice) if offer and is_answer else self._asked
        return None

    def _looks(
        self, hand: Motion | None, result: DropResult, believed: Callable[[], Placement]
    ) -> Iterable[PieceSet]:
        """Return the pieces after each step of *hand*, which becomes *result*."""
        match result:
            case Rearrangement():
                return completing(self.pieces, result)
            case Offer():
                return ()
            case Violation():
                return motions(self.pieces, PutBack(), believed())
        if isinstance(hand, tuple):
            return moving(self.pieces, hand)
        return () if isinstance(hand, Choose) else motions(self.pieces, hand, believed())

    async def _take_time(self) -> None:
        """Wait until the hand is free again."""
        now_s = asyncio.get_running_loop().time
        if (wait_s := self._moved_s + _HAND_S - now_s()) > 0:
            await asyncio.sleep(wait_s)
        self._moved_s = now_s()

    async def _press(self, side: Side) -> None:
        """Press and release a clock button, each long enough for the debounce."""
        for act in (self.panel.press, self.panel.release):
            act(side, self._clock())
            self._fetch()
            await asyncio.sleep(_HAND_S)

    def _become(self, pieces: PieceSet) -> None:
        """Apply *pieces* to the panel's switches."""
        now_ms = self._clock()
        for cell in cells_of(self.pieces.occupied & ~pieces.occupied):
            self.panel.open(self._under[cell], now_ms)
        for cell in cells_of(pieces.occupied & ~self.pieces.occupied):
            self.panel.close(self._under[cell], now_ms)
        self.pieces = pieces
        self._fetch()

    def _fetch(self) -> None:
        """Fetch the panel's output."""
        if self._port is not None:
            self._port.fetch()


def motions(pieces: PieceSet, hand: Hand | None, believed: Placement) -> Iterator[PieceSet]:
    """Yield the pieces after each step of *hand*;

    None exchanges pieces to match *believed*.

    A recorded stack is lifted as one and stays one.
    """
    pieces = pieces.stacked(believed)
    match hand:
        case None:
            yield pieces.agree(believed)
        case Touch(cell):
            yield from motions(pieces, Lift(cell) if pieces.hand is None else Drop(cell), believed)
        case Drop(cell):
            below = pieces.reach(cell)
            if pieces.hand is not None and any(pieces.standing.at(each) for each in below):
                pieces = pieces.clear(*below)
                yield pieces
            yield pieces.drop(cell)
        case SetRight():
            yield from _set_right(pieces, believed)
        case Clear():
            yield pieces.put_away().clear(*(cells[0] for _, cells in pieces.standing.entries))
        case _:
            yield _motion(pieces, hand)


def moving(pieces: PieceSet, move: Move) -> Iterator[PieceSet]:
    """Yield the pieces after each step of *move*: captures first, then carries.

    Nothing happens if the pieces do not fit the move, or the hand is full.
    """
    leaving = [step for step in move if not step.target]
    carried = [step for step in move if step.target]
    sources = {cell for step in move for cell in step.source}
    is_there = all(not step.source or _stands(pieces, step) for step in move)
    has_room = all(
        cell in sources or not pieces.standing.at(cell) for step in carried for cell in step.target
    )
    if pieces.hand is not None or not is_there or not has_room:
        return
    crossed = [
        step
        for step in carried
        if any(set(step.source) & set(other.target) for other in carried if other != step)
    ]
    for step in (*leaving, *crossed):
        pieces = pieces.clear(step.source[0])
        yield pieces
    for step in carried:
        if step.source and step not in crossed:
            pieces = pieces.lift(step.source[0])
            yield pieces
        pieces = pieces.put_away().stand(step.becomes, step.target)
        yield pieces


def _stands(pieces: PieceSet, step: Step) -> bool:
    """True if a piece covers exactly the source cells of *step*."""
    entry = pieces.standing.entry_at(step.source[0])
    return entry is not None and set(entry[1]) == set(step.source)


def _motion(pieces: PieceSet, hand: Hand) -> PieceSet:
    """Return the pieces after the single motion *hand*."""
    match hand:
        case Lift(cell):
            return pieces.lift(cell)
        case PutBack():
            source = pieces.hand.came_from if pieces.hand is not None else None
            back = pieces if source is None else pieces.drop(source)
            return pieces.put_away() if back == pieces else back
        case PutAway(cell):
            return pieces.put_away() if cell is None or pieces.hand is not None else pieces.clear(cell)
        case Take(index):
            return pieces.take(index)
        case Turn(cell, back):
            if cell is None or pieces.hand is not None:
                return pieces.turn(back=back)
            return pieces.turn_on(cell, back=back)
        case Flip(cell):
            return pieces.flip(None if pieces.hand is not None else cell)
    return pieces


def _set_right(pieces: PieceSet, believed: Placement) -> Iterator[PieceSet]:
    """Remove misplaced pieces, then put every piece of *believed* in place."""
    pieces = pieces.put_away()
    for piece, cells in pieces.standing.entries:
        if believed.entry_at(cells[0]) != (piece, cells):
            pieces = pieces.clear(cells[0])
    yield pieces
    for piece, cells in believed.entries:
        if pieces.standing.at(cells[0]) is None:
            pieces = pieces.stand(piece, cells)
    yield pieces
