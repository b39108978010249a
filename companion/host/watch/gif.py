# SPDX-License-Identifier: Apache-2.0
"""A stored game as an animated GIF, for places that show no SVG.

The only module that uses resvg, which the extra `gif` installs.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from io import BytesIO
from typing import TYPE_CHECKING, Final

from companion.feedback.words import Words
from companion.host.watch.svg import shots
from companion.model.installation import importing
from companion.model.notation import GameRecord

if TYPE_CHECKING:
    from PIL import Image

WIDTH_PX: Final = 480
HEIGHT_PX: Final = 640
"""Greatest height; a picture that reaches it is narrower than `WIDTH_PX`."""
_COLOURS: Final = 128


def animated_gif(record: GameRecord, words: Words, *, move_ms: int = 1500) -> bytes:
    """*record* as a GIF that repeats the game, of at most 480 by 640 px.

    Each position is shown for *move_ms*, the last one three times as long.
    Raises `ExtraMissing` without resvg, another `CompanionError` if the rules reject *record*.
    """
    drawing, shown = shots(record, words)
    still = tuple(drawing.still())
    _, _, width, height = drawing.box
    width_px = round(min(WIDTH_PX, HEIGHT_PX * width / height))
    frames = [rendered(drawing.root(*still, *elements.all), width_px) for elements in shown]
    return animation(frames, [move_ms] * (len(frames) - 1) + [3 * move_ms])


def rendered(svg: str, width_px: int) -> Image.Image:
    """*svg* as an image of that width. Raises `ExtraMissing`."""
    with importing("a GIF needs {library}, which is not installed: {install}", extra="gif"):
        import resvg_py
        from PIL import Image
    fonts = [str(file) for file in (resources.files("fontpkg_noto_sans") / "files").iterdir()]
    png = resvg_py.svg_to_bytes(
        svg_string=svg, width=width_px, font_files=fonts, sans_serif_family="Noto Sans"
    )
    return Image.open(BytesIO(png)).convert("RGB")


def animation(frames: Sequence[Image.Image], held_ms: Sequence[int]) -> bytes:
    """*frames* as a GIF, each shown for its time.

    All have one palette, so that the file has only the changes.
    """
    from PIL import Image

    palette = _contact_sheet(frames[0], frames[len(frames) // 2], frames[-1]).quantize(
        _COLOURS, dither=Image.Dither.NONE
    )
    images = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    file = BytesIO()
    images[0].save(
        file,
        "GIF",
        save_all=True,
        append_images=images[1:],
        duration=list(held_ms),
        loop=0,
        disposal=1,
        optimize=False,
    )
    return file.getvalue()


def _contact_sheet(*images: Image.Image) -> Image.Image:
    """*images* side by side: all of their colours in one."""
    from PIL import Image

    sheet = Image.new("RGB", (sum(image.width for image in images), images[0].height))
    at = 0
    for image in images:
        sheet.paste(image, (at, 0))
        at += image.width
    return sheet
