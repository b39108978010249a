# SPDX-License-Identifier: Apache-2.0
"""Task of a table's camera: opens the source and passes its images to a sensor.

Its rule: the sensor runs in a thread, one image at a time, so that the event loop never waits for
it. A lost camera is searched for as long as the table exists; a film that has ended has ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NoReturn, Protocol, TypeAlias

from companion.host.clock import Clock
from companion.host.devices.camera_status import CameraState, CameraStatus, ImageResult
from companion.host.retry import USUAL, Intervals
from companion.model.errors import CalibrationError, CameraMismatch, CameraUnavailable, Outage
from companion.model.grid import Cell, Grid
from companion.model.observation import Observation
from companion.sensing.problems import NO_BOARD, CameraProblem

if TYPE_CHECKING:  # both import OpenCV, which only players with a camera need
    from companion.sensing.capture import Capture
    from companion.sensing.devices import Identity
    from companion.sensing.vision.codes import Grey
    from companion.sensing.vision.geometry import View

_WAIT_S: Final = 0.2
"""Longest wait of the thread for an image, and so for it to stop."""
_AGAIN_MS: Final = 250
"""Interval of reports without news; the fusion with a panel needs them."""
_SILENT_MS: Final = 3000
"""An open camera without images for this long counts as lost."""
_STRANGE_MS: Final = 5000
"""A guessed camera that shows no board for this long is taken for another one."""


class ImageSensor(Protocol):
    """Makes observations from images."""

    @property
    def troubles(self) -> frozenset[CameraProblem]:
        """What keeps it from seeing well."""
        ...

    @property
    def places(self) -> Mapping[CameraProblem, tuple[Cell, ...]]:
        """The affected cells of some problems."""
        ...

    @property
    def board(self) -> str:
        """The name of the other board, if one lies there."""
        ...

    @property
    def sight(self) -> tuple[View, Grid] | None:
        """The view of the board's grid; None before it is found."""
        ...

    def observe(self, image: Grey, now_ms: int) -> Observation | None:
        """Return the observation from *image*;

        None if it shows nothing new.

        Raises `CalibrationError`.
        """
        ...


Judge: TypeAlias = "Callable[[Capture, Grey], frozenset[CameraProblem]]"
"""Returns the problems of an image itself.

Raises `CameraMismatch` if it does not fit the profile.
"""
OpenCamera: TypeAlias = "Callable[[Clock, Identity | None], Capture]"
"""Makes a source; given an identity, for that same camera under its present number."""


