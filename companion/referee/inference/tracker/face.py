# SPDX-License-Identifier: Apache-2.0
"""The tracker as the functions that a session calls.

It turns hypotheses into a `Belief`, with which the rest of the referee works.
"""

from __future__ import annotations

from dataclasses import replace

from companion.model.observation import EMPTY, Change, Input, side_of
from companion.referee.inference.belief import Belief, Ply
from companion.referee.inference.illegal_position import IllegalFinding, illegal_finding
from companion.referee.inference.open_question import left_by
from companion.referee.inference.search import Search, finished
from companion.referee.inference.tracker.alike import Tries, narrowed, needs_in
from companion.referee.inference.tracker.decisions import (
    Decision,
    decided,
    is_nothing_legal,
    moves_of,
    standing,
)
from companion.referee.inference.tracker.hypothesis import Hypothesis, recent, root_of
from companion.referee.inference.tracker.outlook import Sensed, score
from companion.referee.inference.tracker.press import after_press
from companion.referee.inference.tracker.segment import Charge, Halt
from companion.referee.inference.tracker.step import Advance, Live, after_change, pruned
from companion.referee.inference.tracker.unfollowed import after_unseen, unfollowed
from companion.referee.values.events import Stage


def reconcile(belief: Belief, entered: Input) -> Search:
    """What is believed after *entered*."""
    live = live_of(belief)
    if isinstance(entered, Change):
        belief = _exchanged(_halted(belief, entered.t_ms), entered).sensed(entered)
        return (yield from _changed(belief, live, sensed_by(belief)))
    belief = belief._replace(now_ms=max(belief.now_ms, entered.t_ms), presses=belief.presses + 1)
    sensed = sensed_by(belief)
    live = yield from after_press(live, sensed, side_of(entered), belief.table.costs)
    return (yield from _faced(belief, live, sensed))


def _changed(belief: Belief, live: Live, sensed: Sensed) -> Search:
    """What is believed when *live* lead to a changed *sensed*."""
    live = yield from after_change(live, sensed, belief.table.costs)
    return (yield from _faced(belief, live, sensed))


def _exchanged(belief: Belief, change: Change) -> Belief:
    """*belief* with the missing edge of a piece that *change* replaces.

    A camera may see both pieces, but not the empty cell between them.
    """
    was, now = belief.seen.look(change.cell), change.sighting
    known = ((was.kind, now.kind), (was.side, now.side))
    is_other = any(None not in pair and pair[0] != pair[1] for pair in known)
    if belief.seen.hidden >> change.cell & 1 or not (was.occupied and now.occupied and is_other):
        return belief
    return belief.sensed(replace(change, sighting=EMPTY))


def understood(belief: Belief) -> Search:
    """What is believed when all cells were read again."""
    return (yield from _changed(belief, live_of(belief), sensed_by(belief)))


def rested(belief: Belief) -> Search:
    """What is believed now, if nothing was sensed since."""
    if belief.rest_ms < belief.table.timing.rest_ms:
        return belief
    sensed, costs = sensed_by(belief), belief.table.costs
    if belief.live and belief.decided[:1] == (_moment(sensed),):
        live = belief.live
    elif belief.live:
        live = yield from pruned(belief.live, sensed, costs)
    else:  # the board may differ since a position was set
        live = yield from after_change(live_of(belief), sensed, costs)
    filled = live[0].prospect.differing(belief.seen) & belief.seen.occupied
    if filled and belief.rest_ms >= belief.table.timing.hint_ms and _is_stuck(belief, live, sensed):
        is_long = belief.rest_ms >= belief.table.timing.longest_ms
        what = belief.edge_count, belief.seen, live[0].prospect.position
        if belief.searched not in ((what, True), (what, is_long)):
            belief = belief._replace(searched=(what, is_long))
            found = yield from _unfollowed(belief, live, sensed, is_long=is_long)
            live = (yield from pruned((*live, *found), sensed, costs)) if found else live
    return (yield from _faced(belief, live, sensed))


