# SPDX-License-Identifier: Apache-2.0
"""Starting numbers: rating, then title, then entry (FIDE Handbook C.04.2)."""

from __future__ import annotations

from dataclasses import replace

from companion.tournament.starting_order import starting_numbers
from companion.tournament.values import Format, Player, Tournament

ENTRIES = (
    Player(1, "Ana", 2100),
    Player(2, "Ben", 2300, "CM"),
    Player(3, "Cleo", 2300, "wgm"),
    Player(4, "Dora", 2300, "FM"),
    Player(5, "Eli", 2300),
    Player(6, "Finn", 2300),
    Player(7, "Gul", 0, "GM"),
)
SWISS = Tournament("Evening", Format.SWISS, "chess", players=ENTRIES)


def test_equal_ratings_are_ordered_by_title_and_then_by_entry() -> None:
    assert starting_numbers(SWISS) == {3: 1, 4: 2, 2: 3, 5: 4, 6: 5, 1: 6, 7: 7}


def test_a_late_entry_shifts_weaker_players_only_where_numbers_follow_strength() -> None:
    late = (*ENTRIES, Player(8, "Hana", 2300, "IM"))
    assert starting_numbers(replace(SWISS, players=late))[8] == 1
    assert starting_numbers(replace(SWISS, players=late, format=Format.ROUND_ROBIN))[8] == 8
