# SPDX-License-Identifier: Apache-2.0
"""`make pico` builds a program for every panel of a Raspberry Pi Pico, without warnings."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from companion.link.panel import load_panel, panel_names
from firmware.generate import PANELS, ROOT
from firmware.generator.boot_stage import boot_crc, boot_stage
from tests.firmware.boards import column_of
from tests.firmware.pico import pico_elf
from tests.firmware.simulator_library import BUILD

pytestmark = pytest.mark.firmware
PICO_PANELS = [name for name in panel_names() if load_panel(name).chip == "rp2040"]


def section(elf: Path, name: str, folder: Path) -> bytes:
    """The bytes of a section of *elf*."""
    target = folder / "section.bin"
    command = ["arm-none-eabi-objcopy", "-O", "binary", "-j", name, str(elf), str(target)]
    subprocess.run(command, check=True)
    return target.read_bytes()


def test_the_crc_of_the_boot_stage_has_the_published_check_value() -> None:
    assert boot_crc(b"123456789") == 0x0376E6E7, "CRC-32/MPEG-2"


def test_a_boot_stage_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="253 bytes; allowed: 252"):
        boot_stage(bytes(253))


@pytest.mark.parametrize("name", PICO_PANELS)
def test_the_program_begins_with_a_boot_stage_that_the_boot_rom_accepts(name: str, tmp_path: Path) -> None:
    stage = section(pico_elf(name), ".boot2", tmp_path)
    assert len(stage) == 256
    assert boot_crc(stage[:252]) == int.from_bytes(stage[252:], "little")
    vectors = section(pico_elf(name), ".start", tmp_path)[:8]
    stack, start = (int.from_bytes(vectors[at : at + 4], "little") for at in (0, 4))
    assert stack == 0x20042000, "the end of the RAM"
    assert start & 1, "Thumb"
    assert 0x10000108 <= start < 0x10000400, "the start runs in the flash"


@pytest.mark.parametrize("name", PICO_PANELS)
def test_the_prebuilt_programs_are_those_of_this_source(name: str) -> None:
    made = pico_elf(name).with_suffix(".uf2")
    prebuilt = ROOT / "firmware" / "prebuilt" / made.name
    assert prebuilt.read_bytes() == made.read_bytes(), "run: make -C firmware prebuilt-pico"


def test_the_same_source_makes_the_same_uf2_in_another_folder(tmp_path: Path) -> None:
    made = pico_elf("8x8-pico").with_suffix(".uf2")
    shutil.copytree(ROOT / "firmware", tmp_path / "firmware", ignore=shutil.ignore_patterns("build"))
    shutil.copytree(PANELS, tmp_path / "companion" / "panels")
    again = tmp_path / "firmware" / "build" / made.name
    command = ["make", "-s", "-C", str(tmp_path / "firmware"), f"PYTHON={sys.executable}", str(again)]
    subprocess.run(command, check=True, env={**os.environ, "LC_ALL": "C", "TZ": "Asia/Tokyo"})
    assert again.read_bytes() == made.read_bytes()


@pytest.mark.parametrize("name", PICO_PANELS)
def test_the_program_leaves_the_sectors_of_the_settings_alone(name: str) -> None:
    command = ["arm-none-eabi-size", "-A", str(pico_elf(name))]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listing.splitlines() if line.startswith(".")]
    sizes = {row[0]: int(row[1]) for row in rows}
    assert 8000 < sum(sizes[name] for name in (".boot2", ".start", ".ram")) < 2 * 1024 * 1024 - 8192
    assert sizes[".ram"] + sizes[".bss"] < 256 * 1024


def test_how_full_the_chip_is_is_printed() -> None:
    pico_elf(PICO_PANELS[0])
    command = ["make", "-s", "-C", str(BUILD.parent), "pico"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [line.split(" Program")[0] for line in said.splitlines()] == [
        f"pico-{name}" for name in PICO_PANELS
    ]


def test_the_rise_of_the_columns_is_as_stated() -> None:
    panel = load_panel("8x8-pico")
    column = column_of(panel)
    wiring = (ROOT / "firmware" / "WIRING.md").read_text(encoding="utf-8")
    alone_us, full_us = column.rise_us(), column.rise_us(closed=panel.sensor_rows)
    assert f"{alone_us:.1f} µs with the longest wire" in wiring
    assert f"{full_us:.1f} with eight\n  closed switches, and the panel waits {panel.settle_us}." in wiring
    assert 2 * full_us < panel.settle_us
