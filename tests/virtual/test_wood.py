# SPDX-License-Identifier: Apache-2.0
"""Pieces of a virtual table are neither lost nor doubled, whatever hands do."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.virtual.wood import Held, Wood

MACE, AXE = Piece("mace", 1), Piece("axe", 1)
WOOD = Wood(Placement.of([(0, MACE), (5, AXE)]))


def pieces(wood: Wood) -> Counter[Piece]:
    held = [wood.hand.piece] if wood.hand else []
    return Counter([*(piece for piece, _ in wood.standing.entries), *held, *wood.box])


def test_a_lifted_piece_is_in_the_hand_and_its_cell_uncovered() -> None:
    lifted = WOOD.lift(0)
    assert Held(MACE, 0) == lifted.hand
    assert lifted.occupied == 1 << 5


def test_a_hand_holds_one_piece() -> None:
    assert WOOD.lift(0).lift(5) == WOOD.lift(0)
    assert WOOD.clear(0).lift(5).take(0) == WOOD.clear(0).lift(5)


def test_a_piece_cannot_be_dropped_on_another() -> None:
    assert WOOD.lift(0).drop(5) == WOOD.lift(0)


def test_a_capture_clears_the_cell_before_it_drops() -> None:
    done = WOOD.lift(0).clear(5).drop(5)
    assert Placement.of([(5, MACE)]) == done.standing
    assert done.box == (AXE,)


def test_what_lies_in_the_box_can_be_set_up_again() -> None:
    assert WOOD.lift(0).put_away().take(0).drop(0) == WOOD


@given(
    st.lists(
        st.one_of(
            st.tuples(st.sampled_from(["lift", "clear", "drop"]), st.integers(0, 6)),
            st.tuples(st.just("take"), st.integers(-1, 2)),
            st.just(("put_away",)),
        )
    )
)
def test_no_piece_is_lost_or_doubled_by_any_hands(actions: list[tuple[str, *tuple[int, ...]]]) -> None:
    wood = WOOD
    for name, *arguments in actions:
        wood = getattr(wood, name)(*arguments)
        assert pieces(WOOD) == pieces(wood)
