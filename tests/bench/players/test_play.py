# SPDX-License-Identifier: Apache-2.0
"""The truth that players write down matches the board, and is reproducible."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion import games
from companion.model.observation import SensorKind
from tests.bench.players.kinds import KINDS, Slot, load
from tests.bench.players.physics import Item
from tests.bench.players.play import Play, draw_setting

load()


def never() -> bool:
    return False


def played(play: Play, plies: int) -> list[Item]:
    return list(play.plies(plies, never))


@pytest.mark.parametrize("game", games.slugs())
@pytest.mark.parametrize("sensor", list(SensorKind))
def test_the_board_matches_the_truth_after_a_game(game: str, sensor: SensorKind, *, is_long: bool) -> None:
    for seed in range(3 if is_long else 1):
        play = Play(draw_setting(game, sensor.value, f"test/{seed}"))
        played(play, 30)  # checks the board against the truth
        assert play.made > 0


def test_a_board_that_differs_from_the_truth_is_detected() -> None:
    play = Play(draw_setting("chess", "occupancy", "test"))
    played(play, 4)
    body = next(body for body in play.table.bodies if body.cells)
    play.table.plan(body, play.ready_ms, play.ready_ms + 10, None, 90.0)
    list(play.table.advance(int(play.ready_ms) + 500))
    with pytest.raises(AssertionError, match="the board is wrong at"):
        play.check()


def test_a_seed_gives_the_same_game_twice() -> None:
    once, again = (played(Play(draw_setting("fightopia", "side", "test/7")), 20) for _ in range(2))
    assert once == again
    assert once != played(Play(draw_setting("fightopia", "side", "test/8")), 20)


def test_times_increase_and_every_begun_move_is_completed() -> None:
    for game in games.slugs():
        items = played(Play(draw_setting(game, "identity", "test/5", "blitz")), 40)
        times = [at for at, _ in items]
        assert times == sorted(times)
        notes: list[dict[str, Any]] = [what for _, what in items if isinstance(what, dict)]
        begun = [note["ply"] for note in notes if note["note"] == "begins"]
        stood = [note["ply"] for note in notes if note["note"] == "stands"]
        assert sorted(begun) == sorted(stood)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_kind_of_gesture_occurs(name: str) -> None:
    """The board matches the truth after each kind of gesture."""
    is_press = KINDS[name].slot is Slot.PRESS or name == "wrong_pressed"
    for game in ("chess", "fightopia", "gottaz", "tank-chess"):
        for seed in range(6):
            setting = draw_setting(game, "identity-facing", f"only/{seed}")
            setting = replace(setting, only=name)
            if is_press:
                setting = replace(setting, clock="press", control="900@press")
            play = Play(setting)
            played(play, 30)
            if play.used[name]:
                return
    pytest.fail(f"{name} was never made")


def test_temperaments_differ_in_speed() -> None:
    length = {}
    for name in ("careful", "blitz"):
        play = Play(draw_setting("chess", "occupancy", "test/3", name))
        played(play, 20)
        length[name] = play.ready_ms
    assert length["careful"] > 3 * length["blitz"]
