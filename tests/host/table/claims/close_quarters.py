# SPDX-License-Identifier: Apache-2.0
"""Close Quarters: what each sentence claims, worked out from the rulebook."""

from __future__ import annotations

from typing import Final

from companion.model.game import Argument

from .chess import own_piece
from .drop import Claim, Drop, Place, between, is_diagonal, is_straight, never, place, stands


def goes(drop: Drop, kind: str) -> bool:
    """True if a *kind* moves like that on an empty board."""
    way = drop.way()
    is_line = is_straight(way) or is_diagonal(way)
    return {
        "spear": is_straight(way),
        "axe": is_diagonal(way),
        "mace": sorted(map(abs, way)) == [1, 2],
        "sword": is_line and max(map(abs, way)) <= (1 if drop.option("sword") == "king" else 2),
    }[kind]


def legs(drop: Drop) -> list[Place]:
    """The places on the Mace's ways."""
    (file, rank), (files, ranks) = place(drop.origin), drop.way()
    step = (files // 2, 0) if abs(files) == 2 else (0, ranks // 2)
    straight = [(file + step[0], rank + step[1]), (file + 2 * step[0], rank + 2 * step[1])]
    if drop.option("mace_path") == "straight-first":
        return straight
    side = (files - 2 * step[0], ranks - 2 * step[1])
    return [*straight, *((at[0] + side[0] - step[0], at[1] + side[1] - step[1]) for at in straight)]


def shape(kind: str) -> Claim:
    """The claim that a *kind* does not move like that."""

    def claim(drop: Drop, said: dict[str, Argument]) -> bool:
        return drop.piece.kind == kind and not goes(drop, kind) and said["target"] == drop.target

    return claim


def blocked(kind: str) -> Claim:
    """The claim that something stands in the way of a *kind*."""

    def claim(drop: Drop, said: dict[str, Argument]) -> bool:
        if drop.piece.kind != kind or not goes(drop, kind):
            return False
        way = legs(drop) if kind == "mace" else between(place(drop.origin), place(drop.target))
        jumps = kind == "sword" and drop.option("sword_jumps") == "yes"
        is_there = stands(drop, said["blocker"], said["cell"])
        return not jumps and is_there and place(str(said["cell"])) in way

    return claim


def sword_king(drop: Drop, said: dict[str, Argument]) -> bool:
    return drop.option("sword") == "king" and shape("sword")(drop, said)


def sword_shape(drop: Drop, said: dict[str, Argument]) -> bool:
    return drop.option("sword") == "one-or-two" and shape("sword")(drop, said)


CLAIMS: Final[dict[str, Claim]] = {
    "own-piece": own_piece,
    "piece-unknown": never,
    **{f"{kind}-shape": shape(kind) for kind in ("spear", "axe", "mace")},
    **{f"{kind}-blocked": blocked(kind) for kind in ("spear", "axe", "mace", "sword")},
    "sword-shape": sword_shape,
    "sword-king": sword_king,
}
