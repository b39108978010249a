# SPDX-License-Identifier: Apache-2.0
"""The journal of a game: a file of JSON lines, written as things happen and never changed afterwards.

The first line says which game it is; then follow the inputs of the referee, each with the events it led to. Every line
ends with a check of all up to it (`checking`), but in journals of format 1.
The rule: whatever was announced is on the disk before it was announced, and a reader believes nothing it cannot prove:
a last line that was cut off (the power went) is left out with a note, damage further up is an error that names the line.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Final, Self, TypeAlias

import platformdirs

from companion.games import kept_options
from companion.host import private_files
from companion.host.codec import decode, encode, encoder
from companion.host.journal.checksum import CHECKED, NEWEST, sealed, whole_lines
from companion.host.text.os_errors import why
from companion.model.errors import CompanionError, JournalError
from companion.model.observation import Observation, SensorKind
from companion.referee.clocks import Control
from companion.referee.commands import Command, NewGame
from companion.referee.events import Event, GameBegan, GameEnded, RecordCorrected
from companion.referee.gestures import Gestures
from companion.referee.timing import Timing

FORMAT: Final = NEWEST
"""Of the lines: a reader refuses what is newer."""

SUFFIX: Final = ".jsonl"
_STAMP: Final = len("2026-11-22_20-15-00")
_FIRST_TIMING: Final = dict(rest_ms=60, hint_ms=500, dwell_ms=700, dwell_emptied_ms=1200, longest_ms=2400)
"""What journals were played with that leave waits out, as they once did."""
_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Header:
    """What a game was played under: enough to play it again."""

    format: int
    program: str
    """Version of the program that wrote it."""
    began: str
    """Local time with its offset, ISO 8601."""
    game: str
    options: tuple[tuple[str, str], ...]
    timing: Timing
    sensor: SensorKind = SensorKind.OCCUPANCY
    """What was told of the pieces."""
    control: Control | None = None
    """How time was given, if it was kept."""
    gestures: Gestures = Gestures.OFF
    """By which the players may have ended the game."""
    players: tuple[str, ...] = ()
    """Name of the person at each side, in the order of the turns; empty where nobody said."""
    order: str = ""
    """Name of the order by which a hall had the game set out: once, and this remembers."""
    start: str = ""
    """The position it began with, if that is not the usual one."""


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """Somebody gave a command."""

    stored_as: ClassVar[str] = "Asked"

    at_ms: int
    command: Command
    order: str = ""
    """Name of the order that a hall gave it by: it is carried out once, and this remembers; empty for what people said here."""
    fault: str = ""
    """Why it could not be had."""


@dataclass(frozen=True, slots=True)
class Ticked:
    """A deadline of the referee was due."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class Continued:
    """The game goes on from its events: the program was started again, or an error of its own made it begin afresh."""

    at_ms: int
    program: str
    on: str
    """Local time with its offset, ISO 8601."""
    sensor: SensorKind = SensorKind.OCCUPANCY
    """What is told of the pieces from now on."""
    error: str = ""
    """The error of the program, which the input before this line may have caused; empty after a restart."""


Input: TypeAlias = Observation | CommandEntry | Ticked
Entry: TypeAlias = Input | Continued | Event
_AS_LINE: Final = encoder(Entry)


