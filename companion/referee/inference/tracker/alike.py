# SPDX-License-Identifier: Apache-2.0
"""Moves that leave the same trace.

One move stands for all of them; another takes its place when a later ply needs it.
A line of such plies is a constraint problem: every ply has to be legal after those before it.
It is solved depth first, within a number of tries, and only on demand.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final, TypeAlias

from companion.model.occupancy import Occupancy
from companion.referee.inference.costs import Costs
from companion.referee.inference.search import Hurried
from companion.referee.inference.tracker.explain import explained
from companion.referee.inference.tracker.hypothesis import Exchanged, Hypothesis
from companion.referee.inference.tracker.needs import Needs, needs_of
from companion.referee.inference.tracker.segment import Segment, Trail
from companion.referee.values.board.footprints import Prospect, is_local
from companion.referee.values.board.imprints import Imprint

Line: TypeAlias = tuple[Hypothesis, ...]
Later: TypeAlias = tuple[tuple[Hypothesis, tuple[Imprint, ...] | None], ...]
"""Later plies, each with the moves that it may be, or None for any."""

_AT_ONCE: Final = 4
"""Tries in one step: each may index the moves of a position."""

_WORK: Final = 64
"""Work in one step, in indexed moves."""

_NODE_WORK: Final = 16
"""Work of a hypothesis, besides the moves that are indexed for it."""


class Tries:
    """How many nodes may still be made; none after `Hurried`."""

    def __init__(self, costs: Costs, left: int) -> None:
        self.costs, self.left, self._work = costs, left, 0

    def one(self) -> Generator[None]:
        """Use up one try; some of them are a step."""
        self.left -= 1
        if self.left % _AT_ONCE == 0:
            yield from self.step()

    def worked(self, indexed: int) -> bool:
        """Add the work of a hypothesis with *indexed* moves; True if that makes a step."""
        self._work += _NODE_WORK + indexed
        if self._work < _WORK:
            return False
        self._work = 0
        return True

    def step(self) -> Generator[None]:
        """The end of one step of a search."""
        try:
            yield
        except Hurried:
            self.left = 0


def needs_in(prospect: Prospect, imprint: Imprint) -> Needs:
    """The needs of *imprint*, worked out once for a position.

    Where rules are local, moves that differ in unseen facings only share theirs.
    """
    notes = prospect.notes
    found: Needs | None = notes.get(imprint.move)
    if found is None:
        is_near = is_local(type(prospect.rules))
        key = (imprint.carried, imprint.lifted, imprint.looks) if is_near else imprint.move
        found = notes.get(key) or needs_of(prospect, imprint)
        notes[key] = notes[imprint.move] = found
    return found


def narrowed(
    node: Hypothesis, ply: int, moves: set[object], costs: Costs
) -> Generator[None, None, Hypothesis | None]:
    """*node* with only *moves* for the ply number *ply*; None if that is impossible."""
    line = node.line(ply)
    imprints = tuple(each for each in line[0].imprints if each.move in moves) if line else ()
    for first in imprints:
        begun, tries = _begun(line[0], first, imprints, costs), Tries(costs, costs.decision_tries)
        if begun.tip is not None:
            begun = begun._replace(tip=replace(begun.tip, is_answered=True))
        found = _whole((yield from _carried_on(begun, line, tries)), line[-1])
        if found is not None:
            return found
    return None


def possible(node: Hypothesis, ply: Hypothesis, costs: Costs) -> Generator[None, None, list[Imprint]]:
    """Other moves that *ply* of *node* may be if later plies are right.

    A move that takes too long to check is among them, and stays.
    """
    found, tries, line = list[Imprint](), Tries(costs, costs.decision_tries), node.line(ply.ply - 1)
    unchecked = set[object]().union(*(each.notes.unchecked for each in line))
    for imprint in ply.imprints[1:]:
        if (ply.ply, imprint.move) not in unchecked:
            other = yield from _exchanged(node, ply.ply - 1, imprint, tries)
            if other.tip is None and tries.left > 0:
                continue
            if other.tip is None:
                node.notes.unchecked += ((ply.ply, imprint.move),)
        found.append(imprint)
    return found


def choices(line: Line, handled: Occupancy) -> Iterator[tuple[int, Imprint]]:
    """Other moves for the plies of *line*, each with the number of its ply.

    First come the plies that brought the pieces on the cells *handled*, the latest first. Where
    rules are local, other plies matter only if they may have been moves of these pieces, and a
    single move of another piece stands for all such moves.
    """
    rest = list[tuple[int, Imprint]]()
    is_near = bool(line) and is_local(type(line[0].before.rules))
    for node in reversed(line):
        needs, others = needs_in(node.before, node.imprints[0]), node.imprints[1:]
        if is_near:
            cells = handled if _reach(node) & handled else 0
            near = [each for each in others if cells and needs_in(node.before, each).own & cells]
            far = (each for each in others if not needs_in(node.before, each).own & handled)
            others = (*near, *islice(far, bool(needs.own & handled)))
        found = ((node.ply - 1, each) for each in others)
        if (needs.closes | needs.exchanges | needs.free) & handled:
            yield from found
            handled |= needs.opens | needs.exchanges
        else:
            rest += found
    yield from rest


def _own(node: Hypothesis) -> Occupancy:
    """The cells that have to do with the last ply of *node*."""
    return needs_in(node.before, node.imprints[0]).own


def _reach(node: Hypothesis) -> Occupancy:
    """The cells that have to do with other moves of the last ply of *node*."""
    if node.notes.reach is None:
        node.notes.reach = 0
        for each in node.imprints[1:]:
            node.notes.reach |= needs_in(node.before, each).own
    return node.notes.reach


def exchanged(
    node: Hypothesis, ply: int, first: Imprint, tries: Tries
) -> Generator[None, None, Hypothesis | None]:
    """*node* with *first* as the ply number *ply*; None if that is impossible.

    Later plies may become other moves of the same trace.
    """
    found = yield from _exchanged(node, ply, first, tries)
    tip = _whole(found, node)
    if tip is not found.tip:
        node.notes.exchanged[ply, first.move] = Exchanged(tip, found.cells)
    return tip


def _whole(changed: Exchanged, node: Hypothesis) -> Hypothesis | None:
    """The last node of *changed* after the later plies of *node*, which stay."""
    tip = changed.tip
    if tip is not None:
        for each in node.line(tip.ply):
            tip = each.instead(tip, each.imprints, 0.0)
    return tip


def _exchanged(node: Hypothesis, ply: int, first: Imprint, tries: Tries) -> Generator[None, None, Exchanged]:
    """The story of `exchanged`. What was found for an earlier node of it is continued."""
    known, key = node.notes.exchanged, (ply, first.move)
    if key in known:
        return known[key]
    line = node.line(ply)
    found = next((each.notes.exchanged[key] for each in line[::-1] if key in each.notes.exchanged), None)
    if found is not None:
        is_open = found.tip is not None
        found = yield from _carried_on(found, line, tries)
    if found is None or (found.tip is None and is_open and tries.left > 0):
        found = yield from _carried_on(_begun(line[0], first, line[0].imprints, tries.costs), line, tries)
    if tries.left > 0:
        known[key] = found
    return found


def _carried_on(changed: Exchanged, line: Line, tries: Tries) -> Generator[None, None, Exchanged]:
    """*changed* with those plies of *line* that may differ after it."""
    if changed.tip is None:
        return changed
    later, cells = _after(line[changed.tip.ply - line[0].ply + 1 :], changed.cells)
    count = max((at for at, (node, moves) in enumerate(later, 1) if moves != node.imprints[:1]), default=0)
    if not count:
        return changed
    return Exchanged((yield from _continued(changed.tip, later[:count], tries)), cells)


def _after(later: Line, cells: Occupancy) -> tuple[Later, Occupancy]:
    """The plies *later* after one that changes the pieces on *cells*.

    With the cells that they change then. A ply stays as it is unless it has to do with these
    pieces, or has no trace and may have.
    """
    found = list[tuple[Hypothesis, tuple[Imprint, ...] | None]]()
    for node in later:
        moves: tuple[Imprint, ...] | None = node.imprints[:1]
        own, reach = _own(node), 0 if node.imprints[0].changed else _reach(node)
        if cells < 0 or own & cells:
            moves, cells = None, cells | own | reach
        elif reach & cells:
            others = [each for each in node.imprints[1:] if needs_in(node.before, each).own & cells]
            moves, cells = (*node.imprints[:1], *others), cells | own
            for each in others:
                cells |= needs_in(node.before, each).own
        found.append((node, moves))
    return tuple(found), cells


def _begun(node: Hypothesis, first: Imprint, imprints: tuple[Imprint, ...], costs: Costs) -> Exchanged:
    """*node* with *imprints*, for which *first* stands.

    It may have become illegal by another move of an earlier ply.
    """
    if node.parent is None or node.before.again(first) is None:
        return Exchanged(None, 0)
    cells = _own(node) | needs_in(node.before, first).own if is_local(type(node.before.rules)) else -1
    more, others = _more(node, node.before, first, costs), (each for each in imprints if each is not first)
    return Exchanged(node.instead(node.parent, (first, *others), more), cells)


def _more(node: Hypothesis, prospect: Prospect, first: Imprint, costs: Costs) -> float:
    """How much more *first* in *prospect* costs than the last ply of *node*.

    Moves that change nothing differ in the cells that a hand works at.
    """
    if first.changed or first.move == node.imprints[0].move:
        return 0.0
    return _price(node, prospect, first, costs) - _price(node, node.before, node.imprints[0], costs)


def _price(node: Hypothesis, prospect: Prospect, imprint: Imprint, costs: Costs) -> float:
    """The cost of the edges of the last ply of *node* if it is *imprint*."""
    segment = Segment(Trail(costs, node.segment))
    return explained(prospect, needs_in(prospect, imprint), segment, is_complete=True)


def _continued(parent: Hypothesis, later: Later, tries: Tries) -> Generator[None, None, Hypothesis | None]:
    """The last node if *later* is played after *parent*; None if that is impossible.

    A ply of *later* may become another move of the same trace.
    """
    for at, (node, moves) in enumerate(later):
        if moves == node.imprints[:1]:
            parent = node.instead(parent, node.imprints, 0.0)
            continue
        prospect = parent.prospect
        if prospect.is_end:
            return None
        alike = node.imprints if moves else _alike(prospect, node, tries.costs)
        for first in _again(prospect, node, moves) if moves else alike:
            if tries.left <= 0:
                return None
            yield from tries.one()
            imprints = (first, *[each for each in alike if each.move != first.move])
            made = node.instead(parent, imprints, _more(node, prospect, first, tries.costs))
            found = yield from _continued(made, later[at + 1 :], tries)
            if found is not None:
                return found
        return None
    return parent


def _again(prospect: Prospect, node: Hypothesis, moves: Iterable[Imprint]) -> Iterator[Imprint]:
    """Those of *moves* with the trace of the last ply of *node* in *prospect*."""
    for each in moves:
        own = prospect.again(each)
        if own is not None and _is_alike(prospect, own, node):
            yield own


def _alike(prospect: Prospect, node: Hypothesis, costs: Costs) -> tuple[Imprint, ...]:
    """The moves in *prospect* with the trace of the last ply of *node*.

    That of *node* comes first. Only those of *node* if a player has chosen them.
    """
    if node.is_answered:
        return tuple(_again(prospect, node, node.imprints))
    first = node.imprints[0]
    found = [each for each in prospect.changing(first.changed) if _is_alike(prospect, each, node)]
    if not first.changed:
        found = [*likely(prospect, found, Segment(Trail(costs, node.segment)))]
    return tuple(sorted(found, key=lambda each: each.move != first.move))


def _is_alike(prospect: Prospect, imprint: Imprint, node: Hypothesis) -> bool:
    """True if *imprint* in *prospect* has the trace of the last ply of *node*."""
    changed = node.imprints[0].changed
    is_same = imprint.changed == changed and (not changed or needs_in(prospect, imprint) == node.needs)
    return is_same and imprint.fits(node.made.seen)


def likely(prospect: Prospect, traceless: Iterable[Imprint], segment: Segment) -> tuple[Imprint, ...]:
    """The likeliest of *traceless* moves after *segment*, as one story.

    The cheapest comes first.
    """
    prices = sorted(
        (explained(prospect, needs_in(prospect, each), segment, is_complete=True), number, each)
        for number, each in enumerate(traceless)
    )
    limit = prices[0][0] + segment.costs.decision_traceless if prices else 0.0
    return tuple(each for price, _, each in prices if price <= limit)
