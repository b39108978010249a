# SPDX-License-Identifier: Apache-2.0
"""The time control: command line before the game's option before the settings. Levels."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from companion import games
from companion.feedback.wordfiles import languages, read_common
from companion.host.game_info import control_of, is_offered, manner, named_levels, strength
from companion.model.game import ComposesOptions
from companion.opponent.levels import levels, names
from companion.referee.values.controls import write_control


@pytest.mark.parametrize(
    ("option", "said", "usual", "expected"),
    [
        ("none", None, "none", "none"),
        ("30", None, "none", "30"),
        ("45", None, "15+10", "45"),
        ("none", None, "15+10", "15+10"),
        ("30", "5+3", "15+10", "5+3"),
        ("30", "none", "15+10", "none"),
    ],
)
def test_the_command_line_overrides_the_games_option_and_the_settings(
    option: str, said: str | None, usual: str, expected: str
) -> None:
    game = games.find("tank-chess")
    (offered,) = (each.values for each in game.options if each.name == "clock")
    assert option in offered  # so that it is shown to everyone who starts a game
    rules = game.rules({"clock": option})
    assert write_control(control_of(rules, said, usual)) == expected


def test_a_game_without_such_an_option_can_be_timed() -> None:
    rules = games.find("martian-chess").rules({"players": "4"})
    control = control_of(rules, "5")
    assert control is not None
    assert len(control.periods) == 4


@pytest.mark.parametrize(
    ("slug", "name", "value", "may"),
    [
        ("chess", "start", "518", True),
        ("chess", "start", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", True),
        ("chess", "start", "file", False),
        ("tank-chess", "map", 'title = "Yard"\nsize = [4, 4]\n', True),
        ("tank-chess", "map", "yard; 4x4; ; CA1N cD4S", True),
        ("tank-chess", "map", "/etc/passwd", False),
        ("gottaz", "pawns", "2S1L5+U1W5", True),
        ("gottaz", "pawns", "ours; supply-1/leap-5", True),
        ("gottaz", "pool", "../own.toml", False),
        ("gottaz", "pool", "full", True),
        ("close-quarters", "turn_limit", "20", True),
        ("close-quarters", "start", "a; b", False),
    ],
)
def test_a_browser_gives_texts_but_names_no_files(slug: str, name: str, value: str, may: bool) -> None:
    option = next(each for each in games.find(slug).options if each.name == name)
    assert is_offered(option, value) == may


def test_the_parts_of_an_option_make_a_value_that_the_rules_take() -> None:
    gottaz = games.find("gottaz")
    assert isinstance(gottaz, ComposesOptions)
    groups = gottaz.parts("pawns")
    assert [(group.title, group.count, len(group.parts)) for group in groups] == [
        ("1/5", 4, 10),
        ("2/4", 4, 10),
        ("3/3", 2, 6),
    ]
    value = "+".join(text for group in groups for text, _ in group.parts[: group.count])
    hands = gottaz.rules({"pawns": value}).initial().hands
    assert [sum(hand) for hand in hands] == [10, 10]
    assert gottaz.parts("pool") == ()


@pytest.mark.parametrize("language", languages())
def test_a_level_is_listed_with_its_number_name_and_strength(language: str) -> None:
    """The strength is known in chess only, to 50 Elo."""
    listed = named_levels("chess", language)
    for level, name, each in zip(levels("chess"), names("chess", language), listed, strict=True):
        said = re.fullmatch(rf"{level.number} {name} · \D*(\d+)\D*", each.label)
        assert said is not None
        assert each.name == name
        assert abs(int(said[1]) - (level.elo or 1350)) <= 25
    assert [each.label for each in named_levels("close-quarters", language)] == [
        f"{number} {name}" for number, name in enumerate(names("close-quarters", language), 1)
    ]


@pytest.mark.parametrize("language", languages())
def test_each_level_says_how_it_plays(language: str) -> None:
    """What it overlooks comes before how far it looks."""
    labels = read_common(language).labels
    weak, *_, strong = levels("chess")
    assert manner(weak, language) == labels["plays-blindly"]
    assert manner(replace(weak, overlooked=29), language) == labels["plays-carelessly"]
    assert manner(replace(weak, overlooked=0), language) == labels["plays-replies"]
    assert "3" in manner(replace(weak, overlooked=0, depth=3), language)
    assert manner(strong, language) == labels["plays-deeply"]
    assert manner(levels("close-quarters")[-1], language) == labels["plays-perfectly"]
    assert (
        named_levels("chess", language)[0].play == f"{labels['plays-blindly']} · {strength(weak, language)}"
    )


def test_a_strength_below_the_least_measured_one_says_so() -> None:
    weakest, *_, strongest = levels("chess")
    assert strength(weakest, "en") == "below 1350 Elo"
    assert strength(replace(weakest, elo=1405), "en") == "about 1400 Elo"
    assert strength(replace(weakest, elo=None), "en") == ""
    assert strength(strongest, "de").startswith("etwa ")
