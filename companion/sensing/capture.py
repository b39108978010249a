# SPDX-License-Identifier: Apache-2.0
"""The only door to cameras: one thread a source, which keeps the newest image and forgets the rest.

A source is a local camera (its number, or what it is for good), a video file, a folder of images, or the address of a stream: a phone will do.
Images are grey unless colour is asked for. Where a camera can be told to keep its exposure, it is, and what it says afterwards is believed.
Files and folders are played at the pace at which they were made, and none of their images is forgotten.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self, TypeAlias

import cv2
import numpy as np

from companion.model.errors import CameraUnavailable, Outage
from companion.sensing.devices import (
    Identity,
    camera_name,
    closed_door,
    gone,
    identity,
    is_camera,
    is_lasting,
    number_of,
    places_of,
)
from companion.sensing.profile import Locked
from companion.sensing.vision.codes import Grey

PICTURES: Final = (".png", ".jpg", ".jpeg", ".bmp", ".webp")
"""What is taken to be an image in a folder."""
USUAL_SIZE_PX: Final = (1920, 1080)
"""What a local camera is asked for if nobody says otherwise; it gives what is nearest."""
_USUAL_MS: Final = 1000 / 30
"""Between two images of a folder whose names do not tell."""
_TOLD_MS: Final = re.compile(r"@(\d+)$")
"""At the end of an image's name: when it was taken, in ms from any beginning."""
_MANUAL: Final = (1.0, 0.25)
"""What the drivers call a fixed exposure: Video4Linux, and OpenCV's older scale elsewhere."""
_JOIN_S: Final = 5.0
"""A read that takes longer has hung in the driver."""
_STREAM_MS: Final = 5000
"""A stream that is silent for so long has ended."""

Timed: TypeAlias = tuple[float, Grey]
"""An image, and when it was taken in ms from the first; 0 throughout for what comes by itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One image and when it came."""

    image: Grey
    """(height, width) uint8; in colour (height, width, 3): blue, green, red."""
    at_ms: int
    """By the capture's clock."""
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


def monotonic_ms() -> int:
    """The time in ms since any beginning."""
    return time.monotonic_ns() // 1_000_000


