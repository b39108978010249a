# SPDX-License-Identifier: Apache-2.0
"""Journals copied from their tables to the hall, over anything that may lose, delay, reorder or repeat what it is told.

Its rule: a copy is always the beginning of its journal, byte for byte. The table never sends what the hall has not asked for,
and the hall takes only what follows exactly on what it has; so nothing is lost and nothing doubled, whoever restarts when.
What is sent was on the table's disk before, and what is acknowledged is on the hall's.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from companion.host import private_files
from companion.host.text.os_errors import why
from companion.model.errors import JournalError

MOST_BYTES: Final = 32_768
"""In one part, unless a single line is longer."""
AGAIN_MS: Final = 2000
"""After which a part that was not acknowledged is sent once more."""
AT_ONCE: Final = 4
"""Journals of earlier games of which a part is under way at one time."""
MOST_NAMED: Final = 20
"""Journals that a table names as not copied; the others are named when these are."""


@dataclass(frozen=True, slots=True)
class Part:
    """From a table: a piece of a journal, or without text the question how much of it the hall has."""

    journal: str
    """Name of the file."""
    offset: int
    """Bytes before *text*."""
    check: int
    """CRC-32 of these."""
    text: str
    """Whole lines."""


@dataclass(frozen=True, slots=True)
class Have:
    """From the hall: how much of a journal it has."""

    journal: str
    size: int
    is_foreign: bool = False
    """True if what the hall has under this name began otherwise: it takes no more of it."""
    check: int | None = None
    """CRC-32 of what the hall has."""


@dataclass(frozen=True, slots=True)
class Lacking:
    """From a table: the journal of an earlier game that the hall is not known to have byte for byte."""

    journal: str
    size: int
    check: int
    """CRC-32 of the whole journal."""
    is_foreign: bool = False
    """True if the hall has something else under this name."""


@dataclass(frozen=True, slots=True)
class Kept:
    """From a table of the hall's own machine, whose journals it reads where they are: so much of one is safe."""

    journal: str
    size: int


Read: TypeAlias = Callable[[str, int, int], bytes]
"""Bytes of the journal of that name from one offset to another."""


@dataclass(slots=True)
class _Given:
    """How far the hall has come with one journal."""

    size: int
    """Bytes that are safe on this disk."""
    had: int | None = None
    """Bytes that the hall has; None until it has said so."""
    check: int = 0
    """CRC-32 of these."""
    sent_ms: int | None = None
    """When the part was sent that is under way; None if none is."""
    is_foreign: bool = False
    is_earlier: bool = False
    """True for the journal of an earlier game: it does not grow, and the hall need confirm it only once."""
    tries: int = 0
    """Parts that were not acknowledged since the last one that was."""
    whole: tuple[int, int] | None = None
    """A size of the journal, and the CRC-32 of so much of it, once that was asked for."""

    @property
    def is_copied(self) -> bool:
        """True if the hall has confirmed all of it."""
        return self.had == self.size and not self.is_foreign


