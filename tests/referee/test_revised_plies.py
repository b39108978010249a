# SPDX-License-Identifier: Apache-2.0
"""Recognised plies are revised if later changes have a simpler explanation."""

from __future__ import annotations

from companion.referee.values.events import MoveMade, MoveRetracted, Stage
from tests.referee.support import perform, table


def test_an_announced_ply_made_provisional_is_retracted_and_ends_no_game_twice() -> None:
    fake = table("close-quarters", "4/4/S3/M3/4/4/4/4 w 0")
    perform(
        fake,
        "a5- 289 a6- 273 a6+ 491 c6+ 78 !1 5227 c6- 127 c6+ 220 a6- 4000 a6+ 76 a6- 95 c6- 239 c6+ 711 b5+ 181 !0 700",
    )
    assert fake.record == ["a5-c6", "a6-b5!"]
    announced = set[int]()
    for event in fake.history:
        if isinstance(event, MoveMade) and event.stage is Stage.ANNOUNCED:
            assert event.ply not in announced
            announced.add(event.ply)
        elif isinstance(event, MoveRetracted):
            assert (event.ply in announced) == (event.stage is Stage.ANNOUNCED)
            announced.discard(event.ply)
    assert fake.restored().position == fake.session.position
