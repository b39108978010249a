# SPDX-License-Identifier: Apache-2.0
"""Finds boards of other makers without opening them.

Its rule: a serial port is one of a board only if it was named as such; HID devices are recognised
by their USB identity. What speaks to boards takes long to import, so it is where there is one.
"""

from __future__ import annotations

from companion.boards.recognition import PRODUCTS, VENDOR, hid_board
from companion.host import settings
from companion.host.devices.known_ports import sorted_ports
from companion.link.bluetooth import can_search
from companion.link.hid_port import list_devices
from companion.link.port import list_ports
from companion.model.errors import ExtraMissing


def plugged_boards() -> tuple[str, ...]:
    """Return the boards that are plugged in, as `--port` names them."""
    _, serial, _ = sorted_ports(list_ports())
    if not serial:
        return _hid_boards()
    from companion.host.devices.boards import BOARDS

    return (*(f"{kind}:{port.name}" for port, kind in serial if kind in BOARDS), *_hid_boards())


def _hid_boards() -> tuple[str, ...]:
    """Return the boards that are HID devices; none if the library is missing."""
    try:
        found = list_devices(VENDOR, PRODUCTS)
    except ExtraMissing:
        return ()
    return tuple(hid_board(each.product, each.serial_number) for each in found)


def searches_bluetooth() -> bool:
    """True if Bluetooth LE can be searched, and the settings do not forbid it."""
    return can_search() and settings.read(settings.path()).boards.search_bluetooth
