# SPDX-License-Identifier: Apache-2.0
"""Lamp images as packets: few bytes from the present to the target colours.

Pure. An image is one palette index for each LED.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Final, TypeAlias

from companion.link.framing import OVERHEAD
from companion.link.protocol_gen import Lamp, LedFill, LedSet, LedShow, Run

Image: TypeAlias = tuple[int, ...]
Stroke: TypeAlias = LedFill | LedSet | LedShow

_RUN_BYTES: Final = 4
_FILL_HEAD: Final = 1
_SET_HEAD: Final = 4
_LONGEST_RUN: Final = 255


def paint(before: Image | None, after: Image, max_packet: int) -> tuple[Stroke, ...]:
    """The commands that turn the LEDs from *before* to *after*; the last one shows them.

    *before* is None if it is unknown.
    The colours are known after each command, so the target may change halfway.
    *max_packet* is the longest packet that the panel takes.
    Of three methods the one with the fewest bytes is used:
    clear and fill the lit LEDs, fill the different LEDs, or send the different span whole.
    """
    payload = max_packet - OVERHEAD
    lit = [led for led, colour in enumerate(after) if colour]
    ways = [_fill(_runs(after, lit), Lamp.CLEAR, payload)]
    if before is not None:
        changed = [led for led, colour in enumerate(after) if before[led] != colour]
        if not changed:
            return (LedShow(),)
        ways.append(_fill(_runs(after, changed), Lamp(0), payload))
        ways.append(_set(after, changed[0], changed[-1] + 1, payload))
    else:
        whole = _set(after, 0, len(after), payload)
        ways.append(whole if len(whole) == 1 else [LedFill(Lamp.CLEAR), *whole])
    *first, last = min(ways, key=lambda way: sum(map(_length, way)))
    return (*first, replace(last, flags=last.flags | Lamp.SHOW))


def painted(before: Image | None, stroke: Stroke, leds: int) -> Image | None:
    """The colours of *leds* LEDs after *stroke*; None while some are unknown."""
    if isinstance(stroke, LedShow):
        return before
    image = list(before) if before is not None else None
    if Lamp.CLEAR in stroke.flags:
        image = [0] * leds
    if isinstance(stroke, LedSet):
        colours = [byte >> shift & 15 for byte in stroke.colours for shift in (0, 4)][: stroke.count]
        if image is None and len(colours) == leds:
            image = [0] * leds
        spans = [(stroke.first, colours)]
    else:
        spans = [(run.first, [run.colour] * run.count) for run in stroke.runs]
    if image is None:
        return None
    for first, colours in spans:
        image[first : first + len(colours)] = colours
    return tuple(image)


def _length(stroke: LedFill | LedSet) -> int:
    """Bytes of the packet of *stroke*."""
    if isinstance(stroke, LedFill):
        return OVERHEAD + _FILL_HEAD + _RUN_BYTES * len(stroke.runs)
    return OVERHEAD + _SET_HEAD + len(stroke.colours)


def _runs(image: Image, leds: Sequence[int]) -> list[Run]:
    """Runs of one colour that cover *leds*."""
    runs: list[Run] = []
    first = end = colour = 0
    for led in leds:
        if led == end > first and image[led] == colour and end - first < _LONGEST_RUN:
            end += 1
            continue
        if end > first:
            runs.append(Run(first, end - first, colour))
        first, end, colour = led, led + 1, image[led]
    return [*runs, Run(first, end - first, colour)] if end > first else runs


def _fill(runs: list[Run], flags: Lamp, payload: int) -> list[LedFill | LedSet]:
    """*runs* in as few commands as possible, at least one; only the first clears."""
    fit = (payload - _FILL_HEAD) // _RUN_BYTES
    parts = [tuple(runs[at : at + fit]) for at in range(0, len(runs), fit)] or [()]
    return [LedFill(flags if index == 0 else Lamp(0), part) for index, part in enumerate(parts)]


def _set(image: Image, begin: int, end: int, payload: int) -> list[LedFill | LedSet]:
    """The span from *begin* to before *end*, packed."""
    fit = min((payload - _SET_HEAD) * 2, _LONGEST_RUN - 1)
    return [
        LedSet(Lamp(0), at, min(fit, end - at), _pack(image[at : min(at + fit, end)]))
        for at in range(begin, end, fit)
    ]


def _pack(colours: Image) -> bytes:
    """Two colours per byte, the first in the low half."""
    return bytes([low | high << 4 for low, high in zip_longest(colours[::2], colours[1::2], fillvalue=0)])
