# SPDX-License-Identifier: Apache-2.0
"""When Python looks for garbage: the one place where that is settled, for a table and for a hall alike.

By itself it walks through all that a program holds every few hundred moves. That takes a tenth of a second with the
modules of the host alone, in which nobody's move is seen, and more with each table.
"""

from __future__ import annotations

import asyncio
import gc
from typing import Final

_SWEEP: Final = (20_000, 20, 20)
"""Objects more than before, after which the youngest are looked at; how often that, until older ones are, and the oldest."""
_SETTLED_S: Final = 10.0
"""By then what was there at the beginning has begun."""


def sweep_rarely() -> None:
    """Let Python look for garbage less often, and not among what stays until the end: the modules, and what begins now."""
    gc.set_threshold(*_SWEEP)
    gc.freeze()
    asyncio.get_running_loop().call_later(_SETTLED_S, gc.freeze)