class CameraTask:
    """A camera and its image sensor."""

    def __init__(
        self,
        camera: OpenCamera,
        image_sensor: ImageSensor,
        judge: Judge,
        clock: Clock,
        intervals: Intervals = USUAL,
    ) -> None:
        self._camera = camera
        self._image_sensor = image_sensor
        self._judge = judge
        self._intervals = intervals
        self._clock = clock
        self._last_status = CameraStatus()
        self._last_report_ms = 0
        self._has_watched = False
        self._latest: Grey | None = None
        """The last image; None before the first."""
        self._identity: Identity | None = None
        """Identity of the open local camera; it is searched for under this number first."""

    def picture(self) -> bytes | None:
        """Return the last image as a JPEG file, with the cells it hides.

        None if it shows nothing wrong. Takes some ms.
        """
        from companion.sensing.annotated import annotated

        image, status = self._latest, self._last_status
        if image is None or not status.is_shown:
            return None
        return annotated(image, self._image_sensor.sight, status.cells)

    async def run(self, report: Callable[[ImageResult], None], *, was_there: bool = False) -> None:
        """Watch until cancelled, or until a film ends;

        *report* is called on the event loop.

        *was_there*: an earlier game used the camera, so a missing one is waited for. Otherwise
        raises `CameraUnavailable` or `CameraMismatch` if no fitting camera is there at the start.
        """
        self._has_watched = was_there
        while True:
            capture = self._camera(self._clock, self._identity)
            try:
                async with _opened(capture):
                    await self._watch(capture, report)
            except CameraUnavailable as fault:
                state = CameraState.ENDED if fault.outage is Outage.ENDED else CameraState.LOST
                self._lose(state, fault, report)
            except CameraMismatch as fault:
                self._lose(CameraState.REFUSED, fault, report)
            if capture.is_film:
                return
            await asyncio.sleep(self._intervals.camera_s)

    def _lose(
        self,
        state: CameraState,
        fault: CameraUnavailable | CameraMismatch,
        report: Callable[[ImageResult], None],
    ) -> None:
        """Report that there are no images for now. Raises *fault* if there never were."""
        if not self._has_watched:
            raise fault
        is_gone = fault.outage is Outage.UNREACHABLE  # the camera was there: its address need not be checked
        outage = Outage.UNPLUGGED if is_gone else fault.outage
        self._report(ImageResult(self._clock(), CameraStatus(state, outage, str(fault))), report)

    async def _watch(self, capture: Capture, report: Callable[[ImageResult], None]) -> None:
        """Process the images of an open camera. Raises `CameraUnavailable` and `CameraMismatch`."""
        number, last_ms = -1, self._clock()
        trusted_ms = last_ms
        while True:
            found = await asyncio.to_thread(self._look, capture, number)
            if found is not None:
                number, result = found
                last_ms = result.at_ms
                self._has_watched = True
                self._identity = capture.identity
                self._report(result, report)
                if not capture.is_guess or not result.status.troubles & NO_BOARD:
                    trusted_ms = last_ms
                elif last_ms - trusted_ms > _STRANGE_MS:
                    self._try_next(capture)
            elif self._clock() - last_ms > _SILENT_MS:
                silence = f"camera {capture.source} is open and gives no images"
                self._report(
                    ImageResult(self._clock(), CameraStatus(CameraState.LOST, Outage.SILENT, silence)), report
                )

    def _try_next(self, capture: Capture) -> NoReturn:
        """Try the next camera: *capture* seems to be another one. Raises `CameraUnavailable`."""
        assert capture.identity is not None
        self._identity = replace(capture.identity, number=capture.identity.number + 1)
        raise CameraUnavailable(
            "camera {source} is not there: plug it in again. Another one was tried, and shows no board",
            source=capture.source,
            outage=Outage.MISSING,
        )

    def _look(self, capture: Capture, after: int) -> tuple[int, ImageResult] | None:
        """Process the newest image after number *after*; return its number and result.

        Runs in a thread.
        """
        shot = capture.newest(after, _WAIT_S)
        if shot is None:
            return None
        self._latest = shot.image
        troubles, text, observation = self._judge(capture, shot.image), capture.driver, None
        try:
            observation = self._image_sensor.observe(shot.image, shot.at_ms)
            troubles |= self._image_sensor.troubles
        except CalibrationError as fault:
            troubles, text = troubles | {CameraProblem.BOARD_NOT_FOUND}, str(fault)
        places = {
            trouble: cells for trouble, cells in self._image_sensor.places.items() if trouble in troubles
        }
        status = CameraStatus(
            CameraState.WATCHING,
            text=text,
            troubles=troubles,
            places=places,
            board=self._image_sensor.board,
        )
        return shot.number, ImageResult(shot.at_ms, status, observation)

    def _report(self, result: ImageResult, report: Callable[[ImageResult], None]) -> None:
        """Report news at once, and its absence periodically."""
        is_due = result.at_ms - self._last_report_ms >= _AGAIN_MS
        if is_due or result.observation is not None or result.status != self._last_status:
            self._last_status, self._last_report_ms = result.status, result.at_ms
            report(result)


@asynccontextmanager
async def _opened(capture: Capture) -> AsyncIterator[None]:
    """Open *capture* inside the block.

    Opening and closing may take seconds and are completed even after a cancellation.
    """
    opening = asyncio.ensure_future(asyncio.to_thread(capture.__enter__))
    try:
        await asyncio.shield(opening)
        yield
    finally:
        closing = asyncio.ensure_future(_close(capture, opening))
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            await asyncio.wait({closing})
            raise


async def _close(capture: Capture, opening: asyncio.Future[Capture]) -> None:
    """Close *capture* once it is open, if that succeeds."""
    await asyncio.wait({opening})
    if opening.exception() is None:
        await asyncio.to_thread(capture.__exit__, None, None, None)
