# SPDX-License-Identifier: Apache-2.0
"""Hands at a virtual table take time: one motion after another."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise

from companion.games import find
from companion.host.clock import monotonic
from companion.host.virtual_table.hands import (
    Drop,
    Flip,
    Hand,
    Lift,
    PutAway,
    PutBack,
    SetRight,
    Take,
    Touch,
    Turn,
)
from companion.host.virtual_table.table import VirtualTable, motions
from companion.link.panel import panel_for
from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet

MACE, AXE = Piece("mace", 1), Piece("axe", 1)
START = Placement.of([(0, MACE), (5, AXE)])
WOOD = PieceSet(START)


def seen(pieces: PieceSet, *hands: Hand, believed: Placement = START) -> list[int]:
    """The switch changes, motion by motion."""
    felt = []
    for hand in hands:
        looks = list(motions(pieces, hand, believed))
        felt += [look.occupied for look in looks]
        pieces = looks[-1]
    return felt


def after(pieces: PieceSet, *hands: Hand, believed: Placement = START) -> PieceSet:
    for hand in hands:
        *_, pieces = motions(pieces, hand, believed)
    return pieces


def test_a_capture_is_sensed_as_three_motions() -> None:
    both, axe, none, mace = 0b100001, 0b100000, 0, 0b100000
    assert [axe, none, mace] == seen(WOOD, Lift(0), Drop(5))
    assert both == WOOD.occupied


def test_putting_back_restores_the_board() -> None:
    assert after(WOOD, Lift(0), PutBack()) == WOOD


def test_a_piece_from_the_box_is_put_back_into_the_box() -> None:
    boxed = after(WOOD, Lift(0), PutAway())
    assert after(boxed, Take(0), PutBack()) == boxed


def test_a_piece_whose_cell_was_taken_meanwhile_is_put_into_the_box() -> None:
    taken = PieceSet(START).lift(0)
    blocked = PieceSet(Placement.of([(0, AXE)]), taken.hand)
    assert [loose.piece for loose in after(blocked, PutBack()).box] == [MACE]


def test_correcting_brings_every_piece_to_its_cell_from_board_hand_and_box() -> None:
    astray = after(WOOD, Lift(0), Drop(9), Lift(5))
    assert after(astray, SetRight()) == WOOD
    assert after(after(WOOD, Lift(0), Drop(5)), SetRight()) == WOOD


def test_correcting_takes_off_before_it_puts_down() -> None:
    swapped = PieceSet(Placement.of([(0, AXE), (5, MACE)]))
    assert [0, START.occupancy] == seen(swapped, SetRight())


def test_a_touch_lifts_with_an_empty_hand_and_drops_with_a_full_one() -> None:
    assert after(WOOD, Touch(0)) == after(WOOD, Lift(0))
    assert after(WOOD, Touch(0), Touch(9)) == after(WOOD, Lift(0), Drop(9))
    assert after(WOOD, Touch(0), Touch(5)) == after(WOOD, Lift(0), Drop(5))
    assert after(WOOD, Touch(9)) == WOOD


def test_a_full_hand_drops_its_piece_on_any_cell() -> None:
    holding = replace(WOOD.lift(0), grid=find("tank-chess").rules().grid)
    assert after(holding, PutAway(5)) == after(holding, PutAway())
    assert after(holding, Turn(5)) == after(holding, Turn())
    assert after(holding, Flip(5)) == after(holding, Flip())
    assert [loose.piece for loose in after(WOOD, PutAway(5)).box] == [AXE]


def test_a_stack_is_carried_as_a_whole_also_to_an_illegal_cell() -> None:
    drone, pawn = Piece("drone"), Piece("pawn")
    queen = Piece("queen", shows="drone")
    pieces = PieceSet(Placement.of([(0, drone), (5, pawn), (8, drone)]))
    believed = Placement.of([(0, queen), (5, pawn), (8, drone)])
    astray = after(pieces, Lift(0), Drop(9), believed=believed)
    assert (astray.standing.at(9), astray.standing.at(8)) == (queen, drone)
    assert [loose.piece for loose in after(pieces, Lift(8), Drop(0), believed=believed).box] == [queen]
    assert after(pieces, Lift(8), PutBack(), believed=believed).standing == believed


def test_fast_commands_are_queued_and_sensed_one_after_another() -> None:
    """Five touches at once.

    Each change of the board is far enough from the one before to be detected.
    """
    rules = find("close-quarters").rules()
    panel = VirtualPanel(panel_for(rules.grid), unique_id=b"testtest", session=1, now_ms=0)
    felt: list[tuple[float, int]] = []

    async def hurry() -> PieceSet:
        virtual_table = VirtualTable(panel, WOOD, monotonic())
        for cell in (0, 9, 5, 9, 9):
            virtual_table.do(Touch(cell))
        is_done = asyncio.Event()

        def note(_is_felt: bool) -> None:
            felt.append((asyncio.get_running_loop().time(), virtual_table.pieces.occupied))
            if len(felt) == 6:
                is_done.set()

        running = asyncio.create_task(virtual_table.run(lambda: START, note))
        async with asyncio.timeout(60):
            await is_done.wait()
        running.cancel()
        await asyncio.wait({running})
        return virtual_table.pieces

    pieces = asyncio.run(hurry())
    assert [occupied for _, occupied in felt] == [1 << 5, 1 << 5 | 1 << 9, 1 << 9, 0, 1 << 9, 0]
    assert (pieces.hand and pieces.hand.piece, [loose.piece for loose in pieces.box]) == (AXE, [MACE])
    assert all(after_s - before_s > 0.1 for (before_s, _), (after_s, _) in pairwise(felt))
