# SPDX-License-Identifier: Apache-2.0
"""What is thought anew of the last plies, by what stands on the board: when it fits them, and when nothing explains it."""

from __future__ import annotations

from dataclasses import replace

from companion.model.occupancy import Occupancy, cells_of
from companion.referee.belief import Belief
from companion.referee.footprints import Imprint
from companion.referee.looks import fits
from companion.referee.marks import Reading
from companion.referee.reading import exactly
from companion.referee.rivalling import is_held_long
from companion.referee.undoing import may_come_late


def refined(belief: Belief) -> Belief:
    """*belief*, which fits, without those candidates for its last ply that do not: wood is felt before it is seen."""
    last = belief.line[-1] if belief.line else None
    if last is None or not last.others:
        return belief
    others = tuple(other for other in last.others if other.fits(belief.seen))
    if len(others) == len(last.others):
        return belief
    return belief._replace(line=(*belief.line[:-1], last._replace(others=others)))


def reconsidered(belief: Belief) -> Reading | None:
    """What the end of the line rather was than what *belief*, which fits, tells of it; None if that stays as it is.

    The order of the edges may speak for more candidates for the last ply, for others than were merely supposed,
    or for an exchange.
    """
    if (exchange := _exchange(belief)) is not None:
        return exchange
    last = belief.line[-1] if belief.line else None
    if last is None or last.is_left:
        return None
    if not last.is_conjecture:
        return _fuller(belief)
    depth = len(belief.line) - 1
    reading = exactly(belief, depth, belief.before(depth).differing(belief.seen))
    if reading is None or not reading.is_sure:
        return None
    believed = set(last.candidates)
    if last.is_inferred and not last.is_kept and not believed <= set(reading.imprints):
        return reading
    if last.is_kept and (answer := exactly(belief, depth + 1, 0)) and answer.is_sure:
        return None  # as in a swap
    gone = [each for each in last.refuted if each.target == last.imprint.target]  # wood elsewhere was away
    left = tuple(imprint for imprint in reading.imprints if imprint not in gone)
    return reading._replace(imprints=left) if set(left) > believed else None


def _fuller(belief: Belief) -> Reading | None:
    """The move that took all wood that was lifted when the last ply seemed complete, if what was in a hand then has come down where that stood: as in castling to where the king or a rook was."""
    depth, last = len(belief.line) - 1, belief.line[-1]
    if not last.loose or last.is_pressed or last.is_told or last.loose & ~belief.seen.occupied:
        return None
    found = exactly(belief, depth, belief.before(depth).differing(belief.seen))
    if found is None or not found.is_sure:
        return None
    full = tuple(each for each in found.imprints if not last.loose & ~each.lifted)
    return found._replace(imprints=full) if full and last.imprint not in full else None


def _exchange(belief: Belief) -> Reading | None:
    """The move by which wood changed places, if the last two plies, of which the first is supposed and the second entered wood where that had left, may have been that."""
    depth = len(belief.line) - 2
    if depth < 0 or belief.stands(depth):
        return None
    ply, reply = belief.line[depth:]
    is_refill = not reply.imprint.source and set(reply.imprint.target) <= set(ply.imprint.source)
    is_sure = any(each.is_pressed or each.is_told for each in (ply, reply)) or reply.is_left
    if is_sure or not (ply.is_supposed and is_refill) or belief.before(depth).differing(belief.seen):
        return None
    found = exactly(belief, depth, 0)
    return found if found is not None and found.is_sure else None


def plies_kept(belief: Belief) -> int:
    """How many plies of the line hold although nothing explains the board, and it may be at rest.

    The last was none if its wood has come down elsewhere, before any hand tires: nobody has seen it arrive nor said that it did, or another move
    explains all that stands there as long as a hand may have held it;
    so was one that was merely supposed, with all that followed, if the board is as it was before.
    """
    line, differing = belief.line, belief.tip.differing(belief.seen)
    if not line or belief.rest_ms < belief.table.timing.rest_ms:
        return len(line)
    last, before = line[-1], belief.before(len(line) - 1)
    is_new = differing if not differing & ~belief.seen.occupied else 0
    if is_new and last.is_conjecture and not (last.is_kept or is_held_long(belief, len(line) - 1)):
        is_loose = (last.is_supposed or last.is_unseen) and not last.is_told
        is_elsewhere = is_loose and _may_be_moved(belief, last.imprint, is_new)
        is_late = may_come_late(belief, last)
        if is_elsewhere or (is_late and before.exactly(before.differing(belief.seen), belief.seen)):
            return len(line) - 1
    supposed = (depth for depth, ply in enumerate(line) if ply.is_supposed and not belief.stands(depth))
    return next((depth for depth in supposed if not belief.before(depth).differing(belief.seen)), len(line))


def _may_be_moved(belief: Belief, imprint: Imprint, cells: Occupancy) -> bool:
    """True if wood on *cells* looks like some that the last ply, *imprint*, has moved, whichever way it faces or lies.

    What looks like wood that stood on another of them has rather changed places with it.
    """
    before, tip = belief.before(len(belief.line) - 1), belief.tip
    moved = [before.looks[cell] for cell in cells_of(imprint.lifted)]
    stood = [tip.looks[cell] for cell in cells_of(cells & tip.occupied)]
    found = [replace(belief.seen.look(cell), facing=None, pose=None) for cell in cells_of(cells)]
    found = [seen for seen in found if not any(fits(seen, look) for look in stood)]
    return not moved or any(fits(seen, look) for seen in found for look in moved)
