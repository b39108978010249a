# SPDX-License-Identifier: Apache-2.0
"""A photograph of a score sheet is kept without the place where it was taken."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from PIL import Image

from companion.host.hall import photographs
from companion.host.hall.photographs import LARGEST, bare
from companion.model.errors import TournamentError
from tests.host.hall.sites import Site, site, tournament

ORIENTATION, GPS, MAKER = 0x0112, 0x8825, 0x010F


def taken(kind: str = "JPEG") -> bytes:
    """A photograph of 40 by 20 px, turned by its camera, with place and maker."""
    about = Image.Exif()
    about[ORIENTATION], about[MAKER] = 6, "Secret Cameras"
    about.get_ifd(GPS)[2] = (46.0, 3.0, 10.0)
    file = io.BytesIO()
    Image.new("RGB", (40, 20), "white").save(file, kind, exif=about)
    return file.getvalue()


@pytest.mark.parametrize(("kind", "suffix"), [("JPEG", "jpg"), ("PNG", "png")])
def test_nothing_but_the_upright_picture_is_kept(kind: str, suffix: str) -> None:
    before = taken(kind)
    assert b"Secret" in before
    name, content = bare(before)
    assert name.endswith(f".{suffix}")
    assert b"Secret" not in content
    with Image.open(io.BytesIO(content)) as kept:
        assert (kept.size, kept.format, dict(kept.getexif())) == ((20, 40), kind, {})
        assert not {"exif", "icc_profile", "comment"} & kept.info.keys()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "send a JPEG or PNG"),
        (b"GIF89a" + bytes(50), "send a JPEG or PNG"),
        (taken()[:200], "send a JPEG or PNG"),
        (bytes(LARGEST + 1), "at most 5 MB"),
    ],
    ids=["nothing", "other", "cut-off", "large"],
)
def test_other_files_are_refused(content: bytes, reason: str) -> None:
    with pytest.raises(TournamentError, match=reason):
        bare(content)


def drawn(mode: str, kind: str, size: tuple[int, int], **how: object) -> bytes:
    """An even picture, which makes a small file."""
    file = io.BytesIO()
    Image.new(mode, size).save(file, kind, **how)
    return file.getvalue()


def test_many_pixels_in_a_small_file_are_refused() -> None:
    content = drawn("1", "PNG", (7_000, 7_000))
    assert len(content) < 100_000
    with pytest.raises(TournamentError, match="has more than 12 megapixels"):
        bare(content)


@pytest.mark.parametrize(
    ("size", "kept"), [((4032, 3024), (2016, 1512)), ((1600, 1200), (1600, 1200)), ((9_000, 100), (2250, 25))]
)
@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_a_large_photograph_is_made_smaller(size: tuple[int, int], kept: tuple[int, int], kind: str) -> None:
    with Image.open(io.BytesIO(bare(drawn("RGB", kind, size))[1])) as made:
        assert made.size == kept


def test_a_photograph_with_a_second_picture_is_a_jpeg() -> None:
    """Some phones add a small picture, or one of another exposure."""
    file = io.BytesIO()
    first, second = (Image.new("RGB", (40, 20), colour) for colour in ("white", "black"))
    first.save(file, "MPO", save_all=True, append_images=[second])
    name, content = bare(file.getvalue())
    assert name.endswith(".jpg")
    with Image.open(io.BytesIO(content)) as made:
        assert (made.format, made.getpixel((1, 1))) == ("JPEG", (255, 255, 255))


PEAK = """
import sys
from pathlib import Path
from companion.host.hall.photographs import bare

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1])

content = sys.stdin.buffer.read()
before = peak()
bare(content)
print((peak() - before) // 1000)
"""
"""Prints the MB that a photograph takes above what the program has."""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads Linux's own count")
@pytest.mark.parametrize(
    "content",
    [
        drawn("RGBA", "PNG", (4080, 3060)),
        drawn("RGB", "JPEG", (4080, 3060)),
        drawn("CMYK", "JPEG", (4080, 3060), progressive=True, subsampling=0),
        drawn("RGB", "JPEG", (60_000, 200)),
        drawn("RGB", "PNG", (100, 120_000)),
    ],
    ids=["png", "jpeg", "progressive", "wide", "tall"],
)
def test_a_photograph_is_decoded_in_120_mb(content: bytes) -> None:
    done = subprocess.run([sys.executable, "-c", PEAK], input=content, stdout=subprocess.PIPE, check=True)
    assert int(done.stdout) <= 120


def test_photographs_that_come_together_are_decoded_one_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, together = threading.Lock(), list[bool]()

    def decode(content: bytes) -> tuple[str, bytes]:
        is_alone = turn.acquire(blocking=False)
        together.append(not is_alone)
        try:
            return bare(content)
        finally:
            if is_alone:
                turn.release()

    async def scenario() -> None:
        async with site(tmp_path) as at:
            await tournament(at)
            place, content = (
                "api/tournaments/club/rounds/1/tables/2/photograph",
                drawn("RGB", "PNG", (3000, 2000)),
            )
            all_sent = [asyncio.to_thread(sent, at, place, content, at.token) for _ in range(4)]
            assert [status for status, *_ in await asyncio.gather(*all_sent)] == [200] * 4

    monkeypatch.setattr(photographs, "bare", decode)
    asyncio.run(scenario())
    assert together == [False] * 4


def sent(at: Site, path: str, content: bytes | None, token: str) -> tuple[int, Any, bytes]:
    """Status, JSON and content of the answer."""
    request = Request(at.address + path, content, {"Authorization": f"Bearer {token}"})
    try:
        with urlopen(request, timeout=60) as response:
            answer = response.read()
            is_json = response.headers["content-type"].startswith("application/json")
            return response.status, json.loads(answer) if is_json else None, answer
    except HTTPError as fault:
        with fault:
            return fault.code, None, b""


def test_an_arbiter_adds_a_photograph_to_the_book_and_opens_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with site(tmp_path) as at:
            await tournament(at)

            async def ask(path: str, content: bytes | None, token: str) -> tuple[int, Any, bytes]:
                return await asyncio.to_thread(sent, at, path, content, token)

            place = "api/tournaments/club/rounds/1/tables/2/photograph"
            assert (await ask(place, taken(), ""))[0] == 401
            status, told, _ = await ask(place, taken(), at.token)
            assert status == 200
            assert told["entry"] == len(at.hall.keeper.entries)
            opened = f"api/desk/photographs/{told['name']}"
            status, _, content = await ask(opened, None, at.token)
            assert (status, content) == (200, bare(taken())[1])
            assert (await ask(opened, None, ""))[0] == 401
            for name in ("x.jpg", "..%2Fhall.sqlite", "0" * 32 + ".jpg"):
                assert (await ask(f"api/desk/photographs/{name}", None, at.token))[0] == 404
            before = list((tmp_path / "copies" / ".photographs").iterdir())
            assert [path.stat().st_mode & 0o777 for path in before] == [0o600]
            wrong = place.replace("tables/2", "tables/9")
            assert (await ask(wrong, taken("PNG"), at.token))[0] == 422
            assert list((tmp_path / "copies" / ".photographs").iterdir()) == before

    asyncio.run(scenario())
