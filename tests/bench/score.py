# SPDX-License-Identifier: Apache-2.0
"""The counts of the examination, and the failed games."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from companion.host.journal.journal import Entry
from companion.referee.values.clocks import Control


class Failure(NamedTuple):
    """A failed game."""

    seed: int
    what: str
    """The failure in words; the first word names its kind."""
    log: str
    """The last lines of the log."""
    entries: tuple[Entry, ...]
    """The whole game, as entries of a journal."""
    options: tuple[tuple[str, str], ...] = ()
    """The options of the game."""
    control: Control | None = None
    """The time control."""


@dataclass
class Score:
    """The counts of one game, sensor and profile."""

    plies: int = 0
    plies_varied: int = 0
    """Plies of games with drawn options."""
    right: int = 0
    asked: int = 0
    asked_needlessly: int = 0
    missed: int = 0
    wrong: int = 0
    illegal_tried: int = 0
    illegal_flagged: int = 0
    illegal_reason_right: int = 0
    illegal_silent: int = 0
    false_alarms: int = 0
    plies_timed: int = 0
    """Plies of games with clocks."""
    clock_wrong: int = 0
    """Games with a wrong clock."""
    flags: int = 0
    """Games lost on time."""
    accept_ms: list[float] = field(default_factory=list)
    final_ms: list[float] = field(default_factory=list)
    flag_ms: list[float] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
