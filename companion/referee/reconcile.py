# SPDX-License-Identifier: Apache-2.0
"""Which history is believed: `reconcile(belief, input)`, `rested` and `answered` search for the next belief.

One history grows with what is heard (see `growing`), and as long as that strains it no more (see `strain`),
it is the belief. When it does, others are tried: first that by which all cells changed as they did (see `retracing`),
then those that part from it at a ply that may have been another, and live through all that was heard since.
Those that have to do with the wood handled last come first.
All of that takes long where much is open: so a search goes in steps, between which others may have the machine.
Rules of this file: pure, no game is known here, and no more is tried than a `Budget` allows.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from functools import partial
from itertools import zip_longest
from typing import Final, NamedTuple, TypeAlias

from companion.model.observation import Change, Input
from companion.referee import growing
from companion.referee.alternatives import Line, Ring, others_of
from companion.referee.belief import Belief, Ply
from companion.referee.budget import Budget
from companion.referee.comparing import (
    Lived,
    explains_as_much,
    instead,
    is_as_quick,
    is_simpler,
    is_told_better,
    parts_at,
)
from companion.referee.footprints import Imprint
from companion.referee.growing import MOST_UNSETTLED, grown, understood
from companion.referee.marks import Mark
from companion.referee.narrowing import narrowed
from companion.referee.open_question import left_by
from companion.referee.patience import patience_ms
from companion.referee.retracing import retraced
from companion.referee.rivalling import as_one
from companion.referee.strain import HELD, UNEXPLAINED, is_held, strain
from companion.referee.undoing import is_handful, is_settled_by_word, undone_from

_TWO_PLIES: Final = 4
"""Edges of two plies, at least: each lifts wood and puts it down."""

_ORDER: Final = (
    (Ring.RIVAL, 0),
    (Ring.HANDLED, 0),
    (Ring.MET, 0),
    (Ring.RIVAL, 1),
    (Ring.HANDLED, 1),
    (Ring.ASIDE, 0),
    (Ring.MET, 1),
    (Ring.ASIDE, 1),
)
"""What to try one after the other, each with the plies more that may be others than believed."""

_BRIEF: Final = ((Ring.RIVAL, 0), (Ring.HANDLED, 0), (Ring.RIVAL, 1), (Ring.HANDLED, 1))
"""The same where little is to be explained."""

Search: TypeAlias = Generator[None, None, Belief]
"""What is believed next, when it has been run to its end; each step takes some ms at most."""


class _Scope(NamedTuple):
    """Which histories may be tried."""

    budget: Budget
    floor: int = 0
    """Plies before this one stay as they are."""
    changes: int = 1
    """How many plies more than the one at which a history parts may be others than believed."""

    def allows(self, ring: Ring, changes: int) -> bool:
        """True if histories of *ring* may be tried with so many *changes* more; rivals were thought of before, and cost none."""
        return changes <= self.changes or (ring is Ring.RIVAL and changes == self.changes + 1 == 0)


class Hurried(Exception):
    """Thrown into a search that has to end at its present step: it then believes what needs no search."""


def finished(search: Search) -> Belief:
    """What *search* finds, however long that takes."""
    while True:
        try:
            next(search)
        except StopIteration as end:
            found: Belief = end.value
            return found


def reconcile(belief: Belief, entered: Input) -> Search:
    """What is believed after *entered*."""
    try:
        return (yield from _entered(belief, entered, _Scope(Budget())))
    except Hurried:
        return grown(belief, entered)


def rested(belief: Belief, now_ms: int) -> Search:
    """What is believed at *now_ms*, if nothing was sensed since."""
    scope = _Scope(Budget())
    try:
        return (yield from _narrowed((yield from _rested(belief, now_ms, scope)), scope))
    except Hurried:
        return growing.rested(belief, now_ms)


def answered(belief: Belief, choice: int) -> Search:
    """What is believed when the question about the first open ply is answered by *choice*."""
    depth = belief.open_depth
    earlier, ply = belief.line[:depth], belief.line[depth]
    imprints = left_by(belief, choice)
    if not imprints:
        return understood(belief._replace(line=earlier, guess=None, is_denied=True, rivals=())).unburdened()
    first, *others = imprints
    after = belief.before(depth).after(first.move)
    made = ply._replace(imprint=first, others=tuple(others), refuted=(), exclusion=None, after=after)
    made = made._replace(is_doubted=False)
    ply = made._replace(is_told=True, is_kept=ply.is_doubted)
    told_by = (rival[depth:] for rival in belief.rivals if _tells(belief, rival, depth, first))
    ply, *later = next(told_by, (ply,))
    line = (*earlier, ply._replace(is_told=True), *later)
    unsearched = belief._replace(line=(*earlier, ply._replace(is_kept=False)), guess=None)
    scope = _Scope(Budget(), depth)
    try:
        again = (yield from _relived(belief, line, scope, is_told=True)) or understood(unsearched)
        is_still = again.rest_ms >= again.table.timing.dwell_ms
        if again.rivals and is_still and not again.tip.differing(again.seen):
            again = yield from _with_equals(again, scope)
        return (yield from _narrowed(again, scope))
    except Hurried:
        return understood(unsearched)


def _tells(belief: Belief, rival: Line, depth: int, imprint: Imprint) -> bool:
    """True if *rival* parts from the line at *depth* by *imprint*."""
    return belief.shared_with(rival) == depth < len(rival) and rival[depth].imprint == imprint


def _entered(belief: Belief, entered: Input, scope: _Scope) -> Search:
    """What is believed after *entered*, within *scope*."""
    following = grown(belief, entered)
    if isinstance(entered, Change):
        return following  # what passes by need not be explained
    return (yield from _likeliest(following, scope))


def _rested(belief: Belief, now_ms: int, scope: _Scope) -> Search:
    """What is believed at *now_ms*, within *scope*."""
    following = growing.rested(belief, now_ms)
    if following.rest_ms < following.table.timing.rest_ms:
        return following
    following = yield from _likeliest(following, scope)
    if following.tip.differing(following.seen):
        return following
    is_still = following.rest_ms >= following.table.timing.dwell_ms
    until = None if is_still else len(following.line) - MOST_UNSETTLED - 1
    if following.rivals and (until is None or until > 0):
        following = yield from _with_equals(following, scope, until)
    depth = undone_from(following)
    return _in_doubt(following, depth) if is_still and depth < len(following.line) else following


def _narrowed(belief: Belief, scope: _Scope) -> Search:
    """*belief* with what need not be asked excluded, once the board fits and has been at rest for the dwell.

    Only of what is believed at last, since that takes long: histories that are tried need it not.
    """
    if belief.rest_ms < belief.table.timing.dwell_ms or belief.tip.differing(belief.seen):
        return belief
    is_excluded, is_possible = partial(_is_excluded, scope=scope), partial(_is_possible, scope=scope)
    return (yield from narrowed(belief, is_excluded, is_possible))


def _likeliest(belief: Belief, scope: _Scope) -> Search:
    """*belief*, or if it has become more strained, another history that is less so.

    The rivals come first, then those that part from *belief* in one ply.
    The first one that is hardly more strained than *belief* was before will do, else it is the best one.
    """
    strained, was = strain(belief), belief.strained
    if strained <= was:
        is_cut = belief.is_cut and strained >= UNEXPLAINED
        return belief if strained == was else belief._replace(strained=strained, is_cut=is_cut)
    best = believed = Lived.of(belief, strained)
    goal = min(was + 1, strained - 1)
    is_grave, is_waited_for = strained - was >= UNEXPLAINED // 2, is_held(belief)
    if is_grave or is_waited_for:
        line = yield from retraced(belief, belief.line[: scope.floor], scope.budget)
        best = yield from _best(best, belief, [line] if line else [], scope, 1, goal)
        if best.strain <= goal:
            return best.belief._replace(strained=best.strain, is_cut=False)
    for ring, changes in _ORDER if is_grave or is_waited_for else _BRIEF:
        if not scope.allows(ring, changes) or (is_waited_for and changes and ring is not Ring.RIVAL):
            continue
        lines = others_of(belief, scope.floor, ring)
        enough = -1 if (ring, changes) == _ORDER[0] else goal  # the best of what was thought of before
        best = yield from _best(best, belief, lines, scope, min(changes, scope.changes), enough)
        if best.strain <= goal:
            break
    if best.strain > goal:
        best = yield from _undone(best, belief, scope)
    is_vain = best.strain // UNEXPLAINED == strained // UNEXPLAINED > was // UNEXPLAINED
    best = believed if is_vain else best  # why think otherwise, if as little is explained?
    return instead(believed, best)._replace(strained=best.strain, is_cut=scope.budget.is_spent)


def _best(
    best: Lived, belief: Belief, lines: Iterable[Line], scope: _Scope, changes: int, goal: int = -1
) -> Generator[None, None, Lived]:
    """The best of *best* and of what would be believed with each of *lines*, as far as *scope* affords it.

    One that is strained by no more than *goal* will do.
    """
    for line in lines if best.strain > goal else ():
        depth = belief.shared_with(line)
        if not scope.budget.affords(belief, depth):
            break
        again = yield from _relived(belief, line, _Scope(scope.budget, depth + 1, changes - 1))
        if again is not None:
            best = best.or_better(Lived.of(again, strain(again)))
            if best.strain <= goal:
                break
    return best


def _undone(best: Lived, belief: Belief, scope: _Scope) -> Generator[None, None, Lived]:
    """The better of *best* and of what would be believed if a ply that is in doubt, or with the last one that was merely supposed, had been put back.

    Or if all that was done since was what its side has pressed for now, and what seems to have left no trace; or if it was one move.
    """
    is_exchange = bool(belief.line) and belief.line[-1].is_phantom
    for depth in range(scope.floor, len(belief.line)):
        before, ply = belief.before(depth), belief.line[depth]
        is_missed = ply.is_conjecture and belief.gap > belief.since(depth)
        is_loose = (ply.is_supposed or is_missed) and not (
            ply.is_pressed or ply.is_told or belief.stands(depth)
        )
        is_loose = is_loose and is_handful(belief, depth)
        later = belief.line[depth:] if ply.is_doubted else belief.line[-1:] if is_loose else ()
        mark = next((each.mark for each in later if not before.differing(each.mark.seen)), None)
        if mark is None or not scope.budget.affords(belief, depth):
            continue
        mark = mark._replace(inputs=mark.inputs - is_exchange)
        start = belief._replace(line=belief.line[:depth], rivals=(), is_denied=True).back_at(mark)
        start = start.unburdened() if start and not is_exchange else start
        inner = _Scope(scope.budget, depth, scope.changes - 1)
        again = (yield from _lived(belief, start, mark, inner)) if start else None
        if again is not None:
            best = best.or_better(Lived.of(again, strain(again)))
    for again in as_one(belief, scope.floor) if best.strain - belief.strained >= UNEXPLAINED // 2 else ():
        best = best.or_better(Lived.of(again, strain(again)))
    return best


def _with_equals(belief: Belief, scope: _Scope, until: int | None = None) -> Search:
    """*belief*, which fits, with only those rivals that explain all as well as it does, and their plies as candidates.

    Rivals that part from it at the ply *until* or later, if that is given, are kept as they are, and so are those
    that *scope* leaves to others or does not afford, and those by which a hand had left its ply, and another may hold wood.
    """
    equal: list[Line] = []
    for rival in (rival for rival in belief.rivals if not _is_refuted(belief, rival)):
        depth = belief.shared_with(rival)
        is_early = until is not None and (depth >= until or rival[depth].imprint in belief.line[depth].others)
        is_early = is_early or _is_yet_to_be_heard(belief, rival, depth)
        if depth < scope.floor or is_early or not scope.budget.affords(belief, depth):
            equal.append(rival)
            continue
        again = yield from _relived(belief, rival, _Scope(scope.budget, depth + 1, 0))
        is_better = again is not None and is_told_better(belief, again, depth)
        if again is None or not (is_better or parts_at(belief, again, depth)):
            continue
        is_worse = strain(again) > strain(belief) and not is_as_quick(belief, again, depth)
        if again.tip.differing(again.seen) or is_worse:
            equal += [rival] if rival[depth].is_left and _is_in_hand(belief, again) else []
        elif depth == len(belief.line):
            return _in_doubt(again, depth)
        elif is_better or is_simpler(again, belief, depth) or strain(again) + HELD <= strain(belief):
            return again
        elif not is_simpler(belief, again, depth):
            equal.append(rival)
            belief = _with_others(belief, depth, again.line[depth].candidates)
    return belief._replace(rivals=tuple(equal))


def _with_others(belief: Belief, depth: int, imprints: tuple[Imprint, ...]) -> Belief:
    """*belief* with *imprints* as candidates for the ply at *depth*, too."""
    made = belief.line[depth]
    others = [imprint for imprint in imprints if imprint not in made.candidates]
    made = made._replace(others=(*made.others, *others))
    return belief._replace(line=(*belief.line[:depth], made, *belief.line[depth + 1 :]))


def _is_refuted(belief: Belief, rival: Line) -> bool:
    """True if *rival* does not part from the line, or by what somebody has denied."""
    depth = belief.shared_with(rival)
    if depth == len(belief.line) < len(rival):
        return belief.is_denied
    is_told = depth < len(belief.line) and is_settled_by_word(belief, depth)
    return depth == len(rival) or (is_told and rival[depth].imprint not in belief.line[depth].candidates)


def _is_yet_to_be_heard(belief: Belief, rival: Line, depth: int) -> bool:
    """True if *rival* was found later than *belief*, in which all is lived through again, or goes on from the line at *depth*, and not enough was sensed since for two plies more."""
    if rival[-1].mark.inputs > belief.mark.inputs:
        return True
    return depth == len(belief.line) and belief.edge_count - rival[depth].since < _TWO_PLIES


def _is_in_hand(belief: Belief, other: Belief) -> bool:
    """True if *other* leaves no more unexplained than *belief* but wood in a hand, on its way to something lawful."""
    return strain(other) - strain(belief) < UNEXPLAINED // 2


def _in_doubt(belief: Belief, depth: int) -> Belief:
    """*belief*, in which nobody can tell whether the ply at *depth* was made."""
    ply = belief.line[depth]._replace(is_doubted=True)
    return belief._replace(line=(*belief.line[:depth], ply, *belief.line[depth + 1 :]))


def _is_excluded(
    belief: Belief, depth: int, imprint: Imprint, *, scope: _Scope
) -> Generator[None, None, bool]:
    """True if the ply at *depth* cannot have been *imprint*, since less would be explained; False if that costs too much."""
    ply = belief.line[depth]
    if belief.back_at(ply.mark) is None or not scope.budget.affords(belief, depth):
        return False
    if (yield from _is_possible(belief, depth, imprint, scope=scope)):
        return False
    made = (*belief.line[:depth], _as_only(belief, depth, imprint))
    told_by = (rival for rival in belief.rivals if _tells(belief, rival, depth, imprint))
    for line in (made, *(rival for rival in told_by if rival[depth].mark is not ply.mark)):
        again = yield from _relived(belief, line, _Scope(scope.budget, depth + 1))
        if scope.budget.is_spent:  # what would explain it may not have been tried
            return False
        if again is not None and explains_as_much(again, belief):
            return False
    return True


def _is_possible(
    belief: Belief, depth: int, imprint: Imprint, *, scope: _Scope
) -> Generator[None, None, bool]:
    """True if the ply at *depth* may have been *imprint*, and others those that followed, or if finding out costs too much."""
    line = (*belief.line[:depth], _as_only(belief, depth, imprint))
    return (yield from retraced(belief, line, scope.budget)) is not None or scope.budget.is_spent


def _as_only(belief: Belief, depth: int, imprint: Imprint) -> Ply:
    """The ply at *depth* as *imprint*, and nothing else."""
    after = belief.before(depth).after(imprint.move)
    return belief.line[depth]._replace(
        imprint=imprint, after=after, others=(), refuted=(), is_doubted=False, is_kept=True
    )


def _relived(
    belief: Belief, line: Line, scope: _Scope, *, is_told: bool = False
) -> Generator[None, None, Belief | None]:
    """What would be believed now if *line* had been believed when its last ply was made.

    None if what was heard since is no longer kept;
    and, unless somebody *is_told* to have made it, as soon as less of that is explained.
    """
    mark, depth = line[-1].mark, len(line) - 1
    rivals = tuple(rival for rival in belief.rivals if belief.shared_with(rival) < depth)
    again = belief._replace(line=line, rivals=rivals).back_at(mark)
    again = (yield from _lived(belief, again, mark, scope, is_told=is_told)) if again else None
    if again is None:
        return None
    kept = (ply._replace(is_kept=False) if ply.is_kept else ply for ply in again.line[depth:])
    free = again._replace(line=(*again.line[:depth], *kept))
    return free if is_told or strain(again) <= strain(free) else None  # else it was rather put back


def _lived(
    belief: Belief, again: Belief, mark: Mark, scope: _Scope, *, is_told: bool = False
) -> Generator[None, None, Belief | None]:
    """What would be believed now if *again* had been believed at *mark*; None as of `_relived`."""
    again = again._replace(strained=strain(again))
    inputs = belief.inputs[mark.inputs - belief.first_input :]
    for entered, following in zip_longest(inputs, inputs[1:]):
        yield
        again = yield from _waited(again, entered.t_ms, scope)
        is_one_of_several = isinstance(following, Change) and following.t_ms == entered.t_ms
        if isinstance(entered, Change) and is_one_of_several:
            again = again.sensed(entered)
            continue
        again = yield from _entered(again, entered, scope)
        if again.idle_presses > belief.idle_presses and not is_told:
            return None
    again = yield from _waited(again, belief.now_ms, scope)
    if again.seen != belief.seen:
        again = understood(again._replace(seen=belief.seen))
    return again


def _waited(belief: Belief, until_ms: int, scope: _Scope) -> Search:
    """What is believed at *until_ms*, when nothing was heard meanwhile."""
    since_ms = belief.rest_since_ms
    for wait_ms in belief.table.timing.waits_ms:
        if belief.now_ms < since_ms + wait_ms <= until_ms:
            belief = yield from _rested(belief, since_ms + wait_ms, scope)
            yield
    if belief.now_ms < since_ms + patience_ms(belief) <= until_ms:
        belief = yield from _rested(belief, since_ms + patience_ms(belief), scope)
    return belief._replace(now_ms=max(belief.now_ms, until_ms))
