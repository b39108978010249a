# SPDX-License-Identifier: Apache-2.0
"""A camera at a table, as a task: it opens the source, lets an eye look at its newest image, and tells what the eye sees.

Its rule: the eye works in a thread of its own, so that the event loop never waits for it, and only one at a time;
a camera that is lost is looked for again for as long as the table stands, a film that has ended has ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NoReturn, Protocol, TypeAlias

from companion.host.clock import Clock
from companion.host.devices.camera_status import CameraStatus, ImageResult, Watch
from companion.model.errors import CalibrationError, CameraMismatch, CameraUnavailable, Outage
from companion.model.grid import Cell
from companion.model.observation import Observation
from companion.sensing.problems import CameraProblem

if TYPE_CHECKING:  # both load OpenCV, which only those need who play with a camera
    from companion.sensing.capture import Capture
    from companion.sensing.devices import Identity
    from companion.sensing.vision.codes import Grey

_RETRY_S: Final = 1.0
"""Between attempts to open a camera that is lost."""
_WAIT_S: Final = 0.2
"""How long the thread waits for an image at a time: it cannot be stopped sooner."""
_AGAIN_MS: Final = 250
"""Between two times at which it is told that nothing is new: who fuses it with a panel waits for that."""
_SILENT_MS: Final = 3000
"""An open camera without images for so long is not only slow."""
_STRANGE_MS: Final = 5000
"""A camera that may be another one, and shows no board for so long, is."""


class ImageSensor(Protocol):
    """Makes observations of images."""

    @property
    def troubles(self) -> frozenset[CameraProblem]:
        """What keeps it from seeing well."""
        ...

    @property
    def places(self) -> Mapping[CameraProblem, tuple[Cell, ...]]:
        """The cells at which some of that is."""
        ...

    def observe(self, image: Grey, now_ms: int) -> Observation | None:
        """What *image* shows; None if nothing new. Raises `CalibrationError`."""
        ...


Judge: TypeAlias = "Callable[[Capture, Grey], frozenset[CameraProblem]]"
"""What is wrong with an image of a camera, whatever it shows. Raises `CameraMismatch` if it is not to be looked at."""
OpenCamera: TypeAlias = "Callable[[Clock, Identity | None], Capture]"
"""Makes a source; of a local camera that was there before, the same one, whatever number it has now."""


class CameraTask:
    """One camera and the eye behind it."""

    def __init__(self, camera: OpenCamera, image_sensor: ImageSensor, judge: Judge, clock: Clock) -> None:
        self._camera = camera
        self._image_sensor = image_sensor
        self._judge = judge
        self._clock = clock
        self._told = CameraStatus()
        self._told_ms = 0
        self._has_watched = False
        self._identity: Identity | None = None
        """Of the local camera that is watched; its number is where it is looked for first."""

    async def run(self, tell: Callable[[ImageResult], None], *, was_there: bool = False) -> None:
        """Watch until cancelled, or until a film has ended; *tell* is called on the event loop.

        *was_there*: another game was watched before, so that a camera that is gone is waited for.
        Else raises `CameraUnavailable` or `CameraMismatch` if there is no camera that fits to begin with.
        """
        self._has_watched = was_there
        while True:
            capture = self._camera(self._clock, self._identity)
            try:
                async with _opened(capture):
                    await self._watch(capture, tell)
            except CameraUnavailable as fault:
                state = Watch.ENDED if fault.outage is Outage.ENDED else Watch.LOST
                self._lose(state, fault, tell)
            except CameraMismatch as fault:
                self._lose(Watch.REFUSED, fault, tell)
            if capture.is_film:
                return
            await asyncio.sleep(_RETRY_S)

    def _lose(
        self, state: Watch, fault: CameraUnavailable | CameraMismatch, tell: Callable[[ImageResult], None]
    ) -> None:
        """There are no more images for now. Raises *fault* if there never were."""
        if not self._has_watched:
            raise fault
        is_gone = fault.outage is Outage.UNREACHABLE  # it was there: nobody need check its address
        outage = Outage.UNPLUGGED if is_gone else fault.outage
        self._say(ImageResult(self._clock(), CameraStatus(state, outage, str(fault))), tell)

    async def _watch(self, capture: Capture, tell: Callable[[ImageResult], None]) -> None:
        """Look at the images of an open camera. Raises `CameraUnavailable`, `CameraMismatch`."""
        number, heard_ms = -1, self._clock()
        doubted_ms = heard_ms
        while True:
            found = await asyncio.to_thread(self._look, capture, number)
            if found is not None:
                number, looked = found
                heard_ms = looked.at_ms
                self._has_watched = True
                self._identity = capture.identity
                self._say(looked, tell)
                if not capture.is_guess or CameraProblem.BOARD_NOT_FOUND not in looked.status.troubles:
                    doubted_ms = heard_ms
                elif heard_ms - doubted_ms > _STRANGE_MS:
                    self._doubt(capture)
            elif self._clock() - heard_ms > _SILENT_MS:
                silence = f"camera {capture.source} is open and gives no images"
                self._say(ImageResult(self._clock(), CameraStatus(Watch.LOST, Outage.SILENT, silence)), tell)

    def _doubt(self, capture: Capture) -> NoReturn:
        """Let the next one be tried: *capture* is another camera, it seems. Raises `CameraUnavailable`."""
        assert capture.identity is not None
        self._identity = replace(capture.identity, number=capture.identity.number + 1)
        raise CameraUnavailable(
            f"camera {capture.source} is not there: plug it in again. Another one was tried, and shows no board",
            outage=Outage.MISSING,
        )

    def _look(self, capture: Capture, after: int) -> tuple[int, ImageResult] | None:
        """The number of the newest image after number *after*, and what came of it; runs in a thread."""
        shot = capture.newest(after, _WAIT_S)
        if shot is None:
            return None
        troubles, text, observation = self._judge(capture, shot.image), capture.driver, None
        try:
            observation = self._image_sensor.observe(shot.image, shot.at_ms)
            troubles |= self._image_sensor.troubles
        except CalibrationError as fault:
            troubles, text = troubles | {CameraProblem.BOARD_NOT_FOUND}, str(fault)
        places = {
            trouble: cells for trouble, cells in self._image_sensor.places.items() if trouble in troubles
        }
        status = CameraStatus(Watch.WATCHING, text=text, troubles=troubles, places=places)
        return shot.number, ImageResult(shot.at_ms, status, observation)

    def _say(self, looked: ImageResult, tell: Callable[[ImageResult], None]) -> None:
        """Tell what is new, and now and then that nothing is."""
        is_due = looked.at_ms - self._told_ms >= _AGAIN_MS
        if is_due or looked.observation is not None or looked.status != self._told:
            self._told, self._told_ms = looked.status, looked.at_ms
            tell(looked)


@asynccontextmanager
async def _opened(capture: Capture) -> AsyncIterator[None]:
    """*capture* open; opening and closing may take seconds, and are waited for even by who was cancelled."""
    opening = asyncio.ensure_future(asyncio.to_thread(capture.__enter__))
    try:
        await asyncio.shield(opening)
        yield
    finally:
        await asyncio.shield(_close(capture, opening))


async def _close(capture: Capture, opening: asyncio.Future[Capture]) -> None:
    """Close *capture* once it is open, if it ever is."""
    await asyncio.wait({opening})
    if opening.exception() is None:
        await asyncio.to_thread(capture.__exit__, None, None, None)
