# SPDX-License-Identifier: Apache-2.0
"""Who begins is an option; a draw by lot sets its value."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from companion.games import find
from companion.model.errors import OptionError
from companion.model.lots import drawn, is_random, lot

DRAWING = ("fightopia", "gottaz", "martian-chess")
"""Games whose rulebooks draw lots for the first turn."""


def begins(slug: str, first: str, **options: str) -> int:
    """The side that begins under *first*."""
    rules = find(slug).rules({"first": first, **options})
    return int(rules.initial().turn)


@pytest.mark.parametrize("slug", DRAWING)
@pytest.mark.parametrize(("lot", "side"), [("random:1", 0), ("random:2", 1)])
def test_the_drawn_side_begins(slug: str, lot: str, side: int) -> None:
    rules = find(slug).rules({"first": lot})
    assert rules.options["first"] == lot
    assert rules.initial().turn == side
    assert rules.legal_moves(rules.initial())


@pytest.mark.parametrize(("slug", "first"), [("fightopia", "black"), ("gottaz", "second")])
def test_the_second_side_begins_under_that_option(slug: str, first: str) -> None:
    assert begins(slug, first) == 1


@pytest.mark.parametrize("slug", DRAWING)
def test_the_first_side_is_shown_before_the_draw_as_in_older_records(slug: str) -> None:
    assert begins(slug, "random") == 0


@pytest.mark.parametrize("players", ["2", "3", "4", "5", "6"])
def test_each_of_several_players_may_be_drawn(players: str) -> None:
    chance = random.Random(1)
    found = Counter(drawn({"first": "random"}, int(players), chance.randrange)["first"] for _ in range(600))
    assert {begins("martian-chess", value, players=players) for value in found} == set(range(int(players)))
    assert min(found.values()) > 600 / int(players) / 2


def test_only_this_option_is_drawn_and_a_drawn_value_is_drawn_again() -> None:
    assert drawn({"first": "white", "no_move": "loss"}, 2, lambda _: 1) == {
        "first": "white",
        "no_move": "loss",
    }
    assert drawn({"first": "random:1"}, 2, lambda _: 1) == {"first": "random:2"}


@pytest.mark.parametrize("value", ["random:0", "random:", "random:-1", "random:22", "random:x", "random:²"])
def test_a_draw_without_a_side_is_refused(value: str) -> None:
    assert lot(value) is None
    assert not is_random(value)
    with pytest.raises(OptionError, match="option first"):
        find("fightopia").rules({"first": value})


def test_a_draw_of_a_side_that_does_not_play_is_refused() -> None:
    with pytest.raises(OptionError, match="side 3 was drawn, but there are 2"):
        find("martian-chess").rules({"first": "random:3"})


def test_games_without_the_option_have_no_draw() -> None:
    with pytest.raises(OptionError, match="option repetition"):
        find("tank-chess").rules({"repetition": "random:1"})