def _unfollowed(belief: Belief, live: Live, sensed: Sensed, *, is_long: bool) -> Advance:
    """The stories of `unfollowed`.

    A board is searched briefly before it is reported, and once more, *is_long*, when no hand moves.
    """
    costs = belief.table.costs
    tries = Tries(costs, costs.unfollowed.tries if is_long else costs.unfollowed.brief)
    best = score(live[0], sensed, costs)
    unseen = after_unseen(live[0], sensed, best + costs.decision_margin)
    limit = best - costs.decision_announce
    return (*unseen, *(yield from unfollowed(live[0], _last_final(belief), sensed, limit, tries)))


def _is_stuck(belief: Belief, live: Live, sensed: Sensed, *, is_done: bool = False) -> bool:
    """True if no legal move can follow in any of *live* that may be believed."""
    live, _ = standing({node: node.line(belief.root_ply) for node in live}, sensed, _sure(belief))
    return is_nothing_legal(live, sensed, belief.table.costs, is_done=is_done)


def _last_final(belief: Belief) -> int:
    """The number of plies that hands cannot take back, or that a player has named."""
    allows = belief.table.rules.allows_take_back
    final = (
        belief.root_ply + depth + 1
        for depth, ply in enumerate(belief.line)
        if ply.is_told or ((ply.is_pressed or ply.stage is not Stage.PROVISIONAL) and not allows)
    )
    return max(final, default=belief.root_ply)


def answered(belief: Belief, choice: int) -> Search:
    """What is believed when the question about the first open ply is answered by *choice*."""
    depth = belief.open_depth
    number = belief.root_ply + depth
    moves: set[object] = {imprint.move for imprint in left_by(belief, choice)}
    live, sensed, costs = live_of(belief), sensed_by(belief), belief.table.costs
    denied = max(belief.edge_count, belief.gap)
    kept = [] if moves else [replace(node, denied=denied) for node in live if node.ply <= number]
    for node in live if moves else ():
        narrow = yield from narrowed(node, number, moves, costs)
        kept += () if narrow is None else (narrow,)
    if moves and not kept:  # what followed was something else, then
        for node in [each for tip in live for each in tip.by_ply() if each.ply == number + 1]:
            narrow = yield from narrowed(node, number, moves, costs)
            kept += () if narrow is None or kept else (narrow,)
    live = (yield from pruned(kept, sensed, costs)) if kept else live
    if kept and live[0].prospect.differing(belief.seen):  # the answer may explain what came later
        live = yield from after_change(live, sensed, costs)
    belief = yield from _faced(belief, live, sensed)
    told = [
        ply._replace(is_told=True, is_doubted=False) if at == depth else ply
        for at, ply in enumerate(belief.line)
    ]
    return belief._replace(line=tuple(told))


def announced(belief: Belief) -> Belief:
    """*belief* with all its plies announced."""
    if all(ply.stage is not Stage.PROVISIONAL for ply in belief.line):
        return belief
    line = (
        ply._replace(stage=Stage.ANNOUNCED) if ply.stage is Stage.PROVISIONAL else ply for ply in belief.line
    )
    return belief._replace(line=tuple(line))


def put_right(belief: Belief) -> Belief:
    """*belief* after a reported fault was put right: its edges mean nothing else.

    A press over the fault may be used up, or stay in force.
    """
    sensed, costs = sensed_by(belief), belief.table.costs
    found = list[Hypothesis]()
    for node in belief.live:
        if node.since.edges < belief.edge_count and not node.prospect.differing(belief.seen):
            charges = (*node.charges, Charge("revision.put_right", costs.revision_put_right))
            cost = node.cost + costs.revision_put_right
            found += (
                node.again(cost, since=sensed.mark, early=(), charges=charges, pressed=pressed)
                for pressed in node.presses_after_attempt()
            )
    return belief._replace(live=finished(pruned((*found, *belief.live), sensed, costs))) if found else belief


