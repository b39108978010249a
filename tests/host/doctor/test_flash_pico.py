# SPDX-License-Identifier: Apache-2.0
"""Flashing a Pico: a folder stands for the drive that its boot ROM shows."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import NoReturn

import pytest

from companion.host.doctor.flash import flash, program_of
from companion.link.panel import load_panel, panel_names
from companion.model.errors import FlashError
from companion.model.phrase import Phrase
from tests import programs
from tests.uf2 import PICO_ABOUT, image_of

BUILD = Path(__file__).resolve().parents[3] / "docs" / "build.md"
PICO_PANELS = [name for name in panel_names() if load_panel(name).chip == "rp2040"]


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    (tmp_path / "INFO_UF2.TXT").write_text(PICO_ABOUT)
    return tmp_path


@pytest.mark.parametrize("name", PICO_PANELS)
def test_every_panel_of_a_pico_has_a_whole_program_for_its_flash(name: str) -> None:
    image = image_of(program_of(name).read_bytes())
    assert 8000 < len(image) < 2 * 1024 * 1024 - 8192, "the settings lie behind it"


def test_the_command_of_the_instructions_for_builders_copies_the_program(drive: Path) -> None:
    chapter = BUILD.read_text(encoding="utf-8").partition("### B5")[2].partition("\n## ")[0]
    (command,) = re.findall(r"^companion (.+?) +#", chapter, re.MULTILINE)
    programs.companion(*shlex.split(command.replace("/media/$USER/RPI-RP2", str(drive))))
    assert (drive / "pico-8x8-pico.uf2").read_bytes() == program_of("8x8-pico").read_bytes()


def test_the_program_is_copied_to_the_drive(drive: Path) -> None:
    said = list[Phrase]()
    flash("8x8-pico", str(drive), said.append)
    assert (drive / "pico-8x8-pico.uf2").read_bytes() == program_of("8x8-pico").read_bytes()
    assert [phrase.split(".")[0] for phrase in said] == ["written: pico-8x8-pico"]


@pytest.mark.parametrize("about", ["", "UF2 Bootloader v3.0\nBoard-ID: SAMD21-Some-Board\n"])
def test_another_folder_is_refused(tmp_path: Path, about: str) -> None:
    if about:
        (tmp_path / "INFO_UF2.TXT").write_text(about)
    with pytest.raises(FlashError, match="is not the drive of a Pico: hold its button BOOTSEL"):
        flash("8x8-pico", str(tmp_path), lambda _said: None)
    assert not list(tmp_path.glob("*.uf2"))


def test_the_program_of_an_avr_is_refused(drive: Path) -> None:
    with pytest.raises(FlashError, match="has an RP2040, and 8x8 is for another chip"):
        flash("8x8", str(drive), lambda _said: None)
    assert os.listdir(drive) == ["INFO_UF2.TXT"]


def test_a_drive_that_is_gone_after_the_last_block_is_no_error(
    drive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = list[Phrase]()

    def vanish(_descriptor: int) -> NoReturn:
        (drive / "INFO_UF2.TXT").unlink()
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", vanish)
    flash("8x8-pico", str(drive), said.append)
    assert len(said) == 1


def test_a_write_that_fails_while_the_drive_is_there_is_reported(
    drive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_descriptor: int) -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FlashError, match=r"was not written to .*: .*"):
        flash("8x8-pico", str(drive), lambda _said: None)
