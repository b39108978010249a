# SPDX-License-Identifier: Apache-2.0
"""Flashing with the real avrdude: a board on a pseudo-terminal, with panel and boot loader.

The boot loader speaks STK500 as Optiboot does. A pseudo-terminal has no DTR, so the board enters
the boot loader when avrdude begins to speak.
"""

from __future__ import annotations

import os
import pty
import select
import shutil
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pytest

from companion.host.clock import monotonic
from companion.host.doctor.flash import flash, program_of
from companion.link.panel import load_panel, panel_names
from companion.link.protocol_gen import BoardKind, HelloReply
from companion.model.errors import FlashError
from companion.model.phrase import Phrase
from companion.virtual.panel import VirtualPanel

pytestmark = pytest.mark.skipif(
    shutil.which("avrdude") is None and os.environ.get("CI") != "true",
    reason="avrdude missing: apt-get install -y avrdude",
)
SYNC, LOAD_ADDRESS, PROG_PAGE, READ_PAGE, READ_SIGN, LEAVE = 0x30, 0x55, 0x64, 0x74, 0x75, 0x51
LENGTHS = {0x41: 1, 0x42: 20, 0x45: 5, 0x56: 4, LOAD_ADDRESS: 2}
"""Bytes of arguments before the end mark; other commands have none, or are handled apart."""
IN_SYNC, DONE, END = b"\x14", b"\x10", 0x20


def image(hex_file: str) -> bytes:
    """The bytes of an Intel HEX file that begins at 0."""
    data = b""
    for line in hex_file.splitlines():
        record = bytes.fromhex(line[1:])
        if record[3] == 0:
            data += record[4 : 4 + record[0]]
    return data


@dataclass
class Board:
    """A Nano: its flash, its boot loader, and the panel that its program makes."""

    name: str
    spoils: bool = False
    """A fault: a byte of each page is not kept."""
    signature: bytes = b"\x1e\x95\x0f"
    flash: bytearray = field(default_factory=lambda: bytearray(b"\xff" * 32768))
    is_booting: bool = False
    address: int = 0
    pending: bytes = b""

    def __post_init__(self) -> None:
        self.clock = monotonic()
        self.start(self.name)

    def start(self, name: str) -> None:
        self.panel = VirtualPanel(load_panel(name), unique_id=b"flashed!", session=5, now_ms=self.clock())

    def receive(self, data: bytes) -> bytes:
        """What the board answers to *data*."""
        if not self.is_booting and data.startswith(bytes((SYNC, END))):
            self.is_booting, self.pending = True, b""
        if not self.is_booting:
            self.panel.feed(data, self.clock())
            return self.panel.bytes_to_send(self.clock())
        self.pending += data
        answer = b""
        while self.is_booting and (said := self._command()) is not None:
            answer += said
        return answer

    def idle(self) -> bytes:
        return b"" if self.is_booting else self.panel.bytes_to_send(self.clock())

    def _command(self) -> bytes | None:
        """Carry out the first pending command; None if it is not complete."""
        if len(self.pending) < 2:
            return None
        command = self.pending[0]
        size = LENGTHS.get(command, 0)
        if command in (PROG_PAGE, READ_PAGE):
            if len(self.pending) < 4:
                return None
            size = 3 + (int.from_bytes(self.pending[1:3], "big") if command == PROG_PAGE else 0)
        if len(self.pending) < size + 2:
            return None
        given, self.pending = self.pending[1 : size + 1], self.pending[size + 2 :]
        return IN_SYNC + self._obey(command, given) + DONE

    def _obey(self, command: int, given: bytes) -> bytes:
        if command == LOAD_ADDRESS:
            self.address = 2 * int.from_bytes(given, "little")
        elif command == PROG_PAGE:
            self.flash[self.address : self.address + len(given) - 3] = given[3:]
            if self.spoils:
                self.flash[self.address] ^= 1
        elif command == READ_PAGE:
            return bytes(self.flash[self.address : self.address + int.from_bytes(given[:2], "big")])
        elif command == READ_SIGN:
            return self.signature
        elif command == LEAVE:
            self.is_booting = False
            written = [name for name in panel_names() if load_panel(name).chip == "atmega328p"]
            self.start(next((name for name in written if self.has(name)), self.name))
        elif command in (0x41, 0x56):
            return b"\x03" if command == 0x41 else b"\x00"
        return b""

    def has(self, name: str) -> bool:
        data = image(program_of(name).read_text())
        return bytes(self.flash[: len(data)]) == data


@contextmanager
def plugged_in(board: Board) -> Iterator[str]:
    """The port of *board*."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    stop, wake = os.pipe()

    def serve() -> None:
        while True:
            ready, _, _ = select.select([ours, stop], [], [], 0.02)
            if stop in ready:
                return
            os.write(ours, board.receive(os.read(ours, 4096)) if ours in ready else board.idle())

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield os.ttyname(theirs)
    finally:
        os.write(wake, b".")
        thread.join()
        for each in (ours, theirs, stop, wake):
            os.close(each)


def test_a_panel_s_program_is_written_verified_and_answers() -> None:
    board, said = Board("5x5"), list[Phrase]()
    with plugged_in(board) as port:
        flash("8x8", port, said.append)
    assert board.has("8x8")
    assert said[0].startswith("found: 5x5")
    assert said[1:] == ["written and verified: nano-8x8.hex", "8x8 answers"]


def test_a_program_that_the_chip_does_not_keep_is_reported_with_the_way_to_recover() -> None:
    with plugged_in(Board("8x8", spoils=True)) as port, pytest.raises(FlashError, match="boot loader"):
        flash("4x8", port, lambda _said: None)


def test_the_program_of_another_chip_is_refused_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = Board("8x8")
    describe = board.panel.device.describe

    def as_nano(nonce: int) -> HelloReply:
        return replace(describe(nonce), board=BoardKind.ATMEGA328P)

    monkeypatch.setattr(board.panel.device, "describe", as_nano)
    with plugged_in(board) as port, pytest.raises(FlashError, match="ATMEGA328P, and 20x20 is for another"):
        flash("20x20", port, lambda _said: None)
    assert set(board.flash) == {0xFF}


@pytest.mark.parametrize("name", [name for name in panel_names() if load_panel(name).chip != "rp2040"])
def test_every_panel_of_an_avr_has_its_program(name: str) -> None:
    assert len(image(program_of(name).read_text())) > 8000
