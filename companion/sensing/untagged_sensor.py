# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one sensor; images and times pass through it in one order.
"""Camera above untagged pieces: occupancy by comparison, and sides by colour.

Pure: images and times come in, and nothing here waits.
Visible ground is empty; a cell that looks as before is unchanged;
anything that no piece explains is a hand or a shadow and hides its cells.
Pieces cannot come or go unnoticed: a change is reported when every piece is accounted for,
or when the whole board is visible.
A cell that was seen empty on the way, or looks different, is reported as left and entered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Cell, Grid, edges_mm
from companion.model.observation import EMPTY, Change, Observation, SensorKind, Sighting, Sightings
from companion.model.occupancy import occupancy_of
from companion.sensing.beginning import Beginning
from companion.sensing.camera import LEARN_MS, LOST, OPEN, SEARCH_MS, SURE
from companion.sensing.colours import Colours
from companion.sensing.doubtful_cells import decided
from companion.sensing.empty import filled_in, odd_cells
from companion.sensing.occupancy_estimate import Before, OccupancyEstimate, fullness, judge, toppled, touched
from companion.sensing.problems import CameraProblem
from companion.sensing.tagged_table import nearest_cells
from companion.sensing.unrest import Unrest
from companion.sensing.untagged_table import UntaggedTable
from companion.sensing.view_state import CALM
from companion.sensing.vision.codes import Codes, Grey, Singles, codes_of
from companion.sensing.vision.corner_search import Located, lying, search
from companion.sensing.vision.geometry import View
from companion.sensing.vision.ground import Ground, Picture, changed_samples, ground_of, light_plane, on_plane
from companion.sensing.vision.landmarks import landmarks
from companion.sensing.vision.sampler import Flags, Watched, watch

FEWEST: Final = 2
"""Corners that must be in place; a hand over more hides the board."""
SETTLED: Final = 45
"""Images without a change after which an object beside the board belongs there.

