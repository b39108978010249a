# SPDX-License-Identifier: Apache-2.0
"""The reason and the way back last until the piece is put right."""

from __future__ import annotations

import pytest

from companion.model.observation import SensorKind
from companion.model.pieces import Piece
from tests.referee.support import perform, table


@pytest.mark.parametrize("kind", [SensorKind.OCCUPANCY, SensorKind.IDENTITY_FACING])
@pytest.mark.parametrize("wait_ms", [300, 5000])
def test_another_piece_in_the_hand_changes_neither_reason_nor_way_back(
    kind: SensorKind, wait_ms: int
) -> None:
    fake = table("chess", kind=kind)
    perform(fake, "e2- 200 e5+e2 2000")
    cell = fake.rules.grid.cell
    way = cell("e5"), cell("e2")
    reason = fake.session.view().fault
    assert reason is not None
    for name in (f"{file}{rank}" for file in "abcdfgh" for rank in "1278"):
        lifted = dict[str, Piece]()
        for trace in (f"{name}- {wait_ms}", f"{name}+{name} {wait_ms}"):
            perform(fake, trace, lifted=lifted)
            view = fake.session.view()
            assert view.fault is not None, trace
            assert view.fault.violation == reason.violation, trace
            assert way in [(guide.source, guide.target) for guide in view.guides], trace
    lifted = dict[str, Piece]()
    perform(fake, "e5- 2000", lifted=lifted)
    assert fake.session.view().fault is not None, "it is still in the hand"
    perform(fake, "e2+e5 100", lifted=lifted)
    assert fake.session.view().fault is None
