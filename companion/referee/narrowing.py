# SPDX-License-Identifier: Apache-2.0
"""Candidates for a ply that what followed has excluded: nobody need be asked about them.

They are excluded only as long as that stands: who takes a reply back may show that it was none.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias

from companion.referee.belief import Belief
from companion.referee.footprints import Imprint
from companion.referee.marks import Exclusion

_Judges: TypeAlias = Callable[[Belief, int, Imprint], Generator[None, None, bool]]
"""Finds out whether the ply at a depth cannot, or can, have been a move, in steps of some ms at most."""


def narrowed(belief: Belief, is_excluded: _Judges, is_possible: _Judges) -> Generator[None, None, Belief]:
    """*belief*, which fits, with those candidates for its first open ply excluded that leave unexplained what followed.

    And with those that a search has refuted as candidates again that leave nothing unexplained:
    it tries one ply after the other, and they may need another of the plies that followed.
    """
    last = belief.line[-1] if belief.line else None
    for depth, ply in enumerate(belief.line[:-1]):
        if last is None or not last.is_left:
            break
        found = ply.exclusion
        is_known = found is not None and found.by is last.mark and found.seen == belief.seen
        if not is_known and (belief.is_open(depth) or (ply.refuted and not ply.is_told)):
            belief = yield from _narrowed_at(belief, depth, is_excluded, is_possible)
        if belief.is_open(depth):
            break
    return belief


def _narrowed_at(
    belief: Belief, depth: int, is_excluded: _Judges, is_possible: _Judges
) -> Generator[None, None, Belief]:
    """*belief* with what the ply at *depth* may have been as it is left by what followed."""
    ply, last = belief.line[depth], belief.line[-1]
    left = belief.candidates(depth)
    excluded = [other for other in ply.others if other not in left]  # as long as what excluded them stands
    others, refuted = list(ply.others), list[Imprint]()
    for other in (other for other in ply.others if other in left):
        yield
        if not _goes_with(belief, depth, other) and (yield from is_excluded(belief, depth, other)):
            excluded.append(other)
    for other in ply.refuted:
        yield
        is_left = not ply.is_told and (yield from is_possible(belief, depth, other))
        (others if is_left else refuted).append(other)
    ply = ply._replace(
        others=tuple(others),
        refuted=tuple(refuted),
        exclusion=Exclusion(last.mark, belief.seen, tuple(excluded)),
    )
    return belief._replace(line=(*belief.line[:depth], ply, *belief.line[depth + 1 :]))


def _goes_with(belief: Belief, depth: int, imprint: Imprint) -> bool:
    """True if the plies after that at *depth* are legal after *imprint*, too, and lead to what is seen."""
    after = belief.before(depth).after(imprint.move)
    for ply in belief.line[depth + 1 :]:
        made = ply.imprint
        if not made.changed:  # nothing was sensed of it: it may have been anything
            return True
        if all(other.move != made.move for other in after.changing(made.changed)):
            return False
        after = after.after(made.move)
    return not after.differing(belief.seen)
