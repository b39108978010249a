# SPDX-License-Identifier: Apache-2.0
"""Link tests over faulty wires: the history is true, or has a reported gap."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.link.events import InputsChanged, InputsRead, LinkEvent
from tests.wires import ConnectionPair, NoisyWire, clean

Edge = tuple[int, bool]


@dataclass
class Player:
    """Toggles switches, none so soon that it would be chatter, and records the toggles."""

    pair: ConnectionPair
    random: Random
    truth: list[Edge] = field(default_factory=list)
    closed: int = 0
    changed_ms: dict[int, int] = field(default_factory=dict)

    def toggle(self) -> None:
        cell = self.random.randrange(64)
        if self.pair.now_ms - self.changed_ms.get(cell, -100) < 50:
            return
        self.closed ^= 1 << cell
        is_closed = bool(self.closed >> cell & 1)
        (self.pair.panel.close if is_closed else self.pair.panel.open)(cell, self.pair.now_ms)
        self.truth.append((cell, is_closed))
        self.changed_ms[cell] = self.pair.now_ms


def segments_of(events: list[LinkEvent]) -> list[list[Edge]]:
    """The edges between reported gaps.

    Each list starts from the state read after the gap.
    """
    segments: list[list[Edge]] = [[]]
    for event in events:
        if isinstance(event, InputsRead):
            segments.append([])
        elif isinstance(event, InputsChanged):
            segments[-1] += [(edge.input, edge.is_closed) for edge in event.edges]
    return segments


def assert_stretches_of(truth: list[Edge], segments: list[list[Edge]]) -> None:
    """Each segment matches a part of the true history, in order."""
    at = 0
    for segment in segments:
        starts = range(at, len(truth) - len(segment) + 1)
        found = next((start for start in starts if truth[start : start + len(segment)] == segment), None)
        assert found is not None, f"{segment} is no stretch of {truth[at:]}"
        at = found + len(segment)


def assert_times_are_sane(events: list[LinkEvent]) -> None:
    """Timestamps are monotonic and never in the future."""
    last_ms = 0
    for event in events:
        if isinstance(event, InputsChanged):
            for edge in event.edges:
                assert last_ms <= edge.t_ms <= event.at_ms
                last_ms = edge.t_ms


@given(st.randoms(use_true_random=False), st.floats(0, 0.4), st.integers(20, 150))
@settings(max_examples=40)
def test_without_restarts_no_edge_is_lost_doubled_or_out_of_order(
    random: Random, badness: float, count: int
) -> None:
    """The ring outlasts every fault, so both histories are equal."""
    pair = ConnectionPair()
    pair.run(5)
    player = Player(pair, random)
    pair.set_faults(NoisyWire(random, badness), NoisyWire(random, badness))
    for _ in range(min(count, 120)):
        player.toggle()
        pair.run(random.choice((1, 4, 5, 9, 30)))
    pair.set_faults(clean, clean)
    pair.run(6_000)
    first, *later = segments_of(pair.events)[1:]
    assert not later
    assert first == player.truth
    assert_times_are_sane(pair.events)


@given(st.randoms(use_true_random=False), st.floats(0, 0.5), st.integers(50, 400))
@settings(max_examples=40)
def test_with_restarts_and_stalls_the_history_is_true_where_it_claims_to_be(
    random: Random, badness: float, count: int
) -> None:
    pair = ConnectionPair()
    player = Player(pair, random)
    pair.set_faults(NoisyWire(random, badness), NoisyWire(random, badness))
    for _ in range(count):
        player.toggle()
        pair.run(random.choice((1, 4, 5, 9)))
        match random.randrange(60):
            case 0:
                pair.panel.reset(pair.now_ms)
            case 1:
                pair.panel.is_mute = not pair.panel.is_mute
            case 2:
                pair.host.show(tuple(random.randrange(16) for _ in range(64)))
    pair.panel.is_mute = False
    pair.set_faults(clean, clean)
    pair.run(6_000)
    assert pair.host.is_up
    last = [event for event in pair.events if isinstance(event, InputsChanged | InputsRead)][-1]
    assert last.closed == player.closed
    segments = segments_of(pair.events)
    assert_stretches_of(player.truth, segments)
    assert_times_are_sane(pair.events)
    reads = [event for event in pair.events if isinstance(event, InputsRead)]
    assert [read.has_gap for read in reads] == [False] + [True] * (len(reads) - 1)


@pytest.mark.timeout(1800)
def test_a_busy_hour_over_a_slightly_faulty_wire(is_long: bool) -> None:
    """200 edges a second, 1 % of the chunks damaged, lamps repainted throughout."""
    random = Random(4)
    pair = ConnectionPair()
    pair.run(5)
    player = Player(pair, random)
    pair.set_faults(NoisyWire(random, 0.01), NoisyWire(random, 0.01))
    seconds = 3600 if is_long else 20
    for step in range(seconds * 200):
        player.toggle()
        if step % 20 == 0:
            pair.host.show(tuple(random.randrange(16) for _ in range(64)))
        pair.run(5)
    pair.set_faults(clean, clean)
    pair.run(6_000)
    assert segments_of(pair.events)[1:] == [player.truth]
