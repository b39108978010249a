# SPDX-License-Identifier: Apache-2.0
"""Hands at a virtual table take their time, one motion after another."""

from __future__ import annotations

from companion.host.desk import motions
from companion.host.hands import Drop, Hand, Lift, PutAway, PutBack, SetRight, Take
from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.virtual.wood import Wood

MACE, AXE = Piece("mace", 1), Piece("axe", 1)
START = Placement.of([(0, MACE), (5, AXE)])
WOOD = Wood(START)


def seen(wood: Wood, *hands: Hand, believed: Placement = START) -> list[int]:
    """What the switches feel, motion by motion."""
    felt = []
    for hand in hands:
        looks = list(motions(wood, hand, believed))
        felt += [look.occupied for look in looks]
        wood = looks[-1]
    return felt


def after(wood: Wood, *hands: Hand, believed: Placement = START) -> Wood:
    for hand in hands:
        *_, wood = motions(wood, hand, believed)
    return wood


def test_a_capture_is_felt_as_three_motions() -> None:
    both, axe, none, mace = 0b100001, 0b100000, 0, 0b100000
    assert [axe, none, mace] == seen(WOOD, Lift(0), Drop(5))
    assert both == WOOD.occupied


def test_putting_back_leaves_everything_as_it_was() -> None:
    assert after(WOOD, Lift(0), PutBack()) == WOOD


def test_a_piece_from_the_box_is_put_back_into_the_box() -> None:
    boxed = after(WOOD, Lift(0), PutAway())
    assert after(boxed, Take(0), PutBack()) == boxed


def test_a_piece_whose_cell_was_taken_meanwhile_is_put_into_the_box() -> None:
    taken = Wood(START).lift(0)
    blocked = Wood(Placement.of([(0, AXE)]), taken.hand)
    assert [loose.piece for loose in after(blocked, PutBack()).box] == [MACE]


def test_set_right_brings_every_piece_to_its_cell_from_board_hand_and_box() -> None:
    astray = after(WOOD, Lift(0), Drop(9), Lift(5))
    assert after(astray, SetRight()) == WOOD
    assert after(after(WOOD, Lift(0), Drop(5)), SetRight()) == WOOD


def test_set_right_takes_off_before_it_puts_down() -> None:
    swapped = Wood(Placement.of([(0, AXE), (5, MACE)]))
    assert [0, START.occupancy] == seen(swapped, SetRight())
