# SPDX-License-Identifier: Apache-2.0
"""Dataclasses as JSON-able values and back, by their type hints alone.

Pure, and its rule: what comes back equals what went in, or `ValueError` says where it does not fit.
A member of a union of dataclasses carries its class's name under `is`, or the text of its class attribute `stored_as`
if the class was renamed after values of it had been written. Fields that have their default are left out.
What a type needs is worked out once: a hall does this some thousand times a second.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final, TypeAlias, TypeVar

T = TypeVar("T")

KIND: Final = "is"
"""The key under which a union's member says which one it is."""

_AS_IT_IS: Final = (bool, int, str)
_Way: TypeAlias = Callable[[Any], Any]
"""From a value of one type to what `json` can write, or back."""


class _MisfitError(Exception):
    """What was written does not fit, somewhere inside."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.where = ""
        """The place; put together on the way out."""


def encode(hint: Any, value: Any) -> Any:
    """*value*, which is of type *hint*, as something `json` can write."""
    return encoder(hint)(value)


def decode(hint: type[T] | Any, data: Any) -> T:
    """The value of type *hint* that was written as *data*. Raises `ValueError` naming the place."""
    kind: Any = hint
    try:
        result: T = _decoder(kind)(data)
    except _MisfitError as fault:
        raise ValueError(f"{fault.where or 'it'} {fault}") from None
    return result


# --- to be written ---


@functools.cache
def encoder(hint: Any) -> _Way:
    """What `encode` does with values of type *hint*: for whoever writes many, as a union is long to look up."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return functools.partial(_encode_member, arguments, {})
    if origin is tuple and arguments[1:] == (Ellipsis,):
        inner = encoder(arguments[0])
        return lambda values: [inner(value) for value in values]
    if origin is tuple:
        inners = [encoder(argument) for argument in arguments]
        return lambda values: [inner(value) for inner, value in zip(inners, values, strict=True)]
    return _encode_fields if dataclasses.is_dataclass(hint) else _encode_plain


def _encode_plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _encode_fields(value: Any) -> dict[str, Any]:
    """The fields of a dataclass that differ from their default."""
    kind: Any = type(value)
    written = {}
    for name, way, default in _encoders(kind):
        item = getattr(value, name)
        if item is not default and item != default:
            written[name] = item if way is None else way(item)
    return written


def _encode_member(members: tuple[Any, ...], ways: dict[type, _Way], value: Any) -> Any:
    """A value of one of several types; *ways* remembers how each of them is written."""
    kind = type(value)
    way = ways.get(kind)
    if way is None:
        way = ways[kind] = _member_encoder(members, kind)
    return way(value)


def _name_of(kind: Any) -> str:
    """The name of a type under `is`: its class attribute `stored_as` if it has one, else its own name."""
    return str(getattr(kind, "stored_as", getattr(kind, "__name__", "")))


def _member_encoder(members: tuple[Any, ...], kind: type) -> _Way:
    """What makes a value of *kind* ready to be written as one of *members*."""
    if dataclasses.is_dataclass(kind):
        name = _name_of(kind)
        return lambda value: {KIND: name, **_encode_fields(value)}
    member = next((each for each in members if (typing.get_origin(each) or each) is kind), None)
    return _encode_plain if member is None else encoder(member)


@functools.cache
def _encoders(kind: Any) -> tuple[tuple[str, _Way | None, Any], ...]:
    """Name, way and default of each field; the way is None where the value is written as it is."""
    return tuple(
        (name, None if hint in _AS_IT_IS else encoder(hint), default)
        for name, (hint, default) in _fields(kind).items()
    )


# --- to be read ---


