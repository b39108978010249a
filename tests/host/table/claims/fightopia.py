# SPDX-License-Identifier: Apache-2.0
"""Fightopia: what each sentence claims, worked out from the rulebook."""

from __future__ import annotations

from typing import Final

from companion.model.game import Argument
from companion.model.grid import Cell

from .drop import Claim, Drop, Place, never, place, stands


def corner(drop: Drop, cells: tuple[Cell, ...]) -> Place:
    """The lower left place of a piece on *cells*."""
    places = [place(drop.name(cell)) for cell in cells]
    return min(file for file, _ in places), min(rank for _, rank in places)


def axis(drop: Drop, cells: tuple[Cell, ...]) -> int:
    """1 for a tank along a file, 0 along a rank."""
    return int(place(drop.name(cells[0]))[0] == place(drop.name(cells[1]))[0])


def shift(drop: Drop) -> tuple[int, int]:
    """By how many files and ranks the lower left place was carried."""
    (file, rank), (to_file, to_rank) = corner(drop, drop.source), corner(drop, drop.landing)
    return to_file - file, to_rank - rank


def entering(*, own: bool) -> Claim:
    """The claim that a piece stands where the held one would enter."""

    def claim(drop: Drop, said: dict[str, Argument]) -> bool:
        other = drop.on(said["cell"])
        is_met = said["cell"] in drop.entered and other is not None and other == said["other"]
        return is_met and other is not None and (not own or other.side == drop.piece.side)

    return claim


def pawn_shape(drop: Drop, said: dict[str, Argument]) -> bool:
    is_named = said["target"] == drop.target
    return drop.piece.kind == "pawn" and max(map(abs, shift(drop))) > 1 and is_named


def giant_shape(drop: Drop, _said: dict[str, Argument]) -> bool:
    return drop.piece.kind == "giant" and max(map(abs, shift(drop))) > 1


def is_turned(drop: Drop) -> bool:
    return axis(drop, drop.source) != axis(drop, drop.landing)


def sideways(drop: Drop, _said: dict[str, Argument]) -> bool:
    """It does not lie on the line of its long axis, and is not turned."""
    is_tank = drop.piece.kind == "tank"
    return is_tank and not is_turned(drop) and shift(drop)[1 - axis(drop, drop.source)] != 0


def too_far(drop: Drop, _said: dict[str, Argument]) -> bool:
    is_tank = drop.piece.kind == "tank"
    return is_tank and not is_turned(drop) and abs(shift(drop)[axis(drop, drop.source)]) > 2


def no_pivot(drop: Drop, _said: dict[str, Argument]) -> bool:
    is_tank = drop.piece.kind == "tank"
    return is_tank and is_turned(drop) and not set(drop.source) & set(drop.landing)


def swept(drop: Drop, said: dict[str, Argument]) -> bool:
    """What stands on the corner between the old and the new end."""
    if drop.piece.kind != "tank" or not is_turned(drop) or drop.option("pivot_clearance") != "swept":
        return False
    if len(set(drop.source) & set(drop.landing)) != 1:
        return False
    places = [place(drop.name(cell)) for cell in {*drop.source, *drop.landing}]
    square = {(file, rank) for file, _ in places for _, rank in places}
    missing = square - set(places)
    return {place(str(said["cell"]))} == missing and stands(drop, said["blocker"], said["cell"])


CLAIMS: Final[dict[str, Claim]] = {
    "own-piece": entering(own=True),
    "no-capture": entering(own=False),
    "pawn-shape": pawn_shape,
    "giant-shape": giant_shape,
    "tank-sideways": sideways,
    "tank-too-far": too_far,
    "tank-pivot": no_pivot,
    "pivot-swept": swept,
    **dict.fromkeys(
        (
            *("piece-askew", "one-action", "shot-blocked", "shot-no-aim", "shot-only-pawns"),
            *("kill-out-of-reach", "giant-spares-pawns", "pawn-kills-nothing", "giant-unkillable"),
            *("game-over", "piece-unknown", "giant-missing"),
        ),
        never,
    ),
}
