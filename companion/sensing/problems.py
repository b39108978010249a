# SPDX-License-Identifier: Apache-2.0
"""Problems of a camera's view. Independent of cameras; the sentences are elsewhere."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class CameraProblem(StrEnum):
    """Present problems of a camera's view."""

    BOARD_NOT_FOUND = "board-not-found"
    CORNERS_HIDDEN = "corners-hidden"
    """Some corner tags are visible, but too few. Its cells are those beside the others."""
    MIRRORED = "mirrored"
    TWO_BOARDS = "two-boards"
    OTHER_BOARD = "other-board"
    """The corner tags lie as on the board of another game."""
    LIGHT_CHANGES = "light-changes"
    """The game has not started: the brightness of the image is not steady."""
    NOT_SET_UP = "not-set-up"
    """The game has not started: plain pieces are not seen in the known position."""
    RESTLESS = "restless"
    """Cells change again and again, so that a start or a move is not seen."""
    CAMERA_MOVED = "camera-moved"
    """The camera was moved and has found the board again.

    Reported until the next change on the board.
    """
    STRANGE_TAG = "strange-tag"
    DOUBLE_TAG = "double-tag"
    GLARE = "glare"
    """A lamp is reflected on some cells."""
    HEIGHT_UNKNOWN = "height-unknown"
    """The height of the pieces cannot be told, and may displace them."""
    UNSEEN = "unseen"
    """Some cells have been covered for long."""
    TOO_BRIGHT = "too-bright"
    """Much of the image is overexposed: glare, or too long an exposure."""
    TOO_DARK = "too-dark"
    NOT_LOCKED = "not-locked"
    """The camera changes exposure or white balance automatically."""


NO_BOARD: Final = frozenset(
    {
        CameraProblem.BOARD_NOT_FOUND,
        CameraProblem.CORNERS_HIDDEN,
        CameraProblem.MIRRORED,
        CameraProblem.TWO_BOARDS,
        CameraProblem.OTHER_BOARD,
    }
)
"""The problems with which no game is seen."""

NOT_IN_PICTURE: Final = frozenset({CameraProblem.CAMERA_MOVED, CameraProblem.NOT_LOCKED})
"""The problems that a picture does not show."""
