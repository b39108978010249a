# SPDX-License-Identifier: Apache-2.0
"""The errors of bleak."""


class BleakError(Exception):
    """Bluetooth or a device fails."""
