# SPDX-License-Identifier: Apache-2.0
"""No action of a hand loses or doubles a piece of a virtual table."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from companion.model.grid import rectangle
from companion.model.pieces import Figure, Piece
from companion.model.placement import Placement
from companion.virtual.pieces import PieceSet, UnplacedPiece

MACE, AXE = Piece("mace", 1), Piece("axe", 1)
TABLE = PieceSet(Placement.of([(0, MACE), (5, AXE)]))


def every_piece(table: PieceSet) -> Counter[Piece]:
    held = [table.hand.piece] if table.hand else []
    return Counter(
        [*(piece for piece, _ in table.standing.entries), *held, *(loose.piece for loose in table.box)]
    )


def test_a_lifted_piece_is_in_the_hand_and_its_cell_uncovered() -> None:
    lifted = TABLE.lift(0)
    assert UnplacedPiece(MACE, 0) == lifted.hand
    assert lifted.occupied == 1 << 5


def test_a_hand_holds_one_piece() -> None:
    assert TABLE.lift(0).lift(5) == TABLE.lift(0)
    assert TABLE.clear(0).lift(5).take(0) == TABLE.clear(0).lift(5)


def test_a_piece_cannot_be_dropped_on_another() -> None:
    assert TABLE.lift(0).drop(5) == TABLE.lift(0)


def test_a_capture_clears_the_cell_before_it_drops() -> None:
    done = TABLE.lift(0).clear(5).drop(5)
    assert Placement.of([(5, MACE)]) == done.standing
    assert [loose.piece for loose in done.box] == [AXE]


def test_pieces_in_the_box_can_be_set_up_again() -> None:
    assert TABLE.lift(0).put_away().take(0).drop(0) == TABLE


BOARD = rectangle(4, 4)
TANK = Piece("tank", 0, facing=0)
LONG = PieceSet(Placement(((TANK, (0, 4)), (MACE, (10,)))), grid=BOARD)


def test_a_long_piece_is_carried_by_the_cell_where_it_was_taken() -> None:
    assert Placement(((TANK, (1, 5)), (MACE, (10,)))) == LONG.lift(0).drop(1).standing
    assert Placement(((TANK, (2, 6)), (MACE, (10,)))) == LONG.lift(4).drop(6).standing


def test_a_long_piece_cannot_cross_the_edge_or_cover_another_piece() -> None:
    for cell in (12, 15, 6, 10):
        assert LONG.lift(0).drop(cell) == LONG.lift(0)
    assert LONG.lift(0).reach(6) == (6, 10)


def test_a_long_piece_turns_by_quarters_and_four_of_them_change_nothing() -> None:
    held = LONG.lift(0)
    turned = held.turn().drop(0)
    assert turned.standing.entry_at(1) == (Piece("tank", 0, facing=2), (0, 1))
    assert held == held.turn().turn().turn().turn()


def test_a_short_piece_turns_by_a_step_of_its_facing() -> None:
    light = PieceSet(Placement.of([(5, TANK)]), grid=BOARD)
    assert light.lift(5).turn().drop(5).standing.at(5) == Piece("tank", 0, facing=1)


def test_a_long_piece_keeps_its_length_in_the_box() -> None:
    assert LONG.clear(4).take(0).drop(0) == LONG
    assert LONG.clear(4).stand(TANK, (2, 6)).standing.entry_at(6) == (TANK, (2, 6))


def test_a_required_piece_comes_from_the_box_or_is_a_spare_piece() -> None:
    """Such as a second queen, which no start position has."""
    stood = TABLE.clear(0).stand(MACE, (2,))
    assert (stood.standing.at(2), stood.box) == (MACE, ())
    assert stood.stand(MACE, (3,)).standing.at(3) == MACE


@given(
    st.lists(
        st.one_of(
            st.tuples(st.sampled_from(["lift", "clear", "drop"]), st.integers(0, 6)),
            st.tuples(st.just("take"), st.integers(-1, 2)),
            st.just(("put_away",)),
        )
    )
)
def test_no_action_loses_or_doubles_a_piece(actions: list[tuple[str, *tuple[int, ...]]]) -> None:
    table = TABLE
    for name, *arguments in actions:
        table = getattr(table, name)(*arguments)
        assert every_piece(TABLE) == every_piece(table)


def on_foot(cell: int, piece: Piece) -> PieceSet:
    """A board with one piece of two faces."""
    return PieceSet(Placement.of([(cell, piece)]), grid=BOARD, figures=(Figure((SMALL, WRECK)),))


SMALL = Piece("small", 0, facing=0)
WRECK = Piece("small", 0, pose="wreck")


def test_a_piece_is_turned_in_place_both_ways() -> None:
    table = on_foot(5, SMALL)
    assert replace(SMALL, facing=1) == table.turn_on(5).standing.at(5)
    assert replace(SMALL, facing=7) == table.turn_on(5, back=True).standing.at(5)
    assert table == table.turn_on(5).turn_on(5, back=True)
    assert LONG.turn_on(0) == LONG


@given(st.integers(0, 9), st.booleans())
def test_turning_a_held_piece_and_back_changes_nothing(times: int, is_long: bool) -> None:
    held = LONG.lift(0) if is_long else on_foot(5, SMALL).lift(5)
    turned = held
    for _ in range(times):
        turned = turned.turn()
    for _ in range(times):
        turned = turned.turn(back=True)
    assert held == turned


def test_a_piece_is_flipped_on_the_board_and_in_the_hand() -> None:
    table = on_foot(5, SMALL)
    assert table.flip(5).standing.at(5) == WRECK
    assert table.flip(5).flip(5) == table
    assert table.lift(5).flip().drop(5) == table.flip(5)
    assert LONG.flip(0) == LONG
    assert LONG.flip() == LONG
    assert LONG.lift(0).flip() == LONG.lift(0)


def test_the_box_is_filled_with_the_pieces_missing_from_the_table() -> None:
    hands = (MACE, MACE, AXE)
    assert [loose.piece for loose in TABLE.supply(hands).box] == [MACE]
    assert TABLE.supply(hands).lift(0).supply(hands) == TABLE.supply(hands).lift(0)


def test_a_piece_takes_the_identity_that_a_player_gave_it() -> None:
    spare = PieceSet(Placement.of([(0, MACE)]), box=(UnplacedPiece(AXE),))
    assert PieceSet(Placement.of([(0, AXE)]), box=(UnplacedPiece(MACE),)) == spare.agree(
        Placement.of([(0, AXE)])
    )
    assert spare == spare.agree(Placement.of([(0, replace(MACE, side=0)), (5, AXE)]))
