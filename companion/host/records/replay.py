# SPDX-License-Identifier: Apache-2.0
"""Replays a journal: the same inputs must give the same events.

Pure, except for what reads the file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from companion.host.game_info import position_of
from companion.host.journal.journal import CommandEntry, Continued, Entry, Header, Journal, Ticked, following
from companion.model.errors import OrderRefused
from companion.model.game import AnyRules
from companion.model.observation import Observation, SensorKind
from companion.referee.inference.costs import Costs
from companion.referee.session.session import Session
from companion.referee.values.events import Event


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """The first difference between a journal and its replay."""

    line: int
    """Line of the journal, counted from 1."""
    written: Event | None
    """The event in the journal; None if there is no such event."""
    found: Event | None
    """The event of the replay; None if there is no such event."""

    def __str__(self) -> str:
        return f"line {self.line}: the journal has {self.written or 'nothing'}, the replay {self.found or 'nothing'}"


def replay(journal: Journal) -> ReplayDifference | None:
    """Replay *journal* and return the first difference;

    None if it reproduces.

    Raises `CompanionError` if its game or options are unknown, or a line is invalid.
    """
    session = opened(journal)
    due: list[Event] = []
    events: list[Event] = []
    with following(journal) as entries:
        for line, entry in enumerate(entries, start=2):
            if isinstance(entry, Event):
                found = due.pop(0) if due else None
                if found != entry:
                    return ReplayDifference(line, entry, found)
                events.append(entry)
            elif due and not isinstance(entry, Continued):  # the program stopped there before it wrote them
                return ReplayDifference(line, None, due[0])
            elif not _was_error(journal, line):
                session, due = after(session, entry, events, journal)
            else:
                with contextlib.suppress(Exception):  # today's program may still make that error
                    session, due = after(session, entry, events, journal)
    return None  # pending events were cut off with the end of the file


def _was_error(journal: Journal, line: int) -> bool:
    """True if an internal error followed the input on *line*."""
    entry = journal.entries[line - 1] if line <= len(journal.entries) else None
    return isinstance(entry, Continued) and bool(entry.error)


def restored(journal: Journal, rules: AnyRules, kind: SensorKind) -> Session:
    """Restore the session from the events of *journal* under *rules*.

    Raises `JournalError` if a line is invalid.
    """
    header = journal.header
    with following(journal) as entries:
        events = (entry for entry in entries if isinstance(entry, Event))
        session = Session.restore(
            rules,
            events,
            kind,
            header.timing,
            control=header.control,
            gestures=header.gestures,
            costs=costs_of(header),
            played_by=header.setup.played_by,
        )
        session.view()  # a state that cannot be shown is invalid, too
        return session


def opened(journal: Journal, costs: Costs | None = None) -> Session:
    """Return a session in the initial state of *journal*.

    It counts with *costs*, or with the table in the header.
    """
    header = journal.header
    return session_of(header, header.setup.rules, costs)


def session_of(header: Header, rules: AnyRules, costs: Costs | None = None) -> Session:
    """Start the game of *header* under *rules*.

    Raises `NotationError` if its initial position is invalid.
    """
    return Session(
        rules,
        header.sensor,
        header.timing,
        start=position_of(rules, header.setup.position),
        control=header.control,
        gestures=header.gestures,
        costs=costs or costs_of(header),
        played_by=header.setup.played_by,
    )


def costs_of(header: Header) -> Costs:
    """Return the table of costs of *header*. Raises `SettingsError` if it is invalid."""
    return Costs.differing(header.costs, "costs")


def after(
    session: Session, entry: Entry, events: Sequence[Event], journal: Journal
) -> tuple[Session, list[Event]]:
    """Return the session after *entry* of *journal*, and its events.

    *events* are the events before it.
    """
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
                session.rules,
                events,
                sensor,
                header.timing,
                control=header.control,
                gestures=header.gestures,
                costs=session.belief.table.costs,
                played_by=session.played_by,
            ), []
    raise AssertionError(entry)
