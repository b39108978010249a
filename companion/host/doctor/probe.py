# SPDX-License-Identifier: Apache-2.0
"""Probes this computer for the facts that `checks` judges.

Its rule: it changes nothing except a temporary file, waits for a camera only until its first image,
and leaves out what it cannot find out.
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
from companion.host.desktop import has_screen
from companion.host.doctor.camera import CameraProbe, glimpse
from companion.host.doctor.checks import Device, Library, Machine
from companion.host.opponent.installed import find_engine
from companion.host.play.rig import Rig
from companion.host.table.pipeline import Pipeline
from companion.host.text.os_errors import why
from companion.host.web import server
from companion.host.web.server import USUAL_HTTP_PORT
from companion.link.connection import Connection
from companion.link.panel import panel_for
from companion.link.port import list_ports
from companion.model.errors import CompanionError
from companion.model.installation import PACKAGE, this_installation
from companion.referee.session.session import Session
from companion.sensing.devices import gives_pictures
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet

_WANTED: Final = re.compile(r"([\w.-]+)(?:\[[^\]]*\])?([^;]*)(?:;(.*))?")
_SQLITE: Final = "sqlite:///"
_LIFTS: Final = 12


def look(store: str | None = None) -> Machine:
    """Return the facts about this computer; *store* is a URL instead of the default."""
    from companion.host.records.database import default_url

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
        installation=this_installation(),
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
        engine=find_engine(),
    )


def _cameras() -> tuple[Device, ...] | None:
    """Return the cameras, each tested briefly; None where they are not files."""
    if sys.platform in ("win32", "darwin"):
        return None
    found = sorted(path for path in Path("/dev").glob("video*") if path.name[5:].isdecimal())
    return tuple(tried(device(path)) for path in found if gives_pictures(int(path.name[5:])))


def tried(camera: Device, look: Callable[[str], CameraProbe] = glimpse) -> Device:
    """Return *camera* with the result of a short test, if it may be opened."""
    if not camera.is_permitted:
        return camera
    seen = look(camera.name.removeprefix("/dev/video"))
    return replace(camera, tried=seen.said, fails=not seen.is_good)


def _system() -> Literal["linux", "macos", "windows"]:
    """Return the kind of system; an unknown one counts as Linux."""
    if sys.platform == "win32":
        return "windows"
    return "macos" if sys.platform == "darwin" else "linux"


def _missing() -> Iterator[Library]:
    """Yield the missing requirements of the installed package, except those for development."""
    try:
        wanted = metadata.requires(PACKAGE) or ()
    except metadata.PackageNotFoundError:  # run from its source folder
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
    """True unless *marker* names another system."""
    system = re.search(r"sys_platform (==|!=) ['\"](\w+)['\"]", marker)
    return system is None or (sys.platform == system[2]) == (system[1] == "==")


def device(path: Path) -> Device:
    """Check the permissions of the device at *path*."""
    if sys.platform == "win32" or not path.exists() or os.access(path, os.R_OK | os.W_OK):
        return Device(str(path))
    import grp  # missing on some systems

    try:
        group = grp.getgrgid(path.stat().st_gid)
    except (OSError, KeyError):
        return Device(str(path), is_permitted=False)
    user = os.environ.get("USER") or os.environ.get("LOGNAME") or ""
    return Device(str(path), is_permitted=False, group=group.gr_name, is_member=user in group.gr_mem)


def write_fault(folder: Path) -> str:
    """Return why *folder* cannot be written, creating it if needed; empty if it can."""
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
    """Return *folder*, or its nearest existing parent."""
    return next(each for each in (folder, *folder.parents) if each.exists())


def _store(url: str) -> tuple[str, str]:
    """Return the store's URL without password, and its fault; a missing one has none."""
    file = url.partition(_SQLITE)[2]
    if file and not Path(file).exists():
        return url, ""
    from companion.host.records.store import Store

    try:
        with Store.open(url) as store:
            store.rows()
            return store.url, ""
    except CompanionError as fault:
        return re.sub(r"//([^:/@]*):[^@]*@", r"//\1:***@", url), str(fault)


def _page_fault(port: int) -> str:
    """Return why the page cannot be served on *port*; empty if it can."""
    try:
        server.listen("127.0.0.1", port).close()
    except CompanionError as fault:
        return str(fault)
    return ""


def _has_browser() -> bool:
    """True if the system has a browser."""
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def _governor(path: Path) -> str:
    """Return the contents of the file at *path*; empty if it cannot be read."""
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def answer_ms() -> float:
    """Return the median CPU time from a switch to the output, in ms."""
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
