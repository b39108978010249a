# SPDX-License-Identifier: Apache-2.0
"""The truth that players write down matches the board, and is reproducible."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from companion import games
from companion.model.observation import SensorKind
from tests.bench.players.kinds import KINDS, Slot, load
from tests.bench.players.physics import AWAY, Body, Item
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
    is_press = KINDS[name].slot is Slot.PRESS or name in ("wrong_pressed", "press_in_pair")
    likeliest = ("tank-chess",) if KINDS[name].slot is Slot.TURN else ()  # its pieces have facings
    for game in dict.fromkeys((*likeliest, "chess", "fightopia", "gottaz", "tank-chess")):
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


ORDINARY = (
    *("try_cells", "try_released", "low_pass", "reply_at_once", "lift_before", "lift_in_turn"),
    *("push_over", "push_slide", "both_in_hand", "victim_returns", "turn_by_touches"),
    *("press_in_hand", "press_after_reply", "press_again", "press_twice", "second_move", "moves_theirs"),
    *("left_illegal", "take_back", "bullet", "lost_edge", "double_edge"),
)
"""Gestures that a few games have without being asked for."""


@pytest.mark.long
def test_the_gestures_occur_in_ordinary_games() -> None:
    used: Counter[str] = Counter()
    for seed in range(24):
        for game in ("chess", "gottaz", "tank-chess"):
            if game != "tank-chess" or seed < 8:
                play = Play(draw_setting(game, "identity-facing", f"ordinary/{seed}"))
                played(play, 40)
                used.update(+play.used)
        if all(used[name] for name in ORDINARY):
            return
    assert [name for name in ORDINARY if not used[name]] == []


def standing_too_near(play: Play) -> list[str]:
    """Pairs of pieces that stand in nearly the same place."""
    spots = [
        (body.piece.kind, spot)
        for body in play.table.bodies
        if body.z < 0.5 and body.spots[0] != AWAY
        for spot in body.spots
    ]
    near = 0.25 * play.table.board.pitch
    return [
        f"{one} and {other} at {play.table.now}"
        for number, (one, here) in enumerate(spots)
        for other, there in spots[:number]
        if math.dist(here, there) < near
    ]


@pytest.mark.parametrize("name", sorted(set(KINDS) - {"new_game"}))
def test_no_piece_is_in_two_places_and_no_two_in_one(name: str) -> None:
    is_press = KINDS[name].slot is Slot.PRESS
    for game in ("chess", "tank-chess" if KINDS[name].slot is Slot.TURN else "fightopia"):
        setting = replace(draw_setting(game, "identity-facing", "only/1", "bullet"), only=name)
        play = Play(replace(setting, clock="press", control="900@press") if is_press else setting)
        planned, ends = play.table.plan, dict[int, float]()

        def plan(
            body: Body, start: float, end: float, *more: Any, then: Any = planned, to: Any = ends
        ) -> None:
            assert start >= to.get(id(body), 0.0), f"{body.piece} moves twice at {start}"
            to[id(body)] = max(end, start + 1)
            then(body, start, end, *more)

        play.table.plan = plan  # type: ignore[method-assign,assignment]
        for _ in play.plies(16, never):
            assert standing_too_near(play) == []


def looked_for(
    name: str, game: str = "chess", clock: str = "none", seeds: int = 8
) -> tuple[Play, list[Item]]:
    """A game with the gesture *name*, and its items."""
    for seed in range(seeds):
        setting = replace(draw_setting(game, "identity", f"look/{seed}"), clock=clock)
        setting = replace(setting, only=name, control="none" if clock == "none" else "900@press")
        play = Play(setting)
        items = played(play, 24)
        if play.used[name]:
            return play, items
    pytest.fail(f"{name} was never made")


def test_an_answer_lifted_early_is_put_down_after_the_move() -> None:
    _, items = looked_for("lift_before")
    notes = [(at, what) for at, what in items if isinstance(what, dict)]
    begun = {what["ply"]: at for at, what in notes if what["note"] == "begins"}
    stood = {what["ply"]: at for at, what in notes if what["note"] == "stands"}
    early = [ply for ply in begun if ply and begun[ply] < stood[ply - 1]]
    assert early
    assert all(stood[ply] > stood[ply - 1] for ply in early)


def test_a_late_press_names_its_ply_and_comes_after_the_answer_has_begun() -> None:
    _, items = looked_for("press_after_reply", clock="press")
    notes = [(at, what) for at, what in items if isinstance(what, dict)]
    begun = {what["ply"]: at for at, what in notes if what["note"] == "begins"}
    presses = [(at, what["ply"]) for at, what in notes if what["note"] == "press"]
    assert presses
    assert all(at > begun[ply + 1] for at, ply in presses)


def test_plies_that_are_taken_back_leave_the_game() -> None:
    play, items = looked_for("take_back")
    notes: list[dict[str, Any]] = [what for _, what in items if isinstance(what, dict)]
    taken = sum(note["plies"] for note in notes if note["note"] == "taken_back")
    assert taken > 0
    assert play.ply == len(play.past) == play.made - taken


def test_plies_are_put_right_when_the_table_forbids_to_take_them_back() -> None:
    for seed in range(8):
        setting = replace(draw_setting("chess", "identity", f"look/{seed}"), only="take_back")
        play = Play(replace(setting, clock="press", control="900@press"))
        list(play.plies(24, never, lambda: True))  # checks the board against the truth
        if play.used["take_back_refused"]:
            return
    pytest.fail("nothing was refused")


def test_a_bullet_game_takes_about_a_second_a_ply() -> None:
    play = Play(draw_setting("chess", "side", "test/4", "bullet"))
    played(play, 60)
    assert 400 < play.ready_ms / play.made < 2500


def test_temperaments_differ_in_speed() -> None:
    length = {}
    for name in ("careful", "blitz"):
        play = Play(draw_setting("chess", "occupancy", "test/3", name))
        played(play, 20)
        length[name] = play.ready_ms
    assert length["careful"] > 3 * length["blitz"]
