# SPDX-License-Identifier: Apache-2.0
"""DGT Pegasus: occupied squares, lamps, and a key that its owner enters."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.eboards.codec import Field, Named, Whole
from companion.eboards.pegasus import PegasusCodec
from companion.host import settings
from companion.host.devices.eboards import EBOARDS
from companion.host.settings import EboardSettings
from companion.host.table.link_status import LinkState
from companion.model.errors import SettingsError
from companion.model.observation import EMPTY, OCCUPIED
from tests.eboards.rig import EboardRig, chess_pieces
from tests.virtual.eboards.pegasus import VirtualPegasusEboard

KEY = b"\x01\x02\xa9"


def test_squares_are_occupied_or_empty() -> None:
    codec = PegasusCodec()
    (whole,) = codec.feed(b"\x86\x00\x43" + bytes([1] * 8 + [0] * 56))
    assert isinstance(whole, Whole)
    assert whole.pieces == (EMPTY,) * 56 + (OCCUPIED,) * 8
    assert codec.feed(b"\x8e\x00\x05\x3f\x00\x8e\x00") == [Field(7, EMPTY)]
    assert codec.feed(b"\x05\x00\x01") == [Field(56, OCCUPIED)]
    assert codec.feed(b"\x91\x00\x08P0042") == [Named("P0042")]


def test_lamps_are_numbered_from_a8() -> None:
    codec = PegasusCodec()
    assert codec.lamps({0, 63}) == b"\x60\x07\x05\x03\x00\x05\x07\x38\x00"
    assert codec.lamps(set()) == b"\x60\x02\x00\x00"


def test_the_lamps_of_targets_are_lit() -> None:
    eboard = VirtualPegasusEboard(chess_pieces(), 0)
    rig = EboardRig("pegasus", eboard, chess_pieces())
    rig.lift("b1")
    rig.advance(800)
    assert eboard.lit == {"a3", "b1", "c3"}


def test_the_key_is_sent_first_if_its_owner_has_entered_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "path", lambda: tmp_path / "settings.toml")
    locked = VirtualPegasusEboard(chess_pieces(), 0, key=KEY)
    assert EboardRig("pegasus", locked, chess_pieces()).state() is not LinkState.CONNECTED
    (tmp_path / "settings.toml").write_text('[boards]\npegasus_key = "0102a9"\n', encoding="utf-8")
    assert EBOARDS["pegasus"].make().greeting().startswith(b"\x63\x04\x01\x02\xa9\x00")
    locked = VirtualPegasusEboard(chess_pieces(), 0, key=KEY)
    assert EboardRig("pegasus", locked, chess_pieces()).state() is LinkState.CONNECTED


def test_a_key_consists_of_hexadecimal_digits(tmp_path: Path) -> None:
    assert EboardSettings(pegasus_key="0102a9").pegasus_key_bytes == KEY
    file = tmp_path / "settings.toml"
    file.write_text('[boards]\npegasus_key = "maker"\n', encoding="utf-8")
    with pytest.raises(SettingsError, match="hexadecimal digits"):
        settings.read(file)
