# SPDX-License-Identifier: Apache-2.0
"""Printed parts: `python -m firmware.hardware.solids` writes their STL files.

It also writes `prints/dimensions.scad`, which the OpenSCAD sources include, from
`prints/dimensions.toml`. Needs openscad.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

PRINTS: Final = Path(__file__).parent / "prints"
STL: Final = PRINTS / "stl"
_BASE_KEYS: Final = ("form", "diameter", "height", "files", "ranks")
_PARTS: Final = ("holder", "rail", "rail-cable", "corner")


def dimensions() -> dict[str, Any]:
    """The tables of `dimensions.toml`."""
    return tomllib.loads((PRINTS / "dimensions.toml").read_text(encoding="utf-8"))


def part_names() -> tuple[str, ...]:
    """The names of all printed parts."""
    return (*_PARTS, *dimensions()["bases"])


def base_of(game: str, kind: str) -> str:
    """The name of the base of a kind of piece. Raises `KeyError`."""
    bases: dict[str, str] = dimensions()["pieces"][game]
    return bases[kind] if kind in bases else bases["*"]


def scad_text() -> str:
    """The text of `dimensions.scad`: a variable for each dimension, a list of bases."""
    return "\n".join(_scad_lines(dimensions())) + "\n"


def _scad_lines(tables: dict[str, Any]) -> Iterator[str]:
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield "// Generated from dimensions.toml by: python -m firmware.hardware.solids"
    for table, values in tables.items():
        if table not in ("bases", "pieces"):
            yield from (f"{table}_{key} = {value};" for key, value in values.items())
    yield "bases = ["
    for name, base in tables["bases"].items():
        row = [name, *(base.get(key, 1) for key in _BASE_KEYS)]
        yield (
            "    ["
            + ", ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in row)
            + "],"
        )
    yield "];"


def build(part: str, folder: Path) -> Path:
    """Have OpenSCAD write the STL of *part* into *folder*; return its path.

    Raises `subprocess.CalledProcessError` with OpenSCAD's words.
    """
    file = folder / f"{part}.stl"
    chosen = ["-D", f'part="{part}"', "--export-format", "binstl", "-o", str(file)]
    subprocess.run(
        ["openscad", *chosen, str(PRINTS / "parts.scad")], check=True, capture_output=True, text=True
    )
    return file


def main(arguments: list[str]) -> int:
    """Write `dimensions.scad` and the STL of all parts, or of those in *arguments*; return 0."""
    (PRINTS / "dimensions.scad").write_text(scad_text(), encoding="utf-8")
    STL.mkdir(exist_ok=True)
    for part in arguments or part_names():
        build(part, STL)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
