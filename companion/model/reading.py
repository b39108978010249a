# SPDX-License-Identifier: Apache-2.0
"""What a reader of other programs' files has found, left out or guessed.

The policy for all such files is in `docs/design.md`: a file with one bad part brings the rest, each
thing that was left out or guessed is named with its line, and nothing is taken silently as another
value. So a reader returns a `Reading`, and raises only if nothing of its kind is in the text.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from companion.model.phrase import Phrase

T = TypeVar("T")

LEGACY: Final = "cp1252"
"""The usual encoding before Unicode; five of its bytes mean nothing."""
_MARKS: Final = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


@dataclass(frozen=True, slots=True, order=True)
class Note:
    """One thing that was left out or guessed."""

    line: int
    """Its line in the text, counted from 1; 0 for the whole text."""
    what: Phrase
    """What happened to it, as a part of a sentence."""

    def sentence(self) -> Phrase:
        """Return the note as people read it."""
        return Phrase("line {line}: {what}", line=self.line, what=self.what) if self.line else self.what


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """A value that was read, with what is not in it."""

    value: T
    notes: tuple[Note, ...] = ()
    """In the order of the lines."""

    def sentences(self) -> tuple[Phrase, ...]:
        """Return the notes as people read them."""
        return tuple(note.sentence() for note in self.notes)


def decoded(content: bytes, legacy: str = LEGACY) -> Reading[str]:
    """Return the text in *content*, without a mark of its encoding.

    Without a mark it is UTF-8, or UTF-16 if every other byte of its beginning is 0. A line that is
    not UTF-8 is read as *legacy*, an encoding of one byte a letter, else as ISO 8859-1; that is
    noted, once if no letter beyond ASCII in the whole text is UTF-8.

    >>> decoded("Müller".encode("cp1252")).value
    'Müller'
    """
    for mark, encoding in _MARKS.items():
        if content.startswith(mark) and encoding != "utf-8":
            return _wide(content[len(mark) :], encoding)
    content = content.removeprefix(codecs.BOM_UTF8)
    if (wide := _unmarked(content)) is not None:
        return _wide(content, wide)
    with suppress(UnicodeDecodeError):
        return Reading(content.decode())
    lines = content.split(b"\n")
    strange = [row for row, line in enumerate(lines, 1) if not _is_utf_8(line)]
    text = "\n".join(_line(line, legacy) for line in lines)
    is_mixed = any(not line.isascii() and _is_utf_8(line) for line in lines)
    what = Phrase("it is not in Unicode; read as {encoding}", encoding=legacy)
    return Reading(text, tuple(Note(row, what) for row in strange) if is_mixed else (Note(0, what),))


def _wide(content: bytes, encoding: str) -> Reading[str]:
    """Return the text in *content* of two bytes a letter; broken letters are noted."""
    text = content.decode(encoding, "replace")
    broken = tuple(
        Note(row, Phrase("letters that are damaged are left out"))
        for row, line in enumerate(text.split("\n"), 1)
        if "\ufffd" in line
    )
    return Reading(text, broken)


def _unmarked(content: bytes) -> str | None:
    """Return the encoding of two bytes a letter that *content* seems to have, or None."""
    beginning = content[:64]
    if len(beginning) < 4 or b"\0" not in beginning:
        return None
    zeros = [beginning[at::2].count(0) * 4 >= len(beginning[at::2]) * 3 for at in (0, 1)]
    return {(False, True): "utf-16-le", (True, False): "utf-16-be"}.get((zeros[0], zeros[1]))


def _is_utf_8(line: bytes) -> bool:
    with suppress(UnicodeDecodeError):
        line.decode()
        return True
    return False


def _line(line: bytes, legacy: str) -> str:
    for encoding in ("utf-8", legacy):
        with suppress(UnicodeDecodeError):
            return line.decode(encoding)
    return line.decode("latin-1")


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    r"""Yield the lines of *text* with their numbers; `\r\n` and `\r` end lines, too."""
    yield from enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1)
