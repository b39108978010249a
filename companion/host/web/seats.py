# SPDX-License-Identifier: Apache-2.0
"""Who moves for which side at the page of a table.

Pure: time enters as `now_ms`. Its rule: while nobody is seated, everybody may move; as soon as
somebody is, only those who are. A seat is free a minute after its browser has left. Seats last as
long as the same game is played again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from companion.model.pieces import Side

HELD_MS: Final = 60_000
"""A seat is held for its browser for this long."""


@dataclass(frozen=True, slots=True)
class Seating:
    """The seats as one browser sees them."""

    mine: tuple[Side, ...]
    taken: tuple[Side, ...]
    """By other browsers."""
    away: tuple[Side, ...]
    """Those of them whose browser has left."""
    asked: tuple[Side, ...]
    """Seats of others that this browser asks for."""
    wanted: tuple[Side, ...]
    """Seats of this browser that another one asks for."""
    watches: bool
    """True if it has said that it only watches."""
    begun: int
    """The number of games that have begun since the seats were made."""
    denied: tuple[int, Side | None] | None
    """The number of its denials, and the side of the last one."""


class Seats:
    """The seats of a table; browsers are known by a name that they keep."""

    def __init__(self, sides: int) -> None:
        self._sides = sides
        self._holders: dict[Side, str] = {}
        self._claims: dict[Side, str] = {}
        """The browser that asks for a taken seat, by side."""
        self._watching: set[str] = set()
        self._players: set[str] = set()
        """Those that have moved in this game."""
        self._open: Counter[str] = Counter()
        """The number of pages of each browser."""
        self._left_ms: dict[str, int] = {}
        """When the last page of a browser was closed."""
        self._begun = 0
        self._denied: dict[str, tuple[int, Side | None]] = {}

    def enter(self, browser: str) -> None:
        """A page of *browser* was opened."""
        self._open[browser] += 1
        self._left_ms.pop(browser, None)

    def leave(self, browser: str, now_ms: int) -> None:
        """A page of *browser* was closed."""
        self._open[browser] -= 1
        if self._open[browser] > 0:
            return
        del self._open[browser]
        self._denied.pop(browser, None)
        self._watching.discard(browser)
        self._claims = {side: each for side, each in self._claims.items() if each != browser}
        if browser in self._holders.values():
            self._left_ms[browser] = now_ms

    def sit(self, browser: str, sides: Iterable[Side], now_ms: int) -> None:
        """*browser* wants exactly *sides*; taken ones are asked for. Without sides it watches."""
        self.tick(now_ms)
        wanted = {side for side in sides if 0 <= side < self._sides}
        for side in [side for side, holder in self._holders.items() if holder == browser]:
            if side not in wanted:
                self._free(side)
        self._claims = {side: each for side, each in self._claims.items() if each != browser}
        self._watching -= {browser}
        self._watching |= set() if wanted else {browser}
        for side in sorted(wanted):
            if self._holders.get(side, browser) == browser:
                self._holders[side] = browser
            else:
                self._claims.setdefault(side, browser)

    def stand_up(self, browser: str, now_ms: int) -> None:
        """*browser* has no seat any more, and does not only watch either."""
        self.sit(browser, (), now_ms)
        self._watching.discard(browser)

    def answer(self, browser: str, side: Side, *, gives: bool) -> None:
        """*browser* gives *side* to the one that asks for it, or keeps it."""
        if self._holders.get(side) != browser or side not in self._claims:
            return
        if gives:
            self._free(side)
        else:
            del self._claims[side]

    def tick(self, now_ms: int) -> bool:
        """Free the seats whose browser left long ago; true if there were any."""
        gone = {each for each, left_ms in self._left_ms.items() if now_ms - left_ms >= HELD_MS}
        for side in [side for side, holder in self._holders.items() if holder in gone]:
            self._free(side)
        for browser in gone:
            del self._left_ms[browser]
        return bool(gone)

    def next_deadline_ms(self) -> int | None:
        """Return when the next seat becomes free; None if none does."""
        return min(self._left_ms.values()) + HELD_MS if self._left_ms else None

    def deny(self, browser: str, side: Side | None) -> None:
        """*browser* may not act for *side*, as it wanted; None for no side."""
        count, _ = self._denied.get(browser, (0, None))
        self._denied[browser] = (count + 1, side)

    def play_again(self, people: Collection[Side], *, by: int = 0) -> None:
        """The same game again: every browser moves on by *by* seats, to those of *people*."""
        moved_on = {(side + by) % self._sides: holder for side, holder in self._holders.items()}
        self._begin({side: holder for side, holder in moved_on.items() if side in people})

    def play_other(self, sides: int) -> None:
        """Another game with *sides* sides: every seat is free."""
        self._sides = sides
        self._begin({})

    def sides_of(self, browser: str) -> frozenset[Side]:
        """Return the sides for which *browser* may move."""
        if browser in self._watching:
            return frozenset()
        if not self._holders:
            return frozenset(range(self._sides))
        return frozenset(side for side, holder in self._holders.items() if holder == browser)

    @property
    def is_taken(self) -> bool:
        """True if somebody is seated."""
        return bool(self._holders)

    def holds(self, browser: str) -> bool:
        """True if *browser* has a seat."""
        return browser in self._holders.values()

    def play(self, browser: str) -> None:
        """*browser* has moved in this game."""
        self._players.add(browser)

    def deciders(self, browser: str) -> frozenset[str] | None:
        """Return who decides whether *browser* may end the game; None if it may itself.

        While nobody is seated, those are the pages of the table. Who has moved may end it, and so
        may the only page.
        """
        there = self._open.keys() - self._watching - {browser}
        if self._holders:
            return None if self.holds(browser) else frozenset(there & set(self._holders.values()))
        is_only = not there and browser in self._open.keys() - self._watching
        return None if is_only or browser in self._players else frozenset(there)

    def seen_by(self, browser: str) -> Seating:
        """Return the seats as *browser* sees them."""
        holders = sorted(self._holders.items())
        others = [(side, holder) for side, holder in holders if holder != browser]
        return Seating(
            mine=tuple(side for side, holder in holders if holder == browser),
            taken=tuple(side for side, _ in others),
            away=tuple(side for side, holder in others if holder in self._left_ms),
            asked=tuple(side for side, asking in sorted(self._claims.items()) if asking == browser),
            wanted=tuple(side for side in sorted(self._claims) if self._holders.get(side) == browser),
            watches=browser in self._watching,
            begun=self._begun,
            denied=self._denied.get(browser),
        )

    def _begin(self, holders: dict[Side, str]) -> None:
        """Another game, with the seats of *holders*."""
        self._begun += 1
        self._claims = {}
        self._players.clear()
        self._holders = holders
        self._left_ms = {each: ms for each, ms in self._left_ms.items() if each in holders.values()}

    def _free(self, side: Side) -> None:
        """Free the seat of *side*, or give it to the one that asks for it."""
        del self._holders[side]
        asking = self._claims.pop(side, None)
        if asking is not None:
            self._holders[side] = asking
