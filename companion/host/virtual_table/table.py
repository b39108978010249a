# SPDX-License-Identifier: Apache-2.0
"""A virtual table as it stands in a room: wood, the hands that move it, and the panel under it.

Its rule: hands know no rules and take their time, one thing after another;
the panel notices which cells are covered, and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from companion.host.clock import Clock
from companion.host.devices.ports import OnChunk, OnEnd, Port, VirtualPort
from companion.host.virtual_table.hands import (
    Drop,
    Flip,
    Hand,
    Lift,
    PressClock,
    PutAway,
    PutBack,
    SetRight,
    Take,
    Touch,
    Turn,
)
from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.occupancy import cells_of
from companion.model.pieces import Piece, Side
from companion.model.placement import Placement
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet

_HAND_S: Final = 0.12
"""Between two things that a hand does to the board: none is faster, and the panel's debounce needs a part.

What is clicked or typed faster than that waits for its turn.
"""


Move: TypeAlias = tuple[Step, ...]
"""All that a move does to the wood."""

InTheWay: TypeAlias = Callable[[PieceSet, Cell], Awaitable[tuple[Cell, ...]]]
"""The cells whose pieces keep the one in the hand from being put on a cell; () if none does."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A piece could not be put down."""

    piece: Piece
    cells: tuple[Cell, ...]
    """Where others stand that it cannot capture."""


class VirtualTable:
    """The wood of a virtual table, and the panel that feels it."""

    def __init__(self, panel: VirtualPanel, pieces: PieceSet, clock: Clock) -> None:
        self.panel = panel
        self.pieces = pieces
        self._clock = clock
        self._port: VirtualPort | None = None
        self._moved_s = -_HAND_S
        """When a hand did something to the board the last time, by the loop's clock."""
        self.refused: Refused | None = None
        """That the last thing a hand wanted could not be done, and why; None if it was."""
        self._waiting: asyncio.Queue[Hand | Move | None] = asyncio.Queue()
        """What is to be done; None: exchange what was said to be another piece."""
        for cell in cells_of(pieces.occupied):
            panel.close(cell, clock())

    async def open_port(self, on_chunk: OnChunk, _on_end: OnEnd) -> Port:
        """The way to the panel: an `OpenPort`."""
        self._port = VirtualPort(self.panel, self._clock, on_chunk)
        self._port.fetch()
        return self._port

    def do(self, hand: Hand | Move) -> None:
        """Have *hand*, or all that a move does to the wood, done in its turn."""
        self._waiting.put_nowait(hand)

    def agree(self) -> None:
        """Have each piece exchanged, in its turn, of which somebody has told the companion that it is another."""
        self._waiting.put_nowait(None)

    def supply(self, hands: Iterable[Iterable[Piece]], standing: Placement) -> bool:
        """See to it that what is in *hands* lies beside a board on which *standing* belongs; True if it did not."""
        held = [piece for hand in hands for piece in hand]
        before = self.pieces
        if held:
            self.pieces = before.supply([*held, *(piece for piece, _ in standing.entries)])
        return self.pieces is not before

    async def run(
        self,
        believed: Callable[[], Placement],
        has_changed: Callable[[bool], None],
        in_the_way: InTheWay | None = None,
    ) -> None:
        """Do what was asked for, for ever. *believed* is where the companion thinks that the pieces belong.

        *has_changed* is called after each motion: with True if the panel is about to tell of it, too.
        A piece that others keep from being put down, as *in_the_way* says, goes back.
        """
        while True:
            hand = await self._waiting.get()
            if isinstance(hand, PressClock):
                await self._press(hand.side)
                continue
            held, self.refused = self.pieces.hand, None
            if in_the_way is not None and held is not None and isinstance(hand, Drop | Touch):
                cells = await in_the_way(self.pieces, hand.cell)
                if cells:
                    hand, self.refused = PutBack(), Refused(held.piece, cells)
            looks = (
                moving(self.pieces, hand)
                if isinstance(hand, tuple)
                else motions(self.pieces, hand, believed())
            )
            for pieces in looks:
                is_felt = pieces.occupied != self.pieces.occupied
                if is_felt:
                    await self._take_time()
                self._become(pieces)
                has_changed(is_felt)

    async def _take_time(self) -> None:
        """Wait until a hand can be back at the board."""
        now_s = asyncio.get_running_loop().time
        if (wait_s := self._moved_s + _HAND_S - now_s()) > 0:
            await asyncio.sleep(wait_s)
        self._moved_s = now_s()

    async def _press(self, side: Side) -> None:
        """Press a button, and let it go for long enough that the panel notices."""
        for act in (self.panel.press, self.panel.release):
            act(side, self._clock())
            self._fetch()
            await asyncio.sleep(_HAND_S)

    def _become(self, pieces: PieceSet) -> None:
        """Let the panel feel how *pieces* differs."""
        now_ms = self._clock()
        for cell in cells_of(self.pieces.occupied & ~pieces.occupied):
            self.panel.open(cell, now_ms)
        for cell in cells_of(pieces.occupied & ~self.pieces.occupied):
            self.panel.close(cell, now_ms)
        self.pieces = pieces
        self._fetch()

    def _fetch(self) -> None:
        """Bring what the panel has to say."""
        if self._port is not None:
            self._port.fetch()


def motions(pieces: PieceSet, hand: Hand | None, believed: Placement) -> Iterator[PieceSet]:
    """How *pieces* looks after each motion that *hand* takes; None exchanges what *believed* says is another piece.

    What *believed* says is a stack is taken as one, and stays one wherever the hand puts it.
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
        case _:
            yield _motion(pieces, hand)


def moving(pieces: PieceSet, move: Move) -> Iterator[PieceSet]:
    """How *pieces* looks after each motion that *move* takes: what is captured leaves first, then each piece is carried.

    Nothing happens if the pieces do not stand as the move wants them, or the hand is full.
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
    """True if a piece covers just the cells that *step* takes one from."""
    entry = pieces.standing.entry_at(step.source[0])
    return entry is not None and set(entry[1]) == set(step.source)


def _motion(pieces: PieceSet, hand: Hand) -> PieceSet:
    """How *pieces* looks after the one motion that *hand* takes."""
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
    """Take off what stands wrongly, then put every piece of *believed* where it belongs."""
    pieces = pieces.put_away()
    for piece, cells in pieces.standing.entries:
        if believed.entry_at(cells[0]) != (piece, cells):
            pieces = pieces.clear(cells[0])
    yield pieces
    for piece, cells in believed.entries:
        if pieces.standing.at(cells[0]) is None:
            pieces = pieces.stand(piece, cells)
    yield pieces
