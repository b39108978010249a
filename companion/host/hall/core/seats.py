# SPDX-License-Identifier: Apache-2.0
"""The hall's boards as they are known now: who is there, what each shows, and what wants somebody's attention.

Pure: it takes the time. Its rule: an identity belongs to the first that claimed it, until that one has been silent for long;
a second one is refused, told so, and named to the arbiter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final

from companion.feedback.glance import Glance
from companion.host.hall.core.journal_sync import Lacking

SILENT_MS: Final = 10_000
"""After which a board that says nothing is missed; boards speak up every few seconds."""
COPYING_MS: Final = 10_000
"""For which the journal of an earlier game may be on its way before it is missed."""
_NAMED: Final = 3
"""Journals that an alarm names; of further ones it says how many they are."""
LONG_MS: Final = 30_000
"""For which a question or an illegal move may stand before it is urgent."""


def is_name(name: str) -> bool:
    """True if *name* can be a board's identity: letters, digits, `-` and `_`. It names a folder, too."""
    return bool(name) and all(each.isalnum() or each in "-_" for each in name)


class Urgency(IntEnum):
    """How soon somebody should go there; the higher, the sooner."""

    INFORM = 1
    LOOK = 2
    GO = 3


@dataclass(frozen=True, slots=True)
class Hello:
    """A board presents itself; also repeated to say that it is there."""

    board: str
    """Its identity: stays the same for ever."""
    instance: str
    """Made anew whenever its program starts."""
    name: str
    """What people call it."""
    game: str
    """Slug of the game that it plays."""
    options: tuple[tuple[str, str], ...] = ()
    program: str = ""
    """Version."""
    clock_offset_ms: int = 0
    """By how much its clock is ahead of the hall's."""
    owed: int = 0
    """Bytes of journals that the hall has not acknowledged."""
    trouble: str = ""
    """What is wrong with panel or camera, as a sentence."""
    troubles: tuple[tuple[str, str], ...] = ()
    """The same by language."""
    at_ms: int = 0
    """When it was said, by the board's clock."""
    shown: int = 0
    """Number of the last glance that was sent before."""
    clock_error_ms: int = 0
    """By how much *clock_offset_ms* may be wrong."""
    clock_drift_ms: int = 0
    """By how much its clock has gone ahead of the hall's since it was compared first."""
    journal: str = ""
    """Of the game that it plays."""
    lacking: tuple[Lacking, ...] = ()
    """The journals of earlier games that the hall has not confirmed to have whole."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something at a board that somebody should know of."""

    board: str
    urgency: Urgency
    kind: str
    """`illegal`, `hint`, `question`, `silent`, `sensor`, `claimed`, `result`, `draw`, `copy`, `foreign`: each is a sentence of its own."""
    text: str
    """What the sentence needs besides: the reason, the result, how many; may be empty."""
    since_ms: int
    said: tuple[tuple[str, str], ...] = ()
    """*text* by language, as far as it is known in others."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One board as it was heard last."""

    hello: Hello
    heard_ms: int
    glance: Glance | None = None
    is_gone: bool = False
    """True once it has said goodbye, or its connection was seen to break."""
    since: tuple[tuple[str, int], ...] = ()
    """Since when each kind of alarm holds."""
    rivals: tuple[str, ...] = ()
    """Instances that claimed the same identity and were refused."""

    def is_silent(self, now_ms: int) -> bool:
        """True if it is not to be heard."""
        return self.is_gone or now_ms - self.heard_ms > SILENT_MS


