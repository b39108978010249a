# SPDX-License-Identifier: Apache-2.0
"""The strict reader of word files, and the comparison of languages.

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
from companion.feedback.template import Noun, check, gaps
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


def texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every template in *value*, with its key."""
    for key, leaf in _leaves(value, path):
        if isinstance(leaf, str):
            yield key, leaf


def differences(ours: object, english: object) -> list[str]:
    """Differences of the words *ours* from *english*, one sentence each.

    Missing keys, excess keys, and other gaps.
    """
    mine, wanted = (dict(_leaves(words)) for words in (ours, english))
    missing = [f"{key} is missing" for key in wanted if key not in mine]
    excess = [f"{key} does not exist in English" for key in mine if key not in wanted]
    changed = [
        f"{key} needs {_shape(leaf)} as in English, not {_shape(mine[key])}"
        for key, leaf in wanted.items()
        if key in mine and _shape(leaf) != _shape(mine[key])
    ]
    return [*missing, *excess, *changed]


def _shape(leaf: Any) -> str:
    """What all languages must have alike in one value."""
    if isinstance(leaf, str):
        return f"the gaps {sorted(gaps(leaf))}"
    return f"{len(leaf)} items" if isinstance(leaf, tuple) else "a noun"


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
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
        yield from _leaves(item, f"{path}.{key}".lstrip("."))


def _check(words: object, language: Language, source: str) -> None:
    """Raise `SettingsError` unless templates are well formed and nouns complete."""
    for key, leaf in _leaves(words):
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
