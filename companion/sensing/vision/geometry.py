# SPDX-License-Identifier: Apache-2.0
"""Projection of board points to the image, and of pixels to board points.

Frames: *board* is in mm, x to the right, y away from the first player, z up, as in `model.grid`;
*image* is in px, x to the right, y down, the centre of the first pixel at (0, 0).
The plane z = 0 is known from a homography, heights above it from the camera's centre only:
a point X at height h covers the point X0 of the plane with X = X0 + (C - X0) h / Cz.
This is accurate to a millimetre or two even if the focal length is wrong by a tenth.

Source: Hartley & Zisserman, *Multiple View Geometry*, 2nd ed., sections 2.3, 4.1 and 8.8;
Zhang, *A Flexible New Technique for Camera Calibration*, 2000, section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from companion.model.errors import CalibrationError

Floats: TypeAlias = NDArray[np.float64]

_FLATTEST: Final = 0.05
"""Sine of the board's tilt below which a view does not determine the focal length.

The image noise would dominate.
"""
_USUAL_FOCAL: Final = 0.85
"""Default focal length in image widths: a webcam's 60 to 70 degrees."""
_ROUNDS: Final = 8
"""Fixed-point iterations that undo the lens: each gains a digit at |k1| <= 0.3."""


@dataclass(frozen=True, slots=True)
class Lens:
    """Radial distortion about the image centre, with the usual two terms."""

    centre_px: tuple[float, float]
    focal_px: float
    """Unit of the radii; the scale of k1 and k2."""
    k1: float = 0.0
    k2: float = 0.0

    @property
    def is_bent(self) -> bool:
        """True if the distortion is not zero."""
        return bool(self.k1 or self.k2)

    def bend(self, straight_px: Floats) -> Floats:
        """Distorted image points of straight ones. (N, 2) float64, px, in and out."""
        if not self.is_bent:
            return straight_px
        rays = (straight_px - self.centre_px) / self.focal_px
        return rays * self._growth(rays) * self.focal_px + self.centre_px

    def straighten(self, points_px: Floats) -> Floats:
        """Straight image points of distorted ones: the inverse of `bend`."""
        if not self.is_bent:
            return points_px
        bent = (points_px - self.centre_px) / self.focal_px
        rays = bent
        for _ in range(_ROUNDS):
            rays = bent / self._growth(rays)
        return rays * self.focal_px + self.centre_px

    def _growth(self, rays: Floats) -> Floats:
        """The factor by which each of *rays* is lengthened. (N, 1)."""
        squared = (rays * rays).sum(axis=1, keepdims=True)
        growth: Floats = 1 + squared * (self.k1 + self.k2 * squared)
        return growth


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The view of one board by one camera."""

    homography: Floats
    """(3, 3): board plane in mm to straight image in px, homogeneous."""
    camera_mm: Floats
    """(3,): the camera's centre above the board."""
    lens: Lens
    size_px: tuple[int, int]
    """Width and height of the image."""
    residual_px: float = 0.0
    """Root mean square distance between its source points and their projections."""

    def to_image(self, points_mm: Floats, height_mm: float | Floats = 0.0) -> Floats:
        """Projection of points above the board.

        *points_mm*: (N, 2) float64, board; *height_mm*: one, or (N,). Returns (N, 2) float64, px.
        """
        share = np.reshape(np.asarray(height_mm, np.float64) / self.camera_mm[2], (-1, 1))
        covered = (points_mm - self.camera_mm[:2] * share) / (1 - share)
        return self.lens.bend(transform(self.homography, covered))

    def flat_to_image(self, height_mm: float) -> Floats:
        """(3, 3): from the plane at *height_mm*, homogeneous, to the straight image."""
        share = height_mm / self.camera_mm[2]
        x, y = self.camera_mm[:2] * share
        lifted: Floats = self.homography @ [[1, 0, -x], [0, 1, -y], [0, 0, 1 - share]]
        return lifted

    def to_board(self, points_px: Floats, height_mm: float | Floats = 0.0) -> Floats:
        """Points at *height_mm* that appear at *points_px*: the inverse of `to_image`."""
        covered = transform(
            np.linalg.inv(self.homography).astype(np.float64), self.lens.straighten(points_px)
        )
        share = np.reshape(np.asarray(height_mm, np.float64) / self.camera_mm[2], (-1, 1))
        above: Floats = covered + (self.camera_mm[:2] - covered) * share
        return above

    def px_per_mm(self, point_mm: tuple[float, float]) -> float:
        """The scale of the image at *point_mm* in its worse direction."""
        around = np.asarray(point_mm) + np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        here, right, away = self.to_image(around)
        return float(np.linalg.svd(np.stack([right - here, away - here]), compute_uv=False)[-1])


