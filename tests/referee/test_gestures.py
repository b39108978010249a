# SPDX-License-Identifier: Apache-2.0
"""What is shown while hands act on a board."""

from __future__ import annotations

import pytest

from companion.model.game import CallOut
from companion.model.observation import SensorKind
from companion.referee.values.events import IllegalSeen
from tests.referee.support import only, table


@pytest.mark.parametrize("order", [("d5", "e4"), ("e4", "d5")])
def test_the_target_is_lit_while_mover_and_victim_are_lifted(order: tuple[str, str]) -> None:
    fake = table("chess", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    for name in order:
        fake.lift(name)
        fake.wait(200)
    view, cell = fake.session.view(), fake.rules.grid.cell
    assert view.lifted == tuple(map(cell, order))
    assert view.targets == (cell("d5"),)


TWO_SWAPS = "s3w3,s1l5,.,.,w2s4/.,l4u2,s1l5,L5S1,./.,.,.,.,./S1L5,.,U1W5,.,./.,U1W5,W2S4,W2S4,U3L3 f 2U2L4+1W3S3 2U1W5+1U2L4+1W2S4+1L3U3 -"


@pytest.mark.parametrize("kind", SensorKind)
@pytest.mark.parametrize(
    ("lifted", "lit"), [("b1", "a1 b2 c1"), ("c1", "b1 c2"), ("d1", "d2 e1"), ("e1", "d1 e2")]
)
def test_either_of_two_pawns_that_may_change_places_has_the_cell_of_the_other(
    kind: SensorKind, lifted: str, lit: str
) -> None:
    fake = table("gottaz", TWO_SWAPS, kind)
    fake.lift(lifted)
    fake.wait(200)
    targets = fake.session.view().targets
    assert {fake.rules.grid.name(cell) for cell in targets} == set(lit.split())


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
