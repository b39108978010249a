# SPDX-License-Identifier: Apache-2.0
"""Sightings of a piece by each sensor kind, and of all cells after changes."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from unittest.mock import Mock

import pytest

from companion import games
from companion.model.observation import EMPTY, HIDDEN, OCCUPIED, SensorKind, Sighting, Sightings
from companion.model.pieces import Piece
from companion.referee.inference.tracker import face
from companion.referee.values.board.looks import NOTHING_SEEN, Seen, fits, look
from tests.fakes import FakeTable
from tests.virtual.hands import PROFILES, motions

WHITE = Sighting(occupied=True, side=0)


def test_a_camera_sees_the_upper_piece_of_a_stack() -> None:
    stack = Piece("queen", shows="drone")
    for kind in (SensorKind.IDENTITY, SensorKind.IDENTITY_FACING):
        assert look(stack, kind) == look(Piece("drone"), kind)
        assert not fits(look(Piece("queen"), kind), look(stack, kind))


@pytest.mark.parametrize(
    ("changes", "sightings"),
    [
        ([WHITE, EMPTY], Sightings(0)),
        ([WHITE, OCCUPIED], Sightings(1, 0, ((0, OCCUPIED),))),
        ([WHITE, replace(WHITE, side=1)], Sightings(1, 0, ((0, replace(WHITE, side=1)),))),
        ([WHITE, HIDDEN], Sightings(1, 1, ((0, WHITE),))),
        ([WHITE, HIDDEN, EMPTY], Sightings(0)),
    ],
)
def test_changes_lead_to_what_all_cells_show(changes: list[Sighting], sightings: Sightings) -> None:
    seen = NOTHING_SEEN
    for each in changes:
        seen = seen.changed(0, each)
    assert seen == Seen.of(sightings, SensorKind.SIDE)


@pytest.mark.parametrize("kind", SensorKind)
@pytest.mark.parametrize("slug", games.slugs())
def test_reported_changes_are_worked_through_once(
    slug: str, kind: SensorKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = Mock(side_effect=face.understood)
    monkeypatch.setattr(face, "understood", again)
    chance, fake = Random(4), FakeTable(games.find(slug).rules(), kind)
    fake.set_up()
    for _ in range(4):
        position = fake.session.position
        steps = fake.rules.steps(position, chance.choice(fake.rules.legal_moves(position)))
        fake.handle(motions(fake.rules.grid, fake.on, steps, PROFILES["careful"], chance))
        fake.wait(3000)
    assert not again.called
    fake.on.clear()
    fake.report_gap()
    assert again.called
