# SPDX-License-Identifier: Apache-2.0
"""Histories are revised when later changes require it.

Each trace here was misread once.
"""

from __future__ import annotations

from companion.host.journal.journal import Ticked
from companion.referee.values.events import Event, IllegalSeen
from tests.referee.support import only, perform, table

START = (
    "w HC1N HM1N MF1N MH3N MJ1N LC3N LF3N LJ3N LM3N CH1N "
    "hD16S hN16S mG16S mI14S mK16S lD14S lG14S lK14S lN14S cI16S"
)
"""The start of Tank Chess."""


def test_a_long_search_in_steps_has_the_same_result() -> None:
    """Four tanks of unknown facing, an unexplained action, and fast hands."""
    trace = (
        "c3- 90 d6+ 900 n14- 90 m11+ 900 j3- 90 i6+ 900 g14- 90 h13+ 1500 "
        "d6- 90 n7+ 900 !0 n7- d6+ 2000 f3- 60 f6+ !0 900"
    )
    found, ticks = list[list[Event]](), list[int]()
    for steps in (1, 1_000_000):
        fake = table("tank-chess", START)
        fake.session.steps_at_once = steps
        perform(fake, trace)
        found.append(fake.take_events())
        ticks.append(sum(isinstance(entry, Ticked) for entry in fake.entries))
    assert found[0] == found[1]
    assert only(IllegalSeen, found[0])
    assert ticks[0] > 2 * ticks[1]


def test_a_piece_adjusted_before_a_move_is_not_part_of_the_reason() -> None:
    fake = table("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    perform(fake, "a2- 300 a2+ 2000 e2- 200 e4+ 1000 e4- 300 e5+ 600")
    assert [event.difference.touched for event in only(IllegalSeen, fake.history)] == [()]
