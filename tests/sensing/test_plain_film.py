# SPDX-License-Identifier: Apache-2.0
"""Games from rendered phone films of plain pieces, without a picture of the empty board."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, Final

import cv2
import pytest

from companion.games import find
from companion.model.grid import Cell
from companion.sensing.problems import CameraProblem
from tests.sensing.film_referees import Watched
from tests.sensing.filmed.stills import circumstances, letters, photographs
from tests.sensing.phone_films import FULL, QUICK, Film, Pace


def moves(text: str) -> list[str]:
    """The moves of *text*."""
    return text.split()


GAME: Final = moves(
    "d4 d5 c4 e5 dxe5 d4 e3 Bb4+ Bd2 dxe3 Bxb4 exf2+ Ke2 fxg1=N+ Ke1 Qh4+ Kd2 Nc6 Bc3 Bg4 Be2 O-O-O+ "
    "Bd4 Rxd4+ Bd3 Bxd1 Rxg1 Bh5 e6 Qf2+ Kc1 Qxg1+ Kc2 Qxg2+ Be2 Qxe2+ Kb3 Qxc4+ Ka3 Qa4#"
)
"""Captures, castling, a promotion to a knight, and mate: 40 plies."""
OPENING: Final = moves("e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O Bg4")
KNOCK: Final = (24.0, -17.0)
"""Half a cell."""


@pytest.fixture(autouse=True)
def one_thread() -> None:
    cv2.setNumThreads(1)


def film_of(seed: int, style: str = "wooden", pace: Pace = QUICK, **given: Any) -> Film:
    without: tuple[Cell, ...] = given.pop("without", ())
    return Film(circumstances(seed, style, **{"has_tags": True, **given}), pace, without)


def cell(film: Film, name: str) -> Cell:
    return next(each for each in range(64) if film.grid.name(each) == name)


def captures(seed: int, plies: int) -> list[str]:
    """The moves of a game in which both sides capture whenever possible."""
    rules, chance = find("chess").rules(), Random(seed)
    position, played = rules.initial(), list[str]()
    while not rules.status(position) and len(played) < plies:
        legal = rules.legal_moves(position)
        taking = [move for move in legal if len(rules.steps(position, move)) > 1]
        move = chance.choice(taking or list(legal))
        played.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    return played


def watch_game(film: Film, game: list[str], knock: tuple[float, float] | None = KNOCK) -> Watched:
    """The referee sees a whole game; the phone is knocked after the twelfth ply."""
    watched = Watched(film, game)
    watched.see(film.rest(2000))
    for ply, text in enumerate(game):
        watched.see(film.play(text))
        if ply == 11 and knock is not None:
            watched.see(film.knock(knock), film.rest(1500))
        if ply % 9 == 4:
            watched.see(film.arm_rests(ply % 2, 1000), film.rest(500))
    watched.wait()
    print(watched.summary())
    return watched


NEEDLESS: Final = 2
"""Questions in a film between moves that look alike, as behind a tall piece."""


def is_faultless(watched: Watched) -> None:
    """The record is the game, nothing was illegal, and hardly a question was needless."""
    film = watched.film
    assert film.letters() == letters(film.rules.placement(film.position).by_cell())
    assert watched.record() == film.played, watched.summary()
    assert watched.illegal() == []
    assert len(watched.needless) <= NEEDLESS


def test_photographs_are_labelled_with_what_stands_on_the_board() -> None:
    start, later = (board for _, board in photographs(5, 8)[::8])
    assert start == "L" * 16 + "." * 32 + "D" * 16
    assert later != start
    assert later.count("L") <= 16


@pytest.mark.timeout(300)
def test_a_whole_game_is_recorded_from_a_film() -> None:
    is_faultless(watch_game(film_of(2, azimuth_deg=4.0), GAME))


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [3, 11, 12, 13, 14, 15])
@pytest.mark.parametrize("has_tags", [True, False], ids=["tags", "view"])
def test_a_whole_game_is_recorded_in_other_light(seed: int, *, has_tags: bool) -> None:
    is_faultless(watch_game(film_of(seed, has_tags=has_tags), GAME, KNOCK if has_tags else None))


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("style", "tilt_deg"),
    [
        *(
            (style, tilt)
            for style in ("pale wooden", "red wooden", "plastic", "paper")
            for tilt in (None, 30.0)
        ),
        *(("wooden", tilt) for tilt in (10.0, 40.0)),
    ],
)
def test_a_whole_game_is_recorded_with_other_sets(style: str, tilt_deg: float | None) -> None:
    is_faultless(watch_game(film_of(21, style, tilt_deg=tilt_deg), GAME))


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_a_game_full_of_captures_is_recorded(seed: int) -> None:
    game = captures(seed, 40)
    assert sum("x" in text for text in game) > 8
    is_faultless(watch_game(film_of(50 + seed), game, None))


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_game_is_recorded_from_every_image_of_a_phone() -> None:
    is_faultless(watch_game(film_of(31, pace=FULL), GAME[:16]))


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("shift", [(50.0, 0.0), (30.0, -40.0)])
def test_a_knock_of_whole_cells_is_followed(shift: tuple[float, float]) -> None:
    film = film_of(32, azimuth_deg=0.0)
    watched = watch_game(film, [*OPENING, *moves("h3 Bxf3 Qxf3 Qd7")], shift)
    record = watched.record()
    assert record == film.played[: len(record)], watched.summary()
    assert len(record) >= len(film.played) - 1, "a queen before e7 may be on e7: that waits"
    assert watched.illegal() == []


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_knock_without_tags_is_named() -> None:
    watched = watch_game(film_of(33, has_tags=False), [*OPENING, *moves("h3 Bxf3 Qxf3 Qd7")])
    assert CameraProblem.CAMERA_MOVED in watched.sensor.troubles
    assert watched.record() == watched.film.played[: len(watched.record())]


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_quick_game_is_recorded() -> None:
    pace = replace(QUICK, moving=66, resting=66, move=600, rest=200)
    is_faultless(watch_game(film_of(34, pace=pace), GAME))


ILLEGAL: Final = [
    pytest.param("e4 e5", "a1", "a3", "Nf3 Nc6", id="a rook through a pawn"),
    pytest.param("e4 e5 Bc4 Nc6", "c4", "d4", "Nf3 Nf6", id="a bishop like a rook", marks=pytest.mark.long),
    pytest.param("e4 e5 f4 Qh4+", "e1", "f2", "g3 Qe7", id="a king into check", marks=pytest.mark.long),
    pytest.param("e4 d5 e5 f5", "e5", "d5", "exf6 Nxf6", id="a pawn takes ahead", marks=pytest.mark.long),
]


@pytest.mark.parametrize(("before", "source", "target", "after"), ILLEGAL)
def test_an_illegal_move_is_announced_and_not_recorded(
    before: str, source: str, target: str, after: str
) -> None:
    film = film_of(2, azimuth_deg=4.0)
    watched = Watched(film, [*before.split(), *after.split()])
    watched.see(film.rest(2000), *(film.play(text) for text in before.split()))
    assert watched.record() == film.played, watched.summary()
    side, wrong, right = len(film.played) % 2, cell(film, target), cell(film, source)
    taken = film.scene.bodies[film.standing[wrong]] if wrong in film.standing else None
    watched.see(film.shift(side, right, wrong), film.rest(3000))
    assert watched.record() == film.played, watched.summary()
    assert watched.illegal(), watched.summary()
    watched.see(film.shift(side, wrong, right))
    if taken is not None:
        watched.see(film.bring(taken.side, wrong, taken.kind))
    watched.see(film.rest(2000), *(film.play(text) for text in after.split()))
    watched.wait()
    assert watched.mended() == 1
    assert watched.record() == film.played, watched.summary()


def test_a_game_does_not_begin_while_a_pawn_is_missing() -> None:
    film = film_of(2, azimuth_deg=4.0)
    missing = cell(film, "d7")
    film = film_of(2, azimuth_deg=4.0, without=(missing,))
    watched = Watched(film, OPENING)
    watched.see(film.rest(3000))
    assert not watched.has_begun()
    assert watched.named() == {"d7"}
    watched.see(film.bring(1, missing, "pawn"), film.rest(2000))
    assert watched.has_begun(), watched.summary()
    watched.see(*(film.play(text) for text in OPENING[:2]))
    watched.wait()
    is_faultless(watched)


def test_a_game_does_not_begin_with_a_piece_too_many() -> None:
    film = film_of(4)
    more = cell(film, "c3")
    film.add(more, "pawn", 0)
    watched = Watched(film, OPENING)
    watched.see(film.rest(3000))
    assert not watched.has_begun()
    assert watched.named() == {"c3"}
    watched.see(film.remove(0, more), film.rest(2000))
    assert watched.has_begun(), watched.summary()
    watched.see(*(film.play(text) for text in OPENING[:2]))
    watched.wait()
    is_faultless(watched)


@pytest.mark.long
def test_a_knight_and_a_bishop_may_be_exchanged() -> None:
    film = film_of(5, without=(1, 2))
    film.add(1, "bishop", 0)
    film.add(2, "knight", 0)
    watched = watch_game(film, OPENING[:4])
    is_faultless(watched)


@pytest.mark.long
def test_a_game_does_not_begin_with_the_colours_exchanged_on_one_cell() -> None:
    film = film_of(6, without=(8,))
    film.add(8, "pawn", 1)
    watched = Watched(film, OPENING)
    watched.see(film.rest(3000))
    assert not watched.has_begun()
    assert watched.named() == {"a2"}


def test_two_plies_behind_a_player_are_found_with_the_next_clear_image() -> None:
    film = film_of(2, azimuth_deg=4.0)
    watched = Watched(film, OPENING)
    watched.see(film.rest(2000), *(film.play(text) for text in OPENING[:2]))

    def both() -> None:
        film.move_unseen(OPENING[2])
        film.move_unseen(OPENING[3])

    watched.see(film.lean(0, both), film.rest(2000))
    watched.wait()
    is_faultless(watched)


@pytest.mark.long
def test_a_piece_may_be_adjusted_and_a_move_tried() -> None:
    film = film_of(8)
    watched = Watched(film, OPENING)
    watched.see(film.rest(2000), *(film.play(text) for text in OPENING[:4]))
    watched.see(film.adjust(0, cell(film, "d2")), film.adjust(0, cell(film, "f3")))
    watched.see(film.waver(0, cell(film, "f1"), cell(film, "c4")))
    watched.see(*(film.play(text) for text in OPENING[4:8]))
    watched.wait()
    is_faultless(watched)


@pytest.mark.long
def test_a_lamp_that_is_moved_changes_nothing() -> None:
    film = film_of(9)
    watched = Watched(film, OPENING)
    watched.see(film.rest(2000), *(film.play(text) for text in OPENING[:4]))
    x, y, z = film.given.lamp.at_mm
    watched.see(film.light(replace(film.given.lamp, at_mm=(400 - x, 400 - y, z * 0.8), wide_mm=10.0)))
    watched.see(film.rest(1500), *(film.play(text) for text in OPENING[4:8]))
    dim = replace(film.scene.lamp, direct=0.1, ambient=0.6)
    watched.see(film.light(dim), film.rest(1500), *(film.play(text) for text in OPENING[8:]))
    watched.wait()
    is_faultless(watched)


@pytest.mark.long
def test_an_own_piece_that_is_taken_is_no_move() -> None:
    film = film_of(10)
    watched = Watched(film, OPENING)
    watched.see(film.rest(2000), *(film.play(text) for text in OPENING[:2]))
    watched.see(film.shift(0, cell(film, "c1"), cell(film, "d2")), film.rest(3000))
    assert watched.record() == film.played, watched.summary()
    watched.see(film.shift(0, cell(film, "d2"), cell(film, "c1")), film.bring(0, cell(film, "d2"), "pawn"))
    watched.see(film.rest(2000), *(film.play(text) for text in OPENING[2:4]))
    watched.wait()
    assert watched.record() == film.played, watched.summary()


@pytest.mark.long
def test_a_game_begins_when_the_last_piece_has_been_set_up() -> None:
    names = {"d1": "queen", "e2": "pawn", "b1": "knight", "h8": "rook", "c7": "pawn"}
    film = film_of(16)
    film = film_of(16, without=tuple(cell(film, name) for name in names))
    watched = Watched(film, OPENING)
    watched.see(film.rest(500))
    for name, kind in names.items():
        assert not watched.has_begun()
        watched.see(film.bring(int(name[1] > "4"), cell(film, name), kind), film.rest(400))
    watched.see(film.rest(2000))
    assert watched.has_begun(), watched.summary()
    watched.see(*(film.play(text) for text in OPENING[:4]))
    watched.wait()
    is_faultless(watched)


@pytest.mark.long
def test_an_arm_over_the_first_rows_changes_nothing() -> None:
    film = film_of(17, azimuth_deg=0.0)
    watched = Watched(film, OPENING)
    watched.see(film.rest(2000))
    for ply, text in enumerate(OPENING[:6]):
        watched.see(film.arm_rests(1 - ply % 2, 2500, over_mm=70.0), film.play(text))
    watched.wait()
    is_faultless(watched)


@pytest.mark.long
def test_pieces_that_a_sleeve_pushes_are_no_move() -> None:
    film = film_of(18)
    watched = Watched(film, OPENING)
    watched.see(film.rest(2000))
    for text in OPENING[:4]:
        watched.see(film.play(text), film.lean(1, lambda: film.jostle(5, 4.0), 500), film.rest(1500))
    watched.wait()
    is_faultless(watched)


@pytest.mark.long
def test_a_tray_beside_the_board_is_no_part_of_it() -> None:
    film = film_of(19, azimuth_deg=2.0)
    watched = watch_game(film, GAME[:12], None)
    assert sum(not 0 <= body.at_mm[0] <= 400 for body in film.scene.bodies.values()) == 4
    is_faultless(watched)
