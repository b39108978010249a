# SPDX-License-Identifier: Apache-2.0
"""Times of the images in a film.

They come from the film, since the images of telephones and screen recorders are unevenly spaced. A
bare stream of video has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

import cv2

from companion.model.errors import CameraUnavailable, Outage
from companion.sensing.devices import is_recorded
from companion.sensing.vision.codes import Grey

_RATE: Final = re.compile(r"(.+)@(\d{1,3}(?:\.\d{1,3})?)")
"""A film with its images per second."""

Timed: TypeAlias = tuple[float, Grey]
"""An image with its time in ms from the first; always 0 for live sources."""


def path_and_rate(source: str) -> tuple[str, float | None]:
    """The path of a film, and its images per second if *source* names them.

    >>> path_and_rate("game.avi"), path_and_rate("game.h264@30")
    (('game.avi', None), ('game.h264', 30.0))
    """
    named = _RATE.fullmatch(source) if is_recorded(source) and not Path(source).exists() else None
    return (source, None) if named is None else (named[1], float(named[2]))


def timed(images: Iterator[Timed], device: cv2.VideoCapture, source: str) -> Iterator[Timed]:
    """The *images* of *device*, each with its time in the film *source*.

    Raises `CameraUnavailable` if the film has no times.
    """
    first_ms, last_ms = 0.0, -1.0
    for number, (_, image) in enumerate(images):
        at_ms = device.get(cv2.CAP_PROP_POS_MSEC)
        if number == 0:
            first_ms = at_ms
        elif at_ms <= last_ms == first_ms:
            raise CameraUnavailable(
                "{source} has no times: name its images per second, as {source}@30",
                source=source,
                outage=Outage.BROKEN,
            )
        last_ms = max(last_ms, at_ms)
        yield last_ms - first_ms, image


def paced(images: Iterator[Timed], rate: float) -> Iterator[Timed]:
    """The *images* at *rate* per second."""
    return ((1000 * number / rate, image) for number, (_, image) in enumerate(images))
