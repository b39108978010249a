# SPDX-License-Identifier: Apache-2.0
"""Who meets whom in the Dutch system, as in force from February 2026.

Source: FIDE Handbook C.04.3; C1 to C21 are its criteria.
Its rule: every criterion (`entrants.py`) is a number that adds up over the pairs of a bracket.
So the numbers of a pair, the more important ones in the higher bits, make one weight, and the
matching of the greatest weight satisfies the criteria in their order. The order of the candidates
(articles 4.2 to 4.4) decides among those of equal weight, player by player.
A bracket is first paired without the players below its next score group;
if these cannot be paired then, they take part from the beginning (C4).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from companion.tournament.entrants import Entrant, criteria, may_meet
from companion.tournament.matching import WeightedGraph, is_perfect


class Unpairable(Exception):
    """No pairing satisfies the absolute criteria."""


def opponents(entrants: Iterable[Entrant]) -> list[tuple[Entrant, Entrant | None]]:
    """The pairs of a round, the higher player first; None for the pairing-allocated bye.

    Raises `Unpairable`.
    """
    ordered = sorted(entrants, key=lambda each: (-each.score, each.rank))
    if _are_equal(ordered):
        half = len(ordered) // 2
        last = ordered[2 * half :]
        return [*zip(ordered[:half], ordered[half : 2 * half], strict=True), *((each, None) for each in last)]
    resting = _resting_score(ordered)
    groups = [list(group) for _, group in itertools.groupby(ordered, key=lambda each: each.score)]
    found: list[tuple[Entrant, Entrant | None]] = []
    moved: list[Entrant] = []
    for place, group in enumerate(groups):
        below = groups[place + 1] if place + 1 < len(groups) else []
        rest = list(itertools.chain.from_iterable(groups[place + 2 :]))
        bracket = _Bracket(moved, group, below, None, resting)
        pairs = bracket.paired()
        if not _can_pair([*bracket.left_over(), *rest], resting):
            pairs = _Bracket(moved, group, below, rest, resting).paired()
        found += pairs
        taken = {each.rank for pair in pairs for each in pair}
        moved = [each for each in (*moved, *group) if each.rank not in taken]
    return [*found, *((each, None) for each in moved)]


def _are_equal(ordered: Sequence[Entrant]) -> bool:
    """True if the first candidate satisfies all criteria, as in the first round."""
    return len({each.kind for each in ordered}) == 1 and not any(
        each.met or each.preference is not None or not each.may_rest for each in ordered
    )


def _resting_score(ordered: Sequence[Entrant]) -> int | None:
    """The lowest score that can have the bye (C4, C5); None for an even number.

    Raises `Unpairable`.
    """
    if len(ordered) % 2 == 0:
        if not _can_pair(ordered, None):
            raise Unpairable
        return None
    for score in sorted({each.score for each in ordered if each.may_rest}):
        if _can_pair(ordered, score):
            return score
    raise Unpairable


def _can_pair(players: Sequence[Entrant], resting: int | None) -> bool:
    """True if *players* can be paired; of an odd number one rests, with score *resting*."""
    edges = [
        (one, other)
        for other, player in enumerate(players)
        for one, before in enumerate(players[:other])
        if may_meet(before, player)
    ]
    if len(players) % 2 == 0:
        return is_perfect(len(players), edges)
    edges += [(place, len(players)) for place, each in enumerate(players) if _can_rest(each, resting)]
    return is_perfect(len(players) + 1, edges)


def _can_rest(player: Entrant, resting: int | None) -> bool:
    return player.may_rest and player.score == resting


class _Bracket:
    """One bracket: players who moved down, and their new score group.

    The vertices of its graph are these players in their order, those below, and then the bye.
    """

    def __init__(
        self,
        moved: Sequence[Entrant],
        group: Sequence[Entrant],
        below: Sequence[Entrant],
        rest: Sequence[Entrant] | None,
        resting: int | None,
    ) -> None:
        """*below* is the next score group, *rest* the ones under it.

        Without *rest* nothing sees to it that all who are left can be paired.
        """
        self._players = (*moved, *group, *below, *(rest or ()))
        self._moved = range(len(moved))
        self._group = range(len(moved), len(moved) + len(group))
        self._end = self._group.stop + len(below)
        self._bye = len(self._players)
        self._is_whole = rest is not None
        self._resting = resting
        self._pairs: list[tuple[int, int]] = []
        self._fixed: set[int] = set()
        self._width = (self._bye + 1).bit_length()
        self._low = max(len(moved) + self._width, 3 * self._width)
        """Bits for the order of the candidates."""
        scores = sorted({each.score for each in self._players[: self._end]})
        self._shifts = {score: place * self._width for place, score in enumerate(scores)}
        self._scores = len(scores) * self._width
        """Bits of a number that lists scores, the highest first."""
        self._bits = 12 * self._width + 6 * self._scores + self._low
        self._weights = self._weights_of_pairs()
        self._add_bye(is_chosen=False)
        self._graph = self._drawn()
        self._matching = self._graph.matching()
        if self._is_resting_here():
            self._add_bye(is_chosen=True)
            self._graph = self._drawn()
            self._matching = self._graph.matching()

    def paired(self) -> list[tuple[Entrant, Entrant]]:
        """The pairs of the bracket."""
        self._pair_moved()
        self._pair_remainder()
        return [(self._players[one], self._players[other]) for one, other in self._pairs]

    def left_over(self) -> list[Entrant]:
        """The players without an opponent in the bracket and the next score group."""
        return [
            player
            for place, player in enumerate(self._players)
            if place not in self._fixed and self._matching[place] in (place, self._bye)
        ]

    def _weights_of_pairs(self) -> dict[tuple[int, int], int]:
        """The weights of all possible pairs by their criteria."""
        kinds: dict[tuple[object, ...], int] = {}
        kind = [kinds.setdefault(each.kind, len(kinds)) for each in self._players]
        known: dict[tuple[int, int, int], int] = {}
        found = {}
        for other in range(len(self._moved), self._bye):
            lower = self._players[other]
            zone = (other >= self._group.stop) + (other >= self._end)
            for one, higher in enumerate(self._players[:other]):
                if not may_meet(higher, lower) or (zone == 2 and not self._is_whole):
                    continue
                key = kind[one], kind[other], zone
                if key not in known:
                    known[key] = self._weight(higher, lower, zone)
                found[one, other] = known[key]
        return found

    def _weight(self, higher: Entrant, lower: Entrant, zone: int) -> int:
        """The weight of a pair in the bracket (*zone* 0), next group (1) or below."""
        width, scores = self._width, self._scores
        is_here, is_next = int(zone == 0), int(zone == 1)
        shift = self._shifts.get(higher.score, 0)
        fields = [
            (width, int(self._is_whole)),  # C4
            (width, is_here),  # C6
            (scores, is_here << shift),  # C7
            (width, is_next),  # C8
            (scores, is_next << shift),
            (width, 0),  # C9
            *(criteria(higher, lower, width, scores, shift, self._shifts[lower.score]) if is_here else ()),
        ]
        weight = 0
        used = 0
        for bits, value in fields:
            weight = weight << bits | value
            used += bits
        return weight << self._bits - used

    def _add_bye(self, *, is_chosen: bool) -> None:
        """Join the bye where all must be paired, or where it falls (*is_chosen*)."""
        if self._resting is None or not (self._is_whole or is_chosen):
            return
        complete = 1 << self._bits - self._width
        unplayed = self._bits - 4 * self._width - 2 * self._scores
        for place, player in enumerate(self._players):
            if _can_rest(player, self._resting):
                rank = player.games + 1 if is_chosen else 0
                self._weights[place, self._bye] = complete + (rank << unplayed)

    def _is_resting_here(self) -> bool:
        """True if the only player who leaves the bracket downwards has the bye (C9)."""
        if self._resting is None or self._resting < self._players[self._group.start].score:
            return False
        here = range(self._group.stop)
        return sum(self._matching[each] not in here or self._matching[each] == each for each in here) == 1

    def _drawn(self, extra: int = 0) -> WeightedGraph:
        """A graph of all pairs that are not decided, with *extra* bits."""
        graph = WeightedGraph(self._bye + 1, self._bits + extra)
        for (one, other), weight in self._weights.items():
            if one not in self._fixed and other not in self._fixed:
                graph.set(one, other, weight << extra)
        return graph

    def _fix(self, one: int, other: int) -> None:
        """Decide a pair."""
        self._pairs.append((one, other))
        for each in (one, other):
            self._fixed.add(each)
            self._graph.remove(each)

    def _set(self, one: int, other: int, addend: int) -> None:
        """Add *addend* to the weight of a possible pair."""
        weight = self._weights.get((one, other))
        if weight:
            self._graph.set(one, other, weight + addend)

    def _pair_moved(self) -> None:
        """Pair players who moved down, the higher ones if not all.

        Each one gets the highest possible opponent.
        """
        if not self._moved:
            return
        for one in self._moved:
            self._prefer(one, 0)
        self._matching = self._graph.matching()
        chosen = [one for one in self._moved if self._matching[one] in self._group]
        for one in chosen:
            self._prefer(one, 1)
            self._matching = self._graph.matching()
            self._fix(one, self._matching[one])
        for one, other in itertools.product(self._moved, self._group):
            if self._weights.pop((one, other), 0) and not {one, other} & self._fixed:
                self._graph.set(one, other, 0)

    def _prefer(self, one: int, step: int) -> None:
        """Prefer that *one*, who moved down, is paired.

        With *step* 1 with the highest possible opponent.
        """
        for other in self._group:
            if other not in self._fixed:
                is_paired = 1 << self._width + len(self._moved) - 1 - one
                self._set(one, other, is_paired + step * (self._group.stop - other))

    def _pair_remainder(self) -> None:
        """Pair the others of the score group: the upper half with the lower.

        As few as possible are exchanged between the halves.
        """
        others = [each for each in self._group if each not in self._fixed]
        count = sum(self._matching[each] in self._group and self._matching[each] > each for each in others)
        if not count:
            return
        upper = self._upper(others, count)
        for one, other in itertools.combinations(others, 2):
            if one in upper and other not in upper:
                self._set(one, other, 0)
            elif self._weights.pop((one, other), 0):
                self._graph.set(one, other, 0)
        for one in sorted(upper):
            for other in others:
                if other > one and other not in self._fixed:
                    self._set(one, other, self._group.stop - other)
            self._matching = self._graph.matching()
            self._fix(one, self._matching[one])

    def _upper(self, others: Sequence[int], count: int) -> set[int]:
        """The upper halves of *count* pairs among *others*."""

        def halves(matching: Sequence[int]) -> set[int]:
            return {each for each in others if matching[each] in self._group and matching[each] > each}

        place = {each: index for index, each in enumerate(others)}
        fewest = {
            each: (index < count) << 2 * self._width | len(others) - index for each, index in place.items()
        }
        for one, other in itertools.combinations(others, 2):
            self._set(one, other, fewest[one])
        upper = halves(self._graph.matching())
        if upper == set(others[:count]):
            return upper
        extra = len(others) + 2 * self._width
        graph = self._drawn(extra)
        for (one, other), weight in self._weights.items():
            if one in place and other in place:
                index = place[one]
                order = (
                    (1 << count) - (1 << index) << len(others) - count + self._width
                    if index < count
                    else 1 << len(others) - 1 - index
                )
                graph.set(one, other, (weight + fewest[one] << extra) + order)
        return halves(graph.matching())
