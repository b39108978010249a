# SPDX-License-Identifier: Apache-2.0
"""The notation in which players of Tank Chess write down their games.

    H3>F5/SE, D14>B11/N
    F5>B9/SE(B11), >H10/W(K7)
    N5>O6/S(+), L12>K9/NE

From space to space, or nothing before `>` for a turn in place; after `/` the facing; in brackets
the destroyed piece and a mark (`+ # - =`), both optional. A line holds White's move and Black's.
Directions are those of a board with rank 1 at the top: N is towards rank 1.

Source: records of players, https://github.com/achiinto/tank_chess_kifu; leaving the board is not
among them.
"""

from __future__ import annotations

import re
from typing import Final

from companion.model.grid import COMPASS
from companion.model.notation import GameRecord

_MOVE: Final = re.compile(
    r"([A-Z]\d+)?>([A-Z]\d+)/([NS]?[EW]|[NS])(?:\(([A-Z]\d+)?[+#=-]?\))?", re.IGNORECASE
)


def translated(text: str) -> str | None:
    """The move *text* in our notation, such as `H3-F5NW`; None for others."""
    found = _MOVE.fullmatch(text.strip())
    if found is None:
        return None
    source, target, facing, victim = (part.upper() if part else "" for part in found.groups())
    turned = COMPASS[(COMPASS.index(facing) + len(COMPASS) // 2) % len(COMPASS)]
    return f"{source or target}-{target}{turned}{f'x{victim}' if victim else ''}"


def record_of(text: str) -> GameRecord | None:
    """The game that *text* writes down; None if it is something else.

    It begins with the printed set-up.
    """
    moves: list[str] = []
    for move in (part for line in text.splitlines() for part in line.split(",") if part.strip()):
        ours = translated(move)
        if ours is None:
            return None
        moves.append(ours)
    return GameRecord("tank-chess", moves=tuple(moves)) if moves else None
