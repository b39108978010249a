# SPDX-License-Identifier: Apache-2.0
"""A simple judge of the clocks: computes them from the times of moves and presses.

It shares no code with the clocks of the referee: used times are listed, and each clock is computed
again from all of them. The first ply of a game is free: no clock runs before it is made, or before
a press. A grant is there before each ply, also the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Final, NamedTuple, TypeGuard

from companion.model.pieces import Side
from companion.referee.values.events import Event, GameEnded, MoveMade, MoveRetracted
from companion.referee.values.view import TableView

_SHARE: Final = 0.7
"""Share of the games with a lever that are played with clocks."""
_SHORT: Final = 0.15
"""Share of these in which the time may run out."""
_SHORT_S: Final = 120
_AMPLE_S: Final = 7_200
_SPAN_S: Final = 900
"""Longer than any hand here thinks."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """The time of each side."""

    main_s: int
    grant: str = ""
    """What is granted in addition: nothing, or one of the letters below.

    - `f`: before each ply.
    - `b`: after each ply, but not more than was used.
    - `d`: before the time of each ply counts.
    - `x`: several spans at the end.
    """
    grant_s: int = 0
    spans: int = 0
    is_pressed: bool = False
    """True if the lever switches the clock, else moves do."""

    @property
    def is_short(self) -> bool:
        """True if it may run out."""
        return max(self.main_s, self.spans * self.grant_s) < _SHORT_S

    @property
    def text(self) -> str:
        """The time control as a player writes it."""
        more = {"": "", "f": "+{}", "b": "+{}b", "d": "+{}d", "x": f"+{self.spans}x{{}}"}[self.grant]
        return f"{self.main_s}s{more.format(self.grant_s)}{'@press' if self.is_pressed else ''}"


def draw_allowance(chance: Random, *, may_fall: bool) -> Allowance | None:
    """Draw the time, or None; with *may_fall* it may be short enough to run out."""
    if chance.random() >= _SHARE:
        return None
    is_pressed, grant = chance.random() < 0.5, chance.choice("fbdx")
    if may_fall and chance.random() < _SHORT:
        return Allowance(chance.randrange(20, _SHORT_S), grant, 2, 2 * (grant == "x"), is_pressed)
    if grant == "x":
        return Allowance(chance.randrange(20, _SHORT_S), "x", _SPAN_S, chance.randrange(1, 4), is_pressed)
    return Allowance(_AMPLE_S, grant, chance.randrange(1, 20), 0, is_pressed)


class Lap(NamedTuple):
    """The time in which a side's clock ran for a ply."""

    ply: int
    side: Side
    since_ms: int
    until_ms: int
    is_free: bool = False
    """True for the first ply, which is made before a clock runs."""

    @property
    def spent_ms(self) -> int:
        """The length of the lap."""
        return self.until_ms - self.since_ms


class Face(NamedTuple):
    """The display of one side's clock."""

    left_ms: int
    spans: int = 0
    is_in_span: bool = False


