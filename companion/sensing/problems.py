# SPDX-License-Identifier: Apache-2.0
"""What keeps a camera from seeing well. Nothing here needs a camera: words for all of it are kept elsewhere."""

from __future__ import annotations

from enum import StrEnum


class CameraProblem(StrEnum):
    """What keeps the camera from seeing well, now."""

    BOARD_NOT_FOUND = "board-not-found"
    CAMERA_MOVED = "camera-moved"
    """It was moved and has found the board again; told until the next change on the board."""
    STRANGE_TAG = "strange-tag"
    DOUBLE_TAG = "double-tag"
    GLARE = "glare"
    """A lamp is mirrored on some cells."""
    UNSEEN = "unseen"
    """Something has covered some cells for long."""
    TOO_BRIGHT = "too-bright"
    """Much of the picture is lost in white: glare, or too long an exposure."""
    TOO_DARK = "too-dark"
    NOT_LOCKED = "not-locked"
    """The camera changes exposure or white balance by itself."""
