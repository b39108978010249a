# SPDX-License-Identifier: Apache-2.0
"""Strategies that draw any message of the link, from the generated classes themselves."""

from __future__ import annotations

import typing
from dataclasses import fields

from hypothesis import strategies as st

from companion.link import protocol_gen as protocol
from companion.link.protocol_gen import Whole


def messages(kind: type[Whole]) -> st.SearchStrategy[Whole]:
    """Return a strategy for messages of *kind* that fit the smallest packet every panel takes."""
    return _record(kind)


def _record(kind: type[typing.Any]) -> st.SearchStrategy[typing.Any]:
    hints = typing.get_type_hints(kind)
    codes = _codes(kind)
    values = {
        field.name: _value(hints[field.name], codes[index] if index < len(codes) else "")
        for index, field in enumerate(fields(kind))
    }
    return st.builds(kind, **values)


def _codes(kind: type[typing.Any]) -> list[str]:
    """Return the struct codes of the head's fields, as ['H', 'B', '8s', ...]."""
    stem = "".join(f"_{c}" if c.isupper() and i else c for i, c in enumerate(kind.__name__)).upper()
    head = getattr(protocol, f"_{stem}").format.lstrip("<")
    return list(head.replace("8s", "s"))


def _value(hint: typing.Any, code: str) -> st.SearchStrategy[typing.Any]:
    if typing.get_origin(hint) is tuple:
        entry = typing.get_args(hint)[0]
        return st.lists(_tlv() if entry is protocol.Tlv else _record(entry), max_size=6).map(tuple)
    if hint is str:
        return st.text(max_size=10)
    if hint is bytes:
        return st.binary(min_size=8, max_size=8) if code == "s" else st.binary(max_size=40)
    top = {"B": 0xFF, "H": 0xFFFF, "I": 0xFFFFFFFF}[code]
    numbers = st.integers(0, top)
    if hint is int:
        return numbers
    if hint is protocol.Status:
        return st.sampled_from([protocol.Status.OK, protocol.Status.POWER_LIMITED])
    return numbers.map(hint)


def _tlv() -> st.SearchStrategy[protocol.Tlv]:
    return st.builds(protocol.Tlv, st.integers(0, 255), st.binary(max_size=12))
