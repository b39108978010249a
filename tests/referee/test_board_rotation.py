# SPDX-License-Identifier: Apache-2.0
"""A position set up on a rotated board is recognised, reported, and played."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from companion.games import find, slugs
from companion.model.game import AnyRules
from companion.model.grid import rectangle
from companion.model.observation import Change, Input, LeverTurned, Observation, Press, SensorKind, Sighting
from companion.model.pieces import Piece
from companion.referee.session.session import Session
from companion.referee.values.board.board_rotation import Rotation, turns_of
from companion.referee.values.board.looks import look
from companion.referee.values.commands import NewGame
from companion.referee.values.events import BoardTurned, Event, GameBegan, GameResumed, MoveMade, Stage
from tests.fakes import FakeTable
from tests.referee.support import brief
from tests.virtual.hands import PROFILES, motions


class TurnedTable(FakeTable):
    """A table handled by the game's cells, whose sensor sees it rotated."""

    turn: Rotation | None = None

    def observe(self, *inputs: Input) -> list[Event]:
        """Pass the sensor's observation to the session; returns the events."""
        seen = Observation(self.now_ms, inputs, self.sightings(), self.rest_since_ms)
        return self.report(self.turn.back().observation(seen) if self.turn else seen)


def table_at(rules: AnyRules, kind: SensorKind, position: Any, turn: Rotation) -> TurnedTable:
    """A table where *position* was set up rotated by *turn*."""
    table = TurnedTable(rules, kind, session=Session(rules, kind, start=position))
    table.turn = turn
    table.set_up()
    return table


def deep(rules: AnyRules, seed: int, plies: int) -> Any:
    """A position after random *plies*, with a legal move."""
    chance, position = Random(seed), rules.initial()
    for _ in range(plies):
        following = rules.apply(position, chance.choice(rules.legal_moves(position)))
        if not rules.legal_moves(following):
            break
        position = following
    return position


def carry_out(table: TurnedTable, move: Any, position: Any) -> None:
    """Make *move* by hand and press the clock."""
    steps = tuple(table.rules.steps(position, move))
    table.handle(motions(table.rules.grid, table.on, steps, PROFILES["careful"], Random(1)))
    table.wait(1500)
    table.turn_lever(position.turn)


CASES = [
    (slug, kind, turn)
    for slug in slugs()
    for kind in SensorKind
    for turn in turns_of(find(slug).rules().grid, 2)
]


@pytest.mark.parametrize(("slug", "kind", "turn"), CASES, ids=lambda each: getattr(each, "degrees", each))
def test_a_saved_position_that_is_set_up_turned_is_recognised_and_played_on(
    slug: str, kind: SensorKind, turn: Rotation
) -> None:
    rules = find(slug).rules()
    position = deep(rules, seed=7, plies=14)
    table = table_at(rules, kind, position, turn)
    text = rules.write_position(position)
    assert [BoardTurned(table.history[0].at_ms, turn.degrees), GameBegan(table.history[0].at_ms, text)] == (
        table.history[:2]
    )
    assert table.session.view().turned == turn.degrees
    move = next(
        move
        for move in rules.legal_moves(position)
        if rules.placement(rules.apply(position, move)).by_cell().keys() != table.on.keys()
    )
    carry_out(table, move, position)
    made = [event for event in table.history if isinstance(event, MoveMade | BoardTurned)]
    if table.session.view().question is None:
        assert (made[-1].stage, made[-1].move) == (Stage.ANNOUNCED, rules.write_move(position, move))  # type: ignore[union-attr]
    again = TurnedTable(rules, kind, session=table.restored())
    again.turn = turn
    again.set_up()
    assert [type(event) for event in again.history] == [GameResumed]


def test_a_start_position_that_looks_the_same_straight_and_turned_is_played_straight() -> None:
    rules = find("chess").rules()
    table = table_at(rules, SensorKind.OCCUPANCY, rules.initial(), turns_of(rules.grid, 2)[0])
    assert brief(table.history) == ["began"]
    assert table.session.view().turned == 0


def test_a_sensor_that_distinguishes_sides_sees_half_a_turn() -> None:
    rules = find("chess").rules()
    table = table_at(rules, SensorKind.SIDE, rules.initial(), turns_of(rules.grid, 2)[0])
    assert brief(table.history) == ["turned by 180", "began"]


def test_an_ambiguous_rotation_is_guided() -> None:
    rules = find("chess").rules()
    table = table_at(rules, SensorKind.OCCUPANCY, rules.initial(), Rotation.of(rules.grid, 1, 2))
    view = table.session.view()
    assert table.history == []
    assert view.is_turn_unclear
    assert len(view.guides) > 0


def test_the_lever_changes_hands_with_the_board() -> None:
    half = Rotation.of(rectangle(8, 8), 2, 2)
    assert half.input(LeverTurned(5, 0)) == LeverTurned(5, 1)
    assert half.input(Press(5, 1)) == Press(5, 0)
    assert half.input(Press(5, 2)) == Press(5, 2)


def test_facings_turn_with_the_pieces() -> None:
    quarter = Rotation.of(rectangle(8, 8), 1, 2)
    east_on_a8 = Change(5, 56, Sighting(occupied=True, facing=2))
    assert quarter.input(east_on_a8) == Change(5, 0, Sighting(occupied=True, facing=0))


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_the_way_back_is_shown_on_the_rotated_cells(quarters: int) -> None:
    rules = find("tank-chess").rules()
    turn = Rotation.of(rules.grid, quarters, 2)
    standing = rules.placement(rules.initial())
    assert turn.back().placement(turn.placement(standing)) == standing
    image = tuple(range(len(rules.grid)))
    assert turn.back().image(turn.image(image)) == image
    seen = Observation(
        9, (Change(9, 3, look(Piece("light-tank", 0, 1), SensorKind.IDENTITY_FACING)),), table_seen(), 9
    )
    assert turn.back().observation(turn.observation(seen)) == seen


def table_seen() -> Any:
    """Sightings of the start of Tank Chess by a camera."""
    fake = FakeTable(find("tank-chess").rules(), SensorKind.IDENTITY_FACING)
    fake.set_up()
    return fake.sightings()


def test_a_board_that_is_set_up_turned_after_the_end_begins_a_new_game() -> None:
    rules = find("chess").rules()
    table = TurnedTable(rules, SensorKind.SIDE)
    table.set_up()
    for source, target in (("f2", "f3"), ("e7", "e5"), ("g2", "g4"), ("d8", "h4")):
        table.carry(source, target, after_ms=200)
        table.wait(1500)
    assert brief(table.take_events())[-1] == "ended checkmate"
    table.carry("h4", "d8", after_ms=300)  # the board is cleared, and no move is taken back
    table.wait(1500)
    assert table.take_events() == []
    table.turn = Rotation.of(rules.grid, 2, 2)
    table.on = dict(rules.placement(rules.initial()).by_cell())
    table.rest_since_ms = table.now_ms
    table.observe()
    table.wait(100)
    assert brief(table.take_events()) == ["turned by 180", "began"]
    table.lift("e2")
    table.ask(NewGame())
    table.turn = None
    table.set_up()
    assert brief(table.take_events()) == ["turned by 0", "began"]
