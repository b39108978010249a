# SPDX-License-Identifier: Apache-2.0
"""Seats at the page of a table: claimed, asked for, given, kept and freed."""

from __future__ import annotations

from companion.host.web.seats import HELD_MS, Seats

BOTH = frozenset({0, 1})


def seats(*browsers: str) -> Seats:
    made = Seats(2)
    for browser in browsers:
        made.enter(browser)
    return made


def test_while_nobody_is_seated_everybody_moves_for_all_sides() -> None:
    table = seats("ann", "ben")
    assert table.sides_of("ann") == table.sides_of("ben") == BOTH


def test_who_sits_moves_only_for_that_side_and_the_others_not_at_all() -> None:
    table = seats("ann", "ben", "cleo")
    table.sit("ann", [0], 0)
    assert [table.sides_of(each) for each in ("ann", "ben")] == [{0}, frozenset()]
    table.sit("ben", [1], 0)
    assert table.sides_of("ben") == {1}
    assert table.sides_of("cleo") == frozenset()


def test_who_watches_does_not_move_even_where_nobody_is_seated() -> None:
    table = seats("ann", "ben")
    table.sit("ann", [], 0)
    assert table.sides_of("ann") == frozenset()
    assert table.sides_of("ben") == BOTH
    table.stand_up("ann", 0)
    assert table.sides_of("ann") == BOTH


def test_a_taken_seat_is_asked_for_and_the_first_holder_decides() -> None:
    table = seats("ann", "ben")
    table.sit("ann", [0, 1], 0)
    table.sit("ben", [1], 0)
    assert table.seen_by("ben").asked == table.seen_by("ann").wanted == (1,)
    assert table.sides_of("ben") == frozenset()
    table.answer("ben", 1, gives=True)  # only the holder decides
    assert table.sides_of("ann") == BOTH
    table.answer("ann", 1, gives=False)
    assert table.seen_by("ben").asked == ()
    table.sit("ben", [1], 0)
    table.answer("ann", 1, gives=True)
    assert [table.sides_of("ann"), table.sides_of("ben")] == [{0}, {1}]


def test_a_seat_is_free_a_minute_after_its_last_page_was_closed() -> None:
    table = seats("ann", "ann", "ben")
    table.sit("ann", [0], 0)
    table.leave("ann", 1000)
    assert table.next_deadline_ms() is None
    table.leave("ann", 2000)
    assert table.next_deadline_ms() == 2000 + HELD_MS
    table.sit("ben", [0], 3000)
    assert table.seen_by("ben").away == table.seen_by("ben").asked == (0,)
    assert not table.tick(1999 + HELD_MS)
    assert table.tick(2000 + HELD_MS)
    assert table.sides_of("ben") == {0}
    assert table.next_deadline_ms() is None


def test_a_browser_that_comes_back_in_time_has_its_seat() -> None:
    table = seats("ann", "ben")
    table.sit("ann", [0], 0)
    table.leave("ann", 0)
    table.enter("ann")
    assert table.next_deadline_ms() is None
    assert not table.tick(10 * HELD_MS)
    assert table.sides_of("ann") == {0}


def test_a_claim_ends_with_the_pages_of_the_browser_that_made_it() -> None:
    table = seats("ann", "ben")
    table.sit("ann", [0], 0)
    table.sit("ben", [0], 0)
    table.leave("ben", 0)
    assert table.seen_by("ann").wanted == ()


def test_a_rematch_swaps_the_seats_and_another_game_frees_them() -> None:
    table = seats("ann", "ben")
    table.sit("ann", [0], 0)
    table.sit("ben", [1], 0)
    table.play_again(BOTH, by=1)
    assert [table.sides_of("ann"), table.sides_of("ben")] == [{1}, {0}]
    assert table.seen_by("ann").begun == 1
    table.leave("ben", 0)
    table.play_other(4)
    assert table.sides_of("ann") == {0, 1, 2, 3}
    assert table.seen_by("ann").begun == 2
    assert table.next_deadline_ms() is None  # the seat of ben is free already


def test_a_seat_of_a_side_that_the_computer_plays_now_is_free() -> None:
    table = seats("ann", "ben")
    table.sit("ann", [0], 0)
    table.sit("ben", [1], 0)
    table.play_again({1})
    assert [table.sides_of("ann"), table.sides_of("ben")] == [frozenset(), {1}]
    assert table.seen_by("ann").taken == (1,)


def test_each_denial_is_told_to_the_browser_that_tried() -> None:
    table = seats("ann", "ben")
    for side in (1, None):
        table.deny("ann", side)
    assert table.seen_by("ann").denied == (2, None)
    assert table.seen_by("ben").denied is None


def test_a_side_that_the_game_has_not_is_no_seat() -> None:
    table = seats("ann")
    table.sit("ann", [0, 7, -1], 0)
    assert table.sides_of("ann") == {0}
