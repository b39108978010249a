# SPDX-License-Identifier: Apache-2.0
"""Chess clocks for any number of sides: values and functions of the time handed in.

A *control* is one list of periods for each side, so that time odds need nothing special.
In a period a side gets its time, and for each ply what the period grants:
an increment before it (Fischer), the time it used up to a bonus (Bronstein),
or a delay before the clock runs.
When a period's plies are made the next begins, and what is left is kept.
Byo-yomi: when the time is up the side has *byo_yomi* more spans,
and loses one only if it uses it up.
Hourglass: what a side uses is added to the next side.

Source of the increment: FIDE Laws of Chess (in force since 2023), glossary, "cumulative mode":
it is there before each move, from the start.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from companion.model.pieces import Side


@dataclass(frozen=True, slots=True)
class Period:
    """A part of the game with its time; the last holds to the end."""

    time_ms: int
    """What a side gets when the period begins."""
    plies: int = 0
    """Own plies until the next period begins; 0 in the last."""
    increment_ms: int = 0
    """Added before each ply."""
    bonus_ms: int = 0
    """Given back after each ply, as far as it was used."""
    delay_ms: int = 0
    """Before the clock begins to run in each ply."""
    byo_yomi_ms: int = 0
    """Length of each span that remains when the time is up."""
    byo_yomi: int = 0
    """Number of such spans."""


@dataclass(frozen=True, slots=True)
class Control:
    """How time is given to each side."""

    periods: tuple[tuple[Period, ...], ...]
    is_hourglass: bool = False
    by_moves: bool = True
    """The moves themselves switch the clocks; else only a lever or button does."""
    starts_by_hand: bool = False
    """No clock runs until the first move, a press, or a start command.

    False in journals from before this rule:
    there the first clock runs once the start position is set up, unless it is pressed.
    """
    gives_first: bool = False
    """The increment is there before the first ply, too.

    False in journals from before this rule: there it comes after each ply that was timed.
    """

    @classmethod
    def same(cls, sides: int, *periods: Period, is_hourglass: bool = False, by_moves: bool = True) -> Control:
        """The same *periods* for each of *sides*."""
        return cls((periods,) * sides, is_hourglass, by_moves, starts_by_hand=True, gives_first=True)


@dataclass(frozen=True, slots=True)
class Reserve:
    """The time of one side while its clock is stopped."""

    left_ms: int
    period: int = 0
    plies: int = 0
    """Own plies made in the period."""
    spans: int = 0
    """Byo-yomi spans left."""
    is_in_byo_yomi: bool = False


@dataclass(frozen=True, slots=True)
class Clocks:
    """The clocks of a table."""

    control: Control
    reserves: tuple[Reserve, ...]
    running: Side | None = None
    since_ms: int = 0
    """Time at which the running clock was started or resumed."""
    thought_ms: int = 0
    """Time used by the running side for this ply before *since_ms*."""

    @classmethod
    def of(cls, control: Control) -> Clocks:
        """The clocks at the start of a game, all standing still."""
        first = (periods[0] for periods in control.periods)
        reserves = (
            Reserve(period.time_ms + period.increment_ms * control.gives_first, spans=period.byo_yomi)
            for period in first
        )
        return cls(control, tuple(reserves))


def period_of(clocks: Clocks, side: Side) -> Period:
    """The period in which *side* plays."""
    return clocks.control.periods[side][clocks.reserves[side].period]


def used_ms(clocks: Clocks, now_ms: int) -> int:
    """Thinking time of the running side in this ply; 0 if no clock runs."""
    if clocks.running is None:
        return 0
    return clocks.thought_ms + max(0, now_ms - clocks.since_ms)


def charged_ms(clocks: Clocks, now_ms: int) -> int:
    """The part of it that counts: all but the delay."""
    if clocks.running is None:
        return 0
    return max(0, used_ms(clocks, now_ms) - period_of(clocks, clocks.running).delay_ms)


def reserve(clocks: Clocks, side: Side, now_ms: int) -> Reserve:
    """The time of *side* at *now_ms*.

    `left_ms` is never below 0, and 0 without spans means that the flag has fallen.
    """
    kept = clocks.reserves[side]
    charged = charged_ms(clocks, now_ms)
    if side != clocks.running:
        is_next = clocks.control.is_hourglass and clocks.running is not None and side == _next(clocks)
        return replace(kept, left_ms=kept.left_ms + charged) if is_next else kept
    left, spans, in_byo_yomi = kept.left_ms - charged, kept.spans, kept.is_in_byo_yomi
    length = period_of(clocks, side).byo_yomi_ms
    while left <= 0 and spans > 0:
        left += length
        spans -= in_byo_yomi
        in_byo_yomi = True
        if spans == 0:
            left = min(left, 0)
    return replace(kept, left_ms=max(0, left), spans=spans, is_in_byo_yomi=in_byo_yomi)


def fallen(clocks: Clocks, now_ms: int) -> Side | None:
    """The side whose flag has fallen by *now_ms*, or None."""
    side = clocks.running
    if side is None or clocks.reserves[side].left_ms > charged_ms(clocks, now_ms):
        return None
    return side if reserve(clocks, side, now_ms).left_ms == 0 else None


def falls_at_ms(clocks: Clocks) -> int | None:
    """Time of the next flag fall; None if no clock runs."""
    if clocks.running is None:
        return None
    kept, period = clocks.reserves[clocks.running], period_of(clocks, clocks.running)
    spans = kept.spans - kept.is_in_byo_yomi
    whole = kept.left_ms + spans * period.byo_yomi_ms + period.delay_ms
    return clocks.since_ms + max(0, whole - clocks.thought_ms)


def started(clocks: Clocks, side: Side, now_ms: int) -> Clocks:
    """The clocks with that of *side* running, for a new ply."""
    return replace(clocks, running=side, since_ms=now_ms, thought_ms=0)


def stopped(clocks: Clocks, now_ms: int) -> Clocks:
    """The clocks stopped within a ply; `resumed` continues."""
    return replace(clocks, thought_ms=used_ms(clocks, now_ms), since_ms=_NEVER)


def is_resting(clocks: Clocks) -> bool:
    """True if a clock was stopped within a ply."""
    return clocks.running is not None and clocks.since_ms == _NEVER


_NEVER: Final = 2**62
"""A start in the far future: no time is used before it."""


def resumed(clocks: Clocks, now_ms: int) -> Clocks:
    """The clocks resumed after a rest."""
    return replace(clocks, since_ms=now_ms)


def adjusted(clocks: Clocks, side: Side, by_ms: int) -> Clocks:
    """The clocks with *by_ms* more (or less) for *side*.

    A flag falls if it loses more than it has left.
    """
    kept = clocks.reserves[side]
    more = replace(kept, left_ms=kept.left_ms + by_ms)
    return replace(clocks, reserves=(*clocks.reserves[:side], more, *clocks.reserves[side + 1 :]))


def passed(clocks: Clocks, turn: Side, now_ms: int) -> Clocks:
    """The clocks when *turn* is to move by decision.

    No ply is completed; used time stays used.
    """
    now = tuple(reserve(clocks, side, now_ms) for side in range(len(clocks.reserves)))
    return started(replace(clocks, reserves=now), turn, now_ms)


def switched(clocks: Clocks, following: Side, now_ms: int) -> Clocks:
    """The clocks after the running side's ply at *now_ms*, with *following* running."""
    side = clocks.running
    if side is None:
        return started(clocks, following, now_ms)
    now = {other: reserve(clocks, other, now_ms) for other in range(len(clocks.reserves))}
    period, mine = period_of(clocks, side), now[side]
    if mine.left_ms == 0:  # its flag has fallen: nothing to switch any more
        return clocks
    if mine.is_in_byo_yomi:
        mine = replace(mine, left_ms=period.byo_yomi_ms)
    else:
        bonus_ms = min(period.bonus_ms, charged_ms(clocks, now_ms))
        mine = replace(mine, left_ms=mine.left_ms + bonus_ms)
    now[side] = _counted(clocks.control, mine, side, is_timed=True)
    return started(replace(clocks, reserves=tuple(now.values())), following, now_ms)


