# SPDX-License-Identifier: Apache-2.0
"""Hands carry out moves that are decided elsewhere, in all games, with all sensors."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion import games
from companion.model.absent import PlayedBy
from companion.model.game import AnyRules
from companion.model.grid import Cell
from companion.model.observation import EMPTY, SensorKind
from companion.model.pieces import Piece
from companion.referee.session.session import Session
from companion.referee.values.board.looks import look
from companion.referee.values.commands import Play
from companion.referee.values.events import IllegalSeen, MoveDecided, MoveMade, Stage
from companion.referee.values.view import Guide, Phase
from tests.fakes import FakeTable
from tests.referee.support import only
from tests.referee.test_every_legal_move import HABITS, random_position
from tests.virtual.hands import Habits, motions

MOST_ERRANDS = 40


def absent_table(rules: AnyRules, kind: SensorKind, position: Any) -> FakeTable:
    """A table at *position*, the side to move of which is played elsewhere."""
    by = [PlayedBy.TABLE] * len(rules.sides)
    by[position.turn] = PlayedBy.ELSEWHERE
    fake = FakeTable(rules, kind, session=Session(rules, kind, start=position, played_by=by))
    fake.set_up()
    assert fake.session.view().decider == position.turn
    return fake


def finish(fake: FakeTable) -> None:
    """Leave the board at rest, and press if that is asked for."""
    fake.wait(3000)
    decided = fake.session.view().decided
    if decided is not None and decided.needs_press:
        fake.press(decided.side)
        fake.wait(100)


def obey(fake: FakeTable) -> None:
    """Do what the guides say, piece by piece, until nothing is left."""
    for _ in range(MOST_ERRANDS):
        fake.wait(100)
        errand = list(_first(fake.session.view().guides))
        if not errand:
            return
        for guide in errand:
            if guide.source is not None:
                show(fake, guide.source, None)
        for guide in errand:
            if guide.target is not None:
                show(fake, guide.target, None)
                show(fake, guide.target, guide.piece)
    raise AssertionError(f"the guides lead nowhere: {fake.session.view().guides}")


def _first(guides: tuple[Guide, ...]) -> Iterator[Guide]:
    """The guides of the first piece."""
    for number, guide in enumerate(guides):
        if number and not guide.is_part:
            return
        yield guide


def show(fake: FakeTable, cell: Cell, piece: Piece | None) -> None:
    """Put *piece* on *cell*, or lift what stands there, unless it is so."""
    if fake.on.get(cell) == piece:
        return
    fake.wait(150)
    if piece is None:
        del fake.on[cell]
    else:
        fake.on[cell] = piece
    fake.change(cell, EMPTY if piece is None else look(piece, fake.kind))


def assert_carried_out(fake: FakeTable, position: Any, move: Any) -> None:
    """The move is on record, on the board, and was never called illegal."""
    rules = fake.rules
    view = fake.session.view()
    assert fake.record == [rules.write_move(position, move)], view
    assert view.phase is not Phase.CARRYING_OUT
    after = rules.apply(position, move)
    assert fake.on == dict(rules.placement(after).by_cell())
    assert view.position == rules.write_position(after)
    assert not only(IllegalSeen, fake.history)
    assert [made.stage for made in only(MoveMade, fake.history)] == list(Stage)


@pytest.mark.parametrize("kind", SensorKind)
@pytest.mark.parametrize("slug", games.slugs())
def test_every_way_to_carry_a_move_out_leads_to_it(slug: str, kind: SensorKind, is_long: bool) -> None:
    rules = games.find(slug).rules()

    @settings(max_examples=300 if is_long else 3)
    @given(habits=HABITS, seed=st.integers(0, 2**32))
    def heart(habits: Habits, seed: int) -> None:
        chance = Random(seed)
        position = random_position(rules, chance)
        move = chance.choice(rules.legal_moves(position))
        fake = absent_table(rules, kind, position)
        fake.ask(Play(0, rules.write_move(position, move)))
        fake.handle(motions(rules.grid, fake.on, rules.steps(position, move), habits, chance))
        finish(fake)
        assert_carried_out(fake, position, move)

    heart()


MISTAKES = ("none", "slow", "wrong piece", "wrong cell", "half done", "undone")


def err(fake: FakeTable, mistake: str, position: Any, move: Any, chance: Random) -> None:
    """Make *mistake* instead of *move*."""
    grid, steps = fake.rules.grid, fake.rules.steps(position, move)
    free = [cell for cell in range(len(grid)) if cell not in fake.on and cell not in grid.obstacles]
    movers = [step for step in steps if len(step.source) == 1 and step.source != step.target]
    others = [cell for cell, piece in fake.on.items() if len(_whole(fake, cell)) == 1]
    match mistake:
        case "slow":
            fake.wait(60_000)
        case "wrong piece" if others and free:
            cell = chance.choice(others)
            piece = fake.on[cell]
            show(fake, cell, None)
            show(fake, chance.choice(free), piece)
            fake.wait(5000)
        case "wrong cell" if movers and free:
            (cell,) = movers[0].source
            piece = fake.on[cell]
            show(fake, cell, None)
            show(fake, chance.choice(free), piece)
            fake.wait(5000)
        case "half done" if movers:
            show(fake, movers[0].source[0], None)
            fake.wait(1000)
        case "undone" if movers:
            (cell,) = movers[0].source
            piece = fake.on[cell]
            show(fake, cell, None)
            show(fake, cell, piece)
            fake.wait(5000)


def _whole(fake: FakeTable, cell: Cell) -> tuple[Cell, ...]:
    """All cells of the piece on *cell* in the position."""
    entry = fake.session.view().placement.entry_at(cell)
    return entry[1] if entry else (cell,)


QUICK = (SensorKind.OCCUPANCY, SensorKind.IDENTITY_FACING)
KINDS = [pytest.param(kind, marks=[] if kind in QUICK else pytest.mark.long) for kind in SensorKind]


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("slug", games.slugs())
def test_hands_that_obey_the_guides_carry_the_move_out(
    slug: str, kind: SensorKind, mistake: str, is_long: bool
) -> None:
    rules = games.find(slug).rules()
    for seed in range(50 if is_long else 1):
        chance = Random(f"{slug} {kind} {mistake} {seed}")
        position = random_position(rules, chance)
        move = chance.choice(rules.legal_moves(position))
        fake = absent_table(rules, kind, position)
        fake.ask(Play(0, rules.write_move(position, move), rules.write_position(position)))
        assert [decided.move for decided in only(MoveDecided, fake.history)] == [
            rules.write_move(position, move)
        ]
        err(fake, mistake, position, move, chance)
        obey(fake)
        finish(fake)
        assert_carried_out(fake, position, move)
