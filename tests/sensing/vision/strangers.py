# SPDX-License-Identifier: Apache-2.0
"""Tags of other programs' families, as a camera sees them on a cell."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from companion.sensing.vision.codes import Codes, Grey
from companion.sensing.vision.tag_detection import REACH, SAMPLES, Patch, find_tag

FAMILIES: Final = {
    "AprilTag 36h11": cv2.aruco.DICT_APRILTAG_36h11,
    "AprilTag 25h9": cv2.aruco.DICT_APRILTAG_25h9,
    "ArUco 4x4": cv2.aruco.DICT_4X4_1000,
    "ArUco 5x5": cv2.aruco.DICT_5X5_1000,
    "ArUco 6x6": cv2.aruco.DICT_6X6_1000,
    "ArUco 7x7": cv2.aruco.DICT_7X7_1000,
}
_EDGE_MM: Final = 14.0
_FINE: Final = 12
"""Texels of a module before the camera sees it."""
_PAPER, _INK = 215.0, 35.0


def printed(family: str) -> list[Grey]:
    """Every tag of *family*, one px per module, with border and rim."""
    dictionary = cv2.aruco.getPredefinedDictionary(FAMILIES[family])
    width = dictionary.markerSize + 2
    count = len(dictionary.bytesList)
    faces = (cv2.aruco.generateImageMarker(dictionary, number, width) for number in range(count))
    return [np.pad(np.asarray(face, np.uint8), 1, constant_values=255) for face in faces]


def seen(face: Grey, codes: Codes, px: float, chance: np.random.Generator) -> Patch:
    """*face* in the size of our tags, at *px* per module of ours."""
    image_mm = _EDGE_MM / codes.modules / px
    count = round(25 * REACH / image_mm)
    tag_px = _EDGE_MM / image_mm * len(face) / (len(face) - 2)
    turn = np.radians(90 * chance.integers(4) + chance.normal(0, 3))
    cosine, sine = np.cos(turn) * tag_px / len(face), np.sin(turn) * tag_px / len(face)
    matrix = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0]])
    middle = (len(face) - 1) / 2
    matrix[:, 2] = (count - 1) / 2 + chance.normal(0, 0.7, 2) - matrix[:, :2] @ (middle, middle)
    fine = cv2.resize(face, None, fx=_FINE, fy=_FINE, interpolation=cv2.INTER_NEAREST)
    larger = np.array([[_FINE, 0, (_FINE - 1) / 2], [0, _FINE, (_FINE - 1) / 2], [0, 0, 1]])
    whole = np.vstack([matrix, [0, 0, 1]])
    half = 4  # drawn four times as large, then averaged
    size = np.array([[half, 0, (half - 1) / 2], [0, half, (half - 1) / 2], [0, 0, 1]])
    warp = (size @ whole @ np.linalg.inv(larger))[:2]
    drawn = cv2.warpAffine(fine, warp, (count * half, count * half), borderValue=80)
    small = cv2.resize(drawn, (count, count), interpolation=cv2.INTER_AREA).astype(np.float32)
    lit = _INK + (_PAPER - _INK) / 255 * cv2.GaussianBlur(small, (0, 0), 0.7)
    noisy = np.clip(lit + chance.normal(0, 4.0, lit.shape), 0, 255).astype(np.uint8)
    step_mm = _EDGE_MM / codes.modules / SAMPLES
    edge = round(25 * REACH / step_mm)
    return Patch(np.asarray(cv2.resize(noisy, (edge, edge)), np.uint8), (0.0, 0.0), step_mm)


def accepted(family: str, codes: Codes, count: int, seed: int, *, is_thorough: bool = False) -> int:
    """The number of *count* tags of *family* that are read as tags in play."""
    chance, faces, found = np.random.default_rng(seed), printed(family), 0
    for number in range(count):
        face = faces[chance.integers(len(faces))]
        patch = seen(face, codes, (2.0, 3.0)[number % 2], chance)
        tag = find_tag(codes, patch, _EDGE_MM, is_thorough=is_thorough)
        found += tag is not None and bool(codes.wanted[tag.tag])
    return found
