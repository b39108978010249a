# SPDX-License-Identifier: Apache-2.0
"""Recording of images with their times, as a folder or a video for `capture`.

A folder has a file per image, named by number and time: the pace is exact.
A video has a constant pace; an image is repeated until the next one.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self

import cv2

from companion.model.errors import RecordingError
from companion.sensing.capture import PICTURES, Shot

VIDEO: Final = ".avi"
QUALITY: Final = 95
"""JPEG quality: enough to read tags and distinguish colours as in the original."""
_PACE: Final = 30
"""Images per second of a video."""


class Recorder(Protocol):
    """A recorder of images. A context manager: on exit everything is stored."""

    bytes: int
    """Number of bytes written so far."""

    def keep(self, shot: Shot) -> None:
        """Record *shot*. Raises `RecordingError`."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def recorder(path: Path, *, is_lossless: bool = False) -> Recorder:
    """A recorder for *path*: a video if its suffix says so, else a folder.

    Raises `RecordingError` if *path* exists.
    """
    if path.suffix.lower() == VIDEO:
        if is_lossless:
            raise RecordingError("{path}: a video is not lossless: name a folder instead", path=path)
        if path.exists():
            raise RecordingError("{path} exists already: name another file", path=path)
        return Video(path)
    if path.is_file():
        raise RecordingError(
            "{path} is a file: name a folder, or a file that ends in {suffix}", path=path, suffix=VIDEO
        )
    if path.is_dir() and any(each.suffix.lower() in PICTURES for each in path.iterdir()):
        raise RecordingError("{path} holds images already: name another folder", path=path)
    return Folder(path, ".png" if is_lossless else ".jpg")


class Folder:
    """Image files, each with number and time in its name."""

    def __init__(self, path: Path, suffix: str) -> None:
        self.bytes = 0
        self._path = path
        self._suffix = suffix
        self._first_ms: int | None = None

    def keep(self, shot: Shot) -> None:
        """Record *shot*."""
        if self._first_ms is None:
            self._first_ms = shot.at_ms
        _, packed = cv2.imencode(self._suffix, shot.image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        data = packed.tobytes()
        file = self._path / f"{shot.number:06}@{shot.at_ms - self._first_ms:08}{self._suffix}"
        try:
            file.write_bytes(data)
        except OSError as fault:
            raise RecordingError(
                "{path} cannot be written: {reason}", path=file, reason=fault.strerror
            ) from fault
        self.bytes += len(data)

    def __enter__(self) -> Self:
        try:
            self._path.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise RecordingError(
                "{path} cannot be made: {reason}", path=self._path, reason=fault.strerror
            ) from fault
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class Video:
    """A file of motion JPEG."""

    def __init__(self, path: Path) -> None:
        self.bytes = 0
        self._path = path
        self._writer: cv2.VideoWriter | None = None
        self._first_ms = 0
        self._count = 0

    def keep(self, shot: Shot) -> None:
        """Record *shot*, repeated for the time since the previous one."""
        if self._writer is None:
            self._writer = self._open(shot)
            self._first_ms = shot.at_ms
        wanted = 1 + (shot.at_ms - self._first_ms) * _PACE // 1000
        for _ in range(max(0, wanted - self._count)):
            self._writer.write(shot.image)
        self._count = max(self._count, wanted)
        self.bytes = self._path.stat().st_size

    def _open(self, shot: Shot) -> cv2.VideoWriter:
        """The video file for images of the size of *shot*."""
        height, width = shot.image.shape[:2]
        codec = cv2.VideoWriter.fourcc(*"MJPG")
        writer = cv2.VideoWriter(str(self._path), codec, _PACE, (width, height), shot.image.ndim == 3)
        if not writer.isOpened():
            raise RecordingError("{path} cannot be written: is its folder there, and yours?", path=self._path)
        writer.set(cv2.VIDEOWRITER_PROP_QUALITY, QUALITY)
        return writer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writer is not None:
            self._writer.release()
