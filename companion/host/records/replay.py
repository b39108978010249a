# SPDX-License-Identifier: Apache-2.0
"""Playing a journal again: the same inputs must lead to the same events.

Pure but for what reads the file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from companion import games
from companion.host.game_info import position_of
from companion.host.journal.journal import CommandEntry, Continued, Entry, Header, Journal, Ticked, following
from companion.model.errors import OrderRefused
from companion.model.game import AnyRules
from companion.model.observation import Observation, SensorKind
from companion.referee.events import Event
from companion.referee.session import Session


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """The first place at which a journal and its replay differ."""

    line: int
    """Of the journal, counted from 1."""
    written: Event | None
    """What the journal says happened; None if nothing."""
    found: Event | None
    """What happens now; None if nothing."""

    def __str__(self) -> str:
        return f"line {self.line}: the journal has {self.written or 'nothing'}, the replay {self.found or 'nothing'}"


def replay(journal: Journal) -> ReplayDifference | None:
    """Where *journal*, played again, first comes to other events; None if nowhere.

    Raises `CompanionError` if its game or options are unknown here, or a line makes no sense.
    """
    session = opened(journal)
    due: list[Event] = []
    told: list[Event] = []
    with following(journal) as entries:
        for line, entry in enumerate(entries, start=2):
            if isinstance(entry, Event):
                found = due.pop(0) if due else None
                if found != entry:
                    return ReplayDifference(line, entry, found)
                told.append(entry)
            elif due and not isinstance(entry, Continued):  # there the program stopped before it wrote them
                return ReplayDifference(line, None, due[0])
            elif not _was_error(journal, line):
                session, due = after(session, entry, told, journal)
            else:
                with contextlib.suppress(Exception):  # the program of today may still make that error
                    session, due = after(session, entry, told, journal)
    return None  # what is still due was cut off with the end of the file


def _was_error(journal: Journal, line: int) -> bool:
    """True if an error of the program followed the input on *line*."""
    entry = journal.entries[line - 1] if line <= len(journal.entries) else None
    return isinstance(entry, Continued) and bool(entry.error)


def restored(journal: Journal, rules: AnyRules, kind: SensorKind) -> Session:
    """The session that the events of *journal*, a game under *rules*, lead to. Raises `JournalError` if a line makes no sense."""
    header = journal.header
    with following(journal) as entries:
        told = (entry for entry in entries if isinstance(entry, Event))
        session = Session.restore(
            rules, told, kind, header.timing, control=header.control, gestures=header.gestures
        )
        session.view()  # what cannot be shown makes no sense, either
        return session


def opened(journal: Journal) -> Session:
    """The session with which *journal* began."""
    header = journal.header
    return session_of(header, games.find(header.game).rules(dict(header.options)))


def session_of(header: Header, rules: AnyRules) -> Session:
    """A new game under *rules*, as *header* has it. Raises `NotationError` if it begins with no position of the game."""
    return Session(
        rules,
        header.sensor,
        header.timing,
        start=position_of(rules, header.start),
        control=header.control,
        gestures=header.gestures,
    )


def after(
    session: Session, entry: Entry, told: Sequence[Event], journal: Journal
) -> tuple[Session, list[Event]]:
    """The session after *entry* of *journal*, and the events it leads to; *told* are those before it."""
    match entry:
        case Observation():
            return session, list(session.observe(entry))
        case CommandEntry(at_ms, command):
            with contextlib.suppress(OrderRefused):
                return session, list(session.command(command, at_ms))
            return session, []
        case Ticked(at_ms):
            return session, list(session.tick(at_ms))
        case Continued(sensor=sensor):
            header = journal.header
            return Session.restore(
                session.rules, told, sensor, header.timing, control=header.control, gestures=header.gestures
            ), []
    raise AssertionError(entry)
