# SPDX-License-Identifier: Apache-2.0
"""The camera workshop: takes images and commands, and holds the results. Pure.

First the board is located, by its tags or by dragged corners; then the grid is fitted to its lines;
a person confirms it; references, heights and a lens are added; the result is a profile.
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
from calibration.marks import Look, finder, middle_image, tags_in
from calibration.reference_check import doubt
from calibration.table import Table, kinds_of, outfit_of, profile_of
from calibration.view_fit import Fit, Origin, fit_hand, fit_tags, handles_mm
from calibration.wording import PieceName, Sentence, sentence
from companion import games
from companion.model.errors import CalibrationError, CompanionError
from companion.sensing.profile import CameraData, Heights, Locked, Profile, References
from companion.sensing.tagged_table import as_seen
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.discs import grey_of
from companion.sensing.vision.geometry import Floats, Lens, View

_IMAGES: Final = 5
"""Number of images that are combined: enough to average the noise."""
_INSET: Final = 0.2
"""Initial distance of the handles from the image's edges, as a share."""
_HIGHEST_MM: Final = 300


class Stage(StrEnum):
    """Progress of the calibration."""

    LOOKING = "looking"
    LAID = "laid"
    """The grid is drawn and awaits confirmation."""
    CONFIRMED = "confirmed"


@dataclass(frozen=True, slots=True)
class Note:
    """The last message: a sentence, or the error that stopped a command."""

    said: Sentence | CompanionError | None = None
    is_fault: bool = False


