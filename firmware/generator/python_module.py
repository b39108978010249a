# SPDX-License-Identifier: Apache-2.0
"""The Python end of the board link: one frozen dataclass per struct and message."""

from __future__ import annotations

import textwrap

from firmware.generator.schema import (
    FIRST_FAILURE,
    NOTICES_FROM,
    REPLY_BIT,
    WARNING,
    Field,
    Layout,
    Schema,
    number_text,
)

STRUCT_CODE = {"u8": "B", "u16": "H", "u32": "I", "bytes8": "8s"}
RAW_ANNOTATION = {"bytes": "bytes", "text": "str", "tlv": "tuple[Tlv, ...]"}
PYTHON_HEAD = '''# SPDX-License-Identifier: Apache-2.0
# {warning}
"""The words of the board link: every message as a frozen value that encodes and decodes its payload.

Pure: bytes in, values out. An unknown enum value or flag survives reading; a payload that is too short raises
`PayloadError`.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass
from enum import IntEnum, IntFlag
from itertools import repeat
from typing import Any, ClassVar, Final, NoReturn, Self, TypeAlias

PROTOCOL_MAJOR: Final = {major}
PROTOCOL_MINOR: Final = {minor}
FINGERPRINT: Final = 0x{fingerprint:08X}
"""CRC-32 of all names, numbers and types: equal on both ends, or the ends were built from different tables."""

'''

PYTHON_HELPERS = '''
class PayloadError(ValueError):
    """A payload does not fit its message; the text names the message."""


class _OpenEnum(IntEnum):
    """An enum in which a newer peer's unknown value becomes a member called UNKNOWN_<value>."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = f"UNKNOWN_{value}"
        member._value_ = value
        return member


@dataclass(frozen=True, slots=True)
class Tlv:
    """A tagged value; readers skip tags they do not know."""

    tag: int
    data: bytes


_set: Final = object.__setattr__


class _Values:
    """What all frozen dataclasses below have in common.

    Made by `dataclass` for each of them, the same would take longer than the rest of this module.
    """

    __slots__: tuple[str, ...] = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Values) or type(self) is not type(other):
            return NotImplemented
        names = self.__slots__
        return [*map(getattr, repeat(self), names)] == [*map(getattr, repeat(other), names)]

    def __hash__(self) -> int:
        return hash((*map(getattr, repeat(self), self.__slots__),))

    def __repr__(self) -> str:
        said = (f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__qualname__}({', '.join(said)})"

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        return type(self), (*map(getattr, repeat(self), self.__slots__),)


def _pack(head: struct.Struct, name: str, *values: Any) -> bytes:
    try:
        return head.pack(*values)
    except struct.error as error:
        raise ValueError(f"{name}: {error}") from None


def _split(head: struct.Struct, name: str, payload: bytes) -> tuple[tuple[Any, ...], bytes]:
    if len(payload) < head.size:
        raise PayloadError(f"{name}: {len(payload)} bytes where at least {head.size} were expected")
    return head.unpack_from(payload), payload[head.size :]


def _entries(size: int, name: str, tail: bytes) -> list[bytes]:
    if len(tail) % size:
        raise PayloadError(f"{name}: {len(tail)} bytes do not divide into entries of {size}")
    return [tail[at : at + size] for at in range(0, len(tail), size)]


def _pack_tlvs(tlvs: tuple[Tlv, ...]) -> bytes:
    return b"".join(bytes((tlv.tag, len(tlv.data))) + tlv.data for tlv in tlvs)


def _split_tlvs(name: str, tail: bytes) -> tuple[Tlv, ...]:
    found: list[Tlv] = []
    while tail:
        if len(tail) < 2 or len(tail) < 2 + tail[1]:
            raise PayloadError(f"{name}: a tagged value is cut off")
        found.append(Tlv(tail[0], tail[2 : 2 + tail[1]]))
        tail = tail[2 + tail[1] :]
    return tuple(found)
'''

PYTHON_FOOT = '''
@dataclass(frozen=True, slots=True)
class Refusal:
    """A reply that says only why the command was not carried out."""

    TYPE: int
    """Type of the reply."""
    status: Status

    def encode(self) -> bytes:
        """Return the payload."""
        return bytes((self.status,))


Whole: TypeAlias = (
    {union}
)
"""A message with all its fields."""

Message: TypeAlias = Whole | Refusal

REPLY_BIT: Final = {reply_bit:#x}
"""A command's type with this bit is its reply's type."""
NOTICES_FROM: Final = {notices_from:#x}
"""Types from here on are notices: unasked, seq 0."""
FIRST_FAILURE: Final = {first_failure:#x}
"""A status from here on says that the command was not carried out."""

MESSAGES: Final[Mapping[int, type[Whole]]] = {{
{table}
}}
"""Every message class by its type byte."""


def decode_message(number: int, payload: bytes) -> Message:
    """Return the message of type *number*; for a reply that reports a failure, a `Refusal`.

    Raises `PayloadError` for an unknown type and for a payload that does not fit.
    """
    if REPLY_BIT <= number < NOTICES_FROM and payload and payload[0] >= FIRST_FAILURE:
        return Refusal(number, Status(payload[0]))
    if number not in MESSAGES:
        raise PayloadError(f"unknown message type {{number:#04x}}")
    return MESSAGES[number].decode(payload)
'''


