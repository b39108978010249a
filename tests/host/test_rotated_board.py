# SPDX-License-Identifier: Apache-2.0
"""At a rotated board, lamps light under the pieces; the page is unrotated."""

from __future__ import annotations

from companion import games
from companion.host.play.rig import Rig
from companion.host.table.page_state import PageStates
from companion.host.virtual_table.hands import Drop, PutBack, turned
from companion.host.virtual_table.table import VirtualTable
from companion.model.moves import Step
from companion.model.occupancy import cells_of
from companion.model.pieces import Piece
from companion.referee.session.session import Session
from companion.referee.values.board.board_rotation import Rotation
from companion.virtual.pieces import PieceSet
from tests.host.tables import Kept, panel_under, pipeline_for

START = "A2P/4/4/4/2M1/S3/4/4 s 0"


def turned_rig() -> Rig:
    """A table whose saved position was set up from the opposite side."""
    rules = games.find("close-quarters").rules()
    session = Session(rules, start=rules.read_position(START))
    kept = Kept()
    pipeline = pipeline_for(kept, session)
    standing = Rotation.of(rules.grid, 2, 2).back().placement(session.view().placement)
    rig = Rig(pipeline, panel_under(pipeline), PieceSet(standing), 1000, kept.sync)
    rig.advance(200)
    return rig


def test_display_and_page_say_that_the_board_is_rotated() -> None:
    rig = turned_rig()
    assert rig.pipeline.lines[1] == "Turned by 180"
    shown = PageStates(rig.pipeline.words).now(
        rig.pipeline, VirtualTable(rig.panel, rig.pieces, lambda: rig.now_ms)
    )
    assert shown["view"]["notices"] == ["The pieces stand turned by 180 degrees, and play goes on like that."]


def test_lamps_light_under_the_pieces_and_the_page_shows_the_games_cells() -> None:
    rig = turned_rig()
    cell, source = rig.pipeline.session.rules.grid.cell, rig.pipeline.session.rotation.under
    rig.become(rig.pieces.lift(source[cell("a3")]))
    rig.advance(100)
    targets = rig.pipeline.view.targets
    assert cell("a4") in targets
    lit = [number for number, colour in enumerate(rig.panel.device.lamps.image) if colour]
    assert {source[target] for target in targets} <= set(lit)
    shown = PageStates(rig.pipeline.words).now(
        rig.pipeline, VirtualTable(rig.panel, rig.pieces, lambda: rig.now_ms)
    )
    assert {number for number, colour in enumerate(shown["lamps"]["cells"]) if colour} >= set(targets)
    assert shown["lamps"]["cells"] == PageStates(rig.pipeline.words).now(rig.pipeline, None)["lamps"]["cells"]
    assert shown["virtual"] is not None
    stands = {each["cells"][0] for each in shown["virtual"]["pieces"]}
    assert stands == set(cells_of(rig.pipeline.view.occupied))


def test_commands_at_a_virtual_table_use_the_games_cells() -> None:
    turn = Rotation.of(games.find("close-quarters").rules().grid, 2, 2)
    assert turned(Drop(0), turn) == Drop(31)
    assert turned(PutBack(), turn) == PutBack()
    assert turned((Step.move(Piece("sword", 0), 0, 1),), turn) == (Step.move(Piece("sword", 0), 31, 30),)
