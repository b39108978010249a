# SPDX-License-Identifier: Apache-2.0
"""The files of the tiles: `python -m firmware.hardware.tile_files` writes them to `tiles/`.

A board for KiCad, the list of parts to buy, and the places of its parts. With `--plot` KiCad fills
and checks the boards and plots what a manufacturer needs, as a zip file.
"""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections import defaultdict
from pathlib import Path
from typing import Final

from companion.link.panel import load_panel
from firmware.hardware.copper import Board, Placed
from firmware.hardware.kicad_file import kicad_pcb
from firmware.hardware.netlist import netlist
from firmware.hardware.tile import tile

TILES: Final = Path(__file__).parent / "tiles"
NAMES: Final = ("4x8", "8x8")
KICAD_PYTHON: Final = "/usr/bin/python3"
"""Debian's own, which has the module pcbnew."""
_DATED: Final = re.compile(
    rb"^(?:%TF\.CreationDate,.*|G04 Created by KiCad.*|; DRILL file .*|; #@! TF\.CreationDate,.*)\r?\n", re.M
)
_FIRST_DAY: Final = (1980, 1, 1, 0, 0, 0)


class DesignRulesBroken(ValueError):
    """KiCad's report is not clean."""


def parts_to_buy() -> dict[str, dict[str, str]]:
    """The kinds of parts with description, manufacturer, number, source and substitute."""
    return tomllib.loads((TILES / "parts.toml").read_text(encoding="utf-8"))


def bill_of_materials(board: Board) -> str:
    """The parts of *board* as CSV, a line a kind; alternatives come last, with 0."""
    kinds: dict[str, list[Placed]] = defaultdict(list)
    for part in board.parts:
        kinds[part.kind].append(part)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        (
            "quantity",
            "references",
            "description",
            "manufacturer",
            "number",
            "footprint",
            "substitute",
            "source",
        )
    )
    known = parts_to_buy()
    for kind, parts in sorted(kinds.items(), key=lambda item: (not item[1][0].is_fitted, item[0])):
        row = known[kind]
        fitted = [part.ref for part in parts if part.is_fitted]
        writer.writerow(
            (
                len(fitted),
                " ".join(part.ref for part in parts),
                row["description"],
                *(row.get(key, "") for key in ("manufacturer", "number")),
                parts[0].footprint.name,
                *(row.get(key, "") for key in ("substitute", "source")),
            )
        )
    return text.getvalue()


def positions(board: Board) -> str:
    """The places of the parts as CSV, from the lower left corner, y upwards."""
    lines = ["reference,kind,footprint,x_mm,y_mm,rotation,side"]
    for part in board.parts:
        if part.is_fitted:
            side = "bottom" if part.footprint.is_below else "top"
            place = f"{part.at.x:.3f},{board.height - part.at.y:.3f},{180 if part.is_turned else 0}"
            lines.append(f"{part.ref},{part.kind},{part.footprint.name},{place},{side}")
    return "\n".join(lines) + "\n"


def headers(board: Board, name: str) -> str:
    """What the pins of the headers are joined with on the panel *name*, as CSV."""
    nets = {net.name: net.pins for net in netlist(load_panel(name)).nets}
    nets["LEFT1"] = nets["DIN1"]
    on_tile = ("S_", "D_", "L_")
    lines = ["header,pin,net,goes to"]
    for part in board.parts:
        if part.ref.startswith("J_") and part.ref != "J_POWER":
            for number, net in sorted(part.nets.items(), key=lambda item: int(item[0])):
                pins = [
                    f"{pin.part} {pin.pin}" for pin in nets.get(net, ()) if not pin.part.startswith(on_tile)
                ]
                goes_to = "supply" if net in ("5V", "GND") else " and ".join(pins) or "the next tile"
                lines.append(f"{part.ref},{number},{net},{goes_to}")
    return "\n".join(lines) + "\n"


def texts(name: str) -> dict[str, str]:
    """The files of a tile that need no KiCad."""
    board = tile(name)
    return {
        f"{board.name}.kicad_pcb": kicad_pcb(board),
        f"{board.name}-parts.csv": bill_of_materials(board),
        f"{board.name}-positions.csv": positions(board),
        f"{board.name}-headers.csv": headers(board, name),
    }


def plotted(board: Board, folder: Path) -> dict[str, bytes]:
    """Gerber and drill files of *board*, checked by KiCad, without their dates.

    Raises `DesignRulesBroken` with KiCad's report.
    """
    source = folder / f"{board.name}.kicad_pcb"
    source.write_text(kicad_pcb(board), encoding="utf-8")
    out = folder / "out"
    script = Path(__file__).parent / "kicad_run.py"
    subprocess.run([KICAD_PYTHON, script, source, out], check=True, capture_output=True, text=True)
    report = (out / "drc.txt").read_text(encoding="utf-8")
    if re.findall(r"\*\* Found (\d+) ", report) != ["0", "0", "0"]:
        raise DesignRulesBroken(report)
    files = (path for path in sorted(out.iterdir()) if re.search(r"\.(g\w\w?|drl)$", path.name))
    return {path.name: _DATED.sub(b"", path.read_bytes()) for path in files}


def zipped(files: dict[str, bytes]) -> bytes:
    """*files* as a zip file that depends on nothing else."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for file, content in files.items():
            entry = zipfile.ZipInfo(file, _FIRST_DAY)
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return out.getvalue()


def main(arguments: list[str]) -> int:
    """Write the files of both tiles; return 0. `--plot` has KiCad plot them, too."""
    for name in NAMES:
        for file, text in texts(name).items():
            (TILES / file).write_text(text, encoding="utf-8")
        if "--plot" in arguments:
            with tempfile.TemporaryDirectory() as folder:
                content = zipped(plotted(tile(name), Path(folder)))
            (TILES / f"tile-{name}-gerber.zip").write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
