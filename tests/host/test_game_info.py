# SPDX-License-Identifier: Apache-2.0
"""The time control: command line before the game's option before the settings."""

from __future__ import annotations

import pytest

from companion import games
from companion.host.game_info import control_of
from companion.referee.controls import write_control


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
