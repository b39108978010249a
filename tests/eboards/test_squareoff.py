# SPDX-License-Identifier: Apache-2.0
"""Square Off Pro: its texts, its lamps, and damaged messages."""

from __future__ import annotations

from companion.eboards.codec import Field, Garbled, Whole
from companion.eboards.squareoff import LE, SquareOffCodec
from companion.model.grid import rectangle
from companion.model.observation import EMPTY, OCCUPIED
from tests.eboards.rig import EboardRig, chess_pieces
from tests.virtual.eboards.squareoff import VirtualSquareOffEboard

CELL = rectangle(8, 8).cell


def test_all_squares_are_counted_file_by_file() -> None:
    bits = ["0"] * 64
    bits[1] = bits[35] = "1"  # a2 and e4
    (whole,) = SquareOffCodec().feed(b"30#" + "".join(bits).encode() + b"*\r\n")
    assert isinstance(whole, Whole)
    assert [cell for cell, seen in enumerate(whole.pieces) if seen.occupied] == [CELL("a2"), CELL("e4")]


def test_changes_come_in_pieces_and_other_messages_are_ignored() -> None:
    codec = SquareOffCodec()
    assert codec.feed(b"14#GO*\r\n0#e2") == []
    assert codec.feed(b"u*0#E4d*4#87*") == [Field(CELL("e2"), EMPTY), Field(CELL("e4"), OCCUPIED)]
    assert codec.feed(b"30#0101*") == [Garbled()]
    assert codec.feed(b"0#e9u*") == [Garbled()]
    assert codec.feed(b"x" * 5000) == []  # no end: nothing is kept for ever
    assert codec.feed(b"*0#a1u*") == [Garbled(), Field(CELL("a1"), EMPTY)]


def test_lamps_are_named_and_put_out_together() -> None:
    codec = SquareOffCodec()
    assert codec.lamps({CELL("h6"), CELL("g7")}) == b"25#h6g7*"
    assert codec.lamps(frozenset()) == b"25#*"


def test_an_eboard_is_played_at_and_shows_the_targets() -> None:
    eboard = VirtualSquareOffEboard(chess_pieces(), 0)
    rig = EboardRig("squareoff", eboard, chess_pieces())
    letter = rig.lift("e2")
    rig.advance(1000)
    assert {"e3", "e4"} <= eboard.lit
    rig.put("e4", letter)
    rig.advance(3000)
    assert rig.moves == ["e4"]
    assert not eboard.lit & {"e3"}


def test_it_is_recognised_by_its_names() -> None:
    assert LE.announces("Squareoff Pro")
    assert LE.announces("Square Off Kingdom")
