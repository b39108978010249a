# SPDX-License-Identifier: Apache-2.0
"""Looks at the computer that this program runs on: what `checkup` then judges.

Its rule: it changes nothing but a file that it takes away again, waits for no camera longer than for a first picture,
and what it cannot find out it leaves out.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import time
import webbrowser
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import Final, Literal

import platformdirs

from companion import games
from companion.feedback.words import load
from companion.host import private_files, settings
from companion.host.doctor.camera import CameraProbe, glimpse
from companion.host.doctor.checks import Device, Library, Machine
from companion.host.play.rig import Rig
from companion.host.play.run import USUAL_HTTP_PORT, has_screen, panel_for
from companion.host.records.database import default_url
from companion.host.records.store import Store
from companion.host.table.pipeline import Pipeline
from companion.host.text.os_errors import why
from companion.host.web import server
from companion.link.connection import Connection
from companion.link.port import list_ports
from companion.model.errors import CompanionError
from companion.referee.session import Session
from companion.sensing.devices import gives_pictures
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet

PACKAGE: Final = "companion-table"
_WANTED: Final = re.compile(r"([\w.-]+)(?:\[[^\]]*\])?([^;]*)(?:;(.*))?")
_SQLITE: Final = "sqlite:///"
_LIFTS: Final = 12


def look(store: str | None = None) -> Machine:
    """What this computer is like; *store* is the URL of another store than the usual one."""
    file = settings.path()
    settings_fault, usual = "", settings.Settings()
    try:
        usual = settings.read(file)
    except CompanionError as fault:
        settings_fault = str(fault)
    folder = platformdirs.user_data_path("companion", appauthor=False)
    url = store or usual.store or default_url()
    store_url, store_fault = _store(url)
    return Machine(
        system=_system(),
        python=sys.version_info[:2],
        executable=sys.executable,
        installed_by=installer(Path(sys.prefix)),
        missing=tuple(_missing()),
        ports=tuple(device(Path(port.name)) for port in list_ports()),
        has_brltty=shutil.which("brltty") is not None,
        cameras=_cameras(),
        settings_file=str(file),
        settings_fault=settings_fault,
        data_folder=str(folder),
        data_fault=write_fault(folder),
        free_mb=shutil.disk_usage(_existing(folder)).free // 2**20,
        store=store_url,
        store_fault=store_fault,
        page_fault=_page_fault(usual.page.port or USUAL_HTTP_PORT),
        has_browser=_has_browser(),
        has_screen=has_screen(),
        encoding=sys.stdout.encoding or "ascii",
        answer_ms=answer_ms(),
        tick_ms=time.get_clock_info("monotonic").resolution * 1000,
        governor=_governor(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
    )


def _cameras() -> tuple[Device, ...] | None:
    """The cameras, each looked through for a moment; None where they are no files."""
    if sys.platform in ("win32", "darwin"):
        return None
    found = sorted(path for path in Path("/dev").glob("video*") if path.name[5:].isdecimal())
    return tuple(tried(device(path)) for path in found if gives_pictures(int(path.name[5:])))


def tried(camera: Device, look: Callable[[str], CameraProbe] = glimpse) -> Device:
    """*camera* after a short look through it, if it may be opened."""
    if not camera.is_permitted:
        return camera
    seen = look(camera.name.removeprefix("/dev/video"))
    return replace(camera, tried=seen.said, fails=not seen.is_good)


def _system() -> Literal["linux", "macos", "windows"]:
    """Which kind of system this is; whatever is neither of the others is treated as a Linux."""
    if sys.platform == "win32":
        return "windows"
    return "macos" if sys.platform == "darwin" else "linux"


def installer(prefix: Path) -> Literal["pip", "pipx", "uv"]:
    """What has made the environment at *prefix*."""
    parts = prefix.parts
    if "pipx" in parts:
        return "pipx"
    return "uv" if "uv" in parts and "tools" in parts else "pip"


def _missing() -> Iterator[Library]:
    """What the installed package asks for and is not there, but for what only developers need."""
    try:
        wanted = metadata.requires(PACKAGE) or ()
    except metadata.PackageNotFoundError:  # run from its folder, not installed: whoever does that knows
        return
    for requirement in wanted:
        found = _WANTED.fullmatch(requirement)
        if found is None:
            continue
        name, version, marker = found[1], found[2].strip(), found[3] or ""
        extra = re.search(r"extra == ['\"](\w+)['\"]", marker)
        if (extra and extra[1] == "dev") or name == PACKAGE or not _concerns(marker):
            continue
        try:
            metadata.version(name)
        except metadata.PackageNotFoundError:
            yield Library(f"{name}{version}", extra[1] if extra else "")


def _concerns(marker: str) -> bool:
    """True unless *marker* is about another system than this one."""
    system = re.search(r"sys_platform (==|!=) ['\"](\w+)['\"]", marker)
    return system is None or (sys.platform == system[2]) == (system[1] == "==")


def device(path: Path) -> Device:
    """Whether the device at *path* may be opened; where devices are no files, nobody forbids it."""
    if sys.platform == "win32" or not path.exists() or os.access(path, os.R_OK | os.W_OK):
        return Device(str(path))
    import grp  # not on every system

    try:
        group = grp.getgrgid(path.stat().st_gid)
    except (OSError, KeyError):
        return Device(str(path), is_permitted=False)
    user = os.environ.get("USER") or os.environ.get("LOGNAME") or ""
    return Device(str(path), is_permitted=False, group=group.gr_name, is_member=user in group.gr_mem)


def write_fault(folder: Path) -> str:
    """Why nothing can be written to *folder*, which need not exist; empty if it can."""
    try:
        private_files.make_folder(folder)
        with tempfile.NamedTemporaryFile(dir=folder) as file:
            file.write(b"a journal")
            file.flush()
            os.fsync(file.fileno())
    except OSError as fault:
        return why(fault)
    return ""


def _existing(folder: Path) -> Path:
    """*folder*, or the nearest one above it that exists."""
    return next(each for each in (folder, *folder.parents) if each.exists())


def _store(url: str) -> tuple[str, str]:
    """The store at *url* without its password, and why it cannot be used; empty if it can, or is yet to be made."""
    file = url.partition(_SQLITE)[2]
    if file and not Path(file).exists():
        return url, ""
    try:
        with Store.open(url) as store:
            store.rows()
            return store.url, ""
    except CompanionError as fault:
        return re.sub(r"//([^:/@]*):[^@]*@", r"//\1:***@", url), str(fault)


def _page_fault(port: int) -> str:
    """Why the page cannot be served on *port* of this machine; empty if it can."""
    try:
        server.listen("127.0.0.1", port).close()
    except CompanionError as fault:
        return str(fault)
    return ""


def _has_browser() -> bool:
    """True if the system knows a browser."""
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def _governor(path: Path) -> str:
    """What the file at *path* says; empty if it cannot be read."""
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def answer_ms() -> float:
    """CPU time from a switch to what is shown, in ms: the median over pieces that are lifted and put back."""
    rules = games.find("chess").rules()
    session = Session(rules)
    pipeline = Pipeline(session, load("en", rules.slug, rules.sides), Connection(1), lambda _entries: None)
    panel = VirtualPanel(panel_for(rules.grid), unique_id=b"a doctor", session=1, now_ms=0)
    rig = Rig(pipeline, panel, PieceSet(session.view().placement), 0, lambda: None)
    rig.advance(500)
    took_ms = []
    for cell in range(_LIFTS):
        standing = rig.pieces
        for pieces in (standing.lift(cell), standing):
            begun_ns = time.process_time_ns()
            rig.become(pieces)
            rig.advance(20)
            took_ms.append((time.process_time_ns() - begun_ns) / 1e6)
        rig.advance(1000)
    return median(took_ms)
