# SPDX-License-Identifier: Apache-2.0
"""Dataclasses as JSON-able values and back, by their type hints alone.

Pure, and its rule: what comes back equals what went in, or `ValueError` says where it does not fit.
A member of a union of dataclasses carries its class's name under `is`; fields that have their default are left out.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, TypeVar

T = TypeVar("T")

KIND: Final = "is"
"""The key under which a union's member says which one it is."""


def encode(hint: Any, value: Any) -> Any:
    """*value*, which is of type *hint*, as something `json` can write."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _encode_member(arguments, value)
    if origin is tuple:
        return [encode(inner, item) for inner, item in _items(arguments, value)]
    if dataclasses.is_dataclass(hint):
        return _encode_fields(value)
    return value.value if isinstance(value, Enum) else value


def decode(hint: type[T] | Any, data: Any, where: str = "") -> T:
    """The value of type *hint* that was written as *data*. Raises `ValueError` naming the place."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    result: Any
    if origin in (typing.Union, types.UnionType):
        result = _decode_member(arguments, data, where)
    elif origin is tuple:
        _expect(isinstance(data, list), "a list", data, where)
        _expect(arguments[-1] is Ellipsis or len(arguments) == len(data), "of that length", data, where)
        result = tuple(
            decode(inner, item, f"{where}[{index}]")
            for index, (inner, item) in enumerate(_items(arguments, data))
        )
    elif dataclasses.is_dataclass(hint):
        result = _decode_fields(hint, data, where)
    elif isinstance(hint, type) and issubclass(hint, Enum):
        result = _decode_enum(hint, data, where)
    else:
        _expect(type(data) is hint, getattr(hint, "__name__", str(hint)), data, where)
        result = data
    return result  # type: ignore[no-any-return]


def _items(arguments: tuple[Any, ...], values: Any) -> list[tuple[Any, Any]]:
    """The items of a tuple with their hints, for tuples of one type and for those of given types."""
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        arguments = (arguments[0],) * len(values)
    return list(zip(arguments, values, strict=True))


def _encode_fields(value: Any) -> dict[str, Any]:
    """The fields of a dataclass that differ from their default."""
    kind: Any = type(value)
    return {
        name: encode(hint, item)
        for name, (hint, default) in _fields(kind).items()
        if (item := getattr(value, name)) != default
    }


def _encode_member(members: tuple[Any, ...], value: Any) -> Any:
    """A value of one of several types."""
    if dataclasses.is_dataclass(value):
        return {KIND: type(value).__name__, **_encode_fields(value)}
    member = next((member for member in members if _is_of(member, value)), None)
    return value if member is None else encode(member, value)


def _decode_fields(kind: Any, data: Any, where: str) -> Any:
    """A dataclass from its fields."""
    _expect(isinstance(data, Mapping), "an object", data, where)
    fields = _fields(kind)
    unknown = sorted(set(data) - set(fields))
    _expect(not unknown, f"a {kind.__name__} without {', '.join(unknown)}", data, where)
    missing = [n for n, (_, default) in fields.items() if n not in data and default is dataclasses.MISSING]
    _expect(not missing, f"a {kind.__name__} with {', '.join(missing)}", data, where)
    return kind(**{name: decode(fields[name][0], item, f"{where}.{name}") for name, item in data.items()})


def _decode_member(members: tuple[Any, ...], data: Any, where: str) -> Any:
    """A value of one of several types: the dataclass it names, else the first that fits."""
    if isinstance(data, Mapping):
        member = next((m for m in members if getattr(m, "__name__", "") == data.get(KIND)), None)
        names = ", ".join(str(getattr(m, "__name__", m)) for m in members if dataclasses.is_dataclass(m))
        _expect(member is not None, f"one of {names}", data, where)
        return _decode_fields(member, {key: item for key, item in data.items() if key != KIND}, where)
    member = next((m for m in members if not dataclasses.is_dataclass(m) and _is_written_as(m, data)), None)
    _expect(member is not None or (data is None and type(None) in members), "of its types", data, where)
    return None if data is None else decode(member, data, where)


def _decode_enum(kind: type[Enum], data: Any, where: str) -> Enum:
    """A member of an enum from its value."""
    try:
        return kind(data)
    except ValueError:
        allowed = ", ".join(str(member.value) for member in kind)
        raise ValueError(f"{where or 'it'} is {data!r}, none of {allowed}") from None


@functools.cache
def _fields(kind: Any) -> dict[str, tuple[Any, Any]]:
    """Name, hint and default of each field that a constructor takes."""
    hints = typing.get_type_hints(kind)
    return {
        field.name: (hints[field.name], field.default) for field in dataclasses.fields(kind) if field.init
    }


def _is_of(member: Any, value: Any) -> bool:
    """True if *value* is of the type *member*, as far as a member of a union has to be told from the others."""
    origin = typing.get_origin(member) or member
    return isinstance(origin, type) and type(value) is origin


def _is_written_as(member: Any, data: Any) -> bool:
    """True if *data* can be what a *member* was written as."""
    if typing.get_origin(member) is tuple:
        return isinstance(data, list)
    if isinstance(member, type) and issubclass(member, Enum):
        return data in [item.value for item in member]
    return type(data) is member


def _expect(holds: bool, what: str, data: Any, where: str) -> None:
    """Raise unless *holds*."""
    if not holds:
        raise ValueError(f"{where or 'it'} must be {what}, not {data!r:.120}")
