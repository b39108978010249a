# SPDX-License-Identifier: Apache-2.0
"""Serial ports that the user has named, with the panel or eboard behind each.

Its rule: a port is opened only if it is known here, or named, or says that it is a panel, as a
Pico's own USB does. The identity of an adapter says nothing: an Uno or a Mega may drive a 3-D
printer. Bytes for a panel, and the line DTR raised, could do harm there.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import platformdirs

from companion.host.private_files import make_folder
from companion.link.port import FoundPort, list_ports
from companion.model.errors import SettingsError
from companion.model.toml import parse

_LOG = logging.getLogger(__name__)

PANEL: Final = "panel"
"""A panel of ours, beside the names of eboards."""


def path() -> Path:
    """Return the file of known ports."""
    return platformdirs.user_data_path("companion", appauthor=False) / "ports.toml"


def known() -> Mapping[str, str]:
    """Return what is behind each known adapter; a damaged file is logged and ignored."""
    try:
        text = path().read_text(encoding="utf-8")
        return {adapter: str(kind) for adapter, kind in parse(text, str(path())).items()}
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, SettingsError) as fault:
        _LOG.warning("the known ports cannot be read: %s", fault)
        return {}


def remember(device: str, kind: str) -> None:
    """Note that *kind* is behind the port *device*, if that is present on this computer."""
    names = {device, os.path.realpath(device)}  # a udev rule may have given it another name
    adapter = next((port.adapter for port in list_ports() if port.name in names), "")
    before = known()
    if not adapter or before.get(adapter) == kind:
        return
    lines = [f"{_quoted(each)} = {_quoted(what)}\n" for each, what in {**before, adapter: kind}.items()]
    fresh = path().with_name(f"{path().name}.new")
    try:
        make_folder(path().parent)
        fresh.write_text("".join(lines), encoding="utf-8")
        fresh.replace(path())
    except OSError as fault:
        _LOG.warning("the port %s cannot be noted as known: %s", device, fault)
        with contextlib.suppress(OSError):
            fresh.unlink()


def sorted_ports(
    found: Sequence[FoundPort],
) -> tuple[tuple[FoundPort, ...], tuple[tuple[FoundPort, str], ...], tuple[FoundPort, ...]]:
    """Return the *found* ports of known panels, those of known eboards, and the unknown ones."""
    kinds = known()
    panels, eboards, unknown = [], [], []
    for port in found:
        kind = kinds.get(port.adapter)
        if kind == PANEL or port.is_panel:
            panels.append(port)
        elif kind:
            eboards.append((port, kind))
        else:
            unknown.append(port)
    return tuple(panels), tuple(eboards), tuple(unknown)


def _quoted(text: str) -> str:
    """Return *text* as a TOML string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
