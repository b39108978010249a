# SPDX-License-Identifier: Apache-2.0
"""Lists the sensor boards on this computer's ports, and those in reach over Bluetooth.

What asks them takes long to import: `panel_answers` is, where there is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from companion.host.devices.known_ports import sorted_ports
from companion.host.doctor.panel_lines import Listed
from companion.host.play.plugged import plugged_boards, searches_bluetooth
from companion.link.port import list_ports
from companion.model.phrase import Phrase

NO_PORT: Final = Phrase("This computer has no serial port. Plug a panel in, or name a port or URL.")
_UNKNOWN: Final = Phrase("not opened, since anything may be there: name it")


def list_panels(names: Sequence[str]) -> tuple[Listed, ...]:
    """Ask the ports *names*, or those of panels and boards, what is there.

    A port behind which anything may be is listed, but opened only if it is named; then it is known.
    """
    ports = list_ports()
    devices = {port.name: f"{port.description} {port.vendor}".strip() for port in ports}
    if names:
        from companion.host.devices.boards import board_at

        boards = [name for name in names if board_at(name)[0] is not None]
        return _asked([name for name in names if name not in boards], boards, devices, are_named=True)
    panels, _, unknown = sorted_ports(ports)
    return (
        *_asked([port.name for port in panels], _all_boards(), devices, are_named=False),
        *(Listed(port.name, devices[port.name], (), _UNKNOWN) for port in unknown),
    )


def _all_boards() -> tuple[str, ...]:
    """Return the boards that are plugged in, and those in reach over Bluetooth."""
    if not searches_bluetooth():
        return plugged_boards()
    from companion.host.doctor.panel_answers import search_boards

    return (*plugged_boards(), *search_boards())


def _asked(
    panels: Sequence[str], boards: Sequence[str], devices: Mapping[str, str], *, are_named: bool
) -> tuple[Listed, ...]:
    """Return what the ports *panels* and the *boards* answer."""
    if not panels and not boards:
        return ()
    from companion.host.doctor.panel_answers import ask_boards, ask_panels

    return (*ask_panels(panels, devices, are_named=are_named), *ask_boards(boards))
