# SPDX-License-Identifier: Apache-2.0
"""A camera above the board: what a run of images shows becomes observations.

Pure: images and times come in, and nothing here waits.
In a quiet image every known tag is only looked at again where it was; cells are read when they have changed and lie still.

The rule of the books: something is told only when all that was on the board is accounted for.
A tag that is neither where it was nor found elsewhere, while anything covers a cell, may be under the hand: nothing is told,
and its cell is *hidden*. When every tag is found, or the whole board is open to the eye, all changes are told at once.
A tag with a hand at it is still in the hand.
Static cover is no hand (see `cover`). A tag whose own cell it covers stays in the books and is hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Cell
from companion.model.observation import Change, Observation, SensorKind, Sighting, Sightings
from companion.model.occupancy import Occupancy, occupancy_of
from companion.sensing.changes import changes_between
from companion.sensing.cover import Cover
from companion.sensing.empty import odd_levels
from companion.sensing.problems import CameraProblem
from companion.sensing.tag_reader import Read, reader_of
from companion.sensing.tagged_table import TaggedTable, Wood
from companion.sensing.view_state import CALM, FRESH, ViewState
from companion.sensing.vision.codes import Codes, Grey, Singles, codes_of
from companion.sensing.vision.corner_search import locate, lying
from companion.sensing.vision.geometry import View
from companion.sensing.vision.light import Light
from companion.sensing.vision.sampler import Flags, Known, Still

KIND: Final = SensorKind.IDENTITY_FACING
"""What tags tell."""

SURE: Final = 0.6
"""Likeness from which a tag is still where it was: a finger on a third of it takes it below."""
OPEN: Final = 15
"""Images for which a cell must lie still, and nothing be covered, before its look is believed to be the board's."""
LOST: Final = 3
"""Images with hardly a tag in its place, after which the camera was moved or is covered."""
FEWEST: Final = 0.4
"""Share of the tags that must be in their places: two hands cover fewer than half."""
MOST: Final = 0.75
"""And the share that must be if fewer than two corners are seen: a hand may lie over corners."""
SEARCH_MS: Final = 400
"""Between two searches of the whole image, each of which takes a tenth of a second."""
LEARN_MS: Final = 5000
"""Between two times at which a quiet board's look is learned anew: daylight changes within minutes."""
HOLD_DEG: Final = 5.0
"""By how much a turned piece must pass the middle between two facings to have the other."""


