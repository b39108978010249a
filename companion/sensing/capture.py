# SPDX-License-Identifier: Apache-2.0
"""The only module that opens cameras: one thread per source keeps the newest image.

A source is a local camera (its number or a permanent key), a video file, a folder of images,
the URL of a stream, or a phone that sends images from its page.
Images are grey unless colour is requested.
A camera is asked to keep its exposure fixed, and the setting is read back.
Files and folders are films: every image is delivered, with its time in the film.
A film is played at its original pace, or as slowly as its images are fetched.
A bare stream of video, such as a `.h264` file, has no times: its rate is named, as `game.h264@30`.
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
from typing import Final, Protocol, Self

import cv2
import numpy as np

from companion.model.errors import CameraUnavailable, Outage
from companion.sensing.devices import (
    PHONE,
    Identity,
    camera_name,
    closed_door,
    gone,
    identity,
    is_camera,
    is_lasting,
    is_recorded,
    number_of,
    places_of,
)
from companion.sensing.films import Timed, paced, path_and_rate, timed
from companion.sensing.profile import Locked
from companion.sensing.sent_images import SentImages
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.discs import grey_of

PICTURES: Final = (".png", ".jpg", ".jpeg", ".bmp", ".webp")
"""Suffixes of images in a folder."""
USUAL_SIZE_PX: Final = (1920, 1080)
"""Default image size requested from a local camera, which uses the nearest one."""
_USUAL_MS: Final = 1000 / 30
"""Interval between images of a folder whose names contain no time."""
_TIME_IN_NAME: Final = re.compile(r"@(\d+)$")
"""Time at the end of an image's name, in ms from an arbitrary origin."""
_MANUAL: Final = (1.0, 0.25)
"""Driver values for a fixed exposure: Video4Linux, and OpenCV's older scale elsewhere."""
_JOIN_S: Final = 5.0
"""A read that takes longer is stuck in the driver."""
_CLOSE_S: Final = 0.2
"""Longest wait for an image of a phone, and so for the thread to end."""
_STREAM_MS: Final = 5000
"""A stream that is silent for this time has ended."""


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One image with its time."""

    image: Grey
    """(height, width) uint8; in colour (height, width, 3): blue, green, red."""
    at_ms: int
    """Time on the capture's clock.

    In a film, the time of the first image on that clock plus the time in the film.
    """
    number: int
    """Counted from 0; a step of more than one means that images were not fetched."""


class Driver(Protocol):
    """The interface to a camera driver's settings, with OpenCV's names."""

    def set(self, prop: int, value: float, /) -> bool:
        """Request *value*; True if the driver accepts it."""
        ...

    def get(self, prop: int, /) -> float:
        """The value in force."""
        ...


def monotonic_ms() -> int:
    """The time in ms since an arbitrary origin."""
    return time.monotonic_ns() // 1_000_000


class Capture:
    """An open source. A context manager; its thread runs inside the context."""

    def __init__(
        self,
        source: str,
        *,
        size_px: tuple[int, int] = USUAL_SIZE_PX,
        clock: Callable[[], int] = monotonic_ms,
        in_colour: bool = False,
        again: Identity | None = None,
        sent: SentImages | None = None,
    ) -> None:
        """*source* is a number, a path, a URL or `PHONE`; nothing is opened yet.

        *size_px* is requested from a local camera.
        *again*: the identity of the local camera that *source* was, to be found under any number.
        *sent*: the images of a phone.
        """
        self.source = source
        self.driver = ""
        """The camera's name where the system provides it, else that of the software."""
        self.locked: Locked | None = None
        """The camera's fixed settings; None if it is not a camera."""
        self.identity: Identity | None = None
        """The identity of a local camera; None for other sources."""
        self.is_guess = False
        """True for a local camera that may not be the one that was there before."""
        self.is_film = is_recorded(source)
        """True for files and folders: they end, and no image is dropped."""
        self._file, self._rate = path_and_rate(source)
        self._size_px = size_px
        self._in_colour = in_colour
        self._again = again
        self._sent = sent
        self._clock = clock
        self._device: cv2.VideoCapture | None = None
        self._images: Iterator[Timed] = iter(())
        self._fresh = threading.Condition()
        self._newest: Shot | None = None
        self._fetched = -1
        self._ended: CameraUnavailable | None = None
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name=f"camera {source}", daemon=True)

    def __enter__(self) -> Self:
        """Open the source. Raises `CameraUnavailable`."""
        path = Path(self.source)
        if self.is_film and path.is_dir():
            self.driver = "folder"
            self._images = recorded_images(path, in_colour=self._in_colour)
        elif self.source == PHONE:
            self.driver = PHONE
            self._images = self._sent_images()
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
        """The newest image with a number above *after*; None after the timeout.

        Raises `CameraUnavailable` once the source has ended and its last image was fetched.
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
        began_ms, began = 0, 0
        try:
            for number, (taken_ms, image) in enumerate(self._images):
                if not self._is_wanted(number, began + taken_ms):
                    return
                if not number:
                    began_ms, began = self._clock(), monotonic_ms()
                at_ms = began_ms + round(taken_ms) if self.is_film else self._clock()
                shot = Shot(image, at_ms, number)
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
        """Wait until image *number* of a film is due and its predecessor was fetched.

        *due_ms* is a time of `monotonic_ms`. Returns False if the source is closed.
        """
        with self._fresh:
            if self.is_film:
                self._fresh.wait_for(lambda: self._is_closing or self._fetched >= number - 1)
                self._fresh.wait_for(lambda: self._is_closing, max(0.0, (due_ms - monotonic_ms()) / 1000))
            return not self._is_closing

    def _video(self) -> Iterator[Timed]:
        """The images of an opened camera, file or stream. Raises `CameraUnavailable`."""
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # the exceptions are clearer
        if is_camera(self.source):
            device = self._camera()
        else:
            os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
            limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, _STREAM_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, _STREAM_MS]
            device = cv2.VideoCapture(self._file, cv2.CAP_ANY, [] if self.is_film else limits)
            if not device.isOpened():
                device.release()
                raise closed_door(self.source)
        self.driver = self.driver or device.getBackendName()
        self._device = device
        shown = (
            _images(device)
            if not self.is_film
            else timed(_images(device), device, self.source)
            if self._rate is None
            else paced(_images(device), self._rate)
        )
        return ((at_ms, image if self._in_colour else grey_of(image)) for at_ms, image in shown)

    def _sent_images(self) -> Iterator[Timed]:
        """The images of a phone as they come, until this is closed. Raises `CameraUnavailable`."""
        if self._sent is None:
            raise CameraUnavailable(
                "a phone sends its pictures to a game: companion play GAME --camera phone --https",
                outage=Outage.UNREACHABLE,
            )
        while not self._is_closing:
            packed = self._sent.take(_CLOSE_S)
            image = None if packed is None else _unpacked(packed, in_colour=self._in_colour)
            if image is not None:
                yield 0.0, image

    def _camera(self) -> cv2.VideoCapture:
        """The local camera, opened under its present number. Raises `CameraUnavailable`."""
        again = None if is_lasting(self.source) else self._again
        number = number_of(self.source)
        places = places_of(again) if again else () if number is None else (number,)
        for place in places:
            device = cv2.VideoCapture(place)
            if device.isOpened():
                locked, size_px = prepare(device, self._size_px), size_of(device)
                if again is None or again.is_identified or size_px == again.size_px:
                    self.locked, self.driver = locked, camera_name(place)
                    self.identity = replace(again, number=place) if again else identity(place, size_px)
                    self.is_guess = again is not None and not again.is_identified
                    return device
            device.release()
        raise gone(again) if again and not places else closed_door(self.source)


def recorded_images(folder: Path, *, in_colour: bool = False) -> Iterator[Timed]:
    """The images of *folder* in the order of their names, with their times.

    An image called `…@1234.png` was taken 1234 ms after an arbitrary origin.
    Raises `CameraUnavailable` if the folder has no images, or one is broken.
    """
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in PICTURES)
    if not paths:
        raise CameraUnavailable(
            "{folder} holds no images; known are {suffixes}",
            folder=folder,
            suffixes=tuple(PICTURES),
            outage=Outage.UNREACHABLE,
        )
    times = [_TIME_IN_NAME.search(path.stem) for path in paths]
    times_ms = [float(match[1]) if match else number * _USUAL_MS for number, match in enumerate(times)]
    return (
        (taken_ms - times_ms[0], picture(path, in_colour=in_colour))
        for taken_ms, path in zip(times_ms, paths, strict=True)
    )


def picture(path: Path, *, in_colour: bool = False) -> Grey:
    """The image in *path*. Raises `CameraUnavailable`."""
    image = cv2.imread(str(path), cv2.IMREAD_COLOR if in_colour else cv2.IMREAD_GRAYSCALE)
    if image is None:
        raise CameraUnavailable("{path} is not a readable image", path=path, outage=Outage.BROKEN)
    return np.asarray(image, np.uint8)


def reference(path: Path) -> Grey:
    """The image in *path*, in colour if it was stored so. Raises `CameraUnavailable`."""
    image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if image is None:
        raise CameraUnavailable("{path} is not a readable image", path=path, outage=Outage.BROKEN)
    return np.asarray(image if image.ndim == 2 else image[:, :, :3], np.uint8)


def _unpacked(packed: bytes, *, in_colour: bool) -> Grey | None:
    """The image in the file *packed*; None if it is damaged."""
    try:
        image = cv2.imdecode(
            np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR if in_colour else cv2.IMREAD_GRAYSCALE
        )
    except cv2.error:  # no bytes, or more pixels than OpenCV accepts
        return None
    return None if image is None else np.asarray(image, np.uint8)


def prepare(device: cv2.VideoCapture, size_px: tuple[int, int]) -> Locked:
    """Configure a camera: size, newest image first, fixed settings.

    Returns the settings that are fixed, as read back.
    """
    device.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))  # over USB 2, 1080p needs this format
    device.set(cv2.CAP_PROP_FRAME_WIDTH, size_px[0])
    device.set(cv2.CAP_PROP_FRAME_HEIGHT, size_px[1])
    device.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    return lock(device)


def size_of(device: Driver) -> tuple[int, int]:
    """Width and height of a camera's images."""
    return int(device.get(cv2.CAP_PROP_FRAME_WIDTH)), int(device.get(cv2.CAP_PROP_FRAME_HEIGHT))


def lock(device: Driver) -> Locked:
    """Fix exposure, white balance and focus of a camera; the result as read back."""
    kept = []
    for prop, values in (
        (cv2.CAP_PROP_AUTO_EXPOSURE, _MANUAL),
        (cv2.CAP_PROP_AUTO_WB, (0.0,)),
        (cv2.CAP_PROP_AUTOFOCUS, (0.0,)),
    ):
        kept.append(any(device.set(prop, value) and device.get(prop) == value for value in values))
    return Locked(*kept)


def _images(device: cv2.VideoCapture) -> Iterator[Timed]:
    """The images of *device* until its end, without times."""
    while True:
        is_there, image = device.read()
        if not is_there:
            return
        yield 0.0, np.asarray(image, np.uint8)
