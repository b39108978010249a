# SPDX-License-Identifier: Apache-2.0
"""Let sessions use the tracker instead of the present inference, to compare the two."""

from __future__ import annotations

from collections.abc import Callable

from companion.referee import session
from companion.referee.inference import TRACKER


def use_tracker(replace: Callable[[object, str, object], None] = setattr) -> None:
    """Let new sessions use the tracker; *replace* sets an attribute of a module."""
    replace(session, "PRESENT", TRACKER)
