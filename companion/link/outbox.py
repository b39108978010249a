# SPDX-License-Identifier: Apache-2.0
"""Messages to be sent to a panel: commands in order, and the newest picture only.

Pure. Lamps, palette and lines of text are targets, compared with the known state of the panel:
a replaced target costs nothing, and a restarted panel is updated automatically.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final, TypeAlias

from companion.link.framing import OVERHEAD
from companion.link.paint import Image, Stroke, paint, painted
from companion.link.protocol_gen import (
    FIRST_FAILURE,
    MAX_CELLS,
    MAX_PACKET_LARGE,
    MAX_PACKET_SMALL,
    PALETTE_SIZE,
    TEXT_BYTES,
    Colour,
    HelloReply,
    Lamp,
    LedFill,
    LedPalette,
    LedSet,
    LedShow,
    Message,
    Status,
    Text,
    Whole,
)

Palette: TypeAlias = tuple[Colour, ...]

_COLOUR_BYTES: Final = 8
_MOST_LEDS: Final = 2 * MAX_CELLS


class Outbox:
    """Requests and commands for one panel, one command at a time."""

    def __init__(self) -> None:
        self._commands: deque[Whole] = deque()
        self._wanted_palette: Palette = ()
        self._wanted_image: Image | None = None
        self._wanted_lines: dict[int, str] = {}
        self._is_up_to_date = False
        """True while the panel is known to show all targets."""
        self._are_lamps_right = False
        """True while the panel is known to show the target lamps."""
        self._hello: HelloReply | None = None
        self._leds = 0
        """LEDs to paint, limited to a plausible number."""
        self._palette: Palette = ()
        self._image: Image | None = None
        self._is_shown = False
        self._lines: dict[int, str] = {}

    def restart(self, hello: HelloReply | None) -> tuple[Whole, ...]:
        """Restart for a new panel, *hello*, or for none; the targets stay.

        Returns the commands that are given up.
        """
        lost, self._commands = tuple(self._commands), deque()
        self._is_up_to_date = self._are_lamps_right = False
        self._hello, self._leds = hello, 0 if hello is None else min(hello.leds, _MOST_LEDS)
        self._palette, self._image, self._lines = (), None, {}
        self._is_shown = False
        return lost

    def send(self, command: Whole) -> None:
        """Send *command* after the queued ones."""
        self._commands.append(command)

    def show(self, image: Image) -> None:
        """Set the target image: a palette index for each LED; LEDs beyond it are dark."""
        if image != self._wanted_image:
            self._wanted_image = image
            self._is_up_to_date = self._are_lamps_right = False

    def colour(self, palette: Palette) -> None:
        """Set the target palette, from index 0, used with the next image.

        At most `PALETTE_SIZE` colours.
        """
        if len(palette) > PALETTE_SIZE:
            raise ValueError(f"{len(palette)} colours; a panel has {PALETTE_SIZE}")
        self._wanted_palette = palette
        self._is_up_to_date = self._are_lamps_right = False

    def write(self, line: int, text: str) -> None:
        """Set the target *text* of *line*, cut to the length of a packet."""
        wanted = text.encode()[:TEXT_BYTES].decode(errors="ignore")
        if wanted != self._wanted_lines.get(line):
            self._wanted_lines[line] = wanted
            self._is_up_to_date = False

    def next(self) -> Whole | None:
        """The command to be sent now, or None. Lamps precede text: players wait for them."""
        if self._hello is None:
            return None
        if self._commands:
            return self._commands[0]
        if self._is_up_to_date:
            return None
        command = None if self._are_lamps_right else next(self._lamps(self._hello), None)
        self._are_lamps_right = command is None
        command = command or next(self._text(self._hello), None)
        self._is_up_to_date = command is None
        return command

    def done(self, command: Whole) -> bool:
        """Note that the panel has answered *command*; True if it came from `send`."""
        if self._commands and command is self._commands[0]:
            self._commands.popleft()
            return True
        # A refused target counts as shown: a repetition would be refused again.
        match command:
            case LedPalette():
                colours = list(self._palette)
                colours[command.first : command.first + len(command.colours)] = command.colours
                self._palette = tuple(colours)
                self._is_shown = False
            case LedFill() | LedSet() | LedShow():
                self._note_stroke(command)
            case Text():
                self._lines[command.line] = command.text
        return False

    def _note_stroke(self, stroke: Stroke) -> None:
        """Store the colours to which the LEDs are now set."""
        self._image = painted(self._image, stroke, self._leds)
        self._is_shown = isinstance(stroke, LedShow) or Lamp.SHOW in stroke.flags

    def _lamps(self, hello: HelloReply) -> Iterator[Whole]:
        """The commands that the lamps still need."""
        if not self._leds or self._wanted_image is None:
            return
        max_packet = min(max(hello.max_packet, MAX_PACKET_SMALL), MAX_PACKET_LARGE)
        fit = (max_packet - OVERHEAD - 1) // _COLOUR_BYTES
        for first in range(0, len(self._wanted_palette), fit):
            part = self._wanted_palette[first : first + fit]
            if self._palette[first : first + len(part)] != part:
                yield LedPalette(first, part)
        image = (self._wanted_image + (0,) * self._leds)[: self._leds]
        if self._image != image or not self._is_shown:
            yield from paint(self._image, image, max_packet)

    def _text(self, hello: HelloReply) -> Iterator[Whole]:
        """The commands that the lines still need."""
        for line, text in self._wanted_lines.items():
            if line < hello.text_lines and self._lines.get(line) != text:
                yield Text(line, text)


def reply_status(reply: Message) -> Status:
    """The status byte of *reply*, a reply of any kind."""
    status = getattr(reply, "status", Status.OK)
    assert isinstance(status, Status)
    return status


def is_refused(reply: Message) -> bool:
    """True if the command was not carried out."""
    return reply_status(reply) >= FIRST_FAILURE
