# SPDX-License-Identifier: Apache-2.0
"""One ordered history is made of late, unordered and missing reports."""

from __future__ import annotations

from companion.eboards.codec import chess_piece
from companion.eboards.reconciler import Reconciler
from companion.model.grid import rectangle
from companion.model.observation import EMPTY, Change, Sighting

CELL = rectangle(8, 8).cell
NAMES = rectangle(8, 8).names


def board(**pieces: str) -> tuple[Sighting, ...]:
    """All cells, with the FEN letters of some; `e2="P"`."""
    return tuple(chess_piece(pieces[name]) if name in pieces else EMPTY for name in NAMES)


def of(confirmations: int = 1, **pieces: str) -> Reconciler:
    """A reconciler that knows *pieces*."""
    made = Reconciler(confirmations, hold_ms=300)
    for _ in range(confirmations):
        assert made.whole(board(**pieces), 0) == []
    assert made.pieces == board(**pieces)
    return made


def changed(changes: list[Change]) -> list[tuple[int, str, str]]:
    return [(each.t_ms, NAMES[each.cell], each.sighting.kind or "") for each in changes]


def test_a_lifted_and_placed_piece_is_reported_at_once() -> None:
    made = of(e2="P")
    assert changed(made.field(CELL("e2"), EMPTY, 10)) == [(10, "e2", "")]
    assert changed(made.field(CELL("e4"), chess_piece("P"), 20)) == [(20, "e4", "pawn")]


def test_a_piece_reported_on_its_new_cell_first_waits_for_the_old_one() -> None:
    made = of(e2="P")
    assert made.field(CELL("e4"), chess_piece("P"), 10) == []
    assert made.deadline_ms == 310
    assert changed(made.field(CELL("e2"), EMPTY, 90)) == [(90, "e2", ""), (90, "e4", "pawn")]
    assert made.deadline_ms is None


def test_a_piece_that_is_held_back_is_reported_after_some_time() -> None:
    """A second piece of that kind was put on the eboard."""
    made = of(e2="P")
    made.field(CELL("e4"), chess_piece("P"), 10)
    assert made.expire(309) == []
    assert changed(made.expire(310)) == [(310, "e4", "pawn")]


def test_a_slide_that_is_reported_in_a_jumble_keeps_the_order_of_the_cells() -> None:
    """A queen on c1 captures on c4; the makers describe such reports."""
    made = of(c1="Q", c4="p")
    queen = chess_piece("Q")
    reports = [("c4", EMPTY), ("c2", queen), ("c3", queen), ("c1", EMPTY), ("c2", EMPTY), ("c4", queen)]
    found = [
        change
        for number, (name, piece) in enumerate(reports)
        for change in made.field(CELL(name), piece, number)
    ]
    found += made.field(CELL("c3"), EMPTY, 6)
    assert [(name, kind) for _, name, kind in changed(found)] == [
        *(("c4", ""), ("c1", ""), ("c2", "queen"), ("c2", ""), ("c3", "queen"), ("c3", ""), ("c4", "queen")),
    ]
    assert made.pieces == board(c4="Q")


def test_a_capture_without_an_empty_cell_is_one_change() -> None:
    made = of(b3="P", c4="n")
    assert made.field(CELL("c4"), chess_piece("P"), 10) == []
    assert changed(made.field(CELL("b3"), EMPTY, 20)) == [(20, "b3", ""), (20, "c4", "pawn")]


def test_what_was_missed_is_found_in_a_report_of_all_cells_with_emptied_cells_first() -> None:
    made = of(a1="R", h8="k")
    assert changed(made.whole(board(a1="k", h8="R"), 50)) == [(50, "a1", "king"), (50, "h8", "rook")]
    assert changed(made.whole(board(b1="k"), 60)) == [(60, "a1", ""), (60, "h8", ""), (60, "b1", "king")]


def test_a_differing_report_is_believed_when_it_is_repeated() -> None:
    made = of(2, e2="P")
    assert made.whole(board(e3="P"), 10) == []
    assert not made.is_settled
    assert made.whole(board(e4="P"), 20) == []
    assert changed(made.whole(board(e4="P"), 30)) == [(30, "e2", ""), (30, "e4", "pawn")]
    assert made.is_settled


def test_a_report_that_agrees_needs_no_repetition_and_forgets_a_doubt() -> None:
    made = of(2, e2="P")
    made.whole(board(e3="P"), 10)
    assert made.whole(board(e2="P"), 20) == []
    assert made.is_settled
    assert made.whole(board(e3="P"), 30) == []


def test_nothing_is_known_before_the_first_report_of_all_cells_and_after_a_loss() -> None:
    made = Reconciler(1, 300)
    assert made.field(0, chess_piece("P"), 5) == []
    assert made.pieces is None
    made.whole(board(), 10)
    made.forget()
    assert made.pieces is None