class Workshop:
    """One camera before one table."""

    def __init__(self, table: Table, name: str = "") -> None:
        """Nothing is detected yet. Raises as `outfit_of` does."""
        self.table = table
        self.outfit = outfit_of(table)
        self.name = name or table.game
        self.locked: Locked | None = None
        self.stage = Stage.LOOKING
        self.origin = Origin.TAGS
        self.look = Look()
        self.corners_px: Floats | None = None
        """(4, 2): dragged handles; None while tags define the corners."""
        self.fit: Fit | None = None
        self.assessment: Assessment | None = None
        self.references: dict[Shown, Grey] = {}
        self.lens: LensFit | None = None
        self.views: list[ChartView] = []
        self.is_charting = False
        self.note = Note()
        self._found = Note()
        """The latest detection."""
        self._images: deque[Grey] = deque(maxlen=_IMAGES)
        self._taken: deque[Grey] = deque(maxlen=_IMAGES)
        """The same, in colour if the images are."""
        self._find = finder(self.outfit.family)

    @property
    def size_px(self) -> tuple[int, int] | None:
        """Width and height of the images; None before the first."""
        return (self._images[-1].shape[1], self._images[-1].shape[0]) if self._images else None

    @property
    def view(self) -> View | None:
        """The view of the board, as far as known."""
        return None if self.fit is None else self.fit.view

    @property
    def handles_px(self) -> Floats | None:
        """(4, 2): the corners of the board, known or presumed."""
        if self.corners_px is not None:
            return self.corners_px
        return None if self.view is None else self.view.to_image(handles_mm(self.outfit.grid))

    def see(self, image: Grey) -> None:
        """Add an image, grey or BGR; a new size restarts the calibration."""
        if self._images and self._images[-1].shape != image.shape[:2]:
            self._images.clear()
            self._taken.clear()
            self.origin, self.corners_px, self.lens = Origin.TAGS, None, None
            self.views.clear()
            self._begin_again()
        self._images.append(grey_of(image))
        self._taken.append(image)

    def survey(self) -> None:
        """Detect tags, or the chart if requested, in the newest image.

        Takes 0.1 to 0.2 s.
        """
        if not self._images:
            return
        newest = self._images[-1]
        self.look = tags_in([newest], self._find)
        self.outfit = as_seen(self.outfit, {each.tag for each in self.look.tags})
        if self.is_charting and len(self.views) < ENOUGH_VIEWS:
            view = chart_in(newest)
            if view is not None and is_new(view, self.views):
                self.views.append(view)
        if self.stage is Stage.LOOKING and self.origin is Origin.TAGS and not self.is_charting:
            try:
                self.fit = fit_tags((self.look, newest), self.outfit, self._lens(), snaps=False)
            except CalibrationError as fault:
                self.fit = None
                self._show(Note(fault, is_fault=True))
            else:
                self._show(Note(sentence("page.found")))

    def _show(self, found: Note) -> None:
        """Show *found*, unless it hides the result of a command.

        Only a board that has just been found is worth that.
        """
        has_come = found != self._found and not found.is_fault
        if has_come or self.note in (Note(), self._found):
            self.note = found
        self._found = found

    def do(self, command: WorkshopCommand) -> None:
        """Execute a command; errors are shown in the note."""
        self.note = Note()
        try:
            self._do(command)
        except CompanionError as fault:
            self.note = Note(fault, is_fault=True)

    def discard(self) -> None:
        """Discard all results and inputs except the choice of the table."""
        self.table = replace(self.table, heights=Heights())
        self.outfit = outfit_of(self.table)
        self.origin, self.corners_px, self.lens, self.is_charting = Origin.TAGS, None, None, False
        self.views.clear()
        self._begin_again()
        self.note = Note(sentence("page.discarded"))

    def profile(self, made: str, camera: CameraData) -> Profile:
        """The profile of all results. Raises `CalibrationError` before the grid is confirmed."""
        if self.fit is None or self.stage is not Stage.CONFIRMED:
            raise CalibrationError("the grid is not confirmed yet")
        shown = {what.value: f"{self.name}-{what.value}.png" for what in self.references}
        try:
            return profile_of(self.name, made, camera, self.table, self.fit, References(**shown))
        except ValueError as fault:
            raise CalibrationError("{reason}", reason=fault) from fault

    # commands

    def _do(self, command: WorkshopCommand) -> None:
        """Execute it. Raises `CompanionError`."""
        match command:
            case Choose():
                self._choose(command)
            case Drag():
                self._drag(command)
            case ByTags() | Lay() | Lift() | Confirm():
                self._update_grid(command)
            case Refer() | Forget():
                self._update_references(command)
            case SetHeight() | MeasureHeight():
                self._update_height(command)
            case Chart() | UseLens() | DropLens():
                self._update_lens(command)
            case Call():
                self.name = command.name.strip()

    def _choose(self, command: Choose) -> None:
        """Restart for another table, if it is different."""
        table = Table(command.game, dict(command.options), float(command.cell_mm) or None, command.has_tags)
        if command.cell_mm < 0 or command.cell_mm > 500:
            raise CalibrationError(
                "cells of {cell_mm} mm: measure one cell from edge to edge, in mm", cell_mm=command.cell_mm
            )
        if table.game == self.table.game:
            table = replace(table, heights=self.table.heights)
        if table == self.table:
            return  # it is selected already
        self.outfit = outfit_of(table)
        if self.name == self.table.game:
            self.name = table.game
        self.table = table
        self._begin_again()

    def _drag(self, command: Drag) -> None:
        """Move one corner, and draw the resulting grid."""
        if self.size_px is None or not 0 <= command.corner < 4:
            raise CalibrationError("there is no picture yet to drag corners on")
        width, height = self.size_px
        handles = self.handles_px
        if handles is None:
            left, right = _INSET * width, (1 - _INSET) * width
            far, near = _INSET * height, (1 - _INSET) * height
            handles = np.array([(left, near), (right, near), (right, far), (left, far)])
        handles = handles.copy()
        handles[command.corner] = (np.clip(command.x, 0, width - 1), np.clip(command.y, 0, height - 1))
        self.origin, self.corners_px = Origin.HAND, handles
        self._begin_again()

    def _update_grid(self, command: ByTags | Lay | Lift | Confirm) -> None:
        """Fit, reset or confirm the grid."""
        if isinstance(command, ByTags | Lift):
            if isinstance(command, ByTags):
                self.origin, self.corners_px = Origin.TAGS, None
            self._begin_again()
        elif isinstance(command, Lay):
            self._lay()
        elif self.stage is Stage.LAID:
            self.stage, self.note = Stage.CONFIRMED, Note(sentence("page.confirmed"))
        else:
            raise CalibrationError("there is no grid to confirm: lay it first")

    def _lay(self) -> None:
        """Fit the grid exactly, and report the residual."""
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
        self.note = Note(sentence("page.laid"))

    def _update_references(self, command: Refer | Forget) -> None:
        """Store or remove a reference."""
        if isinstance(command, Forget):
            self.references.pop(command.shown, None)
            return
        if self.view is None or self.stage is not Stage.CONFIRMED:
            raise CalibrationError("confirm the grid before you take a reference")
        images = list(self._images)
        if exposure_of(images, self.look, self.outfit, self.view).motion > MOST_MOTION:
            self.note = Note(sentence("advice.moves"), is_fault=True)
            return
        rules = games.find(self.table.game).rules(self.table.options)
        expected = {} if command.shown is Shown.EMPTY else rules.placement(rules.initial()).by_cell()
        look = tags_in(images, self._find)
        reason = doubt(look, self.outfit, self.view, expected, has_tags=self.table.has_tags)
        if reason is not None:
            self.note = Note(reason, is_fault=True)
            return
        self.references[command.shown] = middle_image(list(self._taken))
        self.note = Note(sentence(f"page.took-{command.shown}"))

    def _update_height(self, command: SetHeight | MeasureHeight) -> None:
        """Set or measure a height."""
        kinds = kinds_of(self.outfit)
        if command.kind and command.kind not in kinds:
            raise CalibrationError(
                "there are no pieces called {kind}; there are {known}", kind=command.kind, known=tuple(kinds)
            )
        if isinstance(command, SetHeight):
            if not 0 <= command.mm <= _HIGHEST_MM:
                raise CalibrationError(
                    "a height of {mm} mm cannot be: measure from the board to the tag", mm=command.mm
                )
            mm = float(command.mm)
        else:
            mm = self._measured(command)
        heights = self.table.heights
        if command.kind:
            heights = Heights(heights.usual_mm, {**heights.kinds, command.kind: mm})
        else:
            heights = Heights(mm, heights.kinds)
        self.table = replace(self.table, heights=heights)
        self.outfit = outfit_of(self.table)
        if self.fit is not None and self.stage is not Stage.LOOKING:
            self._assess()

    def _measured(self, command: MeasureHeight) -> float:
        """The measured height of pieces of a kind, in mm, rounded to tenths."""
        if self.view is None or self.stage is Stage.LOOKING:
            raise CalibrationError("lay the grid before heights are measured")
        cells = self.outfit.grid.cells(command.cells)
        look = tags_in(list(self._images), self._find)
        stood = stood_on(look, self.outfit, self.view, command.kind, cells)
        height = height_from(self.outfit, self.view, stood)
        kind = PieceName(self.table.game, command.kind)
        measured = {"mm": height.height_mm, "sigma": height.sigma_mm, "count": len(stood)}
        self.note = Note(sentence("page.measured", kind=kind, **measured))
        return round(height.height_mm, 1)

    def _update_lens(self, command: Chart | UseLens | DropLens) -> None:
        """Collect views of the chart, compute a lens, or discard them."""
        if isinstance(command, Chart):
            self.is_charting = command.is_on
            return
        self.is_charting = False
        if isinstance(command, DropLens):
            self.views.clear()
            self.lens = None
        else:
            self.lens = lens_from(self.views, self.size_px or (1, 1))
            self.note = Note(sentence("page.lens-found", rms=self.lens.rms_px, views=self.lens.views))
        self._begin_again()

    def _assess(self) -> None:
        """Report the assessment."""
        assert self.fit is not None
        self.assessment = assess(
            list(self._images), self.look, self.fit, self.outfit, self.locked, has_tags=self.table.has_tags
        )

    def _begin_again(self) -> None:
        """Search for the board again; dragged corners stay."""
        self.stage, self.fit, self.assessment, self._found = Stage.LOOKING, None, None, Note()
        self.references.clear()
        if self.corners_px is not None and self._images:
            images = self.look, self._images[-1]
            self.fit = fit_hand(images, self.outfit, self.corners_px, self._lens(), snaps=False)

    def _lens(self) -> Lens | None:
        """The lens from the chart, or None."""
        return None if self.lens is None else self.lens.lens
