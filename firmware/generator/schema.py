# SPDX-License-Identifier: Apache-2.0
"""Reader and checks of the board link's tables.

Rule of this file: it defines the valid content of `protocol.toml`,
and is independent of C and Python.
"""

from __future__ import annotations

import re
import tomllib
import zlib
from dataclasses import dataclass
from typing import Any, Literal

WARNING = "Generated from firmware/protocol.toml by firmware/generate.py. Do not edit."
REPLY_BIT = 0x80
NOTICES_FROM = 0xE0
FIRST_FAILURE = 0x10

WIDTH = {"u8": 1, "u16": 2, "u32": 4, "bytes8": 8}
RAW_TAILS = ("bytes", "text", "tlv")

Kind = Literal["enum", "flags"]


@dataclass(frozen=True, slots=True)
class Choice:
    """An enum or a set of flags."""

    name: str
    kind: Kind
    wire: str
    doc: str
    values: dict[str, int]


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a head: its name and its encoding on the wire."""

    name: str
    type: str
    wire: str
    doc: str


@dataclass(frozen=True, slots=True)
class Layout:
    """A payload or tail entry: a fixed head and at most one tail.

    The tail fills the rest.
    """

    name: str
    doc: str
    fields: tuple[Field, ...]
    tail: Field | None = None
    number: int | None = None

    @property
    def python(self) -> str:
        """The class name: LED_SET.reply becomes LedSetReply."""
        return (
            self.name
            if self.number is None
            else "".join(w.capitalize() for w in re.split(r"[._]", self.name))
        )

    @property
    def c(self) -> str:
        """The stem of the C names: LED_SET.reply becomes led_set_reply."""
        return self.name.replace(".", "_").lower()

    @property
    def size(self) -> int:
        """Bytes of the head."""
        return sum(WIDTH[field.wire] for field in self.fields)


@dataclass(frozen=True, slots=True)
class Schema:
    """The checked content of `protocol.toml`."""

    major: int
    minor: int
    limits: dict[str, int]
    choices: tuple[Choice, ...]
    structs: tuple[Layout, ...]
    messages: tuple[Layout, ...]

    @property
    def fingerprint(self) -> int:
        """CRC-32 over all names, numbers and types, without descriptions."""
        lines = [f"choice {c.name} {c.wire} {sorted(c.values.items())}" for c in self.choices]
        for layout in (*self.structs, *self.messages):
            parts = [*layout.fields, *([layout.tail] if layout.tail else [])]
            lines.append(f"{layout.name} {layout.number} " + " ".join(f"{p.name}:{p.type}" for p in parts))
        return zlib.crc32("\n".join(sorted(lines)).encode())


class SchemaError(ValueError):
    """`protocol.toml` contradicts itself; the message names the table."""


def read_schema(text: str) -> Schema:
    """Return the checked schema.

    Raises `SchemaError` for unknown types, duplicates and numbers out of range.
    """
    raw = tomllib.loads(text)
    choices = (
        *(_choice(name, "enum", table) for name, table in raw["enums"].items()),
        *(_choice(name, "flags", table) for name, table in raw["flags"].items()),
    )
    wires = {**{name: name for name in WIDTH}, **{choice.name: choice.wire for choice in choices}}
    structs = tuple(_layout(name, table, wires, ()) for name, table in raw["structs"].items())
    names = tuple(struct.name for struct in structs)
    messages: list[Layout] = []
    for name, table in raw["commands"].items():
        number = table["id"]
        if not 0 < number < NOTICES_FROM - REPLY_BIT:
            raise SchemaError(
                f"commands.{name}: id {number:#x} is outside 0x01 .. {NOTICES_FROM - REPLY_BIT - 1:#x}"
            )
        messages.append(_layout(name, table, wires, names, number))
        messages.append(_layout(f"{name}.reply", table["reply"], wires, names, number | REPLY_BIT))
    for name, table in raw["notices"].items():
        if not NOTICES_FROM <= table["id"] <= 0xFF:
            raise SchemaError(f"notices.{name}: id {table['id']:#x} is outside {NOTICES_FROM:#x} .. 0xff")
        body = raw["commands"][table["like"]]["reply"] if "like" in table else table
        messages.append(_layout(name, {**body, "doc": table["doc"]}, wires, names, table["id"]))
    _refuse_doubles([m.number for m in messages], "message ids")
    _refuse_doubles([m.name for m in messages], "message names")
    limits: dict[str, int] = raw["limits"]
    return Schema(
        raw["protocol"]["major"], raw["protocol"]["minor"], limits, choices, structs, tuple(messages)
    )


def _choice(name: str, kind: Kind, table: dict[str, Any]) -> Choice:
    values = {key: value for key, value in table.items() if key not in {"doc", "type"}}
    _refuse_doubles(list(values.values()), name)
    return Choice(name, kind, table.get("type", "u8"), table["doc"], values)


def _layout(
    name: str,
    table: dict[str, Any],
    wires: dict[str, str],
    structs: tuple[str, ...],
    number: int | None = None,
) -> Layout:
    fields = tuple(_field(name, field, wires) for field in table.get("fields", ()))
    tail = None
    if "tail" in table:
        kind = table["tail"]["type"]
        if kind not in structs and kind not in RAW_TAILS:
            raise SchemaError(f"{name}: unknown tail type {kind!r}")
        tail = Field(table["tail"]["name"], kind, kind, table["tail"].get("doc", ""))
    _refuse_doubles([f.name for f in fields] + ([tail.name] if tail else []), name)
    return Layout(name, table["doc"], fields, tail, number)


def _field(layout: str, table: dict[str, str], wires: dict[str, str]) -> Field:
    if table["type"] not in wires:
        raise SchemaError(f"{layout}.{table['name']}: unknown type {table['type']!r}")
    return Field(table["name"], table["type"], wires[table["type"]], table.get("doc", ""))


def _refuse_doubles(items: list[Any], where: str) -> None:
    doubles = {item for item in items if items.count(item) > 1}
    if doubles:
        raise SchemaError(f"{where}: given twice: {sorted(doubles)}")


def number_text(value: int) -> str:
    """Return *value* in readable form: round numbers in decimal, bit patterns in hex."""
    return str(value) if value < 0x1000 or value % 1000 == 0 else f"0x{value:04X}"
