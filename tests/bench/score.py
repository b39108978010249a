# SPDX-License-Identifier: Apache-2.0
"""The counts of the examination, and the failed games."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Failure(NamedTuple):
    """A failed game."""

    seed: int
    what: str
    """The failure in words; the first word names its kind."""
    log: str
    """The last lines of the log."""


@dataclass
class Score:
    """The counts of one game, sensor and profile."""

    plies: int = 0
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
    failures: list[Failure] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """All counts, by name."""
        return {name: value for name, value in vars(self).items() if name != "failures"}