class JournalSender:
    """The table's end: gives the hall what it lacks, one part of each journal at a time.

    The journal that grows goes first; of those of earlier games a few are under way at one time, and one that is not
    acknowledged makes room for the next.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._given: dict[str, _Given] = {}

    @property
    def foreign(self) -> tuple[str, ...]:
        """Journals that the hall has otherwise: somebody has to look."""
        return tuple(name for name, given in self._given.items() if given.is_foreign)

    @property
    def owed(self) -> int:
        """Bytes that the hall is not known to have."""
        return sum(given.size - (given.had or 0) for given in self._given.values())

    @property
    def lacking(self) -> tuple[Lacking, ...]:
        """The journals of earlier games that the hall is not known to have, the newest first, at most `MOST_NAMED`."""
        names = sorted(
            name for name, given in self._given.items() if given.is_earlier and not given.is_copied
        )
        return tuple(map(self._lacking, names[: -MOST_NAMED - 1 : -1]))

    def _lacking(self, journal: str) -> Lacking:
        given = self._given[journal]
        if given.whole is None or given.whole[0] != given.size:
            given.whole = given.size, zlib.crc32(self._read(journal, 0, given.size))
        return Lacking(journal, *given.whole, given.is_foreign)

    def grown(self, journal: str, size: int) -> None:
        """The first *size* bytes of *journal*, which may grow further, are safe on the disk: whole lines."""
        given = self._given.setdefault(journal, _Given(size))
        given.size = max(given.size, size)
        given.is_earlier = False

    def ended(self, journal: str, size: int) -> None:
        """*journal* is of an earlier game and has *size* bytes, which are safe on the disk: whole lines."""
        self.grown(journal, size)
        self._given[journal].is_earlier = True

    def reconnect(self, *, is_new_hall: bool) -> None:
        """The way to the hall is new: what it has is asked again, for it may have lost some.

        What the same run of its program has confirmed of earlier games is on its disk, and not asked again.
        """
        for given in self._given.values():
            if is_new_hall or not (given.is_earlier and given.is_copied):
                given.had = given.sent_ms = None
                given.is_foreign, given.tries = False, 0

    def heard(self, have: Have) -> None:
        """The hall has told what it has."""
        given = self._given.get(have.journal)
        if given is None or given.is_foreign:
            return
        given.sent_ms, given.tries = None, 0
        given.is_foreign = have.is_foreign or have.size > given.size
        if not given.is_foreign and have.size != given.had:
            start, check = (0, 0) if given.had is None or have.size < given.had else (given.had, given.check)
            given.check = zlib.crc32(self._read(have.journal, start, have.size), check)
            given.had = have.size
        if not given.is_foreign and have.check not in (None, given.check):
            given.is_foreign = True

    def parts_to_send(self, now_ms: int) -> tuple[Part, ...]:
        """What has to be sent now."""
        open_ones = self._open()
        for given in open_ones.values():
            if given.sent_ms is not None and given.sent_ms + AGAIN_MS <= now_ms:
                given.sent_ms, given.tries = None, given.tries + 1
        waiting = [name for name, given in open_ones.items() if given.sent_ms is None]
        earlier = sorted(
            (name for name in waiting if open_ones[name].is_earlier), key=lambda name: open_ones[name].tries
        )
        now = [name for name in waiting if not open_ones[name].is_earlier] + earlier[: self._room(open_ones)]
        for name in now:
            open_ones[name].sent_ms = now_ms
        return tuple(self._part(name, open_ones[name]) for name in now)

    def next_deadline_ms(self) -> int | None:
        """When `parts_to_send` is to be asked again; None if only after something was heard or has grown."""
        open_ones = self._open()
        has_room = self._room(open_ones) > 0
        if any(given.sent_ms is None and (has_room or not given.is_earlier) for given in open_ones.values()):
            return 0
        sent = (given.sent_ms for given in open_ones.values() if given.sent_ms is not None)
        return min((each + AGAIN_MS for each in sent), default=None)

    def _open(self) -> dict[str, _Given]:
        """What the hall lacks and takes."""
        return {
            name: given
            for name, given in self._given.items()
            if not given.is_foreign and given.had != given.size
        }

    @staticmethod
    def _room(open_ones: dict[str, _Given]) -> int:
        """Of how many earlier games more a part can be sent now."""
        return AT_ONCE - sum(given.is_earlier and given.sent_ms is not None for given in open_ones.values())

    def _part(self, journal: str, given: _Given) -> Part:
        if given.had is None:
            return Part(journal, 0, 0, "")
        data = self._read(journal, given.had, min(given.size, given.had + MOST_BYTES))
        if b"\n" not in data:
            data = self._read(journal, given.had, given.size)
            data = data[: data.index(b"\n") + 1]
        whole = data[: data.rindex(b"\n") + 1]
        return Part(journal, given.had, given.check, whole.decode())


class LengthReporter:
    """The end of a table whose journals the hall reads itself: it only tells how far they are. Used as a `JournalSender` is."""

    owed: Final = 0
    lacking: Final[tuple[Lacking, ...]] = ()

    def __init__(self) -> None:
        self._newest: Kept | None = None
        self._is_told = True

    def grown(self, journal: str, size: int) -> None:
        """The first *size* bytes of *journal* are safe on the disk: whole lines."""
        newest = Kept(journal, size)
        self._is_told = self._is_told and newest == self._newest
        self._newest = newest

    def ended(self, journal: str, size: int) -> None:
        """The hall finds earlier journals by itself."""

    def reconnect(self, *, is_new_hall: bool) -> None:
        """The way to the hall is new, or it has forgotten."""
        self._is_told = self._newest is None

    def heard(self, have: Have) -> None:
        """Nobody is asked, so nobody answers."""

    def parts_to_send(self, _now_ms: int) -> tuple[Kept, ...]:
        """What has to be told now."""
        if self._is_told or self._newest is None:
            return ()
        self._is_told = True
        return (self._newest,)

    def next_deadline_ms(self) -> int | None:
        """When `parts_to_send` is to be asked again; None if only after something has grown."""
        return None if self._is_told else 0


class JournalStore(Protocol):
    """Where the hall keeps the copies of one table's journals."""

    def size(self, journal: str) -> int:
        """Bytes of *journal* that are there; 0 if nothing is."""
        ...

    def check(self, journal: str) -> int:
        """CRC-32 of these."""
        ...

    def append(self, journal: str, data: bytes) -> None:
        """Add *data*: all of it is safe on return, or none is there. Raises `JournalError`."""
        ...


