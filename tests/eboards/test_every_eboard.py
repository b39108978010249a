# SPDX-License-Identifier: Apache-2.0
"""Games that every kind of eboard plays, on a simulated one."""

from __future__ import annotations

import pytest

from companion.host.devices.eboards import EBOARDS
from companion.host.table.link_status import LinkState
from companion.referee.values.view import Phase
from tests.eboards.rig import MAKERS, START, EboardRig, chess_pieces

SAME = ("chessnut-le", "chessnut-move-le", "millennium-le")
"""The kinds that differ from another only in the way of their messages."""

each_eboard = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in SAME else name for name in MAKERS]
)


def rig_of(name: str, fen: str = START, turn: str = "w KQkq - 0 1") -> EboardRig:
    pieces = chess_pieces(fen)
    return EboardRig(name, MAKERS[name](pieces, bytes), pieces, start=f"{fen} {turn}")


def test_every_eboard_has_a_simulated_one() -> None:
    assert MAKERS.keys() == EBOARDS.keys()


@each_eboard
def test_a_game_is_played_to_checkmate(name: str) -> None:
    rig = rig_of(name)
    assert rig.pipeline.status.state is LinkState.CONNECTED
    assert rig.pipeline.view.phase is Phase.WAITING
    rig.play("e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7")
    assert rig.moves == ["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#"]
    assert rig.pipeline.view.outcome is not None


@each_eboard
def test_an_illegal_move_is_explained_and_put_right(name: str) -> None:
    rig = rig_of(name)
    rig.play("e2e4 e7e5")
    rig.play("f1f4", rest_ms=3000)
    assert rig.pipeline.view.fault is not None
    assert "bishop" in rig.pipeline.lines[0].lower() or rig.pipeline.lines[0]
    rig.carry("f4 f1", rest_ms=2500)
    assert rig.pipeline.view.fault is None
    rig.play("f1c4")
    assert rig.moves == ["e4", "e5", "Bc4"]


@each_eboard
@pytest.mark.parametrize(
    ("fen", "turn", "paths", "move"),
    [
        ("4k3/8/8/8/8/8/8/R3K2R", "w KQ - 0 1", ("e1 g1", "h1 f1"), "O-O"),
        ("4k3/8/8/3pP3/8/8/8/4K3", "w - d6 0 1", ("d5 -", "e5 d6"), "exd6"),
        ("4k3/8/8/8/8/8/8/R3K3", "w - - 0 1", ("a1 a4 a5", ""), "Ra5"),
    ],
)
def test_moves_of_several_pieces_are_read(
    name: str, fen: str, turn: str, paths: tuple[str, str], move: str
) -> None:
    rig = rig_of(name, fen, turn)
    for path in filter(None, paths):
        rig.carry(path, rest_ms=600)
    rig.advance(2500)
    assert rig.moves == [move]


@each_eboard
def test_a_move_made_while_the_host_was_away_is_found(name: str) -> None:
    rig = rig_of(name)
    rig.play("e2e4")
    rig.carry("e7 e5", rest_ms=0, hold_ms=0)
    rig.pipeline.reopen(rig.now_ms)
    rig.advance(4000)
    assert rig.moves == ["e4", "e5"]


@each_eboard
def test_another_game_is_played_on_a_part_of_the_eboard(name: str) -> None:
    pieces = {"c1": "K", "f1": "n", "c8": "b", "f8": "r"}
    rig = EboardRig(name, MAKERS[name](pieces, bytes), pieces, slug="close-quarters")
    assert rig.pipeline.view.phase is Phase.WAITING
    rig.play("c1d2 f8d8")
    assert rig.moves == ["a1-b2", "d8-b8!"]
