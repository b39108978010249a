# SPDX-License-Identifier: Apache-2.0
"""The setup of a game: all of it reaches whatever holds it, and a rematch."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import companion
from companion.host.codec import decode, encode
from companion.host.hall.core.wire import Wanted
from companion.host.journal.checksum import whole_lines
from companion.host.journal.setup import GameSetup
from companion.host.play.game_factory import TableGameFactory
from companion.host.play.start import PlayOptions
from companion.host.start_page.requests import Exercise
from companion.host.table.table_game import Again
from companion.model.absent import PlayedBy
from companion.model.errors import SettingsError
from tests.host.setup_walk import stations

FORM: dict[str, Any] = {
    "game": "chess",
    "options": [["announce", "none"]],
    "players": ["Ann", ""],
    "control": "15+10",
    "position": "8/8/8/4k3/8/4K2R/8/8 w - - 0 1",
    "played_by": ["table", "computer"],
    "levels": [0, 2],
    "warned": [0],
}
"""A value for each field, as the page of a table sends it."""
EXERCISES = ({"game": "chess", "lesson": "castling"}, {"game": "chess", "puzzle": 1})
ADDED = '\n    handicap: str = ""\n'
"""A field that the program does not have."""


def test_every_field_of_a_game_reaches_table_journal_and_the_games_after_it(tmp_path: Path) -> None:
    exercises = {name for each in EXERCISES for name in each}
    assert {field.name for field in dataclasses.fields(GameSetup)} == {*FORM} | exercises
    for station, setup in stations(FORM, tmp_path):
        kept = encode(GameSetup, setup)
        chosen = [each for each in kept["options"] if each in FORM["options"]]  # a table has all options
        assert {**kept, "options": chosen} == FORM, f"lost at the {station}"


def test_the_words_of_an_order_and_their_order_stay() -> None:
    order = (
        '{"is": "Begin", "game": "chess", "options": [["announce", "none"]], "players": ["Ann"], '
        '"control": "15+10", "language": "de", "position": "x", "played_by": ["table", "computer"], '
        '"levels": [0, 2], "lesson": "castling", "warned": [0], "puzzle": 3}'
    )
    assert json.dumps(encode(Wanted, decode(Wanted, json.loads(order)))) == order


@pytest.mark.parametrize("wish", EXERCISES)
def test_a_lesson_or_a_puzzle_is_taught_again_and_not_named_in_its_journal(
    tmp_path: Path, wish: dict[str, Any]
) -> None:
    factory = TableGameFactory(PlayOptions(GameSetup(""), folder=tmp_path), lambda _said: None)
    first = factory.begin(Exercise(**wish).request, None)
    again = factory.create(Again(), first)
    assert first.setup.is_exercise
    assert again.setup == first.setup
    for each in (first, again):
        (header, *_), _ = whole_lines(each.journal.path, each.journal.path.read_bytes())
        assert not {"lesson", "puzzle"} & {*json.loads(header)}
        factory.close(each)


def test_an_option_that_is_added_is_one_field(tmp_path: Path) -> None:
    source = Path(companion.__file__).parent
    copy = tmp_path / "program/companion"
    shutil.copytree(source, copy, copy_function=os.symlink, ignore=shutil.ignore_patterns("__pycache__"))
    changed = copy / "host/journal/setup.py"
    before, field, after = changed.read_text(encoding="utf-8").partition("\n    puzzle: int = 0\n")
    changed.unlink()
    changed.write_text(before + ADDED + field + after, encoding="utf-8")
    form = {**FORM, "handicap": "a knight"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.host.setup_walk", json.dumps(form), tmp_path],
        cwd=copy.parent,
        env={**os.environ, "PYTHONPATH": str(source.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found) == 8
    assert [*found.values()] == [each | {"handicap": "a knight"} for each in found.values()]


def test_for_a_rematch_everybody_moves_on_with_time_level_and_warnings() -> None:
    setup = GameSetup(
        "martian-chess",
        (("players", "3"),),
        ("Ann", "Ben"),
        "15,10,5@press",
        played_by=(PlayedBy.TABLE, PlayedBy.TABLE, PlayedBy.COMPUTER),
        levels=(0, 0, 4),
        warned=(0, 1),
    )
    assert setup.again(3, 1) == GameSetup(
        "martian-chess",
        (("players", "3"),),
        ("", "Ann", "Ben"),
        "5,15,10@press",
        played_by=(PlayedBy.COMPUTER, PlayedBy.TABLE, PlayedBy.TABLE),
        levels=(4, 0, 0),
        warned=(1, 2),
    )
    assert setup.again(3, 0) == dataclasses.replace(setup, players=("Ann", "Ben", ""))
    elsewhere = dataclasses.replace(setup, played_by=(PlayedBy.ELSEWHERE, PlayedBy.TABLE, PlayedBy.TABLE))
    assert not elsewhere.again(3, 1).played_by


@pytest.mark.parametrize(
    "named", [{"players": ("A", "B", "C")}, {"warned": (2,)}, {"played_by": (PlayedBy.COMPUTER,) * 3}]
)
def test_a_setup_names_no_more_sides_than_the_game_has(named: dict[str, Any]) -> None:
    setup = GameSetup("chess", **named)
    with pytest.raises(SettingsError, match="has 2 sides here, but 3 players"):
        setup.check_sides(setup.rules)
