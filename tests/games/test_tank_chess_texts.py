# SPDX-License-Identifier: Apache-2.0
"""Tank Chess: texts of positions and moves, and adoption of positions."""

from __future__ import annotations

import pytest

from companion.model.errors import NotationError
from companion.model.game import InvalidPosition, Outcome
from companion.model.pieces import Piece
from companion.model.placement import Placement
from tests.games.fields import BASIC, FIELD, field


@pytest.mark.parametrize(
    "text",
    [
        "w", "x CA1N cH8S", "w LA1N", "w CA1N CB1N cH8S", "w CA1N cA1N", "w CA1N cH8S KB2N", "w CA1N cH8S LB2", "w CA1N cH8S LB9N",
        "w CA1N cH8S Qb2x", "w CD4N cH8S", "w CA1N cH8S LD4x",
    ],
)  # fmt: skip
def test_an_invalid_position_text_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        field("D4").read_position(text)


def test_a_position_without_one_command_tank_is_a_finished_game() -> None:
    position = FIELD.read_position("b CA1N LB2N")
    assert FIELD.status(position) == Outcome((1,), "command-tank-escaped")


@pytest.mark.parametrize("text", ["C1-B3NW", "c1-b3nw", " C1-B3NW!^ "])
def test_a_move_is_read_in_either_case_and_without_marks(text: str) -> None:
    position = BASIC.read_position("w HC1N CH1N cI16S")
    assert BASIC.write_move(position, BASIC.read_move(position, text)) == "C1-B3NW"


def test_an_illegal_move_is_refused_with_the_position() -> None:
    with pytest.raises(NotationError, match="is not a legal move in w HC1N"):
        BASIC.read_move(BASIC.initial(), "C1-C8N")


# adoption


def test_an_impossible_placement_is_not_adopted() -> None:
    rules = field("D4")
    black = Piece("command-tank", 1, 4)
    placement = Placement.of([(0, Piece("bow", 1)), (27, Piece("light-tank", 0, 0)), (63, black)])
    adopted = rules.adopt(placement, 0, rules.initial())
    assert isinstance(adopted, InvalidPosition)
    assert [reason.rule for reason in adopted.reasons] == ["piece-unknown", "obstacle", "command-tank-count"]


def test_a_tank_with_unseen_facing_keeps_its_facing() -> None:
    placement = Placement.of([(0, Piece("command-tank", 0)), (63, Piece("command-tank", 1))])
    assert FIELD.adopt(placement, 1, FIELD.initial()) == FIELD.initial()._replace(turn=1)
