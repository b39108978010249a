# SPDX-License-Identifier: Apache-2.0
"""Panel files: strict reading, and errors if a panel does not fit a game."""

from __future__ import annotations

from importlib import resources

import pytest

from companion.link.panel import check_fit, load_panel, order_of, panel_names, read_panel
from companion.model.errors import PanelMismatch, SettingsError
from companion.model.grid import rectangle
from tests.wires import ConnectionPair


def text_of(name: str) -> str:
    return (resources.files("companion") / "panels" / f"{name}.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", panel_names())
def test_every_panel_we_ship_can_be_read(name: str) -> None:
    panel = load_panel(name)
    assert panel.name == name
    assert panel.leds >= panel.cells


def test_the_documented_panels_are_shipped() -> None:
    assert {"4x8", "5x5", "8x8", "16x16", "20x20", "wedges-3"} <= set(panel_names())


def test_an_unknown_panel_is_refused_with_the_list_of_panels() -> None:
    with pytest.raises(SettingsError, match=r"no panel '9x9'; known: .*4x8.*8x8"):
        load_panel("9x9")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cells = 32", "cells = 31", "4 files of 8 ranks are not 31 cells"),
        ("cells = 32", "cells = 0", "cells is 0"),
        ("buttons = 1 ", "buttons = 16 ", "buttons is 16; allowed: 0 to 15"),
        ("sensor_columns = 4", "sensor_columns = 3", "sensor_order does not give each cell"),
        ('led_order = "serpentine"', "led_order = [0, 1]", "led_order does not give each LED"),
        ('sensor = "reed"', 'sensor = "eye"', "sensor is 'eye'; allowed: reed, hall"),
        ("lever = true", "levers = true", "unknown key 'levers'"),
    ],
)
def test_an_invalid_panel_file_is_refused_with_its_defect(old: str, new: str, message: str) -> None:
    text = text_of("4x8")
    assert old in text
    with pytest.raises(SettingsError, match=message):
        read_panel(text.replace(old, new), "4x8.toml")


def test_a_position_may_be_without_a_switch() -> None:
    order = str([*range(31), -1, 31])
    text = text_of("4x8").replace('sensor_order = "natural"', f"sensor_order = {order}")
    text = text.replace("sensor_rows = 8", "sensor_rows = 3").replace(
        "sensor_columns = 4", "sensor_columns = 11"
    )
    assert read_panel(text, "4x8.toml").sensor_order[31] == -1


def test_a_serpentine_runs_to_and_fro() -> None:
    assert order_of("serpentine", 8, 3) == (0, 1, 2, 5, 4, 3, 6, 7)
    assert order_of("natural", 3, 0) == (0, 1, 2)


@pytest.mark.parametrize(("panel", "grid"), [("4x8", rectangle(4, 8)), ("8x8", rectangle(8, 8))])
def test_a_panel_fits_its_grid(panel: str, grid: object) -> None:
    check_fit(ConnectionPair(panel).panel.device.describe(0), grid)  # type: ignore[arg-type]


def test_a_panel_with_another_number_of_cells_does_not_fit() -> None:
    with pytest.raises(
        PanelMismatch, match=r"64 cells \(8 by 8\); this game needs the 32 of the 4x8"
    ) as raised:
        check_fit(ConnectionPair("8x8").panel.device.describe(0), rectangle(4, 8))
    assert (raised.value.expected, raised.value.found) == (32, 64)


def test_a_panel_of_another_shape_does_not_fit() -> None:
    with pytest.raises(PanelMismatch):
        check_fit(ConnectionPair("4x8").panel.device.describe(0), rectangle(8, 4))
