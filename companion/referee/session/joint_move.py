# SPDX-License-Identifier: Apache-2.0
"""A named move of several pieces, such as castling, that hands have begun."""

from __future__ import annotations

from typing import cast

from companion.model.game import HasJointMoves
from companion.model.grid import Cell
from companion.model.occupancy import cells_of
from companion.referee.inference.guidance import PiecesInPlay, guides, tracked
from companion.referee.state.session_state import SessionState
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.imprints import Imprint
from companion.referee.values.board.looks import Seen
from companion.referee.values.view import JointMove


def joint_move(state: SessionState) -> JointMove | None:
    """The move of several pieces that alone explains the board, by `HasJointMoves`; or None.

    The last ply may have been its first half, as long as hands may revise it.
    """
    belief, rules = state.belief, state.rules
    depth = len(belief.line)
    found = _begun(belief.tip, belief.seen)
    if depth and not found and not belief.stands(depth - 1):
        depth -= 1
        found = _begun(belief.before(depth), belief.seen)
    name = cast(HasJointMoves, rules).joint(found[0].move) if len(found) == 1 else ""
    if not name:
        return None
    (imprint,), before = found, belief.before(depth)
    after, steps = before.after(imprint.move), rules.steps(before.position, imprint.move)
    edges = belief.edges[max(0, belief.since(depth) - belief.first_edge) :]
    pieces = tracked(PiecesInPlay(before.pieces), edges, before.position.turn, steps, after.pieces)
    order: list[Cell | None] = [cell for _, cells in imprint.carried for cell in cells]
    led = [guide for guide in guides(after, pieces, belief.seen) if guide.target in order]
    led.sort(key=lambda guide: order.index(guide.target))
    return JointMove(name, tuple(led)) if led else None


def _begun(before: Prospect, seen: Seen) -> list[Imprint]:
    """The moves from *before* of which every visible change may be a part."""
    differing = before.differing(seen)
    emptied, entered = differing & ~seen.occupied, differing & seen.occupied
    near = {imprint.move: imprint for cell in cells_of(emptied) for imprint in before.touching(cell)}
    return [
        imprint
        for imprint in near.values()
        if not (emptied & ~imprint.lifted or entered & ~imprint.filled) and imprint.fits(seen, entered)
    ]
