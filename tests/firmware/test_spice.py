# SPDX-License-Identifier: Apache-2.0
"""The electrical figures that WIRING states, calculated by ngspice from `firmware/spice`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from companion.link.panel import load_panel
from tests.firmware.boards import column_of

SPICE = Path(__file__).parents[2] / "firmware" / "spice"
WIRING = (Path(__file__).parents[2] / "firmware" / "WIRING.md").read_text(encoding="utf-8")
BROWN_OUT_V = 4.5
"""The highest level of the fuse for 4.3 V."""


def calculated(name: str, folder: Path, **given: object) -> dict[str, float]:
    """The figures of a model with other parameters."""
    if shutil.which("ngspice") is None:
        said = "ngspice missing: python3 check.py --hardware installs it"
        pytest.fail(said) if os.environ.get("HARDWARE") == "true" else pytest.skip(said)
    text = (SPICE / f"{name}.cir").read_text(encoding="utf-8")
    for parameter, value in given.items():
        text, count = re.subn(rf"(?m)^(\.param.*\b{parameter}=)\S+", rf"\g<1>{value}", text)
        assert count == 1
    model = folder / f"{name}.cir"
    model.write_text(text, encoding="utf-8")
    ran = subprocess.run(["ngspice", "-b", model], cwd=folder, capture_output=True, text=True, check=False)
    assert "rror" not in ran.stderr, ran.stderr
    found = re.findall(r"(?m)^\s*(\w+)(?:#branch)?\s+=?\s*(-?\d\.\d+e[+-]\d+)\b", ran.stdout)
    return {quantity: float(value) for quantity, value in found}


@pytest.mark.parametrize("name", ["4x8", "8x8", "16x16", "20x20"])
def test_every_column_rises_in_half_of_the_time_that_the_panel_waits(name: str, tmp_path: Path) -> None:
    panel, column = load_panel(name), column_of(load_panel(name))
    found = calculated(
        "matrix",
        tmp_path,
        RPULL=column.pull_up_ohm,
        CWIRE=f"{column.wire_pf}p",
        VHIGH=column.high_mv / 1000,
    )
    rise_us = found["rise"] * 1e6
    assert 2 * rise_us < panel.settle_us
    assert rise_us == pytest.approx(column.rise_us(), rel=0.15)  # the model of the simulator
    assert found["low"] < column.low_mv / 1000
    assert 0.5 < rise_us < 3.0
    assert "By ngspice it takes 0.8 to 2.9 µs" in WIRING


def test_a_shorted_diode_hides_a_piece_and_connects_two_outputs(tmp_path: Path) -> None:
    found = calculated("fault", tmp_path)
    assert found["cola"] > 2.5  # does not read low: a1 vanishes
    assert found["vshort"] == pytest.approx(0.042, abs=0.002)
    assert "42 mA" in WIRING


@pytest.mark.parametrize(
    ("leds_ma", "stated", "low_v", "high_v"),
    [(200, "4.4 to 4.6 V", 4.38, 4.63), (400, "4.3 to 4.6 V", 4.31, 4.56)],
)
def test_the_supply_of_a_nano_on_usb_is_as_stated(
    leds_ma: int, stated: str, low_v: float, high_v: float, tmp_path: Path
) -> None:
    volts = [calculated("power", tmp_path, VBUS=usb_v, LEDS=leds_ma / 1000)["pin"] for usb_v in (4.75, 5.0)]
    assert volts == pytest.approx([low_v, high_v], abs=0.02)
    assert volts[0] < BROWN_OUT_V  # so a Nano's fuse is set to 2.7 V
    assert stated in WIRING


def test_a_data_line_of_three_metres_still_carries_a_zero(tmp_path: Path) -> None:
    widths_ns = [
        calculated("strip", tmp_path, CWIRE=f"{100 * metres}p")["wide"] * 1e9 for metres in (1, 3, 7)
    ]
    assert widths_ns == pytest.approx([354, 289, 127], abs=8)
    assert widths_ns[1] > 220 > widths_ns[2]  # the data sheet's shortest zero
    assert "A zero of 375 ns is 0.29 µs wide behind three metres" in WIRING
