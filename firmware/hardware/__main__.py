# SPDX-License-Identifier: Apache-2.0
"""Draw panels: `python -m firmware.hardware FOLDER PANEL ...` writes three files for each.

They are the schematic, the board view and the wiring list. Needs schemdraw.
"""

from __future__ import annotations

import sys
from pathlib import Path

from companion.link.panel import load_panel
from firmware.hardware.netlist import netlist
from firmware.hardware.schematic import as_svg, schematic
from firmware.hardware.views import board_view, wiring_list


def drawings(name: str) -> dict[str, bytes]:
    """The files of the panel *name*. Raises `NotDrawn` and `UnknownName`."""
    nets = netlist(load_panel(name))
    return {
        f"{name}-schematic.svg": as_svg(schematic(nets)),
        f"{name}-board.svg": board_view(nets).encode(),
        f"{name}-wires.csv": wiring_list(nets).encode(),
    }


def main(arguments: list[str]) -> int:
    """Write the drawings of the named panels; return 0, or 2 if none is named."""
    if len(arguments) < 2:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name in arguments[1:]:
        for file, content in drawings(name).items():
            (folder / file).write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
