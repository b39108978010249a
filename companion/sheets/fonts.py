# SPDX-License-Identifier: Apache-2.0
"""Choice of fonts: names may have letters of all Europe and of Japan.

Helvetica and the Japanese font are built into PDF readers; of Noto Sans, the used part is embedded.
A letter that none of them has loses its marks, or becomes a question mark.
"""

from __future__ import annotations

import itertools
import unicodedata
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from companion.model.installation import importing

if TYPE_CHECKING:
    from reportlab.pdfbase.ttfonts import TTFont

WESTERN: Final = "Helvetica"
_EUROPEAN: Final = "NotoSans"
_FILE: Final = "NotoSans[wdth,wght].ttf"
"""The file in `fontpkg_noto_sans`; reportlab uses its regular face."""
_JAPANESE: Final = "HeiseiKakuGo-W5"
_LETTERS: Final = "cp1252"
"""The encoding of Helvetica."""
_CODED: Final = "shift_jis"
"""The encoding of the Japanese font."""


def spelt(words: str) -> tuple[tuple[str, str], ...]:
    """*words* in parts, each with the name of its font.

    A single part if one font has all letters.
    """
    if _is_western(words):
        return ((WESTERN, words),)
    letters = [_letter(letter) for letter in words]
    plain = WESTERN if all(font != _EUROPEAN for font, _ in letters) else _EUROPEAN
    fonts = [(plain if font == WESTERN else font, letter) for font, letter in letters]
    return tuple(
        (font, "".join(letter for _, letter in run))
        for font, run in itertools.groupby(fonts, key=lambda each: each[0])
    )


def metrics() -> Any:
    """The metrics of the library that prints. Raises `ExtraMissing`."""
    with importing("printing needs {library}, which is not installed: {install}", extra="printing"):
        from reportlab.pdfbase import pdfmetrics
    return pdfmetrics


def width(words: str, size: float) -> float:
    """Width of *words* at *size*, in the unit of *size*. Raises `ExtraMissing`."""
    return float(sum(metrics().stringWidth(part, font, size) for font, part in spelt(words)))


@cache
def _letter(letter: str) -> tuple[str, str]:
    """The font for *letter*, and the text to be written with it."""
    if _is_western(letter):
        return WESTERN, letter
    if _european().face.charToGlyph.get(ord(letter)):  # glyph 0 is a box
        return _EUROPEAN, letter
    if letter.encode(_CODED, "ignore"):
        _japanese()
        return _JAPANESE, letter
    bare = unicodedata.normalize("NFKD", letter)[0]
    return WESTERN, bare if _is_western(bare) else "?"


def _is_western(words: str) -> bool:
    return words.encode(_LETTERS, "ignore").decode(_LETTERS) == words


@cache
def _european() -> TTFont:
    found = metrics()
    from reportlab.pdfbase.ttfonts import TTFont

    with resources.as_file(resources.files("fontpkg_noto_sans") / "files" / _FILE) as path:
        font = TTFont(_EUROPEAN, str(path))
    found.registerFont(font)
    return font


@cache
def _japanese() -> None:
    found = metrics()
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont

    found.registerFont(UnicodeCIDFont(_JAPANESE))
