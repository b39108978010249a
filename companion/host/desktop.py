# SPDX-License-Identifier: Apache-2.0
"""What the desktop of this computer can show."""

from __future__ import annotations

import os
import sys


def has_screen() -> bool:
    """False where opening a browser would take over the terminal, or fail."""
    return sys.platform in ("win32", "darwin") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
