# SPDX-License-Identifier: Apache-2.0
"""Camera above untagged pieces: how likely each look of each cell is.

Pure: images and times come in, and nothing here waits. Pictures of a board at rest are compared
with what the pieces and squares of this game look like, learned from its known start, and with the
picture before. Nothing is decided for certain: the evidence goes to the referee, who knows which
moves are possible. The sightings are what the pictures alone say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Cell, Grid
from companion.model.observation import (
    Change,
    Evidence,
    Observation,
    SensorKind,
    Sightings,
)
from companion.model.occupancy import Occupancy, occupancy_of
from companion.sensing.appearance import UNKNOWN, tones_of
from companion.sensing.beginning import Beginning
from companion.sensing.camera import LEARN_MS, LOST, SEARCH_MS, SURE
from companion.sensing.first_board import first_board
from companion.sensing.plain_game import PlainGame, begun, changes, evidence
from companion.sensing.problems import CameraProblem
from companion.sensing.tagged_table import nearest_cells
from companion.sensing.unrest import Unrest
from companion.sensing.untagged_table import UntaggedTable
from companion.sensing.vision.codes import Codes, Grey, codes_of, likeness
from companion.sensing.vision.corner_search import Located, lying, search
from companion.sensing.vision.discs import Discs, Looks, Picture, discs_of, grey_of, shading
from companion.sensing.vision.geometry import Floats, View
from companion.sensing.vision.landmarks import landmarks
from companion.sensing.vision.sampler import FixedMap, Flags, Still, Watched, cell_map, watch

FEWEST: Final = 2
"""Corners that must be in place; a hand over more hides the board."""
CALM: Final = 3
"""Images without a change after which a cell is read."""
RESTING: Final = 10
"""Images without a change after which cells are read while others still change."""
STIRRED: Final = 25
"""Images with changes after which cells at rest are read although others still change."""
AGAIN: Final = 10
"""Images with changes after which these are reported again."""
HELD: Final = 30
"""Images without a change after which a cell is not under a hand that moves."""
_WHITE: Final = 250
"""Level in all colours from which a sample is overexposed."""
_GLARING: Final = 0.25
"""Share of such samples on a cell with a mirrored lamp."""
STRANGE: Final = 0.2
"""Likelihood from which a cell is believed to show something else than pieces."""
DECIDED: Final = 2.0
"""Nats by which a class must lead to be read without the rules."""


@dataclass(slots=True)
class _Eye:
    """The state for one view."""

    where: FixedMap
    discs: Discs
    watched: Watched
    still: Still
    """The look of the previous image."""
    glare: Floats
    """(n,): the overexposed share of each cell's window."""
    calm: NDArray[np.int32]
    """Images for which each cell has looked the same."""
    lost: int = 0
    unrest: Unrest = field(default_factory=Unrest)
    stirred: int = 0
    """Images with changes since everything was still, or cells at rest were read."""
    has_moved: bool = True
    """True if anything has moved since the last picture that was read."""


