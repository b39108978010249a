# SPDX-License-Identifier: Apache-2.0
"""The strict reader of word files.

Shared by tables, the hall and the workshop.

Rule: a file becomes the frozen dataclass that describes it, or an error names file, table and key.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

from companion.feedback.language import Language
from companion.feedback.template import Noun, check
from companion.model.errors import SettingsError
from companion.model.toml import build, parse, text_of

T = TypeVar("T")


def read(kind: type[T], file: Traversable, language: Language | None = None) -> T:
    """The words in *file* as a *kind*, a dataclass; its templates and nouns fit *language*.

    Without *language* the field `language` of the file itself is used. Raises `SettingsError`.
    """
    path = Path(str(file))
    words: Any = build(kind, parse(text_of(path), str(path)), str(path))
    _check(words, language or words.language, str(path))
    result: T = words
    return result


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The strings, tuples and nouns in *value*, with their keys; the grammar is no leaf."""
    if isinstance(value, Mapping):
        items = list(value.items())
    elif dataclasses.is_dataclass(value) and not isinstance(value, Noun | Language):
        items = [(entry.name, getattr(value, entry.name)) for entry in dataclasses.fields(value)]
    else:
        if not isinstance(value, Language):
            yield path, value
        return
    for key, item in items:
        yield from leaves(item, f"{path}.{key}".lstrip("."))


def _check(words: object, language: Language, source: str) -> None:
    """Raise `SettingsError` unless templates are well formed and nouns complete."""
    for key, leaf in leaves(words):
        if isinstance(leaf, str):
            try:
                check(leaf, language)
            except ValueError as fault:
                raise SettingsError(
                    "{source}: {key}: {reason}", source=source, key=key, reason=fault
                ) from fault
        elif isinstance(leaf, Noun):
            missing = [form for form in language.forms if not getattr(leaf, form)]
            if missing:
                raise SettingsError(
                    "{source}: {key} has no form {form!r}", source=source, key=key, form=missing[0]
                )