def find_illegal(belief: Belief, *, is_done: bool = False) -> IllegalFinding | None:
    """What is illegal on the board; None while a legal move can follow from it."""
    differing = belief.tip.differing(belief.seen)
    if not differing or not _is_stuck(belief, live_of(belief), sensed_by(belief), is_done=is_done):
        return None
    return illegal_finding(belief, differing)


def patience_ms(belief: Belief) -> int:
    """The rest at which time changes what is believed next; the longest one after that."""
    limits = belief.table.costs.hold.until_ms
    return next((limit for limit in limits if limit > belief.rest_ms), limits[-1])


def sensed_by(belief: Belief) -> Sensed:
    """What is sensed, as the tracker takes it."""
    costs, rest_ms, mark = belief.table.costs, belief.rest_ms, belief.mark
    return Sensed(
        belief.seen,
        belief.edges,
        belief.first_edge,
        belief.gap,
        mark,
        belief.presses / (belief.ply + 2),
        {},
        {},
        belief.halts,
        costs,
        rest_ms,
        costs.hold.at(rest_ms),
        (mark.edges, belief.seen, belief.halts[-1:], belief.gap),
        rest_ms > costs.order_early_ms,
    )


def _moment(sensed: Sensed) -> tuple[object, ...]:
    """What the scores on *sensed* depend on."""
    return sensed.key, sensed.hold, sensed.is_late


def live_of(belief: Belief) -> Live:
    """The hypotheses of *belief*: those it has, or the one that its line is."""
    if belief.live:
        return belief.live
    node = root_of(belief.root, belief.root_ply, belief.mark._replace(edges=belief.root_since))
    for depth, ply in enumerate(belief.line):
        before, number = belief.before(depth), belief.root_ply + depth
        needs = needs_in(before, ply.imprint)
        pressed = (number,) * len(belief.table.rules.sides)
        done_ms = ply.mark.rest_since_ms
        node = Hypothesis(
            node, before, ply.candidates, needs, number + 1, ply.mark, ply.mark, 0.0, done_ms, pressed
        )
    return (node,)


def _faced(belief: Belief, live: Live, sensed: Sensed) -> Search:
    """*belief* with the story that is shown, and the stage of each of its plies.

    The *sensed* is that of the belief.
    """
    timing = belief.table.timing
    whole, live = live, recent(live, belief.root_ply - 2)  # older positions would fill the memory
    is_due = belief.rest_ms >= timing.dwell_ms
    sure = _sure(belief)
    causes = _moment(sensed), sensed.pressed_share, belief.root_ply, sure, is_due, live
    if belief.decided[:-1] == causes:
        found: Decision = belief.decided[-1]
    else:
        lines = {node: node.line(belief.root_ply) for node in live}
        may_be, kept = standing(lines, sensed, sure)
        found = yield from decided(may_be, kept, lines, sensed, len(sure), is_due=is_due)
    start = found.line[0].before if found.line else found.story.prospect
    if start is not belief.root and (reopened := _reopened(belief, found.story)) is not None:
        if belief.table.rules.allows_take_back:
            belief = yield from _faced(reopened, live, sensed_by(reopened))
        elif others := tuple(node for node in live if _reopened(belief, node) is None):
            belief = yield from _faced(belief, others, sensed)
        return belief._replace(decided=())
    is_due = is_due and not live[0].prospect.differing(belief.seen)
    plies = _announced(belief, found)
    line = tuple([_ply(belief, found, depth, plies, is_due=is_due) for depth in range(len(found.line))])
    settled = sum([ply.stage is Stage.SETTLED for ply in line])
    if settled:  # of a settled ply that may have been several moves, all remain
        plies_settled = found.line[:settled]
        live = tuple(node for node in live if _goes_on(node.line(belief.root_ply), plies_settled))
    elif line == belief.line:  # the same line is soon compared
        line = belief.line
    filled = found.story.prospect.differing(belief.seen) & belief.seen.occupied
    is_final = live is whole and not filled  # else stories may be the same now, or `leads_on` depends on time
    return belief._replace(live=live, line=line, decided=(*causes, found) if is_final else ())


