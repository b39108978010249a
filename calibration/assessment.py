# SPDX-License-Identifier: Apache-2.0
"""Assessment of a camera and board: measured numbers, and advice in sentences. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import numpy as np

from calibration import exposure as light
from calibration import scale as scales
from calibration.exposure import Exposure, exposure_of
from calibration.marks import Look
from calibration.scale import Scale, corner, scale_of, where
from calibration.view_fit import PLACES, Bend, Fit, Origin
from calibration.wording import Gap, Sentence, Words, sentence, shortened
from companion.sensing.profile import Locked
from companion.sensing.tagged_table import TaggedTable
from companion.sensing.vision.codes import Grey
from companion.sheets.chart import lens_chart

_TAG_OFF_MM: Final = 2.0
"""Displacement above which a corner tag counts as misplaced."""
_TAGS_WORST_PX: Final = 3.0
"""Residual of corner tags alone from which a lens calibration is advised."""
_MET: Final = 0.6
"""Share of the open crossings that must be found.

Otherwise untagged objects hide them.
"""
_NAMED: Final = 12
"""Largest number of cells or tags named in a sentence."""


class Level(StrEnum):
    """Severity of an advice."""

    GOOD = "good"
    FAIR = "fair"
    """Usable, with room for improvement."""
    BAD = "bad"
    """Not usable."""


@dataclass(frozen=True, slots=True)
class Advice:
    """One sentence."""

    level: Level
    sentence: Sentence

    @property
    def key(self) -> str:
        """The sentence's key in the table `advice`."""
        return self.sentence.key.removeprefix("advice.")


@dataclass(frozen=True, slots=True, eq=False)
class Assessment:
    """All measurements of a camera and board."""

    fit: Fit
    scale: Scale
    exposure: Exposure
    locked: Locked | None
    advice: tuple[Advice, ...]

    @property
    def is_bad(self) -> bool:
        """True if something is not usable."""
        return any(one.level is Level.BAD for one in self.advice)

    def numbers(self, outfit: TaggedTable, words: Words) -> dict[str, Any]:
        """Everything as plain values, for JSON; the advice in *words*."""
        fit, scale, names = self.fit, self.scale, outfit.grid.names
        lens = fit.view.lens
        return {
            "fit": {
                "origin": fit.origin.value,
                "bend": fit.bend.value,
                "crossings": fit.crossings,
                "crossings_expected": fit.expected,
                "rms_px": round(fit.rms_px, 3) if fit.proves else None,
                "worst_px": round(fit.worst_px, 3) if fit.proves else None,
                "straight_worst_px": round(fit.straight_worst_px, 3),
                "camera_mm": [round(float(value), 1) for value in fit.view.camera_mm],
                "k1": round(lens.k1, 5),
                "k2": round(lens.k2, 5),
            },
            "corner_tags": [
                {
                    "id": tag.tag,
                    "middle_mm": [round(value, 2) for value in tag.middle_mm],
                    "turn_deg": round(tag.turn_deg, 2),
                    "off_mm": round(tag.off_mm, 2),
                }
                for tag in fit.lying
            ],
            "scale": {
                "worst": names[scale.worst],
                "module_px": {
                    name: round(float(px), 2) for name, px in zip(names, scale.module_px, strict=True)
                },
                "cell_px": {name: round(float(px), 1) for name, px in zip(names, scale.cell_px, strict=True)},
                "outside": [names[cell] for cell in scale.outside],
            },
            "exposure": {
                name: None if value is None else round(value, 3)
                for name, value in dataclasses.asdict(self.exposure).items()
            },
            "locked": None if self.locked is None else dataclasses.asdict(self.locked),
            "advice": [
                {"level": one.level.value, "key": one.key, "text": words.text(one.sentence)}
                for one in self.advice
            ],
        }


def assess(
    images: Sequence[Grey],
    look: Look,
    fit: Fit,
    outfit: TaggedTable,
    locked: Locked | None = None,
    *,
    has_tags: bool = True,
) -> Assessment:
    """The assessment of *images* of a table at rest, with tags *look* and view *fit*."""
    scale = scale_of(outfit, fit.view, has_tags=has_tags)
    exposure = exposure_of(images, look, outfit, fit.view)
    advice = (
        *_of_scale(scale, outfit, has_tags=has_tags),
        *_of_fit(fit, scale),
        *(_of_tags(look, fit, outfit) if has_tags else ()),
        *_of_light(exposure),
        *_of_locks(locked),
    )
    return Assessment(fit, scale, exposure, locked, advice)


def advise(level: Level, key: str, /, **gaps: Gap) -> Advice:
    """The advice called *key*."""
    return Advice(level, sentence(f"advice.{key}", **gaps))


