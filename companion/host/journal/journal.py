# SPDX-License-Identifier: Apache-2.0
"""The journal of a game: an append-only file of JSON lines.

The first line is the header with the game; the inputs of the referee follow, each with its events.
Except in format 1, each line ends with a checksum of the file so far (`checksum`). Its rule: an
announcement is on the disk before it is made, and a reader accepts only verified lines: an
incomplete last line (power cut) is dropped with a note, damage before it is an error with the
line's number.
"""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Annotated, ClassVar, Final, Self, TypeAlias

from companion.games import kept_options
from companion.host import private_files
from companion.host.codec import Inline, decode, encode, encoder
from companion.host.journal.checksum import CHECKED, NEWEST, checksummed, whole_lines
from companion.host.journal.setup import GameSetup
from companion.host.text.os_errors import reporting, why
from companion.model.errors import CompanionError, JournalError
from companion.model.observation import Observation, SensorKind
from companion.model.phrase import Phrase, Text
from companion.referee.values.clocks import Control
from companion.referee.values.commands import Command, NewGame, SetLevel
from companion.referee.values.controls import write_control
from companion.referee.values.events import Event, GameBegan, GameEnded, RecordCorrected
from companion.referee.values.gestures import Gestures
from companion.referee.values.timing import Timing

FORMAT: Final = NEWEST
"""Format of the lines; readers reject newer ones."""

SUFFIX: Final = ".jsonl"
_FIRST_TIMING: Final = dict(rest_ms=60, hint_ms=500, dwell_ms=700, dwell_emptied_ms=1200, longest_ms=2400)
"""Timing of old journals that leave delays out."""
_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Header:
    """Conditions of a game: enough to replay it."""

    stored_first: ClassVar[tuple[str, ...]] = (
        *("format", "program", "began", "game", "options", "timing", "sensor", "control"),
        *("gestures", "players", "order", "start", "costs"),
    )

    format: int
    program: str
    """Version of the program that wrote it."""
    began: str
    """Local time with offset, ISO 8601."""
    setup: Annotated[
        GameSetup,
        Inline({"position": "start"}, frozenset({"control", "lesson", "puzzle"}), frozenset({"options"})),
    ]
    """What is played; the file does not name exercises, and has the times of `control`."""
    timing: Timing
    sensor: SensorKind = SensorKind.OCCUPANCY
    """What the sensors report of the pieces."""
    control: Control | None = None
    """Time control, if any, with the rules for clocks of its program."""
    gestures: Gestures = Gestures.OFF
    """Gestures with which the players could end the game."""
    order: str = ""
    """Name of the hall's order that started the game; prevents a second execution."""
    costs: tuple[tuple[str, str], ...] = ()
    """Rows of the referee's table of costs that differ from the default, as TOML."""


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command was executed."""

    stored_as: ClassVar[str] = "Asked"

    at_ms: int
    command: Command
    order: str = ""
    """Name of the hall's order, which prevents a second execution; empty for local commands."""
    fault: Text = ""
    """Why it was refused."""


