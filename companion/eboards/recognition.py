# SPDX-License-Identifier: Apache-2.0
"""How eboards that are HID devices are recognised unopened, and called in `--port`."""

from __future__ import annotations

from typing import Final

ANY: Final = "auto"
"""Device name of the first eboard of a kind that is recognised unopened."""
VENDOR: Final = 0x2D80
"""Chessnut, the only maker of eboards that are HID devices."""
PRODUCTS: Final = range(0x8000, 0x8700)
"""USB products of its eboards; the lower byte is that of the model's version."""


def hid_eboard(product: str, serial_number: str) -> str:
    """Return the eboard that calls itself *product* as `--port` names it.

    >>> hid_eboard("Chessnut Move", "M1"), hid_eboard("Chessnut Air", "")
    ('chessnut-move:M1', 'chessnut:auto')
    """
    kind = "chessnut-move" if "move" in product.lower() else "chessnut"
    return f"{kind}:{serial_number or ANY}"
