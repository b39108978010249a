# SPDX-License-Identifier: Apache-2.0
"""Maps of Tank Chess: TOML files with a picture of the board.

Every error names rank and file.

    title = "Basic set-up"
    size = [16, 16]                 # files, ranks
    board = '''
    16 % . . h . .                  # obstacle, . empty; White's tanks L M H C D R, Black's small:
    15 . # . . # #                  Light, Medium, Heavy, Command, tank Destroyer, heavy moRtar;
                                    % outside the board: a border surface lies there
    '''
    [facing]                        # tanks that do not face straight ahead
    C1 = "NE"

A picture cannot put two things on one space, so no map can.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

from companion.games._shared.bundled import bundled
from companion.games.tank_chess.pieces import COMMAND, LETTERS, Tank, kind_and_side, owner, sign
from companion.games.tank_chess.terrain import AHEAD
from companion.model.errors import NotationError, SettingsError
from companion.model.grid import COMPASS, Cell, Grid, rectangle
from companion.model.occupancy import cells_of, occupancy_of
from companion.model.toml import build, parse, text_of

SMALLEST: Final = 4
LARGEST: Final = 26
"""Limit of files: each has one letter."""
SIDES: Final = ("White", "Black")
_GROUND: Final = "#%"
"""The signs of an obstacle, and of a space outside the board."""


@dataclass(frozen=True, slots=True)
class Map:
    """A board with its obstacles, and both forces at the start."""

    title: str
    grid: Grid
    obstacles: int
    """As an occupancy."""
    tanks: tuple[Tank, ...]
    """In rising order."""
    border: int = 0
    """Spaces that border surfaces take from the board, as an occupancy."""

    @property
    def is_symmetric(self) -> bool:
        """True if it looks the same to both sides.

        That is, turned by 180 degrees with the colours exchanged.
        """
        last = len(self.grid) - 1
        is_turned = all(
            occupancy_of(last - cell for cell in cells_of(each)) == each
            for each in (self.obstacles, self.border)
        )
        turned = sorted((last - (tank >> 7)) << 7 | (tank & 127) ^ 0b100_1000 for tank in self.tanks)
        return is_turned and tuple(turned) == self.tanks


@dataclass(frozen=True, slots=True)
class _MapFile:
    """Content of a map file."""

    title: str
    size: tuple[int, int]
    board: str
    facing: dict[str, str] = field(default_factory=dict)


def find_map(value: str) -> Map:
    """The map for option *value*: bundled, spelled out, or a file. Raises `SettingsError`.

    Spelled out as in a record, or as the text of a file.
    """
    if "\n" in value:
        return read_map(value, "map")
    if ";" in value:
        return from_line(value)
    inside = bundled("maps", value)
    return load_map(Path(value)) if inside is None else read_map(inside, f"{value}.toml")


def load_map(path: Path) -> Map:
    """The map in the file *path*. Raises `SettingsError` naming the file and the fault."""
    return read_map(text_of(path), str(path))


def read_map(text: str, source: str) -> Map:
    """The map that *text* describes; *source* names it in errors. Raises `SettingsError`."""
    file = build(_MapFile, parse(text, source), source)
    grid = board(*file.size, source)
    signs = _read_picture(file.board, grid, source)
    facings = _read_facings(file.facing, signs, grid, source)
    tanks = []
    for cell, letter in signs.items():
        if letter not in _GROUND:
            code = kind_and_side(letter)
            tanks.append((cell << 3 | facings.get(cell, AHEAD[owner(code)])) << 4 | code)
    obstacles, border = (
        occupancy_of(cell for cell, letter in signs.items() if letter == sign) for sign in _GROUND
    )
    return checked(Map(file.title, grid, obstacles, tuple(sorted(tanks)), border), source)


def checked(found: Map, source: str) -> Map:
    """*found*, if it has exactly one Command Tank per side. Raises `SettingsError`."""
    for side, name in enumerate(SIDES):
        cells = [tank >> 7 for tank in found.tanks if tank & 7 == COMMAND and owner(tank) == side]
        if len(cells) != 1:
            where = " and ".join(place(found.grid, cell) for cell in cells)
            count = f"{len(cells)} Command Tanks, on {where}" if cells else "no Command Tank"
            raise SettingsError(
                "{source}: {name} has {count}; there must be exactly one",
                source=source,
                name=name,
                count=count,
            )
    return found


def board(files: int, ranks: int, source: str) -> Grid:
    """The grid of the map *source*, with the rulebook's names: A1 to P16.
    Raises `SettingsError`.
    """
    if not (SMALLEST <= files <= LARGEST and SMALLEST <= ranks <= LARGEST):
        raise SettingsError(
            "{source}: size is {files} files by {ranks} ranks; {smallest} to {largest} of each are possible",
            source=source,
            files=files,
            ranks=ranks,
            smallest=SMALLEST,
            largest=LARGEST,
        )
    return rectangle(files, ranks, capitals=True)


def place(grid: Grid, cell: Cell) -> str:
    """`rank 3, file D`."""
    return f"rank {cell // grid.files + 1}, file {grid.name(cell)[0]}"


def draw(shown: Map) -> str:
    """The picture of *shown* as in a map file, with the file letters below.

    Tanks that do not face straight ahead are listed.
    """
    signs = {tank >> 7: sign(tank) for tank in shown.tanks}
    for letter, cells in zip(_GROUND, (shown.obstacles, shown.border), strict=True):
        signs |= dict.fromkeys(cells_of(cells), letter)
    files = shown.grid.files
    rows = [
        f"{rank + 1:2} " + " ".join(signs.get(rank * files + file, ".") for file in range(files))
        for rank in reversed(range(shown.grid.ranks))
    ]
    letters = "   " + " ".join(shown.grid.name(cell)[0] for cell in range(files))
    aside = [
        f'{shown.grid.name(tank >> 7)} = "{COMPASS[tank >> 4 & 7]}"'
        for tank in shown.tanks
        if tank >> 4 & 7 != AHEAD[owner(tank)]
    ]
    return "\n".join([*rows, letters, *(["[facing]", *aside] if aside else [])])


# one line of text for records, which must not depend on a file that may change


def to_line(shown: Map) -> str:
    """`title; 16x16; E2 F2; HC1N MF1N`: title, size, obstacles, tanks.

    Then, if there is any, the border: `; A1 A2`.
    """
    grid = shown.grid
    border = f"; {grid.spell(tuple(cells_of(shown.border)))}" if shown.border else ""
    tanks = " ".join(write_tank(grid, tank) for tank in shown.tanks)
    return f"{shown.title.replace(';', ',')}; {grid.slug}; {grid.spell(tuple(cells_of(shown.obstacles)))}; {tanks}{border}"


def from_line(text: str) -> Map:
    """The map that *text* denotes: the inverse of `to_line`. Raises `SettingsError`."""
    try:
        title, size, obstacles, tanks, *more = (part.strip() for part in text.split(";"))
        files, ranks = (int(number) for number in size.split("x"))
        grid = board(files, ranks, f"map {title!r}")
        codes = sorted(read_tank(grid, word) for word in tanks.split())
        walls = occupancy_of(grid.cells(obstacles))
        [outside] = more or [""]
        border = occupancy_of(grid.cells(outside))
    except ValueError as fault:
        raise SettingsError(
            "map {text!r}: expected title, size, obstacles and tanks, separated by semicolons: {reason}",
            text=text,
            reason=fault,
        ) from fault
    for one, other in pairwise(codes):
        if one >> 7 == other >> 7:
            raise SettingsError(
                "map {title!r}: two tanks stand on {place}", title=title, place=place(grid, one >> 7)
            )
    for code in codes:
        if walls >> (code >> 7) & 1:
            raise SettingsError(
                "map {title!r}: a tank stands on an obstacle on {place}",
                title=title,
                place=place(grid, code >> 7),
            )
        if border >> (code >> 7) & 1:
            raise SettingsError(
                "map {title!r}: a tank stands outside the board on {place}",
                title=title,
                place=place(grid, code >> 7),
            )
    return checked(Map(title, grid, walls & ~border, tuple(codes), border), f"map {title!r}")


def write_tank(grid: Grid, tank: Tank) -> str:
    """`HC1N`: kind (small for Black), space, facing."""
    return f"{sign(tank)}{grid.name(tank >> 7)}{COMPASS[tank >> 4 & 7]}"


def read_tank(grid: Grid, text: str) -> Tank:
    """The tank that *text* denotes: the inverse of `write_tank`. Raises `NotationError`."""
    name = text[1:].rstrip("NESWnesw")
    facing = text[1 + len(name) :].upper()
    if text[:1].upper() not in LETTERS or not text or facing not in COMPASS:
        raise NotationError(
            "{text!r} is not a tank: expected a letter of {letters}, a space and a facing",
            letters=LETTERS,
            text=text,
        )
    return (grid.cell(name) << 3 | COMPASS.index(facing)) << 4 | kind_and_side(text[0])


# reading the file


def _read_picture(picture: str, grid: Grid, source: str) -> dict[Cell, str]:
    """The sign on each cell that is not empty."""
    lines = [line.split() for line in picture.splitlines() if line.strip()]
    if lines and lines[-1][0].isalpha():
        _check_letters(lines.pop(), grid, source)
    if len(lines) != grid.ranks:
        raise SettingsError(
            "{source}: board shows {count} ranks; size says {ranks}",
            source=source,
            count=len(lines),
            ranks=grid.ranks,
        )
    signs: dict[Cell, str] = {}
    for rank, (number, *row) in zip(reversed(range(grid.ranks)), lines, strict=True):
        if number != str(rank + 1):
            raise SettingsError(
                "{source}: board: the rank {number} stands where rank {rank} belongs",
                source=source,
                number=number,
                rank=rank + 1,
            )
        signs |= _read_rank(rank, row, grid, source)
    return signs


def _check_letters(found: list[str], grid: Grid, source: str) -> None:
    """Raise `SettingsError` unless *found*, the row below the ranks, lists the files in order."""
    letters = [grid.name(cell)[0] for cell in range(grid.files)]
    if [letter.upper() for letter in found] != letters:
        raise SettingsError(
            "{source}: the files are named {found}; they are {letters}",
            source=source,
            found=" ".join(found),
            letters=" ".join(letters),
        )


def _read_rank(rank: int, row: list[str], grid: Grid, source: str) -> dict[Cell, str]:
    """The sign on each cell of a rank that is not empty."""
    if len(row) != grid.files:
        last = grid.name(grid.files - 1)[0]
        raise SettingsError(
            "{source}: rank {rank} has {count} spaces; size says {files}, files A to {last}",
            source=source,
            rank=rank + 1,
            count=len(row),
            files=grid.files,
            last=last,
        )
    for file, letter in enumerate(row):
        if letter not in {".", *_GROUND, *LETTERS, *LETTERS.lower()}:
            raise SettingsError(
                "{source}: {place}: {letter!r} is not a sign; known are . # % and {letters}, small for Black",
                source=source,
                place=place(grid, rank * grid.files + file),
                letter=letter,
                letters=" ".join(LETTERS),
            )
    return {rank * grid.files + file: letter for file, letter in enumerate(row) if letter != "."}


def _read_facings(
    facing: Mapping[str, str], signs: Mapping[Cell, str], grid: Grid, source: str
) -> dict[Cell, int]:
    """The facing of each listed tank."""
    found: dict[Cell, int] = {}
    for name, direction in facing.items():
        try:
            cell = grid.cell(name)
        except NotationError:
            last = grid.name(len(grid) - 1)
            rank, file = name[1:] or "?", name[:1].upper() or "?"
            raise SettingsError(
                "{source}: facing.{name}: rank {rank}, file {file} is outside the board, which ends at "
                "{last}",
                source=source,
                name=name,
                rank=rank,
                file=file,
                last=last,
            ) from None
        where = f"{source}: facing.{name}: {place(grid, cell)}"
        if cell in found:
            raise SettingsError("{where} is listed twice", where=where)
        if signs.get(cell, "#") in _GROUND:
            raise SettingsError("{where} holds no tank", where=where)
        if direction not in COMPASS:
            raise SettingsError(
                "{where}: {direction!r} is not a facing; known are {known}",
                where=where,
                direction=direction,
                known=" ".join(COMPASS),
            )
        found[cell] = COMPASS.index(direction)
    return found
