# SPDX-License-Identifier: Apache-2.0
"""Random actions: the session never raises, and every call returns soon."""

from __future__ import annotations

from typing import Final

import pytest

from companion import games
from companion.model.observation import SensorKind
from tests.processor import reference_ms
from tests.referee.chaos import Chaos, CountedSession, TimedSession

LONGEST: Final = 25
"""Processor time of one call, in units of `reference_ms`. A search continues in later calls."""

MOST_CALLS: Final = 375_000
"""Function calls in that time on a quiet machine.

Where other programs use the caches, a call takes three times the processor time.
"""

ACTS: Final = 200
SLOW_ACTS: Final = 10
"""Games where most boards have many explanations, so that searches dominate."""

SLOW: Final = {
    ("gottaz", SensorKind.SIDE),
    ("gottaz", SensorKind.OCCUPANCY),
    ("fightopia", SensorKind.OCCUPANCY),
}


@pytest.mark.parametrize("kind", SensorKind)
@pytest.mark.parametrize("slug", games.slugs())
def test_no_input_raises_or_takes_long(slug: str, kind: SensorKind, is_long: bool) -> None:
    is_slow = slug == "tank-chess" or (slug, kind) in SLOW
    for seed in range(40 if is_long else 1):
        acts = SLOW_ACTS if is_slow and not is_long else ACTS
        for _ in range(3):  # what other programs add differs between them
            took_ms, call = slowest(slug, kind, seed, acts)
            if took_ms <= LONGEST * reference_ms():
                break
        else:
            count, call = slowest(slug, kind, seed, acts, CountedSession)
            assert count <= MOST_CALLS, f"{took_ms:.0f} ms: {call}"


def slowest(
    slug: str, kind: SensorKind, seed: int, acts: int, session: type[TimedSession] = TimedSession
) -> tuple[float, str]:
    """Processor time in ms, or calls, and name, of the slowest random act."""
    chaos = Chaos(slug, kind, seed, session)
    for _ in range(acts):
        chaos.act()
    return chaos.session.slowest
