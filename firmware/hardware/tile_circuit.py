# SPDX-License-Identifier: Apache-2.0
"""The circuit of a tile for an electrical rule check by SKiDL. Pure.

A part BRAIN stands for what is plugged into the headers: it drives rows and LEDs, reads columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from firmware.hardware.copper import Board

_TYPES: Final[Mapping[str, tuple[str, ...]]] = {
    "led": ("PWRIN", "OUTPUT", "PWRIN", "INPUT"),
    "terminal": ("PWROUT", "PWROUT"),
}
"""Types of the pins 1, 2, ... of a kind; other parts are passive."""


def circuit(board: Board) -> list[dict[str, Any]]:
    """The fitted parts of *board* and BRAIN, each with its pins: number, type and net."""
    parts = []
    for part in board.parts:
        if part.is_fitted:
            types = _TYPES.get(part.kind, ("PASSIVE",) * len(part.nets))
            pins = [[number, types[int(number) - 1], net] for number, net in part.nets.items()]
            parts.append({"ref": part.ref, "pins": pins})
    lines = [("OUTPUT", "LEFT1")]
    for net in board.nets():
        if net.startswith("ROW"):
            lines.append(("OUTPUT", net))
        elif net.startswith("COL"):
            lines += [("INPUT", net), ("PULLUP", net)]
    pins = [[str(number), kind, net] for number, (kind, net) in enumerate(lines, 1)]
    return [*parts, {"ref": "BRAIN", "pins": pins}]
