# SPDX-License-Identifier: Apache-2.0
"""Protocol that copies journals from tables to the hall over an unreliable transport.

Its rule: a copy is always a prefix of its journal, byte for byte. The table sends only what the
hall has requested, and the hall takes only what continues its copy; so nothing is lost or
duplicated by restarts. What is sent is on the table's disk, and what is acknowledged is on the
hall's.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from companion.host import private_files
from companion.host.retry import USUAL
from companion.host.text.os_errors import reporting
from companion.model.errors import JournalError

MOST_BYTES: Final = 32_768
"""Size limit of a part, unless a single line is longer."""
AT_ONCE: Final = 4
"""Limit of concurrent parts of earlier journals."""
MOST_NAMED: Final = 20
"""Limit of uncopied journals that a table names at a time."""


@dataclass(frozen=True, slots=True)
class Part:
    """From a table: a part of a journal; without text, a question."""

    journal: str
    """File name."""
    offset: int
    """Number of bytes before *text*."""
    check: int
    """CRC-32 of those bytes."""
    text: str
    """Complete lines."""


@dataclass(frozen=True, slots=True)
class Have:
    """From the hall: how much of a journal it has."""

    journal: str
    size: int
    is_foreign: bool = False
    """True if the hall's file of that name differs: it takes no more."""
    check: int | None = None
    """CRC-32 of what the hall has."""


@dataclass(frozen=True, slots=True)
class Lacking:
    """From a table: an earlier journal that the hall has not confirmed."""

    journal: str
    size: int
    check: int
    """CRC-32 of the whole journal."""
    is_foreign: bool = False
    """True if the hall's file of that name differs."""


@dataclass(frozen=True, slots=True)
class Kept:
    """From a table on the hall's machine: the synced size of a journal."""

    journal: str
    size: int


Read: TypeAlias = Callable[[str, int, int], bytes]
"""Reads the bytes of a journal between two offsets."""


@dataclass(slots=True)
class _Given:
    """Copying state of one journal."""

    size: int
    """Bytes on this disk."""
    had: int | None = None
    """Bytes that the hall has; None if unknown."""
    check: int = 0
    """CRC-32 of those bytes."""
    sent_ms: int | None = None
    """Time of the pending part; None without one."""
    is_foreign: bool = False
    is_earlier: bool = False
    """True for an earlier game's journal: it does not grow and is confirmed once."""
    tries: int = 0
    """Parts sent without an acknowledgement since the last one."""
    whole: tuple[int, int] | None = None
    """A size of the journal and its CRC-32, once requested."""

    @property
    def is_copied(self) -> bool:
        """True if the hall has confirmed the whole journal."""
        return self.had == self.size and not self.is_foreign


class JournalSender:
    """The table's end: sends what the hall lacks, one part per journal at a time.

    The growing journal goes first. A few earlier ones are sent concurrently, and one without
    acknowledgements yields to the next.
    """

    def __init__(self, read: Read, again_ms: int = USUAL.message_ms) -> None:
        """An unacknowledged part is repeated after *again_ms*."""
        self._read = read
        self._again_ms = again_ms
        self._given: dict[str, _Given] = {}

    @property
    def foreign(self) -> tuple[str, ...]:
        """Return the journals of which the hall has different files."""
        return tuple(name for name, given in self._given.items() if given.is_foreign)

    @property
    def owed(self) -> int:
        """Return the number of bytes not confirmed by the hall."""
        return sum(given.size - (given.had or 0) for given in self._given.values())

    @property
    def lacking(self) -> tuple[Lacking, ...]:
        """Return the unconfirmed earlier journals, newest first, at most `MOST_NAMED`."""
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
        """Note that *size* bytes of *journal*, complete lines, are on the disk."""
        given = self._given.setdefault(journal, _Given(size))
        given.size = max(given.size, size)
        given.is_earlier = False

    def ended(self, journal: str, size: int) -> None:
        """Note that *journal* of an earlier game is complete on the disk with *size* bytes."""
        self.grown(journal, size)
        self._given[journal].is_earlier = True

    def reconnect(self, *, is_new_hall: bool) -> None:
        """Note a new connection: what the hall has is queried again.

        What the same run of the hall has confirmed of earlier games is not.
        """
        for given in self._given.values():
            if is_new_hall or not (given.is_earlier and given.is_copied):
                given.had = given.sent_ms = None
                given.is_foreign, given.tries = False, 0

    def acknowledge(self, have: Have) -> None:
        """Process the hall's answer."""
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
        """Return the parts to send now."""
        open_ones = self._open()
        for given in open_ones.values():
            if given.sent_ms is not None and given.sent_ms + self._again_ms <= now_ms:
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
        """Return when to call `parts_to_send` again; None if only after an event."""
        open_ones = self._open()
        has_room = self._room(open_ones) > 0
        if any(given.sent_ms is None and (has_room or not given.is_earlier) for given in open_ones.values()):
            return 0
        sent = (given.sent_ms for given in open_ones.values() if given.sent_ms is not None)
        return min((each + self._again_ms for each in sent), default=None)

    def _open(self) -> dict[str, _Given]:
        """Return the journals that the hall lacks and accepts."""
        return {
            name: given
            for name, given in self._given.items()
            if not given.is_foreign and given.had != given.size
        }

    @staticmethod
    def _room(open_ones: dict[str, _Given]) -> int:
        """Return how many more earlier journals may be sent now."""
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
    """Stand-in for `JournalSender` if the hall reads the journals itself: reports lengths."""

    owed: Final = 0
    lacking: Final[tuple[Lacking, ...]] = ()

    def __init__(self) -> None:
        self._newest: Kept | None = None
        self._is_sent = True

    def grown(self, journal: str, size: int) -> None:
        """Note that *size* bytes of *journal*, in complete lines, are on the disk."""
        newest = Kept(journal, size)
        self._is_sent = self._is_sent and newest == self._newest
        self._newest = newest

    def ended(self, journal: str, size: int) -> None:
        """Do nothing: the hall finds earlier journals itself."""

    def reconnect(self, *, is_new_hall: bool) -> None:
        """Note a new connection: report again."""
        self._is_sent = self._newest is None

    def acknowledge(self, have: Have) -> None:
        """Do nothing: reports are not answered."""

    def parts_to_send(self, _now_ms: int) -> tuple[Kept, ...]:
        """Return the report to send now."""
        if self._is_sent or self._newest is None:
            return ()
        self._is_sent = True
        return (self._newest,)

    def next_deadline_ms(self) -> int | None:
        """Return when to call `parts_to_send` again; None if only after growth."""
        return None if self._is_sent else 0


