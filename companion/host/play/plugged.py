# SPDX-License-Identifier: Apache-2.0
"""Finds eboards without opening them.

Its rule: a serial port is one of an eboard only if it was named as such; HID devices are recognised
by their USB identity. What speaks to eboards takes long to import, so it is where there is one.
"""

from __future__ import annotations

from companion.eboards.recognition import PRODUCTS, VENDOR, hid_eboard
from companion.host import settings
from companion.host.devices.known_ports import sorted_ports
from companion.link.bluetooth import can_search
from companion.link.hid_port import list_devices
from companion.link.port import list_ports
from companion.model.errors import ExtraMissing


def plugged_eboards() -> tuple[str, ...]:
    """Return the eboards that are plugged in, as `--port` names them."""
    _, serial, _ = sorted_ports(list_ports())
    if not serial:
        return _hid_eboards()
    from companion.host.devices.eboards import EBOARDS

    return (*(f"{kind}:{port.name}" for port, kind in serial if kind in EBOARDS), *_hid_eboards())


def _hid_eboards() -> tuple[str, ...]:
    """Return the eboards that are HID devices; none if the library is missing."""
    try:
        found = list_devices(VENDOR, PRODUCTS)
    except ExtraMissing:
        return ()
    return tuple(hid_eboard(each.product, each.serial_number) for each in found)


def searches_bluetooth() -> bool:
    """True if Bluetooth LE can be searched, and the settings do not forbid it."""
    return can_search() and settings.read(settings.path()).boards.search_bluetooth