It is a captured piece, for example.
"""
LIFTED_MS: Final = 4_000
"""Time for which a piece that left is expected on another cell."""
HELD: Final = 30
"""Images without a change after which a cell is not under a hand."""
MOVING: Final = 3
"""Samples of a window that change between images where something moves."""
_STEADY: Final = 0.01
"""Change of light too small to follow."""
_BLEND: Final = 0.4
"""Share of a new image in the mean of similar images: it halves the noise."""
_WHITE: Final = 250
"""Level in all colours from which a sample is overexposed."""
_GLARING: Final = 0.25
"""Share of such samples on a cell with a mirrored lamp."""
_ADAPT: Final = 0.2
"""Share of the new in the empty look when it is learned again."""


@dataclass(slots=True)
class _Eye:
    """The state for one view."""

    ground: Ground
    watched: Watched
    levels: NDArray[np.uint8]
    """Of the previous image: (s, channels)."""
    mean: Singles
    """Mean of the images since each sample changed."""
    calm: NDArray[np.int32]
    """Images for which each cell has looked the same."""
    lost: int = 0
    before: Before | None = None
    """The samples at the time of the last report."""
    unrest: Unrest = field(default_factory=Unrest)


@dataclass(slots=True)
class _Book:
    """The state that is independent of the view."""

    occupied: Flags
    disturbed: Flags
    """Cells at which something was since the last report."""
    vacated: Flags
    """Occupied cells that were seen empty since then."""
    sides: dict[Cell, int] = field(default_factory=dict)
    """Sides of the pieces, where known."""
    lifted_ms: list[int] = field(default_factory=list)
    """When pieces left that have not come to another cell."""


class UntaggedSensor:
    """Makes observations from one camera's images of untagged pieces."""

    def __init__(self, table: UntaggedTable, empty: Picture | None = None) -> None:
        """*empty* is an image of the board without pieces.

        Without it, the first images must show `table.start`.
        """
        self._table = table
        self._empty = empty
        self._codes: Codes = codes_of(table.family.bits, table.family.size, [])
        grid = table.grid
        self._middles_mm = np.array([grid.centre_mm(cell) for cell in range(len(grid))])
        self._edges_mm = np.array(edges_mm(grid))
        self._colours = Colours(table.start)
        self._eye: _Eye | None = None
        self._view: View | None = None
        self._book: _Book | None = None
        self._expected: Singles | None = None
        """The empty board in the initial light: (s, channels)."""
        self._origin: Singles | None = None
        """The same as at the start.

        An object beside the board may have been a hand.
        """
        self._plane = np.array([1.0, 0.0, 0.0])
        """The present light over the board, relative to the initial one."""
        self._beginning = Beginning()
        self._hidden = 0
        self._rest_since_ms = 0
        self._searched_ms: int | None = None
        self._learned_ms = 0
        self._is_settled = False
        self.troubles: frozenset[CameraProblem] = frozenset({CameraProblem.BOARD_NOT_FOUND})
        self.board = ""
        """The name of the other board, if one lies there."""
        self.places: dict[CameraProblem, tuple[Cell, ...]] = {}
        """The cells affected by these problems."""

    @property
    def kind(self) -> SensorKind:
        """The present kind: sides once their colours were seen and are distinct."""
        return SensorKind.SIDE if self._colours.are_known else SensorKind.OCCUPANCY

    @property
    def sight(self) -> tuple[View, Grid] | None:
        """The view of the board's grid; None before it is found."""
        return None if self._view is None else (self._view, self._table.grid)

    def observe(self, picture: Picture, now_ms: int) -> Observation | None:
        """The observation for *picture*; None if nothing is new.

        Raises `CalibrationError` if the corner tags do not fit the board.
        """
        eye = self._eye
        if eye is None:
            self._search(picture, now_ms)
            return None
        alike, _ = eye.watched.look(_grey(picture))
        eye.lost = eye.lost + 1 if (alike > SURE).sum() < FEWEST else 0
        if eye.lost >= LOST:
            self._search(picture, now_ms)
            return self._report(now_ms, (), self._table.grid.everything, is_at_rest=False)
        moved = self._take(eye, eye.ground.look(picture))
        if self._book is None:
            return self._begin(eye, picture, now_ms)
        self._book.disturbed |= moved
        if self._is_settled and not moved.any() and now_ms - self._learned_ms < LEARN_MS:
            return None
        return self._account(eye, self._book, now_ms)

    # one image

    def _take(self, eye: _Eye, levels: NDArray[np.uint8]) -> Flags:
        """Process new *levels*: follow the light, and return the cells that have changed."""
        before = self._plane
        if self._expected is not None:
            self._follow(eye.ground, levels)
        shift = np.ones(len(levels), np.float32)
        if self._plane is not before:
            places = eye.ground.places_mm
            shift = (on_plane(self._plane, places) / np.maximum(on_plane(before, places), 0.05)).astype(
                np.float32
            )
        carried = eye.mean * shift[:, None]
        changed = changed_samples(levels, np.clip(eye.levels * shift[:, None], 0, 255))
        eye.mean = np.where(changed[:, None], levels, carried + _BLEND * (levels - carried)).astype(
            np.float32
        )
        eye.levels = levels
        moved: Flags = eye.ground.windows(changed).sum(axis=1) >= MOVING
        eye.calm = np.where(moved, 0, eye.calm + 1).astype(np.int32)
        eye.unrest.note(moved)
        return moved

    def _follow(self, ground: Ground, levels: NDArray[np.uint8]) -> None:
        """Compute the light over the board."""
        assert self._expected is not None
        plane = light_plane(ground, levels, self._expected)
        if np.abs(plane - self._plane).max() > _STEADY:
            self._plane = plane

    def _light(self, ground: Ground) -> Singles:
        """(s, 1): the present light."""
        light: Singles = np.maximum(on_plane(self._plane, ground.places_mm), 0.05)[:, None].astype(np.float32)
        return light

    def _account(self, eye: _Eye, book: _Book, now_ms: int) -> Observation | None:
        """Estimate the occupancy; report changes if all pieces are accounted for."""
        assert self._expected is not None
        ground, light = eye.ground, self._light(eye.ground)
        before = eye.before or _nothing(self._expected, ground.count)
        here = Before(before.occupied, before.levels * light, before.flagged)
        empty = self._empty_now(eye, light)
        stand = judge(ground, eye.mean, empty, here)
        lying = self._lying(ground, book, stand)
        doubtful = (stand.strange | stand.unseen) & (eye.calm >= HELD)
        doubtful |= (stand.occupied & ~book.occupied | stand.changed) & (eye.calm >= CALM)
        doubtful &= ~stand.beside  # what reaches in from outside the board is a hand, however still it is
        lifted = sum(now_ms - left_ms < LIFTED_MS for left_ms in book.lifted_ms)
        stand = decided(ground, eye.mean, empty, stand, doubtful, book.occupied, lifted=lifted)
        fresh = stand.occupied & ~book.occupied
        if 0 < fresh.sum() <= (book.occupied & ~stand.occupied).sum():
            lying[:] = False  # the piece stands upright on the next cell
        strange = stand.strange | lying | stand.beside | (eye.calm < CALM)
        self._explain(eye, (stand.strange | lying) & (eye.calm >= HELD), strange, now_ms)
        hidden = _spread(ground, fresh, stand.unseen | strange)
        is_open = not strange.any()
        occupied = stand.occupied.copy()
        unseen = stand.unseen & ~strange
        if is_open and unseen.any() and (occupied & ~unseen).sum() >= book.occupied.sum():
            occupied[unseen] = hidden[unseen] = False  # all pieces are elsewhere
        fresh, gone = occupied & ~book.occupied & ~hidden, book.occupied & ~occupied & ~hidden
        book.disturbed |= hidden
        book.vacated |= gone
        self._is_settled = bool((eye.calm >= OPEN).all()) and is_open
        is_same = not (stand.occupied & ~book.occupied).any()
        if is_same and not stand.strange.any() and (eye.calm >= SETTLED).all():
            self._learn_beside(ground, eye.mean / light)
        if not is_open and fresh.sum() != gone.sum():
            return self._report(now_ms, (), _bits(hidden | fresh | gone), is_at_rest=False)
        if is_open or fresh.any():
            return self._commit(eye, here, stand, occupied, hidden, now_ms)
        return self._report(now_ms, (), _bits(hidden))

    def _lying(self, ground: Ground, book: _Book, stand: OccupancyEstimate) -> Flags:
        """The cells on which a toppled piece seems to lie."""
        fresh = stand.occupied & ~book.occupied
        has_more = fresh.sum() > (book.occupied & ~stand.occupied).sum()
        if not has_more or ground.bridges:  # an upright wide piece is between cells, too
            return np.zeros(ground.count, np.bool_)
        return toppled(ground, stand, fresh)

    def _empty_now(self, eye: _Eye, light: Singles) -> Singles:
        """(s, channels): the empty board in the present *light*.

        Beside the board, the objects there, or those at the start.
        """
        assert self._expected is not None
        assert self._origin is not None
        expected = self._expected * light
        back = eye.ground.rims.any(axis=0) & ~changed_samples(eye.mean, self._origin * light)
        expected[back] = eye.mean[back]
        return expected

    def _commit(
        self, eye: _Eye, here: Before, stand: OccupancyEstimate, occupied: Flags, hidden: Flags, now_ms: int
    ) -> Observation | None:
        """Record the occupancy of fully accounted pieces, and report the changes."""
        assert self._book is not None
        assert self._expected is not None
        book, ground, light = self._book, eye.ground, self._light(eye.ground)
        occupied = np.where(hidden, book.occupied, occupied)
        stayed = book.occupied & occupied & book.disturbed & ~hidden
        exchanged = stayed & book.vacated
        if eye.before is not None:
            exchanged |= touched(ground, eye.mean, here, stand, stayed)
        fresh, gone = occupied & ~book.occupied, book.occupied & ~occupied
        cells = [*np.flatnonzero(gone), *np.flatnonzero(exchanged)]
        left = [Change(now_ms, int(cell), EMPTY) for cell in cells]
        for cell in np.flatnonzero(gone | exchanged | fresh):
            book.sides.pop(int(cell), None)
        book.occupied = occupied
        book.lifted_ms = [*book.lifted_ms, *[now_ms] * int(gone.sum())][int(fresh.sum()) :]
        book.disturbed, book.vacated = hidden.copy(), book.vacated & hidden
        colours = self._colours.of(ground, eye.mean / light, self._expected, stand.flagged)
        is_news = self._learn_colours(colours, hidden)
        for cell in np.flatnonzero(occupied & ~hidden):
            if int(cell) not in book.sides and (side := self._colours.side(colours[cell])) is not None:
                book.sides[int(cell)] = side
        whole = np.where(ground.near(hidden)[:, None], here.levels, eye.mean) / light
        seen = np.where(ground.near(hidden), here.flagged, stand.flagged)
        eye.before = Before(occupied, whole.astype(np.float32), seen)
        if not hidden.any() and now_ms - self._learned_ms >= LEARN_MS:
            self._learned_ms = now_ms
            self._learn(eye, stand)
        cells = [*np.flatnonzero(fresh), *np.flatnonzero(exchanged)]
        entered = [Change(now_ms, int(cell), self._sighting(int(cell))) for cell in cells]
        report = self._report(now_ms, (*left, *entered), _bits(hidden))
        return self._observation(now_ms, (), has_gap=True) if report is None and is_news else report

    def _learn_colours(self, colours: Singles, hidden: Flags) -> bool:
        """Learn the sides' colours if the board shows the start; True if they are new."""
        assert self._book is not None
        start = _flags(self._table.start, len(hidden))
        if self._colours.are_known or hidden.any() or (start != self._book.occupied).any():
            return False
        self._colours.learn(colours)
        return self._colours.are_known

    def _learn_beside(self, ground: Ground, levels: Singles) -> None:
        """Learn objects that have been beside the board for long without touching it."""
        assert self._expected is not None
        rim = ground.rims.any(axis=0)
        self._expected[rim] = levels[rim]

    def _learn(self, eye: _Eye, stand: OccupancyEstimate) -> None:
        """Adapt the expected ground slowly to the visible one."""
        assert self._expected is not None
        new = eye.mean / self._light(eye.ground)
        clear = ~stand.flagged & ~eye.ground.may[stand.occupied].any(axis=0)
        self._expected[clear] += _ADAPT * (new - self._expected)[clear]

    def _report(
        self, now_ms: int, inputs: tuple[Change, ...], hidden: int, *, is_at_rest: bool = True
    ) -> Observation | None:
        """The observation of *inputs* with the cells *hidden*; None if nothing is new."""
        if inputs or not is_at_rest:
            self._rest_since_ms = now_ms
        if self._book is None or (not inputs and hidden == self._hidden):
            return None
        self._hidden = hidden
        self.troubles -= {CameraProblem.CAMERA_MOVED} if inputs else set()
        return self._observation(now_ms, inputs)

    def _observation(self, now_ms: int, inputs: tuple[Change, ...], *, has_gap: bool = False) -> Observation:
        """All present sightings."""
        assert self._book is not None
        cells = [int(cell) for cell in np.flatnonzero(self._book.occupied)]
        seen = tuple((cell, self._sighting(cell)) for cell in cells) if self._colours.are_known else ()
        sightings = Sightings(occupancy_of(cells), self._hidden, seen)
        return Observation(now_ms, inputs, sightings, self._rest_since_ms, has_gap)

    def _sighting(self, cell: Cell) -> Sighting:
        """The sighting of an occupied cell."""
        assert self._book is not None
        return Sighting(True, side=self._book.sides.get(cell))

    # start and restart

    def _begin(self, eye: _Eye, picture: Picture, now_ms: int) -> Observation | None:
        """The first observation, once the images are still and explained."""
        ground, start = eye.ground, _flags(self._table.start, len(self._middles_mm))
        levels = ground.windows(eye.levels.mean(axis=1).astype(np.uint8))
        stillness = self._beginning.add(picture, levels, now_ms)
        if stillness is None:
            return None
        if not stillness.is_still:
            self._refuse(self._beginning.reasons(stillness, now_ms))
            return None
        eye.levels = ground.look(self._beginning.median())
        eye.mean = eye.levels.astype(np.float32)
        odd = np.zeros(len(start), np.bool_)
        if self._empty is None:
            odd = odd_cells(self._table.grid, ground, eye.mean, start)
            self._expected = filled_in(self._table.grid, ground, eye.mean, start | odd)
        else:
            self._expected = self._seen_empty(self._empty)
            self._follow(ground, eye.levels)
        self._origin = self._expected.copy()
        light = self._light(ground)
        stand, odd = self._start_estimate(eye, self._expected * light, start, odd)
        if odd.any():
            self._refuse_full(eye, odd)
            self._expected = None
            return None
        self._beginning, self.places = Beginning(), {}
        self.troubles &= {CameraProblem.CAMERA_MOVED}
        self._learn_beside(ground, eye.mean / light)
        empty = [fullness(eye.mean, self._expected * light, must) < 0.2 for must in ground.must]
        occupied = np.where(stand.unseen, start & ~np.array(empty), stand.occupied)
        self._book = _Book(occupied, np.zeros(len(start), np.bool_), np.zeros(len(start), np.bool_))
        self._rest_since_ms = now_ms
        here = Before(occupied, eye.mean, stand.flagged)
        self._commit(eye, here, stand, occupied, np.zeros(len(start), np.bool_), now_ms)
        return self._observation(now_ms, (), has_gap=True)

    def _start_estimate(
        self, eye: _Eye, expected: Singles, start: Flags, odd: Flags
    ) -> tuple[OccupancyEstimate, Flags]:
        """The occupancy from which the game may start, and the cells that prevent it.

        *odd*: cells that do not look like the other empty ones.
        """
        stand = judge(eye.ground, eye.mean, expected, _nothing(expected, len(start)))
        stand = replace(stand, strange=stand.strange | odd)
        doubtful = stand.strange | stand.unseen | stand.occupied ^ start
        stand = decided(eye.ground, eye.mean, expected, stand, doubtful, start, is_start=True)
        has_more = stand.occupied.sum() > self._table.most_cells
        return stand, stand.strange | (stand.occupied & ~start & has_more)

    def _explain(self, eye: _Eye, unseen: Flags, strange: Flags, now_ms: int) -> None:
        """Name the cells that stay hidden: *unseen* ones, and *strange* ones that never rest."""
        glaring = unseen & _glaring(eye)
        restless = eye.unrest.delaying(eye.unrest.flickering, now_ms, is_pending=bool(strange.any()))
        self._name(
            {
                CameraProblem.GLARE: glaring,
                CameraProblem.UNSEEN: unseen & ~glaring,
                CameraProblem.RESTLESS: restless,
            }
        )

    def _refuse_full(self, eye: _Eye, odd: Flags) -> None:
        """Report that the cells *odd* do not look empty, or mirror a lamp."""
        glaring = odd & _glaring(eye)
        self._beginning.restart()
        self._name({CameraProblem.GLARE: glaring, CameraProblem.NOT_EMPTY: odd & ~glaring})

    def _name(self, reasons: Mapping[CameraProblem, Flags]) -> None:
        """Report those of *reasons* that have cells."""
        self.places = {
            problem: tuple(map(int, np.flatnonzero(cells)))
            for problem, cells in reasons.items()
            if cells.any()
        }
        self.troubles = frozenset(self.places) | self.troubles & {CameraProblem.CAMERA_MOVED}

    def _refuse(self, reasons: Mapping[CameraProblem, Flags]) -> None:
        """Report the *reasons* why the game has not started, with their cells."""
        self._name(reasons)
        self.troubles |= frozenset(reasons)

    def _seen_empty(self, empty: Picture) -> Singles:
        """The levels of the board in an image without pieces, in that image's own view."""
        view = self._locate(empty).view or self._table.view
        assert view is not None
        ground = ground_of(view, self._table.grid, self._table.stature, self._edges_mm)
        return ground.look(empty).astype(np.float32)

    def _locate(self, picture: Picture) -> Located:
        """The view of the board in *picture*, or why it cannot be determined."""
        table = self._table
        if table.view is not None:
            return Located(table.view)
        return search(_grey(picture), table)

    def _search(self, picture: Picture, now_ms: int) -> None:
        """Search the board in the whole image, unless that was done just before."""
        if self._searched_ms is not None and now_ms - self._searched_ms < SEARCH_MS:
            return
        self._searched_ms = now_ms
        table = self._table
        is_moved = self._eye is not None
        if is_moved and table.view is not None:
            self.troubles = frozenset({CameraProblem.CAMERA_MOVED})  # only a new calibration can find it now
            return
        located = self._locate(picture)
        if located.view is None:
            problem = located.problem or CameraProblem.BOARD_NOT_FOUND
            beside = nearest_cells(table.grid, [table.corners[tag] for tag in located.hidden])
            self.troubles, self.places = frozenset({problem}), {problem: beside} if beside else {}
            self.board = located.board
            return
        self._view = view = located.view
        self.troubles, self.places = frozenset({CameraProblem.CAMERA_MOVED} if is_moved else ()), {}
        self._beginning = Beginning()
        ground = ground_of(view, table.grid, table.stature, self._edges_mm)
        levels = ground.look(picture)
        calm = np.zeros(len(table.grid), np.int32)
        self._eye = _Eye(
            ground, self._marks(view, located.ids, picture), levels, levels.astype(np.float32), calm
        )
        self._is_settled = False

    def _marks(self, view: View, ids: Mapping[int, int], picture: Picture) -> Watched:
        """Landmarks that show a move of the camera:
        the corner tags, or else the board's corners.
        """
        table = self._table
        if table.view is not None:
            return landmarks(view, table.grid, _grey(picture))
        return watch(view, self._codes, lying(table, ids))


