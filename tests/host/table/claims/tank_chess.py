# SPDX-License-Identifier: Apache-2.0
"""Tank Chess: what each sentence claims, worked out from the rulebook."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias

from companion.model.game import Argument

from .drop import Claim, Drop, Place, never, place, stands

COMPASS: Final = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
STEPS: Final = {
    "light-tank": 5,
    "command-tank": 5,
    "medium-tank": 4,
    "tank-destroyer": 4,
    "heavy-tank": 3,
    "heavy-mortar": 3,
}

State: TypeAlias = tuple[Place, int]
"""A place and a facing."""


def ground(drop: Drop) -> set[Place]:
    """The places of obstacles and outside the board."""
    return {place(drop.name(cell)) for cell in drop.rules.grid.obstacles}


def needs(drop: Drop, closed: AbstractSet[Place], start: State | None = None) -> dict[State, int]:
    """The fewest steps ahead and turns to each state that can be reached past *closed*."""
    files, ranks = drop.rules.grid.files, drop.rules.grid.ranks
    first = start or (place(drop.origin), drop.piece.facing or 0)
    found, edge = {first: 0}, [first]
    for state in edge:
        (file, rank), facing = state
        ahead = file + COMPASS[facing][0], rank + COMPASS[facing][1]
        following = [((file, rank), (facing + 1) % 8), ((file, rank), (facing - 1) % 8)]
        if ahead not in closed and ahead[0] in range(files) and ahead[1] in range(ranks):
            following.append((ahead, facing))
        for each in following:
            if each not in found:
                found[each] = found[state] + 1
                edge.append(each)
    return found


def nearest(found: dict[State, int], to: Place) -> int | None:
    return min((steps for (at, _), steps in found.items() if at == to), default=None)


def wreck_stays(drop: Drop, said: dict[str, Argument]) -> bool:
    return drop.piece.pose == "wreck" and said["cell"] == drop.origin


def space_taken(drop: Drop, said: dict[str, Argument]) -> bool:
    return said["cell"] == drop.target and stands(drop, said["other"], drop.target)


def obstacle(drop: Drop, said: dict[str, Argument]) -> bool:
    cell = drop.landing[0]
    is_obstacle = cell in drop.rules.grid.obstacles and cell not in drop.rules.grid.border
    return is_obstacle and said["target"] == drop.target


def off_board(drop: Drop, said: dict[str, Argument]) -> bool:
    return drop.landing[0] in drop.rules.grid.border and said["target"] == drop.target


def too_far(drop: Drop, said: dict[str, Argument]) -> bool:
    """The number is that past obstacles only, or past all that stands there."""
    to, limit = place(drop.target), STEPS[drop.piece.kind]
    closed = ground(drop)
    real = {nearest(needs(drop, closed), to), nearest(needs(drop, closed | drop.others().keys()), to)}
    is_said = said["need"] in real and said["limit"] == limit
    return is_said and int(str(said["need"])) > limit and said["cell"] == drop.target


def reverse(drop: Drop, said: dict[str, Argument]) -> bool:
    """It was put straight back, but farther than one space."""
    files, ranks = drop.way()
    back = COMPASS[((drop.piece.facing or 0) + 4) % 8]
    far = max(abs(files), abs(ranks))
    return far > 1 and (files, ranks) == (back[0] * far, back[1] * far) and said["cell"] == drop.target


def way_blocked(drop: Drop, said: dict[str, Argument]) -> bool:
    """It would get there in time if nothing stood in the way."""
    to, limit, closed = place(drop.target), STEPS[drop.piece.kind], ground(drop)
    free = nearest(needs(drop, closed), to)
    past = nearest(needs(drop, closed | drop.others().keys()), to)
    if free is None or free > limit or (past is not None and past <= limit):
        return False
    at = place(str(said["cell"]))
    return stands(drop, said["blocker"], said["cell"]) and is_on_a_way(drop, at, to)


def is_on_a_way(drop: Drop, over: Place, to: Place) -> bool:
    """True if a way in time past the obstacles leads over *over*."""
    closed, limit = ground(drop), STEPS[drop.piece.kind]
    for state, steps in needs(drop, closed).items():
        if state[0] == over and steps < limit:
            rest = nearest(needs(drop, closed, state), to)
            if rest is not None and steps + rest <= limit:
                return True
    return False


def walled_in(drop: Drop, _said: dict[str, Argument]) -> bool:
    return nearest(needs(drop, ground(drop)), place(drop.target)) is None


CLAIMS: Final[dict[str, Claim]] = {
    "wreck-stays": wreck_stays,
    "space-taken": space_taken,
    "obstacle": obstacle,
    "off-board": off_board,
    "too-far": too_far,
    "reverse-one-space": reverse,
    "way-blocked": way_blocked,
    "walled-in": walled_in,
    **dict.fromkeys(
        (
            *("must-move", "turn-too-far", "facing", "only-command-leaves", "escape-too-far"),
            *("escape-corner", "escape-blocked", "shot-without-move", "one-shot", "shot-own-side"),
            *("shot-out-of-line", "fixed-gun", "mortar-range", "shot-adjacent", "shot-blocked"),
            *("armour-holds", "piece-unknown", "command-tank-count"),
        ),
        never,
    ),
}
