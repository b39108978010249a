# SPDX-License-Identifier: Apache-2.0
"""Whatever happens at a table, the session raises nothing and answers soon."""

from __future__ import annotations

import pytest

from companion import games
from companion.model.observation import SensorKind
from tests.referee.chaos import Chaos

LONGEST_MS = 100


@pytest.mark.parametrize("kind", SensorKind)
@pytest.mark.parametrize("slug", games.slugs())
def test_no_input_raises_or_takes_long(slug: str, kind: SensorKind, is_long: bool) -> None:
    for seed in range(40 if is_long else 2):
        chaos = Chaos(slug, kind, seed)
        for _ in range(250):
            chaos.act()
        took_ms, call = chaos.session.slowest
        assert took_ms <= LONGEST_MS, call
