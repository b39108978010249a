# SPDX-License-Identifier: Apache-2.0
"""Problems of a camera's view. Independent of cameras; the sentences are elsewhere."""

from __future__ import annotations

from enum import StrEnum


class CameraProblem(StrEnum):
    """Present problems of a camera's view."""

    BOARD_NOT_FOUND = "board-not-found"
    CAMERA_MOVED = "camera-moved"
    """The camera was moved and has found the board again.

    Reported until the next change on the board.
    """
    STRANGE_TAG = "strange-tag"
    DOUBLE_TAG = "double-tag"
    GLARE = "glare"
    """A lamp is reflected on some cells."""
    UNSEEN = "unseen"
    """Some cells have been covered for long."""
    TOO_BRIGHT = "too-bright"
    """Much of the image is overexposed: glare, or too long an exposure."""
    TOO_DARK = "too-dark"
    NOT_LOCKED = "not-locked"
    """The camera changes exposure or white balance automatically."""