class Capture:
    """An open source. A context manager; the thread runs from entering to leaving."""

    def __init__(
        self,
        source: str,
        *,
        size_px: tuple[int, int] = USUAL_SIZE_PX,
        clock: Callable[[], int] = monotonic_ms,
        in_colour: bool = False,
        again: Identity | None = None,
    ) -> None:
        """*source*: a number, a path or an address; nothing is opened yet. *size_px* is asked of a local camera.

        *again*: the local camera that was *source*, which is to be found again, whatever number it has now.
        """
        self.source = source
        self.driver = ""
        """Who answers for the source: the camera's name where the system tells it, else that of the software."""
        self.locked: Locked | None = None
        """What the camera keeps; None for what is no camera."""
        self.identity: Identity | None = None
        """By what a local camera is known again; None for what is none."""
        self.is_guess = False
        """True for a local camera of which nobody can say whether it is the one that was there before."""
        self.is_film = False
        """True for files and folders: they have an end, and every image is kept until it was fetched."""
        self._size_px = size_px
        self._in_colour = in_colour
        self._again = again
        self._clock = clock
        self._device: cv2.VideoCapture | None = None
        self._fresh = threading.Condition()
        self._newest: Shot | None = None
        self._fetched = -1
        self._ended: CameraUnavailable | None = None
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name=f"camera {source}", daemon=True)

    def __enter__(self) -> Self:
        """Open the source. Raises `CameraUnavailable`."""
        path = Path(self.source)
        if path.is_dir():
            self.is_film, self.driver = True, "folder"
            self._images = film(path, in_colour=self._in_colour)
        else:
            self._images = self._video()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the source and wait for its thread."""
        with self._fresh:
            self._is_closing = True
            self._fresh.notify_all()
        self._thread.join(_JOIN_S)
        if self._device is not None and not self._thread.is_alive():
            self._device.release()

    def newest(self, after: int = -1, timeout_s: float = 1.0) -> Shot | None:
        """The newest image with a number above *after*; None if none came in time.

        Raises `CameraUnavailable` once the source has ended and its last image was had.
        """
        with self._fresh:
            self._fresh.wait_for(lambda: self._has(after) or self._ended is not None, timeout_s)
            if self._newest is not None and self._has(after):
                self._fetched = self._newest.number
                self._fresh.notify_all()
                return self._newest
            if self._ended is not None:
                raise self._ended
            return None

    def _has(self, after: int) -> bool:
        return self._newest is not None and self._newest.number > after

    def _run(self) -> None:
        """Read until the source ends or is closed."""
        ended = (
            CameraUnavailable("{source} has ended", source=self.source, outage=Outage.ENDED)
            if self.is_film
            else CameraUnavailable(
                "camera {source} gives no more images: it was unplugged, or its line is broken",
                source=self.source,
                outage=Outage.UNPLUGGED,
            )
        )
        began_ms = 0
        try:
            for number, (taken_ms, image) in enumerate(self._images):
                if not self._is_wanted(number, began_ms + taken_ms):
                    return
                shot = Shot(image, self._clock(), number)
                began_ms = began_ms if number else shot.at_ms
                with self._fresh:
                    self._newest = shot
                    self._fresh.notify_all()
        except CameraUnavailable as fault:
            ended = fault
        except cv2.error as fault:
            ended = CameraUnavailable(
                "camera {source}: {reason}", source=self.source, reason=fault, outage=Outage.UNPLUGGED
            )
        finally:
            with self._fresh:
                self._ended = ended
                self._fresh.notify_all()

    def _is_wanted(self, number: int, due_ms: float) -> bool:
        """Wait until image *number* of a film is due and the one before was fetched; False if the source is closed."""
        with self._fresh:
            if self.is_film:
                self._fresh.wait_for(lambda: self._is_closing or self._fetched >= number - 1)
                self._fresh.wait_for(lambda: self._is_closing, max(0.0, (due_ms - self._clock()) / 1000))
            return not self._is_closing

    def _video(self) -> Iterator[Timed]:
        """The images of a camera, file or stream, once it is open. Raises `CameraUnavailable`."""
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # the exceptions say it better
        if is_camera(self.source):
            device = self._camera()
        else:
            self.is_film = "://" not in self.source
            os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
            limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, _STREAM_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, _STREAM_MS]
            device = cv2.VideoCapture(self.source, cv2.CAP_ANY, [] if self.is_film else limits)
            if not device.isOpened():
                device.release()
                raise closed_door(self.source)
        self.driver = self.driver or device.getBackendName()
        self._device = device
        period_ms = 1000 / (device.get(cv2.CAP_PROP_FPS) or 30) if self.is_film else 0.0
        return _images(device, period_ms, in_colour=self._in_colour)

    def _camera(self) -> cv2.VideoCapture:
        """The local camera, open, under whatever number it has now. Raises `CameraUnavailable`."""
        again = None if is_lasting(self.source) else self._again
        number = number_of(self.source)
        places = places_of(again) if again else () if number is None else (number,)
        for place in places:
            device = cv2.VideoCapture(place)
            if device.isOpened():
                locked, size_px = prepare(device, self._size_px), size_of(device)
                if again is None or again.is_told or size_px == again.size_px:
                    self.locked, self.driver = locked, camera_name(place)
                    self.identity = replace(again, number=place) if again else identity(place, size_px)
                    self.is_guess = again is not None and not again.is_told
                    return device
            device.release()
        raise gone(again) if again and not places else closed_door(self.source)


def film(folder: Path, *, in_colour: bool = False) -> Iterator[Timed]:
    """The images of *folder* in the order of their names, with their times.

    An image called `…@1234.png` was taken 1234 ms after some beginning.
    Raises `CameraUnavailable` if there is none, or one is broken.
    """
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in PICTURES)
    if not paths:
        raise CameraUnavailable(
            "{folder} holds no images; known are {suffixes}",
            folder=folder,
            suffixes=tuple(PICTURES),
            outage=Outage.UNREACHABLE,
        )
    told = [_TOLD_MS.search(path.stem) for path in paths]
    times_ms = [float(match[1]) if match else number * _USUAL_MS for number, match in enumerate(told)]
    return (
        (taken_ms - times_ms[0], picture(path, in_colour=in_colour))
        for taken_ms, path in zip(times_ms, paths, strict=True)
    )


def picture(path: Path, *, in_colour: bool = False) -> Grey:
    """The image in *path*. Raises `CameraUnavailable`."""
    image = cv2.imread(str(path), cv2.IMREAD_COLOR if in_colour else cv2.IMREAD_GRAYSCALE)
    if image is None:
        raise CameraUnavailable("{path} is no image that can be read", path=path, outage=Outage.BROKEN)
    return np.asarray(image, np.uint8)


def reference(path: Path) -> Grey:
    """The image in *path*, in colour if it was kept so. Raises `CameraUnavailable`."""
    image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if image is None:
        raise CameraUnavailable("{path} is no image that can be read", path=path, outage=Outage.BROKEN)
    return np.asarray(image if image.ndim == 2 else image[:, :, :3], np.uint8)


def prepare(device: cv2.VideoCapture, size_px: tuple[int, int]) -> Locked:
    """Have a camera give images of *size_px*, the newest first, and keep its settings; what it keeps, as read back."""
    device.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))  # USB 2 carries 1080p in no other way
    device.set(cv2.CAP_PROP_FRAME_WIDTH, size_px[0])
    device.set(cv2.CAP_PROP_FRAME_HEIGHT, size_px[1])
    device.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    return lock(device)


def size_of(device: Driver) -> tuple[int, int]:
    """Width and height of a camera's images."""
    return int(device.get(cv2.CAP_PROP_FRAME_WIDTH)), int(device.get(cv2.CAP_PROP_FRAME_HEIGHT))


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


def _images(device: cv2.VideoCapture, period_ms: float, *, in_colour: bool) -> Iterator[Timed]:
    """The images of *device*, *period_ms* apart, until it gives no more."""
    taken_ms = 0.0
    while True:
        is_there, image = device.read()
        if not is_there:
            return
        if image.ndim == 3 and not in_colour:
            image = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        yield taken_ms, np.asarray(image, np.uint8)
        taken_ms += period_ms