@dataclass(frozen=True, slots=True)
class Ticked:
    """A deadline of the referee was due."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class Continued:
    """The game continues from its events, after a restart or an internal error."""

    at_ms: int
    program: str
    on: str
    """Local time with offset, ISO 8601."""
    sensor: SensorKind = SensorKind.OCCUPANCY
    """What the sensors report of the pieces from now on."""
    error: str = ""
    """The internal error, possibly caused by the input before; empty after a restart."""


Input: TypeAlias = Observation | CommandEntry | Ticked
Entry: TypeAlias = Input | Continued | Event
_AS_LINE: Final = encoder(Entry)


@dataclass(frozen=True, slots=True)
class Journal:
    """The contents of a journal file."""

    path: Path
    header: Header
    entries: tuple[Entry, ...]
    good_bytes: int
    """Length of the valid part; the rest is incomplete."""
    note: str = ""
    """What was dropped, in words; empty if nothing."""
    check: int | None = None
    """Checksum of the valid part; None for lines without checksums."""

    @property
    def is_under_way(self) -> bool:
        """True if its last game has not ended: it can be resumed."""
        kinds = GameBegan | GameEnded | RecordCorrected
        marks = [entry for entry in self.entries if isinstance(entry, kinds) or _clears(entry)]
        return bool(marks) and isinstance(marks[-1], GameBegan | RecordCorrected)

    @property
    def events(self) -> tuple[Event, ...]:
        """The events, without their inputs."""
        return tuple(entry for entry in self.entries if isinstance(entry, Event))

    @property
    def setup(self) -> GameSetup:
        """What is played at its end: with the last level on each side."""
        found = self.header.setup.levelled()
        for entry in self.entries:
            if isinstance(entry, CommandEntry) and isinstance(entry.command, SetLevel):
                found = found.with_level(entry.command.level, entry.command.side)
        return found

    @property
    def last_ms(self) -> int:
        """Time of the last entry; 0 without entries."""
        return max((entry.at_ms for entry in self.entries), default=0)


def _clears(entry: Entry) -> bool:
    """True if the board is set up again after *entry*."""
    return isinstance(entry, CommandEntry) and isinstance(entry.command, NewGame)


class JournalWriter:
    """Appends to a journal.

    A context manager: everything is on the disk after the block.

    While the disk rejects writes, entries wait in memory, in order. A journal without entries is
    deleted, unless a hall ordered its game.
    """

    def __init__(self, path: Path, file: io.FileIO, check: int | None = 0) -> None:
        """*check* is the checksum of the contents of *file*; None for lines without checksums."""
        self.path = path
        self._file = file
        self._check = check
        self._is_bare = False
        """True while it has only a header and eventless ticks."""
        self._safe = 0
        self._waiting = b""
        """What the disk has not accepted."""
        self._turn = threading.Lock()
        """For writing; its holder never waits for the disk."""
        self._at_disk = threading.Lock()
        """For syncing and closing."""
        self._not_written = self._not_kept = ""

    @property
    def fault(self) -> str:
        """Why the disk rejects writes, with the file's name; empty if it does not."""
        return self._not_written or self._not_kept

    @property
    def safe_bytes(self) -> int:
        """Length of the synced part, whole lines; 0 while nothing has happened."""
        return 0 if self._is_bare else self._safe

    @classmethod
    def create(cls, path: Path, header: Header) -> Self:
        """Create the file. Raises `JournalError`, also if it exists."""
        if path.exists():
            raise JournalError("{path} exists already: continue it with --resume, or name another", path=path)
        with reporting("{path} cannot be written: {reason}", JournalError, path=path):
            writer = cls(path, private_files.fresh_file(path), 0 if header.format >= CHECKED else None)
        writer._add(encode(Header, header))
        writer._is_bare = not header.order  # the header records an executed order
        writer.sync()
        if writer.fault:
            raise JournalError("{reason}", reason=writer.fault)
        _sync_folder(path.parent)
        return writer

    @classmethod
    def append(cls, journal: Journal, continued: Continued) -> Self:
        """Continue *journal* after its valid part. Raises `JournalError`."""
        with reporting("{path} cannot be written: {reason}", JournalError, path=journal.path):
            file = io.FileIO(journal.path, "r+b")
        file.truncate(journal.good_bytes)
        file.seek(0, os.SEEK_END)
        writer = cls(journal.path, file, journal.check)
        writer.write([continued])
        writer.sync()
        return writer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def fileno(self) -> int:
        """Return the descriptor of its file."""
        return self._file.fileno()

    def close(self, *, is_unused: bool = False) -> None:
        """Sync and close, or remove it. Raises `JournalError` if the disk rejected the end."""
        self.sync()
        with self._at_disk:  # another thread may still sync for a caller that has given up
            self._file.close()
        if self._is_bare or is_unused:
            self.path.unlink()
        if self.fault:
            raise JournalError("{reason}; the end of the game is not in it", reason=self.fault)

    def write(self, entries: Iterable[Entry]) -> None:
        """Write *entries* to the system at once: they survive a crash of this program.

        If that fails there is a `fault`. Eventless ticks are written with the next entry.
        """
        entries = tuple(entries)
        if entries:
            is_idle = all(isinstance(entry, Ticked) for entry in entries)
            self._add(*map(_AS_LINE, entries), is_urgent=not is_idle)
            self._is_bare = self._is_bare and is_idle

    def sync(self) -> None:
        """Sync everything written before, unless there is a `fault`."""
        with self._at_disk:
            if self._file.closed:
                return
            with self._turn:
                self._push()
                written = self._file.tell()
            if self._not_written:
                return
            try:
                os.fsync(self._file.fileno())
            except OSError as fault:
                self._not_kept = Phrase("{path} cannot be kept: {reason}", path=self.path, reason=why(fault))
            else:
                self._safe, self._not_kept = written, ""

    def _add(self, *values: object, is_urgent: bool = True) -> None:
        """Append lines; those that are not urgent wait for the next write."""
        texts = [_JSON.encode(value) for value in values]
        with self._turn:
            if self._check is None:
                self._waiting += "".join(f"{text}\n" for text in texts).encode()
            else:
                written, self._check = checksummed(texts, self._check)
                self._waiting += written
            if is_urgent:
                self._push()

    def _push(self) -> None:
        """Write what the disk accepts; the rest of a partial line follows later."""
        try:
            while self._waiting:
                taken = self._file.write(self._waiting)
                self._waiting = self._waiting[taken:]
        except OSError as fault:
            self._not_written = Phrase(
                "{path} cannot be written: {reason}", path=self.path, reason=why(fault)
            )
        else:
            self._not_written = ""