class JournalStore(Protocol):
    """The hall's copies of one table's journals."""

    def size(self, journal: str) -> int:
        """Return the size of *journal*; 0 if missing."""
        ...

    def check(self, journal: str) -> int:
        """Return the CRC-32 of *journal*."""
        ...

    def append(self, journal: str, data: bytes) -> None:
        """Append *data* atomically and durably. Raises `JournalError`."""
        ...


def take(store: JournalStore, part: Part) -> Have:
    """Append *part* if it continues the copy; return the new state. Raises `JournalError`."""
    size = store.size(part.journal)
    if part.text and part.offset == size:
        if part.check != store.check(part.journal):
            return Have(part.journal, size, is_foreign=True)
        store.append(part.journal, part.text.encode())
    return Have(part.journal, store.size(part.journal), check=store.check(part.journal))


class JournalFolder:
    """A `JournalStore` in a folder, with a file per journal."""

    def __init__(self, path: Path, *, is_lazy: bool = False) -> None:
        """*path* is created for the first journal.

        *is_lazy*: appended data are durable only after `make_safe`, so that many folders can be
        synced together.
        """
        self._path = path
        self._is_lazy = is_lazy
        self.unsafe: dict[str, int] = {}
        """Journals with unsynced data, and their sizes at the time."""
        self._known: dict[str, tuple[int, int]] = {}
        """Size and CRC-32 of each known file."""

    def size(self, journal: str) -> int:
        """Return the size of *journal*."""
        return self._look(journal)[0]

    def check(self, journal: str) -> int:
        """Return the CRC-32 of *journal*."""
        return self._look(journal)[1]

    def append(self, journal: str, data: bytes) -> None:
        """Append *data* atomically, and durably unless lazy. Raises `JournalError`."""
        size, check = self._look(journal)
        path = self._path / journal
        with reporting("the copy {path} cannot be written: {reason}", JournalError, path=path):
            private_files.make_folder(self._path)
            with open(
                path, "ab", buffering=0, opener=private_files.opener
            ) as file:  # a buffer could write its rest after the truncated end
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
        self._known[journal] = size + len(data), zlib.crc32(data, check)

    def make_safe(self) -> None:
        """Sync everything appended so far. Raises `JournalError`: some may then be unsynced."""
        for journal, size in tuple(self.unsafe.items()):
            path = self._path / journal
            refused = reporting("the copy {path} cannot be kept: {reason}", JournalError, path=path)
            with refused, path.open("ab") as file:
                os.fsync(file.fileno())
            if self.unsafe[journal] == size:  # otherwise more was appended meanwhile
                del self.unsafe[journal]

    def _look(self, journal: str) -> tuple[int, int]:
        """Return size and CRC-32 of *journal*, after cutting off an incomplete line.

        Raises `JournalError`.
        """
        if journal not in self._known:
            is_name = bool(journal) and journal.isprintable() and Path(journal).name == journal
            if not is_name or journal.startswith("."):
                raise JournalError("{journal!r} is not a name of a journal", journal=journal)
            path = self._path / journal
            with reporting("the copy {path} cannot be read: {reason}", JournalError, path=path):
                content = path.read_bytes() if path.exists() else b""
                whole = content[: content.rfind(b"\n") + 1]
                if whole != content:
                    os.truncate(path, len(whole))
            self._known[journal] = len(whole), zlib.crc32(whole)
        return self._known[journal]
