# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one sensor; images and times pass through it in one order.
"""Camera above tagged pieces: a sequence of images becomes observations.

Pure: images and times come in, and nothing here waits.
In a quiet image every known tag is checked at its place only;
cells are read when they have changed and are still.

Rule: changes are reported only when every piece on the board is accounted for.
A tag that is missing and not found elsewhere, while something covers a cell, may be under a hand:
nothing is reported, and its cell is *hidden*.
When every tag is found, or the whole board is visible, all changes are reported at once.
A tag with a hand beside it is still in the hand.
Static cover is not a hand (see `cover`); a tag on a covered cell stays on record and is hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Cell, Grid
from companion.model.observation import Change, Observation, SensorKind, Sighting, Sightings
from companion.model.occupancy import Occupancy, occupancy_of
from companion.sensing.beginning import Beginning
from companion.sensing.changes import changes_between
from companion.sensing.cover import Cover
from companion.sensing.empty import odd_levels, odd_patterns
from companion.sensing.problems import CameraProblem
from companion.sensing.tag_heights import CellsInView, heights_of, may_mislead
from companion.sensing.tag_reader import Read, reader_of
from companion.sensing.tagged_table import PartId, TaggedTable
from companion.sensing.view_state import CALM, FRESH, SAME, ViewState
from companion.sensing.vision.codes import CONTRAST, Codes, Grey, Singles, codes_of
from companion.sensing.vision.corner_search import Located, lying, search
from companion.sensing.vision.geometry import View
from companion.sensing.vision.light import Light
from companion.sensing.vision.sampler import Flags, Known, Still
from companion.sensing.vision.steadying import Steadying

KIND: Final = SensorKind.IDENTITY_FACING
"""The sensor kind of tags."""

SURE: Final = 0.6
"""Likeness from which a tag is in place.

A finger on a third of the tag gives less.
"""
OPEN: Final = 15
"""Images without motion or cover before a cell's look counts as the empty board's."""
LOST: Final = 3
"""Images without tags in place after which the camera counts as moved."""
FEWEST: Final = 0.4
"""Least share of tags in place: two hands cover fewer than half."""
MOST: Final = 0.75
"""The same share if fewer than two corners are visible: a hand may cover corners."""
SEARCH_MS: Final = 400
"""Interval between searches of the whole image, each of which takes 0.1 s."""
LEARN_MS: Final = 5000
"""Interval at which a quiet board's look is learned again: daylight changes within minutes."""
_NOISE: Final = 4.0
"""Grey levels of noise in which a hand may look like the board."""
HOLD_DEG: Final = 5.0
"""Angle past the middle between two facings that changes the facing of a piece."""