@dataclass(frozen=True, slots=True)
class Journal:
    """A journal as it was read."""

    path: Path
    header: Header
    entries: tuple[Entry, ...]
    good_bytes: int
    """Length of what is whole; anything behind it was cut off."""
    note: str = ""
    """What the reader had to leave out, in words; empty if nothing."""
    check: int | None = None
    """Of all that is whole; None where lines have none."""

    @property
    def is_under_way(self) -> bool:
        """True if a game was begun last and not ended: one can go on with it."""
        kinds = GameBegan | GameEnded | RecordCorrected
        marks = [entry for entry in self.entries if isinstance(entry, kinds) or _clears(entry)]
        return bool(marks) and isinstance(marks[-1], GameBegan | RecordCorrected)

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened, without what led to it."""
        return tuple(entry for entry in self.entries if isinstance(entry, Event))

    @property
    def last_ms(self) -> int:
        """The time of the last entry; 0 if there is none."""
        return max((entry.at_ms for entry in self.entries), default=0)


def _clears(entry: Entry) -> bool:
    """True if the board is set up anew after *entry*."""
    return isinstance(entry, CommandEntry) and isinstance(entry.command, NewGame)


class JournalWriter:
    """Appends to a journal. A context manager: what was written is on the disk when it is left.

    While the disk takes nothing, what is written waits in memory in its order, and goes there as soon as there is room.
    A journal in which nothing was written is taken away again, unless a hall ordered its game.
    """

    def __init__(self, path: Path, file: io.FileIO, check: int | None = 0) -> None:
        """*check* is that of what is in *file*; None if its lines have none."""
        self.path = path
        self._file = file
        self._check = check
        self._is_bare = False
        """True while there is a header and nothing but times at which nothing happened."""
        self._safe = 0
        self._waiting = b""
        """What the disk has not taken."""
        self._turn = threading.Lock()
        """To write: nobody waits for the disk who has it."""
        self._at_disk = threading.Lock()
        """To make safe, and to close."""
        self._not_written = self._not_kept = ""

    @property
    def fault(self) -> str:
        """Why the disk takes nothing, with the file's name; empty while it does."""
        return self._not_written or self._not_kept

    @property
    def safe_bytes(self) -> int:
        """How much of it survives a power cut: whole lines; 0 while nothing has happened."""
        return 0 if self._is_bare else self._safe

    @classmethod
    def create(cls, path: Path, header: Header) -> Self:
        """A journal that did not exist before. Raises `JournalError`."""
        if path.exists():
            raise JournalError(f"{path} exists already: continue it with --resume, or name another")
        try:
            writer = cls(path, private_files.fresh_file(path), 0 if header.format >= CHECKED else None)
        except OSError as fault:
            raise JournalError(f"{path} cannot be written: {why(fault)}") from fault
        writer._add(encode(Header, header))
        writer._is_bare = not header.order  # it remembers an order that was carried out
        writer.sync()
        if writer.fault:
            raise JournalError(writer.fault)
        _sync_folder(path.parent)
        return writer

    @classmethod
    def append(cls, journal: Journal, continued: Continued) -> Self:
        """*journal* again, after what is whole of it. Raises `JournalError`."""
        try:
            file = io.FileIO(journal.path, "r+b")
        except OSError as fault:
            raise JournalError(f"{journal.path} cannot be written: {why(fault)}") from fault
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

    def close(self) -> None:
        """Put all on the disk and write no more. Raises `JournalError` if the disk did not take it to the end."""
        self.sync()
        with self._at_disk:  # another thread may be there still, for somebody who has given up waiting
            self._file.close()
        if self._is_bare:
            self.path.unlink()
        if self.fault:
            raise JournalError(f"{self.fault}; the end of the game is not in it")

    def write(self, entries: Iterable[Entry]) -> None:
        """Hand *entries* to the system, all at once: they survive the end of this program, unless there is a `fault`.

        Times at which nothing happened go there with what follows: nobody misses them.
        """
        entries = tuple(entries)
        if entries:
            is_idle = all(isinstance(entry, Ticked) for entry in entries)
            self._add(*map(_AS_LINE, entries), is_urgent=not is_idle)
            self._is_bare = self._is_bare and is_idle

    def sync(self) -> None:
        """Return when everything written before survives a power cut, unless there is a `fault`; more may be written meanwhile."""
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
                self._not_kept = f"{self.path} cannot be kept: {why(fault)}"
            else:
                self._safe, self._not_kept = written, ""

    def _add(self, *values: object, is_urgent: bool = True) -> None:
        """Lines more; others can wait for the next."""
        texts = [_JSON.encode(value) for value in values]
        with self._turn:
            if self._check is None:
                self._waiting += "".join(f"{text}\n" for text in texts).encode()
            else:
                written, self._check = sealed(texts, self._check)
                self._waiting += written
            if is_urgent:
                self._push()

    def _push(self) -> None:
        """Let the disk take what it takes: of a line that does not fit, the rest follows later."""
        try:
            while self._waiting:
                taken = self._file.write(self._waiting)
                self._waiting = self._waiting[taken:]
        except OSError as fault:
            self._not_written = f"{self.path} cannot be written: {why(fault)}"
        else:
            self._not_written = ""


