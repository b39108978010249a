# SPDX-License-Identifier: Apache-2.0
"""Refinement of a rough view by the crossings of the board's lines. Pure.

It also estimates the lens distortion.
The distortion is unknown at first: several values are tried,
and the one with most crossings is used.

Source: that k1 grows with the square of the focal length follows from r = p / f in `geometry.Lens`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from calibration.crossings import FAR, NEAR, Lines, Points
from companion.sensing.vision.geometry import Floats, Lens, View, fit_homography, focal_of, transform, view_of
from companion.sensing.vision.sampler import Flags

_FEWEST: Final = 9
"""Least number of crossings for residuals: those of a board of four by four."""
_SHARE: Final = 0.3
"""Least share of the crossings that must be visible: pieces may hide the others."""
_SOME: Final = 60
"""Number of crossings that suffice to compare several views."""
_SURE: Final = 0.4
"""Share of open crossings from which tags are not nudged.

Nudging could lead to edges of pieces.
"""
_ANCHOR_PX: Final = 3.0
"""Largest displacement of tag corners in the best view from their printed places."""
_OUTLIER_PX: Final = 0.75
"""Displacement below which a crossing is never an outlier."""
_ROUNDS: Final = 6
_MANY, _MOST = 36, 0.8
"""Number and share of crossings from which tags are not needed as anchors.

The edges of tags are less precise.
"""
_OUTLIER: Final = 4.0
"""Multiple of the typical displacement below which a crossing is not an outlier."""
_BENDS: Final = (-0.45, 0.45)
"""Search range of k1."""
_TRIED: Final = np.linspace(*_BENDS, 25)
"""Values of k1 that are tried first.

Between two of them the middle of a board moves by a px or two.
"""
_GOLDEN: Final = 0.5 * (5**0.5 - 1)


def snap(
    lines: Lines, first: Points, lens: Lens | None, size_px: tuple[int, int], *, has_tags: bool
) -> tuple[Points, int] | None:
    """The crossings of the board's lines with the needed points of *first*.

    The second result is the number of crossings; the result is None if there are too few.
    *has_tags*: the points *first* are corners of tags, which are precise.
    The start is the view with most crossings among several distortions.
    """
    every, start = lines.points_mm, view_of(*first, size_px, lens)
    if len(every) < _FEWEST:
        return None
    some = replace(lines, points_mm=every[:: -(-len(every) // _SOME)])
    views = [start] if lens else [_bent_view(first, start, float(k1)) for k1 in _TRIED]
    best, count = _best(some, views)
    if not has_tags or count < _SURE * some.open_to(best):
        best, _ = _best(some, [best, *(near for view in views if (near := _nudged(some, view)) is not None)])
    anchors = first if has_tags and _is_anchored(first, best) else (first[0][:0], first[1][:0])
    for _ in range(2):  # the second pass starts from the result of the first
        seen_mm, seen_px = lines.seen(best, NEAR)
        if len(seen_mm) < max(_FEWEST, _SHARE * len(every)):
            return None
        if len(seen_mm) >= max(_MANY, _MOST * len(every)):
            anchors = anchors[0][:0], anchors[1][:0]
        joint = np.vstack([seen_mm, anchors[0]]), np.vstack([seen_px, anchors[1]])
        agrees = _agreeing(joint, size_px, lens)
        joint, count = (joint[0][agrees], joint[1][agrees]), int(agrees[: len(seen_mm)].sum())
        best = view_of(*joint, size_px, lens or bend_of(*joint, size_px))
    return joint, count


def bend_of(points_mm: Floats, points_px: Floats, size_px: tuple[int, int]) -> Lens:
    """The lens for which *points_px* are a view of *points_mm* in the plane.

    k1 by golden section, k2 is 0.
    """
    plain = view_of(points_mm, points_px, size_px).lens

    def left_over(k1: float) -> float:
        lens = Lens(plain.centre_px, plain.focal_px, k1)
        return float(np.mean(residuals(points_mm, points_px, lens) ** 2))

    low, high = _BENDS
    one, other = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_one, at_other = left_over(one), left_over(other)
    while high - low > 1e-4:
        if at_one < at_other:
            high, other, at_other = other, one, at_one
            one = high - _GOLDEN * (high - low)
            at_one = left_over(one)
        else:
            low, one, at_one = one, other, at_other
            other = low + _GOLDEN * (high - low)
            at_other = left_over(other)
    k1 = (low + high) / 2
    straight = Lens(plain.centre_px, plain.focal_px, k1).straighten(points_px)
    focal_px = focal_of(fit_homography(points_mm, straight), plain.centre_px) or plain.focal_px
    return Lens(plain.centre_px, focal_px, k1 * (focal_px / plain.focal_px) ** 2)


def residuals(points_mm: Floats, points_px: Floats, lens: Lens, kept: Points | None = None) -> Floats:
    """(n,): residuals in px of the best homography for the points under *lens*.

    *kept*, if given, are the points used for the fit.
    """
    fitted_mm, fitted_px = kept or (points_mm, points_px)
    homography = fit_homography(fitted_mm, lens.straighten(fitted_px))
    apart: Floats = np.hypot(*(lens.bend(transform(homography, points_mm)) - points_px).T)
    return apart


def _best(lines: Lines, views: Sequence[View]) -> tuple[View, int]:
    """The one of *views* with most crossings in place, and their number."""
    counts = [len(lines.seen(view, NEAR)[0]) for view in views]
    most = max(counts)
    return views[counts.index(most)], most


def _is_anchored(first: Points, view: View) -> bool:
    """True if the tag corners *first* are at their printed places."""
    return float(np.hypot(*(view.to_image(first[0]) - first[1]).T).max()) < _ANCHOR_PX


def _agreeing(points: Points, size_px: tuple[int, int], lens: Lens | None) -> Flags:
    """(n,): mask of *points* that fit one board; the others are edges of pieces."""
    agrees: Flags = np.ones(len(points[0]), np.bool_)
    for _ in range(_ROUNDS):
        kept = points[0][agrees], points[1][agrees]
        off = residuals(*points, lens or bend_of(*kept, size_px), kept)
        closer: Flags = off <= max(_OUTLIER * float(np.median(off)), _OUTLIER_PX)
        if closer.sum() < _FEWEST or (closer == agrees).all():
            break
        agrees = closer
    return agrees


def _bent_view(first: Points, start: View, k1: float) -> View:
    """The view of the points *first* under a lens with *k1*."""
    lens = Lens(start.lens.centre_px, start.lens.focal_px, k1)
    return view_of(*first, start.size_px, lens)


def _nudged(lines: Lines, view: View) -> View | None:
    """The view near *view* that fits half of the crossings, for corners some px off."""
    seen_mm, seen_px = lines.seen(view, FAR)
    if len(seen_mm) < _FEWEST:
        return None
    _, inside = cv2.findHomography(seen_mm, view.lens.straighten(seen_px), cv2.LMEDS)
    if inside is None or (agrees := np.ravel(inside) > 0).sum() < _FEWEST:
        return None
    return view_of(seen_mm[agrees], seen_px[agrees], view.size_px, view.lens)
