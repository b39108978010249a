# SPDX-License-Identifier: Apache-2.0
"""Conversion of dataclasses to JSON values and back, by their type hints.

Pure. Its rule: decoding returns what was encoded, or raises `ValueError` with the place that does
not fit. A member of a union of dataclasses has its class's name under `is`, or the class attribute
`stored_as` if the class was renamed after values had been stored. Fields with their default value
are left out. Converters are cached per type: a hall uses them some thousand times a second.

The keys of an object follow the order of the fields, after those in the class attribute
`stored_first`. The fields of a dataclass held as `Annotated[Kind, Inline()]` are among them.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from companion.model.phrase import Phrase, as_data, from_data

T = TypeVar("T")

KIND: Final = "is"
"""Key of the class name in members of unions."""

_ARRAY: Final = Phrase("an array")
_OBJECT: Final = Phrase("an object")
_TEXT: Final = Phrase("text, or an object with message and args")
_PERMITTED: Final = Phrase("of a permitted type")

_AS_IT_IS: Final = (bool, int, str)
_Way: TypeAlias = Callable[[Any], Any]
"""Converts a value of one type to its JSON value, or back."""


@dataclasses.dataclass(frozen=True, slots=True)
class Inline:
    """How the fields of a dataclass are written in the object of its holder."""

    renamed: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Keys of the fields that have another name there."""
    omitted: frozenset[str] = frozenset()
    """Fields that are not written; they are read as their defaults."""
    needed: frozenset[str] = frozenset()
    """Fields that are written with their defaults, too, and missed if they are not there."""


class _MisfitError(Exception):
    """The data do not fit the type."""

    def __init__(self, wanted: Phrase, data: Any) -> None:
        super().__init__()
        self.reason = Phrase("must be {wanted}, not {value}", wanted=wanted, value=f"{data!r:.120}")
        self.where = ""
        """Path of the place, assembled while the exception propagates."""


def encode(hint: Any, value: Any) -> Any:
    """Convert *value* of type *hint* to a JSON value."""
    return encoder(hint)(value)


def decode(hint: type[T] | Any, data: Any) -> T:
    """Convert *data* to a value of type *hint*. Raises `ValueError` with the place."""
    kind: Any = hint
    try:
        result: T = _decoder(kind)(data)
    except _MisfitError as fault:
        reason = Phrase("{place}: {reason}", place=fault.where, reason=fault.reason)
        raise ValueError(reason if fault.where else fault.reason) from None
    return result


# --- encoding ---


@functools.cache
def encoder(hint: Any) -> _Way:
    """Return the function that `encode` uses for type *hint*.

    It saves the look-up if many values are encoded.
    """
    if hint is Phrase:
        return as_data
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
    """Encode the fields of a dataclass that differ from their defaults."""
    kind: Any = type(value)
    written = {}
    for name, get, way, default in _encoders(kind):
        item = get(value)
        if item is not default and item != default:
            written[name] = item if way is None else way(item)
    return written


def _encode_member(members: tuple[Any, ...], ways: dict[type, _Way], value: Any) -> Any:
    """Encode a value of a union; *ways* caches the encoder of each type."""
    kind = type(value)
    way = ways.get(kind)
    if way is None:
        way = ways[kind] = _member_encoder(members, kind)
    return way(value)


def _name_of(kind: Any) -> str:
    """Return the name of a type under `is`: `stored_as`, otherwise the class name."""
    return str(getattr(kind, "stored_as", getattr(kind, "__name__", "")))


def _member_encoder(members: tuple[Any, ...], kind: type) -> _Way:
    """Return the encoder of type *kind* in a union of *members*."""
    if dataclasses.is_dataclass(kind):
        name = _name_of(kind)
        return lambda value: {KIND: name, **_encode_fields(value)}
    member = next((each for each in members if (typing.get_origin(each) or each) is kind), None)
    return _encode_plain if member is None else encoder(member)


@functools.cache
def _encoders(kind: Any) -> tuple[tuple[str, _Way, _Way | None, Any], ...]:
    """Return key, getter, encoder and default of each field; the encoder is None for identity."""
    return tuple(
        (
            key,
            attrgetter(field.place),
            None if field.hint in _AS_IT_IS else encoder(field.hint),
            field.default,
        )
        for key, field in _fields(kind).items()
    )


# --- decoding ---


@functools.cache
def _decoder(hint: Any) -> _Way:
    """Return the decoder of type *hint*."""
    if hint is Phrase:
        return _decode_phrase
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
    if type(data) is not kind:
        raise _MisfitError(Phrase("of type {type}", type=getattr(kind, "__name__", str(kind))), data)
    return data


def _decode_row(inner: _Way, data: Any) -> tuple[Any, ...]:
    """Decode a tuple of items of one type."""
    _expect(isinstance(data, list), _ARRAY, data)
    return tuple([_placed(inner, item, index) for index, item in enumerate(data)])


def _decode_tuple(inners: tuple[_Way, ...], data: Any) -> tuple[Any, ...]:
    """Decode a tuple of items of given types."""
    if not isinstance(data, list) or len(inners) != len(data):
        raise _MisfitError(Phrase("an array of {count}", count=len(inners)), data)
    return tuple(
        [_placed(inner, item, index) for index, (inner, item) in enumerate(zip(inners, data, strict=True))]
    )


