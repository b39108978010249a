# SPDX-License-Identifier: Apache-2.0
"""Sentences that keep their template and values, so that they can be translated.

The English template is the key of its translations. Its gaps are filled with texts, numbers,
lists of these, and other phrases, which are translated with it. A template is written as for
`str.format`; a gap is a name, with `!r` for a quoted value, or with the digits after the point:

    {port}   {text!r}   {rms_px:.1f}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

_GAP: Final = re.compile(r"\{\{|\}\}|\{([a-z][a-z0-9_]*)(!r)?(?::(\.[0-9]f))?\}")

_LONGEST: Final = 10_000
"""Characters of a phrase that is read from data.

Nested phrases could grow exponentially.
"""

Value: TypeAlias = "str | int | float | tuple[Value, ...]"
"""The value of a gap; a phrase is a `str`, too."""


class Phrase(str):
    """An English sentence with its template and the values of the gaps."""

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, Value]

    def __new__(cls, template: str, /, **values: object) -> Phrase:
        """Fill *template*. Raises `KeyError` if a gap has no value."""
        held = {name: _value(each) for name, each in values.items()}
        message = super().__new__(cls, fill(template, held))
        message.template = template
        message.values = held
        return message

    def __str__(self) -> str:
        """The phrase itself, so that `str(error)` can be translate, too."""
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Value]]:
        """The arguments for a copy."""
        return (self.template,), dict(self.values)


Text: TypeAlias = Phrase | str
"""A phrase, or text from elsewhere; the type of fields that are written as data."""


def gaps(template: str) -> frozenset[str]:
    """The names of the gaps in *template*. Raises `ValueError` for a stray brace.

    >>> sorted(gaps("{rank} of {name!r}"))
    ['name', 'rank']
    """
    if set("{}") & set(_GAP.sub("", template)):
        raise ValueError(Phrase("{template!r} has a brace that opens no gap", template=template))
    return frozenset(match[1] for match in _GAP.finditer(template) if match[1])


def fill(template: str, values: Mapping[str, Value]) -> str:
    """*template* with its gaps filled. Raises `KeyError` if a gap has no value.

    >>> fill("there is no {name!r}; there are {known}", {"name": "red", "known": ("blue", "green")})
    "there is no 'red'; there are blue, green"
    """

    def filled(found: re.Match[str]) -> str:
        name, quoted, digits = found.groups()
        return _shown(values[name], bool(quoted), digits or "") if name else found[0][0]

    return _GAP.sub(filled, template)


def _shown(value: Value, quoted: bool, digits: str) -> str:
    """*value* as text."""
    if isinstance(value, tuple):
        return ", ".join(_shown(each, quoted, digits) for each in value)
    if digits and isinstance(value, int | float):
        return format(value, digits)
    return repr(str(value)) if quoted else str(value)


def _value(given: object) -> Value:
    """*given* as a value."""
    if isinstance(given, BaseException):
        return _value(str(given))
    if isinstance(given, bool) or given is None:
        return str(given)
    if isinstance(given, int | float):
        return given
    if isinstance(given, Phrase) or type(given) is str:
        return given
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        return tuple(_value(each) for each in given)
    return str(given)


def as_data(text: str) -> Any:
    """*text* as a JSON value: a phrase as an object with its template and values."""
    if not isinstance(text, Phrase):
        return text
    return {"message": text.template, "args": {name: _data_of(each) for name, each in text.values.items()}}


def from_data(data: Any) -> str:
    """The text that `as_data` wrote as *data*. Raises `ValueError` for other data."""
    if isinstance(data, str):
        return data
    try:
        if data.keys() <= {"message", "args"} and isinstance(data["message"], str):
            gaps(data["message"])
            values = {name: _value_of(each) for name, each in data.get("args", {}).items()}
            if len(message := Phrase(data["message"], **values)) <= _LONGEST:
                return message
    except (AttributeError, LookupError, TypeError, RecursionError) as fault:
        raise ValueError("a message is text, or an object with message and args") from fault
    raise ValueError("a message is text, or an object with message and args")


def _data_of(value: Value) -> Any:
    """*value* as a JSON value."""
    if isinstance(value, tuple):
        return [_data_of(each) for each in value]
    return as_data(value) if isinstance(value, str) else value


def _value_of(data: Any) -> Value:
    """The value that `_data_of` wrote as *data*."""
    if isinstance(data, list):
        return tuple(_value_of(each) for each in data)
    if isinstance(data, int | float) and not isinstance(data, bool):
        return data
    return from_data(data)
