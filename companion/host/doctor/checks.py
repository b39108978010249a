# SPDX-License-Identifier: Apache-2.0
"""Diagnosis of this computer, with a command as remedy for each fault. Pure.

Findings are phrases; `commands` shows them in the user's language.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from companion.model.installation import Installation, command_for_extra, command_for_packages
from companion.model.phrase import Phrase, Text

OLDEST_PYTHON: Final = (3, 11)
_SCARCE_MB: Final = 500
_FULL_MB: Final = 20
"""Journals of an evening take less; a database that cannot grow fails."""
_SLOW_MS: Final = 15.0
"""Slower answers are noticeable: with debounce and link they exceed 25 ms."""
_COARSE_MS: Final = 20.0


class Level(StrEnum):
    """Severity of a finding."""

    GOOD = "good"
    NOTE = "note"
    """Something is missing that only some people need."""
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check."""

    subject: Text
    level: Level
    said: Text
    mend: str = ""
    """Command that fixes it; empty if nothing does, or nothing is wrong."""


@dataclass(frozen=True, slots=True)
class Device:
    """A serial port or camera of this computer."""

    name: str
    is_permitted: bool = True
    group: str = ""
    """Group whose members may open the device; empty where groups do not matter."""
    is_member: bool = False
    """The user is in the group, but this session began before."""
    tried: str = ""
    """Result of opening it; empty if it was not tried."""
    fails: bool = False
    """True if opening it failed."""


@dataclass(frozen=True, slots=True)
class Library:
    """A missing package."""

    requirement: str
    """Requirement in pip's notation."""
    extra: str = ""
    """Extra that needs it; empty if everything does."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Facts about a computer."""

    system: Literal["linux", "macos", "windows"]
    python: tuple[int, int]
    installation: Installation
    missing: tuple[Library, ...]
    ports: tuple[Device, ...]
    has_brltty: bool
    """This Braille screen reader claims USB serial chips."""
    cameras: tuple[Device, ...] | None
    """None if the system does not list them."""
    settings_file: str
    settings_fault: str
    """Why the settings cannot be read; empty if they can. Likewise for the other faults."""
    data_folder: str
    data_fault: str
    free_mb: int
    """Free space on the disk of the data folder."""
    store: str
    """URL without password."""
    store_fault: str
    page_fault: str
    has_browser: bool
    has_screen: bool
    encoding: str
    """Encoding of the terminal."""
    answer_ms: float
    """Processor time to answer a lifted piece."""
    tick_ms: float
    """Resolution of the clock."""
    governor: str = ""
    """CPU frequency governor on Linux; empty if unknown."""
    engine: str = ""
    """Path of a chess engine; empty if none was found."""


def examine(machine: Machine) -> tuple[Finding, ...]:
    """Return all findings, in the order in which they matter."""
    return (
        _python(machine),
        *_libraries(machine),
        *_ports(machine),
        *_cameras(machine),
        *_files(machine),
        *_page(machine),
        *_speed(machine),
        _engine(machine),
    )


def is_well(findings: tuple[Finding, ...]) -> bool:
    """True if there is no fault."""
    return all(finding.level is not Level.FAULT for finding in findings)


def _python(machine: Machine) -> Finding:
    version = ".".join(map(str, machine.python))
    if machine.python >= OLDEST_PYTHON:
        return Finding("Python", Level.GOOD, version)
    oldest = ".".join(map(str, OLDEST_PYTHON))
    return Finding(
        "Python",
        Level.FAULT,
        Phrase("{version} is too old: Companion needs {oldest} or newer", version=version, oldest=oldest),
        f"uv tool install --python {oldest} companion-table",
    )


def _libraries(machine: Machine) -> Iterator[Finding]:
    """Report the missing packages, by extra."""
    if not machine.missing:
        yield Finding(Phrase("Libraries"), Level.GOOD, Phrase("all are installed, also those of the extras"))
        return
    for extra in dict.fromkeys(library.extra for library in machine.missing):
        wanted = [library.requirement for library in machine.missing if library.extra == extra]
        yield Finding(
            Phrase("Extra “{extra}”", extra=extra) if extra else Phrase("Libraries"),
            Level.NOTE if extra else Level.FAULT,
            _lacking(extra, wanted),
            _install(machine, extra, wanted),
        )