class CameraSensor:
    """Makes observations from the images of one camera."""

    def __init__(self, outfit: TaggedTable, *, is_eager: bool = False) -> None:
        """Nothing is known yet: the first images locate board and pieces.

        *is_eager*: clearly visible changes are reported although not all pieces are accounted for,
        for use with a panel that provides the rest.
        """
        self._outfit = outfit
        self._is_eager = is_eager
        self._codes: Codes = codes_of(outfit.family.bits, outfit.family.size, list(outfit.marks))
        self._middles_mm = np.array([outfit.grid.centre_mm(cell) for cell in range(len(outfit.grid))])
        self._light = Light(self._middles_mm)
        self._corners = lying(outfit, {})
        """The tags beside the board."""
        self._eye: ViewState | None = None
        self._bases: dict[Known, float] = {}
        """The level of each tag that has not moved, in the initial light.

        It remains valid after a shift of the camera.
        """
        self._parts: dict[PartId, Read] = {}
        self._beginning = Beginning()
        self._shown: dict[Cell, Sighting] | None = None
        """The last reported sightings of occupied cells; None before the first report."""
        self._hidden = 0
        self._rest_since_ms = 0
        self._searched_ms: int | None = None
        self._learned_ms = 0
        self._measured = 0
        """Tags from which the height was last told; more are needed to tell it again."""
        self._is_height_open = not outfit.is_height_known
        """The height of the tags is unknown, and has not been told yet."""
        self.troubles: frozenset[CameraProblem] = frozenset({CameraProblem.BOARD_NOT_FOUND})
        self.board = ""
        """The name of the other board, if one lies there."""
        self.places: dict[CameraProblem, tuple[Cell, ...]] = {}
        """The cells affected by these problems, as last seen."""

    @property
    def sight(self) -> tuple[View, Grid] | None:
        """The view of the board's grid; None before it is found."""
        return None if self._eye is None else (self._eye.reader.view, self._outfit.grid)

    def observe(self, image: Grey, now_ms: int) -> Observation | None:
        """The observation for *image*, (height, width) uint8; None if nothing is new.

        Raises `CalibrationError` if the corner tags do not fit the board.
        """
        eye = self._eye
        if eye is None:
            self._search(image, now_ms)
            return None
        seen, image = image, eye.steadying.steady(image)
        quiet = eye.quiet if now_ms - self._learned_ms < LEARN_MS else None
        if quiet is not None and quiet.is_seen_in(eye.reader.look(image)):
            eye.calm += 1
            return None
        if eye.steadying.follow(seen):
            image = eye.steadying.steady(seen)
        alike = self._look(eye, image)
        sure = alike > SURE
        eye.quiet = None
        if self._is_lost(eye, sure):
            self._search(seen, now_ms)
            return self._report(now_ms, (), self._outfit.grid.everything, is_at_rest=False)
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
            eye.calm += 1  # anything that moved would be covered, or a tag would be missing
            eye.levels = levels
            return self._quiet(eye, covered, now_ms)
        moving = Still(self._light.carried(eye.levels)).differing(levels)
        eye.note(levels, moving)
        if self._shown is None:
            return self._begin(eye, image, now_ms)
        return self._account(eye, image, alike[corners:], covered, now_ms)

    # one image

    def _look(self, eye: ViewState, image: Grey) -> Singles:
        """The likeness of all watched tags, after an update of the light."""
        if eye.watched is None or eye.bases is None:
            known = [*self._corners, *(read.known for read in self._parts.values())]
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
        """Covered cells: neither empty nor like the tag that is known to be there."""
        covered = self._light.covered(levels)
        parts = zip(self._parts.values(), in_place, strict=True)
        covered[[read.cell for read, is_there in parts if is_there]] = False
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
        """Handle an image without a hand: only hidden cells may change."""
        eye.read.clear()
        eye.due = None
        eye.quiet = Still(eye.levels)
        if now_ms - self._learned_ms >= LEARN_MS and (eye.calm >= OPEN).all():
            self._learned_ms = now_ms
            if self._measure(eye, self._parts.values()):
                self._begin_again()
                return None
            self._learn(eye, ~covered)
        self._explain(eye, {})
        return self._report(now_ms, (), _bits(np.flatnonzero(covered & ~self._shade(eye))))

    def _account(
        self, eye: ViewState, image: Grey, alike: Singles, covered: Flags, now_ms: int
    ) -> Observation | None:
        """Read still cells that have changed; report them if all pieces are accounted for."""
        for cell in np.flatnonzero(covered & (eye.calm >= CALM) & ~self._light.known):
            covered[cell] = not self._light.resembles_empty(eye.levels, int(cell))
        worn = [read.cell for read, one in zip(self._parts.values(), alike, strict=True) if one < FRESH]
        eye.read_due(image, worn, covered, is_sought=bool((alike <= SURE).any()))
        still = {part for (part, _), one in zip(self._parts.items(), alike, strict=True) if one > SURE}
        found, strange = self._found(eye, still)
        missing = [part for part in self._parts if part not in still and part not in found]
        covered[[read.cell for read in found.values()]] = False
        left = [self._parts[part].cell for part in found if part in self._parts]
        blocked = covered.copy()
        blocked[[cell for cell in left if not self._light.known[cell]]] = False
        steady = blocked & ~eye.flickering
        moving = steady & ~eye.settled(image, steady, now_ms, is_accounted=not missing)
        held = [part for part, read in found.items() if eye.has_hand(read.cell, blocked, moving, now_ms)]
        is_calm = bool((eye.flickering | (eye.calm >= CALM)).all())
        is_open = is_calm and not (held or moving.any() or self._is_doubtful(eye, image, missing, found))
        veiled = [part for part in missing if is_open and self._may_hide(eye, image, blocked, part)]
        restless = eye.restless(now_ms, is_pending=bool(missing or held))
        self._explain(eye, strange, [self._parts[part].cell for part in veiled], restless)
        if is_open or not (missing or held):
            gone = [part for part in missing if part not in veiled]
            unsure = occupancy_of(self._parts[part].cell for part in veiled)
            return self._commit(eye, found, gone, covered, blocked, now_ms, unsure)
        clear = {part: read for part, read in found.items() if part not in held} if self._is_eager else {}
        taken = {read.cell for read in clear.values()}
        gone = [part for part in missing if self._parts[part].cell in taken]
        unsure = occupancy_of(self._parts[part].cell for part in missing if part not in gone)
        if clear:
            return self._commit(eye, clear, gone, covered, blocked, now_ms, unsure)
        hidden = _bits(np.flatnonzero(blocked & ~self._shade(eye))) | unsure
        return self._report(now_ms, (), hidden, is_at_rest=False)

    def _is_doubtful(
        self, eye: ViewState, image: Grey, missing: Iterable[PartId], found: Mapping[PartId, Read]
    ) -> bool:
        """True if *missing* pieces may be under a hand that looks like the board.

        In the dark and in strong noise it does; then they must be away for longer.
        """
        taken = {read.cell for read in found.values()}
        left = {self._parts[part].cell for part in missing} - taken
        if not left or min(eye.calm[cell] for cell in left) >= SAME:
            return False
        return eye.contrast(image) < CONTRAST or self._light.noise(eye.levels) > _NOISE

    def _may_hide(self, eye: ViewState, image: Grey, blocked: Flags, part: PartId) -> bool:
        """True if the piece *part* may stand where it stood, under something."""
        cell = self._parts[part].cell
        if not blocked[cell]:
            return False
        empty = self._light.known & ~self._light.covered(eye.levels)
        return not eye.cover.is_bare(cell, eye.reader.look_at_ground(image), empty)

    def _found(
        self, eye: ViewState, still: set[PartId]
    ) -> tuple[dict[PartId, Read], dict[CameraProblem, tuple[Cell, ...]]]:
        """New or moved tags, and the cells of tags that are implausible."""
        found: dict[PartId, Read] = {}
        strange, double = set[Cell](), set[Cell]()
        for read in eye.read.values():
            if read.known.tag not in self._outfit.marks:
                strange.add(read.cell)
                continue
            part = self._outfit.part_of(read.known.tag)
            other = self._parts[part] if part in still else found.get(part)
            if other is not None and other.cell != read.cell:
                double |= {other.cell, read.cell}
            else:
                found[part] = read
        at = {CameraProblem.STRANGE_TAG: strange, CameraProblem.DOUBLE_TAG: double}
        return found, {trouble: tuple(sorted(cells)) for trouble, cells in at.items() if cells}

    def _shade(self, eye: ViewState) -> Flags:
        """Cells that are covered by the sides and shadows of pieces only."""
        return eye.cover.shade([read.cell for read in self._parts.values()], eye.read)

    def _explain(
        self,
        eye: ViewState,
        strange: Mapping[CameraProblem, tuple[Cell, ...]],
        veiled: Iterable[Cell] = (),
        restless: Flags | None = None,
    ) -> None:
        """Set `troubles` and `places`.

        *veiled* cells hold pieces that are not visible; *restless* ones change again and again.
        """
        cover = eye.cover
        unseen = cover.learned & ~cover.shade([read.cell for read in self._parts.values()])
        unseen[list(veiled)] = True
        unseen &= ~cover.glaring
        unseen[list(eye.read)] = False
        at = {CameraProblem.GLARE: cover.glaring, CameraProblem.UNSEEN: unseen}
        if restless is not None:
            at[CameraProblem.RESTLESS] = restless
        reasons = {each: tuple(map(int, np.flatnonzero(cells))) for each, cells in at.items() if cells.any()}
        self.places = {**strange, **reasons}
        self.troubles = frozenset(self.places) | self.troubles & {CameraProblem.CAMERA_MOVED}
        if self._is_height_open and self._parts:
            self.troubles |= {CameraProblem.HEIGHT_UNKNOWN}

    def _commit(
        self,
        eye: ViewState,
        found: Mapping[PartId, Read],
        missing: Iterable[PartId],
        covered: Flags,
        blocked: Flags,
        now_ms: int,
        unsure: Occupancy = 0,
    ) -> Observation | None:
        """Record *found* and *missing*, and report the changes; *unsure* cells are hidden, too."""
        before = self._shown or {}
        shown, was = dict(before), {read.cell: part for part, read in self._parts.items()}
        for part in (*missing, *found):
            if part in self._parts:
                shown.pop(self._parts.pop(part).cell, None)
        self._parts.update(found)
        shown |= {read.cell: self._sighting(read) for read in found.values()}
        if found or missing:
            eye.bases = None
            kept = (one for one in eye.read.items() if one[1] not in found.values())
            marks = self._outfit.marks  # tags outside the game keep their meaning
            eye.read = {at: read for at, read in kept if self._is_eager or read.known.tag not in marks}
        self._shown = shown
        free = np.ones(len(blocked), np.bool_)
        free[[read.cell for read in self._parts.values()]] = False
        is_open = not blocked.any() and bool((eye.calm >= OPEN).all())
        self._learn(eye, ~self._light.known & (eye.calm >= CALM) & (~covered | is_open))
        taken = {read.cell for part, read in found.items() if was.get(read.cell, part) != part}
        changes = changes_between(before, shown, dict.fromkeys(taken, self._rest_since_ms), now_ms)
        hidden = _bits(np.flatnonzero(blocked & free & ~self._shade(eye)))
        return self._report(now_ms, changes, hidden | unsure)

    def _report(
        self, now_ms: int, inputs: tuple[Change, ...], hidden: int, *, is_at_rest: bool = True
    ) -> Observation | None:
        """The observation of *inputs* with the cells *hidden*; None if nothing is new."""
        if inputs or not is_at_rest:
            self._rest_since_ms = now_ms
        if self._shown is None or (not inputs and hidden == self._hidden):
            return None
        self._hidden = hidden
        if inputs:
            self.troubles -= {CameraProblem.CAMERA_MOVED}
        return self._observation(now_ms, inputs)

    def _observation(self, now_ms: int, inputs: tuple[Change, ...], *, has_gap: bool = False) -> Observation:
        """All present sightings."""
        shown = self._shown or {}
        sightings = Sightings(
            occupancy_of(shown), self._hidden, tuple(sorted(shown.items(), key=lambda one: one[0]))
        )
        return Observation(now_ms, inputs, sightings, self._rest_since_ms, has_gap)

    def _sighting(self, read: Read) -> Sighting:
        """The sighting of a recorded tag."""
        piece = self._outfit.marks[read.known.tag].piece
        facing = None if piece.facing is None else self._facing(read)
        return Sighting(True, piece.kind, piece.side, facing, piece.pose)

    def _facing(self, read: Read) -> int:
        """The direction nearest to the tag's; in doubt, the one reported before."""
        directions = len(self._outfit.grid.steps)
        sector = 360 / directions
        before = (self._shown or {}).get(read.cell)
        if before is not None and before.facing is not None:
            apart = (read.known.turn_deg - before.facing * sector + 180) % 360 - 180
            if abs(apart) < sector / 2 + HOLD_DEG:
                return before.facing
        return round(read.known.turn_deg / sector) % directions

    # start and restart

    def _begin(self, eye: ViewState, image: Grey, now_ms: int) -> Observation | None:
        """The first observation, once the images are still: every cell is read in their median.

        A cell without a tag that looks like the others counts as empty.
        """
        stillness = self._beginning.add(image, eye.levels, now_ms)
        if stillness is None:
            return None
        if not stillness.is_still:
            self._refuse(self._beginning.reasons(stillness, now_ms))
            return None
        image = self._beginning.median()
        self._beginning, eye.levels = Beginning(), eye.reader.look(image)
        grid = self._outfit.grid
        cells = [cell for cell in range(len(grid)) if cell not in set(grid.obstacles)]
        contrast = eye.contrast(image)
        reads = eye.reader.read(image, cells, contrast=contrast)
        while self._measure(eye, reads):  # at the right height more are read
            eye.levels = eye.reader.look(image)
            reads = eye.reader.read(image, cells, contrast=contrast)
        eye.read = {read.cell: read for read in reads}
        free = np.ones(len(grid), np.bool_)
        free[list(eye.read)] = False
        levels = np.median(eye.levels, axis=1).astype(np.float64)
        odd = np.flatnonzero(odd_levels(grid, levels, free) | odd_patterns(eye.levels, free))
        left = (int(cell) for cell in odd)
        for read in eye.reader.read(image, left, is_thorough=True, contrast=contrast):
            eye.read.setdefault(read.cell, read)
        self._parts, strange = self._found(eye, set())
        self._explain(eye, strange)
        eye.read.clear()
        eye.bases = None
        self._shown = {read.cell: self._sighting(read) for read in self._parts.values()}
        self._rest_since_ms = now_ms
        free[[*self._shown, *odd]] = False
        self._light.learn(eye.levels, free)
        return self._observation(now_ms, (), has_gap=True)

    def _begin_again(self) -> None:
        """Read the whole board again in the next images: tags are at other heights."""
        self._eye, self._searched_ms = None, None
        self._parts, self._shown = {}, None

    def _measure(self, eye: ViewState, reads: Iterable[Read]) -> bool:
        """Correct heights that are unknown, from the tags *reads*; True if they have changed."""
        outfit, view = self._outfit, eye.reader.view
        own = [read.known for read in reads if read.known.tag in outfit.marks.keys() - outfit.heights_mm]
        if outfit.is_height_known or len(own) <= self._measured:
            return False
        self._measured = len(own)
        at_mm = np.array([known.at_mm for known in own])
        appears_px = view.to_image(at_mm, np.array([known.height_mm for known in own]))
        board = CellsInView(view, eye.reader.middles_mm, eye.reader.edges_mm)
        kinds = [outfit.marks[known.tag].piece.kind for known in own]
        found = heights_of(board, view.to_board(appears_px), kinds, outfit.height_mm)
        self._is_height_open &= found is None and may_mislead(board)
        if found is None:
            return False
        usual_mm, of_kinds = found
        heights_mm = {
            tag: of_kinds[mark.piece.kind]
            for tag, mark in outfit.marks.items()
            if mark.piece.kind in of_kinds
        }
        if usual_mm == outfit.height_mm and not heights_mm:
            return False
        self._outfit = replace(outfit, height_mm=usual_mm, heights_mm={**outfit.heights_mm, **heights_mm})
        eye.reader = reader_of(self._outfit, self._codes, view)
        return True

    def _refuse(self, reasons: Mapping[CameraProblem, Flags]) -> None:
        """Report the *reasons* why the game has not started, with their cells."""
        self.places = {
            problem: tuple(map(int, np.flatnonzero(cells)))
            for problem, cells in reasons.items()
            if cells.any()
        }
        self.troubles = frozenset(reasons) | self.troubles & {CameraProblem.CAMERA_MOVED}

    def _learn(self, eye: ViewState, cells: Flags) -> None:
        """Learn the look of those of *cells* that are empty."""
        free = cells.copy()
        free[[read.cell for read in self._parts.values()]] = False
        if free.any():
            self._light.learn(eye.levels, free)

    def _is_lost(self, eye: ViewState, sure: Flags) -> bool:
        """True if almost no tag was in its place in the last images."""
        corners = len(self._outfit.corners)
        share = sure.mean() if len(sure) else 1.0
        is_missing = share < FEWEST or (share < MOST and corners > 0 and sure[:corners].sum() < 2)
        eye.lost = eye.lost + 1 if is_missing else 0
        return eye.lost >= LOST

    def _search(self, image: Grey, now_ms: int) -> None:
        """Search the board in the whole image, unless that was done just before."""
        if self._searched_ms is not None and now_ms - self._searched_ms < SEARCH_MS:
            return
        self._searched_ms = now_ms
        outfit = self._outfit
        located = self._located(image)
        if located.view is None:
            problem = located.problem or CameraProblem.BOARD_NOT_FOUND
            beside = outfit.cells_beside(located.hidden)
            self.troubles, self.places = frozenset({problem}), {problem: beside} if beside else {}
            self.board = located.board
            return
        view = located.view
        self._corners = lying(outfit, located.ids)
        self.troubles, self.places = frozenset({CameraProblem.CAMERA_MOVED} if self._eye else ()), {}
        self._beginning = Beginning()
        reader = reader_of(outfit, self._codes, view)
        cover = Cover(reader.middles_mm, reader.edges_mm, self._light)
        calm = np.zeros(len(outfit.grid), np.int32)
        middles = np.array([*outfit.corners.values()]).reshape(-1, 2)
        steadying = Steadying(image, view.to_image(middles))
        self._eye = ViewState(reader, reader.look(image), self._light, cover, calm, steadying)

    def _located(self, image: Grey) -> Located:
        """The view of the board in *image*, or why it cannot be determined."""
        outfit = self._outfit
        if outfit.corners:
            return search(image, outfit)
        is_lost = self._eye is not None or outfit.view is None or outfit.view.size_px != image.shape[::-1]
        return Located(None if is_lost else outfit.view)


def _bits(cells: NDArray[np.intp]) -> int:
    """The occupancy of *cells*."""
    return occupancy_of(int(cell) for cell in cells)