@dataclass(slots=True)
class Seats:
    """All boards, by identity."""

    known: dict[str, Seat] = field(default_factory=dict)

    def greet(self, hello: Hello, now_ms: int) -> bool:
        """Take *hello*; False if its identity is taken by another that is there: it is to be refused."""
        seat = self.known.get(hello.board)
        if seat is None:
            self.known[hello.board] = _stamped(Seat(hello, now_ms), now_ms)
            return True
        if seat.hello.instance != hello.instance and not seat.is_silent(now_ms):
            if hello.instance not in seat.rivals:
                self.known[hello.board] = replace(seat, rivals=(*seat.rivals, hello.instance))
            return False
        rivals = tuple(each for each in seat.rivals if each != hello.instance)
        seat = replace(seat, hello=hello, heard_ms=now_ms, is_gone=False, rivals=rivals)
        self.known[hello.board] = _stamped(seat, now_ms)
        return True

    def show(self, board: str, instance: str, glance: Glance, now_ms: int) -> bool:
        """Take what the board shows; False if this instance does not hold the identity."""
        seat = self.known.get(board)
        if seat is None or seat.hello.instance != instance:
            return False
        self.known[board] = _stamped(replace(seat, glance=glance, heard_ms=now_ms, is_gone=False), now_ms)
        return True

    def part(self, board: str, instance: str) -> None:
        """The board has said goodbye, or its connection broke."""
        seat = self.known.get(board)
        if seat is not None and seat.hello.instance == instance:
            self.known[board] = replace(seat, is_gone=True)

    def forget(self, board: str) -> None:
        """Nobody expects the board any more."""
        self.known.pop(board, None)

    def alarms(self, now_ms: int) -> tuple[Alarm, ...]:
        """All that should be seen to, the most urgent first, and among these the oldest."""
        found = (alarm for seat in self.known.values() for alarm in _alarms(seat, now_ms))
        return tuple(sorted(found, key=lambda alarm: (-alarm.urgency, alarm.since_ms, alarm.board)))


def _stamped(seat: Seat, now_ms: int) -> Seat:
    """*seat* that remembers since when each of its alarms holds."""
    before = dict(seat.since)
    since = tuple((kind, before.get(kind, now_ms)) for kind, *_ in _complaints(seat))
    return seat if since == seat.since else replace(seat, since=since)


def _complaints(seat: Seat) -> Iterator[tuple[str, str, tuple[tuple[str, str], ...]]]:
    """What the board itself tells: kind, text, and the text by language."""
    if seat.hello.trouble:
        yield "sensor", seat.hello.trouble, seat.hello.troubles
    for kind in ("copy", "foreign"):
        if names := [each.journal for each in seat.hello.lacking if each.is_foreign == (kind == "foreign")]:
            more = f" +{len(names) - _NAMED}" if len(names) > _NAMED else ""
            yield kind, ", ".join(names[:_NAMED]) + more, ()
    yield from _shown(seat.glance)


def _shown(glance: Glance | None) -> Iterator[tuple[str, str, tuple[tuple[str, str], ...]]]:
    """The same of what it shows."""
    if glance is None:
        return
    if glance.fault:
        faults = tuple((said.language, said.fault) for said in glance.said)
        yield "illegal" if glance.is_completed else "hint", glance.fault, faults
    if glance.question:
        yield "question", glance.question, tuple((said.language, said.question) for said in glance.said)
    if glance.draw_offered_by is not None:
        yield "draw", "", ()
    if glance.outcome is not None:
        yield "result", glance.result, tuple((said.language, said.result) for said in glance.said)


def _alarms(seat: Seat, now_ms: int) -> Iterator[Alarm]:
    board = seat.hello.board
    if seat.is_silent(now_ms):
        yield Alarm(board, Urgency.GO, "silent", "", seat.heard_ms)
    if seat.rivals:
        yield Alarm(board, Urgency.GO, "claimed", str(len(seat.rivals)), seat.heard_ms)
    since = dict(seat.since)
    for kind, text, said in _complaints(seat):
        began_ms = since[kind]
        if kind == "copy" and now_ms - began_ms <= COPYING_MS:
            continue
        is_old = now_ms - began_ms > LONG_MS
        yield Alarm(board, _urgency(kind, is_old=is_old), kind, text, began_ms, said)


def _urgency(kind: str, *, is_old: bool) -> Urgency:
    """How urgent a complaint is: what players mostly settle themselves becomes so when it lasts."""
    match kind:
        case "illegal" | "sensor":
            return Urgency.GO
        case "hint" | "question":
            return Urgency.GO if is_old else Urgency.INFORM
        case "result" | "copy" | "foreign":
            return Urgency.LOOK
    return Urgency.INFORM
