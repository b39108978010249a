# SPDX-License-Identifier: Apache-2.0
"""What a camera above plain pieces has learned since the start, and its reports. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from companion.model.observation import EMPTY, Change, Evidence, Sighting
from companion.sensing.appearance import Appearance, Labels
from companion.sensing.difference import Difference
from companion.sensing.first_board import FirstBoard
from companion.sensing.vision.discs import Looks
from companion.sensing.vision.geometry import Floats
from companion.sensing.vision.sampler import Flags


@dataclass(slots=True)
class PlainGame:
    """What was learned since the game began."""

    appearance: Appearance
    difference: Difference
    looks: tuple[Sighting, ...]
    """The look of each class."""
    board: Labels
    """(n,): the class that each cell was last read as."""
    before: Looks
    """The last look of each cell, in the light of the start."""
    hidden: Flags
    """Cells that were not seen in the last picture."""
    strange: Flags
    """Cells that looked like no class."""


def begun(found: FirstBoard, looks: Looks, features: Floats, tones: Labels) -> PlainGame:
    """The state in which a game begins with the board that was *found*."""
    appearance, difference = Appearance(tones, len(found.looks)), Difference()
    appearance.learn(features, found.learnable)
    difference.note(looks, found.learnable)
    return PlainGame(
        appearance, difference, found.looks, found.board, looks, hidden=found.strange, strange=found.strange
    )


def changes(game: PlainGame, board: Labels, now_ms: int) -> Iterator[Change]:
    """What has changed on the *board*; pieces leave before others come."""
    differing = np.flatnonzero(board != game.board)
    for cell in differing:
        if game.board[cell]:
            yield Change(now_ms, int(cell), EMPTY)
    for cell in differing:
        if board[cell]:
            yield Change(now_ms, int(cell), game.looks[board[cell]])


def evidence(game: PlainGame, costs: Floats, changed: Floats, unread: Flags) -> Evidence:
    """What a picture says, in tenths of a nat."""
    tenths = np.round(10 * costs).astype(np.intp).tolist()
    rows = tuple(() if is_unread else tuple(row) for is_unread, row in zip(unread, tenths, strict=True))
    return Evidence(
        game.looks, rows, tuple(np.round(10 * np.where(unread, 0.0, changed)).astype(np.intp).tolist())
    )
