# SPDX-License-Identifier: Apache-2.0
"""Panel files: strict reading, and errors if a panel does not fit a game."""

from __future__ import annotations

from importlib import resources

import pytest

from companion.link.panel import has_room, load_panel, order_of, panel_names, read_panel, shape_of
from companion.model.errors import SettingsError
from companion.model.grid import Grid, rectangle
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


@pytest.mark.parametrize(
    ("panel", "grid", "is_roomy"),
    [
        ("4x8", rectangle(4, 8), True),
        ("8x8", rectangle(4, 8), True),
        ("16x16", rectangle(8, 8), True),
        ("4x8", rectangle(8, 4), False),
        ("4x8", rectangle(8, 8), False),
        ("wedges-3", rectangle(4, 8), False),
    ],
)
def test_a_panel_has_room_for_grids_that_are_not_larger(panel: str, grid: Grid, is_roomy: bool) -> None:
    assert has_room(shape_of(ConnectionPair(panel).panel.device.describe(0)), grid) is is_roomy
