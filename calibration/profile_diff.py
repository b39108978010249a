# SPDX-License-Identifier: Apache-2.0
"""A profile before and after, side by side. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.scale import scale_of
from calibration.table import Table, outfit_of
from calibration.wording import words
from companion.model.errors import CalibrationError
from companion.sensing.profile import TAGS, Profile, view_through


@dataclass(frozen=True, slots=True)
class Row:
    """One thing, before and after."""

    label: str
    before: str
    after: str
    is_worse: bool = False


def compare(before: Profile | None, after: Profile, table: Table) -> tuple[Row, ...]:
    """What *after* changes; *before* may be missing. Both are cameras before *table*, if their grids are alike."""
    labels, never = words().rows, words().rows["never"]

    def both(key: str, of: str, *, is_worse: bool = False) -> Row:
        return Row(labels[key], _told(before, of), _told(after, of), is_worse)

    grows = before is not None and after.fit.residual_px > max(1.5 * before.fit.residual_px, 0.5)
    rows = [
        both("made", "made"),
        both("camera", "camera"),
        both("size", "size"),
        both("cell-mm", "cell"),
        both("residual", "residual", is_worse=grows),
        both("bend", "bend"),
    ]
    if before is None or before.board.grid != after.board.grid:
        return tuple(rows)
    if before.camera.size_px == after.camera.size_px:
        apart = np.hypot(*(np.array(before.fit.corners_px) - np.array(after.fit.corners_px)).T).max()
        rows.append(Row(labels["moved"], never, f"{apart:.1f} px"))
    old, new = _least(before, table), _least(after, table)
    if old is not None and new is not None:
        key = "module" if after.mode == TAGS else "cell"
        rows.append(Row(labels[key], f"{old:.1f} px", f"{new:.1f} px", new < 0.9 * old))
    return tuple(rows)


def _told(profile: Profile | None, what: str) -> str:
    """One property of *profile*, in words."""
    if profile is None:
        return words().rows["never"]
    width, height = profile.camera.size_px
    return {
        "made": profile.made.replace("T", " ")[:16],
        "camera": profile.camera.source,
        "size": f"{width} × {height}",
        "cell": f"{profile.board.cell_mm:g} mm",
        "residual": f"{profile.fit.residual_px:.2f} px",
        "bend": f"{profile.lens.k1:+.3f}" if profile.lens else words().rows["never"],
    }[what]


def _least(profile: Profile, table: Table) -> float | None:
    """Px a module, or a cell without tags, of the cell that is seen smallest; None for a profile that makes no view."""
    own = Table(table.game, table.options, profile.board.cell_mm, profile.mode == TAGS, profile.heights)
    outfit = outfit_of(own)
    try:
        scale = scale_of(outfit, view_through(profile, outfit.grid), has_tags=own.has_tags)
    except CalibrationError:
        return None
    return float((scale.module_px if own.has_tags else scale.cell_px)[scale.worst])
