# SPDX-License-Identifier: Apache-2.0
"""Films whose images are unevenly spaced, or have no times at all."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.model.errors import CameraUnavailable
from companion.sensing.capture import Capture
from companion.sensing.films import paced, timed
from tests.sensing.test_capture import drain

WIDTH, HEIGHT = 64, 48


def box(kind: bytes, *parts: bytes) -> bytes:
    """A box of a QuickTime file."""
    content = b"".join(parts)
    return struct.pack(">I4s", 8 + len(content), kind) + content


def full(kind: bytes, *parts: bytes) -> bytes:
    """A box with version and flags."""
    return box(kind, bytes(4), *parts)


def u32(*numbers: int) -> bytes:
    return struct.pack(f">{len(numbers)}I", *numbers)


MATRIX = u32(1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30)


def movie(images: Sequence[bytes], times_ms: Sequence[int]) -> bytes:
    """A QuickTime film of JPEG *images*, each shown from its time on."""
    lengths = [*(b - a for a, b in pairwise(times_ms)), 40]
    total = sum(lengths)
    head = box(b"ftyp", b"qt  ", u32(0), b"qt  ")
    data = box(b"mdat", *images)
    places, place = [], len(head) + 8
    for image in images:
        places.append(place)
        place += len(image)
    entry = box(
        b"jpeg",
        bytes(6) + struct.pack(">H", 1) + bytes(16) + struct.pack(">HH", WIDTH, HEIGHT),
        u32(72 << 16, 72 << 16, 0) + struct.pack(">H", 1) + bytes(32) + struct.pack(">Hh", 24, -1),
    )
    table = box(
        b"stbl",
        full(b"stsd", u32(1), entry),
        full(b"stts", u32(len(lengths)), *(u32(1, length) for length in lengths)),
        full(b"stsc", u32(1, 1, 1, 1)),
        full(b"stsz", u32(0, len(images)), *(u32(len(image)) for image in images)),
        full(b"stco", u32(len(images)), *(u32(place) for place in places)),
    )
    references = box(b"dinf", full(b"dref", u32(1), full(b"url ", b"")[:8] + u32(1)))
    media = box(
        b"mdia",
        full(b"mdhd", u32(0, 0, 1000, total), bytes(4)),
        full(b"hdlr", b"mhlr" + b"vide" + bytes(12) + b"\0"),
        box(b"minf", full(b"vmhd", bytes(8)), references, table),
    )
    track = box(
        b"tkhd",
        u32(7, 0, 0, 1, 0, total) + bytes(8) + bytes(8) + MATRIX + u32(WIDTH << 16, HEIGHT << 16),
    )
    whole = full(
        b"mvhd",
        u32(0, 0, 1000, total, 1 << 16),
        struct.pack(">H", 1 << 8) + bytes(10) + MATRIX + bytes(24) + u32(2),
    )
    return head + data + box(b"moov", whole, box(b"trak", track, media))


def film(folder: Path, times_ms: Sequence[int]) -> str:
    images = []
    for number in range(len(times_ms)):
        image = np.full((HEIGHT, WIDTH, 3), 20 * number, np.uint8)
        images.append(cv2.imencode(".jpg", image)[1].tobytes())
    path = folder / "game.mov"
    path.write_bytes(movie(images, times_ms))
    return str(path)


def test_a_pause_in_a_film_is_as_long_as_it_was(tmp_path: Path) -> None:
    times_ms = [0, 40, 80, 680, 720, 730]
    with Capture(film(tmp_path, times_ms)) as capture:
        shots = drain(capture)
    assert [shot.at_ms - shots[0].at_ms for shot in shots] == times_ms
    assert [round(int(shot.image.mean()), -1) for shot in shots] == [0, 20, 40, 60, 80, 100]


class Device:
    """A film that tells *times_ms*, one after each read."""

    def __init__(self, *times_ms: float) -> None:
        self.times_ms = list(times_ms)

    def get(self, prop: int) -> float:
        assert prop == cv2.CAP_PROP_POS_MSEC
        return self.times_ms.pop(0)


IMAGE = np.zeros((2, 2), np.uint8)


def test_a_film_without_times_needs_a_rate() -> None:
    images = [(0.0, IMAGE)] * 3
    with pytest.raises(
        CameraUnavailable, match=r"has no times: name its images per second, as game\.h264@30"
    ):
        list(timed(iter(images), Device(0, 0, 0), "game.h264"))  # type: ignore[arg-type]
    assert [at_ms for at_ms, _ in paced(iter(images), 25)] == [0, 40, 80]


def test_times_never_go_back() -> None:
    found = timed(iter([(0.0, IMAGE)] * 4), Device(500, 540, 530, 600), "game.ts")  # type: ignore[arg-type]
    assert [at_ms for at_ms, _ in found] == [0, 40, 40, 100]


def test_a_rate_is_named_with_the_film(tmp_path: Path) -> None:
    path = film(tmp_path, [0, 40, 80, 680])
    with Capture(f"{path}@50") as capture:
        shots = drain(capture)
    assert [shot.at_ms - shots[0].at_ms for shot in shots] == [0, 20, 40, 60]
