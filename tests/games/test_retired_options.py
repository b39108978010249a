# SPDX-License-Identifier: Apache-2.0
"""Removed options: kept games still load; new games are refused with the reason."""

from __future__ import annotations

import pytest

from companion import games
from companion.feedback.wordfiles import languages
from companion.games import find, kept_options
from companion.host.text.error_translation import everywhere
from companion.model.errors import OptionError

RETIRED = [(slug, option) for slug in games.slugs() for option in find(slug).retired]


def test_removed_options_are_listed() -> None:
    assert {(slug, option.name) for slug, option in RETIRED} >= {
        ("close-quarters", "no_move"),
        ("gottaz", "supply_leaves"),
        ("martian-chess", "no_move"),
        ("tank-chess", "escape_in_reverse"),
    }
    for slug, option in RETIRED:
        assert option.name not in {one.name for one in find(slug).options}


@pytest.mark.parametrize(("slug", "name"), [(slug, option.name) for slug, option in RETIRED])
def test_a_new_game_with_a_removed_option_is_refused_with_the_reason_in_every_language(
    slug: str, name: str
) -> None:
    with pytest.raises(OptionError, match=f"option {name} was removed: .*; leave it out") as refused:
        find(slug).rules({name: "no"})
    told = everywhere(str(refused.value))
    assert told.keys() == set(languages()) - {"en"}
    reason = next(option.reason for option in find(slug).retired if option.name == name)
    assert all(reason not in text for text in told.values())


@pytest.mark.parametrize(("slug", "name"), [(slug, option.name) for slug, option in RETIRED])
def test_a_kept_game_may_name_a_removed_option(slug: str, name: str) -> None:
    rules = find(slug).rules()
    kept = kept_options(slug, {**rules.options, name: "no"})
    assert kept == rules.options
    assert find(slug).rules(kept).options == rules.options


def test_other_unknown_options_of_a_kept_game_stay_and_are_refused() -> None:
    assert kept_options("gottaz", {"colour": "red"}) == {"colour": "red"}
    with pytest.raises(OptionError, match="no option 'colour'"):
        find("gottaz").rules(kept_options("gottaz", {"colour": "red"}))
    assert kept_options("a-game-of-tomorrow", {"no_move": "loss"}) == {"no_move": "loss"}