class CameraSensor:
    """Makes observations of one camera's images."""

    def __init__(self, outfit: TaggedTable, *, is_eager: bool = False) -> None:
        """Nothing is known yet: the first images find the board and what stands on it.

        *is_eager*: what is seen clearly is told though not all is accounted for, for those to whom a panel tells the rest.
        """
        self._outfit = outfit
        self._is_eager = is_eager
        self._codes: Codes = codes_of(outfit.family.bits, outfit.family.size, list(outfit.marks))
        self._middles_mm = np.array([outfit.grid.centre_mm(cell) for cell in range(len(outfit.grid))])
        self._light = Light(self._middles_mm)
        self._corners = lying(outfit.corners, outfit.corner_mm, outfit.corner_turns_deg)
        """The tags beside the board."""
        self._eye: ViewState | None = None
        self._bases: dict[Known, float] = {}
        """The level of each tag that has not been moved, in the light at first; it outlasts a kick of the camera."""
        self._wood: dict[Wood, Read] = {}
        self._shown: dict[Cell, Sighting] | None = None
        """What was last told of the occupied cells; None before anything was."""
        self._hidden = 0
        self._rest_since_ms = 0
        self._searched_ms: int | None = None
        self._learned_ms = 0
        self.troubles: frozenset[CameraProblem] = frozenset({CameraProblem.BOARD_NOT_FOUND})
        self.places: dict[CameraProblem, tuple[Cell, ...]] = {}
        """The cells at which some of that was seen last."""

    def observe(self, image: Grey, now_ms: int) -> Observation | None:
        """The observation that *image*, (height, width) uint8, makes; None if it shows nothing new.

        Raises `CalibrationError` if the corner tags lie as on no board.
        """
        eye = self._eye
        if eye is None:
            self._search(image, now_ms)
            return None
        quiet = eye.quiet if now_ms - self._learned_ms < LEARN_MS else None
        if quiet is not None and quiet.is_seen_in(eye.reader.look(image)):
            eye.calm += 1
            return None
        alike = self._look(eye, image)
        sure = alike > SURE
        eye.quiet = None
        if self._is_lost(eye, sure):
            self._search(image, now_ms)
            return self._told(now_ms, (), self._outfit.grid.everything, is_at_rest=False)
        levels = eye.reader.look(image)
        corners = len(self._outfit.corners)
        covered = self._covered(levels, sure[corners:])
        if covered.any():
            eye.cover.note(levels, now_ms)
        if (
            sure[corners:].all()
            and (alike[corners:] > FRESH).all()
            and self._is_known(eye, covered, levels, now_ms)
        ):
            eye.calm += 1  # what has moved would be covered, or a tag not be in its place
            eye.levels = levels
            return self._quiet(eye, covered, now_ms)
        moving = Still(self._light.carried(eye.levels)).differing(levels)
        eye.calm = np.where(moving, 0, eye.calm + 1).astype(np.int32)
        eye.levels = levels
        if self._shown is None:
            return self._begin(eye, image, now_ms) if (eye.calm >= CALM).all() else None
        return self._account(eye, image, alike[corners:], covered, now_ms)

    # one image

    def _look(self, eye: ViewState, image: Grey) -> Singles:
        """The likeness of all watched tags, after the light was taken from them."""
        if eye.watched is None or eye.bases is None:
            known = [*self._corners, *(read.known for read in self._wood.values())]
            eye.watched = eye.reader.watch(known, eye.watched)
            eye.at_mm = np.array([one.at_mm for one in known]).reshape(-1, 2)
        alike, means = eye.watched.look(image)
        if eye.bases is None:
            fresh = zip(eye.watched.known, means / self._light.at(eye.at_mm), strict=True)
            self._bases = {known: self._bases.get(known, float(base)) for known, base in fresh}
            eye.bases = np.maximum(np.array(list(self._bases.values()), np.float32), 1.0)
        sure = alike > SURE
        self._light.follow((means / eye.bases)[sure], eye.at_mm[sure])
        return alike

    def _covered(self, levels: Grey, in_place: Flags) -> Flags:
        """Which cells look neither empty nor like the tag that is known to be there."""
        covered = self._light.covered(levels)
        wood = zip(self._wood.values(), in_place, strict=True)
        covered[[read.cell for read, is_there in wood if is_there]] = False
        return covered

    def _is_known(self, eye: ViewState, covered: Flags, levels: Grey, now_ms: int) -> bool:
        """True if all *covered* cells are settled and learned, and no tag was read there."""
        if not covered.any():
            eye.cover.forget(~covered)
            return True
        if eye.read or (covered & ~eye.cover.learned).any():
            return False
        is_settled = eye.cover.settled(covered, levels, now_ms)[covered].all()
        if not is_settled or (covered & ~eye.cover.learned).any():
            return False
        eye.cover.accounted |= covered  # every piece is in its place
        return True

    def _quiet(self, eye: ViewState, covered: Flags, now_ms: int) -> Observation | None:
        """Every tag is in its place and there is no hand: at most the hidden cells have changed."""
        eye.read.clear()
        eye.due = None
        eye.quiet = Still(eye.levels)
        if now_ms - self._learned_ms >= LEARN_MS and (eye.calm >= OPEN).all():
            self._learned_ms = now_ms
            self._learn(eye, ~covered)
        self._explain(eye, {})
        return self._told(now_ms, (), _bits(np.flatnonzero(covered & ~self._shade(eye))))

    def _account(
        self, eye: ViewState, image: Grey, alike: Singles, covered: Flags, now_ms: int
    ) -> Observation | None:
        """Read what has changed and lies still; tell it if it accounts for all that was on the board."""
        for cell in np.flatnonzero(covered & (eye.calm >= CALM) & ~self._light.known):
            covered[cell] = not self._light.resembles_empty(eye.levels, int(cell))
        worn = [read.cell for read, one in zip(self._wood.values(), alike, strict=True) if one < FRESH]
        eye.read_due(image, worn, covered)
        still = {wood for (wood, _), one in zip(self._wood.items(), alike, strict=True) if one > SURE}
        found, strange = self._found(eye, still)
        missing = [wood for wood in self._wood if wood not in still and wood not in found]
        covered[[read.cell for read in found.values()]] = False
        left = [self._wood[wood].cell for wood in found if wood in self._wood]
        blocked = covered.copy()
        blocked[[cell for cell in left if not self._light.known[cell]]] = False
        moving = blocked & ~eye.settled(image, blocked, now_ms, is_accounted=not missing)
        held = [wood for wood, read in found.items() if eye.has_hand(read.cell, blocked, moving, now_ms)]
        is_open = not (held or moving.any()) and bool((eye.calm >= CALM).all())
        veiled = [wood for wood in missing if is_open and blocked[self._wood[wood].cell]]
        self._explain(eye, strange, [self._wood[wood].cell for wood in veiled])
        if is_open or not (missing or held):
            gone = [wood for wood in missing if wood not in veiled]
            unsure = occupancy_of(self._wood[wood].cell for wood in veiled)
            return self._commit(eye, found, gone, covered, blocked, now_ms, unsure)
        clear = {wood: read for wood, read in found.items() if wood not in held} if self._is_eager else {}
        taken = {read.cell for read in clear.values()}
        gone = [wood for wood in missing if self._wood[wood].cell in taken]
        unsure = occupancy_of(self._wood[wood].cell for wood in missing if wood not in gone)
        if clear:
            return self._commit(eye, clear, gone, covered, blocked, now_ms, unsure)
        hidden = _bits(np.flatnonzero(blocked & ~self._shade(eye))) | unsure
        return self._told(now_ms, (), hidden, is_at_rest=False)

    def _found(
        self, eye: ViewState, still: set[Wood]
    ) -> tuple[dict[Wood, Read], dict[CameraProblem, tuple[Cell, ...]]]:
        """Tags that are new or elsewhere, and the cells of tags that cannot be there."""
        found: dict[Wood, Read] = {}
        strange, double = set[Cell](), set[Cell]()
        for read in eye.read.values():
            if read.known.tag not in self._outfit.marks:
                strange.add(read.cell)
                continue
            wood = self._outfit.wood_of(read.known.tag)
            other = self._wood[wood] if wood in still else found.get(wood)
            if other is not None and other.cell != read.cell:
                double |= {other.cell, read.cell}
            else:
                found[wood] = read
        at = {CameraProblem.STRANGE_TAG: strange, CameraProblem.DOUBLE_TAG: double}
        return found, {trouble: tuple(sorted(cells)) for trouble, cells in at.items() if cells}

    def _shade(self, eye: ViewState) -> Flags:
        """Which cells are covered by the sides and shadows of pieces alone."""
        return eye.cover.shade([read.cell for read in self._wood.values()], eye.read)

    def _explain(
        self, eye: ViewState, strange: Mapping[CameraProblem, tuple[Cell, ...]], veiled: Iterable[Cell] = ()
    ) -> None:
        """Set `troubles` and `places`; the cells *veiled* hold pieces that cannot be seen."""
        cover = eye.cover
        unseen = cover.learned & ~cover.shade([read.cell for read in self._wood.values()])
        unseen[list(veiled)] = True
        unseen &= ~cover.glaring
        unseen[list(eye.read)] = False
        at = {CameraProblem.GLARE: cover.glaring, CameraProblem.UNSEEN: unseen}
        reasons = {each: tuple(map(int, np.flatnonzero(cells))) for each, cells in at.items() if cells.any()}
        self.places = {**strange, **reasons}
        self.troubles = frozenset(self.places) | self.troubles & {CameraProblem.CAMERA_MOVED}

    def _commit(
        self,
        eye: ViewState,
        found: Mapping[Wood, Read],
        missing: Iterable[Wood],
        covered: Flags,
        blocked: Flags,
        now_ms: int,
        unsure: Occupancy = 0,
    ) -> Observation | None:
        """Take *found* and *missing* into the books, and tell what has changed; the cells *unsure* are hidden, too."""
        before = self._shown or {}
        shown, was = dict(before), {read.cell: wood for wood, read in self._wood.items()}
        for wood in (*missing, *found):
            if wood in self._wood:
                shown.pop(self._wood.pop(wood).cell, None)
        self._wood.update(found)
        shown |= {read.cell: self._sighting(read) for read in found.values()}
        if found or missing:
            eye.bases = None
            kept = (one for one in eye.read.items() if one[1] not in found.values())
            marks = self._outfit.marks  # tags that are in no play are what they were
            eye.read = {at: read for at, read in kept if self._is_eager or read.known.tag not in marks}
        self._shown = shown
        free = np.ones(len(blocked), np.bool_)
        free[[read.cell for read in self._wood.values()]] = False
        is_open = not blocked.any() and bool((eye.calm >= OPEN).all())
        self._learn(eye, ~self._light.known & (eye.calm >= CALM) & (~covered | is_open))
        taken = {read.cell for wood, read in found.items() if was.get(read.cell, wood) != wood}
        changes = changes_between(before, shown, dict.fromkeys(taken, self._rest_since_ms), now_ms)
        hidden = _bits(np.flatnonzero(blocked & free & ~self._shade(eye)))
        return self._told(now_ms, changes, hidden | unsure)

    def _told(
        self, now_ms: int, inputs: tuple[Change, ...], hidden: int, *, is_at_rest: bool = True
    ) -> Observation | None:
        """The observation of *inputs* with the cells *hidden*; None if it would say nothing new."""
        if inputs or not is_at_rest:
            self._rest_since_ms = now_ms
        if self._shown is None or (not inputs and hidden == self._hidden):
            return None
        self._hidden = hidden
        if inputs:
            self.troubles -= {CameraProblem.CAMERA_MOVED}
        return self._observation(now_ms, inputs)

    def _observation(self, now_ms: int, inputs: tuple[Change, ...], *, has_gap: bool = False) -> Observation:
        """All that is known now."""
        shown = self._shown or {}
        sightings = Sightings(
            occupancy_of(shown), self._hidden, tuple(sorted(shown.items(), key=lambda one: one[0]))
        )
        return Observation(now_ms, inputs, sightings, self._rest_since_ms, has_gap)

    def _sighting(self, read: Read) -> Sighting:
        """What a tag in the books shows."""
        piece = self._outfit.marks[read.known.tag].piece
        facing = None if piece.facing is None else self._facing(read)
        return Sighting(True, piece.kind, piece.side, facing, piece.pose)

    def _facing(self, read: Read) -> int:
        """The direction nearest to the tag's; the one told before while there is doubt."""
        directions = len(self._outfit.grid.steps)
        sector = 360 / directions
        before = (self._shown or {}).get(read.cell)
        if before is not None and before.facing is not None:
            apart = (read.known.turn_deg - before.facing * sector + 180) % 360 - 180
            if abs(apart) < sector / 2 + HOLD_DEG:
                return before.facing
        return round(read.known.turn_deg / sector) % directions

    # beginning, and beginning again

    def _begin(self, eye: ViewState, image: Grey, now_ms: int) -> Observation:
        """The first observation: every cell is read, and what shows no tag and looks like the others is taken to be empty."""
        grid = self._outfit.grid
        cells = [cell for cell in range(len(grid)) if cell not in set(grid.obstacles)]
        eye.read = {read.cell: read for read in eye.reader.read(image, cells)}
        free = np.ones(len(grid), np.bool_)
        free[list(eye.read)] = False
        levels = np.median(eye.levels, axis=1).astype(np.float64)
        odd = np.flatnonzero(odd_levels(grid, levels, free))
        for read in eye.reader.read(image, (int(cell) for cell in odd), is_thorough=True):
            eye.read.setdefault(read.cell, read)
        self._wood, strange = self._found(eye, set())
        self._explain(eye, strange)
        eye.read.clear()
        eye.bases = None
        self._shown = {read.cell: self._sighting(read) for read in self._wood.values()}
        self._rest_since_ms = now_ms
        free[[*self._shown, *odd]] = False
        self._light.learn(eye.levels, free)
        return self._observation(now_ms, (), has_gap=True)

    def _learn(self, eye: ViewState, cells: Flags) -> None:
        """Learn the look of those of *cells* on which nothing stands."""
        free = cells.copy()
        free[[read.cell for read in self._wood.values()]] = False
        if free.any():
            self._light.learn(eye.levels, free)

    def _is_lost(self, eye: ViewState, sure: Flags) -> bool:
        """True if hardly a tag has been in its place for some images."""
        corners = len(self._outfit.corners)
        share = sure.mean() if len(sure) else 1.0
        is_astray = share < FEWEST or (share < MOST and corners > 0 and sure[:corners].sum() < 2)
        eye.lost = eye.lost + 1 if is_astray else 0
        return eye.lost >= LOST

    def _search(self, image: Grey, now_ms: int) -> None:
        """Look for the board in the whole image, if that was not done just now."""
        if self._searched_ms is not None and now_ms - self._searched_ms < SEARCH_MS:
            return
        self._searched_ms = now_ms
        outfit = self._outfit
        view = self._view(image)
        if view is None:
            self.troubles = frozenset({CameraProblem.BOARD_NOT_FOUND})
            return
        self.troubles = frozenset({CameraProblem.CAMERA_MOVED} if self._eye else ())
        reader = reader_of(outfit, self._codes, view)
        cover = Cover(reader.middles_mm, reader.edges_mm, self._light)
        calm = np.zeros(len(outfit.grid), np.int32)
        self._eye = ViewState(reader, reader.look(image), self._light, cover, calm)

    def _view(self, image: Grey) -> View | None:
        """How *image* shows the board; None if that cannot be told."""
        outfit = self._outfit
        if outfit.corners:
            turns = outfit.corner_turns_deg
            return locate(image, outfit.family, outfit.corners, outfit.corner_mm, outfit.lens, turns)
        is_lost = self._eye is not None or outfit.view is None or outfit.view.size_px != image.shape[::-1]
        return None if is_lost else outfit.view


def _bits(cells: NDArray[np.intp]) -> int:
    """The occupancy of *cells*."""
    return occupancy_of(int(cell) for cell in cells)
