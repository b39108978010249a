# SPDX-License-Identifier: Apache-2.0
"""The strict reader of TOML, and its inverse.

A table becomes a frozen dataclass, or an error names file, table and key.
"""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from companion.model.errors import SettingsError
from companion.model.phrase import Phrase

T = TypeVar("T")

_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_LARGEST: Final = 1 << 20
"""Largest file in bytes: more than is written by hand."""


def parse(text: str, source: str) -> dict[str, Any]:
    """The tables of a TOML *text*; *source* names it in errors. Raises `SettingsError`."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise SettingsError("{source}: this is not TOML: {reason}", source=source, reason=fault) from fault


def text_of(path: Path) -> str:
    """The text of the small file *path*. Raises `SettingsError`.

    Refuses anything that is not a regular file, such as a device, which might never end.
    """
    try:
        if path.exists() and not path.is_file():
            raise SettingsError("{path} cannot be read: it is not a file", path=path)
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise SettingsError(
                "{path} cannot be read: it is larger than {most} bytes", path=path, most=_LARGEST
            )
        return content.decode()
    except (OSError, ValueError) as fault:
        raise SettingsError("{path} cannot be read: {reason}", path=path, reason=fault) from fault


def build(kind: type[T], table: Mapping[str, Any], source: str, path: str = "") -> T:
    """A *kind* (a dataclass) from *table*: nested dataclasses, tuples and mappings included.

    Keys are the field names, with `-` for `_` allowed; `base` in the table `ply` is `ply_base`
    unless there is a field `ply`.
    Unknown and missing keys, and values of another type, raise `SettingsError`
    naming *source*, table and key.
    """
    hints = typing.get_type_hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind) if field.init}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for name, where, value in _entries(fields, table, source, path):
        values[name] = _convert(hints[name], value, source, where)
    for name, field in fields.items():
        needed = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if needed and name not in values:
            raise SettingsError(
                "{source}: key {key!r} is missing in {path}",
                source=source,
                key=name,
                path=path or Phrase("the top table"),
            )
    try:
        return kind(**values)
    except ValueError as fault:
        raise SettingsError(
            "{source}: {path}: {reason}", source=source, path=path or Phrase("the top table"), reason=fault
        ) from fault


def _entries(
    names: Iterable[str], table: Mapping[str, Any], source: str, path: str, prefix: str = ""
) -> Iterator[tuple[str, str, Any]]:
    """The field, the place and the value of each key of *table*."""
    known = [name.removeprefix(prefix) for name in sorted(names) if name.startswith(prefix)]
    for key, value in table.items():
        name = key.replace("-", "_")
        where = f"{path}.{key}" if path else key
        if name in known:
            yield prefix + name, where, value
        elif isinstance(value, dict) and any(each.startswith(f"{name}_") for each in known):
            yield from _entries(names, value, source, where, f"{prefix}{name}_")
        else:
            raise SettingsError(
                "{source}: unknown key {key!r}; known here: {known}",
                source=source,
                key=where,
                known=", ".join(known),
            )


def _convert(hint: Any, value: Any, source: str, where: str) -> Any:
    """*value* converted to the type *hint*."""
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _convert_union(arguments, value, source, where)
    if origin is typing.Literal:
        if value not in arguments:
            raise SettingsError(
                "{source}: {key} is {value}; allowed: {allowed}",
                source=source,
                key=where,
                value=repr(value),
                allowed=tuple(map(str, arguments)),
            )
        return value
    if origin is tuple:
        return _convert_tuple(arguments, value, source, where)
    if origin in (dict, Mapping):
        _expect(isinstance(value, dict), Phrase("a table"), value, source, where)
        return {key: _convert(arguments[1], item, source, f"{where}.{key}") for key, item in value.items()}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        _expect(isinstance(value, dict), Phrase("a table"), value, source, where)
        return build(hint, value, source, where)
    return _convert_plain(hint, value, source, where)


def _convert_plain(hint: Any, value: Any, source: str, where: str) -> Any:
    """A string, number or truth value; a whole number passes for a float."""
    if hint is float and type(value) is int:
        return float(value)
    if hint is not Any:
        _expect(type(value) is hint, Phrase("of type {type}", type=hint.__name__), value, source, where)
    return value


def _convert_union(members: tuple[Any, ...], value: Any, source: str, where: str) -> Any:
    """*value* converted to the first fitting member of a union."""
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
    """An array as a tuple: of one type and any length, or of given types."""
    _expect(isinstance(value, list | tuple), Phrase("an array"), value, source, where)
    if len(members) == 2 and members[1] is Ellipsis:
        members = (members[0],) * len(value)
    _expect(
        len(members) == len(value), Phrase("an array of {count}", count=len(members)), value, source, where
    )
    return tuple(
        _convert(member, item, source, f"{where}[{index}]")
        for index, (member, item) in enumerate(zip(members, value, strict=True))
    )


def _expect(holds: bool, what: Phrase, value: Any, source: str, where: str) -> None:
    """Raise unless *holds*."""
    if not holds:
        raise SettingsError(
            "{source}: {key} must be {wanted}, not {value}",
            source=source,
            key=where,
            wanted=what,
            value=repr(value),
        )


def write(value: object) -> str:
    """A frozen dataclass as TOML: the inverse of `build`. None values are left out.

    Tuples that begin with a dataclass become arrays of tables, and must hold nothing else.
    """
    return "\n".join(_table_lines(_items(value), "")).lstrip("\n") + "\n"


def _items(value: Any) -> dict[str, Any]:
    """The keys and values of a table."""
    if isinstance(value, Mapping):
        return {str(key): item for key, item in value.items()}
    fields = (field.name for field in dataclasses.fields(value) if field.init)
    return {name.replace("_", "-"): getattr(value, name) for name in fields}


def _table_lines(items: Mapping[str, Any], path: str) -> Iterator[str]:
    """The lines of one table: its plain values, then its subtables."""
    present = {_key(key): item for key, item in items.items() if item is not None}
    yield from (f"{key} = {_plain(item)}" for key, item in present.items() if not _is_nested(item))
    for key, item in present.items():
        name = f"{path}.{key}" if path else key
        if isinstance(item, tuple) and _is_nested(item):
            for each in item:
                yield from ("", f"[[{name}]]", *_table_lines(_items(each), name))
        elif _is_nested(item):
            yield from ("", f"[{name}]", *_table_lines(_items(item), name))


def _is_nested(value: Any) -> bool:
    """True if *value* is written as one or several tables."""
    first = value[0] if isinstance(value, tuple) and value else value
    return dataclasses.is_dataclass(first) or isinstance(first, Mapping)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _string(key)


def _plain(value: Any) -> str:
    """A value that is not a table."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_plain, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _string(value) if isinstance(value, str) else repr(value)


def _string(text: str) -> str:
    """*text* as JSON writes it, which is TOML except for one control character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
