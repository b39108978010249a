# SPDX-License-Identifier: Apache-2.0
"""An observation may have uncovered cells and changes at once."""

from __future__ import annotations

from companion.model.observation import EMPTY, OCCUPIED, Change
from tests.referee.support import brief, table


def test_uncovered_cells_are_read_before_the_changes_of_the_same_observation() -> None:
    """A hand uncovers the cell where the last move began, and another piece moves.

    If the changes came first, the piece lifted from where that move ended might have been put back
    on the covered cell, although that cell is now seen to be empty: the move would leave the
    record.
    """
    fake = table("martian-chess", "qqd1/qdp1/dppd/4/4/1pp1/1pdq/1dqq 2 0,0 - - -")
    fake.carry("d6", "d4")
    fake.wait(2000)
    assert brief(fake.take_events())[-1] == "announced d6-d4"
    fake.hide("d6")
    fake.wait(1000)
    fake.put_unheard("c4", fake.lift_unheard("d4"))
    fake.hidden = 0
    fake.rest_since_ms = fake.now_ms
    left, entered = fake.rules.grid.cells("d4 c4")
    fake.observe(Change(fake.now_ms - 200, left, EMPTY), Change(fake.now_ms, entered, OCCUPIED))
    fake.wait(2000)
    assert brief(fake.take_events()) == ["provisional d4-c4", "settled d6-d4", "announced d4-c4"]
