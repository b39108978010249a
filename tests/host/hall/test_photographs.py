# SPDX-License-Identifier: Apache-2.0
"""A photograph of a score sheet is kept without the place where it was taken."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from PIL import Image

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


def test_many_pixels_in_a_small_file_are_refused() -> None:
    file = io.BytesIO()
    Image.new("1", (10_000, 6_000)).save(file, "PNG")
    assert file.tell() < 100_000
    with pytest.raises(TournamentError, match="too large"):
        bare(file.getvalue())


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
