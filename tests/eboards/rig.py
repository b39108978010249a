# SPDX-License-Identifier: Apache-2.0
"""A table with a simulated eboard in virtual time, and a hand for its pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

from companion import games
from companion.feedback.lights import LampLevel
from companion.feedback.words import load
from companion.host.devices.eboards import EBOARDS
from companion.host.table.link_status import LinkState
from companion.host.table.pipeline import Pipeline
from companion.referee.session.session import Session
from companion.referee.values.events import Stage
from tests.host.tables import Kept
from tests.virtual.eboards.certabo import VirtualCertaboEboard
from tests.virtual.eboards.chessnut import VirtualChessnutEboard
from tests.virtual.eboards.dgt import VirtualDgtEboard
from tests.virtual.eboards.ichessone import VirtualIChessOneEboard
from tests.virtual.eboards.millennium import VirtualMillenniumEboard
from tests.virtual.eboards.pegasus import VirtualPegasusEboard
from tests.virtual.eboards.squareoff import VirtualSquareOffEboard
from tests.virtual.eboards.wire import Spoil, pieces_of

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
BESIDE = "-"
"""The place beside the eboard."""


class VirtualEboard(Protocol):
    """What all simulated eboards have in common."""

    def put(self, square: str, letter: str, now_ms: int) -> None: ...

    def take(self, square: str, now_ms: int) -> None: ...

    def feed(self, data: bytes, now_ms: int) -> None: ...

    def bytes_to_send(self, now_ms: int) -> bytes: ...

    def next_deadline_ms(self) -> int: ...


Maker: TypeAlias = Callable[[Mapping[str, str], Spoil], VirtualEboard]
"""Makes a simulated eboard with pieces on it, some of whose messages are damaged."""

MAKERS: Mapping[str, Maker] = {
    "dgt": lambda pieces, spoil: VirtualDgtEboard(pieces, 0, spoil=spoil),
    "millennium": lambda pieces, spoil: VirtualMillenniumEboard(pieces, 0, spoil=spoil),
    "certabo": lambda pieces, spoil: VirtualCertaboEboard(pieces, 0, spoil=spoil),
    "sentio": lambda pieces, spoil: VirtualCertaboEboard(pieces, 0, has_tags=False, spoil=spoil),
    "chessnut": lambda pieces, _spoil: VirtualChessnutEboard(pieces, 0),
    "chessnut-move": lambda pieces, _spoil: VirtualChessnutEboard(pieces, 0, is_move=True),
    "chessnut-move-le": lambda pieces, _spoil: VirtualChessnutEboard(pieces, 0, is_move=True),
    "chessnut-le": lambda pieces, _spoil: VirtualChessnutEboard(pieces, 0),
    "millennium-le": lambda pieces, _spoil: VirtualMillenniumEboard(pieces, 0),
    "pegasus": lambda pieces, _spoil: VirtualPegasusEboard(pieces, 0),
    "ichessone": lambda pieces, _spoil: VirtualIChessOneEboard(pieces, 0),
    "squareoff": lambda pieces, _spoil: VirtualSquareOffEboard(pieces, 0),
}
"""A simulated eboard of each kind; USB and Bluetooth LE keep messages undamaged."""


def lamps_of(eboard: VirtualEboard) -> object:
    """The state of the eboard's lamps, to compare; None without lamps."""
    return getattr(eboard, "lamps", None) or frozenset(getattr(eboard, "lit", ())) or None


class EboardRig:
    """A pipeline and a simulated eboard, connected by a perfect cable."""

    def __init__(
        self,
        name: str,
        eboard: VirtualEboard,
        pieces: Mapping[str, str],
        *,
        slug: str = "chess",
        options: Mapping[str, str] | None = None,
        start: str = "",
        at: str = "",
        now_ms: int = 1000,
        session: Session | None = None,
        lamps: LampLevel = LampLevel.FULL,
    ) -> None:
        """*name* is that of the eboard in `--port`; *pieces* are those that stand on it."""
        rules = games.find(slug).rules(options)
        position: Any = rules.read_position(start) if start else None
        session = session or Session(rules, EBOARDS[name].kind(rules), start=position)
        self.kept = Kept()
        self.pipeline = Pipeline(
            session,
            load("en", slug, rules.sides),
            EBOARDS[name].connection(),
            self.kept.keep,
            at=at,
            lamps=lamps,
        )
        self.eboard = eboard
        self.standing = dict(pieces)
        self.now_ms = now_ms
        self.pipeline.reopen(now_ms)
        self.advance(1000)

    @property
    def moves(self) -> list[str]:
        """The announced moves."""
        record = self.pipeline.view.record
        return [each.move for each in record if each.stage is not Stage.PROVISIONAL]

    def state(self) -> LinkState:
        """The state of the link to the eboard."""
        return self.pipeline.status.state

    def advance(self, by_ms: int) -> None:
        """Let *by_ms* pass."""
        until_ms = self.now_ms + by_ms
        while True:
            self._exchange()
            due_ms = self.eboard.next_deadline_ms()
            host_ms = self.pipeline.next_deadline_ms()
            due_ms = due_ms if host_ms is None else min(due_ms, host_ms)
            if due_ms > until_ms:
                self.now_ms = until_ms
                return
            self.now_ms = max(due_ms, self.now_ms + 1)

    def _exchange(self) -> None:
        """Transfer bytes until both ends have nothing more to send."""
        while True:
            self.pipeline.tick(self.now_ms)
            if self.pipeline.is_unsafe:
                self.kept.sync()
                self.pipeline.made_safe(self.pipeline.unpublished)
            said = self.pipeline.bytes_to_send(self.now_ms)
            self.eboard.feed(said, self.now_ms)
            answered = self.eboard.bytes_to_send(self.now_ms)
            if not said and not answered:
                return
            self.pipeline.receive(answered, self.now_ms)

    def lift(self, square: str) -> str:
        """Lift the piece of *square*; returns its letter."""
        self.eboard.take(square, self.now_ms)
        return self.standing.pop(square)

    def put(self, square: str, letter: str) -> None:
        """Put a piece on *square*."""
        self.eboard.put(square, letter, self.now_ms)
        self.standing[square] = letter

    def carry(self, path: str, *, hold_ms: int = 400, rest_ms: int = 1800) -> None:
        """Carry a piece over the squares of *path*; `-` is beside the eboard."""
        source, *stops = path.split()
        letter = self.lift(source)
        for number, square in enumerate(stops):
            self.advance(hold_ms)
            if number:
                self.lift(stops[number - 1])
            if square != BESIDE:
                self.put(square, letter)
        self.advance(rest_ms)

    def play(self, moves: str, **pace: int) -> None:
        """Make *moves*, such as `e2e4 e7e5`; a captured piece is taken off first."""
        for move in moves.split():
            source, target = move[:2], move[2:4]
            if target in self.standing:
                self.carry(f"{target} {BESIDE}", rest_ms=300)
            self.carry(f"{source} {target}", **pace)


def chess_pieces(fen: str = START) -> dict[str, str]:
    """The pieces of *fen*, by square."""
    return pieces_of(fen)
