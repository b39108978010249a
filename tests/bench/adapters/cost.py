# SPDX-License-Identifier: Apache-2.0
"""Simulated chess boards on pseudo-terminals, of the tree in whose folder this file runs.

Arguments: a folder, then the kind of each board: dgt, millennium, or panel for our own. The folder
gets a link to the terminal of each, named by its number. It prints a line once all are there. Each
line of standard input is what a hand does: the number of a board, a square, and the FEN letter of
the piece that is put there, or `-` when it is taken. It ends with its input. `tests.bench.cost`
starts it in both trees.
"""

from __future__ import annotations

import os
import select
import sys
import time
import tty
from pathlib import Path
from typing import Any, Final

from companion.link.panel import load_panel
from companion.virtual.panel import VirtualPanel
from tests.virtual.eboards.dgt import VirtualDgtEboard
from tests.virtual.eboards.millennium import VirtualMillenniumEboard

FILES: Final = "abcdefgh"
BEGUN: Final = {
    **{file + "1": piece for file, piece in zip(FILES, "RNBQKBNR", strict=True)},
    **{file + "2": "P" for file in FILES},
    **{file + "7": "p" for file in FILES},
    **{file + "8": piece for file, piece in zip(FILES, "rnbqkbnr", strict=True)},
}
"""The FEN letter of the piece on each square when a game begins."""


def now_ms() -> int:
    """This process' time."""
    return time.monotonic_ns() // 1_000_000


class OwnBoard:
    """Our panel, in the words of the others."""

    def __init__(self, number: int) -> None:
        self._panel = VirtualPanel(
            load_panel("8x8"), unique_id=number.to_bytes(8, "big"), session=number + 1, now_ms=now_ms()
        )
        self.feed = self._panel.feed
        self.bytes_to_send = self._panel.bytes_to_send
        self.next_deadline_ms = self._panel.next_deadline_ms
        for square, letter in BEGUN.items():
            self.put(square, letter, now_ms())

    def put(self, square: str, _letter: str, at_ms: int) -> None:
        """Put a piece on *square*."""
        self._panel.close(FILES.index(square[0]) + 8 * (int(square[1]) - 1), at_ms)

    def take(self, square: str, at_ms: int) -> None:
        """Take the piece from *square*."""
        self._panel.open(FILES.index(square[0]) + 8 * (int(square[1]) - 1), at_ms)


def made(kind: str, number: int) -> Any:
    """The board *number*, which is of *kind*, with the pieces of a new game."""
    if kind == "panel":
        return OwnBoard(number + 1)
    return {"dgt": VirtualDgtEboard, "millennium": VirtualMillenniumEboard}[kind](BEGUN, now_ms())


class Terminals:
    """Boards behind pseudo-terminals, by their numbers."""

    def __init__(self, folder: Path, kinds: list[str]) -> None:
        self.boards = [made(kind, number) for number, kind in enumerate(kinds)]
        self._far: list[int] = []
        self._near: list[int] = []
        """Kept open, so that a terminal stays while nobody has it open."""
        for number in range(len(kinds)):
            far, near = os.openpty()
            tty.setraw(near)
            (folder / str(number)).symlink_to(os.ttyname(near))
            self._far.append(far)
            self._near.append(near)

    def run(self) -> None:
        """Transfer bytes, and do what hands do, until the input ends."""
        hands = sys.stdin.fileno()
        heard = b""
        while True:
            for board, far in zip(self.boards, self._far, strict=True):
                if said := board.bytes_to_send(now_ms()):
                    os.write(far, said)
            wait_ms = max(min(board.next_deadline_ms() for board in self.boards) - now_ms(), 0)
            ready, _, _ = select.select([hands, *self._far], [], [], wait_ms / 1000)
            for board, far in zip(self.boards, self._far, strict=True):
                if far in ready:
                    board.feed(os.read(far, 4096), now_ms())
            if hands in ready:
                read = os.read(hands, 4096)
                if not read:
                    return
                *lines, heard = (heard + read).split(b"\n")
                for line in lines:
                    self._do(*line.decode().split())

    def _do(self, number: str, square: str, letter: str) -> None:
        board = self.boards[int(number)]
        if letter == "-":
            board.take(square, now_ms())
        else:
            board.put(square, letter, now_ms())


def main() -> None:
    """Let the boards stand there until the input ends."""
    terminals = Terminals(Path(sys.argv[1]), sys.argv[2:])
    print("ready", flush=True)
    terminals.run()


if __name__ == "__main__":
    main()
