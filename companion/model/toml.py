# SPDX-License-Identifier: Apache-2.0
"""The one strict reader of TOML: a table becomes a frozen dataclass, or an error names file, table and key."""

from __future__ import annotations

import dataclasses
import tomllib
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from companion.model.errors import SettingsError

T = TypeVar("T")


def parse(text: str, source: str) -> dict[str, Any]:
    """The tables of a TOML *text*; *source* names it in errors. Raises `SettingsError`."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise SettingsError(f"{source}: this is not TOML: {fault}") from fault


def build(kind: type[T], table: Mapping[str, Any], source: str, path: str = "") -> T:
    """A *kind* (a dataclass) from *table*: nested dataclasses, tuples and mappings included.

    Keys are the field names, with `-` for `_` allowed.
    Unknown and missing keys, and values of another type, raise `SettingsError` naming *source*, table and key.
    """
    hints = typing.get_type_hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind) if field.init}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        where = f"{path}.{key}" if path else key
        if name not in fields:
            known = ", ".join(sorted(fields))
            raise SettingsError(f"{source}: unknown key {where!r}; known here: {known}")
        values[name] = _convert(hints[name], value, source, where)
    for name, field in fields.items():
        needed = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if needed and name not in values:
            raise SettingsError(f"{source}: key {name!r} is missing in {path or 'the top table'}")
    try:
        return kind(**values)
    except ValueError as fault:
        raise SettingsError(f"{source}: {path or 'the top table'}: {fault}") from fault


def _convert(hint: Any, value: Any, source: str, where: str) -> Any:
    """*value* as *hint* asks for it."""
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _convert_union(arguments, value, source, where)
    if origin is typing.Literal:
        if value not in arguments:
            raise SettingsError(f"{source}: {where} is {value!r}; allowed: {', '.join(map(str, arguments))}")
        return value
    if origin is tuple:
        return _convert_tuple(arguments, value, source, where)
    if origin in (dict, Mapping):
        _expect(isinstance(value, dict), "a table", value, source, where)
        return {key: _convert(arguments[1], item, source, f"{where}.{key}") for key, item in value.items()}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        _expect(isinstance(value, dict), "a table", value, source, where)
        return build(hint, value, source, where)
    return _convert_plain(hint, value, source, where)


def _convert_plain(hint: Any, value: Any, source: str, where: str) -> Any:
    """A string, number or truth value; a whole number passes for a float."""
    if hint is float and type(value) is int:
        return float(value)
    if hint is not Any:
        _expect(type(value) is hint, f"of type {hint.__name__}", value, source, where)
    return value


def _convert_union(members: tuple[Any, ...], value: Any, source: str, where: str) -> Any:
    """*value* as the first member of a union that takes it."""
    reasons = []
    for member in members:
        if member is type(None):
            continue
        try:
            return _convert(member, value, source, where)
        except SettingsError as fault:
            reasons.append(fault)
    raise reasons[0]


def _convert_tuple(members: tuple[Any, ...], value: Any, source: str, where: str) -> tuple[Any, ...]:
    """An array as a tuple, either of one type and any length or of given types."""
    _expect(isinstance(value, list), "an array", value, source, where)
    if len(members) == 2 and members[1] is Ellipsis:
        members = (members[0],) * len(value)
    _expect(len(members) == len(value), f"an array of {len(members)}", value, source, where)
    return tuple(
        _convert(member, item, source, f"{where}[{index}]")
        for index, (member, item) in enumerate(zip(members, value, strict=True))
    )


def _expect(holds: bool, what: str, value: Any, source: str, where: str) -> None:
    """Raise unless *holds*."""
    if not holds:
        raise SettingsError(f"{source}: {where} must be {what}, not {value!r}")
