# SPDX-License-Identifier: Apache-2.0
"""Castling from every start of Chess960, in any order of lifting and landing.

While it is under way it is named, with what remains to be done.
"""

from __future__ import annotations

from itertools import combinations

import pytest

from companion.feedback.prompts import prompt
from companion.feedback.words import load
from companion.games import find
from companion.model.observation import SensorKind
from companion.model.pieces import Piece
from tests.fakes import FakeTable
from tests.referee.support import perform, table
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


def remaining(fake: FakeTable) -> set[tuple[str, str]] | None:
    """What castling still moves, and where to; None if it is not named."""
    joint = fake.session.view().joint
    if joint is None or joint.name != "castling":
        return None
    return {(guide.piece.kind, fake.rules.grid.name(guide.target or 0)) for guide in joint.guides}


@pytest.mark.parametrize("kind", [SensorKind.OCCUPANCY, SensorKind.IDENTITY_FACING])
@pytest.mark.parametrize("move", ["O-O", "O-O-O"])
@pytest.mark.parametrize("first", [0, 1], ids=["king first", "rook first"])
def test_castling_is_named_while_it_is_under_way(move: str, first: int, kind: SensorKind) -> None:
    for files in PAIRS:
        ways, position = castled(*files, move)
        pieces = [(kind, *way) for kind, way in zip(("king", "rook"), ways.items(), strict=True)]
        if files[move == "O-O-O"] in "ah" or any(source == target for _, source, target in pieces):
            continue
        if kind is SensorKind.OCCUPANCY and {*ways} & {*ways.values()}:
            continue  # switches may take a piece on its new cell for the other one, put back
        fake, lifted = table("chess", position, kind, start=position), dict[str, Piece]()
        for _, source, _ in pieces:
            perform(fake, f"{source}1- 150", lifted=lifted)
        goals = {(kind, f"{target}1") for kind, _, target in pieces}
        assert remaining(fake) == goals, (position, files)
        kind_put, source, target = pieces[first]
        perform(fake, f"{target}1+{source}1 150", lifted=lifted)
        assert remaining(fake) == goals - {(kind_put, f"{target}1")}, (position, files)


@pytest.mark.parametrize(
    ("trace", "said"),
    [
        ("e1- 200", "The king from e1 is in the hand."),
        ("e1- 200 g1+e1 200", "Castling: Move the rook from h1 to f1."),
        ("e1- 200 c1+e1 3000", "Castling: Move the rook from a1 to d1."),
        ("e1- 200 g1+e1 3000 h1- 200", "Castling: Put the rook on f1."),
        ("e1- 200 h1- 2000", "Castling: Put the king on g1. Put the rook on f1."),
        ("h1- 200 f1+h1 3000 e1- 3000", "Castling: Put the king on g1."),
        ("h1- 200", "The rook from h1 is in the hand."),
    ],
)
def test_the_sentence_says_what_is_left_of_castling(trace: str, said: str) -> None:
    fake = table("chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    perform(fake, trace)
    assert prompt(fake.session.view(), load("en", "chess", fake.rules.sides)) == said
