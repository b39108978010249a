# SPDX-License-Identifier: Apache-2.0
"""Starting numbers: by rating, then title, then entry (FIDE Handbook C.04.2)."""

from __future__ import annotations

from typing import Final

from companion.tournament.values import Format, Number, Player, Tournament

_TITLES: Final = ("GM", "IM", "WGM", "FM", "WIM", "CM", "WFM", "WCM")
"""From the highest to the lowest."""


def strength(player: Player) -> tuple[int, int, Number]:
    """What orders players, the strongest first: the lowest value comes first."""
    title = player.title.upper()
    place = _TITLES.index(title) if title in _TITLES else len(_TITLES)
    return -player.rating, place, player.number


def by_strength(tournament: Tournament) -> list[Player]:
    """The players in pairing order."""
    return sorted(tournament.players, key=strength)


def starting_numbers(tournament: Tournament) -> dict[Number, int]:
    """The starting number of each player: by strength, in a round robin by entry.

    A late entry therefore shifts weaker players.
    """
    is_fixed = tournament.format in (Format.ROUND_ROBIN, Format.DOUBLE_ROUND_ROBIN)
    order = tournament.players if is_fixed else by_strength(tournament)
    return {player.number: place for place, player in enumerate(order, 1)}
