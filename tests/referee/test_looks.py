# SPDX-License-Identifier: Apache-2.0
"""Sightings of a piece by each sensor kind."""

from __future__ import annotations

from companion.model.observation import SensorKind
from companion.model.pieces import Piece
from companion.referee.looks import fits, look


def test_a_camera_sees_the_upper_piece_of_a_stack() -> None:
    stack = Piece("queen", shows="drone")
    for kind in (SensorKind.IDENTITY, SensorKind.IDENTITY_FACING):
        assert look(stack, kind) == look(Piece("drone"), kind)
        assert not fits(look(Piece("queen"), kind), look(stack, kind))
