# SPDX-License-Identifier: Apache-2.0
"""The camera workshop's course: images and wishes come in, and what has come of them is held here. Pure.

First the board is looked for, by its tags or by corners that a hand drags; then the grid is laid by the board's lines;
a person confirms that it lies right; references, heights and a lens are taken; and a profile comes out.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

import numpy as np

from calibration.assessment import Assessment, assess
from calibration.chart import ENOUGH_VIEWS, ChartView, LensFit, chart_in, is_new, lens_from
from calibration.commands import (
    ByTags,
    Call,
    Chart,
    Choose,
    Confirm,
    Drag,
    DropLens,
    Forget,
    Lay,
    Lift,
    MeasureHeight,
    Refer,
    SetHeight,
    Shown,
    UseLens,
    WorkshopCommand,
)
from calibration.exposure import MOST_MOTION, exposure_of
from calibration.heights import height_from, stood_on
from calibration.marks import Look, finder, grey_of, middle_image, tags_in
from calibration.reference_check import doubt
from calibration.table import Table, kinds_of, outfit_of, profile_of
from calibration.view_fit import Fit, Origin, fit_hand, fit_tags, handles_mm
from calibration.wording import PieceName, Sentence, say
from companion import games
from companion.model.errors import CalibrationError, CompanionError
from companion.sensing.profile import CameraData, Heights, Locked, Profile, References
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.geometry import Floats, Lens, View

_IMAGES: Final = 5
"""Images that are looked at together: enough to take the noise out."""
_INSET: Final = 0.2
"""Share of the image on each side of the corners that a hand begins with."""
_HIGHEST_MM: Final = 300


class Stage(StrEnum):
    """How far it is."""

    LOOKING = "looking"
    LAID = "laid"
    """The grid is drawn and waits to be confirmed."""
    CONFIRMED = "confirmed"


@dataclass(frozen=True, slots=True)
class Note:
    """The last message: a sentence, or the error that stopped a command."""

    said: Sentence | CompanionError | None = None
    is_fault: bool = False


class Workshop:
    """One camera before one table."""

    def __init__(self, table: Table, name: str = "") -> None:
        """Nothing is seen yet. Raises as `outfit_of` does."""
        self.table = table
        self.outfit = outfit_of(table)
        self.name = name or table.game
        self.locked: Locked | None = None
        self.stage = Stage.LOOKING
        self.origin = Origin.TAGS
        self.look = Look()
        self.corners_px: Floats | None = None
        """(4, 2): where the hand has put the handles; None while tags say where they are."""
        self.fit: Fit | None = None
        self.assessment: Assessment | None = None
        self.references: dict[Shown, Grey] = {}
        self.lens: LensFit | None = None
        self.views: list[ChartView] = []
        self.is_charting = False
        self.note = Note()
        self._found = Note()
        """What was found last."""
        self._images: deque[Grey] = deque(maxlen=_IMAGES)
        self._taken: deque[Grey] = deque(maxlen=_IMAGES)
        """The same, in colour if they came so."""
        self._find = finder(self.outfit.family)

    @property
    def size_px(self) -> tuple[int, int] | None:
        """Width and height of the images; None before the first."""
        return (self._images[-1].shape[1], self._images[-1].shape[0]) if self._images else None

    @property
    def view(self) -> View | None:
        """How the board is seen, as far as that is known."""
        return None if self.fit is None else self.fit.view

    @property
    def handles_px(self) -> Floats | None:
        """(4, 2): where the corners of the board are, or are believed to be."""
        if self.corners_px is not None:
            return self.corners_px
        return None if self.view is None else self.view.to_image(handles_mm(self.outfit.grid))

    def see(self, image: Grey) -> None:
        """Take the next image, grey or BGR; one of another size begins anew."""
        if self._images and self._images[-1].shape != image.shape[:2]:
            self._images.clear()
            self._taken.clear()
            self.origin, self.corners_px, self.lens = Origin.TAGS, None, None
            self.views.clear()
            self._begin_again()
        self._images.append(grey_of(image))
        self._taken.append(image)

    def survey(self) -> None:
        """Look for tags, and for the chart instead of the board if it is wanted, in the newest image: a tenth of a second or two."""
        if not self._images:
            return
        newest = self._images[-1]
        self.look = tags_in([newest], self._find)
        if self.is_charting and len(self.views) < ENOUGH_VIEWS:
            view = chart_in(newest)
            if view is not None and is_new(view, self.views):
                self.views.append(view)
        if self.stage is Stage.LOOKING and self.origin is Origin.TAGS and not self.is_charting:
            try:
                self.fit = fit_tags((self.look, newest), self.outfit, self._lens(), snaps=False)
            except CalibrationError as fault:
                self.fit = None
                self._tell(Note(fault, is_fault=True))
            else:
                self._tell(Note(say("page.found")))

    def _tell(self, found: Note) -> None:
        """Say what was *found*, unless that hides what came of a wish: only a board that has come into view is worth it."""
        has_come = found != self._found and not found.is_fault
        if has_come or self.note in (Note(), self._found):
            self.note = found
        self._found = found

    def do(self, wish: WorkshopCommand) -> None:
        """Do what a person asks for; what cannot be done is said in the note."""
        self.note = Note()
        try:
            self._do(wish)
        except CompanionError as fault:
            self.note = Note(fault, is_fault=True)

    def discard(self) -> None:
        """Forget all that was found and said of this table but which it is."""
        self.table = replace(self.table, heights=Heights())
        self.outfit = outfit_of(self.table)
        self.origin, self.corners_px, self.lens, self.is_charting = Origin.TAGS, None, None, False
        self.views.clear()
        self._begin_again()
        self.note = Note(say("page.discarded"))

    def profile(self, made: str, camera: CameraData) -> Profile:
        """The profile of all that was found. Raises `CalibrationError` before the grid is confirmed."""
        if self.fit is None or self.stage is not Stage.CONFIRMED:
            raise CalibrationError("the grid is not confirmed yet")
        shown = {what.value: f"{self.name}-{what.value}.png" for what in self.references}
        try:
            return profile_of(self.name, made, camera, self.table, self.fit, References(**shown))
        except ValueError as fault:
            raise CalibrationError("{reason}", reason=fault) from fault

    # wishes

    def _do(self, wish: WorkshopCommand) -> None:
        """Do it. Raises `CompanionError`."""
        match wish:
            case Choose():
                self._choose(wish)
            case Drag():
                self._drag(wish)
            case ByTags() | Lay() | Lift() | Confirm():
                self._go(wish)
            case Refer() | Forget():
                self._refer(wish)
            case SetHeight() | MeasureHeight():
                self._heighten(wish)
            case Chart() | UseLens() | DropLens():
                self._see_through(wish)
            case Call():
                self.name = wish.name.strip()

    def _choose(self, wish: Choose) -> None:
        """Begin before another table, if it is another one."""
        table = Table(wish.game, dict(wish.options), float(wish.cell_mm) or None, wish.has_tags)
        if wish.cell_mm < 0 or wish.cell_mm > 500:
            raise CalibrationError(
                "cells of {cell_mm} mm: measure one cell from edge to edge, in mm", cell_mm=wish.cell_mm
            )
        if table.game == self.table.game:
            table = replace(table, heights=self.table.heights)
        if table == self.table:
            return  # it is before us already
        self.outfit = outfit_of(table)
        if self.name == self.table.game:
            self.name = table.game
        self.table = table
        self._begin_again()

    def _drag(self, wish: Drag) -> None:
        """Put one corner elsewhere, and draw what grid that makes."""
        if self.size_px is None or not 0 <= wish.corner < 4:
            raise CalibrationError("there is no picture yet to drag corners on")
        width, height = self.size_px
        handles = self.handles_px
        if handles is None:
            left, right = _INSET * width, (1 - _INSET) * width
            far, near = _INSET * height, (1 - _INSET) * height
            handles = np.array([(left, near), (right, near), (right, far), (left, far)])
        handles = handles.copy()
        handles[wish.corner] = (np.clip(wish.x, 0, width - 1), np.clip(wish.y, 0, height - 1))
        self.origin, self.corners_px = Origin.HAND, handles
        self._begin_again()

    def _go(self, wish: ByTags | Lay | Lift | Confirm) -> None:
        """Lay the grid, take it up again, or confirm it."""
        if isinstance(wish, ByTags | Lift):
            if isinstance(wish, ByTags):
                self.origin, self.corners_px = Origin.TAGS, None
            self._begin_again()
        elif isinstance(wish, Lay):
            self._lay()
        elif self.stage is Stage.LAID:
            self.stage, self.note = Stage.CONFIRMED, Note(say("page.confirmed"))
        else:
            raise CalibrationError("there is no grid to confirm: lay it first")

    def _lay(self) -> None:
        """Fit the grid exactly, and say how well."""
        if not self._images:
            raise CalibrationError("there is no picture yet: is the camera plugged in and open?")
        images = list(self._images)
        self.look = tags_in(images, self._find)
        both = self.look, middle_image(images)
        if self.origin is Origin.TAGS:
            fit = fit_tags(both, self.outfit, self._lens())
        elif self.corners_px is None:
            raise CalibrationError("drag the four corners of the board to their places first")
        else:
            fit = fit_hand(both, self.outfit, self.corners_px, self._lens())
        self.corners_px = (
            None if self.origin is Origin.TAGS else fit.view.to_image(handles_mm(self.outfit.grid))
        )
        self.fit, self.stage = fit, Stage.LAID
        self._assess()
        self.note = Note(say("page.laid"))

    def _refer(self, wish: Refer | Forget) -> None:
        """Take or drop a reference."""
        if isinstance(wish, Forget):
            self.references.pop(wish.shown, None)
            return
        if self.view is None or self.stage is not Stage.CONFIRMED:
            raise CalibrationError("confirm the grid before you take a reference")
        images = list(self._images)
        if exposure_of(images, self.look, self.outfit, self.view).motion > MOST_MOTION:
            self.note = Note(say("advice.moves"), is_fault=True)
            return
        rules = games.find(self.table.game).rules(self.table.options)
        expected = {} if wish.shown is Shown.EMPTY else rules.placement(rules.initial()).by_cell()
        look = tags_in(images, self._find)
        reason = doubt(look, self.outfit, self.view, expected, has_tags=self.table.has_tags)
        if reason is not None:
            self.note = Note(reason, is_fault=True)
            return
        self.references[wish.shown] = middle_image(list(self._taken))
        self.note = Note(say(f"page.took-{wish.shown}"))

    def _heighten(self, wish: SetHeight | MeasureHeight) -> None:
        """Learn a height."""
        kinds = kinds_of(self.outfit)
        if wish.kind and wish.kind not in kinds:
            raise CalibrationError(
                "there are no pieces called {kind}; there are {known}", kind=wish.kind, known=tuple(kinds)
            )
        if isinstance(wish, SetHeight):
            if not 0 <= wish.mm <= _HIGHEST_MM:
                raise CalibrationError(
                    "a height of {mm} mm cannot be: measure from the board to the tag", mm=wish.mm
                )
            mm = float(wish.mm)
        else:
            mm = self._measured(wish)
        heights = self.table.heights
        if wish.kind:
            heights = Heights(heights.usual_mm, {**heights.kinds, wish.kind: mm})
        else:
            heights = Heights(mm, heights.kinds)
        self.table = replace(self.table, heights=heights)
        self.outfit = outfit_of(self.table)
        if self.fit is not None and self.stage is not Stage.LOOKING:
            self._assess()

    def _measured(self, wish: MeasureHeight) -> float:
        """The height that pieces of a kind have, in whole tenths of mm."""
        if self.view is None or self.stage is Stage.LOOKING:
            raise CalibrationError("lay the grid before heights are measured")
        cells = self.outfit.grid.cells(wish.cells)
        look = tags_in(list(self._images), self._find)
        stood = stood_on(look, self.outfit, self.view, wish.kind, cells)
        height = height_from(self.outfit, self.view, stood)
        kind = PieceName(self.table.game, wish.kind)
        measured = {"mm": height.height_mm, "sigma": height.sigma_mm, "count": len(stood)}
        self.note = Note(say("page.measured", kind=kind, **measured))
        return round(height.height_mm, 1)

    def _see_through(self, wish: Chart | UseLens | DropLens) -> None:
        """Collect views of the chart, make a lens of them, or forget them."""
        if isinstance(wish, Chart):
            self.is_charting = wish.is_on
            return
        self.is_charting = False
        if isinstance(wish, DropLens):
            self.views.clear()
            self.lens = None
        else:
            self.lens = lens_from(self.views, self.size_px or (1, 1))
            self.note = Note(say("page.lens-found", rms=self.lens.rms_px, views=self.lens.views))
        self._begin_again()

    def _assess(self) -> None:
        """Say how good it is."""
        assert self.fit is not None
        self.assessment = assess(
            list(self._images), self.look, self.fit, self.outfit, self.locked, has_tags=self.table.has_tags
        )

    def _begin_again(self) -> None:
        """Look for the board anew; what a hand has dragged stays."""
        self.stage, self.fit, self.assessment, self._found = Stage.LOOKING, None, None, Note()
        self.references.clear()
        if self.corners_px is not None and self._images:
            images = self.look, self._images[-1]
            self.fit = fit_hand(images, self.outfit, self.corners_px, self._lens(), snaps=False)

    def _lens(self) -> Lens | None:
        """What the chart has shown."""
        return None if self.lens is None else self.lens.lens
