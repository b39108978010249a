# SPDX-License-Identifier: Apache-2.0
"""The lessons that were done, in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from companion.host.journal import files
from companion.host.private_files import replace_text
from companion.host.text.os_errors import reporting
from companion.lessons.course import course
from companion.model.errors import SettingsError
from companion.model.toml import build, parse, text_of, write


@dataclass(frozen=True, slots=True)
class Done:
    """Content of the file: the lessons that were done, by game."""

    lessons: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, game: str) -> tuple[str, ...]:
        """The lessons of *game* that were done."""
        return self.lessons.get(game, ())

    def first_open(self, game: str) -> str:
        """The first lesson of *game* that is left; the first of all at the end."""
        slugs = course(game).slugs
        return next((slug for slug in slugs if slug not in self.of(game)), slugs[0])


def file() -> Path:
    """Return the file of the lessons that were done, in the platform's data folder."""
    return files.folder().with_name("lessons.toml")


def read_done(path: Path | None = None) -> Done:
    """Return what is in *path*, by default `file`. Raises `SettingsError`."""
    path = path or file()
    if not path.exists():
        return Done()
    return build(Done, parse(text_of(path), str(path)), str(path))


def note_done(game: str, lesson: str, path: Path | None = None) -> None:
    """Add *lesson* of *game* to *path*. Raises `SettingsError`."""
    path = path or file()
    before = read_done(path)
    if lesson in before.of(game):
        return
    done = Done({**before.lessons, game: (*before.of(game), lesson)})
    with reporting("{path} cannot be written: {reason}", SettingsError, path=path):
        replace_text(path, write(done))
