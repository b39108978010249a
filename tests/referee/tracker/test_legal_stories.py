# SPDX-License-Identifier: Apache-2.0
"""Every story is a game: each of its moves is legal after those before it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from companion.referee.session.session import Session
from tests.bench.players.judge import Judge
from tests.bench.players.play import Play, draw_setting

PLIES = 40
TODAY = f"{datetime.now(UTC):%Y-%m-%d}"


def illegal(session: Session) -> list[str]:
    """The moves of live stories that are illegal in the position before them."""
    found, known = list[str](), set[int]()
    for tip in session.belief.live:
        for node in tip.line():
            if id(node) in known:
                break
            known.add(id(node))
            rules, position = node.before.rules, node.before.position
            if node.imprints[0].move not in rules.legal_moves(position):
                found.append(f"{rules.write_move(position, node.imprints[0].move)} of ply {node.ply}")
            if node.parent is not None and node.before.position != node.parent.prospect.position:
                found.append(f"position before ply {node.ply}")
    return found


@pytest.mark.parametrize("seed", ["1129b/73", "1129b/83", TODAY])
def test_a_ply_that_becomes_another_move_leaves_no_illegal_one(seed: str) -> None:
    play = Play(draw_setting("tank-chess", "occupancy", seed))
    judge = Judge(play.setting, play.table.sightings())
    for at_ms, what in play.plies(PLIES, judge.is_asking, judge.is_told):
        judge.feed(at_ms, what)
        assert not illegal(judge.session)
        if judge.failure is not None:
            break
