# SPDX-License-Identifier: Apache-2.0
"""A board at rest that shows a legal move counts as that move.

The order of the changes does not matter.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from companion import games
from companion.model.observation import SensorKind
from companion.model.occupancy import occupancy_of
from companion.referee.events import IllegalSeen, Level
from companion.referee.footprints import Prospect
from tests.fakes import FakeTable
from tests.referee.support import brief, only, perform, table
from tests.referee.test_every_legal_move import random_position

BESIDE = "1r4k1/p2q1pp1/4pb2/RPpr3p/2N5/3P2P1/4PPQP/2R3K1 w - - 0 1"
PROMOTING = "7k/P7/8/8/8/8/8/K7 w - - 0 1"
BY_OCCUPANCY_OR_SIDE = (SensorKind.OCCUPANCY, SensorKind.SIDE)


@pytest.mark.parametrize("kind", BY_OCCUPANCY_OR_SIDE)
@pytest.mark.parametrize("late_ms", [55, 65, 120, 300])
def test_a_cell_that_empties_after_the_piece_has_landed_elsewhere_is_a_move(
    late_ms: int, kind: SensorKind
) -> None:
    fake = table("chess", BESIDE, kind)
    perform(fake, f"b1+0 {late_ms} c1- 1500")
    assert fake.record == ["Rb1"]
    assert not only(IllegalSeen, fake.history)


def test_a_dragged_pawn_is_a_move() -> None:
    fake = table("chess")
    perform(fake, "e4+0 65 e2- 1000 e5+1 300 e7- 1000")
    assert fake.record == ["e4", "e5"]
    assert not only(IllegalSeen, fake.history)


def test_a_landing_on_the_border_beside_the_source_is_a_move() -> None:
    fake = table("chess", BESIDE)
    perform(fake, "c1- 600 b1+c1 c1+c1 80 c1- 1500")
    assert fake.record == ["Rb1"]


def test_a_reported_fault_ends_when_the_board_shows_a_move() -> None:
    fake = table("chess", BESIDE)
    perform(fake, "b1+0 1200 c1- 1500")
    assert fake.record == ["Rb1"]
    assert brief(fake.history)[-3:] == ["mended", "provisional Rb1", "announced Rb1"]


def test_a_pawn_of_fightopia_that_is_pushed_over_switches_is_a_move() -> None:
    fake = table("fightopia")
    tip = fake.session.belief.tip
    made = {move: {*tip.after(move).pieces} for move in fake.rules.legal_moves(tip.position)}
    steps = ((move, {*tip.pieces} - after, after - {*tip.pieces}) for move, after in made.items())
    move, (source,), (target,) = next(each for each in steps if len(each[1]) == len(each[2]) == 1)
    text, names = fake.rules.write_move(tip.position, move), fake.rules.grid.names
    perform(fake, f"{names[target]}+0 70 {names[source]}- 1500")
    assert fake.record == [text]
    assert not only(IllegalSeen, fake.history)


@pytest.mark.parametrize("late_ms", [65, pytest.param(300, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", SensorKind)
@pytest.mark.parametrize("slug", games.slugs())
def test_every_plain_move_is_recognised_although_its_target_fills_first(
    slug: str, kind: SensorKind, late_ms: int
) -> None:
    chance = Random(late_ms)
    rules = games.find(slug).rules()
    for _ in range(8):
        position = random_position(rules, chance)
        move = chance.choice(rules.legal_moves(position))
        before, after = (rules.placement(each).by_cell() for each in (position, rules.apply(position, move)))
        left, come = sorted(before.keys() - after.keys()), sorted(after.keys() - before.keys())
        stays = all(after[cell] == before[cell] for cell in before.keys() & after.keys())
        fake = table(slug, rules.write_position(position), kind)
        is_entry = any(each.occupied == occupancy_of([*before, *come]) for each in _results(fake))
        if not (left and come and stays) or is_entry:  # a piece that enters from the hand is a move by itself
            continue
        for cell in come:
            fake.put(rules.grid.name(cell), after[cell])
        fake.wait(late_ms)
        for cell in left:
            fake.lift(rules.grid.name(cell))
        fake.wait(3000)
        text = rules.write_move(position, move)
        question = fake.session.view().question
        assert fake.record == [text] or (question and text in fake.offered())
        assert not only(IllegalSeen, fake.history)


def _results(fake: FakeTable) -> list[Prospect]:
    """The results of all legal moves."""
    tip = fake.session.belief.tip
    return [tip.after(move) for move in fake.rules.legal_moves(tip.position)]


def test_a_question_is_asked_for_several_moves_with_the_same_result() -> None:
    fake = table("chess", PROMOTING)
    perform(fake, "a8+0 300 a7- 1500")
    assert fake.offered() == {"a8=Q+", "a8=R+", "a8=B", "a8=N"}
    assert not only(IllegalSeen, fake.history)


def test_a_press_completes_what_the_board_shows() -> None:
    fake = table("chess", clock="300@press")
    perform(fake, "e4+0 65 e2- 30 !0 1000")
    assert fake.record == ["e4"]
    assert not only(IllegalSeen, fake.history)


def test_a_lifted_piece_is_no_shot() -> None:
    fake = table("tank-chess")
    cell = next(iter(fake.on))
    perform(fake, f"{fake.rules.grid.name(cell)}- 3000")
    assert fake.record == []


def test_touch_move_stays_a_violation() -> None:
    fake = table("close-quarters")  # taking back is not allowed
    rules, position = fake.rules, fake.session.position
    moves = {fake.session.belief.tip.after(move).occupied: move for move in rules.legal_moves(position)}
    first, second, *_ = moves.values()
    perform(fake, _pushed(fake, first, "200") + " 1500")
    assert fake.record == [rules.write_move(position, first)]
    made, other = (fake.rules.apply(position, move) for move in (first, second))
    stood, wanted = (rules.placement(each).by_cell() for each in (made, other))
    for cell in stood.keys() - wanted.keys():
        fake.lift(rules.grid.name(cell))
    for cell in wanted.keys() - stood.keys():
        fake.put(rules.grid.name(cell), wanted[cell])
    fake.wait(1500)
    assert fake.record == [rules.write_move(position, first)]
    assert {seen.violation.rule for seen in only(IllegalSeen, fake.history)} == {"touch-move"}


def _pushed(fake: FakeTable, move: Any, after: str) -> str:
    """Motions for *move*, which moves one piece, taking *after* ms."""
    (step,) = fake.rules.steps(fake.session.position, move)
    source, target = (fake.rules.grid.name(cells[0]) for cells in (step.source, step.target))
    return f"{source}- {after} {target}+{source}"


@pytest.mark.parametrize("kind", SensorKind)
def test_a_press_after_a_fault_about_plies_that_it_settles_does_not_raise(kind: SensorKind) -> None:
    fake = table("chess", kind=kind, clock="300")
    perform(fake, "e2- 400 e4+e2 1500 e7- 400 e5+e7 10 e6+e7 600 !1 2000")
    assert fake.record == ["e4", "e5"]
    faults = only(IllegalSeen, fake.history)
    assert faults[-1].level is Level.COMPLETED
    assert faults[-1].difference.filled == (games.find("chess").rules().grid.cell("e6"),)
