# SPDX-License-Identifier: Apache-2.0
"""Games at eboards whose packets are late, lost or doubled."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from companion.eboards.connection import EboardConnection
from companion.host.devices.eboards import EBOARDS
from companion.host.table.link_status import LinkState
from companion.model.observation import SensorKind
from companion.referee.values.view import Phase
from tests.eboards.rig import MAKERS, EboardRig, chess_pieces
from tests.virtual.eboards.air import Air, Faults
from tests.virtual.eboards.chessnut import VirtualChessnutEboard
from tests.virtual.eboards.ichessone import VirtualIChessOneEboard

PIECE = 20
"""Most bytes of a notification where the eboard's messages are a stream."""
KINDS = {
    "chessnut": 4096,
    "chessnut-le": 4096,
    "chessnut-move": 4096,
    "chessnut-move-le": 4096,
    "millennium-le": PIECE,
    "pegasus": PIECE,
    "ichessone": PIECE,
    "squareoff": PIECE,
}
"""The longest packet of each kind with packets."""
MATE = "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7"
RECORD = ["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#"]

QUICK = ("chessnut", "pegasus")
"""The kinds that are always tried."""


def each(names: Iterable[str]) -> pytest.MarkDecorator:
    """A parameter *name* for each of *names*."""
    return pytest.mark.parametrize(
        "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in names]
    )


each_eboard = each(KINDS)


def rig_of(name: str, **faults: float) -> tuple[EboardRig, Air]:
    """A table with the start of chess, and the way to its eboard."""
    given = Faults(
        latest_ms=int(faults.get("latest_ms", 0)),
        lost=faults.get("lost", 0.0),
        doubled=faults.get("doubled", 0.0),
        longest=KINDS[name],
        is_turned=bool(faults.get("is_turned")),
    )
    pieces = chess_pieces()
    air = Air(MAKERS[name]({}, bytes), given, Random(1))
    for square, letter in pieces.items():
        air.put(square, letter, 0)
    rig = EboardRig(name, air, pieces)
    rig.advance(4000)
    return rig, air


@each_eboard
def test_late_and_doubled_packets_change_no_game(name: str) -> None:
    # a part of a whole reading that comes twice is another reading: its bytes have no checksum
    rig, _ = rig_of(name, latest_ms=150, doubled=0.0 if name == "pegasus" else 0.1)
    rig.play("e2e4")
    rig.carry("e7 e3", rest_ms=3000)
    assert rig.pipeline.view.fault is not None
    rig.carry("e3 e7", rest_ms=2500)
    rig.play(MATE.removeprefix("e2e4 "))
    assert rig.moves == RECORD
    assert rig.pipeline.view.outcome is not None


@each_eboard
def test_lost_packets_are_made_good_by_the_next_report(name: str) -> None:
    rig, air = rig_of(name, lost=0.15)
    for ply, move in enumerate(MATE.split(), start=1):
        rig.play(move)
        for _ in range(20):
            if len(rig.moves) >= ply:
                break
            rig.carry(f"{move[2:]} {move[2:]}", rest_ms=2500)  # hands adjust a piece that was not seen
    assert air.lost > 0
    assert rig.moves == RECORD


@each_eboard
def test_a_cut_of_the_radio_is_seen_and_a_move_made_meanwhile_is_found(name: str) -> None:
    rig, air = rig_of(name)
    rig.play("e2e4")
    air.is_cut = True
    rig.advance(8000)
    assert rig.state() is not LinkState.CONNECTED
    rig.carry("e7 e5", rest_ms=1000)
    assert rig.moves == ["e4"]
    air.is_cut = False
    rig.pipeline.reopen(rig.now_ms)
    rig.advance(6000)
    assert rig.state() is LinkState.CONNECTED
    assert rig.moves == ["e4", "e5"]


@each(name for name in KINDS if EBOARDS[name].sees is not SensorKind.OCCUPANCY)
def test_an_eboard_that_lies_turned_under_its_players_plays_all_the_same(name: str) -> None:
    rig, _ = rig_of(name, is_turned=True)
    assert rig.pipeline.view.phase is Phase.WAITING
    rig.play(MATE)
    assert rig.moves == RECORD


@each(["chessnut", "chessnut-move", "ichessone"])
def test_a_low_battery_is_reported_and_changes_nothing_else(name: str) -> None:
    rig, air = rig_of(name)
    assert isinstance(air.eboard, VirtualChessnutEboard | VirtualIChessOneEboard)
    air.eboard.battery = 3
    rig.pipeline.reopen(rig.now_ms)
    rig.advance(8000)
    assert isinstance(rig.pipeline.connection, EboardConnection)
    assert rig.pipeline.connection.battery is not None
    assert rig.pipeline.connection.battery.percent == 3
    rig.play("e2e4")
    assert rig.moves == ["e4"]


@each(["pegasus", "squareoff"])
def test_a_turned_eboard_that_sees_no_kinds_says_that_the_first_move_is_illegal(name: str) -> None:
    rig, _ = rig_of(name, is_turned=True)
    rig.carry("e2 e4", rest_ms=3000)  # d7-d5, as far as the eboard knows
    assert rig.moves == []
    assert rig.pipeline.view.fault is not None
