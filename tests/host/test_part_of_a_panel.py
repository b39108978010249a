# SPDX-License-Identifier: Apache-2.0
"""A game is played on a part of a larger panel."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion import games
from companion.feedback.lights import DARK, Meaning, index_of
from companion.feedback.words import load
from companion.host.devices.fit import check_fit, games_for, places_on
from companion.host.play.rig import Rig
from companion.host.table.link_status import LinkState
from companion.host.table.page_state import PageStates
from companion.host.table.pipeline import Pipeline
from companion.host.virtual_table.set_up import make_virtual_table
from companion.link.connection import Connection
from companion.link.panel import Shape, has_room, load_panel, shape_of
from companion.model.errors import PanelMismatch
from companion.model.game import Outcome
from companion.model.grid import rectangle, turned_cells
from companion.model.placement import Placement
from companion.referee.session.session import Session
from companion.referee.values.commands import Resign
from companion.referee.values.view import Phase
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet
from tests.host.tables import GAME, WHOLE_GAME, Kept, carry, play

FRAME = index_of(Meaning.FRAME)
EIGHT = rectangle(8, 8)
RULES = games.find(GAME).rules()


def shape(name: str) -> Shape:
    return shape_of(
        VirtualPanel(load_panel(name), unique_id=bytes(8), session=1, now_ms=0).device.describe(0)
    )


def rig_on(
    name: str, corner: str, *, at: str = "", slug: str = GAME, start: str = "", quarters: int = 0
) -> Rig:
    """A table whose pieces stand on the panel *name*, from *corner* on.

    *at* is what the players have named; *quarters*: how far they have turned the game.
    """
    rules = games.find(slug).rules()
    panel = VirtualPanel(load_panel(name), unique_id=b"testtest", session=1, now_ms=1000)
    kept, session = Kept(), Session(rules, start=rules.read_position(start) if start else None)
    pipeline = Pipeline(session, load("en", slug, rules.sides), Connection(1), kept.keep, at=at)
    lain = places_on(shape(name), rules.grid, corner)[0].under
    under = tuple(lain[cell] for cell in turned_cells(rules.grid, quarters))
    rig = Rig(pipeline, panel, PieceSet(pipeline.view.placement), 1000, kept.sync, under)
    rig.advance(200)
    return rig


def phase(rig: Rig) -> Phase:
    return rig.pipeline.view.phase


def lit(rig: Rig) -> dict[str, int]:
    """The lit cells of the 8×8 panel."""
    image = rig.panel.device.lamps.image
    return {EIGHT.name(cell): colour for cell, colour in enumerate(image[:64]) if colour != DARK}


def test_a_whole_game_is_played_in_the_middle_of_a_larger_panel() -> None:
    rig = rig_on("8x8", "c1")
    assert phase(rig) is Phase.WAITING
    play(rig, WHOLE_GAME)
    assert rig.panel.lines == ("Weapons win", "Sword eliminated")


def test_a_frame_is_lit_around_the_game_and_targets_inside_it() -> None:
    rig = rig_on("8x8", "c1")
    assert lit(rig) == {f"{file}{rank}": FRAME for file in "bg" for rank in range(1, 9)}
    rig.become(rig.pieces.lift(0))
    rig.advance(20)
    target = index_of(Meaning.TARGET)
    assert {name for name, colour in lit(rig).items() if colour == target} == {
        *("c2", "c3", "d1", "e1", "d2", "e3")  # as on a 4×8 panel, two files to the right
    }
    assert not {name for name in lit(rig) if name[0] in "ah"}


def test_captured_pieces_may_be_parked_beside_the_game() -> None:
    rig = rig_on("8x8", "c1")
    play(rig, "a1-b2 d8-b8 b2-c3")
    before = rig.pipeline.view
    for name in ("a1", "a2", "h8", "b5"):
        rig.panel.close(EIGHT.cell(name), rig.now_ms)
        rig.advance(2000)
    assert rig.pipeline.view.fault is None
    assert rig.pipeline.view.record == before.record
    play(rig, "b8-b2")
    assert len(rig.pipeline.view.record) == 4


def test_the_game_is_found_where_its_pieces_are_set_up() -> None:
    rig = rig_on("8x8", "e1")
    assert EIGHT.name(rig.pipeline.mounting.corner) == "e1"
    assert phase(rig) is Phase.WAITING
    assert {name[0] for name, colour in lit(rig).items() if colour == FRAME} == {"d"}
    play(rig, "a1-b2")
    assert [move.move for move in rig.pipeline.view.record] == ["a1-b2"]


def test_the_game_is_found_when_the_last_piece_is_set_up_elsewhere() -> None:
    rig = rig_on("8x8", "a1")
    rig = Rig(
        Pipeline(Session(RULES), load("en", GAME, RULES.sides), Connection(1), lambda _entries: None),
        VirtualPanel(load_panel("8x8"), unique_id=b"testtest", session=2, now_ms=1000),
        rig.pieces.lift(0),
        1000,
        lambda: None,
        places_on(shape("8x8"), RULES.grid, "a1")[0].under,
    )
    rig.advance(500)
    assert phase(rig) is Phase.SETTING_UP
    assert EIGHT.name(rig.pipeline.mounting.corner) == "c1"
    rig.become(rig.pieces.drop(0))
    rig.advance(1500)
    assert EIGHT.name(rig.pipeline.mounting.corner) == "a1"
    assert phase(rig) is Phase.WAITING


def test_a_place_that_is_given_is_kept() -> None:
    rig = rig_on("8x8", "e1", at="b1")
    assert EIGHT.name(rig.pipeline.mounting.corner) == "b1"
    assert phase(rig) is Phase.SETTING_UP
    assert rig_on("8x8", "b1", at="B1").pipeline.view.phase is Phase.WAITING


def test_chess_is_played_on_the_largest_panel() -> None:
    rig = rig_on("20x20", "m13", slug="chess")
    carry(rig, "e2 e4")
    carry(rig, "e7 e5")
    assert [move.move for move in rig.pipeline.view.record] == ["e4", "e5"]


@pytest.mark.parametrize(
    "corner", ["i9", *(pytest.param(each, marks=pytest.mark.long) for each in ("e5", "a1"))]
)
def test_chess_is_set_up_on_a_part_of_16_by_16_and_played_to_its_end(corner: str) -> None:
    rules = games.find("chess").rules()
    whole = PieceSet(Session(rules).view().placement)
    panel = VirtualPanel(load_panel("16x16"), unique_id=b"testtest", session=1, now_ms=1000)
    pipeline = Pipeline(
        Session(rules), load("en", "chess", rules.sides), Connection(1), lambda _entries: None
    )
    under = places_on(shape("16x16"), rules.grid, corner)[0].under
    rig = Rig(pipeline, panel, replace(whole, standing=Placement(())), 1000, lambda: None, under)
    rig.advance(500)
    assert phase(rig) is Phase.SETTING_UP
    for count in range(1, len(whole.standing.entries) + 1):
        rig.become(replace(whole, standing=Placement(whole.standing.entries[:count])))
        rig.advance(200)
    rig.advance(1500)
    assert phase(rig) is Phase.WAITING
    assert rectangle(16, 16).name(rig.pipeline.mounting.corner) == corner
    for move in ("f2 f3", "e7 e5", "g2 g4", "d8 h4"):
        carry(rig, move)
    assert rig.pipeline.view.outcome == Outcome((1,), "checkmate")


@pytest.mark.parametrize("quarters", range(4))
def test_a_turned_game_on_a_part_of_16_by_16_is_played_to_its_end(quarters: int) -> None:
    start = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
    rig = rig_on("16x16", "c6", slug="chess", start=start, quarters=quarters)
    rig.advance(1500)
    assert phase(rig) is Phase.WAITING
    assert rig.pipeline.session.rotation.quarters == quarters
    carry(rig, "a1 a8")
    assert rig.pipeline.view.outcome == Outcome((0,), "checkmate")


@pytest.mark.parametrize("quarters", [0, 1, 2])
def test_a_game_of_25_cells_is_played_on_a_part_of_16_by_16(quarters: int) -> None:
    start = (
        ".,s1l5,u2l4,.,l4u2/.,.,.,.,./.,.,.,.,./.,.,.,.,./.,.,U2L4,W2S4,S3W3 f "
        "2S1L5+2U1W5+1U2L4+1W2S4+1L3U3 1S1L5+2U1W5+2W2S4+1L3U3+1W3S3 -"
    )
    rig = rig_on("16x16", "g3", slug="gottaz", start=start, quarters=quarters, at="g3")
    rig.advance(1500)
    assert phase(rig) is Phase.WAITING
    assert rectangle(16, 16).name(rig.pipeline.mounting.corner) == "g3"
    rig.become(rig.pieces.lift(rig.pipeline.session.rules.grid.cell("c1")))
    rig.advance(300)
    rig.become(rig.pieces.drop(rig.pipeline.session.rules.grid.cell("b1")))
    rig.advance(2000)
    assert [line.move for line in rig.pipeline.view.record] == ["c1-b1"]
    rig.pipeline.command(Resign(1), rig.now_ms)
    rig.advance(500)
    assert rig.pipeline.view.outcome == Outcome((0,), "resignation")


def test_a_panel_that_comes_back_keeps_the_games_place() -> None:
    rig = rig_on("8x8", "e1")
    play(rig, "a1-b2")
    rig.panel.reset(rig.now_ms)
    rig.advance(1000)
    assert EIGHT.name(rig.pipeline.mounting.corner) == "e1"
    assert rig.pipeline.status.state is LinkState.CONNECTED
    play(rig, "d8-b8")
    assert len(rig.pipeline.view.record) == 2


def test_a_resumed_game_is_found_where_its_pieces_stand() -> None:
    start = "A2P/4/4/4/2M1/S3/4/4 s 0"
    session = Session(RULES, start=RULES.read_position(start))
    pipeline = Pipeline(session, load("en", GAME, RULES.sides), Connection(1), lambda _entries: None)
    panel = VirtualPanel(load_panel("8x8"), unique_id=b"testtest", session=1, now_ms=1000)
    under = places_on(shape("8x8"), RULES.grid, "d1")[0].under
    rig = Rig(pipeline, panel, PieceSet(session.view().placement), 1000, lambda: None, under)
    rig.advance(500)
    assert EIGHT.name(pipeline.mounting.corner) == "d1"
    assert pipeline.view.phase is Phase.WAITING


def test_a_panel_that_is_too_small_names_the_games_that_fit() -> None:
    with pytest.raises(
        PanelMismatch, match=r"32 cells \(4 by 8\).*256 of the 16x16.*fits this one: Close"
    ) as raised:
        check_fit(shape("4x8"), rectangle(16, 16))
    assert "Martian Chess" in str(raised.value)
    assert "Chess (" not in str(raised.value).replace("Martian Chess (", "")
    assert (raised.value.expected, raised.value.found) == (256, 32)
    assert "Martian Chess (-o players=3)" in set(games_for(lambda grid: has_room(shape("wedges-3"), grid)))
    with pytest.raises(PanelMismatch, match=r"3x3|needs the 64"):
        check_fit(shape("5x5"), EIGHT)


def test_a_place_without_room_is_refused_with_those_that_have_it() -> None:
    with pytest.raises(PanelMismatch, match=r"4x8 grid.*first cell at f1: name a cell such as c1"):
        places_on(shape("8x8"), RULES.grid, "f1")


def test_a_virtual_table_lays_its_pieces_on_a_chosen_panel() -> None:
    table = make_virtual_table(Session(RULES), lambda: 0, "8x8", "d1")
    assert table.panel.device.panel.cells == 64
    pipeline = Pipeline(
        Session(RULES), load("en", GAME, RULES.sides), Connection(1), lambda _entries: None, at="d1"
    )
    under = places_on(shape("8x8"), RULES.grid, "d1")[0].under
    rig = Rig(pipeline, table.panel, table.pieces, 1000, lambda: None, under)
    rig.advance(500)
    assert pipeline.view.phase is Phase.WAITING
    rig.become(rig.pieces.lift(0))
    rig.advance(100)
    shown = PageStates(pipeline.words).now(pipeline, table)["lamps"]["cells"]
    assert len(shown) == 32
    assert shown == list(pipeline.image)
    assert any(shown)
    with pytest.raises(PanelMismatch):
        make_virtual_table(Session(games.find("chess").rules()), lambda: 0, "4x8")
