# SPDX-License-Identifier: Apache-2.0
"""Tank Chess in the notation of its players, with a game that they wrote down."""

from __future__ import annotations

import pytest

from companion.games.tank_chess.kifu import record_of, translated
from companion.model.errors import NotationError
from tests.games.fields import BASIC

PLAYED = """H3>F5/SE, D14>B11/N
M3>N6/SW, D16>D14/NE
J3>L7/SW, I14>L11/NW
J1>K4/SW, N16>O15/N
M1>N2/S, O15>O13/NW
K4>K7/S, O13>P11/N
N2>N5/S, D14>D12/N
N6>L6/E, D12>F10/NW
F5>B9/SE(B11), F10>H10/W(K7)
H1>F5/SE, G16>E16/E
"""
"""The first twenty plies of a game of 2020, from https://github.com/achiinto/tank_chess_kifu.

In the next one a Heavy Tank takes more steps than it has.
"""


def test_a_game_that_players_wrote_down_is_lawful_with_north_towards_rank_1() -> None:
    record = record_of(PLAYED)
    assert record is not None
    assert len(record.moves) == 20
    position = BASIC.initial()
    for text in record.moves:
        position = BASIC.apply(position, BASIC.read_move(position, text))
    wrecks = {BASIC.grid.name(wreck >> 4) for wreck in position.wrecks}
    assert wrecks == {"B11", "K7"}
    with pytest.raises(NotationError):
        BASIC.read_move(position, "C1>A2/SE")


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("H3>F5/SE", "H3-F5NW"),
        ("f5>b9/se(b11)", "F5-B9NWxB11"),
        (">H10/W(K7)", "H10-H10ExK7"),
        ("O6>O8/S(L11+)", "O6-O8NxL11"),
        ("C3>E6/SW(#)", "C3-E6NE"),
    ],
)
def test_a_move_is_translated(text: str, ours: str) -> None:
    assert translated(text) == ours


@pytest.mark.parametrize("text", ["H3-F5NW", "H3>F5", "H3>F5/NN", "H3>F5/SE(", "e4", ""])
def test_other_texts_are_left_alone(text: str) -> None:
    assert translated(text) is None
    assert record_of(f"H3>F5/SE, {text or 'x'}") is None


def test_a_typed_move_of_the_players_is_read() -> None:
    start = BASIC.initial()
    assert BASIC.read_move(start, "H3>F5/SE") == BASIC.read_move(start, "H3-F5NW")