def read(path: Path) -> Journal:
    """Read the journal in *path*. Raises `JournalError` with the damaged line's number."""
    return parse(path, content(path))


def content(path: Path) -> bytes:
    """Return the contents of *path*. Raises `JournalError`."""
    with reporting("{path} cannot be read: {reason}", JournalError, path=path):
        return path.read_bytes()


def parse(path: Path, content: bytes) -> Journal:
    """Parse the *content* of the journal in *path*. Raises `JournalError` like `read`."""
    lines, check = whole_lines(path, content)
    header = _read_header(path, lines[0])
    entries = tuple(_read_line(path, number, line) for number, line in enumerate(lines[1:], start=2))
    good = content.rfind(b"\n") + 1
    note = Phrase("line {line} was cut off and is left out", line=len(lines) + 1) if content[good:] else ""
    return Journal(path, header, entries, good, note, check)


def _read_header(path: Path, line: bytes) -> Header:
    """Parse the header; options that the game no longer has are dropped."""
    try:
        data = json.loads(line)
        if isinstance(timing := data.get("timing", {}), dict):
            data["timing"] = _FIRST_TIMING | timing
        header: Header = decode(Header, data)
    except ValueError as fault:
        raise JournalError("{path}, line 1: {reason}", path=path, reason=fault) from fault
    setup = header.setup
    options = tuple(kept_options(setup.game, dict(setup.options)).items())
    return replace(header, setup=replace(setup, options=options, control=write_control(header.control)))


def _read_line(path: Path, number: int, line: bytes) -> Entry:
    """Parse line *number*, counted from 1."""
    try:
        return entry_of(line)
    except ValueError as fault:
        raise JournalError("{path}, line {line}: {reason}", path=path, line=number, reason=fault) from fault


def entry_of(line: bytes) -> Entry:
    """Decode *line*, one of `whole_lines` except the first. Raises `ValueError` if invalid."""
    entry: Entry = decode(Entry, json.loads(line))
    return entry


@contextmanager
def following(journal: Journal) -> Iterator[Iterator[Entry]]:
    """Yield an iterator over the entries of *journal*; errors in the block name the line.

    A damaged but readable line may be inconsistent: raises `JournalError` with its number.
    """
    line = 1

    def entries() -> Iterator[Entry]:
        nonlocal line
        for line, entry in enumerate(journal.entries, start=2):  # noqa: B007  used in the error message
            yield entry

    try:
        yield entries()
    except JournalError:
        raise
    except CompanionError as fault:
        raise JournalError(
            "{path}, line {line}: {reason}", path=journal.path, line=line, reason=fault
        ) from fault
    except (LookupError, ValueError, ArithmeticError) as fault:
        raise JournalError(
            "{path}, line {line} does not fit what is before it", path=journal.path, line=line
        ) from fault


def _sync_folder(path: Path) -> None:
    """Sync a folder, so that a new file's name survives a power cut."""
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
