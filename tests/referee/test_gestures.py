# SPDX-License-Identifier: Apache-2.0
"""Real actions on an occupancy board of chess, scripted one by one."""

from __future__ import annotations

import pytest

from companion.model.game import CallOut
from companion.model.observation import SensorKind
from companion.referee.events import IllegalSeen
from tests.referee.support import only, table

ROOKS = "4k3/1p6/8/p7/8/8/8/R3K2R w K - 0 1"


def test_a_reply_begun_before_the_move_was_complete_is_recognised() -> None:
    fake = table("chess", ROOKS)
    rook = fake.lift("h1")
    pawn = fake.lift("b7")
    fake.put("h5", rook)
    fake.put("b6", pawn)
    fake.wait(800)
    assert fake.record == ["Rh5", "b6"]


def test_a_reply_to_a_pushed_capture_is_recognised() -> None:
    fake = table("chess", ROOKS)
    fake.lift("a1")
    fake.wait(300)
    fake.carry("b7", "b6", after_ms=200)
    fake.wait(1000)
    assert fake.record == ["Rxa5", "b6"]


def test_the_new_cell_may_be_reported_before_the_old_one() -> None:
    fake = table("chess", ROOKS)
    fake.put("h5", fake.on[fake.rules.grid.cell("h1")])
    fake.wait(20)
    fake.lift("h1")
    fake.wait(800)
    assert fake.record == ["Rh5"]
    assert not only(IllegalSeen, fake.history)


def test_a_bumped_neighbour_is_adjusted_without_a_message() -> None:
    fake = table("chess", ROOKS)
    rook = fake.lift("a1")
    fake.carry("b7", "b7", after_ms=900)
    fake.wait(300)
    fake.put("a4", rook)
    fake.wait(800)
    assert fake.record == ["Ra4"]
    assert not only(IllegalSeen, fake.history)


@pytest.mark.parametrize("first", ["king", "rook"])
def test_castling_is_recognised_in_either_order(first: str) -> None:
    fake = table("chess", ROOKS)
    ways = [("e1", "g1"), ("h1", "f1")]
    for source, target in ways if first == "king" else reversed(ways):
        fake.carry(source, target, after_ms=300)
        fake.wait(400)
    fake.wait(800)
    assert fake.record == ["O-O"]


def test_a_piece_on_a_hidden_cell_is_not_reported_missing() -> None:
    fake = table("chess", ROOKS)
    fake.hide("b7")
    fake.wait(3000)
    assert fake.take_events() == []


def test_missed_changes_are_recognised_from_the_sightings() -> None:
    fake = table("chess", ROOKS)
    fake.put_unheard("h5", fake.lift_unheard("h1"))
    fake.report_gap()
    fake.wait(800)
    assert fake.record == ["Rh5"]


@pytest.mark.parametrize("kind", [SensorKind.SIDE, SensorKind.IDENTITY])
@pytest.mark.parametrize("order", [("d3", "d2"), ("d2", "d3")])
def test_pieces_of_both_sides_change_places(kind: SensorKind, order: tuple[str, str]) -> None:
    """Both are in the hands; one lands before the other.

    Its cell was left all the same.
    """
    fake = table(
        "gottaz",
        "s3w3,u3l3,.,w2s4,./.,.,.,.,./.,W5U1,.,l5s1,./.,.,.,W2S4,./U1W5,U2L4,.,S4W2,S3W3 f "
        "2S1L5+1U2L4+1L3U3 1S1L5+2U1W5+2U2L4+1W2S4 -",
        kind,
    )
    held = {}
    for name in order:
        held[name] = fake.lift(name)
        fake.wait(200)
    for target, source in (order, order[::-1]):
        fake.put(target, held[source])
        fake.wait(300)
    fake.wait(2000)
    assert fake.record == ["d2<>d3"]


def test_a_capture_is_taken_back_by_hand_without_alarm() -> None:
    fake = table("chess", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    victim = fake.lift("d5")
    fake.carry("e4", "d5", after_ms=300)
    fake.wait(2000)
    fake.carry("d5", "e4", after_ms=300)
    fake.wait(2300)
    assert not only(IllegalSeen, fake.history)
    fake.wait(200)
    assert only(IllegalSeen, fake.history)
    fake.put("d5", victim)
    fake.wait(1000)
    assert fake.record == []
    assert fake.session.view().fault is None


@pytest.mark.parametrize("order", [("d5", "e4"), ("e4", "d5")])
def test_the_target_is_lit_while_mover_and_victim_are_lifted(order: tuple[str, str]) -> None:
    fake = table("chess", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    for name in order:
        fake.lift(name)
        fake.wait(200)
    view, cell = fake.session.view(), fake.rules.grid.cell
    assert view.lifted == tuple(map(cell, order))
    assert view.targets == (cell("d5"),)


def test_check_is_announced_with_the_move_and_not_while_it_may_slide_on() -> None:
    fake = table("chess", "4k3/8/8/8/8/8/R7/3K4 w - - 0 1")
    fake.carry("a2", "e2", after_ms=200)
    fake.wait(600)
    assert fake.record == ["Re2+"]
    assert fake.session.view().announcements == ()
    fake.wait(200)
    assert [said.cry for said in fake.session.view().announcements] == [CallOut.CHECK]


def test_a_piece_lifted_again_has_the_targets_of_its_origin() -> None:
    fake = table("chess")
    fake.carry("e2", "e3", after_ms=200)
    fake.lift("e3")
    assert fake.session.view().targets == tuple(map(fake.rules.grid.cell, ("e3", "e4")))


def test_the_targets_of_a_lifted_long_piece_exclude_its_own_cells() -> None:
    fake = table("fightopia", "vppggppv/v1pggp1v/2p2p2/3GG3/3GG3/2P2P2/V1P2P1V/VPP2PPV w")
    for name in ("d4", "e4", "d5", "e5"):
        fake.lift(name)
    targets = {fake.rules.grid.name(cell) for cell in fake.session.view().targets}
    assert targets >= {"d3", "e3", "d6", "e6"}
    assert not targets & {"d4", "e4", "d5", "e5"}


def test_a_mate_that_may_slide_on_does_not_end_the_game() -> None:
    fake = table("chess", "7k/Qp6/5P2/8/8/8/8/7K b - - 0 1")
    fake.carry("b7", "b6", after_ms=200)
    fake.wait(150)
    fake.carry("a7", "g7", after_ms=200)
    fake.wait(300)
    assert fake.record == ["b6", "Qg7#"]
    assert fake.session.view().outcome is None
    fake.wait(1000)
    assert fake.session.view().outcome is not None


def test_several_plies_are_taken_back_by_hand_if_the_game_allows_it() -> None:
    fake = table("chess", clock="60s")
    plies = (("d2", "d4"), ("d7", "d5"), ("c2", "c4"))
    for source, target in plies:
        fake.carry(source, target, after_ms=200)
        fake.wait(1500)
    for source, target in reversed(plies):
        fake.carry(target, source, after_ms=200)
        fake.wait(1500)
    assert fake.record == []
    assert not only(IllegalSeen, fake.history)
    white, black = fake.session.view().clocks
    assert (white.is_running, black.left_ms) == (True, 60_000)


def test_a_piece_on_the_origin_of_a_capture_does_not_take_it_back() -> None:
    fake = table("close-quarters", "4/4/2P1/2S1/2A1/4/4/3M s 0")
    sword = fake.lift("c5")
    fake.lift("c6")
    fake.wait(200)
    fake.put("c6", sword)
    fake.wait(3000)
    fake.carry("d1", "c5", after_ms=200)
    fake.wait(500)
    assert fake.session.view().fault is not None