def transform(homography: Floats, points: Floats) -> Floats:
    """*points* after a homography. (3, 3) and (N, 2) float64; returns (N, 2)."""
    moved = points @ homography[:, :2].T + homography[:, 2]
    found: Floats = moved[:, :2] / moved[:, 2:]
    return found


def fit_homography(points_mm: Floats, points_px: Floats) -> Floats:
    """The homography from *points_mm* to *points_px* by normalised linear least squares.

    Both (N, 2) float64 with N >= 4. Raises `CalibrationError` if they are collinear or coincide.
    """
    source, from_mm = _normalised(points_mm)
    target, from_px = _normalised(points_px)
    ones, zeros = np.ones((len(source), 1)), np.zeros((len(source), 3))
    lifted = np.hstack([source, ones])
    rows = np.vstack(
        [
            np.hstack([lifted, zeros, -target[:, :1] * lifted]),
            np.hstack([zeros, lifted, -target[:, 1:] * lifted]),
        ]
    )
    _, values, axes = np.linalg.svd(rows, full_matrices=len(rows) < 9)  # for many points, U would be huge
    if len(points_mm) < 4 or values[7] < 1e-6 * values[0]:
        raise CalibrationError(
            "the board's corners lie on a line in the image: all four must be seen, from above the board"
        )
    found: Floats = np.linalg.inv(from_px) @ axes[-1].reshape(3, 3) @ from_mm
    scaled: Floats = found / found[2, 2]
    return scaled


def view_of(points_mm: Floats, points_px: Floats, size_px: tuple[int, int], lens: Lens | None = None) -> View:
    """The view in which *points_mm* of the board's plane appear at *points_px*.

    Both (N, 2) float64, N >= 4; *size_px* is width and height.
    The focal length is derived from the view if the board is tilted,
    else taken from *lens*, else that of a webcam.
    Raises `CalibrationError` if the points determine no view.
    """
    width, height = size_px
    usual = lens or Lens(((width - 1) / 2, (height - 1) / 2), _USUAL_FOCAL * width)
    straight = usual.straighten(points_px)
    homography = fit_homography(points_mm, straight)
    focal_px = usual.focal_px if lens else focal_of(homography, usual.centre_px) or usual.focal_px
    seen = usual.bend(transform(homography, points_mm))
    residual = float(np.sqrt(np.mean(np.sum((seen - points_px) ** 2, axis=1))))
    return View(homography, centre_of(homography, usual.centre_px, focal_px), usual, size_px, residual)


def focal_of(homography: Floats, centre_px: tuple[float, float]) -> float | None:
    """The focal length in px from *homography*; None if the plane is not tilted enough.

    The two columns of the board's axes must be perpendicular and of equal length:
    two equations for one unknown.
    """
    shifted = np.array([[1, 0, -centre_px[0]], [0, 1, -centre_px[1]], [0, 0, 1.0]]) @ homography
    first, second = shifted[:, 0], shifted[:, 1]
    planar = np.array([first[:2] @ second[:2], first[:2] @ first[:2] - second[:2] @ second[:2]])
    depth = np.array([first[2] * second[2], first[2] ** 2 - second[2] ** 2])
    squared = -(planar @ depth) / (depth @ depth) if depth.any() else -1.0
    if squared <= 0:
        return None
    focal = float(np.sqrt(squared))
    slope = focal * np.hypot(first[2], second[2])
    length = np.sqrt((first[:2] @ first[:2] + second[:2] @ second[:2] + slope**2) / 2)
    return focal if slope / length > _FLATTEST else None


def centre_of(homography: Floats, centre_px: tuple[float, float], focal_px: float) -> Floats:
    """The camera's centre, (3,) float64 in mm, from *homography* and *focal_px*.

    Raises `CalibrationError` if the board would be seen from below:
    its corners are in the wrong order.
    """
    inside = np.array([[1, 0, -centre_px[0]], [0, 1, -centre_px[1]], [0, 0, focal_px]]) @ homography
    inside /= (np.linalg.norm(inside[:, 0]) + np.linalg.norm(inside[:, 1])) / 2
    right, away, shift = inside.T
    left, _, back = np.linalg.svd(np.column_stack([right, away, np.cross(right, away)]))
    centre: Floats = -(left @ back).T @ shift
    if shift[2] < 0:
        centre = centre * (1, 1, -1)
    if centre[2] <= 0:
        raise CalibrationError("the board is seen from below: its corners are named in the wrong order")
    return centre


def _normalised(points: Floats) -> tuple[Floats, Floats]:
    """*points* centred and scaled to unit size, and the (3, 3) matrix that does so."""
    middle = points.mean(axis=0)
    spread = float(np.sqrt(((points - middle) ** 2).sum(axis=1).mean())) or 1.0
    matrix = np.array([[1 / spread, 0, -middle[0] / spread], [0, 1 / spread, -middle[1] / spread], [0, 0, 1]])
    return (points - middle) / spread, matrix
