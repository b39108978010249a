# SPDX-License-Identifier: Apache-2.0
"""In what two histories that explain the same differ, and which of them is told better."""

from __future__ import annotations

from typing import NamedTuple

from companion.referee.belief import Belief
from companion.referee.events import Stage
from companion.referee.strain import HELD, UNEXPLAINED, is_overdue, strain, stray


def parts_at(belief: Belief, other: Belief, depth: int) -> bool:
    """True if *other* tells another ply at *depth* than *belief*.

    Where that tells none, it must be of several, of which the last may have brought back what stood there before:
    two are dealt with as soon as they are believed (see `undone_from`). No hand goes on as soon as it has made a ply.
    """
    if belief.shared_with(other.line) != depth or len(other.line) <= depth or other.is_passing(depth):
        return False
    if depth < len(belief.line):
        return other.line[depth].imprint != belief.line[depth].imprint
    return depth < len(other.line) - 2


def is_told_better(belief: Belief, other: Belief, depth: int) -> bool:
    """True if *other* takes the ply at *depth* to be made at another moment than *belief*, explains all as well, and leaves fewer changes without a reason.

    Wood that was seen to be put down, was lifted and put down again, was there from the first time on if its opponent took it then.
    """
    if other.tip.differing(other.seen) or depth >= min(len(belief.line), len(other.line)):
        return False
    is_same = other.line[depth].imprint == belief.line[depth].imprint and not other.line[depth].is_supposed
    return is_same and strain(other) <= strain(belief) and stray(other) < stray(belief)


def is_simpler(belief: Belief, other: Belief, depth: int) -> bool:
    """True if *belief*, which parts from *other* at *depth*, tells in one ply what that tells in several, and leaves no more changes without a reason.

    Or one piece that was adjusted, if those had to be made at once by players who take their time.
    """
    if len(other.line) - len(belief.line) <= 1:
        return False
    adjusted = stray(belief) - stray(other)
    is_hasty = strain(belief) < strain(other) and not other.line[depth + 1].is_left
    return adjusted <= 0 or (adjusted == 1 and is_hasty and not _is_quick(other, depth))


def explains_as_much(belief: Belief, other: Belief) -> bool:
    """True if *belief* explains all that is seen and no less of what was heard than *other*, and tells no more plies for the same."""
    if belief.tip.differing(belief.seen) or strain(belief) - strain(other) >= UNEXPLAINED:
        return False
    return len(belief.line) <= len(other.line) or stray(belief) < stray(other)


def is_as_quick(belief: Belief, other: Belief, depth: int) -> bool:
    """True if *other* takes the last ply of *belief*, at *depth*, for wood that left and a reply no sooner than players answer just now.

    What is supposed for that is no more than that they go on as they did.
    """
    if depth != len(belief.line) - 1 or len(other.line) != len(belief.line) + 1:
        return False
    made, supposed, reply = *belief.line[depth:], *other.line[depth:]
    is_quick = _is_quick(belief, depth) and not (made.is_pressed or made.is_told)
    is_likely = strain(other) - strain(belief) == 1 and stray(other) <= stray(belief)
    return is_quick and is_likely and supposed.is_supposed and not reply.is_supposed


def _is_quick(belief: Belief, depth: int) -> bool:
    """True if wood was handled for the ply at *depth* soon after the one before was made."""
    before_ms = belief.line[depth - 1].mark.rest_since_ms if depth else belief.root_ms
    edges = belief.edges[max(0, belief.since(depth) - belief.first_edge) :]
    waited_ms = edges[0].t_ms - before_ms if edges and before_ms is not None else 0
    return before_ms is not None and waited_ms < belief.table.timing.dwell_ms


class Lived(NamedTuple):
    """A history with the measures by which it is compared: less is better."""

    strain: int
    stray: int
    belief: Belief

    @classmethod
    def of(cls, belief: Belief, strained: int) -> Lived:
        """*belief*, which has *strained*."""
        return cls(strained, stray(belief), belief)

    def measure(self, other: Lived) -> tuple[int, int]:
        """By what it is told whether this or *other* is better: where only that explains all wood, this has yet to suppose something of each piece in a hand, unless one move takes them all."""
        if self.is_whole or not other.is_whole:
            return self.strain, self.stray
        guess = self.belief.guess
        yet = 1 if guess and not guess.loose else max(1, self.held)
        yet -= is_overdue(self.belief)  # its strain tells of one piece that is
        return self.strain + yet, self.stray

    @property
    def held(self) -> int:
        """How many pieces are in hands now."""
        seen = self.belief.seen
        return (self.belief.tip.differing(seen) & ~seen.occupied).bit_count()

    @property
    def is_whole(self) -> bool:
        """True if all that is seen now is explained."""
        return not self.belief.tip.differing(self.belief.seen)

    def or_better(self, other: Lived) -> Lived:
        """The better one of this and *other*."""
        return other if other.measure(self) < self.measure(other) else self


def instead(believed: Lived, best: Lived) -> Belief:
    """What is believed in *best* instead of what was *believed*; that is a rival if it is hardly less strained, or only by wood in a hand, and so are its rivals: what speaks against them may have been a bump. So nothing from which they part is settled."""
    was, found = believed.belief, best.belief
    if found is was or believed.strain - best.strain > HELD or not was.line:
        return found
    others = (rival for rival in was.rivals if rival not in found.rivals)
    found = found._replace(rivals=(*found.rivals, *others)).rivalled(was.line, is_kept=False)
    parted = min(found.shared_with(rival) for rival in found.rivals)
    free = (
        ply._replace(stage=Stage.ANNOUNCED) if ply.stage is Stage.SETTLED else ply
        for ply in found.line[parted:]
    )
    return found._replace(line=(*found.line[:parted], *free))
