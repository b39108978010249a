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

_IsExcluded: TypeAlias = Callable[[Belief, int, Imprint], Generator[None, None, bool]]
"""Finds out whether the ply at a depth cannot have been a move, in steps of some ms at most."""


def narrowed(belief: Belief, is_excluded: _IsExcluded) -> Generator[None, None, Belief]:
    """*belief*, which fits, with those candidates for its first open ply excluded that leave unexplained what followed."""
    depth = belief.open_depth
    if depth >= len(belief.line) - 1:
        return belief
    ply, last = belief.line[depth], belief.line[-1]
    found = ply.exclusion
    is_known = found is not None and found.by is last.mark and found.seen == belief.seen
    if is_known or not last.is_left:
        return belief
    left = belief.candidates(depth)
    excluded = [other for other in ply.others if other not in left]  # as long as what excluded them stands
    for other in (other for other in ply.others if other in left):
        yield
        if not _goes_with(belief, depth, other) and (yield from is_excluded(belief, depth, other)):
            excluded.append(other)
    ply = ply._replace(exclusion=Exclusion(last.mark, belief.seen, tuple(excluded)))
    belief = belief._replace(line=(*belief.line[:depth], ply, *belief.line[depth + 1 :]))
    return belief if belief.is_open(depth) else (yield from narrowed(belief, is_excluded))


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
