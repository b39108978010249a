# SPDX-License-Identifier: Apache-2.0
"""What the examination counts, and the games that went wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from companion.host.journal.journal import Entry
from companion.referee.clocks import Control


class Failure(NamedTuple):
    """A game that went wrong."""

    seed: int
    what: str
    """What was wrong, in words; the first word names the kind of failure."""
    log: str
    """What happened last."""
    entries: tuple[Entry, ...]
    """The whole game, as a journal keeps it."""
    options: tuple[tuple[str, str], ...] = ()
    """Under which it was played."""
    control: Control | None = None
    """How time was given."""


@dataclass
class Score:
    """What is counted for one game, sensor and profile."""

    plies: int = 0
    plies_varied: int = 0
    """Those of games that were played with drawn options."""
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
    """Plies of games that were played by the clock."""
    clock_wrong: int = 0
    """Games in which a clock showed what it should not."""
    flags: int = 0
    """Games that were lost on time."""
    accept_ms: list[float] = field(default_factory=list)
    final_ms: list[float] = field(default_factory=list)
    flag_ms: list[float] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
