# SPDX-License-Identifier: Apache-2.0
"""Films of games, and a Chromium that takes one for its camera."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
from playwright.sync_api import Browser, Playwright

from companion.sensing.vision.codes import Grey
from tests.host.printed import PrintedTable

BITS = 12
"""Squares of the number of an image, the highest first; a light one is 1."""
BIT_PX = 40
"""Their size in the upper left corner of the image."""
_OPENING = 90
_MOVING = 5
_RESTING = 45
"""Images before the first move, of each motion of a hand, and after a move."""


def filmed(path: Path, moves: Sequence[str], *, resting: int = _RESTING) -> list[int]:
    """Write *path*, in which hands make *moves* of Close Quarters, at 30 images a second.

    Returns the number of the first image without a hand after each move.
    """
    table, ends = PrintedTable(), []
    images = [table.see() for _ in range(_OPENING)]
    for move in moves:
        *motions, last = table.carry(move)
        images += [image for image in motions for _ in range(_MOVING)]
        ends.append(len(images))
        images += [last, *(table.see() for _ in range(resting))]
    with path.open("wb") as out:
        for number, image in enumerate(images):
            out.write(cv2.imencode(".jpg", _numbered(image, number))[1].tobytes())
    return ends


def _numbered(image: Grey, number: int) -> Grey:
    """*image* with its *number*, in colour."""
    shown = image.copy()
    for bit in range(BITS):
        left = bit * BIT_PX
        shown[:BIT_PX, left : left + BIT_PX] = 235 * (number >> (BITS - 1 - bit) & 1) + 10
    return np.asarray(cv2.cvtColor(shown, cv2.COLOR_GRAY2BGR), np.uint8)


class Scene:
    """A film of one image, which a test replaces while a Chromium repeats it.

    So a game before it is as slow as the machine.
    """

    def __init__(self, path: Path, image: Grey) -> None:
        """*path*: a file whose name ends in `.y4m`."""
        self._path = path
        height, width = image.shape
        self._head = f"YUV4MPEG2 W{width} H{height} F30:1 Ip A1:1 C420\nFRAME\n".encode("ascii")
        path.write_bytes(self._head + _planes(image))

    def show(self, image: Grey) -> None:
        """Show *image* from now on; it has the size of the first."""
        with self._path.open("r+b") as out:
            out.seek(len(self._head))
            out.write(_planes(image))


def _planes(image: Grey) -> bytes:
    """*image* in the planes of YUV 4:2:0."""
    return cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), cv2.COLOR_BGR2YUV_I420).tobytes()


@contextmanager
def phone(playwright: Playwright, chromium: Path, film: Path) -> Iterator[Browser]:
    """*chromium* with *film* as its camera, which is always allowed."""
    words = [
        "--no-sandbox",
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    ]
    with playwright.chromium.launch(executable_path=chromium, args=words) as browser:
        yield browser
