# SPDX-License-Identifier: Apache-2.0
"""Footprints of the parts on a tile, after their data sheets. Pure."""

from __future__ import annotations

from typing import Final

from firmware.hardware.copper import At, Footprint, Pad

PITCH: Final = 2.54
REED_HOLES: Final = 17.78
"""Distance of the holes, for glass of 10 to 14.5 mm."""
REED_AHEAD: Final = 3.0
"""From the first hole to the middle of the cell, near which the glass ends."""

REED: Final = Footprint(
    "reed",
    (Pad("1", At(0, -REED_AHEAD), 1.8, 1.8, 1.0), Pad("2", At(0, REED_HOLES - REED_AHEAD), 1.8, 1.8, 1.0)),
    (-1.2, -REED_AHEAD + 1.6, 1.2, REED_HOLES - REED_AHEAD - 1.6),
)
HALL: Final = Footprint(
    "SOT-23",
    (Pad("1", At(-0.95, 1.0), 0.6, 0.9), Pad("2", At(0.95, 1.0), 0.6, 0.9), Pad("3", At(0, -1.0), 0.6, 0.9)),
    (-1.5, -0.7, 1.5, 0.7),
)
DIODE: Final = Footprint(
    "SOD-123",
    (Pad("1", At(0, -1.65), 1.2, 0.9), Pad("2", At(0, 1.65), 1.2, 0.9)),
    (-0.9, -1.4, 0.9, 1.4),
)
"""Pad 1 is the cathode."""
LED: Final = Footprint(
    "LED-5050",
    (
        Pad("1", At(-2.45, -1.65), 1.5, 0.9),
        Pad("2", At(-2.45, 1.65), 1.5, 0.9),
        Pad("3", At(2.45, 1.65), 1.5, 0.9),
        Pad("4", At(2.45, -1.65), 1.5, 0.9),
    ),
    (-2.5, -2.5, 2.5, 2.5),
)
"""VDD, DOUT, VSS, DIN."""
CHIP_0805: Final = Footprint(
    "0805",
    (Pad("1", At(-1.0, 0), 1.0, 1.45), Pad("2", At(1.0, 0), 1.0, 1.45)),
    (-1.0, -0.62, 1.0, 0.62),
)
UPRIGHT_0805: Final = Footprint(
    "0805-upright",
    (Pad("1", At(0, -1.0), 1.45, 1.0), Pad("2", At(0, 1.0), 1.45, 1.0)),
    (-0.62, -1.0, 0.62, 1.0),
)
TERMINAL: Final = Footprint(
    "terminal-5.08",
    (Pad("1", At(-2.54, 0), 2.6, 2.6, 1.3), Pad("2", At(2.54, 0), 2.6, 2.6, 1.3)),
    (-5.1, -4.1, 5.1, 4.1),
    is_below=True,
)
ELECTROLYTIC: Final = Footprint(
    "radial-5.0",
    (Pad("1", At(-2.5, 0), 1.8, 1.8, 0.9), Pad("2", At(2.5, 0), 1.8, 1.8, 0.9)),
    (-5.0, -5.0, 5.0, 5.0),
    is_below=True,
)


def header(positions: int, *, is_upright: bool) -> Footprint:
    """A box header of 2 x *positions* pins that is put in from below.

    Seen from above, odd pins are at the right if it stands upright, else at the top; so the numbers
    run as the data sheet has them, seen from its mating side.
    """
    half = PITCH * (positions - 1) / 2
    pads = []
    for index in range(positions):
        along = PITCH * index - half
        for number, across in ((2 * index + 1, PITCH / 2), (2 * index + 2, -PITCH / 2)):
            at = At(across, along) if is_upright else At(along, -across)
            pads.append(Pad(str(number), at, 1.7, 1.7, 1.0))
    long, wide = half + 5.08, 4.45
    body = (-wide, -long, wide, long) if is_upright else (-long, -wide, long, wide)
    return Footprint(f"box-header-2x{positions}-{'v' if is_upright else 'h'}", tuple(pads), body, True)
