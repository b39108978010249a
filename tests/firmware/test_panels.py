# SPDX-License-Identifier: Apache-2.0
"""Every shipped panel makes a header, and its orders name every cell and LED once."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware.generate import PANELS
from firmware.generator.panel_header import UNWIRED, cell_of_sensor, panel_header, place_of_led, read_panel

FILES = sorted(PANELS.glob("*.toml"))


def test_the_promised_panels_are_shipped() -> None:
    assert {"4x8", "5x5", "8x8", "16x16", "20x20", "wedges-3"} <= {path.stem for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_cell_has_one_sensor_and_every_led_one_place(path: Path) -> None:
    panel = read_panel(path)
    wired = [cell for cell in cell_of_sensor(panel) if cell != UNWIRED]
    assert sorted(wired) == list(range(panel["cells"]))
    assert sorted(place_of_led(panel)) == list(range(panel["leds"]))
    assert f"#define PANEL_CELLS {panel['cells']}\n" in panel_header(panel)


def test_a_serpentine_strip_runs_back_in_every_second_rank() -> None:
    panel = read_panel(PANELS / "4x8.toml")
    assert place_of_led(panel)[:12] == [0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11]


def test_an_order_with_a_cell_twice_is_refused() -> None:
    panel = {**read_panel(PANELS / "5x5.toml"), "sensor_order": [0] * 32}
    with pytest.raises(ValueError, match="sensor_order"):
        cell_of_sensor(panel)


def test_an_invalid_led_order_is_refused() -> None:
    panel = {**read_panel(PANELS / "5x5.toml"), "led_order": [0] * 25}
    with pytest.raises(ValueError, match="led_order"):
        place_of_led(panel)


def test_an_unknown_key_is_named(tmp_path: Path) -> None:
    text = (PANELS / "8x8.toml").read_text(encoding="utf-8")
    path = tmp_path / "8x8.toml"
    path.write_text(text.replace("settle_us", "settle_ms"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"8x8\.toml.*settle_ms, settle_us"):
        read_panel(path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_leds_of_a_nano_draw_what_its_diode_allows(path: Path) -> None:
    panel = read_panel(path)
    assert panel["current_limit_ma"] <= {"atmega328p": 200, "atmega2560": 400, "rp2040": 400}[panel["chip"]]
