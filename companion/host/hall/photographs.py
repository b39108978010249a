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
from PIL import Image, ImageFile

from companion.host.hall.core.hall import Hall
from companion.host.private_files import replace_bytes
from companion.host.text.os_errors import why
from companion.model.errors import StoreError, TournamentError
from companion.model.phrase import Phrase
from companion.tournament.acts import Photographed

LARGEST: Final = 5 << 20
"""Bytes of a photograph."""
MOST_PIXELS: Final = 12_500_000
"""Pixels of a photograph: those of most phones, decoded in at most 120 MB."""
LONGEST_PX: Final = 2400
"""Pixels that make handwriting legible, as the desk sends them."""
_SHORTEST_PX: Final = LONGEST_PX * 2 // 3
"""A decoder halves the size down to this."""
_BAND: Final = 64
"""Rows that are converted at a time."""
_ORIENTATION: Final = 0x0112
_TURNS: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""How a picture is turned upright, by the orientation of its camera."""
_QUALITY: Final = 88
_SUFFIX: Final = {"JPEG": "jpg", "PNG": "png"}
_NAME: Final = re.compile(r"[0-9a-f]{32}\.(?:jpg|png)")


def bare(content: bytes) -> tuple[str, bytes]:
    """Return file name and content of a photograph without everything but its picture.

    It is made smaller, to what its reading needs. Raises `TournamentError` if it is too large, or
    neither JPEG nor PNG.
    """
    if len(content) > LARGEST:
        raise TournamentError("the photograph is too large: send one of at most 5 MB")
    kept = io.BytesIO()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=tuple(_SUFFIX)) as opened:
                if opened.width * opened.height > MOST_PIXELS:  # so says the head; nothing is decoded yet
                    raise TournamentError(
                        "the photograph has more than {most} megapixels: send a smaller one",
                        most=MOST_PIXELS // 1_000_000,
                    )
                kind = "PNG" if opened.format == "PNG" else "JPEG"
                picture = _small(opened)
        picture.save(kept, kind, quality=_QUALITY)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError, Warning) as fault:
        raise TournamentError("this is no photograph that can be read: send a JPEG or PNG") from fault
    made = kept.getvalue()
    return f"{hashlib.sha256(made).hexdigest()[:32]}.{_SUFFIX[kind]}", made


def _small(opened: ImageFile.ImageFile) -> Image.Image:
    """Return the pixels of *opened* alone, upright, and about `LONGEST_PX` long at most.

    A JPEG is decoded at a fraction of its size. What is not is converted band by band, since a
    whole copy takes four bytes a pixel.
    """
    scale = _SHORTEST_PX / max(opened.size)
    opened.draft("RGB", (max(1, int(opened.width * scale)), max(1, int(opened.height * scale))))
    opened.load()
    factor = max(1, round(max(opened.size) / LONGEST_PX))
    width, height = opened.size
    picture = Image.new("RGB", (-(-width // factor), -(-height // factor)))
    rows = factor * -(-_BAND // factor)
    for top in range(0, height, rows):
        band = opened.crop((0, top, width, min(top + rows, height))).convert("RGB")
        picture.paste(band.reduce(factor), (0, top // factor))
    turn = _TURNS.get(opened.getexif().get(_ORIENTATION, 1))
    return picture if turn is None else picture.transpose(turn)


def add_photographs(app: FastAPI, hall: Hall, arbiter: Any) -> None:
    """Add the endpoints to *app*; one photograph is decoded at a time."""
    decoding = asyncio.Lock()

    @app.post("/api/tournaments/{key}/rounds/{in_round}/tables/{table}/photograph")
    async def photograph(
        key: str, in_round: int, table: int, request: Request, by: arbiter
    ) -> dict[str, Any]:
        """Add a photograph of a score sheet to the book.

        JPEG or PNG, at most 5 MB and 12 megapixels.
        """
        sent = await request.body()
        async with decoding:
            name, content = await asyncio.to_thread(bare, sent)
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

    No station has this name.
    """
    return hall.copies / ".photographs"
