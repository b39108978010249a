# SPDX-License-Identifier: Apache-2.0
"""The only door to cameras: one thread a source, which keeps the newest image and forgets the rest.

A source is the number of a local camera, a video file, a folder of images, or the address of a stream: a phone will do.
Images are grey. Where a camera can be told to keep its exposure, it is, and what it says afterwards is believed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self

import cv2
import numpy as np

from companion.model.errors import CameraUnavailable
from companion.sensing.profile import Locked
from companion.sensing.vision.codes import Grey

PICTURES: Final = (".png", ".jpg", ".jpeg", ".bmp", ".webp")
"""What is taken to be an image in a folder."""
_MANUAL: Final = (1.0, 0.25)
"""What the drivers call a fixed exposure: Video4Linux, and OpenCV's older scale elsewhere."""
_JOIN_S: Final = 5.0
"""A read that takes longer has hung in the driver."""


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One image and when it came."""

    image: Grey
    """(height, width) uint8."""
    at_ms: int
    """Host monotonic time."""
    number: int
    """Counted from 0; a step of more than one tells of images that nobody fetched."""


class Driver(Protocol):
    """The part of a camera's driver that keeps its settings, in OpenCV's words."""

    def set(self, prop: int, value: float, /) -> bool:
        """Ask for *value*; True if the driver says yes."""
        ...

    def get(self, prop: int, /) -> float:
        """The value in force."""
        ...


class Capture:
    """An open source. A context manager; the thread runs from entering to leaving."""

    def __init__(self, source: str) -> None:
        """*source*: a number, a path or an address; nothing is opened yet."""
        self.source = source
        self.locked: Locked | None = None
        """What the camera keeps; None for what is no camera."""
        self._device: cv2.VideoCapture | None = None
        self._fresh = threading.Condition()
        self._newest: Shot | None = None
        self._ended: str | None = None
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"camera {source}", daemon=True)

    def __enter__(self) -> Self:
        """Open the source. Raises `CameraUnavailable`."""
        self._images = pictures(Path(self.source)) if Path(self.source).is_dir() else self._video()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the source and wait for its thread."""
        self._is_closing.set()
        self._thread.join(_JOIN_S)
        if self._device is not None and not self._thread.is_alive():
            self._device.release()

    def newest(self, after: int = -1, timeout_s: float = 1.0) -> Shot | None:
        """The newest image with a number above *after*; None if none came in time.

        Raises `CameraUnavailable` once the source has ended and its last image was had.
        """
        with self._fresh:
            self._fresh.wait_for(lambda: self._has(after) or self._ended is not None, timeout_s)
            if self._has(after):
                return self._newest
            if self._ended is not None:
                raise CameraUnavailable(self._ended)
            return None

    def _has(self, after: int) -> bool:
        return self._newest is not None and self._newest.number > after

    def _run(self) -> None:
        """Read until the source ends or is closed."""
        ended = f"camera {self.source}: no more images: it was unplugged, or the file has ended"
        try:
            for number, image in enumerate(self._images):
                if self._is_closing.is_set():
                    return
                with self._fresh:
                    self._newest = Shot(image, time.monotonic_ns() // 1_000_000, number)
                    self._fresh.notify_all()
        except (cv2.error, CameraUnavailable) as fault:
            ended = f"camera {self.source}: {fault}"
        finally:
            with self._fresh:
                self._ended = ended
                self._fresh.notify_all()

    def _video(self) -> Iterator[Grey]:
        """The images of a camera, file or stream, once it is open. Raises `CameraUnavailable`."""
        is_camera = self.source.isdecimal()
        device = cv2.VideoCapture(int(self.source)) if is_camera else cv2.VideoCapture(self.source)
        if not device.isOpened():
            device.release()
            remedy = (
                "is it plugged in, used by another program, or forbidden to you (group video)?"
                if is_camera
                else "is the path or the address right?"
            )
            raise CameraUnavailable(f"camera {self.source} cannot be opened: {remedy}")
        if is_camera:
            device.set(cv2.CAP_PROP_BUFFERSIZE, 1)
            self.locked = lock(device)
        self._device = device
        return _grey(device)


def pictures(folder: Path) -> Iterator[Grey]:
    """The images of *folder* in the order of their names. Raises `CameraUnavailable` if there is none, or one is broken."""
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in PICTURES)
    if not paths:
        raise CameraUnavailable(f"{folder} holds no images; known are {', '.join(PICTURES)}")
    return (_picture(path) for path in paths)


def lock(device: Driver) -> Locked:
    """Tell a camera to keep exposure, white balance and focus; what it does, as read back."""
    kept = []
    for prop, values in (
        (cv2.CAP_PROP_AUTO_EXPOSURE, _MANUAL),
        (cv2.CAP_PROP_AUTO_WB, (0.0,)),
        (cv2.CAP_PROP_AUTOFOCUS, (0.0,)),
    ):
        kept.append(any(device.set(prop, value) and device.get(prop) == value for value in values))
    return Locked(*kept)


def _picture(path: Path) -> Grey:
    """The image in *path*."""
    image = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    if image is None:
        raise CameraUnavailable(f"{path} is no image that can be read")
    return np.asarray(image, np.uint8)


def _grey(device: cv2.VideoCapture) -> Iterator[Grey]:
    """The images of *device* until it gives no more."""
    while True:
        is_there, image = device.read()
        if not is_there:
            return
        yield np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image, np.uint8)
