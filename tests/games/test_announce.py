# SPDX-License-Identifier: Apache-2.0
"""What may be chosen to be called out is what the game has; older records are still understood."""

from __future__ import annotations

import pytest

from companion.games import _template, find
from companion.model.game import Game

ONLY = {"chess": "check", "close-quarters": "check", "gottaz": "escape"}


def values(game: Game) -> tuple[str, ...]:
    """What can be chosen to be called out."""
    return next(option.values for option in game.options if option.name == "announce")


@pytest.mark.parametrize(("slug", "cry"), ONLY.items())
def test_a_game_with_one_cry_offers_that_cry_or_none(slug: str, cry: str) -> None:
    assert values(find(slug)) == (cry, "none")


def test_a_game_with_both_cries_offers_both() -> None:
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
def test_what_older_records_say_means_what_it_meant(slug: str, former: str, now: str) -> None:
    assert find(slug).rules({"announce": former}).options["announce"] == now
