# SPDX-License-Identifier: Apache-2.0
"""The same history with other moves: each ply changed the cells that it changed, and was another of those moves.

What a sensor does not tell of a piece - which way it faces, which of several turned - is told by what it may do later.
So where no move explains the board after what is believed, the blame is with the plies that brought the wood concerned
to where it was found, turned it there, or entered what then could not enter. Only these are thought of anew: the plies of
other wood between them stay as they are, however many may have been otherwise.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias

from companion.model.observation import Change
from companion.model.occupancy import Occupancy, occupancy_of
from companion.referee.alternatives import Line, brings, handled
from companion.referee.belief import Belief, Ply
from companion.referee.budget import Budget
from companion.referee.footprints import Imprint, Prospect
from companion.referee.strain import is_held

_Blame: TypeAlias = dict[int, Occupancy]
"""The plies without which something could be explained, with the cells to which they brought the wood concerned."""

_Search: TypeAlias = Generator[int, None, Line | _Blame]
"""Each step tells how many legal moves had to be indexed for it."""


def retraced(belief: Belief, start: Line, budget: Budget) -> Generator[None, None, Line | None]:
    """Another line that begins with *start*, changed the same cells as that of *belief*, and leaves nothing that is seen now unexplained.

    None if there is none, or if finding it costs more than *budget*. Each step is one ply that is tried.
    """
    search = _Retracing(belief, is_held(belief) or _is_pressed_in_vain(belief)).on_from(start)
    while not budget.is_spent:
        try:
            indexed = next(search)
        except StopIteration as end:
            found: Line | _Blame = end.value
            return found if isinstance(found, tuple) else None
        budget.affords_ply(indexed)
        yield
    return None


@dataclass(frozen=True, slots=True)
class _Retracing:
    """A search through the moves by which the line of *belief* may have changed what it changed."""

    belief: Belief
    is_done: bool
    """True if wood has been missing for longer than anybody holds it, or its side has said that it is done."""

    def on_from(self, line: Line) -> _Search:
        """*line* and what followed it, or what is to blame that there is no such line."""
        belief, depth = self.belief, len(line)
        before = line[-1].after if line else belief.root
        if depth == len(belief.line):
            return (yield from self._at_end(line, before))
        blamed, cells = _Blame(), 0
        is_spared, was_indexed = True, before.indexed
        alike = _alike(before, belief.line[depth])
        yield before.indexed - was_indexed
        for number, imprint in enumerate(alike):
            if number and not brings(imprint, cells):
                if not is_spared:
                    continue
                is_spared = False  # of those that leave that wood alone, one stands for all
            if number:
                yield 0
            found = yield from self.on_from((*line, _made(before, belief.line[depth], alike, imprint)))
            if isinstance(found, tuple) or depth not in found:
                return found
            if not number:
                is_spared = brings(imprint, found[depth])
            cells |= found.pop(depth)
            _add(blamed, found)
        _add(blamed, self._responsible(depth))
        return blamed

    def _at_end(self, line: Line, after: Prospect) -> _Search:
        """*line*, which leads to *after*, if it is another than that of the belief and explains what is seen; else what is to blame."""
        was_indexed = after.indexed
        is_new = any(made is not ply for made, ply in zip(line, self.belief.line, strict=True))
        if is_new and self._explains(after):
            return line
        if after.indexed > was_indexed:
            yield after.indexed - was_indexed
        return self._responsible(len(line))

    def _explains(self, after: Prospect) -> bool:
        """True if what is seen now is *after*, or may lawfully come of it; where the belief fits, nothing is to come."""
        seen = self.belief.seen
        differing = after.differing(seen)
        if not differing or not self.belief.tip.differing(seen):
            return not differing
        if self.is_done:
            return bool(after.exactly(differing, seen))
        if not differing & seen.occupied:
            return True
        return bool(after.exactly(differing, seen) or after.within(differing, seen, seen.occupied))

    def _responsible(self, depth: int) -> _Blame:
        """The plies before that at *depth* which brought wood that it moves, or which is handled now, with where they brought it."""
        belief, blamed = self.belief, _Blame()
        cells = handled(belief) if depth == len(belief.line) else _wood(belief.line[depth])
        for earlier in range(depth - 1, -1, -1):
            ply = belief.line[earlier]
            near = [imprint for imprint in (*ply.candidates, *ply.refuted) if brings(imprint, cells)]
            if near:
                blamed[earlier] = cells
            for imprint in near:
                cells |= imprint.lifted
        if depth < len(belief.line) and _is_entry(belief.line[depth]):
            side = belief.before(depth).position.turn
            for earlier, ply in enumerate(belief.line[:depth]):  # what entered before is not left to enter
                if _is_entry(ply) and belief.before(earlier).position.turn == side:
                    blamed[earlier] = -1
        return blamed


def _is_pressed_in_vain(belief: Belief) -> bool:
    """True if a side has just said that it is done, and nothing that it could have done was found."""
    found = belief.line[-1].mark.idle_presses if belief.line else 0
    is_last = bool(belief.inputs) and not isinstance(belief.inputs[-1], Change)
    return is_last and belief.idle_presses > found


def _add(blamed: _Blame, others: _Blame) -> None:
    """Blame *others*, too."""
    for depth, cells in others.items():
        blamed[depth] = blamed.get(depth, 0) | cells


def _is_entry(ply: Ply) -> bool:
    """True if *ply* brought wood that was not on the board."""
    return bool(ply.imprint.target) and not ply.imprint.source


def _wood(ply: Ply) -> Occupancy:
    """Where the wood stood that *ply* moved or changed, whichever of its candidates it was; of any of them if they have none in common."""
    common, cells = -1, 0
    for imprint in ply.candidates:
        moved = imprint.lifted | occupancy_of(cell for source, _ in imprint.carried for cell in source)
        common, cells = common & moved, cells | moved
    return common or cells


def _alike(before: Prospect, ply: Ply) -> list[Imprint]:
    """The moves in *before* by which *ply* may have changed what it changed, itself first; no others than it may have been if somebody has told it."""
    made = ply.imprint
    ways = {_way(imprint) for imprint in (*ply.candidates, *ply.refuted)}
    alike = [
        imprint
        for imprint in before.changing(made.changed)
        if _way(imprint) in ways and imprint.fits(ply.mark.seen)
    ]
    if ply.is_told:
        left = {imprint.move for imprint in ply.candidates}
        alike = [imprint for imprint in alike if imprint.move in left]
    return sorted(alike, key=lambda imprint: imprint.move != made.move)


def _way(imprint: Imprint) -> tuple[object, ...]:
    """What of *imprint* the order of the edges speaks for or against."""
    return imprint.source, imprint.target, imprint.unseen


def _made(before: Prospect, ply: Ply, alike: list[Imprint], imprint: Imprint) -> Ply:
    """*ply* as *imprint*, made in *before*, where all those *alike* are possible."""
    if imprint == ply.imprint and ply.after is before.after(imprint.move):
        return ply
    others = tuple(other for other in alike if other.move != imprint.move)
    after = before.after(imprint.move)
    return ply._replace(imprint=imprint, after=after, others=others, refuted=(), exclusion=None)
