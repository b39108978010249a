# SPDX-License-Identifier: Apache-2.0
"""How long wood may be in a hand before something of it is believed, and what such a hand may be on its way to."""

from __future__ import annotations

from companion.model.occupancy import Occupancy
from companion.referee.belief import Belief
from companion.referee.events import Stage
from companion.referee.marks import Reading
from companion.referee.reading import is_unseen_back


def patience_ms(belief: Belief) -> int:
    """How long wood may be in a hand: no longer than for any move if all that it may lawfully do is done.

    The longest wait where players would have to be asked what it did, where the game would be over, where it may be
    another's hand, and where another piece has yet to be fetched;
    twice that where a part of a move stands, or where nothing would be seen of two plies but lifted wood.
    """
    guess, last = belief.guess, belief.line[-1] if belief.line else None
    timing = belief.table.timing
    if guess is not None:
        is_second = guess.depth == len(belief.line) and last and last.is_supposed and not last.is_left
        ends = any(belief.before(guess.depth).after(each.move).is_end for each in guess.imprints)
        is_plain = len(guess.imprints) == 1 and not ends and not _is_either_hand(belief, guess)
        if is_plain and not is_second and _is_all(belief, guess):
            return timing.dwell_ms
        longest = 2 if is_second else 0 if is_plain else 1
    elif (differing := belief.tip.differing(belief.seen)) & belief.seen.occupied:
        longest = 2
    else:
        is_known = last is None or last.is_left or not (last.is_conjecture or is_under_way(belief, differing))
        longest = 0 if is_known and not (last and is_unseen_back(belief, last)) else 1
    return longest * timing.longest_ms or timing.dwell_emptied_ms


def _is_either_hand(belief: Belief, guess: Reading) -> bool:
    """True if not only the hand that *guess* tells of may have lifted wood, but the other as well: that of the last ply, or that which answers it."""
    if guess.depth < len(belief.line):
        return belief.line[guess.depth].is_left
    return bool(belief.line) and belief.line[-1].stage is Stage.PROVISIONAL


def _is_all(belief: Belief, guess: Reading) -> bool:
    """True if no other legal move begins by lifting what is missing for *guess*: the hand has no choice."""
    before, (made,) = belief.before(guess.depth), guess.imprints
    missing = before.differing(belief.seen)  # nothing if all that was lifted is hidden now
    is_known = bool(missing) and before.is_prepared
    return is_known and all(other.move == made.move or missing & ~other.lifted for other in before.imprints())


def is_under_way(belief: Belief, taken: Occupancy) -> bool:
    """True if of the wood *taken* all but the mover of the last ply, which may be in the same hand again, leads on to another move."""
    taken &= ~belief.line[-1].imprint.entered
    return bool(taken) and goes_on(belief, taken)


def goes_on(belief: Belief, taken: Occupancy) -> bool:
    """True if the hand of the last ply may have *taken* that wood, too, and be on its way to another move."""
    ply, before = belief.line[-1], belief.before(len(belief.line) - 1)
    return any(
        other.lifted & taken == taken and other not in ply.candidates
        for cell in ply.imprint.source
        for other in before.touching(cell)
        if cell in other.source
    )
