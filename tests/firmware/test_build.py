# SPDX-License-Identifier: Apache-2.0
"""`make` builds a board for every panel file, reproducibly and without cppcheck findings."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from companion.link.connection import Connection
from companion.link.events import InputsChanged, LinkEvent, LinkLost, PanelGreeted
from companion.link.panel import load_panel, panel_names
from companion.link.protocol_gen import (
    FINGERPRINT,
    REPLY_BIT,
    Capability,
    LedShow,
    Refusal,
    Status,
    Text,
    Tone,
)
from firmware.generate import PANELS, ROOT
from tests.firmware.boards import board
from tests.firmware.native import NativePanel, loaded
from tests.firmware.simulator_library import BUILD, make, require_tools
from tests.firmware.talk import Talk

pytestmark = pytest.mark.firmware
BARE = {
    "name": '"bare"',
    "leds": "0",
    "led_kind": '"none"',
    "led_order": '"natural"',
    "display": '"none"',
    "text_lines": "0",
    "text_columns": "0",
    "tone": "false",
    "buttons": "0",
    "lever": "false",
}


AVR_PANELS = {name for name in panel_names() if load_panel(name).chip.startswith("atmega")}


def test_every_panel_of_an_avr_has_its_hex() -> None:
    require_tools()
    make("Makefile", "boards")
    made = {path.stem.split("-", 1)[1] for path in BUILD.glob("*.hex")}
    assert made >= AVR_PANELS


def test_the_prebuilt_programs_are_those_of_this_source() -> None:
    require_tools()
    make("Makefile", "boards")
    made = {path.name: path for path in BUILD.glob("*.hex") if path.stem.split("-", 1)[1] in AVR_PANELS}
    prebuilt = {path.name: path for path in (ROOT / "firmware" / "prebuilt").glob("*.hex")}
    assert {path.stem.split("-", 1)[1] for path in prebuilt.values()} == AVR_PANELS
    stale = [name for name, path in prebuilt.items() if path.read_bytes() != made[name].read_bytes()]
    assert stale == [], "run: make -C firmware prebuilt"


NEWER = {
    "minor = 1": "minor = 2",
    "LEVER = 0x0010": "LEVER = 0x0010\nCAMERA = 0x0020",
    '{ name = "health", type = "Health" }': '{ name = "health", type = "Health" },\n{ name = "volts", type = "u8" }',
}
"""A later minor version: a new flag, and a new field at the heartbeat's end."""


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """Return a copy of the firmware's sources in another folder, nothing built."""
    require_tools()
    shutil.copytree(ROOT / "firmware", tmp_path / "firmware", ignore=shutil.ignore_patterns("build"))
    shutil.copytree(PANELS, tmp_path / "companion" / "panels")
    return tmp_path


def make_elsewhere(folder: Path, name: str) -> Path:
    """Build one file there, in another language and at another time of day."""
    made = folder / "firmware" / "build" / name
    run = subprocess.run(
        ["make", "-s", "-C", str(folder / "firmware"), f"PYTHON={sys.executable}", str(made)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C", "TZ": "Asia/Tokyo"},
    )
    assert run.returncode == 0, run.stderr
    return made


def test_the_same_source_makes_the_same_hex_in_another_folder(elsewhere: Path) -> None:
    make("Makefile", str(BUILD / "nano-4x8.hex"))
    assert make_elsewhere(elsewhere, "nano-4x8.hex").read_bytes() == (BUILD / "nano-4x8.hex").read_bytes()


@pytest.mark.long
def test_a_host_of_an_older_minor_version_gets_on_with_a_newer_panel(elsewhere: Path) -> None:
    table = elsewhere / "firmware" / "protocol.toml"
    text = table.read_text(encoding="utf-8")
    for old, new in NEWER.items():
        assert old in text
        text = text.replace(old, new, 1)
    table.write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, str(elsewhere / "firmware" / "generate.py")], check=True)
    panel = NativePanel(core=loaded(make_elsewhere(elsewhere, "libcompanion_core-8x8.so")))
    host, events = Connection(nonce=7), list[LinkEvent]()
    for now_ms in range(5000):
        panel.switch(9, now_ms > 4000)
        panel.run_ms(1)
        events += [*host.feed(panel.take(), now_ms), *host.tick(now_ms)]
        panel.feed(host.bytes_to_send(now_ms))
    (greeted,) = [event for event in events if isinstance(event, PanelGreeted)]
    assert (greeted.hello.minor, greeted.hello.fingerprint != FINGERPRINT) == (2, True)
    (changed,) = [event for event in events if isinstance(event, InputsChanged)]
    assert [edge.input for edge in changed.edges] == [9]
    assert host.is_up
    assert not [event for event in events if isinstance(event, LinkLost)]


@pytest.mark.long
def test_a_panel_with_switches_only_builds_and_reports_it(elsewhere: Path) -> None:
    panels = elsewhere / "companion" / "panels"
    bare = (panels / "8x8.toml").read_text(encoding="utf-8")
    for key, value in BARE.items():
        bare = re.sub(rf"^{key} = \S+", f"{key} = {value}", bare, flags=re.MULTILINE)
    (panels / "bare.toml").write_text(bare, encoding="utf-8")
    elf = make_elsewhere(elsewhere, "nano-bare.elf")
    make_elsewhere(elsewhere, "libcompanion_core-bare.so")
    with replace(board("8x8"), elf=elf).powered() as sim:
        talk = Talk(sim)
        talk.listen(120)
        about = talk.hello()
        assert (about.leds, about.text_lines, about.buttons) == (0, 0, 0)
        assert about.capabilities == Capability.CONFIG
        for command in (LedShow(), Text(0, "x"), Tone()):
            assert talk.ask(command) == Refusal(command.TYPE | REPLY_BIT, Status.UNSUPPORTED)
        sim.cell(9, True)
        talk.listen(10)
        assert [edge.input for edge in talk.edges()] == [9]


@pytest.mark.parametrize("name", ["nano-4x8", "mega-20x20"])
def test_the_start_before_variables_is_assembly_that_calls_the_compiler_s_code(name: str) -> None:
    make("Makefile", str(BUILD / f"{name}.elf"))
    listing = subprocess.run(
        ["avr-objdump", "-d", "--no-show-raw-insn", str(BUILD / f"{name}.elf")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    start = listing.split("<early>:\n")[1].split("\n\n")[0]
    words = [line.split("\t")[1].split()[0] for line in start.splitlines() if "\t" in line]
    assert words == ["mov", "call"]


@pytest.fixture
def cppcheck() -> None:
    require_tools()
    if shutil.which("cppcheck") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("cppcheck missing: apt-get install -y cppcheck")
        pytest.skip("cppcheck missing")


@pytest.mark.usefixtures("cppcheck")
def test_cppcheck_finds_nothing() -> None:
    make("Makefile", "cppcheck")


@pytest.mark.usefixtures("cppcheck")
@pytest.mark.parametrize(
    "file",
    [
        "chips/avr/scan.c",
        *(pytest.param(each, marks=pytest.mark.long) for each in ("core/leds.c", "chips/native/native.c")),
    ],
)
def test_cppcheck_finds_a_mistake_in_core_and_chips(elsewhere: Path, file: str) -> None:
    with (elsewhere / "firmware" / file).open("a", encoding="utf-8") as source:
        source.write("\nint mistake(void);\nint mistake(void)\n{\n    int number;\n    return number;\n}\n")
    run = subprocess.run(
        ["make", "-s", "-C", str(elsewhere / "firmware"), f"PYTHON={sys.executable}", "cppcheck"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode != 0
    assert "Uninitialized variable: number" in run.stderr
