# SPDX-License-Identifier: Apache-2.0
"""Assessments of a camera are true and name a remedy."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from calibration.assessment import Assessment, Level, assess
from calibration.marks import Look, Tagged
from calibration.table import Table, outfit_of
from calibration.view_fit import Fit, fit_hand, fit_tags
from calibration.wording import load
from companion.sensing.profile import Locked
from companion.sensing.vision.codes import Grey
from tests.calibration.studio import CHESS, looked_at, over, photographs, scene_of, true_handles_px
from tests.virtual.scene import Exposure

OUTFIT = outfit_of(CHESS)
OPTICS = over(CHESS)
WORDS = load("en")


class Good(NamedTuple):
    """A good table: its photographs, what they show, and how it fits."""

    images: list[Grey]
    look: Look
    middle: Grey
    fit: Fit


@cache
def good() -> Good:
    images = photographs(scene_of(CHESS, OPTICS))
    look, middle = looked_at(images)
    return Good(images, look, middle, fit_tags((look, middle), OUTFIT))


def said(found: Assessment, level: Level) -> list[str]:
    return [one.key for one in found.advice if one.level is level]


def assessed(
    images: list[Grey] | None = None,
    look: Look | None = None,
    locked: Locked | None = None,
    *,
    has_tags: bool = True,
) -> Assessment:
    images, look = images or good().images, look or good().look
    return assess(images, look, good().fit, OUTFIT, locked, has_tags=has_tags)


def test_a_good_table_gets_a_good_assessment() -> None:
    found = assessed(locked=Locked(True, True, True))
    assert not found.is_bad
    assert said(found, Level.GOOD) == ["module-good", "fits", "lit", "locked"]
    assert [one.key for one in assessed(has_tags=False).advice] == ["cell-good", "fits", "lit"]


def test_a_far_row_that_is_too_small_has_the_required_camera_shift() -> None:
    table = Table("tank-chess", {"map": "companion-20"})
    optics = over(table)
    scene = scene_of(table, optics)
    images = photographs(scene, 1)
    look, middle = looked_at(images)
    outfit = outfit_of(table)
    found = assess(images, look, fit_tags((look, middle), outfit), outfit)
    assert found.is_bad
    (sentence,) = [WORDS.text(one.sentence) for one in found.advice if one.key == "module-poor"]
    match = re.match(r"Far row: (1\.\d) px per module.* from (\d+) cm to (\d+) cm", sentence)
    assert match is not None
    px, distance, target = (float(part) for part in match.groups())
    assert px == pytest.approx(float(found.scale.module_px.min()), abs=0.05)
    assert target == pytest.approx(distance * px / 3, rel=0.04)


@pytest.mark.parametrize(
    ("exposures", "key"),
    [
        ([Exposure(gain=1.6)], "burnt"),
        ([Exposure(gain=0.2)], "dark"),
        ([Exposure(gain=0.2)], "pale"),
        ([Exposure(gain=0.9), Exposure(gain=1.05)], "ride"),
        ([Exposure(flicker=0.3), Exposure(flicker=0.3, phase=0.5)], "moves"),
    ],
)
def test_bad_light_is_reported(exposures: list[Exposure], key: str) -> None:
    scene = scene_of(CHESS, OPTICS)
    found = assessed([scene.photograph(exposure) for exposure in exposures])
    assert key in said(found, Level.FAIR)
    assert "lit" not in said(found, Level.GOOD)


def test_settings_refused_by_the_camera_are_reported_with_a_remedy() -> None:
    found = assessed(locked=Locked(exposure=False, white_balance=True, focus=False))
    assert {"exposure-refused", "focus-refused"} <= set(said(found, Level.FAIR))
    assert any(
        "v4l2-ctl" in WORDS.text(one.sentence) for one in found.advice if one.key == "exposure-refused"
    )


def test_foreign_tags_are_named() -> None:
    stranger = Tagged(90, np.array([(600.0, 300.0), (640.0, 300.0), (640.0, 340.0), (600.0, 340.0)]))
    found = assessed(look=Look((*good().look.tags, stranger), doubles=(12,)))
    assert {"tag-double", "tag-strange"} <= set(said(found, Level.BAD))
    assert any("90" in WORDS.text(one.sentence) for one in found.advice if one.key == "tag-strange")


def test_a_missing_or_displaced_corner_tag_is_reported() -> None:
    three = Look(good().look.tags[1:])
    found = assess(good().images, three, fit_tags((three, good().middle), OUTFIT), OUTFIT)
    assert "The near left corner tag is not seen" in " ".join(
        WORDS.text(one.sentence) for one in found.advice
    )
    moved = replace(good().fit, lying=(replace(good().fit.lying[0], off_mm=7.0), *good().fit.lying[1:]))
    assert "tag-off" in said(assess(good().images, good().look, moved, OUTFIT), Level.FAIR)


def test_four_corners_without_further_checks_are_reported_as_unverified() -> None:
    fit = fit_hand((good().look, good().middle), OUTFIT, true_handles_px(OUTFIT, OPTICS), snaps=False)
    assert "bare-hand" in said(assess(good().images, good().look, fit, OUTFIT), Level.FAIR)
    tags = fit_tags((good().look, good().middle), OUTFIT, snaps=False)
    assert "bare-tags" in said(assess(good().images, good().look, tags, OUTFIT), Level.FAIR)


def test_the_numbers_are_plain_values() -> None:
    numbers = assessed().numbers(OUTFIT, WORDS)
    assert numbers["fit"]["crossings"] == 49
    assert numbers["scale"]["worst"].endswith("8")
    assert len(numbers["scale"]["cell_px"]) == 64
    assert numbers["exposure"]["contrast"] > 100