def face(given: Allowance, used: Sequence[int], thought_ms: int | None = None) -> Face:
    """The clock of a side after its plies.

    *used* has the ms of each ply, *thought_ms* the time of the next if the side is to move.
    """
    spans, is_in_span, grant_ms = given.spans, False, given.grant_s * 1000
    left = given.main_s * 1000 + grant_ms * (given.grant == "f")
    for number, spent in enumerate([*used, *([] if thought_ms is None else [thought_ms])]):
        over = max(0, spent - grant_ms * (given.grant == "d")) - left
        left = max(0, -over)
        if over >= 0 and spans:
            spans = max(0, spans - over // grant_ms - is_in_span)
            left, is_in_span = grant_ms - over % grant_ms if spans else 0, True
        if number < len(used) and left:
            back = {"f": grant_ms, "b": min(spent, grant_ms)}
            left = grant_ms if is_in_span else left + back.get(given.grant, 0)
    return Face(left, spans, is_in_span)


class Stopwatch:
    """Follows one game and reports errors of its clocks."""

    def __init__(self, given: Allowance, sides: int) -> None:
        self.given = given
        self.sides = range(sides)
        self.started_ms: int | None = None
        """The earliest and the latest time at which each ply was completed."""
        self.made: list[tuple[int, int]] = []
        """The earliest and the latest time at which each ply may have been completed."""
        self.presses: list[tuple[int, Side, int]] = []
        """Each press: the time, the side and the ply."""
        self.ended_ms: int | None = None
        """The time at which the end of the game was reported; clocks stop then."""

    def is_lost_by(self, event: Event) -> TypeGuard[GameEnded]:
        """True if *event* ends the game on time."""
        if isinstance(event, GameEnded):
            self.ended_ms = event.at_ms
        elif isinstance(event, MoveRetracted):
            self.ended_ms = None
        elif isinstance(event, MoveMade) and event.started_ms is not None:
            self.started_ms = event.started_ms
        return isinstance(event, GameEnded) and event.outcome.termination.startswith("time")

    def fault(self, view: TableView, turns: Sequence[Side], now_ms: int) -> str:
        """The error of the clocks in *view* at *now_ms*, or "".

        *turns* has the side of each ply and the side to move.
        """
        if self.given.is_short and (fallen := self._fallen(turns, self.ended_ms or now_ms, most=0)):
            return f"the flag of {fallen} fell, but no side lost"
        reported = [line.spent_ms for line in view.record]
        laps, since_ms, running = (
            self._pressed(turns) if self.given.is_pressed else self._moved(turns, reported)
        )
        wrong = "" if self.given.is_pressed else self._wrong_end(laps)
        spent = {lap.ply: lap.spent_ms for lap in laps if not lap.is_free}
        due = [spent.get(number) for number in range(len(reported))]
        if not self.given.is_pressed:
            due[:1] = [0 for _ in due[:1]]
        if wrong or reported != due:
            return wrong or f"the record has {reported} but it is {due}"
        at_ms = view.clocks[0].at_ms
        for side, clock in enumerate(view.clocks):
            is_running = side == running and view.outcome is None
            thought_ms = max(0, at_ms - since_ms) if is_running else None
            wanted = face(self.given, [lap.spent_ms for lap in laps if lap.side == side], thought_ms)
            found = Face(clock.left_ms, clock.spans, clock.is_in_span)
            is_last = side == running and view.outcome is not None  # its clock ran until the end was reported
            if clock.is_running != is_running or (found != wanted and not is_last):
                return f"side {side}: {found}, {clock.is_running=} but it is {wanted}, {is_running}"
        return ""

    def wrong_loss(self, ended: GameEnded, turns: Sequence[Side]) -> str:
        """The error of a game that *ended* on time, or "".

        It is correct if the loser's flag has fallen.
        """
        fallen = self._fallen(turns, ended.at_ms, most=1)
        return "" if fallen - {*ended.outcome.winners} else f"{ended.outcome} but the flag of {fallen} fell"

    def _fallen(self, turns: Sequence[Side], now_ms: int, *, most: int) -> set[Side]:
        """The sides whose time is used up by *now_ms*.

        Plies took their shortest possible times, with *most* 1 their longest.
        """
        laps, since_ms, running = self._pressed(turns) if self.given.is_pressed else self._bounds(turns, most)
        if running is not None:
            laps.append(Lap(len(laps), running, since_ms, now_ms))
        used = {side: [lap.spent_ms for lap in laps if lap.side == side] for side in self.sides}
        return {
            side
            for side, spent in used.items()
            if not all(face(self.given, spent[:number], each).left_ms for number, each in enumerate(spent))
        }

    def _moved(
        self, turns: Sequence[Side], reported: Sequence[int | None]
    ) -> tuple[list[Lap], int, Side | None]:
        """The laps according to the reported times; the first ply has taken no time.

        Also the start of the running clock, and its side.
        """
        if not reported or self.started_ms is None:
            return [], 0, None
        times = [*accumulate((spent or 0 for spent in reported[1:]), initial=self.started_ms)]
        free = Lap(0, turns[0], times[0], times[0], is_free=True)
        laps = [Lap(ply, turns[ply], times[ply - 1], times[ply]) for ply in range(1, len(reported))]
        return [free, *laps], times[-1], turns[len(reported)]

    def _bounds(self, turns: Sequence[Side], most: int) -> tuple[list[Lap], int, Side | None]:
        """The laps with the shortest possible times, with *most* 1 the longest.

        Also the start of the running clock, and its side.
        """
        if not self.made:
            return [], 0, None
        starts = [made[1 - most] for made in self.made]
        ends = [made[most] for made in self.made]
        free = Lap(0, turns[0], ends[0], ends[0], is_free=True)
        laps = [Lap(ply, turns[ply], starts[ply - 1], ends[ply]) for ply in range(1, len(ends))]
        return [free, *laps], starts[-1], turns[len(ends)]

    def _wrong_end(self, laps: Sequence[Lap]) -> str:
        """The first ply that did not end when it was made, in words, or ""."""
        ends = {0: self.started_ms} | {lap.ply: lap.until_ms for lap in laps}
        for ply, (soonest, latest) in enumerate(self.made):
            until_ms = ends[ply]
            if until_ms is None or not soonest <= until_ms <= latest:
                return f"ply {ply} ended at {until_ms} but it was made at {soonest} to {latest}"
        return ""

    def _pressed(self, turns: Sequence[Side]) -> tuple[list[Lap], int, Side | None]:
        """The laps according to presses.

        A press counts only if the presser's clock runs, or none runs yet. A side that does not
        press keeps using time until its next press. After a press during an illegal attempt, the
        next side's clock runs, whatever stands on the board.
        """
        laps, since_ms, running, done = list[Lap](), 0, None, set[int]()
        for at_ms, side, ply in self.presses:
            if running not in (None, side) or ply in done:
                continue
            done.add(ply)
            until_ms = min(at_ms, self.ended_ms or at_ms)
            is_free = running is None
            laps.append(Lap(ply, side, until_ms if is_free else since_ms, until_ms, is_free))
            following = turns[ply + 1] if ply + 1 < len(turns) else (side + 1) % len(self.sides)
            since_ms, running = at_ms, following
        return laps, since_ms, running
