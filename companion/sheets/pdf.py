# SPDX-License-Identifier: Apache-2.0
"""Pages as PDF: the only module that uses the library's canvas.

Equal pages give equal bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Final, assert_never

from companion.sheets import fonts
from companion.sheets.page import Area, Page, Shape, Stroke, Text, Window

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas

mm: Final = 72 / 2.54 * 0.1
"""A millimetre in points, as the library has it."""
_DASH_MM: Final = (1.5, 1.0)


def to_pdf(pages: Sequence[Page], title: str) -> bytes:
    """*pages* as one document called *title*. Raises `ExtraMissing`."""
    fonts.metrics()
    from reportlab.pdfgen.canvas import Canvas

    file = BytesIO()
    canvas = Canvas(file, invariant=1)
    canvas.setTitle(title)
    canvas.setCreator("companion")
    canvas.setViewerPreference("PrintScaling", "None")
    for page in pages:
        canvas.setPageSize((page.paper.width_mm * mm, page.paper.height_mm * mm))
        for shape in page.shapes:
            _draw(canvas, shape)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _draw(canvas: Canvas, shape: Shape) -> None:
    """Draw *shape* on the current page."""
    match shape:
        case Area():
            _fill(canvas, shape)
        case Stroke():
            _stroke(canvas, shape)
        case Text():
            _write(canvas, shape)
        case Window():
            canvas.saveState()
            path = canvas.beginPath()
            box = shape.box
            path.rect(box.left * mm, box.near * mm, box.width_mm * mm, box.height_mm * mm)
            canvas.clipPath(path, stroke=0, fill=0)
            canvas.translate(shape.shift[0] * mm, shape.shift[1] * mm)
            for inside in shape.shapes:
                _draw(canvas, inside)
            canvas.restoreState()
        case _:
            assert_never(shape)


def _fill(canvas: Canvas, area: Area) -> None:
    path = canvas.beginPath()
    for (x, y), *rest in area.loops:
        path.moveTo(x * mm, y * mm)
        for x, y in rest:
            path.lineTo(x * mm, y * mm)
        path.close()
    if area.colour is None:
        canvas.setFillGray(area.shade)
    else:
        canvas.setFillColorRGB(*area.colour)
    canvas.drawPath(path, stroke=0, fill=1)


def _stroke(canvas: Canvas, stroke: Stroke) -> None:
    path = canvas.beginPath()
    (x, y), *rest = stroke.points
    path.moveTo(x * mm, y * mm)
    for x, y in rest:
        path.lineTo(x * mm, y * mm)
    if stroke.is_closed:
        path.close()
    canvas.setStrokeGray(stroke.shade)
    canvas.setLineWidth(stroke.width_mm * mm)
    canvas.setDash([length * mm for length in _DASH_MM] if stroke.is_dashed else [])
    canvas.drawPath(path, stroke=1, fill=0)


def _write(canvas: Canvas, text: Text) -> None:
    canvas.setFillGray(text.shade)
    x, y = text.at[0] * mm, text.at[1] * mm
    size = text.size_mm * mm
    wide = fonts.width(text.words, size)
    x -= {"start": 0.0, "middle": wide / 2, "end": wide}[text.anchor]
    for font, part in fonts.spelt(text.words):
        canvas.setFont(font, size)
        canvas.drawString(x, y, part)
        x += canvas.stringWidth(part, font, size)
