# SPDX-License-Identifier: Apache-2.0
"""How one history grows by what is heard: `grown`, `rested`.

Rules of this file: pure, and no game is known here.
What stands on the board is read (see `reading`) after what is believed, and instead of as much of its end as a hand
may still revise.
What explains nothing yet may be the way to something, and changes no belief.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Final

from companion.model.observation import Change, Input, LeverTurned, Press
from companion.model.occupancy import cells_of
from companion.model.pieces import Side
from companion.referee.belief import Belief, Ply, answered
from companion.referee.events import Stage
from companion.referee.extending import is_extendable, is_part
from companion.referee.illegal_position import leads_on
from companion.referee.looks import Seen
from companion.referee.marks import Reading
from companion.referee.patience import goes_on, patience_ms
from companion.referee.reading import exactly, open_depths, readings
from companion.referee.reconsidering import plies_kept, reconsidered, refined
from companion.referee.rivalling import ply_of, rivalled
from companion.referee.timing import ANSWER_MS
from companion.referee.undoing import undone_from

MOST_UNSETTLED: Final = 2
"""Plies that may have been otherwise and are answered already; earlier ones are judged as soon as all fits."""

_LONGEST: Final = 8
"""Plies that may have been otherwise in all; earlier ones are settled all the same."""


def grown(belief: Belief, entered: Input) -> Belief:
    """What is believed after *entered*; button n is the clock of side n."""
    if isinstance(entered, Change):
        return understood(_lifted(belief, entered.t_ms).sensed(entered))
    if belief.guess and belief.guess.depth < len(belief.line):  # it may be what is pressed for
        belief = _lifted(belief, entered.t_ms)
    return finished_by(belief.heard(entered)._replace(is_clocked=True), side_of(entered))


def _lifted(belief: Belief, at_ms: int) -> Belief:
    """*belief* about to change, or to be pressed, at *at_ms*: what the board at rest was understood as until then may be answered now."""
    timing, rest_ms = belief.table.timing, at_ms - belief.rest_since_ms
    if rest_ms >= timing.dwell_ms and not belief.tip.differing(belief.seen):
        return _stood_so(belief)
    guess = belief.guess
    if (
        guess is None
        or guess.loose
        or not guess.imprints
        or rest_ms < timing.rest_ms
        or _is_taken_back(belief, guess)
    ):
        return belief
    tip = len(belief.line)
    answer = exactly(belief, tip, belief.tip.differing(belief.seen)) if guess.depth < tip else None
    if answer is not None:
        belief = belief.rivalled((*belief.line, ply_of(belief, answer)))
    made = ply_of(belief, guess)._replace(instead_of=_left(belief, guess.depth))
    return belief.rivalled((*belief.line[: guess.depth], made))


def _left(belief: Belief, depth: int) -> Ply | None:
    """The ply at *depth*, or instead of which that is read, if its hand had left it: whoever revises it has thought better of it."""
    ply = belief.line[depth] if depth < len(belief.line) else None
    return (ply.instead_of or ply) if ply and ply.is_left else None


def _stood_so(belief: Belief) -> Belief:
    """*belief*, with whose end the board has agreed for the dwell: what was handled since its hand left it was put right."""
    last = belief.line[-1] if belief.line else None
    if last is None or not last.is_left or belief.edge_count == last.handled_since:
        return belief
    return belief._replace(line=(*belief.line[:-1], last._replace(stood_at=belief.edge_count)))


def side_of(entered: Press | LeverTurned) -> Side:
    """The side that says by *entered* that it is done."""
    return entered.side if isinstance(entered, LeverTurned) else entered.button


def understood(belief: Belief) -> Belief:
    """*belief* with its line and its guess as what is seen now suggests."""
    if not belief.tip.differing(belief.seen):
        belief = refined(belief._replace(guess=None) if belief.guess else belief)
        again = reconsidered(belief)
        return adopted(belief, again) if again else belief
    found = readings(belief)
    sure = next((reading for reading in found if reading.is_sure), None)
    if sure and sure.is_doubted and any(leads_on(belief, depth) for depth in open_depths(belief)):
        return belief  # suspect nobody of an unseen move while a lawful one is under way
    if sure is None and not found and (kept := plies_kept(belief)) < len(belief.line):
        return understood(belief._replace(line=_unanswered(belief.line[:kept]), guess=None))
    if sure is None:
        likely = (reading for reading in found if may_be_believed(belief, reading))
        return belief._replace(guess=next(likely, found[0]) if found else None)
    following = rivalled(adopted(belief, sure), belief, found, sure)
    is_more = not sure.imprints or bool(sure.loose & belief.seen.occupied)  # put back, or one of a pair
    return understood(following) if is_more and following.line != belief.line else following


def _unanswered(line: tuple[Ply, ...]) -> tuple[Ply, ...]:
    """*line*, the last ply of which was answered by none, and may be revised again."""
    is_settled = bool(line) and line[-1].stage is Stage.SETTLED
    return (*line[:-1], line[-1]._replace(stage=Stage.ANNOUNCED)) if is_settled else line


def adopted(belief: Belief, reading: Reading) -> Belief:
    """*belief* in which one of the moves of *reading* was made, or nothing since its depth."""
    line = belief.line[: reading.depth]
    was = belief.line[reading.depth :]
    if was and (len(was) > 1 or was[0].is_left or not was[0].is_supposed):
        belief = belief.rivalled(belief.line[: reading.depth + 1])
    instead = _left(belief, reading.depth)
    if not reading.imprints:
        is_back = instead is not None and not instead.after.differing(belief.seen)
        return belief._replace(line=(*line, instead) if instead and is_back else line, guess=None)
    if len(belief.line) == reading.depth + 1 and set(belief.line[-1].candidates) == set(reading.imprints):
        return belief._replace(guess=None)
    made = ply_of(belief, reading)._replace(instead_of=instead)
    is_odd = bool(was) and not was[0].is_left and _is_odd(belief, was[0], made)
    made = _stood(belief, reading) or made._replace(is_odd=is_odd)
    return belief._replace(line=(*answered(line), made), guess=None)


def _is_odd(belief: Belief, was: Ply, made: Ply) -> bool:
    """True if *made* neither goes on with the wood of *was*, which was whole, nor adds to that: whoever thinks better puts wood back first."""
    stood_ms = belief.rest_since_ms - was.mark.rest_since_ms
    if was.is_inferred or stood_ms < ANSWER_MS:
        return False
    is_same = bool(was.imprint.source) and was.imprint.source == made.imprint.source
    is_moved_on = is_same and was.imprint.target != made.imprint.target != ()
    return not is_moved_on and bool(was.imprint.shows & ~made.imprint.shows)


def _stood(belief: Belief, reading: Reading) -> Ply | None:
    """The ply of *reading* as it was before, if its wood was not lifted since, or is back where its hand had left it."""
    for rival in belief.rivals:
        if belief.shared_with(rival) >= reading.depth < len(rival):
            was = rival[reading.depth]
            target = was.imprint.entered
            is_lifted = belief.has_changed(target, was.handled_since, to_occupied=False)
            is_whole = was.is_left or not (was.is_inferred or is_lifted)
            if is_whole and was.candidates == reading.imprints:
                return was._replace(is_kept=False)
    return None


def rested(belief: Belief, now_ms: int) -> Belief:
    """What is believed at *now_ms*, if nothing was sensed since."""
    belief = belief._replace(now_ms=max(belief.now_ms, now_ms))
    timing, rest_ms = belief.table.timing, belief.rest_ms
    if rest_ms >= timing.rest_ms:
        belief = understood(belief)
    if belief.guess and rest_ms >= patience_ms(belief) and may_be_believed(belief, belief.guess):
        belief = announced(rivalled(adopted(belief, belief.guess), belief, [], belief.guess))
    elif belief.line and rest_ms >= timing.rest_ms and _may_announce(belief):
        belief = announced(belief)
    last = belief.line[-1] if belief.line else None
    if last is None or belief.tip.differing(belief.seen):
        return belief
    if rest_ms >= (patience_ms(belief) if _is_swapping(belief) else timing.dwell_ms):
        left = last if last.is_left else last._replace(left_at=belief.edge_count)
        belief = _settled(belief._replace(line=(*belief.line[:-1], left)), is_still=True)
    return belief


def _is_swapping(belief: Belief) -> bool:
    """True if wood may yet come from a hand: the last mover was not seen to arrive, or stands where one came from that was not."""
    *_, last = belief.line
    for ply in belief.line[-2:-1]:
        if ply.is_conjecture and set(last.imprint.target) <= set(ply.imprint.source):
            return True
    return last.is_conjecture


def _is_taken_back(belief: Belief, guess: Reading) -> bool:
    """True if *guess* is instead of a ply that its hand had left, and not that and more: whoever lifts its wood has to put it down first."""
    if guess.depth == len(belief.line) or not belief.line[guess.depth].is_left:
        return False
    ply = belief.line[guess.depth]
    made, is_sure = ply.imprint.changed, ply.is_pressed or ply.is_told
    return is_sure or not made or bool(made & ~guess.imprints[0].changed)


def may_be_believed(belief: Belief, guess: Reading) -> bool:
    """True if time alone may speak for *guess*: its wood did not leave, or slide on, before the last ply was complete."""
    if _is_taken_back(belief, guess):
        return False
    if not belief.line or guess.depth < len(belief.line):
        return True
    ply, answer = belief.line[-1], guess.imprints[0]
    is_slide = answer.source == ply.imprint.target and belief.is_passing(len(belief.line) - 1)
    return not is_slide and not ply.loose & answer.changed


def _may_announce(belief: Belief) -> bool:
    """True if the last ply of the line will not be extended, as far as the rest of the board tells."""
    ply = belief.line[-1]
    differing = belief.tip.differing(belief.seen)
    if ply.stage is not Stage.PROVISIONAL or differing & belief.seen.occupied:
        return False
    if belief.guess and belief.guess.depth < len(belief.line):
        return False
    before, timing = belief.before(len(belief.line) - 1), belief.table.timing
    is_dwelt = belief.rest_ms >= timing.dwell_ms
    if not differing:
        if is_dwelt and ply.after.is_end and is_part(before, ply.imprint):
            return belief.rest_ms >= timing.longest_ms  # what follows the end explains nothing any more
        return is_dwelt or not is_extendable(before, ply.candidates)
    if not is_dwelt or differing & ply.loose or belief.is_passing(len(belief.line) - 1):
        return False
    is_answer = all(
        any(cell in imprint.source for imprint in belief.tip.touching(cell)) for cell in cells_of(differing)
    )
    return is_answer and not goes_on(belief, differing)


def announced(belief: Belief) -> Belief:
    """*belief* in which the last ply of the line is announced, and what it answers is settled."""
    if not belief.line or belief.line[-1].stage is not Stage.PROVISIONAL:
        return belief
    *earlier, last = belief.line
    return _settled(belief._replace(line=(*earlier, last._replace(stage=Stage.ANNOUNCED))))


def _settled(belief: Belief, *, is_still: bool = False) -> Belief:
    """*belief*, whose last ply is announced, with what it answers settled.

    What is merely supposed is not settled by the next ply, nor by what is supposed of that, nor until the board *is_still* what may have been otherwise,
    or what is answered with wood that was lifted before it was complete, or whose mover was not seen to arrive:
    the same hand may have had that. What exchanged wood without a trace settles nothing: what it is pressed for may be of before.
    """
    *earlier, last = belief.line
    if last.is_phantom:
        return belief
    loose = sum(1 for _ in takewhile(_is_merely_supposed, reversed(earlier)))
    is_early = not is_still and any(
        ply.loose & last.imprint.changed or (ply.is_conjecture and not ply.is_pressed) for ply in earlier[-1:]
    )
    is_slide = _is_one_slide(belief, ANSWER_MS if is_still else belief.table.timing.dwell_ms)
    loose = max(loose, _is_merely_supposed(last) or is_early or is_slide)
    sure = min(len(earlier) - loose, undone_from(belief, ~belief.seen.occupied))
    if not is_still:
        parted = min((belief.shared_with(rival) for rival in belief.rivals), default=sure)
        sure = min(sure, max(parted, len(earlier) - _LONGEST))
    settled = [ply._replace(stage=Stage.SETTLED) for ply in earlier[: max(0, sure)]]
    return belief._replace(line=(*settled, *earlier[len(settled) :], last))


def _is_merely_supposed(ply: Ply) -> bool:
    """True if nothing was seen of *ply* but wood that left, and its side has not said that it made one."""
    return ply.is_supposed and not ply.is_pressed


def _is_one_slide(belief: Belief, within_ms: int) -> bool:
    """True if the last ply moved that wood on which the one before had just put down, which had stood for less than *within_ms*."""
    *_, ply, reply = (None, *belief.line)
    if ply is None or not reply.imprint.source or reply.imprint.source != ply.imprint.target:
        return False
    stood_ms = belief.stood_ms(len(belief.line) - 2)
    return stood_ms is not None and not ply.is_pressed and stood_ms < within_ms


def finished_by(belief: Belief, side: Side) -> Belief:
    """What is believed after *side* has said that it is done."""
    revised = _revised(belief)
    if revised or belief.tip.position.turn == side:
        belief = _completed(belief, revised)
    if not belief.line or belief.before(len(belief.line) - 1).position.turn != side:
        return belief._replace(idle_presses=belief.idle_presses + 1)
    last = belief.line[-1]
    left_at = belief.edge_count if last.left_at is None or last.is_supposed else last.left_at
    is_again, is_vain = left_at < belief.edge_count, is_strange(belief)
    if is_again or is_vain:  # wood was handled since it was done, or this is none of it
        belief = belief._replace(idle_presses=belief.idle_presses + 1)
    belief = _only_done(announced(belief))
    loose = last.loose if is_vain else belief.tip.differing(belief.seen) & ~belief.seen.occupied
    last = belief.line[-1]._replace(is_pressed=True, left_at=belief.edge_count, loose=loose)
    return _settled(belief._replace(line=(*belief.line[:-1], last)))


def _only_done(belief: Belief) -> Belief:
    """*belief*, whose last ply is pressed for, without those candidates for it after which the opponent would have moved already."""
    last, before = belief.line[-1], belief.before(len(belief.line) - 1)
    if not last.others or belief.tip.differing(belief.seen):
        return belief
    others = tuple(each for each in last.others if not before.after(each.move).differing(belief.seen))
    return belief._replace(line=(*belief.line[:-1], last._replace(others=others)))


def is_strange(belief: Belief) -> bool:
    """True if wood stands where nothing lawful puts it, or begins to."""
    if belief.guess or not belief.tip.differing(belief.seen) & belief.seen.occupied or readings(belief):
        return False
    return not any(leads_on(belief, depth) for depth in open_depths(belief))


def _revised(belief: Belief) -> Reading | None:
    """The move by which all of the board is explained, if instead of it the last ply was merely supposed: that is what is done."""
    depth, found = len(belief.line) - 1, belief.guess
    if depth < 0 or not belief.line[depth].is_supposed:
        return None
    if belief.line[depth].is_left:
        differing = belief.before(depth).differing(belief.seen)
        found = exactly(belief, depth, differing) if belief.tip.differing(belief.seen) else None
    is_whole = found is not None and found.depth == depth and bool(found.imprints) and not found.loose
    return found if is_whole else None


def _completed(belief: Belief, revised: Reading | None) -> Belief:
    """*belief* in which the side that is done has made the move *revised*, or else one that explains the board as it is, if there is one."""
    found = revised or belief.guess
    if found is None or not (revised or found.depth == len(belief.line)):
        found = exactly(belief, len(belief.line), belief.tip.differing(belief.seen))
    return adopted(belief, found) if found else belief


def looking(belief: Belief, at_ms: int, seen: Seen) -> Belief:
    """*belief* when all cells look as *seen* and nobody knows in which order they changed: not yet understood."""
    changed = belief.seen.occupied ^ seen.occupied
    for cell in (*cells_of(changed & ~seen.occupied), *cells_of(changed & seen.occupied)):
        belief = belief.sensed(Change(at_ms, cell, seen.look(cell)))
    return belief._replace(seen=seen, now_ms=max(belief.now_ms, at_ms))
