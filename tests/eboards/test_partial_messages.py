# SPDX-License-Identifier: Apache-2.0
"""Parts of a serial eboard's message are known as such; nothing else is waited for."""

from __future__ import annotations

import pytest

from companion.eboards import certabo, dgt, millennium
from companion.eboards.millennium import encoded
from companion.host.devices.eboards import EBOARDS
from companion.link.port import IsPartial
from tests.eboards.rig import MAKERS, START, chess_pieces


@pytest.mark.parametrize(
    ("name", "is_partial"),
    [("dgt", dgt.is_partial), ("millennium", millennium.is_partial), ("certabo", certabo.is_partial)],
)
def test_a_message_is_partial_until_its_last_byte(name: str, is_partial: IsPartial) -> None:
    messages = []

    def noted(message: bytes) -> bytes:
        messages.append(bytes(message))
        return message

    eboard = MAKERS[name](chess_pieces(START), noted)
    eboard.feed(EBOARDS[name].make().greeting(), 0)
    eboard.take("e2", 500)
    eboard.bytes_to_send(2_000)
    assert len({len(message) for message in messages}) >= (1 if name == "certabo" else 2)
    for message in messages:
        assert all(is_partial(message[:size]) for size in range(1, len(message)))
        assert not is_partial(message)
        assert not is_partial(message + message[:1])


@pytest.mark.parametrize(
    ("is_partial", "received"),
    [
        (dgt.is_partial, bytes((5,))),
        (dgt.is_partial, bytes((0x86, 0x7F, 0x7F, 1, 0x8E))),
        (millennium.is_partial, encoded("?")),
        (millennium.is_partial, b"\x00"),
        (certabo.is_partial, b"1 2\x8a"),
    ],
)
def test_what_is_no_message_is_not_waited_for(is_partial: IsPartial, received: bytes) -> None:
    assert not is_partial(received)