def python_module(schema: Schema) -> str:
    """Return the text of the Python module.

    Limits, enums, and one frozen dataclass per struct and message.
    """
    head = PYTHON_HEAD.format(
        warning=WARNING, major=schema.major, minor=schema.minor, fingerprint=schema.fingerprint
    )
    lines = [f"{name}: Final = {number_text(value)}" for name, value in schema.limits.items()]
    lines.append(PYTHON_HELPERS)
    for choice in schema.choices:
        base = "_OpenEnum" if choice.kind == "enum" else "IntFlag"
        lines += ["", f"class {choice.name}({base}):", *_docstring(choice.doc), ""]
        lines += [f"    {name} = {value:#04x}" for name, value in choice.values.items()]
        lines.append("")
    choices = {choice.name for choice in schema.choices}
    structs = {struct.name: struct.size for struct in schema.structs}
    for layout in (*schema.structs, *schema.messages):
        lines += _python_layout(layout, choices, structs)
    foot = PYTHON_FOOT.format(
        union="\n    | ".join(m.python for m in schema.messages),
        table="\n".join(f"    {m.number:#04x}: {m.python}," for m in schema.messages),
        reply_bit=REPLY_BIT,
        notices_from=NOTICES_FROM,
        first_failure=FIRST_FAILURE,
    )
    return head + "\n".join(lines) + foot


def _docstring(doc: str, indent: str = "    ") -> list[str]:
    wrapped = textwrap.wrap(doc, 104 - len(indent))
    if len(wrapped) == 1:
        return [f'{indent}"""{doc}"""']
    return [f'{indent}"""{wrapped[0]}', *(indent + line for line in wrapped[1:]), f'{indent}"""']


def _python_layout(layout: Layout, choices: set[str], structs: dict[str, int]) -> list[str]:
    constant = f"_{layout.c.upper()}"
    code = "".join(STRUCT_CODE[field.wire] for field in layout.fields)
    lines = ["", f'{constant}: Final = struct.Struct("<{code}")', "", ""]
    lines += [
        "@dataclass(init=False, repr=False, eq=False)",
        f"class {layout.python}(_Values):",
        *_docstring(layout.doc),
        "",
    ]
    lines += [*_fields(layout, choices), "", "    def encode(self) -> bytes:"]
    lines.append('        """Return the payload."""')
    tail = layout.tail
    values = "".join(f", self.{field.name}" for field in layout.fields)
    packed = f'_pack({constant}, "{layout.name}"{values})'
    if tail is not None:
        packed += " + " + _packed_tail(tail)
    lines += [
        f"        return {packed}",
        "",
        "    @classmethod",
        "    def decode(cls, payload: bytes) -> Self:",
    ]
    lines.append('        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""')
    rest = "tail" if tail is not None else "_"
    head = "head" if layout.fields else "_head"
    lines.append(f'        {head}, {rest} = _split({constant}, "{layout.name}", payload)')
    unpacked = [
        f"{field.type}(head[{index}])" if field.type in choices else f"head[{index}]"
        for index, field in enumerate(layout.fields)
    ]
    if tail is not None:
        unpacked.append(_unpacked_tail(layout.name, tail, structs))
    return [*lines, f"        return cls({', '.join(unpacked)})", ""]


def _fields(layout: Layout, choices: set[str]) -> list[str]:
    """Return the lines that declare the fields of a class, and set them."""
    fields = {field.name: _annotation(field, choices) for field in layout.fields}
    docs, default = {field.name: field.doc for field in layout.fields}, ""
    if tail := layout.tail:
        fields[tail.name] = RAW_ANNOTATION.get(tail.type, f"tuple[{tail.type}, ...]")
        default = {"bytes": ' = b""', "text": ' = ""'}.get(tail.type, " = ()")
    slots = ", ".join(f'"{name}"' for name in fields)
    lines = [f"    __slots__ = ({slots}{',' * (len(fields) == 1)})"]
    if layout.number is not None:
        lines.append(f"    TYPE: ClassVar[int] = {layout.number:#04x}")
    for name, annotation in fields.items():
        lines.append(f"    {name}: {annotation}")
        lines += _docstring(docs[name]) if docs.get(name) else []
    if fields:
        given = "".join(f", {name}: {annotation}" for name, annotation in fields.items())
        lines += ["", f"    def __init__(self{given}{default}) -> None:"]
        lines.append("        " + "; ".join(f'_set(self, "{name}", {name})' for name in fields))
    return lines


def _annotation(field: Field, choices: set[str]) -> str:
    if field.type in choices:
        return field.type
    return "bytes" if field.wire == "bytes8" else "int"


def _packed_tail(tail: Field) -> str:
    value = f"self.{tail.name}"
    raw = {"bytes": value, "text": f"{value}.encode()", "tlv": f"_pack_tlvs({value})"}
    return raw.get(tail.type, f'b"".join(map({tail.type}.encode, {value}))')


def _unpacked_tail(layout: str, tail: Field, structs: dict[str, int]) -> str:
    if tail.type in RAW_ANNOTATION:
        raw = {
            "bytes": "tail",
            "text": 'tail.decode("utf-8", "replace")',
            "tlv": f'_split_tlvs("{layout}", tail)',
        }
        return raw[tail.type]
    entries = f'_entries({structs[tail.type]}, "{layout}", tail)'
    return f"tuple(map({tail.type}.decode, {entries}))"