def set_going(clocks: Clocks, side: Side, following: Side, now_ms: int) -> Clocks:
    """The clocks after *side* has made a ply while none ran; *following* thinks.

    The ply counts, but costs no time.
    """
    counted = _counted(clocks.control, clocks.reserves[side], side, is_timed=False)
    reserves = (*clocks.reserves[:side], counted, *clocks.reserves[side + 1 :])
    return started(replace(clocks, reserves=reserves), following, now_ms)


def _counted(control: Control, mine: Reserve, side: Side, *, is_timed: bool) -> Reserve:
    """*mine* after one more ply of *side*, in the period that follows.

    It has the increment for the ply that follows.
    """
    periods = control.periods[side]
    period = periods[mine.period]
    is_complete = mine.plies + 1 == period.plies and mine.period + 1 < len(periods)
    granting = periods[mine.period + 1] if is_complete and control.gives_first else period
    granted_ms = 0
    if not mine.is_in_byo_yomi and (is_timed or control.gives_first):
        granted_ms = granting.increment_ms
    left_ms = mine.left_ms + granted_ms
    if not is_complete:
        return replace(mine, left_ms=left_ms, plies=mine.plies + 1)
    following = periods[mine.period + 1]
    return Reserve(left_ms + following.time_ms, mine.period + 1, spans=following.byo_yomi)


def _next(clocks: Clocks) -> Side:
    """The side after the running one."""
    assert clocks.running is not None
    return (clocks.running + 1) % len(clocks.reserves)
