# SPDX-License-Identifier: Apache-2.0
"""Martian Chess: what each sentence claims, worked out from the rulebook."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from companion.model.game import AnyRules, Argument
from companion.model.grid import Cell
from companion.model.pieces import Piece

from .drop import Claim, Drop, is_diagonal, is_straight, never, place, stands

SIZE: Final = 4


def players(drop: Drop) -> int:
    return len(drop.rules.sides)


def zone(rules: AnyRules, name: str) -> int:
    """The zone of the cell called *name*; seats follow clockwise from the bottom left one."""
    if len(rules.sides) not in (2, 4):
        return "ABCDEF".index(name[0])
    file, rank = place(name)
    if len(rules.sides) == 2:
        return rank // SIZE
    return {(0, 0): 0, (0, 1): 1, (1, 1): 2, (1, 0): 3}[file // SIZE, rank // SIZE]


def lines(drop: Drop, start: str) -> Iterator[tuple[bool, list[str]]]:
    """Each line from *start*: whether it is diagonal, and its cells, nearest first."""
    for way in product((-1, 0, 1), (-1, 0, 1)):
        if way == (0, 0):
            continue
        for cells in rectangular(drop, start, way) if drop.rules.grid.files else wedged(drop, start, way):
            yield 0 not in way, cells


def rectangular(drop: Drop, start: str, way: tuple[int, int]) -> Iterator[list[str]]:
    file, rank = place(start)
    cells = []
    while True:
        file, rank = file + way[0], rank + way[1]
        if file not in range(drop.rules.grid.files) or rank not in range(drop.rules.grid.ranks):
            break
        cells.append(f"{'abcdefgh'[file]}{rank + 1}")
    yield cells


def wedged(drop: Drop, start: str, way: tuple[int, int]) -> Iterator[list[str]]:
    """The line on a board of wedges; two where it forks in an odd centre."""
    count = players(drop)
    wedge, x, y, dx, dy = "ABCDEF".index(start[0]), int(start[1]), int(start[2]), *way
    cells: list[str] = []
    while True:
        x, y = x + dx, y + dy
        if SIZE in (x, y):
            break
        if x < 0 and y < 0:
            yield from ([*cells, *tail] for tail in beyond_the_centre(drop, wedge))
            return
        if y < 0:
            wedge, x, y, dx, dy = wedge + 1, 0, x, -dy, dx
        elif x < 0:
            wedge, x, y, dx, dy = wedge - 1, y, 0, dy, -dx
        wedge %= count
        cells.append(f"{'ABCDEF'[wedge]}{x}{y}")
    yield cells


def beyond_the_centre(drop: Drop, wedge: int) -> list[list[str]]:
    count, forks = players(drop), drop.option("centre") == "either-neighbour"
    far = [count // 2] if count % 2 == 0 else [count // 2, count // 2 + 1] if forks else []
    return [[f"{'ABCDEF'[(wedge + each) % count]}{n}{n}" for n in range(SIZE)] for each in far] or [[]]


def ways(drop: Drop) -> list[list[str]]:
    """For each line on which the piece moves to the target, the cells between."""
    found = []
    for diagonal, cells in lines(drop, drop.origin):
        reach = {"pawn": 1 if diagonal else 0, "drone": 0 if diagonal else 2, "queen": len(cells)}
        inside = cells[: reach[drop.piece.kind]]
        if drop.target in inside:
            found.append(inside[: inside.index(drop.target)])
    return found


def wrong_zone(drop: Drop, said: dict[str, Argument]) -> bool:
    return said["source"] == drop.origin and zone(drop.rules, drop.origin) != drop.turn


def no_undo(drop: Drop, said: dict[str, Argument]) -> bool:
    *_, undo, _quiet, _out = drop.rules.write_position(drop.position).split()
    return undo == f"{drop.origin}-{drop.target}" and said["target"] == drop.target


def shape(kind: str) -> Claim:
    """The claim that a *kind* does not move like that."""

    def claim(drop: Drop, said: dict[str, Argument]) -> bool:
        if drop.rules.grid.files:  # the same, without lines
            file, rank = place(drop.origin)
            to_file, to_rank = place(drop.target)
            way = to_file - file, to_rank - rank
            far = max(map(abs, way))
            goes = {
                "pawn": is_diagonal(way) and far == 1,
                "drone": is_straight(way) and far <= 2,
                "queen": is_diagonal(way) or is_straight(way),
            }[kind]
            assert goes == bool(ways(drop)) or drop.piece.kind != kind
        return drop.piece.kind == kind and not ways(drop) and said["target"] == drop.target

    return claim


def way_blocked(drop: Drop, said: dict[str, Argument]) -> bool:
    is_met = any(said["cell"] in cells for cells in ways(drop))
    return is_met and stands(drop, said["blocker"], said["cell"])


def inside(drop: Drop) -> list[Piece]:
    """The pieces in the own zone."""
    return [piece for cell, piece in drop.pieces.items() if zone(drop.rules, drop.name(cell)) == drop.turn]


def merging(drop: Drop, said: dict[str, Argument]) -> str:
    """What the held piece and the named one would become; or nothing."""
    if not is_in_zone(drop, said):
        return ""
    other = said["other"]
    assert isinstance(other, Piece)
    return {("drone", "pawn"): "queen", ("pawn", "pawn"): "drone"}.get(
        (min(drop.piece.kind, other.kind), max(drop.piece.kind, other.kind)), ""
    )


def is_in_zone(drop: Drop, said: dict[str, Argument]) -> bool:
    """True if both pieces stand in the own zone."""
    is_own = zone(drop.rules, drop.target) == zone(drop.rules, drop.origin) == drop.turn
    return is_own and said["target"] == drop.target and stands(drop, said["other"], drop.target)


def has(kind: str) -> Claim:
    """The claim that there is a *kind* already."""

    def claim(drop: Drop, said: dict[str, Argument]) -> bool:
        return merging(drop, said) == kind and any(piece.kind == kind for piece in inside(drop))

    return claim


def no_merger(drop: Drop, said: dict[str, Argument]) -> bool:
    return is_in_zone(drop, said) and not merging(drop, said)


def side_out(drop: Drop, said: dict[str, Argument]) -> bool:
    cell: Cell = drop.source[0]
    side = zone(drop.rules, drop.name(cell))
    return bool(drop.position.out >> side & 1) and said["side"] == side


CLAIMS: Final[dict[str, Claim]] = {
    "wrong-zone": wrong_zone,
    "no-undo": no_undo,
    **{f"{kind}-shape": shape(kind) for kind in ("pawn", "drone", "queen")},
    "way-blocked": way_blocked,
    "has-queen": has("queen"),
    "has-drone": has("drone"),
    "no-merger": no_merger,
    "piece-unknown": never,
    "side-out": side_out,
}
