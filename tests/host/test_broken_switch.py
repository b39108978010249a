# SPDX-License-Identifier: Apache-2.0
"""A table with a broken switch continues; its cell is ignored and shown."""

from __future__ import annotations

import pytest

from companion.feedback.notices import notices
from companion.feedback.words import load
from companion.host.play.rig import Rig
from companion.host.table.pipeline import Pipeline
from companion.link.connection import Connection
from companion.referee.values.commands import Answer
from companion.virtual.pieces import PieceSet
from tests.host.tables import GAME, Kept, carry, panel_under, pipeline_for


def rig_with_broken(name: str, *, is_closed: bool) -> Rig:
    """A table whose switch under the cell *name* is always closed, or never."""
    kept = Kept()
    session = pipeline_for(kept).session
    cell = session.rules.grid.cell(name)
    pipeline = Pipeline(
        session, load("en", GAME, session.rules.sides), Connection(1), kept.keep, broken=1 << cell
    )
    rig = Rig(pipeline, panel_under(pipeline), PieceSet(pipeline.view.placement), 1000, kept.sync)
    (rig.panel.close if is_closed else rig.panel.open)(cell, rig.now_ms)
    rig.advance(300)
    return rig


@pytest.mark.parametrize("is_closed", [True, False])
def test_a_game_continues_with_a_broken_cell(is_closed: bool) -> None:
    rig = rig_with_broken("b2", is_closed=is_closed)
    carry(rig, "a1 b2", rest_ms=4000)
    question = rig.pipeline.view.question
    if question is not None:
        choice = next(n for n, each in enumerate(question.choices) if "a1-b2" in each.moves)
        rig.pipeline.command(Answer(question.ply, choice), rig.now_ms)
        rig.advance(1500)
    assert [line.move for line in rig.pipeline.view.record] == ["a1-b2"]
    carry(rig, "d8 b8")
    carry(rig, "b2 c3", rest_ms=3000)
    assert [line.move for line in rig.pipeline.view.record] == ["a1-b2", "d8-b8!", "b2-c3"]
    assert rig.pipeline.view.fault is None


def test_the_broken_cell_is_named_to_the_players() -> None:
    rig = rig_with_broken("b2", is_closed=True)
    told = list(notices(rig.pipeline.view, rig.pipeline.words))
    assert told == ["The board cannot sense what stands on b2: please answer when it asks."]