def take(shelf: JournalStore, part: Part) -> Have:
    """Take *part* if it follows on what is there, and say what is there then. Raises `JournalError` if the disk fails."""
    size = shelf.size(part.journal)
    if part.text and part.offset == size:
        if part.check != shelf.check(part.journal):
            return Have(part.journal, size, is_foreign=True)
        shelf.append(part.journal, part.text.encode())
    return Have(part.journal, shelf.size(part.journal), check=shelf.check(part.journal))


class JournalFolder:
    """A `JournalStore` in a folder: a file for each journal, by its own name."""

    def __init__(self, path: Path, *, is_lazy: bool = False) -> None:
        """*path* is made when the first journal comes.

        *is_lazy*: what was added is safe only after `make_safe`, so that many folders can be made so together.
        """
        self._path = path
        self._is_lazy = is_lazy
        self.unsafe: dict[str, int] = {}
        """Journals to which something was added that may not survive a power cut, and how large they were then."""
        self._known: dict[str, tuple[int, int]] = {}
        """Size and CRC-32 of each file that was looked at."""

    def size(self, journal: str) -> int:
        """Bytes of *journal* that are there."""
        return self._look(journal)[0]

    def check(self, journal: str) -> int:
        """CRC-32 of these."""
        return self._look(journal)[1]

    def append(self, journal: str, data: bytes) -> None:
        """Add *data*, safely unless it is lazy, or not at all. Raises `JournalError`."""
        size, check = self._look(journal)
        path = self._path / journal
        try:
            private_files.make_folder(self._path)
            with open(
                path, "ab", buffering=0, opener=private_files.opener
            ) as file:  # a buffer would put its rest behind what was cut off
                try:
                    rest = memoryview(data)
                    while rest:
                        rest = rest[file.write(rest) :]
                    if self._is_lazy:
                        self.unsafe[journal] = size + len(data)
                    else:
                        os.fsync(file.fileno())
                except OSError:
                    os.truncate(path, size)
                    raise
        except OSError as fault:
            raise JournalError(
                "the copy {path} cannot be written: {reason}", path=path, reason=why(fault)
            ) from fault
        self._known[journal] = size + len(data), zlib.crc32(data, check)

    def make_safe(self) -> None:
        """Return when all that was added until now survives a power cut. Raises `JournalError`: then some of it may not."""
        for journal, size in tuple(self.unsafe.items()):
            path = self._path / journal
            try:
                with path.open("ab") as file:
                    os.fsync(file.fileno())
            except OSError as fault:
                raise JournalError(
                    "the copy {path} cannot be kept: {reason}", path=path, reason=why(fault)
                ) from fault
            if self.unsafe[journal] == size:  # else more was added meanwhile
                del self.unsafe[journal]

    def _look(self, journal: str) -> tuple[int, int]:
        """Size and CRC-32 of *journal*, without a last line that was cut off. Raises `JournalError`."""
        if journal not in self._known:
            is_name = bool(journal) and journal.isprintable() and Path(journal).name == journal
            if not is_name or journal.startswith("."):
                raise JournalError("{journal!r} is no name of a journal", journal=journal)
            path = self._path / journal
            try:
                content = path.read_bytes() if path.exists() else b""
                whole = content[: content.rfind(b"\n") + 1]
                if whole != content:
                    os.truncate(path, len(whole))
            except OSError as fault:
                raise JournalError(
                    "the copy {path} cannot be read: {reason}", path=path, reason=why(fault)
                ) from fault
            self._known[journal] = len(whole), zlib.crc32(whole)
        return self._known[journal]
