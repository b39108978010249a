# SPDX-License-Identifier: Apache-2.0
"""A second, independent generator of Martian Chess moves, on the printed board.

It shares no code with the game. Cells are quadrilaterals of points in mm. Straight lines pass
through opposite edges, diagonals through opposite corners.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

Outline = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Sheet:
    """A printed board: the corners of each cell by name, as numbers of points."""

    corners: tuple[tuple[str, tuple[int, int, int, int]], ...]
    forks: bool

    def __hash__(self) -> int:
        return hash((len(self.corners), self.forks))


def sheet(names: tuple[str, ...], outlines: tuple[Outline, ...], *, forks: bool) -> Sheet:
    """The board of *outlines*; points less than a millimetre apart are merged."""
    points: list[tuple[float, float]] = []

    def number(x: float, y: float) -> int:
        for index, (other_x, other_y) in enumerate(points):
            if abs(x - other_x) < 1 and abs(y - other_y) < 1:
                return index
        points.append((x, y))
        return len(points) - 1

    corners = []
    for name, outline in zip(names, outlines, strict=True):
        one, two, three, four = (number(x, y) for x, y in outline)
        corners.append((name, (one, two, three, four)))
    return Sheet(tuple(corners), forks)


@cache
def ways(board: Sheet, cell: str) -> tuple[list[list[str]], list[list[str]]]:
    """The straight and the diagonal lines from *cell*, each with its cells in order."""
    corners = dict(board.corners)
    straight = []
    for side in range(4):
        way: list[str] = []
        at, leave = cell, side
        while True:
            edge = {corners[at][leave], corners[at][(leave + 1) % 4]}
            beyond = [name for name, points in board.corners if name != at and edge <= set(points)]
            if not beyond:
                break
            at = beyond[0]
            enter = next(n for n in range(4) if {corners[at][n], corners[at][(n + 1) % 4]} == edge)
            leave = (enter + 2) % 4
            way.append(at)
        straight.append(way)
    diagonal = []
    for corner in range(4):
        diagonal.extend(through(board, corners, cell, corner))
    return [way for way in straight if way], [way for way in diagonal if way]


def through(
    board: Sheet, corners: dict[str, tuple[int, int, int, int]], cell: str, corner: int
) -> list[list[str]]:
    """The diagonal lines that leave *cell* by one of its corners."""
    point = corners[cell][corner]
    around = [name for name, points in board.corners if point in points]
    if len(around) == 4:
        beyond = [name for name in around if len(set(corners[name]) & set(corners[cell])) == 1]
    elif len(around) > 2 and cell[1:] == "00":
        letters = sorted(name[0] for name in around)
        half, here = len(letters) // 2, letters.index(cell[0])
        opposite = {letters[(here + half) % len(letters)], letters[(here - half) % len(letters)]}
        beyond = [f"{letter}00" for letter in opposite] if len(opposite) == 1 or board.forks else []
    else:
        beyond = []
    if not beyond:
        return [[]]
    found: list[list[str]] = []
    for there in beyond:
        onward = (corners[there].index(point) + 2) % 4
        found.extend([there, *rest] for rest in through(board, corners, there, onward))
    return found


def zone(cell: str, players: int) -> int:
    """The zone that contains *cell*."""
    if players == 2:
        return int(cell[1] > "4")
    if players == 4:
        return {(True, False): 0, (True, True): 1, (False, True): 2, (False, False): 3}[
            cell[0] < "e", cell[1] > "4"
        ]
    return "ABCDEF".index(cell[0])


def read(text: str, players: int) -> dict[str, str]:
    """The sign of the piece on each cell."""
    pieces = {}
    for number, row in enumerate(text.split()[0].split("/")):
        place = 0
        digits = ""
        for sign in f"{row}.":
            if sign.isdigit():
                digits += sign
                continue
            place += int(digits or 0)
            digits = ""
            if sign != ".":
                cell = f"{'abcdefgh'[place]}{8 - number}" if players in (2, 4) else wedge_cell(number, place)
                pieces[cell] = sign
                place += 1
    return pieces


def kind(sign: str) -> str:
    """p, d or q; merged pieces count as their own kind."""
    return {"D": "d", "Q": "q", "P": "q"}.get(sign, sign)


def wedge_cell(wedge: int, place: int) -> str:
    return f"{'ABCDEF'[wedge]}{place // 4}{place % 4}"


def moves(text: str, board: Sheet, players: int, options: dict[str, str]) -> set[tuple[str, str]]:
    """All legal (source, target) in the position *text*; ("clock", "") is the call."""
    pieces = read(text, players)
    _, turn, _, undo, quiet, out = text.split()
    side = int(turn) - 1
    zones = [[cell for cell in pieces if zone(cell, players) == number] for number in range(players)]
    limit = {"none": 999, "27-quiet-moves": 27, "call-the-clock-7": 7}[options["deadlock"]]
    left = [number for number in range(players) if str(number + 1) not in out]
    teams = options["teams"] == "opposite-corners" and players == 4
    alone = len({number % 2 if teams else number for number in left}) == 1
    if not all(zones) or (quiet != "-" and int(quiet) >= limit) or alone:
        return set()
    found = set()
    for cell in zones[side]:
        for way in reach(board, cell, kind(pieces[cell])):
            for target in way:
                if target not in pieces or may_enter(pieces, zones[side], cell, target):
                    found.add((cell, target))
                if target in pieces:
                    break
    undoing = options["no_undo"]
    if undoing in ("quiet-only", "off") or (undoing == "two-players" and players > 2):
        found = distinct(board, pieces, zones[side], found)
    found = {(cell, target) for cell, target in found if f"{cell}-{target}" != undo}
    if options["deadlock"] == "call-the-clock-7" and quiet == "-":
        found.add(("clock", ""))
    return found


def distinct(
    board: Sheet, pieces: dict[str, str], own: list[str], found: set[tuple[str, str]]
) -> set[tuple[str, str]]:
    """One move for each resulting position and capture.

    It is the move whose target is first on the board.
    """
    order = [name for name, _ in board.corners]
    kept: dict[object, tuple[str, str]] = {}
    for cell, target in sorted(found, key=lambda move: order.index(move[1])):
        merges = target in own and target in pieces
        after = {**pieces, target: (cell, target) if merges else pieces[cell]}
        del after[cell]
        result = (frozenset(after.items()), "" if merges else pieces.get(target, ""))
        kept.setdefault(result, (cell, target))
    return set(kept.values())


def reach(board: Sheet, cell: str, piece: str) -> list[list[str]]:
    """The lines of a piece, as far as it goes."""
    straight, diagonal = ways(board, cell)
    if piece == "p":
        return [way[:1] for way in diagonal]
    return [way[:2] for way in straight] if piece == "d" else straight + diagonal


def may_enter(pieces: dict[str, str], own: list[str], cell: str, target: str) -> bool:
    """True if the piece from *cell* may capture on *target* or merge there."""
    if target not in own:
        return True
    kinds = [kind(pieces[other]) for other in own]
    pair = {kind(pieces[cell]), kind(pieces[target])}
    return (pair == {"p", "d"} and "q" not in kinds) or (pair == {"p"} and "d" not in kinds)
