# SPDX-License-Identifier: Apache-2.0
"""A panel file, `companion/panels/<name>.toml`, as a C header for the firmware.

Rule of this file: geometry and order become numbers here, so the C code never computes them.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

UNWIRED = 0xFFFF
KEYS = {
    *("name", "grid", "cells", "files", "ranks", "chip", "sensor", "wiring", "sensor_rows", "sensor_columns"),
    *("sensor_order", "settle_us", "scan_period_us", "debounce_on_ms", "debounce_off_ms", "leds", "led_kind"),
    *("led_order", "current_limit_ma", "display", "text_lines", "text_columns", "tone", "buttons", "lever"),
}
NUMBERS = (
    *("cells", "files", "ranks", "sensor_rows", "sensor_columns", "settle_us", "scan_period_us"),
    *("debounce_on_ms", "debounce_off_ms", "leds", "current_limit_ma", "text_lines", "text_columns"),
    *("tone", "buttons", "lever"),
)


def read_panel(path: Path) -> dict[str, Any]:
    """Return the table of a panel file.

    Raises `ValueError` naming file and key when a key is missing or unknown.
    """
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    wrong = KEYS.symmetric_difference(table)
    if wrong:
        raise ValueError(f"{path.name}: missing or unknown keys: {', '.join(sorted(wrong))}")
    if table["name"] != path.stem:
        raise ValueError(f"{path.name}: name is {table['name']!r}, not the file's")
    return table


def panel_header(panel: dict[str, Any]) -> str:
    """Return the text of the C header for one panel."""
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        f"/* Generated from companion/panels/{panel['name']}.toml by firmware/generate.py. Do not edit. */",
        "#ifndef PANEL_GEN_H",
        "#define PANEL_GEN_H",
        "",
        f'#define PANEL_NAME "{panel["name"]}"',
        *(f"#define PANEL_{key.upper()} {int(panel[key])}" for key in NUMBERS),
    ]
    for key in ("sensor", "wiring", "led_kind", "display"):
        word = panel[key].upper().replace("-", "_")
        lines.append(f"#define PANEL_{key.upper()}_{word} 1")
    lines += _order("PANEL_CELL_OF_SENSOR", cell_of_sensor(panel))
    lines += _order("PANEL_PLACE_OF_LED", place_of_led(panel))
    return "\n".join([*lines, "", "#endif"]) + "\n"


def cell_of_sensor(panel: dict[str, Any]) -> list[int]:
    """Return the cell of each sensor position, `UNWIRED` without a sensor.

    Raises `ValueError` for an invalid order.
    """
    positions = panel["sensor_rows"] * panel["sensor_columns"]
    order = panel["sensor_order"]
    if order == "natural":
        order = list(range(positions))
    elif order == "serpentine":
        order = _serpentine(positions, panel["sensor_columns"])
    wired = sorted(cell for cell in order if cell != -1)
    if len(order) != positions or wired != list(range(panel["cells"])):
        raise ValueError(
            f"{panel['name']}: sensor_order does not give each of {panel['cells']} cells one of {positions} positions"
        )
    return [UNWIRED if cell == -1 else cell for cell in order]


def place_of_led(panel: dict[str, Any]) -> list[int]:
    """Return the place on the strip of each LED, by cell.

    Raises `ValueError` for an invalid order.
    """
    order = panel["led_order"]
    if order == "natural":
        return list(range(panel["leds"]))
    if order == "serpentine":
        return _serpentine(panel["leds"], panel["files"])
    if sorted(order) != list(range(panel["leds"])):
        raise ValueError(f"{panel['name']}: led_order is no order of {panel['leds']} LEDs")
    places: list[int] = order
    return places


def _serpentine(count: int, width: int) -> list[int]:
    """Return 0 .. count - 1 in rows of *width*, every second row reversed.

    The order is its own inverse.
    """
    rows = [list(range(at, min(at + width, count))) for at in range(0, count, width)]
    return [place for index, row in enumerate(rows) for place in (reversed(row) if index % 2 else row)]


def _order(name: str, order: list[int]) -> list[str]:
    """Return a table initialiser as a macro, or nothing for the identity order."""
    if order == list(range(len(order))):
        return []
    return (
        ["", f"#define {name} {{ \\"]
        + ["    " + ", ".join(map(str, order[at : at + 16])) + ", \\" for at in range(0, len(order), 16)]
        + ["}"]
    )