def _of_scale(scale: Scale, outfit: TaggedTable, *, has_tags: bool) -> Iterator[Advice]:
    """Advice about the board's place and size in the image."""
    if scale.outside:
        cells = shortened([outfit.grid.name(cell) for cell in scale.outside], _NAMED)
        yield advise(Level.BAD, "outside", cells=cells)
    place = where(outfit.grid, scale.worst)
    px = float(scale.module_px[scale.worst] if has_tags else scale.cell_px[scale.worst])
    enough = scales.GOOD_PX if has_tags else scales.FEWEST_CELL_PX
    distance_cm = scale.distance_mm / 10
    remedy = sentence("advice.closer", distance=distance_cm, target=distance_cm * px / enough)
    if not has_tags:
        level, key = (Level.BAD, "cell-poor") if px < enough else (Level.GOOD, "cell-good")
    elif px < scales.POOR_PX:
        level, key = Level.BAD, "module-poor"
    else:
        level, key = (Level.FAIR, "module-fair") if px < enough else (Level.GOOD, "module-good")
    yield advise(level, key, place=place, px=px, remedy=remedy)


def _of_fit(fit: Fit, scale: Scale) -> Iterator[Advice]:
    """Advice about the grid's fit and the lens."""
    cell_px = float(np.median(scale.cell_px))
    if not fit.crossings:
        if fit.origin is Origin.HAND:
            yield advise(Level.FAIR, "bare-hand")
        elif fit.worst_px > _TAGS_WORST_PX and fit.bend is Bend.NONE:
            yield advise(Level.BAD, "bare-lens", worst=fit.worst_px)
        else:
            yield advise(Level.FAIR, "bare-tags", rms=fit.rms_px)
        return
    if fit.wants_lens(cell_px):
        off_px = max(fit.worst_px, fit.typical_px)
        yield advise(Level.BAD, "wants-lens", worst=off_px, cells=off_px / cell_px)
    else:
        yield advise(Level.GOOD, "fits", rms=fit.rms_px, count=fit.crossings, worst=fit.worst_px)
    if fit.crossings < _MET * fit.expected:
        yield advise(Level.FAIR, "few-lines", count=fit.crossings, expected=fit.expected)
    if fit.bend is Bend.LINES:
        yield advise(Level.GOOD, "bent-lines", straight=fit.straight_worst_px)
    elif fit.bend is Bend.CHART:
        yield advise(Level.GOOD, "bent-chart")


def _of_tags(look: Look, fit: Fit, outfit: TaggedTable) -> Iterator[Advice]:
    """Advice about the tags: identity, duplicates, places."""
    places = dict(zip(outfit.corners, PLACES, strict=False))
    seen = {tag.tag: tag for tag in fit.lying}
    for tag, place in places.items():
        if tag not in seen:
            yield advise(Level.FAIR, "tag-missing", place=corner(place))
        elif seen[tag].off_mm > _TAG_OFF_MM:
            yield advise(Level.FAIR, "tag-off", place=corner(place), off=seen[tag].off_mm)
    if look.doubles:
        yield advise(Level.BAD, "tag-double", tags=shortened([str(tag) for tag in look.doubles], _NAMED))
    known = {*outfit.corners, *outfit.marks, *lens_chart().tags}
    strange = [str(each.tag) for each in look.tags if each.tag not in known]
    if strange:
        yield advise(Level.BAD, "tag-strange", tags=shortened(strange, _NAMED))


def _of_light(exposure: Exposure) -> Iterator[Advice]:
    """Advice about the light and its stability."""
    found = []
    if exposure.burnt > light.MOST_BURNT:
        found.append(advise(Level.FAIR, "burnt", share=100 * exposure.burnt))
    if exposure.level < light.LEAST_LEVEL:
        found.append(advise(Level.FAIR, "dark", level=exposure.level))
    if exposure.contrast is not None and exposure.contrast < light.LEAST_CONTRAST:
        found.append(advise(Level.FAIR, "pale", contrast=round(exposure.contrast)))
    if exposure.ride > light.MOST_RIDE:
        found.append(advise(Level.FAIR, "ride", ride=100 * exposure.ride))
    if exposure.motion > light.MOST_MOTION:
        found.append(advise(Level.FAIR, "moves"))
    yield from found or [advise(Level.GOOD, "lit")]


def _of_locks(locked: Locked | None) -> Iterator[Advice]:
    """Advice about the camera's fixed settings."""
    if locked is None:
        return
    refused = [name for name, is_kept in dataclasses.asdict(locked).items() if not is_kept]
    for name in refused:
        yield advise(Level.FAIR, f"{name.replace('_', '-')}-refused")
    if not refused:
        yield advise(Level.GOOD, "locked")