def _nothing(expected: Singles, count: int) -> Before:
    """The previous look of an empty board with *count* cells: all samples as *expected*."""
    return Before(np.zeros(count, np.bool_), expected, np.zeros(len(expected), np.bool_))


def _spread(ground: Ground, fresh: Flags, hidden: Flags) -> Flags:
    """*hidden* with all *fresh* pieces connected with it: they are in the hand."""
    while True:
        held = fresh & ~hidden & ground.beside[hidden].any(axis=0)
        if not held.any():
            return hidden
        hidden = hidden | held


def _flags(cells: Iterable[Cell], count: int) -> Flags:
    """(count,): mask of *cells*."""
    flags = np.zeros(count, np.bool_)
    flags[list(cells)] = True
    return flags


def _glaring(eye: _Eye) -> Flags:
    """Cells of which a part is as bright as a mirrored lamp."""
    is_white = eye.levels.min(axis=1) >= _WHITE
    found: Flags = eye.ground.windows(is_white).mean(axis=1) > _GLARING
    return found


def _bits(cells: Flags) -> int:
    """The occupancy of *cells*."""
    return occupancy_of(int(cell) for cell in np.flatnonzero(cells))


def _grey(picture: Picture) -> Grey:
    """*picture* in grey."""
    return picture if picture.ndim == 2 else np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
