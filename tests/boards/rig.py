# SPDX-License-Identifier: Apache-2.0
"""A table with a simulated board in virtual time, and a hand for its pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

from companion import games
from companion.feedback.lights import LampLevel
from companion.feedback.words import load
from companion.host.devices.boards import BOARDS
from companion.host.table.link_status import LinkState
from companion.host.table.pipeline import Pipeline
from companion.referee.session.session import Session
from companion.referee.values.events import Stage
from tests.host.tables import Kept
from tests.virtual.boards.certabo import VirtualCertaboBoard
from tests.virtual.boards.chessnut import VirtualChessnutBoard
from tests.virtual.boards.dgt import VirtualDgtBoard
from tests.virtual.boards.ichessone import VirtualIChessOneBoard
from tests.virtual.boards.millennium import VirtualMillenniumBoard
from tests.virtual.boards.pegasus import VirtualPegasusBoard
from tests.virtual.boards.squareoff import VirtualSquareOffBoard
from tests.virtual.boards.wire import Spoil, pieces_of

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
BESIDE = "-"
"""The place beside the board."""


class VirtualBoard(Protocol):
    """What all simulated boards have in common."""

    def put(self, square: str, letter: str, now_ms: int) -> None: ...

    def take(self, square: str, now_ms: int) -> None: ...

    def feed(self, data: bytes, now_ms: int) -> None: ...

    def bytes_to_send(self, now_ms: int) -> bytes: ...

    def next_deadline_ms(self) -> int: ...


Maker: TypeAlias = Callable[[Mapping[str, str], Spoil], VirtualBoard]
"""Makes a simulated board with pieces on it, some of whose messages are damaged."""

MAKERS: Mapping[str, Maker] = {
    "dgt": lambda pieces, spoil: VirtualDgtBoard(pieces, 0, spoil=spoil),
    "millennium": lambda pieces, spoil: VirtualMillenniumBoard(pieces, 0, spoil=spoil),
    "certabo": lambda pieces, spoil: VirtualCertaboBoard(pieces, 0, spoil=spoil),
    "sentio": lambda pieces, spoil: VirtualCertaboBoard(pieces, 0, has_tags=False, spoil=spoil),
    "chessnut": lambda pieces, _spoil: VirtualChessnutBoard(pieces, 0),
    "chessnut-move": lambda pieces, _spoil: VirtualChessnutBoard(pieces, 0, is_move=True),
    "chessnut-move-le": lambda pieces, _spoil: VirtualChessnutBoard(pieces, 0, is_move=True),
    "chessnut-le": lambda pieces, _spoil: VirtualChessnutBoard(pieces, 0),
    "millennium-le": lambda pieces, _spoil: VirtualMillenniumBoard(pieces, 0),
    "pegasus": lambda pieces, _spoil: VirtualPegasusBoard(pieces, 0),
    "ichessone": lambda pieces, _spoil: VirtualIChessOneBoard(pieces, 0),
    "squareoff": lambda pieces, _spoil: VirtualSquareOffBoard(pieces, 0),
}
"""A simulated board of each kind; USB and Bluetooth LE keep messages undamaged."""


def lamps_of(board: VirtualBoard) -> object:
    """The state of the board's lamps, to compare; None without lamps."""
    return getattr(board, "lamps", None) or frozenset(getattr(board, "lit", ())) or None


class BoardRig:
    """A pipeline and a simulated board, connected by a perfect cable."""

    def __init__(
        self,
        name: str,
        board: VirtualBoard,
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
        """*name* is that of the board in `--port`; *pieces* are those that stand on it."""
        rules = games.find(slug).rules(options)
        position: Any = rules.read_position(start) if start else None
        session = session or Session(rules, BOARDS[name].kind(rules), start=position)
        self.kept = Kept()
        self.pipeline = Pipeline(
            session,
            load("en", slug, rules.sides),
            BOARDS[name].connection(),
            self.kept.keep,
            at=at,
            lamps=lamps,
        )
        self.board = board
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
        """The state of the link to the board."""
        return self.pipeline.status.state

    def advance(self, by_ms: int) -> None:
        """Let *by_ms* pass."""
        until_ms = self.now_ms + by_ms
        while True:
            self._exchange()
            due_ms = self.board.next_deadline_ms()
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
            self.board.feed(said, self.now_ms)
            answered = self.board.bytes_to_send(self.now_ms)
            if not said and not answered:
                return
            self.pipeline.receive(answered, self.now_ms)

    def lift(self, square: str) -> str:
        """Lift the piece of *square*; returns its letter."""
        self.board.take(square, self.now_ms)
        return self.standing.pop(square)

    def put(self, square: str, letter: str) -> None:
        """Put a piece on *square*."""
        self.board.put(square, letter, self.now_ms)
        self.standing[square] = letter

    def carry(self, path: str, *, hold_ms: int = 400, rest_ms: int = 1800) -> None:
        """Carry a piece over the squares of *path*; `-` is beside the board."""
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
