# SPDX-License-Identifier: Apache-2.0
"""The options for announcements match the game; values of older records are understood."""

from __future__ import annotations

import pytest

from companion.games import _template, find
from companion.model.game import Game

ONLY = {"chess": "check", "close-quarters": "check", "gottaz": "escape"}


def values(game: Game) -> tuple[str, ...]:
    """The values of the option for announcements."""
    return next(option.values for option in game.options if option.name == "announce")


@pytest.mark.parametrize(("slug", "cry"), ONLY.items())
def test_a_game_with_one_announcement_offers_it_or_none(slug: str, cry: str) -> None:
    assert values(find(slug)) == (cry, "none")


def test_a_game_with_both_announcements_offers_both() -> None:
    assert values(find("fightopia")) == ("all", "check-only", "none")
    assert values(_template.GAME) == ("escape", "none")


@pytest.mark.parametrize(
    ("slug", "former", "now"),
    [
        ("chess", "all", "check"),
        ("chess", "check-only", "check"),
        ("gottaz", "all", "escape"),
        ("gottaz", "check-only", "none"),
        ("close-quarters", "none", "none"),
    ],
)
def test_values_of_older_records_keep_their_meaning(slug: str, former: str, now: str) -> None:
    assert find(slug).rules({"announce": former}).options["announce"] == now