def _decode_fields(kind: Any, data: Any) -> Any:
    """Decode a dataclass."""
    _expect(isinstance(data, Mapping), _OBJECT, data)
    decoders, needed = _decoders(kind)
    if unknown := sorted(data.keys() - decoders.keys()):
        raise _MisfitError(Phrase("{kind} without {names}", kind=kind.__name__, names=unknown), data)
    if missing := [name for name in needed if name not in data]:
        raise _MisfitError(Phrase("{kind} with {names}", kind=kind.__name__, names=missing), data)
    return _made(kind, {name: _placed(decoders[name], item, name) for name, item in data.items()})


def _made(kind: Any, values: dict[str, Any]) -> Any:
    """Return a *kind* with the decoded *values* by key."""
    for name, inner, keys, _ in _inlined(kind):
        values[name] = _made(inner, {own: values.pop(key) for own, key in keys.items() if key in values})
    return kind(**values)


def _decode_member(members: tuple[Any, ...], data: Any) -> Any:
    """Decode a value of a union: the named dataclass, otherwise the first type that fits."""
    if isinstance(data, Mapping):
        if Phrase in members and KIND not in data:
            return _decode_phrase(data)
        member = next((m for m in members if _name_of(m) == data.get(KIND)), None)
        if member is None:
            names = [_name_of(m) for m in members if dataclasses.is_dataclass(m)]
            raise _MisfitError(Phrase("one of {names}", names=names), data)
        return _decode_fields(member, {key: item for key, item in data.items() if key != KIND})
    member = next((m for m in members if not dataclasses.is_dataclass(m) and _is_written_as(m, data)), None)
    _expect(member is not None or (data is None and type(None) in members), _PERMITTED, data)
    return None if data is None else _decoder(member)(data)


def _decode_phrase(data: Any) -> str:
    """A phrase, or text that was written instead of one."""
    try:
        return from_data(data)
    except ValueError:
        raise _MisfitError(_TEXT, data) from None


def _decode_enum(kind: type[Enum], data: Any) -> Enum:
    """Decode a member of an enum."""
    try:
        return kind(data)
    except ValueError:
        names = [str(member.value) for member in kind]
        raise _MisfitError(Phrase("one of {names}", names=names), data) from None


@functools.cache
def _decoders(kind: Any) -> tuple[dict[str, _Way], tuple[str, ...]]:
    """Return the decoders of the fields by name, and the fields without defaults."""
    fields = _fields(kind)
    needed = tuple(key for key, field in fields.items() if field.default is dataclasses.MISSING)
    return {key: _decoder(field.hint) for key, field in fields.items()}, needed


def _placed(way: _Way, data: Any, place: str | int) -> Any:
    """Decode *data*; add *place* to the path of an error."""
    try:
        return way(data)
    except _MisfitError as fault:
        fault.where = f".{place}{fault.where}" if isinstance(place, str) else f"[{place}]{fault.where}"
        raise


# --- types ---


class _Field(NamedTuple):
    """A field whose value has a key."""

    place: str
    """Its name; after that of the holder's field and a dot, if it is inline."""
    hint: Any
    default: Any


@functools.cache
def _fields(kind: Any) -> dict[str, _Field]:
    """Return the fields of the constructor by key, as they are written."""
    hints, inlined = typing.get_type_hints(kind), {name: inner for name, *inner in _inlined(kind)}
    found: dict[str, _Field] = {}
    for field in dataclasses.fields(kind):
        if field.name in inlined:
            inner, keys, needed = inlined[field.name]
            for own, key in keys.items():
                place, hint, default = _fields(inner)[own]
                default = dataclasses.MISSING if own in needed else default
                found[key] = _Field(f"{field.name}.{place}", hint, default)
        elif field.init:
            found[field.name] = _Field(field.name, hints[field.name], field.default)
    return {key: found[key] for key in dict.fromkeys((*getattr(kind, "stored_first", ()), *found))}


@functools.cache
def _inlined(kind: Any) -> tuple[tuple[str, Any, dict[str, str], frozenset[str]], ...]:
    """Return each inline field: name, type, keys here by its keys, needed ones of these."""
    return tuple(
        (
            name,
            hint.__origin__,
            {own: mark.renamed.get(own, own) for own in _fields(hint.__origin__) if own not in mark.omitted},
            mark.needed,
        )
        for name, hint in typing.get_type_hints(kind, include_extras=True).items()
        for mark in getattr(hint, "__metadata__", ())
        if isinstance(mark, Inline)
    )


def _is_written_as(member: Any, data: Any) -> bool:
    """True if *data* may be an encoded *member*."""
    if typing.get_origin(member) is tuple:
        return isinstance(data, list)
    if isinstance(member, type) and issubclass(member, Enum):
        return data in [item.value for item in member]
    return type(data) is member


def _expect(holds: bool, wanted: Phrase, data: Any) -> None:
    """Raise unless *holds*."""
    if not holds:
        raise _MisfitError(wanted, data)