def _lacking(extra: str, requirements: list[str]) -> Phrase:
    """Return what does not work without *requirements*, which *extra* needs."""
    match extra:
        case "":
            return Phrase("nothing works without {names}: not installed", names=requirements)
        case "camera":
            return Phrase("a camera table needs {names}: not installed", names=requirements)
        case "hall":
            return Phrase("tournaments need {names}: not installed", names=requirements)
    return Phrase("this extra needs {names}: not installed", names=requirements)


def _install(machine: Machine, extra: str, requirements: list[str]) -> str:
    """Return the command that adds *extra*, or without one *requirements*."""
    if extra:
        return command_for_extra(extra, machine.installation)
    return command_for_packages(requirements, machine.installation)


def _ports(machine: Machine) -> Iterator[Finding]:
    """Report the serial ports and their permissions."""
    if not machine.ports:
        yield _no_port(machine)
    for port in machine.ports:
        yield _device(Phrase("Serial port"), port, machine)


def _no_port(machine: Machine) -> Finding:
    """Report that there is no serial port, with the likely cause."""
    if machine.system == "linux" and machine.has_brltty:
        said = Phrase("none; brltty is installed, which takes many USB serial chips for Braille displays")
        return Finding(Phrase("Serial ports"), Level.NOTE, said, "sudo apt-get remove brltty")
    mend = {
        "linux": "sudo dmesg | tail",
        "macos": "ls /dev/cu.*",
        "windows": "pnputil /enum-devices /class Ports",
    }[machine.system]
    said = Phrase(
        "none: plug the panel in; without one you can play at the virtual table. "
        "If it is plugged in, look at what the system reports"
    )
    return Finding(Phrase("Serial ports"), Level.NOTE, said, mend)


def _device(subject: Phrase, device: Device, machine: Machine) -> Finding:
    """Report whether *device* may be opened."""
    if device.is_permitted:
        return Finding(subject, Level.GOOD, device.name)
    if device.is_member:
        return Finding(
            subject,
            Level.FAULT,
            Phrase(
                "{name}: you were added to the group {group}, but logged in before; log out and in, or",
                name=device.name,
                group=device.group,
            ),
            f"newgrp {device.group}",
        )
    if device.group:
        return Finding(
            subject,
            Level.FAULT,
            Phrase(
                "no permission to open {name}: it belongs to the group {group}; add yourself, then log out and in",
                name=device.name,
                group=device.group,
            ),
            f"sudo usermod -aG {device.group} $USER",
        )
    mend = {
        "linux": f"sudo chmod a+rw {device.name}",
        "macos": f"sudo chmod a+rw {device.name}",
        "windows": "start ms-settings:privacy-webcam" if subject == "Camera" else "devmgmt.msc",
    }[machine.system]
    return Finding(subject, Level.FAULT, Phrase("no permission to open {name}", name=device.name), mend)


def _cameras(machine: Machine) -> Iterator[Finding]:
    """Report the cameras and their permissions."""
    if machine.cameras is None:
        said = Phrase("this system does not list them; see whether the first one opens")
        yield Finding(Phrase("Cameras"), Level.NOTE, said, "companion doctor --camera 0")
        return
    if not machine.cameras:
        yield Finding(Phrase("Cameras"), Level.NOTE, Phrase("none was found; only camera tables need one"))
    for camera in machine.cameras:
        if not camera.is_permitted or not camera.tried:
            yield _device(Phrase("Camera"), camera, machine)
            continue
        level = Level.FAULT if camera.fails else Level.GOOD
        mend = f"companion doctor --camera {camera.name.removeprefix('/dev/video')}" if camera.fails else ""
        yield Finding(
            Phrase("Camera"), level, Phrase("{name}: {reason}", name=camera.name, reason=camera.tried), mend
        )


def _files(machine: Machine) -> Iterator[Finding]:
    """Report settings, data folder and store."""
    is_windows = machine.system == "windows"
    if machine.settings_fault:
        edit = f'notepad "{machine.settings_file}"' if is_windows else f'nano "{machine.settings_file}"'
        yield Finding(Phrase("Settings"), Level.FAULT, machine.settings_fault, edit)
    else:
        yield Finding(Phrase("Settings"), Level.GOOD, machine.settings_file)
    folder = machine.data_folder
    if machine.data_fault:
        mend = f'icacls "{folder}" /grant %USERNAME%:F' if is_windows else f'sudo chown -R "$USER" "{folder}"'
        said = Phrase(
            "journals cannot be written to {folder}: {reason}", folder=folder, reason=machine.data_fault
        )
        yield Finding(Phrase("Data folder"), Level.FAULT, said, mend)
    else:
        yield Finding(Phrase("Data folder"), Level.GOOD, folder)
    yield _disk(machine)
    if machine.store_fault:
        yield Finding(Phrase("Store"), Level.FAULT, machine.store_fault, _mend_store(machine))
    else:
        yield Finding(Phrase("Store"), Level.GOOD, machine.store)


