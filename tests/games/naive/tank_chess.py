# SPDX-License-Identifier: Apache-2.0
"""A second, independent generator of Tank Chess moves.

It uses coordinates and sets, is slow, and shares no code with the game.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

COMPASS = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
AHEAD = {
    "N": (0, 1), "NE": (1, 1), "E": (1, 0), "SE": (1, -1), "S": (0, -1), "SW": (-1, -1), "W": (-1, 0), "NW": (-1, 1),
}  # fmt: skip
SPEED = {"L": 5, "C": 5, "M": 4, "D": 4, "H": 3, "R": 3}
GUN = {"L": 1, "C": 1, "M": 2, "H": 3, "D": 4, "R": 5}
FRONT = {"L": 1, "C": 1, "M": 2, "H": 3, "D": 2, "R": 1}
FLANK = {"L": 0, "C": 0, "M": 1, "H": 2, "D": 1, "R": 0}
REAR = {"L": 0, "C": 0, "M": 0, "H": 1, "D": 0, "R": 0}

Place = tuple[int, int]
Stance = tuple[int, int, str]
"""File, rank, facing."""


@dataclass
class Table:
    """A position on a map."""

    files: int
    ranks: int
    walls: set[Place]
    tanks: dict[Place, tuple[str, str]]
    """Sign and facing."""
    wrecks: dict[Place, str]
    white: bool
    reverse_out: bool
    outside: frozenset[Place] = frozenset()
    """Places that border surfaces take from the board."""


def place(name: str) -> Place:
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(name[0]) + 1, int(name[1:])


def name(at: Place) -> str:
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[at[0] - 1] + str(at[1])


def read(text: str, picture: str, *, reverse_out: bool = False) -> Table:
    """The table of a position's text, on the board of a map's picture."""
    rows = [line.split() for line in picture.splitlines() if line.split()[0].isdigit()]
    signs = {(file, int(row[0])): sign for row in rows for file, sign in enumerate(row[1:], start=1)}
    walls = {at for at, sign in signs.items() if sign in "#%"}
    outside = frozenset(at for at, sign in signs.items() if sign == "%")
    side, *words = text.split()
    tanks: dict[Place, tuple[str, str]] = {}
    wrecks: dict[Place, str] = {}
    for word in words:
        number = "".join(sign for sign in word if sign.isdigit())
        at = place(word[1] + number)
        rest = word[2 + len(number) :]
        if rest == "x":
            wrecks[at] = word[0]
        else:
            tanks[at] = (word[0], rest)
    return Table(len(rows[0]) - 1, len(rows), walls, tanks, wrecks, side == "w", reverse_out, outside)


def is_over(table: Table) -> bool:
    return not {"C", "c"} <= {sign for sign, _ in table.tanks.values()}


def is_open(table: Table, at: Place, mover: Place) -> bool:
    """True if the tank from *mover* may stand on *at*."""
    inside = 1 <= at[0] <= table.files and 1 <= at[1] <= table.ranks
    taken = at in table.walls or at in table.wrecks or (at in table.tanks and at != mover)
    return inside and not taken


def is_off(table: Table, at: Place) -> bool:
    """True if *at* does not belong to the board."""
    return not (1 <= at[0] <= table.files and 1 <= at[1] <= table.ranks) or at in table.outside


def leaves(table: Table, file: int, rank: int, look: str, goal: int) -> bool:
    """True if a step ahead crosses the edge towards *goal*, not at a corner."""
    right, up = AHEAD[look]
    way = 1 if goal else -1
    if up != way or is_off(table, (file + right, rank)):
        return False
    beyond = range(rank + way, goal, way)
    return all(is_off(table, (column, far)) for column in (file, file + right) for far in beyond)


def ends(table: Table, mover: Place) -> tuple[set[Stance], bool]:
    """Where the tank on *mover* can end, and whether it can leave the board."""
    sign, facing = table.tanks[mover]
    goal = table.ranks + 1 if sign.isupper() else 0
    can_leave = sign.upper() == "C"
    seen = {(*mover, facing)}
    left = False
    for _ in range(SPEED[sign.upper()]):
        for file, rank, look in list(seen):
            index = COMPASS.index(look)
            seen.add((file, rank, COMPASS[(index + 1) % 8]))
            seen.add((file, rank, COMPASS[index - 1]))
            right, up = AHEAD[look]
            there = (file + right, rank + up)
            if is_open(table, there, mover):
                seen.add((*there, look))
            if can_leave and leaves(table, file, rank, look, goal):
                left = True
    right, up = AHEAD[facing]
    behind = (mover[0] - right, mover[1] - up)
    if is_open(table, behind, mover):
        seen.add((*behind, facing))
    if can_leave and table.reverse_out and behind[1] == goal and 1 <= behind[0] <= table.files:
        left = True
    seen.discard((*mover, facing))
    return seen, left


def hits(table: Table, mover: Place, stance: Stance) -> set[Place]:
    """The pieces that the tank from *mover* can destroy from *stance*."""
    sign = table.tanks[mover][0]
    kind = sign.upper()
    index = COMPASS.index(stance[2])
    looks = [stance[2]] if kind in "DR" else [COMPASS[index - 1], stance[2], COMPASS[(index + 1) % 8]]
    found = set()
    for look in looks:
        right, up = AHEAD[look]
        for distance in range(1, 27):
            at = (stance[0] + right * distance, stance[1] + up * distance)
            if kind == "R":
                if distance in (3, 4, 5) and at != mover and destroys(table, sign, look, at):
                    found.add(at)
                continue
            if at in table.walls or at in table.wrecks or (at in table.tanks and at != mover):
                if distance > 1 and destroys(table, sign, look, at):
                    found.add(at)
                break
    return found


def destroys(table: Table, sign: str, look: str, at: Place) -> bool:
    """True if a shot by *sign* towards *look* destroys the piece on *at*."""
    if at not in table.tanks or table.tanks[at][0].isupper() == sign.isupper():
        return False
    target, facing = table.tanks[at]
    shot, front = AHEAD[look], AHEAD[facing]
    armour = REAR if shot == front else FRONT if shot == (-front[0], -front[1]) else FLANK
    return GUN[sign.upper()] > armour[target.upper()]


def moves(table: Table) -> set[str]:
    """All lawful moves, written without marks."""
    if is_over(table):
        return set()
    found = set()
    for mover, (sign, _) in table.tanks.items():
        if sign.isupper() != table.white:
            continue
        stances, can_leave = ends(table, mover)
        for stance in stances:
            text = f"{name(mover)}-{name(stance[:2])}{stance[2]}"
            found.add(text)
            found |= {f"{text}x{name(hit)}" for hit in hits(table, mover, stance)}
        if can_leave:
            found.add(f"{name(mover)}-off")
    return found


def cries(table: Table) -> set[tuple[str, str]]:
    """The announcements of the side not to move.

    Each has the space of a piece that could carry out the threat.
    """
    if is_over(table):
        return set()
    table = replace(table, white=not table.white)
    enemy = next(at for at, (sign, _) in table.tanks.items() if sign == ("c" if table.white else "C"))
    found = set()
    for text in moves(table):
        source, _, rest = text.partition("-")
        if rest == "off":
            found.add(("escape", source))
        if rest.endswith(f"x{name(enemy)}"):
            found.add(("check", source))
    return found
