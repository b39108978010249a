# SPDX-License-Identifier: Apache-2.0
"""iChessOne: its packed pieces, its lamps, and damaged reports."""

from __future__ import annotations

from companion.eboards.codec import Battery, Garbled, Whole, chess_piece
from companion.eboards.ichessone import LE, IChessOneCodec
from companion.model.grid import rectangle
from companion.model.observation import EMPTY
from tests.eboards.rig import EboardRig, chess_pieces
from tests.virtual.eboards.ichessone import VirtualIChessOneEboard

CELL = rectangle(8, 8).cell
START = bytes.fromhex("3d70 a89bc98a 77777777 00000000 00000000 00000000 00000000 11111111 42356324")


def test_the_start_has_a8_in_the_first_half_of_the_first_byte() -> None:
    (whole,) = IChessOneCodec().feed(START)
    assert isinstance(whole, Whole)
    seen = {square: whole.pieces[CELL(square)] for square in ("a1", "e1", "d8", "g8", "e4")}
    assert seen == {
        "a1": chess_piece("R"),
        "e1": chess_piece("K"),
        "d8": chess_piece("q"),
        "g8": chess_piece("n"),
        "e4": EMPTY,
    }


def test_reports_come_in_pieces_and_a_damaged_one_is_left_at_the_next() -> None:
    codec = IChessOneCodec()
    assert codec.feed(START[:7]) == []
    assert [type(each) for each in codec.feed(START[7:] + b"=b\x01\x2a")] == [Whole, Battery]
    assert codec.feed(b"\x05" + START[:9]) == [Garbled()]
    assert [type(each) for each in codec.feed(START)] == [Garbled, Whole]
    assert codec.feed(b"=p" + b"\xdd" * 32) == [Garbled()]  # no piece has such a code
    assert codec.feed(b"=b\0\x64") == [Battery(100, is_charging=False)]


def test_lamps_are_sent_from_the_eighth_rank_with_the_first_file_in_the_lowest_bit() -> None:
    assert IChessOneCodec().lamps({CELL("a8"), CELL("h1")}).hex() == "454c800f0001000000000000800001ff"


def test_an_eboard_is_asked_one_command_at_a_time_and_shows_the_targets() -> None:
    eboard = VirtualIChessOneEboard(chess_pieces(), 0, percent=42)
    rig = EboardRig("ichessone", eboard, chess_pieces())
    letter = rig.lift("e2")
    rig.advance(1000)
    assert {"e3", "e4"} <= eboard.lit
    rig.put("e4", letter)
    rig.advance(3000)
    assert rig.moves == ["e4"]
    assert not eboard.lit & {"e3"}


def test_it_is_recognised_by_its_name() -> None:
    assert LE.announces("iChessOne-1234")
    assert not LE.announces("Chessnut Air")