def _reopened(belief: Belief, story: Hypothesis) -> Belief | None:
    """*belief* before the settled plies that *story* replaces; None if it replaces none.

    Hands have taken them back and gone on at once.
    """
    later = [node for node in story.by_ply() if node.since.edges > belief.root_since]
    base = min(later, key=lambda node: node.ply, default=story)
    if base is story or base.ply >= belief.root_ply:
        return None
    root_since = base.since.edges
    return belief._replace(root=base.prospect, root_ply=base.ply, root_since=root_since, line=())


def _sure(belief: Belief) -> tuple[object, ...]:
    """The moves of *belief* that are announced."""
    return tuple([ply.imprint.move for ply in belief.line if ply.stage is not Stage.PROVISIONAL])


def _goes_on(line: tuple[Hypothesis, ...], settled: tuple[Hypothesis, ...]) -> bool:
    """True if *line* begins with the plies that are *settled*."""
    return len(line) >= len(settled) and all(map(Hypothesis.is_alike, settled, line))


def _halted(belief: Belief, now_ms: int) -> Belief:
    """*belief* with a halt if a complete ply was at rest until *now_ms*."""
    if now_ms - belief.rest_since_ms < belief.table.timing.dwell_ms:
        return belief
    live, costs = live_of(belief), belief.table.costs
    shown = tuple([ply.imprint.move for ply in belief.line])
    tip = next((node for node in live if moves_of(node.line(belief.root_ply)) == shown), live[0])
    if not tip.imprints or tip.prospect.differing(belief.seen):
        return belief
    cells = tip.arrived
    is_announced = bool(belief.line) and belief.line[-1].stage is not Stage.PROVISIONAL
    is_pressed = tip.is_pressed and now_ms - tip.pressed_ms > costs.press_early_ms
    if tip.prospect.is_end or ((is_announced or is_pressed) and not belief.table.rules.allows_take_back):
        nats = costs.revision_touch_move
    else:
        nats = costs.revision_pressed if is_pressed else costs.revision_halt
    if not (cells or tip.is_pressed):
        return belief
    halt = Halt(belief.edge_count, cells, nats, now_ms, belief.seen)
    return belief._replace(halts=(*belief.halts[1 - costs.decision_halts :], halt))


def _ply(belief: Belief, found: Decision, depth: int, sure: int, *, is_due: bool) -> Ply:
    """The ply at *depth* of the story that is shown; *sure* plies are announced."""
    node, is_last = found.line[depth], depth == len(found.line) - 1
    was = belief.line[depth] if depth < len(belief.line) else None
    was = was if was is not None and was.imprint.move == node.imprints[0].move else None
    stage = was.stage if was else Stage.PROVISIONAL
    is_pressed = node.ply - 1 in found.line[-1].pressed
    if stage is Stage.PROVISIONAL and depth < sure:
        stage = Stage.ANNOUNCED
    if stage is Stage.ANNOUNCED and depth < min(found.settled, sure - 1):
        stage = Stage.SETTLED
    is_left = bool(was and was.is_left) or not is_last or is_pressed or is_due
    is_doubted, is_told = depth == found.doubted, bool(was and was.is_told)
    marks = stage, is_pressed, is_left, found.others[depth], is_doubted, is_told
    return Ply(node.imprints[0], node.prospect, node.made, *marks)


def _announced(belief: Belief, found: Decision) -> int:
    """Number of plies to announce: the last only at rest or after a press."""
    if not found.line or found.sure < len(found.line) or found.line[-1].is_pressed:
        return found.sure
    return found.sure if belief.rest_ms >= belief.table.timing.rest_ms else found.sure - 1
