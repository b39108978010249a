# SPDX-License-Identifier: Apache-2.0
"""Meshes in binary STL: read, measure, and tell whether they are closed. Pure."""

from __future__ import annotations

import struct
from collections import Counter
from itertools import pairwise
from typing import Final, TypeAlias

Point: TypeAlias = tuple[float, float, float]
Triangle: TypeAlias = tuple[Point, Point, Point]
_HEAD: Final = 80
_FACET: Final = struct.Struct("<12fH")


def triangles(stl: bytes) -> tuple[Triangle, ...]:
    """The triangles of a binary STL file, in mm. Raises `ValueError` for other files."""
    count = int.from_bytes(stl[_HEAD : _HEAD + 4], "little")
    if len(stl) != _HEAD + 4 + count * _FACET.size or not count:
        raise ValueError(f"{len(stl)} bytes are no binary STL of {count} triangles")
    facets = _FACET.iter_unpack(stl[_HEAD + 4 :])
    return tuple((facet[3:6], facet[6:9], facet[9:12]) for facet in facets)


def open_edges(mesh: tuple[Triangle, ...]) -> int:
    """The number of edges that are not passed once in each direction; 0 if closed."""
    passed = Counter(
        edge for triangle in mesh for edge in pairwise((*triangle, triangle[0])) if edge[0] != edge[1]
    )
    return sum(count != 1 or passed[end, begin] != 1 for (begin, end), count in passed.items())


def size(mesh: tuple[Triangle, ...]) -> Point:
    """Width, depth and height of the box round *mesh*, in mm."""
    axes = list(zip(*(point for triangle in mesh for point in triangle), strict=True))
    x, y, z = (max(axis) - min(axis) for axis in axes)
    return x, y, z


def volume_mm3(mesh: tuple[Triangle, ...]) -> float:
    """The volume of a closed *mesh*; negative if it is inside out."""
    return sum(
        (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2])
         + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6
        for a, b, c in mesh
    )  # fmt: skip