@functools.cache
def _decoder(hint: Any) -> _Way:
    """What makes values of type *hint* of what was written."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return functools.partial(_decode_member, arguments)
    if origin is tuple and arguments[1:] == (Ellipsis,):
        return functools.partial(_decode_row, _decoder(arguments[0]))
    if origin is tuple:
        return functools.partial(_decode_tuple, tuple(map(_decoder, arguments)))
    if dataclasses.is_dataclass(hint):
        return functools.partial(_decode_fields, hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return functools.partial(_decode_enum, hint)
    return functools.partial(_decode_plain, hint)


def _decode_plain(kind: Any, data: Any) -> Any:
    _expect(type(data) is kind, getattr(kind, "__name__", str(kind)), data)
    return data


def _decode_row(inner: _Way, data: Any) -> tuple[Any, ...]:
    """A tuple of items of one type."""
    _expect(isinstance(data, list), "a list", data)
    return tuple([_placed(inner, item, index) for index, item in enumerate(data)])


def _decode_tuple(inners: tuple[_Way, ...], data: Any) -> tuple[Any, ...]:
    """A tuple of items of given types."""
    _expect(isinstance(data, list), "a list", data)
    _expect(len(inners) == len(data), "of that length", data)
    return tuple(
        [_placed(inner, item, index) for index, (inner, item) in enumerate(zip(inners, data, strict=True))]
    )


def _decode_fields(kind: Any, data: Any) -> Any:
    """A dataclass from its fields."""
    _expect(isinstance(data, Mapping), "an object", data)
    decoders, needed = _decoders(kind)
    if unknown := sorted(data.keys() - decoders.keys()):
        _expect(False, f"a {kind.__name__} without {', '.join(unknown)}", data)
    if missing := [name for name in needed if name not in data]:
        _expect(False, f"a {kind.__name__} with {', '.join(missing)}", data)
    return kind(**{name: _placed(decoders[name], item, name) for name, item in data.items()})


def _decode_member(members: tuple[Any, ...], data: Any) -> Any:
    """A value of one of several types: the dataclass it names, else the first that fits."""
    if isinstance(data, Mapping):
        member = next((m for m in members if _name_of(m) == data.get(KIND)), None)
        if member is None:
            names = ", ".join(_name_of(m) for m in members if dataclasses.is_dataclass(m))
            _expect(False, f"one of {names}", data)
        return _decode_fields(member, {key: item for key, item in data.items() if key != KIND})
    member = next((m for m in members if not dataclasses.is_dataclass(m) and _is_written_as(m, data)), None)
    _expect(member is not None or (data is None and type(None) in members), "of its types", data)
    return None if data is None else _decoder(member)(data)


def _decode_enum(kind: type[Enum], data: Any) -> Enum:
    """A member of an enum from its value."""
    try:
        return kind(data)
    except ValueError:
        allowed = ", ".join(str(member.value) for member in kind)
        raise _MisfitError(f"is {data!r}, none of {allowed}") from None


@functools.cache
def _decoders(kind: Any) -> tuple[dict[str, _Way], tuple[str, ...]]:
    """The ways of the fields by name, and the names of those that have no default."""
    fields = _fields(kind)
    needed = tuple(name for name, (_, default) in fields.items() if default is dataclasses.MISSING)
    return {name: _decoder(hint) for name, (hint, _) in fields.items()}, needed


def _placed(way: _Way, data: Any, place: str | int) -> Any:
    """What *way* makes of *data*; what does not fit is said to be at *place*."""
    try:
        return way(data)
    except _MisfitError as fault:
        fault.where = f".{place}{fault.where}" if isinstance(place, str) else f"[{place}]{fault.where}"
        raise


# --- types ---


@functools.cache
def _fields(kind: Any) -> dict[str, tuple[Any, Any]]:
    """Name, hint and default of each field that a constructor takes."""
    hints = typing.get_type_hints(kind)
    return {
        field.name: (hints[field.name], field.default) for field in dataclasses.fields(kind) if field.init
    }


def _is_written_as(member: Any, data: Any) -> bool:
    """True if *data* can be what a *member* was written as."""
    if typing.get_origin(member) is tuple:
        return isinstance(data, list)
    if isinstance(member, type) and issubclass(member, Enum):
        return data in [item.value for item in member]
    return type(data) is member


def _expect(holds: bool, what: str, data: Any) -> None:
    """Raise unless *holds*."""
    if not holds:
        raise _MisfitError(f"must be {what}, not {data!r:.120}")
