# SPDX-License-Identifier: Apache-2.0
"""Comparison of a profile before and after. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from calibration.scale import scale_of
from calibration.table import Table, outfit_of
from calibration.wording import Gap, sentence
from companion.model.errors import CalibrationError
from companion.sensing.profile import TAGS, Profile, view_through

_NONE: Final = "–"


@dataclass(frozen=True, slots=True)
class Row:
    """One property, before and after."""

    key: str
    """Of its label, in the table `rows` of the word files."""
    before: Gap
    after: Gap
    is_worse: bool = False


def compare(before: Profile | None, after: Profile, table: Table) -> tuple[Row, ...]:
    """The changes from *before*, which may be None, to *after*.

    Both are for *table*, if their grids are equal.
    """
    grows = before is not None and after.fit.residual_px > max(1.5 * before.fit.residual_px, 0.5)
    old_values, new_values = _values(before), _values(after)
    rows = [
        Row(key, old_values[key], new_values[key], grows and key == "residual")
        for key in ("made", "camera", "size", "cell-mm", "residual", "bend")
    ]
    if before is None or before.board.grid != after.board.grid:
        return tuple(rows)
    if before.camera.size_px == after.camera.size_px:
        apart = np.hypot(*(np.array(before.fit.corners_px) - np.array(after.fit.corners_px)).T).max()
        rows.append(Row("moved", _NONE, sentence("values.px", value=float(apart))))
    old, new = _least(before, table), _least(after, table)
    if old is not None and new is not None:
        key = "module" if after.mode == TAGS else "cell"
        rows.append(
            Row(key, sentence("values.px", value=old), sentence("values.px", value=new), new < 0.9 * old)
        )
    return tuple(rows)


def _values(profile: Profile | None) -> Mapping[str, Gap]:
    """Displayed properties of *profile*, by the keys of the rows."""
    if profile is None:
        return defaultdict(lambda: _NONE)
    width, height = profile.camera.size_px
    return {
        "made": profile.made.replace("T", " ")[:16],
        "camera": profile.camera.source,
        "size": f"{width} × {height}",
        "cell-mm": sentence("values.mm", value=profile.board.cell_mm),
        "residual": sentence("values.px-fine", value=profile.fit.residual_px),
        "bend": sentence("values.number", value=profile.lens.k1) if profile.lens else _NONE,
    }


def _least(profile: Profile, table: Table) -> float | None:
    """Px per module (per cell without tags) of the smallest cell; None without a view."""
    own = Table(table.game, table.options, profile.board.cell_mm, profile.mode == TAGS, profile.heights)
    outfit = outfit_of(own)
    try:
        scale = scale_of(outfit, view_through(profile, outfit.grid), has_tags=own.has_tags)
    except CalibrationError:
        return None
    return float((scale.module_px if own.has_tags else scale.cell_px)[scale.worst])
