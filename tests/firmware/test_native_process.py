# SPDX-License-Identifier: Apache-2.0
"""The native panel as a process: pyserial on its pty, switches on stdin."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import serial

from companion.link.framing import Decoder, Packet, encode_packet
from companion.link.protocol_gen import (
    BAUD,
    FINGERPRINT,
    INPUT_LEVEL,
    INPUT_LEVER,
    MESSAGES,
    REPLY_BIT,
    Colour,
    Edges,
    Hello,
    HelloReply,
    Lamp,
    LedFill,
    LedPalette,
    Message,
    Run,
    Text,
    decode_message,
)
from tests.firmware.native import built

pytestmark = pytest.mark.native
PATIENCE_S = 60
"""A loaded machine is slow; a right answer ends the wait."""


@dataclass
class Process:
    """The process and our end of its line."""

    process: subprocess.Popen[str]
    port: serial.Serial
    decoder: Decoder
    waiting: list[Message]

    def order(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def picture(self) -> list[str]:
        """Return what it shows: a line of LEDs, two of text, one of the pitch."""
        self.order("picture")
        return [self.answer() for _ in range(4)]

    def next_of(self, kind: type[Message]) -> Message:
        """Return the next message of a kind; others are passed over."""
        while True:
            for index, message in enumerate(self.waiting):
                if isinstance(message, kind):
                    del self.waiting[: index + 1]
                    return message
            data = self.port.read(max(1, self.port.in_waiting))
            assert data, f"no {kind.__name__} within {PATIENCE_S} s"
            framed = self.decoder.feed(data)
            self.waiting += [decode_message(p.type, p.payload) for p in framed if isinstance(p, Packet)]

    def ask(self, command: Message, seq: int) -> Message:
        self.port.write(encode_packet(Packet(command.TYPE, seq, command.encode())))
        return self.next_of(MESSAGES[command.TYPE | REPLY_BIT])


@pytest.fixture
def panel() -> Iterator[Process]:
    with subprocess.Popen(
        [built("panel-4x8")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        name = process.stdout.readline().split()[1]
        with serial.serial_for_url(name, BAUD, timeout=PATIENCE_S) as port:
            yield Process(process, port, Decoder(), [])
        process.stdin.close()
        assert process.wait() == 0


def test_a_host_talks_to_it_over_pyserial(panel: Process) -> None:
    about = panel.ask(Hello(1, 0, 77, FINGERPRINT), 1)
    assert isinstance(about, HelloReply)
    assert (about.cells, about.nonce) == (32, 77)
    panel.order("close 9")
    edges = panel.next_of(Edges)
    assert isinstance(edges, Edges)
    assert [edge.input for edge in edges.edges] == [9 | INPUT_LEVEL]
    panel.order("lever 1")
    edges = panel.next_of(Edges)
    assert isinstance(edges, Edges)
    assert [edge.input for edge in edges.edges] == [INPUT_LEVER | INPUT_LEVEL]


def test_the_native_panel_prints_what_it_shows(panel: Process) -> None:
    panel.ask(LedPalette(1, (Colour(16, 32, 48, 0, 0, 0, 0, 0),)), 1)
    panel.ask(LedFill(Lamp.SHOW, (Run(4, 1, 1),)), 2)
    panel.ask(Text(0, "Sword moves"), 3)
    leds = panel.picture()[0].split()[1:]
    assert [place for place, colour in enumerate(leds) if colour != "000000"] == [7], "rank 2 runs backwards"
    assert leds[7] == "102030"
    while panel.picture()[1] != "text Sword moves":
        pass  # the display is drawn letter by letter


def test_an_order_it_does_not_know_is_named(panel: Process) -> None:
    panel.order("dance 3")
    assert panel.answer() == "not understood: dance 3"
