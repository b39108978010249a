# SPDX-License-Identifier: Apache-2.0
"""Let sessions use the tracker instead of the present inference, to compare the two."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType

from companion.referee.tracker import face

_USERS = {
    "session": ("reconcile", "rested", "answered", "understood"),
    "command_handlers": ("announced", "understood", "answered"),
    "inquiry_flow": ("understood",),
    "effects": ("find_illegal",),
    "deadlines": ("patience_ms",),
}
"""Which modules of the referee take which of the functions."""


def use_tracker(replace: Callable[[object, str, object], None] = setattr) -> None:
    """Let sessions use the tracker from now on; *replace* sets an attribute of a module."""
    for name, functions in _USERS.items():
        module: ModuleType = importlib.import_module(f"companion.referee.{name}")
        for function in functions:
            replace(module, function, getattr(face, function))
    effects = importlib.import_module("companion.referee.effects")
    effects.__dict__["shown_at_rest"] = lambda belief: None  # the tracker believes a board at rest by itself
