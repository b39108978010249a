# SPDX-License-Identifier: Apache-2.0
"""Present state of the hall's stations: connection, view, alarms.

Pure. Its rule: an identity belongs to the first instance that claims it, until it has been silent
for long. A second one is refused, with a message, and reported to the arbiter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final

from companion.feedback.glance import Glance
from companion.host.hall.core.journal_sync import Lacking

SILENT_MS: Final = 10_000
"""Time after which a silent station is missed; stations send every few seconds."""
COPYING_MS: Final = 10_000
"""Time for the copy of an earlier journal before it is missed."""
_NAMED: Final = 3
"""Journals that an alarm names; of others it gives the number."""
_POSITION: Final = "position"
"""The matter of all alarms that a wrong or unclear position raises."""
LONG_MS: Final = 30_000
"""Time after which an open question or illegal move becomes urgent."""


def is_name(name: str) -> bool:
    """True if *name*, also a folder, has only letters, digits, `-` and `_`."""
    return bool(name) and all(each.isalnum() or each in "-_" for each in name)


class Urgency(IntEnum):
    """Urgency of an alarm, increasing."""

    INFORM = 1
    LOOK = 2
    GO = 3


@dataclass(frozen=True, slots=True)
class Hello:
    """A station presents itself; repeated as a heartbeat."""

    board: str
    """Permanent identity."""
    instance: str
    """New with every start of its program."""
    name: str
    """Name for people."""
    game: str
    """Slug of its game."""
    options: tuple[tuple[str, str], ...] = ()
    program: str = ""
    """Version."""
    clock_offset_ms: int = 0
    """Offset of its clock from the hall's."""
    owed: int = 0
    """Bytes of journals without acknowledgement."""
    trouble: str = ""
    """Fault of panel or camera, as a sentence."""
    troubles: tuple[tuple[str, str], ...] = ()
    """The same by language."""
    at_ms: int = 0
    """Time of sending, on the station's clock."""
    shown: int = 0
    """Number of the last glance sent before."""
    clock_error_ms: int = 0
    """Uncertainty of *clock_offset_ms*."""
    clock_drift_ms: int = 0
    """Drift of its clock against the hall's since the first comparison."""
    journal: str = ""
    """Journal of the present game."""
    lacking: tuple[Lacking, ...] = ()
    """Earlier journals that the hall has not confirmed completely."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A condition at a station that needs attention."""

    board: str
    urgency: Urgency
    kind: str
    """Key of the sentence.

    One of `illegal`, `hint`, `question`, `silent`, `sensor`, `claimed`, `result`, `draw`, `copy`,
    `foreign`.
    """
    text: str
    """Argument of the sentence: reason, result or count; may be empty."""
    since_ms: int
    said: tuple[tuple[str, str], ...] = ()
    """Translations of *text* by language."""
    matter: tuple[str, int] = ("", 0)
    """What it is about, and since when; its kind may change."""


@dataclass(frozen=True, slots=True)
class StationState:
    """Last known state of a station."""

    hello: Hello
    received_ms: int
    glance: Glance | None = None
    is_gone: bool = False
    """True after a goodbye or a broken connection."""
    since: tuple[tuple[str, int], ...] = ()
    """Start time of each kind of alarm, and of each matter."""
    rivals: tuple[str, ...] = ()
    """Refused instances that claim the same identity."""
    turn_ms: int = 0
    """When the side to move began to think, or the game began or ended."""

    def is_silent(self, now_ms: int) -> bool:
        """True if the station is gone or silent."""
        return self.is_gone or now_ms - self.received_ms > SILENT_MS


