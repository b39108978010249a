# SPDX-License-Identifier: Apache-2.0
"""Whether eboards can be searched over Bluetooth LE, without importing bleak, which takes long."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_FILE: Final = "unix:path="
"""Begins the address of a bus that is a file."""


def can_search() -> bool:
    """True if bleak is installed and finds D-Bus, which it needs on Linux."""
    if sys.platform == "linux":
        buses = os.environ.get("DBUS_SYSTEM_BUS_ADDRESS", f"{_FILE}/var/run/dbus/system_bus_socket")
        if not any(_may_answer(bus) for bus in buses.split(";")):
            return False
    return find_spec("bleak") is not None


def _may_answer(bus: str) -> bool:
    """False if *bus*, an address, is a file that does not exist."""
    return not bus.startswith(_FILE) or Path(bus.removeprefix(_FILE).partition(",")[0]).exists()
