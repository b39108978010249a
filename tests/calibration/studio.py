# SPDX-License-Identifier: Apache-2.0
"""Printed tables and charts before virtual cameras of known pose and lens."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import cv2
import numpy as np

from calibration.chart import ChartView, chart_in
from calibration.marks import Look, finder, middle_image, tags_in
from calibration.table import Table, outfit_of
from calibration.view_fit import handles_mm
from companion import games
from companion.model.tags import family
from companion.sensing.tagged_table import TaggedTable, as_seen
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.geometry import Floats
from companion.sheets.chart import lens_chart
from tests.virtual.optics import Optics
from tests.virtual.scene import Exposure, Scene, Thing

CHESS = Table("chess", cell_mm=50.0)
_CHART_MARGIN_MM = 20.0
_CHART_PX = 4
"""Pixels of the drawing for each mm."""


def over(table: Table, size_px: tuple[int, int] = (1280, 720), **faults: Any) -> Optics:
    """A camera that looks at *table* obliquely from the first player's side.

    The table fills most of the image.
    """
    left, near, right, far = bounds_mm(outfit_of(table))
    wide, deep = right - left, far - near
    reach = max(wide, deep) * 1.75
    optics = Optics(
        size_px,
        ((left + right) / 2, near + deep * 0.5 - reach * 0.45, reach * 0.9),
        ((left + right) / 2, near + deep * 0.47),
        focal_px=size_px[1] * 1.25,
        gradient=0.15,
    )
    return replace(optics, **faults)


def bounds_mm(outfit: TaggedTable) -> tuple[float, float, float, float]:
    """Left, near, right and far of a board."""
    points = np.array([point for outline in outfit.grid.outlines for point in outline])
    (left, near), (right, far) = points.min(axis=0), points.max(axis=0)
    return float(left), float(near), float(right), float(far)


def scene_of(
    table: Table, optics: Optics, *, tags: bool = True, shift_mm: float = 0.0, corners: Collection[int] = ()
) -> Scene:
    """The empty board of *table* as printed.

    Its corner tags, if any, are *shift_mm* too far to the right.
    They are *corners* instead of its own.
    """
    outfit = as_seen(outfit_of(table), corners)
    beside = [
        Thing(family().rows(tag), (x + shift_mm, y), 0.0, outfit.corner_mm, height_mm=0.0)
        for tag, (x, y) in outfit.corners.items()
    ]
    return Scene(outfit.grid, optics, beside if tags else (), seed=3)


def set_up(scene: Scene, table: Table, height_mm: float = 12.0) -> None:
    """Put the pieces of the start position onto the board, with human accuracy."""
    outfit, rules = outfit_of(table), games.find(table.game).rules(table.options)
    chance, free = Random(5), dict(outfit.marks)
    for cell, piece in rules.placement(rules.initial()).by_cell().items():
        tag = next(
            tag
            for tag, mark in free.items()
            if (mark.piece.kind, mark.piece.side) == (piece.kind, piece.side)
        )
        del free[tag]
        x, y = outfit.grid.centre_mm(cell)
        at_mm = (x + chance.gauss(0, 1), y + chance.gauss(0, 1))
        scene.put(tag, Thing(family().rows(tag), at_mm, chance.gauss(0, 3), outfit.tag_mm, height_mm))


def photographs(scene: Scene, count: int = 2, exposure: Exposure | None = None) -> list[Grey]:
    """Some images of a scene at rest."""
    return [scene.photograph(exposure or Exposure()) for _ in range(count)]


def looked_at(images: list[Grey]) -> tuple[Look, Grey]:
    """The tags in *images*, and the median image."""
    return tags_in(images, finder(family())), middle_image(images)


def true_handles_px(outfit: TaggedTable, optics: Optics) -> Floats:
    """The true image points of the board's corners."""
    corners = handles_mm(outfit.grid)
    return optics.project(np.column_stack([corners, np.zeros(len(corners))]))


@cache
def chart_photographs(optics: Optics, count: int) -> tuple[Grey, ...]:
    """The chart as the moving camera of *optics* sees it."""
    return tuple(chart_photograph(pose, seed) for seed, pose in enumerate(chart_poses(optics, count)))


@cache
def chart_views(optics: Optics, count: int) -> tuple[ChartView, ...]:
    """The chart views found on them."""
    found = [chart_in(image) for image in chart_photographs(optics, count)]
    return tuple(view for view in found if view is not None)


@cache
def chart_drawing() -> Grey:
    """The printed chart from straight above, with *_CHART_PX* per mm."""
    chart = lens_chart()
    edge, margin = chart.square_mm * _CHART_PX, _CHART_MARGIN_MM * _CHART_PX
    high, wide = (round(count * edge + 2 * margin) for count in (chart.rows, chart.columns))
    drawn = np.full((high, wide), 235, np.uint8)
    tags = iter(chart.tags)
    for row in range(chart.rows):
        for column in range(chart.columns):
            x, y = margin + column * edge, margin + row * edge
            if (row + column) % 2 == 0:
                drawn[round(y) : round(y + edge), round(x) : round(x + edge)] = 25
                continue
            side = round(chart.tag_mm * _CHART_PX)
            levels = np.where(np.array(family().rows(next(tags))), 235, 25).astype(np.uint8)
            inset = round((edge - side) / 2)
            top, left = round(y) + inset, round(x) + inset
            drawn[top : top + side, left : left + side] = cv2.resize(
                levels, (side, side), interpolation=cv2.INTER_NEAREST
            )
    return drawn


def chart_poses(optics: Optics, count: int, seed: int = 4) -> list[Optics]:
    """Poses of a camera moved around the chart."""
    chart, chance = lens_chart(), Random(seed)
    x = chart.columns * chart.square_mm / 2 + _CHART_MARGIN_MM
    y = chart.rows * chart.square_mm / 2 + _CHART_MARGIN_MM
    poses = []
    for _ in range(count):
        reach, round_it, tilt = chance.uniform(300, 650), chance.uniform(0, 6.28), chance.uniform(0, 0.7)
        aside = reach * np.sin(tilt)
        camera_mm = (x + aside * np.cos(round_it), y + aside * np.sin(round_it), reach * np.cos(tilt))
        aim_mm = (x + chance.uniform(-100, 100), y + chance.uniform(-60, 60))
        roll_deg = chance.uniform(-20, 20)
        poses.append(replace(optics, camera_mm=camera_mm, aim_mm=aim_mm, roll_deg=roll_deg))
    return poses


def chart_photograph(optics: Optics, seed: int) -> Grey:
    """The chart on a table, through *optics*."""
    drawn = cv2.GaussianBlur(chart_drawing(), (0, 0), 1.5)
    width, height = optics.size_px
    pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2)
    at_mm = optics.pierce(pixels.astype(np.float64), 0.0)
    across = (at_mm[:, 0] * _CHART_PX - 0.5).reshape(height, width).astype(np.float32)
    down = (drawn.shape[0] - at_mm[:, 1] * _CHART_PX - 0.5).reshape(height, width).astype(np.float32)
    seen = cv2.remap(drawn, across, down, cv2.INTER_LINEAR, borderValue=90.0)
    noisy = cv2.GaussianBlur(seen, (0, 0), 0.7) + np.random.default_rng(seed).normal(0, 3, seen.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)