def read(path: Path) -> Journal:
    """The journal in *path*. Raises `JournalError` naming the line that is damaged."""
    return parse(path, content(path))


def content(path: Path) -> bytes:
    """What is in the file *path*. Raises `JournalError`."""
    try:
        return path.read_bytes()
    except OSError as fault:
        raise JournalError(f"{path} cannot be read: {why(fault)}") from fault


def parse(path: Path, content: bytes) -> Journal:
    """The journal that begins with *content*, which is or will be in *path*. Raises `JournalError` as `read` does."""
    lines, check = whole_lines(path, content)
    header = _read_header(path, lines[0])
    entries = tuple(_read_line(path, number, line) for number, line in enumerate(lines[1:], start=2))
    good = content.rfind(b"\n") + 1
    note = f"line {len(lines) + 1} was cut off and is left out" if content[good:] else ""
    return Journal(path, header, entries, good, note, check)


def _read_header(path: Path, line: bytes) -> Header:
    """The first line; options that its game has no longer are left out."""
    try:
        data = json.loads(line)
        if isinstance(timing := data.get("timing", {}), dict):
            data["timing"] = _FIRST_TIMING | timing
        header: Header = decode(Header, data)
    except ValueError as fault:
        raise JournalError(f"{path}, line 1: {fault}") from fault
    return replace(header, options=tuple(kept_options(header.game, dict(header.options)).items()))


def _read_line(path: Path, number: int, line: bytes) -> Entry:
    """Line *number*, counted from 1."""
    try:
        return entry_of(line)
    except ValueError as fault:
        raise JournalError(f"{path}, line {number}: {fault}") from fault


def entry_of(line: bytes) -> Entry:
    """What *line* tells, one of `whole_lines` but the first. Raises `ValueError` if it makes no sense."""
    entry: Entry = decode(Entry, json.loads(line))
    return entry


@contextmanager
def following(journal: Journal) -> Iterator[Iterator[Entry]]:
    """The entries of *journal*, one after another, for those who work out what follows from them.

    What is damaged but still reads may make no sense there: raises `JournalError` naming the line that was read last.
    """
    line = 1

    def entries() -> Iterator[Entry]:
        nonlocal line
        for line, entry in enumerate(journal.entries, start=2):  # noqa: B007  named if it makes no sense
            yield entry

    try:
        yield entries()
    except JournalError:
        raise
    except CompanionError as fault:
        raise JournalError(f"{journal.path}, line {line}: {fault}") from fault
    except (LookupError, ValueError, ArithmeticError) as fault:
        raise JournalError(f"{journal.path}, line {line} does not fit what is before it") from fault


def folder() -> Path:
    """Where journals are kept if nobody says otherwise: the platform's place for a user's data."""
    return platformdirs.user_data_path("companion", appauthor=False) / "journals"


def fresh_path(game: str, began: datetime, among: Path | None = None) -> Path:
    """A new file for *game* in *among*, else in `folder`, named by the time it *began*, or the next second without a file.

    So names stand in the order in which games began.
    """
    home = among or folder()
    taken = {path.name[:_STAMP] for path in home.glob(f"*{SUFFIX}")}
    stamps = (f"{began + timedelta(seconds=later):%Y-%m-%d_%H-%M-%S}" for later in itertools.count())
    stamp = next(each for each in stamps if each not in taken)
    return home / f"{stamp}_{game}{SUFFIX}"


def newest_under_way(game: str, among: Path) -> Journal | None:
    """The journal of *game* in folder *among* that was written to last and is under way, if there is one.

    Raises `JournalError` if the newest is damaged: an older game would be a surprise.
    """
    for path in sorted(
        among.glob(f"*_{game}{SUFFIX}"), key=lambda path: path.stat().st_mtime_ns, reverse=True
    ):
        journal = read(path)
        if journal.is_under_way:
            return journal
    return None


def _sync_folder(path: Path) -> None:
    """Make a new file's name survive a power cut, where folders can be synchronised."""
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
