# SPDX-License-Identifier: Apache-2.0
"""Outlines of pieces from SVG path data, as polygons. Pure.

Source: *SVG 1.1*, chapter 8 (paths) and appendix F.6 (arcs from two ends).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final

from companion.sheets.page import Point

_TOKENS: Final = re.compile(r"[MLHVCAZ]|-?\d*\.?\d+")
_TAKES: Final = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "A": 7, "Z": 0}
"""Numbers after each command; only absolute commands are known."""
_PIECES: Final = 12
"""Straight lines of which a curve is made."""


def loops_of(path: str) -> tuple[tuple[Point, ...], ...]:
    """The closed polygons of *path* data.

    It may have the commands M, L, H, V, C, A (circles only) and Z, all absolute.
    In its own units; y grows downwards.
    """
    loops: list[list[Point]] = []
    for command, numbers in _commands(path):
        if command == "M":
            loops.append([(numbers[0], numbers[1])])
        elif command != "Z":
            loops[-1] += _line(command, loops[-1][-1], numbers)
    return tuple(tuple(loop) for loop in loops)


def _commands(path: str) -> Iterator[tuple[str, list[float]]]:
    """Each command with its numbers; further numbers repeat it, after M as L."""
    tokens, at, command = _TOKENS.findall(path), 0, ""
    while at < len(tokens):
        if tokens[at].isalpha():
            command, at = tokens[at], at + 1
        count = _TAKES[command]
        yield command, [float(token) for token in tokens[at : at + count]]
        at += count
        command = "L" if command == "M" else command


def _line(command: str, start: Point, numbers: list[float]) -> list[Point]:
    """The points after *start* of one command."""
    if command == "H":
        return [(numbers[0], start[1])]
    if command == "V":
        return [(start[0], numbers[0])]
    if command == "L":
        return [(numbers[0], numbers[1])]
    shares = [step / _PIECES for step in range(1, _PIECES + 1)]
    if command == "C":
        return [_on_curve(start, numbers, share) for share in shares]
    return _arc(start, numbers, shares)


def _on_curve(start: Point, numbers: list[float], share: float) -> Point:
    """The point of a cubic Bézier curve at *share*, 0 to 1."""
    rest = 1 - share
    weights = rest**3, 3 * rest**2 * share, 3 * rest * share**2, share**3
    x, y = (
        sum(weight * value for weight, value in zip(weights, (start[axis], *numbers[axis::2]), strict=True))
        for axis in (0, 1)
    )
    return x, y


def _arc(start: Point, numbers: list[float], shares: list[float]) -> list[Point]:
    """The points of a circular arc from *start*."""
    radius, _, _, is_large, is_clockwise, x, y = numbers
    apart = math.dist(start, (x, y))
    radius = max(radius, apart / 2)
    away = math.sqrt(max(0.0, radius**2 - (apart / 2) ** 2))
    sign = -1 if is_large == is_clockwise else 1
    middle = (
        (start[0] + x) / 2 - sign * away * (y - start[1]) / apart,
        (start[1] + y) / 2 + sign * away * (x - start[0]) / apart,
    )
    first = math.atan2(start[1] - middle[1], start[0] - middle[0])
    turn = (math.atan2(y - middle[1], x - middle[0]) - first) % math.tau
    turn -= 0.0 if is_clockwise else math.tau
    angles = [first + turn * share for share in shares]
    return [(middle[0] + radius * math.cos(angle), middle[1] + radius * math.sin(angle)) for angle in angles]
