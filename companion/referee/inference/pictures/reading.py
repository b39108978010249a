# SPDX-License-Identifier: Apache-2.0
"""A picture of plain pieces, read with the game's stories as the prior.

A picture says how likely each look of each cell is, and on which cells something has happened.
The boards to which the stories lead by up to three plies are weighed against each other. On each
of them a cell may also look otherwise for no reason, which costs more than a ply: so an illegal
move is seen, and an odd cell is not. Where the likeliest boards differ, cells are hidden, and
people are asked. The result is an observation as a sensor would make it that sees for certain.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from companion.model.grid import Cell
from companion.model.observation import EMPTY, Change, Observation, Sightings
from companion.model.occupancy import Occupancy, cells_of, occupancy_of
from companion.referee.inference.belief import Belief
from companion.referee.inference.pictures.picture import NOWHERE, Candidate, Look, Picture, number_of, price
from companion.referee.inference.tracker import face
from companion.referee.inference.tracker.outlook import score
from companion.referee.inference.tracker.unfollowed import Line
from companion.referee.values.board.footprints import Prospect

_LEAD: Final = 4.0
"""Nats by which a board must be likelier than any other."""
_ODD_LEAD: Final = 1.5
"""The same for a board with looks for no reason, which are paid for already."""
_CLUTTER: Final = 2.0
"""What each odd cell but one adds to that, and each that resembles nothing known."""
_AHEAD: Final = 8.0
"""What an unexplained earlier ply adds to that: it has to come first."""
_PLY: Final = 2.0
"""Cost of a ply."""
_FURTHER: Final = 6.0
"""Further cost of each ply after the first, since the last picture."""
_ORDER: Final = 8.0
"""Cost of a ply that was seen before the ply that precedes it."""
_VAGUE: Final = 8.0
"""Cost of a ply that no cell shows clearly: a hand may be there."""
_BEFORE: Final = 1.0
"""The same for a cell that a ply may have changed before the last picture."""
_MOST_ODD: Final = 3
"""Cells that may change for no reason; more are hidden, as under a hand."""
_PLIES: Final = 3
"""Plies that are sought since the last picture."""
_BEAM: Final = 16
"""Boards from which a further ply is tried."""
_APART_MS: Final = 800
"""Time between plies of which only the last result was seen."""
_OTHER: Final = 2.0
"""Least cost of a story that is not shown."""
_STORIES: Final = 4
"""Stories that are weighed, the best first."""


def read(belief: Belief, observation: Observation) -> Generator[None, None, tuple[Belief, Observation]]:
    """*observation* with the sightings to which its evidence and the stories of *belief* lead."""
    picture = _picture(belief, observation)
    if picture.hidden == (1 << len(picture.seen)) - 1:
        seen = belief.seen  # a hand moves: what was seen before it still counts
        looks = tuple((cell, seen.look(cell)) for cell in cells_of(seen.occupied))
        return belief, replace(observation, inputs=(), sightings=Sightings(seen.occupied, seen.hidden, looks))
    odd = picture.odd()
    candidates = list[Candidate]()
    for prospect, cost in _stories(belief):
        layer = [_weighed(picture, odd, prospect, (), picture.wanted(prospect), frozenset(), cost)]
        candidates += layer
        cost += _PLY
        for _ in range(_PLIES):
            made = list[Candidate]()
            for before in layer:
                yield
                made += _after(picture, odd, before, _shown(before), cost)
            candidates += made
            best = max(candidates, key=_score)
            if not best.odd:
                break
            least = best.score - sum(map(price, best.odd.values())) - _LEAD
            layer = [each for each in heapq.nlargest(_BEAM, made, key=_score) if each.score > least]
            cost += _FURTHER
    return _sighted(belief, observation, picture, candidates)


def _score(candidate: Candidate) -> float:
    return candidate.score


def _picture(belief: Belief, observation: Observation) -> Picture:
    """The picture of *observation* against what *belief* has seen."""
    evidence = observation.evidence
    assert evidence is not None
    unexplained = {cell: nats for cell, nats, _ in belief.unexplained}
    costs = tuple(tuple(tenths / 10 for tenths in row) for row in evidence.costs)
    fresh = tuple(tenths / 10 for tenths in evidence.changed)
    return Picture(
        evidence.looks,
        costs,
        fresh,
        tuple(max(each, unexplained.get(cell, each)) for cell, each in enumerate(fresh)),
        tuple(number_of(evidence.looks, belief.seen.look(cell)) for cell in range(len(costs))),
        occupancy_of(cell for cell, row in enumerate(costs) if not row),
        {cell: at_ms for cell, _, at_ms in belief.unexplained if fresh[cell] <= 0},
    )


def _stories(belief: Belief) -> list[tuple[Prospect, float]]:
    """The positions that may have been reached, each with its cost.

    First the one that the last picture showed, while a story has it, then the one that is shown.
    """
    sensed, costs = face.sensed_by(belief), belief.table.costs
    scores = [(score(node, sensed, costs), node.prospect) for node in face.live_of(belief)]
    own = min((cost for cost, each in scores if each.position == belief.tip.position), default=math.inf)
    last = [each for _, each in scores if belief.pictured and each.position == belief.pictured.position]
    starts = [(prospect, 0.0) for prospect in last[:1] or [belief.tip]]
    others = [(max(cost - own, _OTHER), prospect) for cost, prospect in scores]
    for cost, prospect in sorted([(_OTHER, belief.tip), *others], key=lambda pair: pair[0]):
        if cost <= _LEAD and all(prospect.position != each.position for each, _ in starts):
            starts.append((prospect, cost))
    return starts[:_STORIES]


def _after(
    picture: Picture, odd: Mapping[Cell, Look], before: Candidate, prospect: Prospect, cost: float
) -> Iterator[Candidate]:
    """The boards after each legal ply in *prospect*, to which the line of *before* leads."""
    base = picture.wanted(prospect)
    for imprint in prospect.imprints():
        looks = dict(base)
        after = {cell: 0 for cell in cells_of(imprint.changed & ~imprint.shows)}
        after |= {cell: picture.number(shown) for cell, shown in imprint.looks}
        for cell, look in after.items():
            looks[cell] = look
            if look == picture.seen[cell]:
                del looks[cell]
        line = (*before.line, (prospect, imprint))
        handled = before.handled | after.keys() | {cell for cell, _ in imprint.unseen}
        yield _weighed(picture, odd, before.start, line, looks, handled, cost)


def _weighed(
    picture: Picture,
    odd: Mapping[Cell, Look],
    start: Prospect,
    line: Line,
    looks: dict[Cell, Look],
    handled: frozenset[Cell],
    cost: float,
) -> Candidate:
    """The board with these *looks*, or what is likelier on single cells for no reason."""
    total, strange = _touched(picture, looks, handled) - cost, dict[Cell, Look]()
    total -= _ORDER * _inversions(picture, line) + _VAGUE * _vague(picture, line, looks)
    for cell, look in looks.items():
        best, most = look, picture.gain(cell, look)
        for other in {picture.seen[cell] if cell not in handled else look, odd.get(cell, look)} - {look}:
            gain = picture.gain(cell, other) - price(other)
            if gain > most:
                best, most = other, gain
        total += most
        if best != look:
            strange[cell] = best
    for cell in odd.keys() - looks.keys() - handled:
        strange[cell] = odd[cell]
        total += picture.gain(cell, odd[cell]) - price(odd[cell])
    fresh = [look for cell, look in strange.items() if look and look != picture.seen[cell]]
    total -= NOWHERE * max(0, len(fresh) - sum(not look for look in strange.values()))
    shown = {cell: look for cell, look in (looks | strange).items() if look != picture.seen[cell]}
    return Candidate(total, start, line, shown, handled, strange)


def _inversions(picture: Picture, line: Line) -> int:
    """How often a ply of *line* changed the board before the ply that precedes it."""
    times = [
        min((picture.earlier.get(cell, math.inf) for cell in cells_of(imprint.changed)), default=math.inf)
        for _, imprint in line
    ]
    return sum(later < sooner for sooner, later in itertools.pairwise(times))


def _vague(picture: Picture, line: Line, looks: Mapping[Cell, Look]) -> int:
    """The number of plies of *line* that no cell shows clearly."""
    return sum(
        not any(cell in looks and picture.is_clear(cell, looks[cell]) for cell in cells_of(imprint.changed))
        for _, imprint in line
        if not any(cell not in looks for cell in cells_of(imprint.changed))
    )


def _touched(picture: Picture, looks: Mapping[Cell, Look], handled: frozenset[Cell]) -> float:
    """The evidence on cells that plies have changed although they look the same."""
    alike = [cell for cell in handled if cell not in looks and not picture.hidden >> cell & 1]
    least = -_BEFORE if len(alike) < len(handled) or len(alike) > 1 else -math.inf
    return sum(max(picture.changed[cell], least) for cell in alike)


def _sighted(
    belief: Belief, observation: Observation, picture: Picture, candidates: Sequence[Candidate]
) -> tuple[Belief, Observation]:
    """The observation of the likeliest board, with cells hidden where others are as likely."""
    best = max(candidates, key=_score)
    doubtful = _doubtful(picture, best)
    clutter = _CLUTTER * max(
        0, sum(cell in best.looks for cell in best.odd) - 1 + picture.covered(best.handled)
    )
    clutter += _AHEAD * (picture.is_ahead(best) or _inversions(picture, best.line) > 0)
    for rival in candidates:
        is_legal = not rival.odd and not best.odd and not clutter
        lead = (_ODD_LEAD if rival.odd else _LEAD) + clutter
        if rival.score > best.score - lead and (rival.looks, rival.odd) != (best.looks, best.odd):
            cells = best.looks.keys() | rival.looks.keys()
            agreed = {cell for cell in cells if best.looks.get(cell) == rival.looks.get(cell)}
            doubtful |= cells - agreed if is_legal else cells
    hidden = picture.hidden | occupancy_of(doubtful)
    looks = {cell: belief.seen.look(cell) for cell in cells_of(belief.seen.occupied)}
    looks |= {cell: picture.looks[look] for cell, look in best.looks.items() if not hidden >> cell & 1}
    standing = {cell: looks[cell] for cell in sorted(looks) if looks[cell].occupied}
    sightings = Sightings(occupancy_of(standing), hidden, tuple(standing.items()))
    inputs = tuple(_changes(belief, observation.at_ms, picture, best, hidden))
    explained = best.handled | best.looks.keys()
    left = tuple(
        (cell, change, picture.earlier.get(cell, observation.at_ms))
        for cell, change in enumerate(picture.changed)
        if change > 0
        and (hidden >> cell & 1 or (cell not in explained and picture.costs[cell][picture.seen[cell]]))
    )
    belief = belief._replace(unexplained=left, pictured=_shown(best) if hidden == picture.hidden else None)
    return belief, replace(observation, inputs=inputs, sightings=sightings)


def _shown(candidate: Candidate) -> Prospect:
    """The position that *candidate* shows, but for odd cells."""
    if not candidate.line:
        return candidate.start
    before, imprint = candidate.line[-1]
    return before.after(imprint.move)


def _doubtful(picture: Picture, best: Candidate) -> set[Cell]:
    """The cells of *best* that look as if something else than pieces was there.

    Hands take one piece at a time: with a ply, the next one may be lifted; without, a piece may
    have gone to another cell by no rule, also to that of another piece, or have come from nowhere.
    """
    fresh = [cell for cell in best.odd if cell in best.looks]
    puts = [cell for cell in fresh if best.odd[cell]]
    lifts = len(fresh) - len(puts)
    if best.line:
        return set() if len(fresh) == lifts <= 1 else set(fresh)
    lifted = {picture.seen[cell] for cell in best.odd if not best.odd[cell]}
    is_move = (
        lifts <= _MOST_ODD - len(puts) and {best.odd[cell] for cell in puts} <= lifted and len(puts) <= 1
    )
    is_alone = not lifts and all(picture.is_clear(cell, best.odd[cell]) for cell in puts)
    return set() if is_move or (is_alone and len(puts) <= 1) else set(fresh)


def _changes(
    belief: Belief, at_ms: int, picture: Picture, best: Candidate, hidden: Occupancy
) -> Iterator[Change]:
    """What has changed, ply by ply; pieces leave before others come."""
    count = len(best.line)
    last_ms = belief.edges[-1].t_ms if belief.edges else 0
    shown = {cell: belief.seen.look(cell) for cell in range(len(picture.seen)) if not hidden >> cell & 1}
    for number, (_, imprint) in enumerate(best.line, 1):
        t_ms = max(last_ms, at_ms - _APART_MS * (count - number))
        exchanged = [cell for cell, _ in imprint.unseen if picture.changed[cell] > 0 and cell in shown]
        gone = [
            cell for cell in cells_of(imprint.changed & ~imprint.shows) if shown.get(cell, EMPTY).occupied
        ]
        yield from (Change(t_ms, cell, EMPTY) for cell in (*gone, *exchanged))
        yield from (Change(t_ms, cell, shown[cell]) for cell in exchanged)
        shown |= dict.fromkeys(gone, EMPTY)
        for cell, look in imprint.looks:
            if cell in shown and shown[cell] != look:
                shown[cell] = look
                yield Change(t_ms, cell, look)
    rest = [(cell, picture.looks[look]) for cell, look in best.looks.items() if cell in shown]
    for cell, look in sorted(rest, key=lambda pair: bool(pair[1].occupied)):
        if shown[cell] != look:
            yield Change(at_ms, cell, look)
