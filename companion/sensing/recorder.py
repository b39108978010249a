# SPDX-License-Identifier: Apache-2.0
"""Keeps images with their times: as a folder of pictures, or as one video. What it writes, `capture` plays again.

A folder has a picture an image, named by number and time: nothing of the pace is lost. A video has a fixed pace,
at which an image that was long in coming stands several times.
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
"""Of JPEG: tags are read, and colours told apart, as in the camera's own images."""
_PACE: Final = 30
"""Images of a video in a second."""


class Recorder(Protocol):
    """Something that keeps images. A context manager: all is kept when it is left."""

    bytes: int
    """Written so far."""

    def keep(self, shot: Shot) -> None:
        """Keep *shot*. Raises `RecordingError`."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def recorder(path: Path, *, is_lossless: bool = False) -> Recorder:
    """What keeps images in *path*: in a video if it is called so, else in a folder.

    Raises `RecordingError` if there is something already.
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
    """Pictures, each with its number and time in its name."""

    def __init__(self, path: Path, suffix: str) -> None:
        self.bytes = 0
        self._path = path
        self._suffix = suffix
        self._first_ms: int | None = None

    def keep(self, shot: Shot) -> None:
        """Keep *shot*."""
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
        """Keep *shot* for as long as none had come."""
        if self._writer is None:
            self._writer = self._open(shot)
            self._first_ms = shot.at_ms
        wanted = 1 + (shot.at_ms - self._first_ms) * _PACE // 1000
        for _ in range(max(0, wanted - self._count)):
            self._writer.write(shot.image)
        self._count = max(self._count, wanted)
        self.bytes = self._path.stat().st_size

    def _open(self, shot: Shot) -> cv2.VideoWriter:
        """The file, for images like that of *shot*."""
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
