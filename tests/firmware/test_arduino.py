# SPDX-License-Identifier: Apache-2.0
"""The Arduino version: built with Debian's core for the Mega, and run once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.link.protocol_gen import (
    BoardKind,
    ConfigKey,
    ConfigSave,
    ConfigSaveReply,
    ConfigSet,
    Note,
    Status,
    Text,
    Tone,
)
from tests.firmware.simulator import Simulator, Topology
from tests.firmware.simulator_library import BUILD, make, require_tools
from tests.firmware.talk import Talk

pytestmark = pytest.mark.firmware
ARDUINO_CORE = Path("/usr/share/arduino/hardware/arduino/avr/cores/arduino/Arduino.h")
WIRED = Topology(
    "atmega2560",
    range(64),
    columns=8,
    rows=8,
    row_active=0,
    row_latch="PH6",
    column_load="PH5",
    display_address=0x27,
    tone="PE5",
    led="PB4",
)
"""Pins 9, 8, 3 and 10 of a Mega, as arduino.cpp has them."""


@pytest.fixture(scope="module")
def elf() -> Path:
    require_tools()
    if not ARDUINO_CORE.exists():
        reason = f"{ARDUINO_CORE} missing: apt-get install -y --no-install-recommends arduino-core-avr"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    make("Makefile", "arduino")
    return BUILD / "arduino-8x8" / "companion.elf"


def test_it_is_laid_out_as_an_arduino_library(elf: Path) -> None:
    library = elf.parent / "Companion"
    assert "includes=companion.h" in (library / "library.properties").read_text(encoding="utf-8")
    assert {path.name for path in library.iterdir()} == {"src", "examples", "library.properties"}
    assert (library / "src" / "panel_gen.h").exists()
    assert (library / "examples" / "companion" / "companion.ino").exists()


def test_it_feels_every_cell_and_shows_text_and_tones(elf: Path) -> None:
    with Simulator(elf, WIRED) as sim:
        talk = Talk(sim)
        talk.listen(100)
        assert len(talk.boots()) == 1
        about = talk.hello()
        assert (about.board, about.cells) == (BoardKind.ARDUINO, 64)
        for cell in range(64):
            sim.cell(cell, True)
            talk.listen(7)
        assert [edge.input for edge in talk.edges()] == list(range(64))
        talk.ask(Text(1, "CHECK!"))
        talk.ask(Tone((Note(500, 300),)))
        talk.ask(ConfigSet(ConfigKey.BRIGHTNESS, 40))
        assert talk.ask(ConfigSave()) == ConfigSaveReply(Status.OK)
        talk.listen(150)
        assert sim.display()[1] == "CHECK!"
        assert sim.tone_hz() == pytest.approx(500, rel=0.05)
        assert not talk.damaged
