# SPDX-License-Identifier: Apache-2.0
"""A DGT e-Board: its messages, its faults, and games played on it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from companion.eboards.codec import Field, Garbled, Named, Whole, chess_piece
from companion.eboards.dgt import DgtCodec
from companion.host.table.link_status import LinkState
from companion.model.grid import rectangle
from companion.model.observation import EMPTY, Observation
from companion.referee.values.commands import TakeBack
from companion.referee.values.events import IllegalSeen
from companion.referee.values.view import Phase
from tests.eboards.rig import START, EboardRig, chess_pieces
from tests.virtual.eboards.dgt import VirtualDgtEboard

CELL = rectangle(8, 8).cell
MATE = "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7"


def rig_of(
    fen: str = START,
    *,
    turn: str = "w KQkq - 0 1",
    spoil: Callable[[bytes], bytes] = bytes,
    is_turned: bool = False,
    scan_ms: int = 224,
) -> EboardRig:
    eboard = VirtualDgtEboard(chess_pieces(fen), 0, spoil=spoil, is_turned=is_turned, scan_ms=scan_ms)
    return EboardRig("dgt", eboard, chess_pieces(fen), start=f"{fen} {turn}")


# --- messages, as documents about the eboard describe them ---


def test_a_changed_square_is_read() -> None:
    assert DgtCodec().feed(bytes((0x8E, 0, 5, 36, 1))) == [Field(CELL("e4"), chess_piece("P"))]
    assert DgtCodec().feed(bytes((0x8E, 0, 5, 0, 8))) == [Field(CELL("a8"), chess_piece("r"))]
    assert DgtCodec().feed(bytes((0x8E, 0, 5, 63, 0))) == [Field(CELL("h1"), EMPTY)]


def test_all_squares_are_read_from_a8() -> None:
    dump = bytes((0x86, 0, 67)) + bytes((8, 9, 10, 12, 11, 10, 9, 8)) + bytes(55) + bytes((5,))
    (whole,) = DgtCodec().feed(dump)
    assert isinstance(whole, Whole)
    assert [whole.pieces[CELL(name)].kind for name in ("a8", "b8", "c8", "d8", "e8", "h1")] == [
        *("rook", "knight", "bishop", "queen", "king", "king")
    ]
    assert (whole.pieces[CELL("e8")].side, whole.pieces[CELL("h1")].side) == (1, 0)


def test_messages_may_arrive_in_parts_and_unknown_ones_are_skipped() -> None:
    codec = DgtCodec()
    reports = []
    for byte in bytes((0x91, 0, 8)) + b"30425" + bytes((0xA0, 0, 5, 1, 2)) + bytes((0x8E, 0, 5, 1, 2)):
        reports += codec.feed(bytes((byte,)))
    assert reports == [Named("30425"), Field(CELL("b8"), chess_piece("R"))]


@pytest.mark.parametrize(
    "noise",
    [b"\x05", b"\x8e\x00\x05\x01", b"\x8e\x00\x43\x01\x02", b"\x86\x00\x43\x00\x00", b"\xff\x7f\x7f\x01"],
    ids=lambda noise: noise.hex(" "),
)
def test_after_damaged_bytes_the_next_message_is_read(noise: bytes) -> None:
    reports = DgtCodec().feed(noise + bytes((0x8E, 0, 5, 36, 1)))
    assert reports[-1] == Field(CELL("e4"), chess_piece("P"))
    assert Garbled() in reports


# --- games ---


def test_a_game_is_played_to_checkmate() -> None:
    rig = rig_of()
    assert rig.state() is LinkState.CONNECTED
    assert rig.pipeline.status.text == "DGT e-Board 12345"
    rig.play(MATE)
    assert rig.moves == ["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#"]
    assert rig.pipeline.view.outcome is not None


def test_an_illegal_move_is_explained_and_put_right() -> None:
    rig = rig_of()
    rig.play("e2e4")
    rig.play("e7e4", rest_ms=3000)
    assert rig.pipeline.view.fault is not None
    rig.carry("e4 e7")
    rig.put("e4", "P")
    rig.advance(2000)
    assert rig.pipeline.view.fault is None
    rig.play("e7e5")
    assert rig.moves == ["e4", "e5"]


def test_a_move_is_taken_back_at_the_eboard() -> None:
    rig = rig_of()
    rig.play("e2e4 e7e5")
    rig.pipeline.command(TakeBack(1), rig.now_ms)
    rig.advance(100)
    rig.carry("e5 e7", rest_ms=3000)
    rig.play("d7d5")
    assert rig.moves == ["e4", "d5"]


def test_a_move_made_while_the_cable_is_cut_is_found_afterwards() -> None:
    rig = rig_of()
    rig.play("e2e4")
    assert isinstance(rig.eboard, VirtualDgtEboard)
    rig.eboard.is_mute = True
    rig.advance(5000)
    assert rig.state() is LinkState.LOST
    rig.carry("e7 e5")
    rig.eboard.is_mute = False
    rig.advance(4000)
    assert rig.state() is LinkState.CONNECTED
    assert rig.moves == ["e4", "e5"]
    rig.play("g1f3")
    assert rig.moves == ["e4", "e5", "Nf3"]


@pytest.mark.parametrize("hold_ms", [0, 10, 60, 120, 200, 400])
@pytest.mark.parametrize("offset_ms", [0, 37, 111, 180])
def test_quick_moves_are_read_whatever_the_scan_reports_first(hold_ms: int, offset_ms: int) -> None:
    """Within one scan, the new square or the old one may come first."""
    rig = rig_of()
    rig.advance(offset_ms)
    rig.play("a2a3 a7a6 h2h4 g8f6 b1c3", hold_ms=hold_ms)
    assert rig.moves == ["a3", "a6", "h4", "Nf6", "Nc3"]
    assert rig.pipeline.view.fault is None


@pytest.mark.parametrize("hold_ms", [0, 30, 90, 200])
def test_a_capture_whose_square_is_never_seen_empty_is_read(hold_ms: int) -> None:
    rig = rig_of()
    rig.play("e2e4 d7d5")
    pawn = rig.lift("e4")
    rig.advance(hold_ms)
    rig.put("d5", pawn)
    rig.advance(2000)
    assert rig.moves == ["e4", "d5", "exd5"]


def test_a_queen_that_slides_over_squares_makes_one_move() -> None:
    rig = rig_of("4k3/8/8/8/2p5/8/8/2Q1K3", turn="w - - 0 1")
    rig.lift("c4")
    for before, after in (("c1", "c2"), ("c2", "c3"), ("c3", "c4")):
        rig.advance(70)
        rig.put(after, rig.lift(before))
    rig.advance(2500)
    assert rig.moves == ["Qxc4"]


@pytest.mark.parametrize(
    ("fen", "turn", "paths", "move"),
    [
        ("4k3/8/8/8/8/8/8/R3K2R", "w KQ - 0 1", ("e1 g1", "h1 f1"), "O-O"),
        ("4k3/8/8/8/8/8/8/R3K2R", "w KQ - 0 1", ("a1 d1", "e1 c1"), "O-O-O"),
        ("4k3/8/8/3pP3/8/8/8/4K3", "w - d6 0 1", ("d5 -", "e5 d6"), "exd6"),
        ("4k3/8/8/3pP3/8/8/8/4K3", "w - d6 0 1", ("e5 d6", "d5 -"), "exd6"),
    ],
)
def test_special_moves_are_read_in_any_order(fen: str, turn: str, paths: tuple[str, str], move: str) -> None:
    rig = rig_of(fen, turn=turn)
    rig.carry(paths[0], rest_ms=500)
    rig.carry(paths[1], rest_ms=2500)
    assert rig.moves == [move]


def test_the_piece_of_a_promotion_is_seen() -> None:
    rig = rig_of("4k3/P7/8/8/8/8/8/4K3", turn="w - - 0 1")
    rig.carry("a7 -", rest_ms=300)
    rig.put("a8", "N")
    rig.advance(2500)
    assert rig.moves == ["a8=N"]
    assert rig.pipeline.view.question is None


def test_an_eboard_that_lies_turned_is_played_as_it_lies() -> None:
    rig = rig_of(is_turned=True)
    assert rig.pipeline.view.phase is Phase.WAITING
    assert rig.pipeline.session.rotation.degrees == 180
    rig.play("e2e4 e7e5")
    assert rig.moves == ["e4", "e5"]


def test_another_game_is_played_in_the_middle_of_the_eboard_with_chess_pieces() -> None:
    """Close Quarters on 4×8 of the 8×8 squares; a captured piece stands beside them."""
    pieces = {"c1": "K", "f1": "n", "c8": "b", "f8": "r"}
    rig = EboardRig("dgt", VirtualDgtEboard(pieces, 0), pieces, slug="close-quarters")
    assert rig.pipeline.view.phase is Phase.WAITING
    rig.play("c1d2 f8d8 d2e3 d8d2")
    rig.put("a1", rig.lift("d2"))
    rig.carry("e3 d2")
    assert rig.moves == ["a1-b2", "d8-b8!", "b2-c3", "b8-b2!", "c3xb2"]


class Noise:
    """Loses and doubles bytes of some messages."""

    def __init__(self, seed: int, badness: float) -> None:
        self._random = Random(seed)
        self._badness = badness

    def __call__(self, message: bytes) -> bytes:
        if self._random.random() >= self._badness:
            return message
        at = self._random.randrange(len(message))
        return message[:at] + message[at : at + 1] * self._random.choice((0, 2)) + message[at + 1 :]


@pytest.mark.parametrize("seed", range(6))
def test_lost_and_doubled_bytes_are_corrected_by_whole_reports(seed: int) -> None:
    rig = rig_of(spoil=Noise(seed, 0.15))
    rig.advance(4000)
    rig.play("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5", rest_ms=4000)
    assert rig.moves == ["e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5"]
    assert not [entry for entry in rig.kept.entries if isinstance(entry, IllegalSeen)]


def test_a_lost_report_of_a_square_is_made_up_for_before_the_next_poll() -> None:
    lost: list[bytes] = []

    def lose_the_second_field(message: bytes) -> bytes:
        if message[0] == 0x8E:
            lost.append(message)
            return b"" if len(lost) == 2 else message
        return message

    rig = rig_of(spoil=lose_the_second_field)
    rig.advance(1000 - rig.now_ms % 1000 + 100)
    rig.carry("e2 e4", hold_ms=30, rest_ms=850)
    assert len(lost) == 2
    seen = rig.pipeline.view.occupied
    assert seen >> CELL("e4") & 1
    assert not seen >> CELL("e2") & 1


def test_a_shifted_report_of_all_squares_is_not_believed() -> None:
    """A doubled byte moves all later squares by one, and the size is right."""
    shifted: list[bytes] = []

    def shift_one(message: bytes) -> bytes:
        if message[0] == 0x86 and len(shifted) < 3:
            shifted.append(message)
            if len(shifted) == 3:  # the first two greet
                return message[:10] + message[9:]
        return message

    rig = rig_of(spoil=shift_one)
    rig.advance(3000)
    assert len(shifted) == 3
    assert [entry for entry in rig.kept.entries if isinstance(entry, Observation) and entry.inputs] == []