def _disk(machine: Machine) -> Finding:
    """Report the free space for journals."""
    if machine.free_mb >= _SCARCE_MB:
        said = Phrase("{free_mb} MB are free", free_mb=machine.free_mb)
        return Finding(Phrase("Disk"), Level.GOOD, said)
    level = Level.NOTE if machine.free_mb >= _FULL_MB else Level.FAULT
    mend = {
        "linux": "sudo apt-get clean && sudo journalctl --vacuum-size=50M",
        "macos": "open /System/Library/CoreServices/Applications/Storage\\ Management.app",
        "windows": "cleanmgr",
    }[machine.system]
    said = Phrase(
        "only {free_mb} MB are free on the disk of {folder}: make room",
        free_mb=machine.free_mb,
        folder=machine.data_folder,
    )
    return Finding(Phrase("Disk"), level, said, mend)


def _mend_store(machine: Machine) -> str:
    """Return the command that repairs the store: move it away and import all journals."""
    _, is_file, path = machine.store.partition("sqlite:///")
    if not is_file:
        return "companion settings show"
    move = "move" if machine.system == "windows" else "mv"
    return f'{move} "{path}" "{path}.broken" && companion records import'


def _page(machine: Machine) -> Iterator[Finding]:
    """Report on page and terminal."""
    if machine.page_fault:
        yield Finding(
            Phrase("Page"), Level.NOTE, machine.page_fault, "companion play close-quarters --http-port 0"
        )
    else:
        yield Finding(Phrase("Page"), Level.GOOD, Phrase("it can be served"))
    if not machine.has_screen:
        said = Phrase("no screen here: play in the terminal, or open the page on another machine")
        yield Finding(
            Phrase("Browser"), Level.NOTE, said, "companion play close-quarters --http-address 0.0.0.0"
        )
    elif not machine.has_browser:
        mend = (
            "sudo apt-get install firefox-esr"
            if machine.system == "linux"
            else "companion play chess --terminal"
        )
        yield Finding(Phrase("Browser"), Level.NOTE, Phrase("none was found to open the page in"), mend)
    else:
        yield Finding(Phrase("Browser"), Level.GOOD, Phrase("there is one"))
    if machine.encoding.lower().replace("-", "") != "utf8":
        mend = "chcp 65001" if machine.system == "windows" else "export PYTHONUTF8=1"
        said = Phrase(
            "the terminal's encoding is {encoding}: arrows and names may be lost", encoding=machine.encoding
        )
        yield Finding(Phrase("Terminal"), Level.NOTE, said, mend)


def _speed(machine: Machine) -> Iterator[Finding]:
    """Report speed and clock resolution."""
    said = Phrase("an answer takes {answer_ms:.1f} ms of computing", answer_ms=machine.answer_ms)
    if machine.answer_ms <= _SLOW_MS:
        yield Finding(Phrase("Speed"), Level.GOOD, said)
    elif machine.governor and machine.governor != "performance":
        mend = "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
        slow = Phrase("{said}; the processor saves power ({governor})", said=said, governor=machine.governor)
        yield Finding(Phrase("Speed"), Level.NOTE, slow, mend)
    else:
        slow = Phrase("{said}: lamps will be late; close other programs", said=said)
        yield Finding(Phrase("Speed"), Level.NOTE, slow)
    if machine.tick_ms > _COARSE_MS:
        said = Phrase(
            "it goes in steps of {tick_ms:.0f} ms: thinking times are coarse", tick_ms=machine.tick_ms
        )
        yield Finding(Phrase("Clock"), Level.NOTE, said)


def _engine(machine: Machine) -> Finding:
    """Report the chess engine; without one the computer plays chess by itself."""
    subject = Phrase("Chess engine")
    if machine.engine:
        return Finding(subject, Level.GOOD, machine.engine)
    mend = {
        "linux": "sudo apt-get install stockfish",
        "macos": "brew install stockfish",
        "windows": "start https://stockfishchess.org/download/",
    }[machine.system]
    said = Phrase("none was found: the computer plays chess by itself, and weaker than an engine")
    return Finding(subject, Level.NOTE, said, mend)
