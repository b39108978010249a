# SPDX-License-Identifier: Apache-2.0
"""A piece in a virtual hand is no move, however long it is held."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from companion import games
from companion.feedback.words import load
from companion.host.play.rig import Rig
from companion.host.play.start import usual_sensor
from companion.host.table.pipeline import Pipeline
from companion.host.virtual_table.hands import Hand, Lift, PutAway, PutBack
from companion.host.virtual_table.set_up import make_virtual_table
from companion.host.virtual_table.table import motions
from companion.link.connection import Connection
from companion.referee.session.session import Session
from companion.referee.values.view import Phase
from tests.host.tables import Kept

LOST = (
    ".,.,s4w2,u1w5,u1w5/.,.,.,s3w3,w2s4/.,.,.,.,./l4u2,.,.,W2S4,S4W2/U3L3,U2L4,S1L5,W3S3,."
    " f 1S1L5+2U1W5+1U2L4 2S1L5+1U2L4+1L3U3 -"
)
"""The only legal move of the pawn on a1 is a battle that it loses."""
EQUAL = "q2q1dqq/qdp1d1pd/2p1p1p1/1dp4d/1qp5/d5p1/q1q1ppdq/qddp1dqq 1 0,0,0,3 - - -"
"""The pawn on d1 may capture an equal one on e2."""


def rig_at(slug: str, position: str, options: Mapping[str, str]) -> Rig:
    """A virtual table in virtual time with *position*."""
    rules, kept = games.find(slug).rules(options), Kept()
    session = Session(rules, usual_sensor(rules), start=rules.read_position(position))
    virtual_table = make_virtual_table(session, lambda: 1000)
    pipeline = Pipeline(session, load("en", slug, rules.sides), Connection(1), kept.keep)
    rig = Rig(pipeline, virtual_table.panel, virtual_table.pieces, 1000, kept.sync)
    rig.advance(300)
    return rig


def do(rig: Rig, hand: Hand) -> None:
    """Make the motion *hand*."""
    for pieces in motions(rig.pieces, hand, rig.pipeline.view.placement):
        rig.become(pieces)
        rig.advance(150)


@pytest.mark.parametrize(
    ("slug", "position", "options", "cell", "lit"),
    [("gottaz", LOST, {}, "a1", []), ("martian-chess", EQUAL, {"players": "4"}, "d1", ["e2"])],
)
def test_a_piece_that_is_held_for_long_has_not_moved(
    slug: str, position: str, options: Mapping[str, str], cell: str, lit: list[str]
) -> None:
    rig = rig_at(slug, position, options)
    grid = rig.pipeline.session.rules.grid
    do(rig, Lift(grid.cell(cell)))
    rig.advance(60_000)
    view = rig.pipeline.view
    assert (view.phase, view.record) == (Phase.HANDLING, ())
    assert [grid.name(target) for target in view.targets] == lit
    do(rig, PutBack())
    rig.advance(3000)
    assert (rig.pipeline.view.phase, rig.pipeline.view.record) == (Phase.WAITING, ())


def test_a_pawn_that_is_put_away_has_lost_its_battle() -> None:
    rig = rig_at("gottaz", LOST, {})
    do(rig, Lift(rig.pipeline.session.rules.grid.cell("a1")))
    rig.advance(5000)
    do(rig, PutAway())
    rig.advance(3000)
    assert [move.move for move in rig.pipeline.view.record] == ["a1-a2x"]
