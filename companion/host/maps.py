# SPDX-License-Identifier: Apache-2.0
"""Checks and draws custom Tank Chess maps."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from companion.games.tank_chess import GAME
from companion.games.tank_chess.maps import draw, load_map, to_line
from companion.games.tank_chess.pieces import KINDS
from companion.games.tank_chess.rules import AWAY, unpack


def check_map(path: Path) -> tuple[str, ...]:
    """Return remarks on the map in *path*, a line each.

    Raises `SettingsError` if it is invalid.
    """
    found = load_map(path)
    rules = GAME.rules({"map": to_line(found)})
    moves = [unpack(move) for move in rules.legal_moves(rules.initial())]
    lines = [
        f"{path}: {found.title}, {found.grid.files} × {found.grid.ranks} spaces, {found.obstacles.bit_count()} obstacles"
        + (f", {found.border.bit_count()} spaces outside the board" if found.border else ""),
        *(f"{name}: {_force(found.tanks, side)}" for side, name in enumerate(("White", "Black"))),
        f"White has {len(moves)} first moves",
    ]
    if not found.is_symmetric:
        lines.append("note: it is not the same from both sides")
    shot = sorted({victim for _, _, victim in moves if victim >= 0})
    if shot:
        lines.append(f"note: the first move can destroy {found.grid.spell(shot)}")
    if any(state == AWAY for _, state, _ in moves):
        lines.append("note: White's Command Tank can leave with the first move")
    return tuple(lines)


def show_map(path: Path) -> str:
    """Return a drawing of the map in *path*. Raises `SettingsError`."""
    found = load_map(path)
    return f"{found.title}\n{draw(found)}"


def _force(tanks: tuple[int, ...], side: int) -> str:
    """Return for example `2 heavy-tank, 3 medium-tank`."""
    count = Counter(tank & 7 for tank in tanks if tank >> 3 & 1 == side)
    return ", ".join(f"{count[kind]} {KINDS[kind].slug}" for kind in sorted(count))