@dataclass(slots=True)
class StationStates:
    """All stations, by identity."""

    known: dict[str, StationState] = field(default_factory=dict)

    def greet(self, hello: Hello, now_ms: int) -> bool:
        """Process *hello*; false if another instance holds its identity."""
        state = self.known.get(hello.board)
        if state is None:
            self.known[hello.board] = _stamped(StationState(hello, now_ms), now_ms)
            return True
        if state.hello.instance != hello.instance and not state.is_silent(now_ms):
            if hello.instance not in state.rivals:
                self.known[hello.board] = replace(state, rivals=(*state.rivals, hello.instance))
            return False
        rivals = tuple(each for each in state.rivals if each != hello.instance)
        state = replace(state, hello=hello, received_ms=now_ms, is_gone=False, rivals=rivals)
        self.known[hello.board] = _stamped(state, now_ms)
        return True

    def show(self, station: str, instance: str, glance: Glance, now_ms: int) -> bool:
        """Process a view; false if the instance does not hold the identity."""
        state = self.known.get(station)
        if state is None or state.hello.instance != instance:
            return False
        turn_ms = state.turn_ms if _is_same_turn(state.glance, glance) else now_ms
        shown = replace(state, glance=glance, received_ms=now_ms, is_gone=False, turn_ms=turn_ms)
        self.known[station] = _stamped(shown, now_ms)
        return True

    def part(self, station: str, instance: str) -> None:
        """Note a goodbye or a broken connection."""
        state = self.known.get(station)
        if state is not None and state.hello.instance == instance:
            self.known[station] = replace(state, is_gone=True)

    def forget(self, station: str) -> None:
        """Forget the station."""
        self.known.pop(station, None)

    def alarms(self, now_ms: int) -> tuple[Alarm, ...]:
        """Return all alarms, most urgent first, then newest."""
        found = (alarm for state in self.known.values() for alarm in _alarms(state, now_ms))
        return tuple(sorted(found, key=lambda alarm: (-alarm.urgency, -alarm.since_ms, alarm.board)))


def _is_same_turn(before: Glance | None, after: Glance) -> bool:
    """True if the same side thinks about the same ply, or the game is over."""
    return before is not None and (before.game, before.ply, before.outcome, before.awaits_clock) == (
        (after.game, after.ply, after.outcome, after.awaits_clock)
    )


def _stamped(state: StationState, now_ms: int) -> StationState:
    """Update the start times of the alarms."""
    before = dict(state.since)
    kinds = [kind for kind, *_ in _complaints(state)]
    since = tuple((name, before.get(name, now_ms)) for name in (*kinds, *map(matter_of, kinds)))
    return state if since == state.since else replace(state, since=since)


def matter_of(kind: str) -> str:
    """Return what an alarm of *kind* is about."""
    return _POSITION if kind in ("hint", "illegal", "question") else f"only {kind}"


def _complaints(state: StationState) -> Iterator[tuple[str, str, tuple[tuple[str, str], ...]]]:
    """Yield the conditions of a station: kind, text, and text by language."""
    if state.hello.trouble:
        yield "sensor", state.hello.trouble, state.hello.troubles
    for kind in ("copy", "foreign"):
        if names := [each.journal for each in state.hello.lacking if each.is_foreign == (kind == "foreign")]:
            more = f" +{len(names) - _NAMED}" if len(names) > _NAMED else ""
            yield kind, ", ".join(names[:_NAMED]) + more, ()
    yield from _shown(state.glance)


def _shown(glance: Glance | None) -> Iterator[tuple[str, str, tuple[tuple[str, str], ...]]]:
    """Yield the conditions in its view."""
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


def _alarms(state: StationState, now_ms: int) -> Iterator[Alarm]:
    station = state.hello.board
    if state.is_silent(now_ms):
        yield Alarm(
            station, Urgency.GO, "silent", "", state.received_ms, (), (matter_of("silent"), state.received_ms)
        )
    if state.rivals:
        rivals = str(len(state.rivals))
        yield Alarm(station, Urgency.GO, "claimed", rivals, state.received_ms, (), (matter_of("claimed"), 0))
    since = dict(state.since)
    for kind, text, said in _complaints(state):
        began_ms = since[kind]
        if kind == "copy" and now_ms - began_ms <= COPYING_MS:
            continue
        is_old = now_ms - began_ms > LONG_MS
        matter = matter_of(kind)
        yield Alarm(
            station, _urgency(kind, is_old=is_old), kind, text, began_ms, said, (matter, since[matter])
        )


def _urgency(kind: str, *, is_old: bool) -> Urgency:
    """Return the urgency: what players usually settle becomes urgent with time."""
    match kind:
        case "illegal" | "sensor":
            return Urgency.GO
        case "hint" | "question":
            return Urgency.GO if is_old else Urgency.INFORM
        case "result" | "copy" | "foreign":
            return Urgency.LOOK
    return Urgency.INFORM
