# SPDX-License-Identifier: Apache-2.0
"""Photographs of score sheets, which arbiters add to the book.

Its rule: a photograph is decoded and encoded again, so that nothing but the picture is kept: no
place, no camera, no thumbnail.
"""

import asyncio
import hashlib
import io
import re
import warnings
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import FileResponse
from PIL import Image, ImageOps

from companion.host.hall.core.hall import Hall
from companion.host.private_files import replace_bytes
from companion.host.text.os_errors import why
from companion.model.errors import StoreError, TournamentError
from companion.model.phrase import Phrase
from companion.tournament.acts import Photographed

LARGEST: Final = 5 << 20
"""Bytes of a photograph."""
_PIXELS: Final = 50_000_000
_QUALITY: Final = 88
_SUFFIX: Final = {"JPEG": "jpg", "PNG": "png"}
_NAME: Final = re.compile(r"[0-9a-f]{32}\.(?:jpg|png)")


def bare(content: bytes) -> tuple[str, bytes]:
    """Return file name and content of a photograph without everything but its picture.

    Raises `TournamentError` if it is too large, or neither JPEG nor PNG.
    """
    if len(content) > LARGEST:
        raise TournamentError("the photograph is too large: send one of at most 5 MB")
    kept = io.BytesIO()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=tuple(_SUFFIX)) as opened:
                if opened.width * opened.height > _PIXELS:
                    raise TournamentError("the photograph is too large: send one of at most 5 MB")
                kind = opened.format or ""
                upright = ImageOps.exif_transpose(opened).convert("RGB")
        picture = Image.new("RGB", upright.size)
        picture.paste(upright)  # the pixels alone: `upright` still has the rest
        picture.save(kept, kind, quality=_QUALITY)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError, Warning) as fault:
        raise TournamentError("this is no photograph that can be read: send a JPEG or PNG") from fault
    made = kept.getvalue()
    return f"{hashlib.sha256(made).hexdigest()[:32]}.{_SUFFIX[kind]}", made


def add_photographs(app: FastAPI, hall: Hall, arbiter: Any) -> None:
    """Add the endpoints to *app*."""

    @app.post("/api/tournaments/{key}/rounds/{in_round}/tables/{table}/photograph")
    async def photograph(
        key: str, in_round: int, table: int, request: Request, by: arbiter
    ) -> dict[str, Any]:
        """Add a photograph of a score sheet to the book: JPEG or PNG, 5 MB."""
        name, content = await asyncio.to_thread(bare, await request.body())
        hall.keeper.book.of(key).tournament.pairing(in_round, table)  # refuses before anything is kept
        try:
            await asyncio.to_thread(replace_bytes, folder(hall) / name, content)
        except OSError as fault:
            raise StoreError("the photograph cannot be written: {reason}", reason=why(fault)) from fault
        entry = await hall.act(by, Photographed(key, in_round, table, name))
        return {"name": name, "entry": entry.number}

    @app.get("/api/desk/photographs/{name}")
    async def kept(name: str, by: arbiter) -> FileResponse:
        """Return a photograph."""
        path = folder(hall) / name
        if not _NAME.fullmatch(name) or not path.is_file():
            raise HTTPException(404, Phrase("there is no photograph {name}", name=name))
        return FileResponse(path)


def folder(hall: Hall) -> Path:
    """Return the folder of the photographs, beside the copies of journals.

    No board has this name.
    """
    return hall.copies / ".photographs"
