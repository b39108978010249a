# SPDX-License-Identifier: Apache-2.0
"""Pictures of the build guide: `python -m firmware.hardware.pictures FOLDER` renders them.

The scenes are those of `prints/assembly.scad`. Needs openscad and xvfb, since OpenSCAD renders on a
display only.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

from PIL import Image, ImageChops

from firmware.hardware.copper import Board
from firmware.hardware.solids import PRINTS
from firmware.hardware.tile import tile

SCENES: Final = {
    "holders": "0,0,0,30,0,10,900",
    "reeds": "0,0,0,30,0,10,900",
    "wires": "0,0,0,30,0,10,900",
    "brain": "0,0,0,30,0,10,1000",
    "lamps": "0,0,0,30,0,10,1000",
    "frame": "0,0,0,35,0,20,1100",
    "pieces": "0,0,0,40,0,10,900",
    "tile": "0,0,0,35,0,20,1100",
    "tile-below": "0,0,0,35,0,20,1100",
}
"""Direction and distance of the camera for each picture."""
_CLOSE: Final = ("holders", "reeds", "wires")
"""Scenes that show four cells only."""
_SIZE: Final = "1000,800"


def scene_data(board: Board) -> str:
    """The parts of *board* that are fitted, as a list of OpenSCAD."""
    rows = []
    for part in board.parts:
        if part.is_fitted:
            left, upper, right, lower = part.footprint.body
            flags = [str(flag).lower() for flag in (part.footprint.is_below, part.is_turned)]
            numbers = [f"{value:g}" for value in (part.at.x, part.at.y, left, upper, right, lower)]
            rows.append(f'["{part.kind}",{",".join([*numbers, *flags])}]')
    return f"[{','.join(rows)}]"


def render(scene: str, folder: Path) -> Path:
    """Render a scene into *folder*; return the path of the picture.

    Raises `subprocess.CalledProcessError` with OpenSCAD's words.
    """
    file = folder / f"{scene}.png"
    options = [
        "-o",
        str(file),
        f"--imgsize={_SIZE}",
        f"--camera={SCENES[scene]}",
        "--viewall",
        "--autocenter",
    ]
    options += ["--colorscheme=Tomorrow", "--projection=ortho", "-D", f'scene="{scene}"']
    if scene.startswith("tile"):
        board = tile("4x8")
        options += [
            "-D",
            f"tile_parts={scene_data(board)}",
            "-D",
            f"tile_size=[{board.width},{board.height}]",
        ]
    if scene in _CLOSE:
        options += ["-D", "files=2", "-D", "ranks=2"]
    command = ["xvfb-run", "-a", "openscad", *options, str(PRINTS / "assembly.scad")]
    subprocess.run(command, check=True, capture_output=True, text=True)
    _cut(file)
    return file


def _cut(file: Path) -> None:
    """Cut the empty border of a picture off, and keep 64 colours."""
    with Image.open(file) as opened:
        picture = opened.convert("RGB")
    empty = Image.new("RGB", picture.size, picture.getpixel((0, 0)))
    box = ImageChops.difference(picture, empty).getbbox()
    picture.crop(box).quantize(64).save(file, optimize=True)


def main(arguments: list[str]) -> int:
    """Render the scenes named after the folder, or all; 2 without a folder."""
    if not arguments:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for scene in arguments[1:] or SCENES:
        render(scene, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
