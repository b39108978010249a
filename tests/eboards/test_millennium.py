# SPDX-License-Identifier: Apache-2.0
"""Millennium ChessLink: parity, check sums, lamps, and the unknown order of files."""

from __future__ import annotations

from random import Random

import pytest

from companion.eboards.codec import Garbled, Named, Whole
from companion.eboards.millennium import MillenniumCodec, encoded
from companion.host.table.link_status import LinkState
from tests.eboards.rig import START, EboardRig, chess_pieces
from tests.virtual.eboards.millennium import VirtualMillenniumEboard


def with_odd_parity(text: str) -> bytes:
    return bytes(ord(each) + 128 * (bin(ord(each)).count("1") % 2 == 0) for each in text)


def rig_of(eboard: VirtualMillenniumEboard) -> EboardRig:
    return EboardRig("millennium", eboard, chess_pieces())


def test_a_request_has_a_check_sum_and_odd_parity() -> None:
    assert encoded("S") == with_odd_parity("S53")
    assert encoded("W0203") == with_odd_parity("W020356")


def test_a_version_is_read_and_a_wrong_check_sum_is_not() -> None:
    assert MillenniumCodec().feed(with_odd_parity("v010377")) == [Garbled()]
    assert MillenniumCodec().feed(with_odd_parity("v010770")) == [Named("0107")]


def test_a_wrong_parity_drops_the_message_and_the_next_one_is_read() -> None:
    codec = MillenniumCodec()
    spoilt = bytearray(with_odd_parity("v010770"))
    spoilt[2] ^= 0x80
    reports = codec.feed(bytes(spoilt) + with_odd_parity("v010770"))
    assert reports[-1] == Named("0107")
    assert Garbled() in reports


@pytest.mark.parametrize("is_mirrored", [False, True])
def test_files_may_be_reported_in_either_order(is_mirrored: bool) -> None:
    rig = rig_of(VirtualMillenniumEboard(chess_pieces(), 0, is_mirrored=is_mirrored))
    rig.play("e2e4 d7d5 e4d5 d8d5")
    assert rig.moves == ["e4", "d5", "exd5", "Qxd5"]
    assert rig.pipeline.session.rotation.quarters == 0


def test_the_lamps_at_the_corners_of_lit_squares_are_lit() -> None:
    eboard = VirtualMillenniumEboard(chess_pieces(), 0)
    rig = rig_of(eboard)
    rig.lift("a2")
    rig.advance(400)
    lit = {number for number, pattern in enumerate(eboard.lamps, 1) if pattern}
    # Columns of nine lamps, counted from a8: a2, a3 and a4 lie between the lamps 5 to 8 of two columns.
    assert lit == {5, 6, 7, 8, 14, 15, 16, 17}
    assert eboard.refused == 0
    rig.put("a2", "P")
    rig.advance(2000)
    assert not any(eboard.lamps)


def test_a_silent_eboard_is_reported_and_found_again() -> None:
    eboard = VirtualMillenniumEboard(chess_pieces(), 0)
    rig = rig_of(eboard)
    assert rig.pipeline.status.text == "Millennium ChessLink 0107"
    eboard.is_mute = True
    rig.advance(4000)
    assert rig.state() is LinkState.LOST
    eboard.is_mute = False
    rig.advance(2000)
    assert rig.state() is LinkState.CONNECTED


def test_lost_doubled_and_flipped_bytes_never_move_a_piece() -> None:
    random = Random(5)

    def spoil(message: bytes) -> bytes:
        at = random.randrange(len(message))
        match random.randrange(8):
            case 0:
                return message[:at] + message[at + 1 :]
            case 1:
                return message[:at] + message[at : at + 1] + message[at:]
            case 2:
                return message[:at] + bytes((message[at] ^ 1 << random.randrange(8),)) + message[at + 1 :]
        return message

    rig = EboardRig(
        "millennium", VirtualMillenniumEboard(chess_pieces(START), 0, spoil=spoil), chess_pieces(START)
    )
    rig.advance(4000)
    rig.play("e2e4 e7e5 g1f3 b8c6 f1b5")
    assert rig.moves == ["e4", "e5", "Nf3", "Nc6", "Bb5"]
    assert not [entry for entry in rig.kept.entries if type(entry).__name__ == "IllegalSeen"]


def test_a_whole_report_counts_from_a8() -> None:
    squares = "r" + "." * 55 + "......K" + "."
    check = 0
    for letter in "s" + squares:
        check ^= ord(letter)
    (whole,) = MillenniumCodec().feed(with_odd_parity(f"s{squares}{check:02X}"))
    assert isinstance(whole, Whole)
    assert {cell: piece.kind for cell, piece in enumerate(whole.pieces) if piece.occupied} == {
        56: "rook",
        6: "king",
    }
