# SPDX-License-Identifier: Apache-2.0
"""The Python end of the link: messages round-trip, invalid payloads are named."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, astuple, fields, replace
from typing import get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.link import protocol_gen as protocol
from companion.link.protocol_gen import MESSAGES, PayloadError, Refusal, Status, Whole, decode_message
from tests.firmware.messages import messages

EVERY = sorted(MESSAGES.values(), key=lambda kind: kind.TYPE)


def _snake(kind: type[Whole]) -> str:
    return "".join(f"_{c}" if c.isupper() and i else c for i, c in enumerate(kind.__name__)).upper()


def _head_size(kind: type[Whole]) -> int:
    return int(getattr(protocol, f"_{_snake(kind)}").size)


@given(st.sampled_from(EVERY).flatmap(messages))
def test_every_message_decodes_to_what_was_encoded(message: Whole) -> None:
    assert decode_message(message.TYPE, message.encode()) == message


@pytest.mark.parametrize("kind", [kind for kind in EVERY if _head_size(kind)], ids=lambda kind: kind.__name__)
def test_a_head_cut_short_is_refused_by_name(kind: type[Whole]) -> None:
    with pytest.raises(PayloadError, match=_snake(kind).split("_")[0]):
        kind.decode(b"\0" * (_head_size(kind) - 1))


def test_surplus_bytes_of_a_newer_minor_are_ignored() -> None:
    ping = protocol.Ping(0x01020304)
    assert protocol.Ping.decode(ping.encode() + b"new") == ping


def test_an_unknown_enum_value_survives_reading() -> None:
    reply = protocol.ConfigGetReply.decode(bytes((0, 99, 1, 0)))
    assert reply.key == 99
    assert "UNKNOWN" in reply.key.name


def test_a_failed_reply_is_a_refusal_whatever_its_type() -> None:
    assert decode_message(0x81, b"\x10") == Refusal(0x81, Status.UNSUPPORTED)
    assert decode_message(0xDF, b"\x10") == Refusal(0xDF, Status.UNSUPPORTED)
    assert Refusal(0x81, Status.UNSUPPORTED).encode() == b"\x10"


def test_an_unknown_type_is_named() -> None:
    with pytest.raises(PayloadError, match="0x77"):
        decode_message(0x77, b"")


def test_a_tail_that_does_not_divide_is_refused() -> None:
    with pytest.raises(PayloadError, match="EDGES"):
        protocol.Edges.decode(bytes(8) + b"\1\2")


def test_a_tagged_value_cut_off_is_refused() -> None:
    with pytest.raises(PayloadError, match="HELLO"):
        protocol.HelloReply.decode(bytes(48) + b"\1\5abc")


def test_a_value_out_of_range_is_our_own_bug() -> None:
    with pytest.raises(ValueError, match="PING"):
        protocol.Ping(-1).encode()


def test_texts_survive_damage_without_raising() -> None:
    assert protocol.Log.decode(b"\1ok\xff").text == "ok�"


def test_every_message_names_its_fields_with_known_types() -> None:
    for kind in EVERY:
        assert set(get_type_hints(kind)) >= {field.name for field in fields(kind)}


@given(st.sampled_from(EVERY).flatmap(messages))
def test_a_message_is_a_frozen_value(message: Whole) -> None:
    kind, names = type(message), [field.name for field in fields(message)]
    assert kind.__match_args__ == tuple(names)
    again = replace(message)
    assert again is not message
    assert (again, hash(again), repr(again)) == (message, hash(message), repr(message))
    assert pickle.loads(pickle.dumps(message)) == message
    assert message != astuple(message)
    said = ", ".join(f"{name}={getattr(message, name)!r}" for name in names)
    assert repr(message) == f"{kind.__name__}({said})"
    for name in names:
        with pytest.raises(FrozenInstanceError):
            setattr(message, name, 0)
        with pytest.raises(FrozenInstanceError):
            delattr(message, name)


def test_messages_of_two_kinds_differ_even_with_the_same_values() -> None:
    assert protocol.ConfigSetReply(Status.OK) != protocol.ConfigSaveReply(Status.OK)
    assert protocol.ConfigSetReply(Status.OK) != protocol.ConfigSetReply(Status.BAD_LENGTH)
