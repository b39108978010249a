# SPDX-License-Identifier: Apache-2.0
"""Pairs of truths that leave the same edges are shown, and no others."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from companion import games
from companion.model.game import AnyRules
from companion.model.observation import EMPTY, OCCUPIED, Change, Input, Press, SensorKind, Sighting
from tests.bench.players.physics import look
from tests.bench.players.twins import Case, start

CHESS = games.find("chess").rules({})
BACK = ["Nf3", "Nf6", "Ng1", "Ng8", "e4"]
"""Played like this, or two plies are taken back before e4."""
MOTIONS = ("-g1", "+f3", "-g8", "+f6", "-f3", "+g1", "-f6", "+g8", "-e2", "+e4")


def edges(*touched: str) -> list[Input]:
    """A change every 500 ms: `-e1` opens, `+e1` closes."""
    return [
        Change(5000 + 500 * index, CHESS.grid.cell(each[1:]), EMPTY if each[0] == "-" else OCCUPIED)
        for index, each in enumerate(touched)
    ]


def case(*touched: str) -> Case:
    """The truth e4, with *touched* since the start of the game."""
    return Case(CHESS, SensorKind.OCCUPANCY, CHESS.initial(), edges(*touched), ["e4"])


def test_plies_taken_back_may_also_be_plies_played_back() -> None:
    assert case(*MOTIONS).twin(BACK) == f"the truth was e4, the same edges are also {' '.join(BACK)}"


@pytest.mark.parametrize(
    "touched",
    [
        (*MOTIONS[:5], "+f3", "-f3", *MOTIONS[5:]),  # a bump more
        (*MOTIONS, "-a2", "+a2"),  # edges left over
        MOTIONS[:-1],  # an edge missing
        ("+f3", "-g1", *MOTIONS[2:]),  # put down before it is lifted
        ("-g1", "-g8", "+f3", "+f6", *MOTIONS[4:]),  # two plies at once
        (*MOTIONS[:1], "+h3", *MOTIONS[2:4], "-h3", *MOTIONS[5:]),  # another cell
    ],
)
def test_other_edges_are_no_twin(touched: tuple[str, ...]) -> None:
    assert case(*touched).twin(BACK) == ""


def test_an_illegal_line_is_no_twin() -> None:
    assert case(*MOTIONS).twin(["Nf3", "Nf6", "Ng1", "Ng8", "e5"]) == ""


def test_another_sighting_is_no_twin() -> None:
    def seen(side: int) -> list[Input]:
        sides = (0, 0, 1, side, 0, 0, 1, 1, 0, 0)
        return [
            replace(each, sighting=Sighting(True, side=now)) if each.sighting.occupied else each
            for each, now in zip(edges(*MOTIONS), sides, strict=True)
            if isinstance(each, Change)
        ]

    told = replace(case(), kind=SensorKind.SIDE)
    assert replace(told, inputs=seen(1)).twin(BACK)
    assert replace(told, inputs=seen(0)).twin(BACK) == ""


def test_presses_belong_to_the_side_that_has_moved() -> None:
    def pressed(*sides: int) -> list[Input]:
        moves = edges(*MOTIONS)
        return [
            what
            for index, side in enumerate(sides)
            for what in (*moves[2 * index : 2 * index + 2], Press(5600 + 1000 * index, side))
        ]

    told = replace(case(), pressed=[True])
    assert replace(told, inputs=pressed(0, 1, 0, 1, 0)).twin(BACK)
    assert replace(told, inputs=pressed(0, 1, 0, 0, 0)).twin(BACK) == ""
    assert told.twin(BACK) == ""
    first_lacks = [each for each in pressed(0, 1, 0, 1, 0) if each != Press(5600, 0)]
    assert replace(told, inputs=first_lacks, pressed=[False]).twin(BACK) == ""
    last_lacks = pressed(0, 1, 0, 1, 0)[:-1]
    assert replace(told, inputs=last_lacks).twin(BACK) == ""
    assert replace(told, inputs=last_lacks, pressed=[False]).twin(BACK)
    late: list[Input] = [Press(4000, 1), *pressed(0, 1, 0, 1, 0)]
    assert replace(told, inputs=late).twin(BACK) == ""
    assert replace(told, inputs=late, last_side=1).twin(BACK)


def test_pieces_that_look_alike_may_be_exchanged() -> None:
    rules = games.find("chess").rules({"start": "7k/P7/8/8/8/8/8/K7 w - - 0 1"})
    given = Case(rules, SensorKind.OCCUPANCY, rules.initial(), edges("-a7", "+a8"), ["a8=Q+"])
    assert given.twin(["a8=R+"])
    (step,) = rules.steps(rules.initial(), rules.read_move(rules.initial(), "a8=Q+"))
    queen = Change(5500, rules.grid.cell("a8"), look(step.becomes, SensorKind.IDENTITY))
    told = replace(given, kind=SensorKind.IDENTITY, inputs=[given.inputs[0], queen])
    assert told.twin(["a8=Q+"])
    assert told.twin(["a8=R+"]) == ""


def test_a_captured_piece_is_lifted_before_or_after_the_mover() -> None:
    rules = games.find("chess").rules({"start": "7k/8/8/3p4/4P3/8/8/K7 w - - 0 1"})
    for touched, is_twin in (
        (("-d5", "-e4", "+d5"), True),
        (("-e4", "-d5", "+d5"), True),
        (("-d5", "+d5", "-e4"), False),
        (("-e4", "+d5"), False),
    ):
        given = Case(rules, SensorKind.OCCUPANCY, rules.initial(), edges(*touched), ["e5"])
        assert bool(given.twin(["exd5"])) == is_twin


def plain(rules: AnyRules, kind: SensorKind, position: Any, count: int, rng: Random) -> Case:
    """Plies from *position* as plain hands make them."""
    inputs, texts, now, pressed = list[Input](), list[str](), 5000, list[bool]()
    for _ in range(count):
        legal = list(rules.legal_moves(position))
        if not legal:
            break
        move = rng.choice(legal)
        steps = rules.steps(position, move)
        lifts = [(cell, EMPTY) for step in steps for cell in step.source]
        puts = [(cell, look(step.becomes, kind)) for step in steps for cell in step.target]
        rng.shuffle(lifts)
        for cell, sighting in lifts + puts:
            now += 100
            inputs.append(Change(now, cell, sighting))
        inputs.append(Press(now + 50, position.turn))
        texts.append(rules.write_move(position, move))
        pressed.append(True)
        position = rules.apply(position, move)
    return Case(rules, kind, None, inputs, texts, pressed)


@pytest.mark.parametrize("slug", games.slugs())
@pytest.mark.parametrize("kind", SensorKind)
def test_plain_hands_leave_their_own_edges_in_drawn_positions(slug: str, kind: SensorKind) -> None:
    rules, rng = games.find(slug).rules({}), Random(f"{slug}/{kind}/twins")
    for _ in range(3):
        position = rules.initial()
        for _ in range(rng.randrange(12)):
            legal = list(rules.legal_moves(position))
            position = rules.apply(position, rng.choice(legal)) if legal else position
        given = replace(plain(rules, kind, position, 3, rng), before=position)
        assert not given.truth or given.twin(given.truth)
        for at, each in enumerate(given.inputs):
            if isinstance(each, Press):
                other = replace(each, button=(each.button + 1) % len(rules.sides))
                wrong = [*given.inputs[:at], other, *given.inputs[at + 1 :]]
                assert replace(given, inputs=wrong).twin(given.truth) == ""
                continue
            more = [*given.inputs[: at + 1], *given.inputs[at:]]
            assert replace(given, inputs=more).twin(given.truth) == ""
            assert isinstance(each, Change)
            after = given.inputs[at + 1]
            if isinstance(after, Change) and after.cell == each.cell:
                continue  # a piece may also be turned without being lifted
            fewer = [*given.inputs[:at], *given.inputs[at + 1 :]]
            assert replace(given, inputs=fewer).twin(given.truth) == ""


def test_the_edges_begin_once_the_board_shows_the_position() -> None:
    looks = {1: OCCUPIED}
    inputs: list[Input] = [Change(1000, 0, EMPTY), Change(1050, 1, OCCUPIED), Change(3000, 1, EMPTY)]
    assert start(looks, {0: OCCUPIED}, inputs, 1, 1100) == 2
    assert start(looks, {0: OCCUPIED}, inputs, 1, 1020) is None
    assert start(looks, {0: OCCUPIED}, inputs, 3, 9000) is None
