# SPDX-License-Identifier: Apache-2.0
"""The quick lower bound of a move's cost never exceeds the cost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion import games
from companion.model.observation import OCCUPIED, SensorKind
from companion.referee.inference.costs import DEFAULT
from companion.referee.inference.tracker.alike import needs_in
from companion.referee.inference.tracker.explain import explained
from companion.referee.inference.tracker.needs import NOTHING
from companion.referee.inference.tracker.segment import Segment, Trail
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.marks import Edge

TOUCHES = st.lists(st.tuples(st.integers(0, 63), st.sampled_from([3, 20, 90, 250, 800])), max_size=14)


@pytest.mark.parametrize("slug", ["chess", "close-quarters", "gottaz"])
@given(touches=TOUCHES)
@settings(max_examples=40)
def test_no_move_costs_less_than_its_bound(slug: str, touches: list[tuple[int, int]]) -> None:
    rules = games.find(slug).rules()
    before = Prospect(rules, rules.initial(), SensorKind.OCCUPANCY)
    occupied, now_ms, edges = before.occupied, 0, list[Edge]()
    for place, after_ms in touches:
        cell, now_ms = place % len(rules.grid), now_ms + after_ms
        occupied ^= 1 << cell
        is_occupied = bool(occupied >> cell & 1)
        edges.append(Edge(now_ms, cell, is_occupied, OCCUPIED if is_occupied else None))
    trail = Trail(DEFAULT, edges)
    segment = Segment(trail, now_ms)
    for needs in (NOTHING, *(needs_in(before, each) for each in before.imprints())):
        cost = explained(before, needs, segment, is_complete=False)
        assert trail.least(needs) <= cost + 1e-9
