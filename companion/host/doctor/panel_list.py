# SPDX-License-Identifier: Apache-2.0
"""Lists the panels on this computer's ports, and those in reach over Bluetooth.

What asks them takes long to import: `panel_answers` is, where there is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from companion.host.devices.known_ports import sorted_ports
from companion.host.doctor.panel_lines import Listed
from companion.host.play.plugged import plugged_eboards, searches_bluetooth
from companion.link.port import list_ports
from companion.model.phrase import Phrase

NO_PORT: Final = Phrase("This computer has no serial port. Plug a panel in, or name a port or URL.")
_UNKNOWN: Final = Phrase("not opened, since anything may be there: name it")


def list_panels(names: Sequence[str]) -> tuple[Listed, ...]:
    """Ask the ports *names*, or those of panels and eboards, what is there.

    A port behind which anything may be is listed, but opened only if it is named; then it is known.
    """
    ports = list_ports()
    devices = {port.name: f"{port.description} {port.vendor}".strip() for port in ports}
    if names:
        from companion.host.devices.eboards import eboard_at

        eboards = [name for name in names if eboard_at(name)[0] is not None]
        return _asked([name for name in names if name not in eboards], eboards, devices, are_named=True)
    panels, _, unknown = sorted_ports(ports)
    return (
        *_asked([port.name for port in panels], _all_eboards(), devices, are_named=False),
        *(Listed(port.name, devices[port.name], (), _UNKNOWN) for port in unknown),
    )


def _all_eboards() -> tuple[str, ...]:
    """Return the eboards that are plugged in, and those in reach over Bluetooth."""
    if not searches_bluetooth():
        return plugged_eboards()
    from companion.host.doctor.panel_answers import search_eboards

    return (*plugged_eboards(), *search_eboards())


def _asked(
    panels: Sequence[str], eboards: Sequence[str], devices: Mapping[str, str], *, are_named: bool
) -> tuple[Listed, ...]:
    """Return what the ports *panels* and the *eboards* answer."""
    if not panels and not eboards:
        return ()
    from companion.host.doctor.panel_answers import ask_eboards, ask_panels

    return (*ask_panels(panels, devices, are_named=are_named), *ask_eboards(eboards))
