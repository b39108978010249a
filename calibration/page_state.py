# SPDX-License-Identifier: Apache-2.0
"""State of the workshop's page, as plain values for JSON. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from calibration.chart import FEWEST_VIEWS, MEASURES, covered, is_enough
from calibration.scale import FEWEST_CELL_PX, GOOD_PX, POOR_PX, Scale
from calibration.table import kinds_of
from calibration.wording import PieceName, Words
from calibration.workshop import Note, Workshop
from companion.model.errors import CompanionError
from companion.model.grid import cell_mm
from companion.sensing.vision.geometry import Floats, View
from companion.sheets.chart import lens_chart

_PARTS: Final = 4
"""Number of parts of each cell edge, so that distorted lines are drawn curved."""


Explain: TypeAlias = Callable[[CompanionError], str]
"""Puts an error into the language of a reader."""


def picture(workshop: Workshop, words: Words, explain: Explain) -> dict[str, Any]:
    """The complete page state of *workshop*, in *words*."""
    view, table, outfit = workshop.view, workshop.table, workshop.outfit
    handles = workshop.handles_px
    size_px = workshop.size_px
    assessment = workshop.assessment
    return {
        "size": size_px,
        "stage": workshop.stage.value,
        "origin": workshop.origin.value,
        "table": {
            "game": table.game,
            "options": dict(table.options),
            "cell_mm": round(cell_mm(outfit.grid), 2),
            "is_measured": table.cell_mm is not None,
            "has_tags": table.has_tags,
            "grid": outfit.grid.slug,
        },
        "tags": [_tag(workshop, words, tag.tag, tag.outline_px) for tag in workshop.look.tags],
        "handles": None if handles is None else _points(handles),
        "grid": None if view is None else _grid(workshop, view),
        "advice": [
            {"level": one.level.value, "text": words.text(one.sentence)}
            for one in (assessment.advice if assessment else ())
        ],
        "map": None if assessment is None else _map(assessment.scale, has_tags=table.has_tags),
        "references": [shown.value for shown in workshop.references],
        "heights": {
            "usual": table.heights.usual_mm,
            "kinds": {kind: table.heights.kinds.get(kind) for kind in kinds_of(outfit)},
            "names": {kind: words.text(PieceName(table.game, kind)) for kind in kinds_of(outfit)},
        },
        "lens": _lens(workshop),
        "name": workshop.name,
        "note": {"text": note_text(workshop.note, words, explain), "is_fault": workshop.note.is_fault},
    }


def note_text(note: Note, words: Words, explain: Explain) -> str:
    """*note* in the language of *words*, or ""."""
    if isinstance(note.said, CompanionError):
        return explain(note.said)
    return "" if note.said is None else words.text(note.said)


def _tag(workshop: Workshop, words: Words, tag: int, outline_px: Floats) -> dict[str, Any]:
    """A detected tag."""
    mark = workshop.outfit.marks.get(tag)
    kind = "strange"
    if tag in workshop.outfit.corners:
        kind = "corner"
    elif mark is not None:
        kind = "piece"
    elif tag in lens_chart().tags:
        kind = "chart"
    name = words.text(PieceName(workshop.table.game, mark.piece.kind)) if mark else ""
    return {"id": tag, "kind": kind, "name": name, "outline": _points(outline_px)}


def _grid(workshop: Workshop, view: View) -> list[list[list[float]]]:
    """The outline of each cell in px."""
    parts = _PARTS if view.lens.k1 or view.lens.k2 else 1
    steps = (np.arange(parts) / parts)[:, None]
    drawn = []
    for outline in workshop.outfit.grid.outlines:
        corners = np.array(outline)
        ends = np.roll(corners, -1, axis=0)
        along = np.vstack(
            [one * (1 - steps) + other * steps for one, other in zip(corners, ends, strict=True)]
        )
        drawn.append(_points(view.to_image(along)))
    return drawn


def _map(scale: Scale, *, has_tags: bool) -> list[dict[str, Any]]:
    """Px per module, or per cell, of every cell, with its rating."""
    values = scale.module_px if has_tags else scale.cell_px
    poor, good = (POOR_PX, GOOD_PX) if has_tags else (FEWEST_CELL_PX, FEWEST_CELL_PX)
    return [
        {
            "px": round(float(value), 1),
            "level": "bad" if value < poor else "fair" if value < good else "good",
        }
        for value in values
    ]


def _lens(workshop: Workshop) -> dict[str, Any]:
    """Progress of the lens calibration."""
    found = workshop.lens
    asks = {"wants-lens", "bare-lens"}
    advice = workshop.assessment.advice if workshop.assessment else ()
    return {
        "is_on": workshop.is_charting,
        "is_wanted": any(one.key in asks for one in advice),
        "views": len(workshop.views),
        "fewest": FEWEST_VIEWS,
        "bars": dict(zip(MEASURES, (round(bar, 2) for bar in covered(workshop.views)), strict=True)),
        "is_enough": is_enough(workshop.views),
        "found": None if found is None else {"k1": round(found.lens.k1, 4), "rms_px": round(found.rms_px, 2)},
    }


def _points(points_px: Floats) -> list[list[float]]:
    """(n, 2) px, rounded to tenths."""
    rounded: list[list[float]] = np.round(points_px, 1).tolist()
    return rounded
