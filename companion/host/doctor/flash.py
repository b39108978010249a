# SPDX-License-Identifier: Apache-2.0
"""Writes a panel's program into its chip, by avrdude or a Pico's drive.

Its rule: avrdude or the Pico's boot ROM writes; this file chooses program and chip, and asks the
panel of an AVR before and after.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from companion.host.clock import monotonic
from companion.host.devices.panel_session import open_session
from companion.host.devices.panels import describe
from companion.host.devices.ports import serial_line
from companion.host.text.os_errors import why
from companion.link.handshake import faults_of, panel_name
from companion.link.panel import load_panel
from companion.link.protocol_gen import BoardKind, ConfigSave, Fault, HelloReply
from companion.model.errors import FlashError, LinkError, PortUnavailable
from companion.model.phrase import Phrase

_BOOT_MS: Final = 3000
"""Time of a boot loader before it starts the new program."""
_ABOUT: Final = "INFO_UF2.TXT"
_BOARD: Final = "RPI-RP2"
"""What the boot ROM of a Pico writes into that file of its drive."""


@dataclass(frozen=True, slots=True)
class _Chip:
    """How a chip is flashed."""

    kind: BoardKind
    prefix: str
    """Of the program's name."""
    programmer: str = ""
    """Avrdude's word for the boot loader; empty for a chip with a drive."""
    bauds: tuple[int, ...] = ()
    """Rates of its boot loaders, the newest first."""
    suffix: str = "hex"


_CHIPS: Final = {
    "atmega328p": _Chip(BoardKind.ATMEGA328P, "nano", "arduino", (115200, 57600)),
    "atmega2560": _Chip(BoardKind.ATMEGA2560, "mega", "wiring", (115200,)),
    "rp2040": _Chip(BoardKind.RP2040, "pico", suffix="uf2"),
}


def program_of(name: str) -> Traversable:
    """The prebuilt program of the panel *name*. Raises `FlashError` and `UnknownName`."""
    chip = _CHIPS[load_panel(name).chip]
    file = f"{chip.prefix}-{name}.{chip.suffix}"
    source = Path(__file__).parents[3] / "firmware" / "prebuilt"
    for folder in (resources.files("companion") / "prebuilt", source):
        if (program := folder / file).is_file():
            return program
    raise FlashError("there is no program {file}: build it as firmware/README.md says", file=file)


def flash(name: str, port: str, tell: Callable[[Phrase], None]) -> None:
    """Write the program of the panel *name* into the board on *port*, and verify it.

    The port of a Pico is the folder of its drive, and its boot ROM verifies. *tell* gets what is
    found and done. Raises `FlashError` and `LinkError`.
    """
    program = program_of(name)
    chip = _CHIPS[load_panel(name).chip]
    is_pico = _is_pico_drive(Path(port))
    if is_pico is not (chip.kind is BoardKind.RP2040):
        raise _port_mismatch(name, port, is_pico=is_pico)
    if is_pico:
        _copy(program, Path(port))
        tell(
            Phrase(
                "written: {file}. The Pico starts it now; `companion tools panels PORT` asks what answers on its line",
                file=program.name,
            )
        )
        return
    avrdude = shutil.which("avrdude")
    if avrdude is None:
        raise FlashError(
            "flashing needs avrdude, which is not installed: https://github.com/avrdudes/avrdude"
        )
    _check_present(name, port, chip, tell)
    with resources.as_file(program) as path:
        _write(avrdude, load_panel(name).chip, chip, port, path)
    tell(Phrase("written and verified: {file}", file=program.name))
    _check_written(asyncio.run(_greet(port, accept=True)), name)
    tell(Phrase("{panel} answers", panel=name))


def _is_pico_drive(folder: Path) -> bool:
    """True for the drive that a Pico shows while it waits for a program."""
    about = folder / _ABOUT
    return about.is_file() and _BOARD in about.read_text(encoding="utf-8", errors="replace")


def _port_mismatch(name: str, port: str, *, is_pico: bool) -> FlashError:
    """The error of a port with another chip than that of the panel *name*."""
    if is_pico:
        return FlashError(
            "the board on {port} has an {chip}, and {panel} is for another chip: name a panel for this board",
            port=port,
            chip=BoardKind.RP2040.name,
            panel=name,
        )
    return FlashError(
        "{port} is not the drive of a Pico: hold its button BOOTSEL while you plug it in, and name the drive"
        " that appears",
        port=port,
    )


def _copy(program: Traversable, drive: Path) -> None:
    """Copy *program* to the drive of a Pico. Raises `FlashError`.

    The boot ROM restarts the chip after the last block, so the drive may be gone before the file
    is closed.
    """
    try:
        with (drive / program.name).open("wb") as target:
            target.write(program.read_bytes())
            target.flush()
            os.fsync(target.fileno())
    except OSError as fault:
        if (drive / _ABOUT).exists():
            raise FlashError(
                "the program was not written to {port}: {said}", port=str(drive), said=why(fault)
            ) from fault


def _check_present(name: str, port: str, chip: _Chip, tell: Callable[[Phrase], None]) -> None:
    """Tell what is on *port*; refuse a program for another chip."""
    try:
        hello = asyncio.run(_greet(port))
    except PortUnavailable:
        raise  # nor can avrdude open it
    except LinkError as fault:
        tell(Phrase("no panel answers yet: {fault}", fault=fault))
        return
    tell(Phrase("found: {panel}", panel=" · ".join(describe(hello))))
    if hello.board in {known.kind for known in _CHIPS.values()} and hello.board is not chip.kind:
        raise FlashError(
            "the board on {port} has an {chip}, and {panel} is for another chip: name a panel for this board",
            port=port,
            chip=hello.board.name,
            panel=name,
        )


async def _greet(port: str, *, accept: bool = False) -> HelloReply:
    """The panel on *port*; with *accept* it forgets the panel whose program it had before."""
    async with open_session(serial_line(port), monotonic(), _BOOT_MS) as session:
        hello = await session.greet()
        if accept and Fault.OTHER_PANEL in (faults_of(hello) or Fault(0)):
            await session.ask(ConfigSave())
        return hello


def _write(avrdude: str, part: str, chip: _Chip, port: str, program: Path) -> None:
    """Let avrdude write *program*. Raises `FlashError` with its last words."""
    said = ""
    for baud in chip.bauds:
        command = (avrdude, "-q", "-p", part, "-c", chip.programmer, "-P", port, "-b", str(baud), "-D")
        written = ("-U", f"flash:w:{program}:i")
        done = subprocess.run((*command, *written), capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        lines = [line.strip() for line in done.stderr.splitlines() if "rror" in line or "annot" in line]
        said = lines[-1] if lines else f"exit status {done.returncode}"
    raise FlashError(
        "the program was not written to the board on {port}: {said}. Close other programs that use the port, and"
        " repeat; a board with half a program still has its boot loader: press its reset button as you repeat",
        port=port,
        said=said,
    )


def _check_written(hello: HelloReply, name: str) -> None:
    """Raise `FlashError` unless the board runs the program of the panel *name*."""
    if panel_name(hello) != name:
        raise FlashError(
            "the board says that it is {found}, not {panel}: repeat", found=panel_name(hello), panel=name
        )
