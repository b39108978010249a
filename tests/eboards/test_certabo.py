# SPDX-License-Identifier: Apache-2.0
"""Certabo and Tabutronic: the stream, tags that are learned, and tags that are read badly."""

from __future__ import annotations

from random import Random

from companion.eboards.certabo import CertaboCodec
from companion.eboards.codec import Garbled, Whole
from companion.model.observation import OCCUPIED
from tests.eboards.rig import EboardRig, chess_pieces
from tests.virtual.eboards.certabo import VirtualCertaboEboard


def frame(**tags: str) -> bytes:
    """The line of an eboard with only these tags; `e4="1 2 3 4 5"`."""
    squares = (file + rank for rank in "87654321" for file in "abcdefgh")
    return (":" + " ".join(tags.get(square, "0 0 0 0 0") for square in squares) + "\r\n").encode()


def test_a_square_counts_after_three_frames_and_a_piece_without_a_known_tag_only_occupies_it() -> None:
    codec = CertaboCodec("Certabo")
    assert codec.feed(frame(e4="1 2 3 4 5") * 2) == []
    (whole,) = codec.feed(frame(e4="1 2 3 4 5"))
    assert isinstance(whole, Whole)
    assert {cell: piece for cell, piece in enumerate(whole.pieces) if piece.occupied} == {28: OCCUPIED}


def test_a_frame_that_begins_in_its_middle_or_lacks_a_number_is_dropped() -> None:
    codec = CertaboCodec("Certabo")
    assert codec.feed(frame()[100:]) == [Garbled()]
    assert codec.feed(frame().replace(b"0 0", b"0", 1)) == [Garbled()]
    assert codec.feed(b"12 13\r\n:300 1 1 1 1 1 1 1\r\n") == [Garbled(), Garbled()]


def test_an_eboard_that_sees_occupied_squares_has_the_first_file_in_the_highest_bit() -> None:
    codec = CertaboCodec("Sentio")
    (whole,) = codec.feed(b":128 0 0 0 0 0 0 1\r\n" * 3)
    assert isinstance(whole, Whole)
    assert [cell for cell, piece in enumerate(whole.pieces) if piece.occupied] == [7, 56]


def test_bytes_with_a_set_highest_bit_are_read() -> None:
    codec = CertaboCodec("Certabo")
    assert codec.feed(bytes(byte | 0x80 for byte in frame() * 3)) != []


def test_tags_that_are_read_badly_do_not_lift_pieces() -> None:
    """Each tag is missed in one frame of eight; never in two of three."""
    random = Random(3)
    missed: dict[str, int] = {}

    def misread(square: str, number: int) -> bool:
        if number - missed.get(square, -9) < 3 or random.randrange(8):
            return False
        missed[square] = number
        return True

    rig = EboardRig("certabo", VirtualCertaboEboard(chess_pieces(), 0, misread=misread), chess_pieces())
    rig.play("e2e4 e7e5 g1f3 b8c6")
    assert rig.moves == ["e4", "e5", "Nf3", "Nc6"]
    assert not [entry for entry in rig.kept.entries if type(entry).__name__ == "IllegalSeen"]


def test_a_new_tag_on_the_last_rank_is_that_of_a_further_queen() -> None:
    rig = EboardRig("certabo", VirtualCertaboEboard(chess_pieces(), 0), chess_pieces())
    rig.play("e2e4 d7d5 e4d5 c7c6 d5c6 a7a6 c6b7 a6a5")
    rig.carry("a8 -", rest_ms=300)
    rig.carry("b7 -", rest_ms=300)
    rig.put("a8", "Q")
    rig.advance(3000)
    assert rig.moves[-1] == "bxa8=Q"
    rig.play("b8c6 a8c6")
    assert rig.moves[-2:] == ["Nc6", "Qxc6+"]


def test_pieces_with_unknown_tags_are_asked_about_as_with_switches() -> None:
    """The eboard is opened in the middle of a game."""
    fen = "r3k3/1P6/8/8/8/8/8/4K3"
    rig = EboardRig(
        "certabo",
        VirtualCertaboEboard(chess_pieces(fen), 0),
        chess_pieces(fen),
        start=f"{fen} w - - 0 1",
    )
    rig.carry("b7 b8", rest_ms=5000)
    assert rig.pipeline.view.question is not None
    rig.carry("b8 b7", rest_ms=1000)
    rig.play("e1d2 e8d7")
    assert rig.moves == ["Kd2", "Kd7"]


def test_the_lamps_of_targets_are_lit() -> None:
    eboard = VirtualCertaboEboard(chess_pieces(), 0)
    rig = EboardRig("certabo", eboard, chess_pieces())
    rig.lift("b1")
    rig.advance(1500)
    assert eboard.lit == {"a3", "b1", "c3"}
