# SPDX-License-Identifier: Apache-2.0
"""Writes a panel's program into its chip with avrdude.

Its rule: avrdude writes and verifies; this file chooses program and chip, and asks the panel before
and after.
"""

from __future__ import annotations

import asyncio
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
from companion.link.handshake import faults_of, panel_name
from companion.link.panel import load_panel
from companion.link.protocol_gen import BoardKind, ConfigSave, Fault, HelloReply
from companion.model.errors import FlashError, LinkError
from companion.model.phrase import Phrase

_BOOT_MS: Final = 3000
"""Time of a boot loader before it starts the new program."""


@dataclass(frozen=True, slots=True)
class _Chip:
    """How a chip is flashed."""

    kind: BoardKind
    prefix: str
    """Of the program's name."""
    programmer: str
    """Avrdude's word for the boot loader."""
    bauds: tuple[int, ...]
    """Rates of its boot loaders, the newest first."""


_CHIPS: Final = {
    "atmega328p": _Chip(BoardKind.ATMEGA328P, "nano", "arduino", (115200, 57600)),
    "atmega2560": _Chip(BoardKind.ATMEGA2560, "mega", "wiring", (115200,)),
}


def program_of(name: str) -> Traversable:
    """The prebuilt program of the panel *name*. Raises `FlashError` and `UnknownName`."""
    file = f"{_CHIPS[load_panel(name).chip].prefix}-{name}.hex"
    source = Path(__file__).parents[3] / "firmware" / "prebuilt"
    for folder in (resources.files("companion") / "prebuilt", source):
        if (program := folder / file).is_file():
            return program
    raise FlashError("there is no program {file}: build it as firmware/README.md says", file=file)


def flash(name: str, port: str, tell: Callable[[Phrase], None]) -> None:
    """Write the program of the panel *name* into the board on *port*, and verify it.

    *tell* gets what is found and done. Raises `FlashError` and `LinkError`.
    """
    program = program_of(name)
    chip = _CHIPS[load_panel(name).chip]
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


def _check_present(name: str, port: str, chip: _Chip, tell: Callable[[Phrase], None]) -> None:
    """Tell what is on *port*; refuse a program for another chip."""
    try:
        hello = asyncio.run(_greet(port))
    except LinkError as fault:
        tell(Phrase("no panel answers yet: {fault}", fault=fault))
        return
    tell(Phrase("found: {panel}", panel=" · ".join(describe(hello))))
    if hello.board in (BoardKind.ATMEGA328P, BoardKind.ATMEGA2560) and hello.board is not chip.kind:
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
