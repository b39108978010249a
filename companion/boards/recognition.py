# SPDX-License-Identifier: Apache-2.0
"""How boards that are HID devices are recognised unopened, and called in `--port`."""

from __future__ import annotations

from typing import Final

ANY: Final = "auto"
"""Device name of the first board of a kind that is recognised unopened."""
VENDOR: Final = 0x2D80
"""Chessnut, the only maker of boards that are HID devices."""
PRODUCTS: Final = range(0x8000, 0x8700)
"""USB products of its boards; the lower byte is that of the model's version."""


def hid_board(product: str, serial_number: str) -> str:
    """Return the board that calls itself *product* as `--port` names it.

    >>> hid_board("Chessnut Move", "M1"), hid_board("Chessnut Air", "")
    ('chessnut-move:M1', 'chessnut:auto')
    """
    kind = "chessnut-move" if "move" in product.lower() else "chessnut"
    return f"{kind}:{serial_number or ANY}"