class UntaggedSensor:
    """Makes observations from one camera's images of untagged pieces."""

    def __init__(self, table: UntaggedTable, empty: Picture | None = None) -> None:
        """*empty* is an image of the board without pieces; it helps, and is not needed."""
        self._table = table
        self._empty = empty
        self._codes: Codes = codes_of(table.family.bits, table.family.size, [])
        self._tones = tones_of(table.grid)
        self._middles_mm = np.array([table.grid.centre_mm(cell) for cell in range(len(table.grid))])
        self._eye: _Eye | None = None
        self._view: View | None = None
        self._game: PlainGame | None = None
        self._empty_looks: Looks | None = None
        self._beginning = Beginning()
        self._rest_since_ms = 0
        self._searched_ms: int | None = None
        self._read_ms = 0
        self.troubles: frozenset[CameraProblem] = frozenset({CameraProblem.BOARD_NOT_FOUND})
        self.board = ""
        """The name of the other board, if one lies there."""
        self.places: dict[CameraProblem, tuple[Cell, ...]] = {}
        """The cells affected by these problems."""

    @property
    def kind(self) -> SensorKind:
        """The present kind: sides once their colours were seen and are distinct."""
        is_known = self._game is not None and len(self._game.looks) > 2
        return SensorKind.SIDE if is_known else SensorKind.OCCUPANCY

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
        alike, _ = likeness(eye.watched.templates, _sampled(picture, eye.watched.where))
        eye.lost = eye.lost + 1 if (alike > SURE).sum() < FEWEST else 0
        if eye.lost >= LOST:
            self._search(picture, now_ms)
            return None
        moved = self._watch(eye, picture)
        if self._game is None:
            return self._begin(eye, picture, now_ms)
        if moved.any():
            self._rest_since_ms = now_ms
        stirring = (eye.calm < CALM) & ~eye.unrest.flickering
        self._explain(eye, self._game, now_ms, is_pending=bool(stirring.any()))
        if not stirring.any():
            eye.stirred = 0
            is_due = eye.has_moved or now_ms - self._read_ms >= LEARN_MS
            return self._read(eye, self._game, picture, stirring, now_ms) if is_due else None
        resting = eye.calm >= RESTING
        eye.stirred += 1
        if eye.stirred % STIRRED == 0 and resting.mean() > 0.5:
            return self._read(eye, self._game, picture, ~resting, now_ms)
        if eye.stirred % AGAIN == 1:
            game = self._game
            game.hidden = stirring | game.hidden
            unseen = np.ones_like(stirring)
            seen = evidence(game, np.zeros((len(unseen), len(game.looks))), np.zeros(len(unseen)), unseen)
            return self._observation(game, now_ms, (), seen)
        return None

    # one image

    def _watch(self, eye: _Eye, picture: Picture) -> Flags:
        """The cells that differ from the previous image."""
        levels = _sampled(picture, eye.where)
        moved = eye.still.differing(levels)
        eye.glare = (levels >= _WHITE).mean(axis=1)
        eye.still = Still(levels)
        eye.calm = np.where(moved, 0, eye.calm + 1).astype(np.int32)
        eye.has_moved |= bool(moved.any())
        eye.unrest.note(moved)
        return moved

    def _read(
        self, eye: _Eye, game: PlainGame, picture: Picture, unread: Flags, now_ms: int
    ) -> Observation | None:
        """Read all cells of a picture but the *unread* ones; None if nothing is new."""
        self._read_ms, eye.has_moved = now_ms, bool(unread.any())
        looks = self._even(eye.discs.look(picture), game.board == 0)
        looks = looks.in_light_of(game.before)
        features = self._features(looks)
        costs, strange = game.appearance.costs(features)
        changed = game.difference.evidence(looks, game.before)
        best, cells = costs.argmin(axis=1), np.arange(len(costs))
        lead = costs[cells, game.board] - costs.min(axis=1)
        is_decided = (lead >= DECIDED) & (changed > 0) & ~unread
        agrees = (best == game.board) & ~unread
        board = np.where(is_decided, best, game.board)
        sure = np.sort(costs, axis=1)[:, 1] >= DECIDED
        known = np.where((is_decided | agrees) & sure, board, UNKNOWN)
        game.appearance.learn(features, known)
        game.difference.note(looks, known)
        game.before = looks.only(~unread, game.before)
        game.strange = strange > STRANGE
        hidden = unread | (game.strange & ((changed > 0) | (game.hidden & (best != board))))
        inputs = tuple(changes(game, board, now_ms))
        is_news = bool(inputs or (changed[~unread] > 0).any() or (hidden != game.hidden).any())
        game.board, game.hidden = board, hidden
        if not is_news:
            return None
        self.troubles -= {CameraProblem.CAMERA_MOVED} if inputs else set()
        return self._observation(game, now_ms, inputs, evidence(game, costs, changed, unread))

    def _even(self, looks: Looks, empty: Flags) -> Looks:
        """*looks* in even light over the whole board, by the *empty* cells."""
        return looks.evened(shading(looks, empty, self._tones, self._middles_mm))

    def _features(self, looks: Looks) -> Floats:
        """(n, d): the features of *looks*, also of their distance from the empty board."""
        features = looks.features()
        if self._empty_looks is None:
            return features
        apart = 10 * np.log1p(looks.apart(self._empty_looks))
        return np.column_stack([features, apart])

    def _observation(
        self,
        game: PlainGame,
        now_ms: int,
        inputs: tuple[Change, ...],
        evidence: Evidence | None = None,
        *,
        has_gap: bool = False,
    ) -> Observation:
        """All present sightings."""
        cells = [int(cell) for cell in np.flatnonzero(game.board > 0)]
        seen = tuple((cell, game.looks[game.board[cell]]) for cell in cells)
        seen = seen if self.kind is SensorKind.SIDE else ()
        sightings = Sightings(occupancy_of(cells), _bits(game.hidden), seen)
        return Observation(now_ms, inputs, sightings, self._rest_since_ms, has_gap, evidence)

    # start and restart

    def _begin(self, eye: _Eye, picture: Picture, now_ms: int) -> Observation | None:
        """The first observation, once the images are still and show the known position."""
        levels = _sampled(picture, eye.where)
        stillness = self._beginning.add(picture, levels, now_ms)
        if stillness is None:
            return None
        if not stillness.is_still:
            self._refuse(self._beginning.reasons(stillness, now_ms))
            return None
        picture = self._beginning.median()
        start = np.array([cell in self._table.start for cell in range(len(self._tones))])
        looks = self._even(eye.discs.look(picture), ~start)
        self._empty_looks = None if self._empty is None else self._seen_empty(self._empty, looks)
        assert self._view is not None
        found = first_board(self._features(looks), self._tones, self._table, self._view)
        if found.problem is not None:
            self._beginning.restart()
            self._refuse({found.problem: found.cells})
            return None
        self._beginning, self.places = Beginning(), {}
        self.troubles &= {CameraProblem.CAMERA_MOVED}
        self._rest_since_ms = self._read_ms = now_ms
        eye.has_moved = False
        self._game = game = begun(found, looks, self._features(looks), self._tones)
        return self._observation(game, now_ms, (), has_gap=True)

    def _explain(self, eye: _Eye, game: PlainGame, now_ms: int, *, is_pending: bool) -> None:
        """Name the cells that show something else than pieces, and those that never rest."""
        restless = eye.unrest.delaying(eye.unrest.flickering, now_ms, is_pending=is_pending)
        unseen = game.strange & game.hidden & (eye.calm >= HELD)
        glaring = unseen & (eye.glare > _GLARING)
        self._name(
            {
                CameraProblem.GLARE: glaring,
                CameraProblem.UNSEEN: unseen & ~glaring,
                CameraProblem.RESTLESS: restless,
            }
        )

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

    def _seen_empty(self, empty: Picture, looks: Looks) -> Looks:
        """The empty board in its own image, in the light of *looks*."""
        view = self._locate(empty).view or self._table.view
        assert view is not None
        bare = discs_of(view, self._table.grid, self._table.tallest_mm).look(empty)
        bare = self._even(bare, np.ones(len(self._tones), np.bool_))
        return bare.in_light_of(
            looks, np.array([cell not in self._table.start for cell in range(len(self._tones))])
        )

    def _locate(self, picture: Picture) -> Located:
        """The view of the board in *picture*, or why it cannot be determined."""
        table = self._table
        if table.view is not None:
            return Located(table.view)
        return search(grey_of(picture), table)

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
        where = cell_map(view, table.grid, 0.0)
        self._eye = _Eye(
            where,
            discs_of(view, table.grid, table.tallest_mm),
            self._marks(view, located.ids, picture),
            Still(_sampled(picture, where)),
            np.zeros(len(table.grid)),
            np.zeros(len(table.grid), np.int32),
        )

    def _marks(self, view: View, ids: Mapping[int, int], picture: Picture) -> Watched:
        """Landmarks that show a move of the camera:
        the corner tags, or else the board's corners.
        """
        table = self._table
        if table.view is not None:
            return landmarks(view, table.grid, grey_of(picture))
        return watch(view, self._codes, lying(table, ids))


def _sampled(picture: Picture, where: FixedMap) -> Grey:
    """The grey levels at *where*, (rows, columns), without a look at the rest."""
    levels = np.asarray(cv2.remap(picture, *where, cv2.INTER_LINEAR), np.uint8)
    return levels if levels.ndim == 2 else grey_of(levels)


def _bits(cells: Flags) -> Occupancy:
    """The occupancy of *cells*."""
    return occupancy_of(int(cell) for cell in np.flatnonzero(cells))
