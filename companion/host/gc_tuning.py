# SPDX-License-Identifier: Apache-2.0
"""Tuning of Python's garbage collector, for tables and halls.

By default it traverses all objects every few hundred moves. With the host's modules alone that
takes a tenth of a second, in which no move is seen, and more with each table.
"""

from __future__ import annotations

import asyncio
import gc
from typing import Final

_SWEEP: Final = (20_000, 20, 20)
"""Thresholds of the three generations, as for `gc.set_threshold`."""
_SETTLED_S: Final = 10.0
"""Time after which start-up is complete."""


def sweep_rarely() -> None:
    """Collect less often, and exempt the modules and all start-up objects."""
    gc.set_threshold(*_SWEEP)
    gc.freeze()
    asyncio.get_running_loop().call_later(_SETTLED_S, gc.freeze)
