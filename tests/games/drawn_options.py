# SPDX-License-Identifier: Apache-2.0
"""Options of each game under which drawn positions are tried, the defaults first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

EVERY_ABILITY: Final = "J1R5+T1D5+W1L5+S1J5+T2D4+R2W4+J2T4+D2L4+R3T3+W3U3"
"""Ten pawns of GOTTAZ with all abilities."""

OPTIONS: Final[Mapping[str, tuple[Mapping[str, str], ...]]] = {
    "chess": ({}, {"start": "518"}, {"start": "77"}),
    "close-quarters": ({}, {"sword": "king", "mace_path": "either"}, {"sword_jumps": "yes"}),
    "fightopia": ({}, {"pivot_clearance": "swept"}),
    "gottaz": (
        {},
        {"pawns": EVERY_ABILITY},
        {
            "pawns": EVERY_ABILITY,
            "adjacency": "all-eight",
            "leap_over": "no",
            "enter_occupied_territory": "battle",
        },
        {"pawns": "draft"},
    ),
    "martian-chess": (
        *({}, {"players": "3"}, {"players": "4"}, {"players": "6", "no_undo": "all"}),
        {"players": "5", "centre": "either-neighbour", "merge": "replace"},
    ),
    "tank-chess": ({}, {"map": "companion-20"}),
}
