# SPDX-License-Identifier: Apache-2.0
"""Moves that leave the same trace.

One move stands for all of them; another takes its place when a later ply needs it.
A line of such plies is a constraint problem: every ply has to be legal after those before it.
It is solved depth first, within a number of tries, and only on demand.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from companion.model.occupancy import Occupancy
from companion.referee.footprints import Prospect, is_local
from companion.referee.imprints import Imprint
from companion.referee.search import Hurried
from companion.referee.tracker.costs import Costs
from companion.referee.tracker.explain import explained
from companion.referee.tracker.hypothesis import Hypothesis, Reached
from companion.referee.tracker.needs import Needs, needs_of
from companion.referee.tracker.segment import Segment, Trail

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
        if not is_local(type(prospect.rules)):
            found = notes[imprint.move] = needs_of(prospect, imprint)
            return found
        key = (imprint.carried, imprint.lifted, imprint.looks)
        found = notes.get(key)
        if found is None:
            found = notes[key] = needs_of(prospect, imprint)
        notes[imprint.move] = found
    return found


def narrowed(
    node: Hypothesis, ply: int, moves: set[object], costs: Costs
) -> Generator[None, None, Hypothesis | None]:
    """*node* with only *moves* for the ply number *ply*; None if that is impossible."""
    line = node.line()
    depth = _depth(line, ply)
    if depth is None:
        return None
    imprints = tuple(imprint for imprint in line[depth].imprints if imprint.move in moves)
    for first in imprints:
        chosen = replace(_chosen(line[depth], first, imprints, costs), is_answered=True)
        tries = Tries(costs, costs.decision_tries)
        found = yield from _continued(chosen, _after(line, depth, first, is_wide=True), tries)
        if found is not None:
            return found
    return None


def shortened(node: Hypothesis, ply: int, moves: set[object], costs: Costs) -> Hypothesis | None:
    """*node* until the ply number *ply*, with only *moves* for it; None without."""
    line = node.line()
    depth = _depth(line, ply)
    imprints = () if depth is None else tuple(each for each in line[depth].imprints if each.move in moves)
    if depth is None or not imprints:
        return None
    return replace(_chosen(line[depth], imprints[0], imprints, costs), is_answered=True)


def possible(node: Hypothesis, ply: int, costs: Costs) -> Generator[None, None, tuple[Imprint, ...]]:
    """Possible moves of the ply number *ply* if all later plies are right.

    A move that takes too long to check is among them, and stays. What was possible after earlier
    plies is continued.
    """
    known = node.notes.possible
    if ply not in known:
        line = node.line()
        depth = _depth(line, ply)
        if depth is None:
            return ()
        before = next((each.notes.possible[ply] for each in line[::-1] if ply in each.notes.possible), None)
        if before is None:
            before = {each: _begun(line[depth], each) for each in line[depth].imprints}
        found: dict[Imprint, Reached | None] = {}
        tries = Tries(costs, costs.decision_tries)
        for imprint, reached in before.items():
            end = None
            if reached is not None:
                end = yield from _carried_on(reached, line[depth + 1 :], tries)
                if end is None and tries.left > 0:
                    end = yield from _searched(line, depth, imprint, tries)
                    if end is None and tries.left > 0:
                        continue
            found[imprint] = end
        known[ply] = found
    return tuple(known[ply])


def _begun(node: Hypothesis, imprint: Imprint) -> Reached:
    """The position after *imprint* instead of the last ply of *node*."""
    is_near = is_local(type(node.before.rules))
    cells = node.needs.own | needs_in(node.before, imprint).own if is_near else -1
    return Reached(node.before.after(imprint.move), 0, cells)


def _carried_on(reached: Reached, later: Line, tries: Tries) -> Generator[None, None, Reached | None]:
    """*reached* after the plies of *later* that depend on it.

    Each becomes the first move with its trace that is possible; None if one has none.
    """
    prospect, plies, cells = reached
    for at in range(plies, len(later)):
        node = later[at]
        if not node.needs.own & cells:
            continue
        for other in later[plies:at]:
            prospect = prospect.after(other.imprints[0].move)
        if tries.worked(0):
            yield from tries.step()
        own = None if prospect.is_end else next(_tried(prospect, node, None, tries.costs), None)
        if own is None:
            return None
        prospect, plies, cells = prospect.after(own.move), at + 1, cells | node.needs.own
    return Reached(prospect, plies, cells)


def _searched(
    line: Line, depth: int, imprint: Imprint, tries: Tries
) -> Generator[None, None, Reached | None]:
    """The position after *line* with *imprint* at *depth*.

    None if that is impossible, or takes too long to find.
    """
    after = line[depth].before.after(imprint.move)
    end = yield from _reached(after, _after(line, depth, imprint, is_wide=True), tries)
    return None if end is None else Reached(end, len(line) - depth - 1, -1)


def choices(line: Line, handled: Occupancy) -> Iterator[tuple[int, Imprint]]:
    """Other moves for the plies of *line*, each with the index of its ply.

    First come the plies that brought the pieces on the cells *handled*, the latest first. Where
    rules are local, other plies matter only if they may have been moves of these pieces.
    """
    rest = list[tuple[int, Imprint]]()
    is_near = bool(line) and is_local(type(line[0].before.rules))
    for depth in range(len(line) - 1, -1, -1):
        node = line[depth]
        needs, others = node.needs, node.imprints[1:]
        if (needs.closes | needs.exchanges | needs.free) & handled:
            yield from ((depth, each) for each in others)
            handled |= needs.opens | needs.exchanges
            continue
        cells = handled if is_near and not needs.own & handled else -1
        rest += [(depth, each) for each in others if cells < 0 or needs_in(node.before, each).own & cells]
    yield from rest


def exchanged(
    line: Line, depth: int, first: Imprint, tries: Tries
) -> Generator[None, None, Hypothesis | None]:
    """The last node of *line* with *first* at *depth*; None if that is impossible.

    Later plies may become other moves of the same trace.
    """
    known, key = line[-1].notes.exchanged, (line[depth].ply, first.move)
    if key in known:
        tries.left -= len(line) - depth - 1
        return known[key]
    chosen = _chosen(line[depth], first, line[depth].imprints, tries.costs)
    found = yield from _continued(chosen, _after(line, depth, first), tries)
    if tries.left > 0:
        known[key] = found
    return found


def _after(line: Line, depth: int, first: Imprint, *, is_wide: bool = False) -> Later:
    """The plies of *line* after that at *depth*, if that is *first*.

    Where rules are local, a ply stays as it is unless it has to do with a piece of that ply, or of
    another that may change with it. If the search *is_wide*, a ply without a trace may be another.
    """
    later, before = line[depth + 1 :], line[depth].before
    if not is_local(type(before.rules)):
        return tuple([(node, None) for node in later])
    found, cells = list[tuple[Hypothesis, tuple[Imprint, ...] | None]](), line[depth].needs.own
    cells |= needs_in(before, first).own
    for node in later:
        moves: tuple[Imprint, ...] | None = node.imprints[:1]
        if node.needs.own & cells:
            moves, cells = None, cells | node.needs.own
        elif is_wide and not node.imprints[0].changed:
            others = [each for each in node.imprints[1:] if needs_in(node.before, each).own & cells]
            moves = (*node.imprints[:1], *others)
            for each in others:
                cells |= needs_in(node.before, each).own
        found.append((node, moves))
    return tuple(found)


def _depth(line: Line, ply: int) -> int | None:
    """The index of the ply number *ply*."""
    return next((depth for depth, node in enumerate(line) if node.ply == ply + 1), None)


def _chosen(node: Hypothesis, first: Imprint, imprints: tuple[Imprint, ...], costs: Costs) -> Hypothesis:
    """*node* with *imprints*, for which *first* stands."""
    assert node.parent is not None
    others = (each for each in imprints if each is not first)
    return node.instead(node.parent, (first, *others), _more(node, node.before, first, costs))


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
    if not later:
        return parent
    (node, moves), rest = later[0], later[1:]
    if moves and len(moves) == 1:
        tries.left -= 1
        return (yield from _continued(node.instead(parent, node.imprints, 0.0), rest, tries))
    if parent.prospect.is_end:
        return None
    imprints = tuple(_tried(parent.prospect, node, moves, tries.costs))
    for first in sorted(imprints, key=lambda each: each.move != node.imprints[0].move):
        if tries.left <= 0:
            return None
        yield from tries.one()
        others = [each for each in imprints if each is not first]
        others += [each for each in node.imprints if each not in moves] if moves else []
        more = _more(node, parent.prospect, first, tries.costs)
        made = node.instead(parent, (first, *others), more)
        found = yield from _continued(made, rest, tries)
        if found is not None:
            return found
    return None


def _alike(prospect: Prospect, node: Hypothesis, costs: Costs) -> tuple[Imprint, ...]:
    """The moves in *prospect* with the trace of the last ply of *node*.

    Only those of *node* if a player has chosen them.
    """
    first = node.imprints[0]
    found = tuple(each for each in prospect.changing(first.changed) if _is_alike(prospect, each, node))
    if node.is_answered:
        allowed = {each.move for each in node.imprints}
        return tuple(each for each in found if each.move in allowed)
    return found if first.changed else likely(prospect, found, Segment(Trail(costs, node.segment)))


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


def _reached(prospect: Prospect, later: Later, tries: Tries) -> Generator[None, None, Prospect | None]:
    """The position after *later* is played in *prospect*; None if that is impossible.

    A ply may become another move of the same trace.
    """
    if not later or prospect.is_end:
        return None if later else prospect
    node, moves = later[0]
    if moves and len(moves) == 1:
        return (yield from _reached(prospect.after(node.imprints[0].move), later[1:], tries))
    for imprint in _tried(prospect, node, moves, tries.costs):
        if tries.left <= 0:
            return None
        yield from tries.one()
        end = yield from _reached(prospect.after(imprint.move), later[1:], tries)
        if end is not None:
            return end
    return None


def _tried(
    prospect: Prospect, node: Hypothesis, moves: tuple[Imprint, ...] | None, costs: Costs
) -> Iterator[Imprint]:
    """Those of *moves* with the trace of the last ply of *node* in *prospect*.

    None for all; then those of *node* come first: they need no index.
    """
    found = list[Imprint]()
    for imprint in moves or node.imprints:
        own = prospect.again(imprint)
        if own is not None and _is_alike(prospect, own, node):
            found.append(own)
            yield own
    if moves is None:
        yield from (each for each in _alike(prospect, node, costs) if each not in found)
