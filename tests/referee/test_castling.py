# SPDX-License-Identifier: Apache-2.0
"""Castling from every start of Chess960, in any order of lifting and landing."""

from __future__ import annotations

from itertools import combinations

import pytest

from companion.games import find
from companion.model.observation import SensorKind
from tests.referee.trace_files import Trace
from tests.referee.trace_results import performed, right

FILES = "abcdefgh"
PAIRS = list(combinations(FILES, 2))
"""Files of a king and a rook; the king has one on either side."""


def castled(left: str, right: str, move: str) -> tuple[dict[str, str], str]:
    """The cells of king and rook before and after, and the position."""
    king, rook = (left, right) if move == "O-O" else (right, left)
    row = "".join({king: "K", rook: "R"}.get(file, "1") for file in FILES)
    ways = dict(zip((king, rook), "gf" if move == "O-O" else "cd", strict=True))
    return ways, f"k7/pppppppp/8/8/8/8/8/{row} w {'K' if move == 'O-O' else 'Q'} - 0 1"


def looks_like_another_move(position: str, move: str) -> bool:
    """True if another move leaves the same cells occupied."""
    rules = find("chess").rules({"start": position})
    start = rules.initial()
    left = {
        rules.write_move(start, each): rules.placement(rules.apply(start, each)).by_cell().keys()
        for each in rules.legal_moves(start)
    }
    return sum(cells == left[move] for cells in left.values()) > 1


@pytest.mark.parametrize("move", ["O-O", "O-O-O"])
@pytest.mark.parametrize("first", [0, 1], ids=["king lifted first", "rook lifted first"])
@pytest.mark.parametrize("down", [0, 1], ids=["king put first", "rook put first"])
def test_castling_is_recognised_from_every_start(move: str, first: int, down: int) -> None:
    """A question is allowed only where switches see another move as well."""
    wrong = []
    for files in PAIRS:
        if files[move == "O-O-O"] in "ah":
            continue
        ways, position = castled(*files, move)
        moving = [(source, target) for source, target in ways.items() if source != target]
        lifts = moving[::-1] if first else moving
        puts = moving[::-1] if down else moving
        hands = [f"{source}1- 150" for source, _ in lifts]
        hands += [f"{target}1+{source}1 150" for source, target in puts]
        trace = Trace(
            name=position,
            game="chess",
            options={"start": position},
            position=position,
            trace=f"3000 {' '.join(hands)} 1000 !0 3000 ?",
            record=move,
            questions=(move,) if looks_like_another_move(position, move) else (),
        )
        found = performed(trace, SensorKind.OCCUPANCY).differences(right(trace), may_ask_less=True)
        wrong += [(files, found)] if found else []
    assert not wrong
