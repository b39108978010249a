# SPDX-License-Identifier: Apache-2.0
"""Fill, check and plot a board with KiCad's own module `pcbnew`.

`/usr/bin/python3 kicad_run.py BOARD.kicad_pcb FOLDER` runs in Debian's Python, which alone has that
module. It writes the design-rule report, Gerber and drill files, and a picture of each side.
"""

import sys
from pathlib import Path

import pcbnew  # type: ignore[import-not-found, unused-ignore]

LAYERS = {
    "F_Cu": "F_Cu", "B_Cu": "B_Cu", "F_Paste": "F_Paste", "F_SilkS": "F_Silkscreen",
    "B_SilkS": "B_Silkscreen", "F_Mask": "F_Mask", "B_Mask": "B_Mask", "Edge_Cuts": "Edge_Cuts",
}  # fmt: skip


def main(source: str, folder: Path) -> int:
    """Return 0; the report tells what is wrong with the board."""
    folder.mkdir(parents=True, exist_ok=True)
    board = pcbnew.LoadBoard(source)
    board.GetDesignSettings().m_MaxError = pcbnew.FromMM(0.02)  # round corners with fewer points
    pcbnew.ZONE_FILLER(board).Fill(board.Zones())
    filled = str(folder / Path(source).name)
    pcbnew.SaveBoard(filled, board)
    board = pcbnew.LoadBoard(filled)
    pcbnew.WriteDRCReport(board, str(folder / "drc.txt"), pcbnew.EDA_UNITS_MILLIMETRES, True)
    plot(board, folder)
    return 0


def plot(board: "pcbnew.BOARD", folder: Path) -> None:
    """Write Gerber and drill files into *folder*, and SVG of both sides."""
    control = pcbnew.PLOT_CONTROLLER(board)
    options = control.GetPlotOptions()
    options.SetOutputDirectory(str(folder))
    options.SetUseGerberProtelExtensions(True)
    options.SetSubtractMaskFromSilk(True)
    for layer, name in LAYERS.items():
        control.SetLayer(getattr(pcbnew, layer))
        control.OpenPlotfile(name, pcbnew.PLOT_FORMAT_GERBER, name)
        control.PlotLayer()
        control.ClosePlot()
    writer = pcbnew.EXCELLON_WRITER(board)
    writer.SetOptions(False, False, pcbnew.wxPoint(0, 0), False)
    writer.SetFormat(True)
    writer.CreateDrillandMapFilesSet(str(folder), True, False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
