# SPDX-License-Identifier: Apache-2.0
"""The running workshop: open camera, main loop, and profiles on disk.

Its rule: only the loop accesses the workshop; long work runs in a thread, one job at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections import defaultdict, deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from calibration.commands import Accept, Delete, Discard, Errand, Open, Rename, WorkshopCommand
from calibration.files import keep, now
from calibration.page_state import picture
from calibration.profile_diff import Row, compare
from calibration.wording import Words, load, sentence
from calibration.workshop import Note, Stage, Workshop
from companion.feedback.wordfiles import ENGLISH
from companion.host.clock import Clock
from companion.host.devices import profiles
from companion.host.retry import USUAL, Intervals
from companion.host.tasks import Watchers
from companion.host.text.error_translation import translate
from companion.model.errors import CameraUnavailable, CompanionError, Outage, SettingsError
from companion.sensing.capture import Capture, Shot
from companion.sensing.devices import Identity, camera_name, cameras, key_of
from companion.sensing.profile import FILM, CameraData, Profile
from companion.sensing.vision.codes import Grey

_WAIT_S: Final = 0.08
"""Longest wait of the loop: twelve images per second suffice."""
_SURVEY_MS: Final = 800
"""Interval between detections of tags, each of which takes 0.1 to 0.2 s."""
_QUALITY: Final = 80
_GUESSED: Final = 4


@dataclass(frozen=True, slots=True)
class _Unreadable:
    """A kept profile that cannot be read."""

    name: str
    fault: SettingsError


class Shell:
    """One workshop with its camera and its folder of profiles."""

    def __init__(self, workshop: Workshop, clock: Clock, intervals: Intervals = USUAL) -> None:
        """No camera is open yet."""
        self._again_ms = round(intervals.camera_s * 1000)
        self.workshop = workshop
        self.source = ""
        self.jpeg = b""
        """The newest image."""
        self.states: dict[str, str] = {}
        """The complete page state as JSON, in each language in use."""
        self.is_closing = False
        self._clock = clock
        self._wanted: deque[WorkshopCommand | Errand] = deque()
        self._wake = asyncio.Event()
        self._watchers: defaultdict[str, Watchers] = defaultdict(Watchers)
        """By language."""
        self._capture: Capture | None = None
        self._number = -1
        self._newest: Grey | None = None
        self._driver = ""
        self._identity: Identity | None = None
        """Identity of the local camera, by which it is found again."""
        self._comes_back = False
        """True for a camera or stream, which is reopened automatically; False for a film."""
        self._fault: CompanionError | None = None
        self._has_ended = False
        self._tried_ms = 0
        self._surveyed_ms = 0
        self._is_surveyed = False
        """False once there is something new to process."""
        self._rows: tuple[Row, ...] = ()
        self._kept: list[dict[str, Any] | _Unreadable] = []

    def ask(self, command: WorkshopCommand | Errand) -> None:
        """Queue *command*."""
        self._wanted.append(command)
        self._wake.set()

    def watch(self, language: str = ENGLISH) -> contextlib.AbstractContextManager[asyncio.Event]:
        """A block whose event is set whenever there is something new to show in *language*."""
        return self._watchers[language].watch()

    async def run(self) -> None:
        """Run until `is_closing` is set."""
        self._kept = await asyncio.to_thread(_kept_profiles)
        try:
            while not self.is_closing:
                await self._step()
        finally:
            await asyncio.to_thread(self._close)

    async def _step(self) -> None:
        """Process one image and all queued commands."""
        if await asyncio.to_thread(self._look):
            await asyncio.to_thread(self._pack)
        if self._capture is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _WAIT_S)
        self._wake.clear()
        while self._wanted:
            command = self._wanted.popleft()
            self._publish(is_busy=True)
            await asyncio.to_thread(self._do, command)
            self._is_surveyed = False
        if not self._is_surveyed and self._clock() - self._surveyed_ms >= _SURVEY_MS:
            await asyncio.to_thread(self.workshop.survey)
            self._surveyed_ms, self._is_surveyed = self._clock(), True
        self._publish(is_busy=False)

    # in a thread

    def _look(self) -> bool:
        """Take the next image, if any; reopen an unplugged camera."""
        if self._capture is None:
            if (
                self._fault is not None
                and self._comes_back
                and self._clock() - self._tried_ms >= self._again_ms
            ):
                self._open(self.source)
            return False
        try:
            shot: Shot | None = self._capture.newest(self._number, _WAIT_S)
        except CameraUnavailable as fault:
            self._close()
            if fault.outage is Outage.ENDED:
                self._has_ended = True
            else:
                self._fault = fault
            return False
        if shot is None:
            return False
        self._number = shot.number
        self.workshop.see(shot.image)
        self._newest, self._is_surveyed = shot.image, False
        return True

    def _pack(self) -> None:
        """Encode the newest image, if any, for the page."""
        if self._newest is None:
            return
        _, packed = cv2.imencode(".jpg", self._newest, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
        self.jpeg = np.asarray(packed, np.uint8).tobytes()

    def _do(self, command: WorkshopCommand | Errand) -> None:
        """Execute a command."""
        try:
            match command:
                case Open():
                    self._open(command.source)
                case Accept() | Discard():
                    self._finish(command)
                case Rename() | Delete():
                    self._tidy(command)
                case _:
                    self.workshop.do(command)
            self._rows = self._compared()
        except CompanionError as fault:
            self.workshop.note = Note(fault, is_fault=True)

    def _open(self, source: str) -> None:
        """Use *source* from now on."""
        self._close()
        if source != self.source:
            self._identity = None
        self.source, self._tried_ms = source, self._clock()
        self._fault, self._has_ended = None, False
        capture = Capture(source, in_colour=True, again=self._identity)
        try:
            capture.__enter__()
        except CameraUnavailable as fault:
            self._fault = fault
            return
        finally:
            self._comes_back = not capture.is_film
        self._capture, self._number = capture, -1
        self._driver = FILM if capture.is_film else capture.driver
        self._identity = capture.identity
        self.workshop.locked = capture.locked

    def _close(self) -> None:
        """Close the camera."""
        if self._capture is not None:
            self._capture.__exit__(None, None, None)
            self._capture = None

    def _finish(self, command: Accept | Discard) -> None:
        """Store the profile, or discard the results. Raises `CompanionError`."""
        shop = self.workshop
        if isinstance(command, Accept):
            profile = self._profile()
            path = _file_of(profile.name)
            keep(profile, path, {shown.value: image for shown, image in shop.references.items()})
            saved = sentence("page.saved", path=str(path))
            lacks = not shop.table.has_tags and not shop.references
            warned = sentence("lists.both", first=saved, second=sentence("advice.no-reference"))
            shop.note = Note(warned if lacks else saved)
        else:
            shop.discard()
        self._kept = _kept_profiles()

    def _tidy(self, command: Rename | Delete) -> None:
        """Rename or delete a stored profile. Raises `SettingsError`."""
        if command.name not in profiles.names():
            raise SettingsError("there is no profile {name}", name=command.name)
        path = _file_of(command.name)
        if isinstance(command, Rename):
            profiles.rename(path, command.new.strip())
            said = sentence("page.renamed", name=command.name, new=command.new.strip())
        else:
            profiles.delete(path)
            said = sentence("page.deleted", name=command.name)
        self.workshop.note = Note(said)
        self._kept = _kept_profiles()

    def _profile(self) -> Profile:
        """The profile in its present state. Raises `CalibrationError`."""
        size_px = self.workshop.size_px or (1, 1)
        key = "" if self._identity is None else key_of(self._identity.number)
        camera = CameraData(self.source, self._driver, size_px, self.workshop.locked, key)
        return self.workshop.profile(now(), camera)

    def _compared(self) -> tuple[Row, ...]:
        """The comparison with the stored profile, once the grid is confirmed.

        Raises `CompanionError`.
        """
        if self.workshop.stage is not Stage.CONFIRMED:
            return ()
        after = self._profile()
        path = _file_of(after.name)
        return compare(profiles.load(path) if path.exists() else None, after, self.workshop.table)

    # page

    def _publish(self, *, is_busy: bool) -> None:
        """Send news to all browsers, computed once per language."""
        watched = {code: each for code, each in self._watchers.items() if each}
        self.states = {code: self._state(load(code), is_busy=is_busy) for code in watched}
        for watchers in watched.values():
            watchers.notify()

    def _state(self, words: Words, *, is_busy: bool) -> str:
        """The complete page state, in *words*, as JSON."""

        def explain(fault: CompanionError) -> str:
            return translate(fault, words.code)

        fault = "" if self._fault is None else explain(self._fault)
        ended = words.sentence("page.ended", source=self.source) if self._has_ended else ""
        rows = [
            [words.sentence(f"rows.{row.key}"), words.text(row.before), words.text(row.after), row.is_worse]
            for row in self._rows
        ]
        kept = [
            {"name": one.name, "fault": explain(one.fault)} if isinstance(one, _Unreadable) else one
            for one in self._kept
        ]
        state = {
            **picture(self.workshop, words, explain),
            "source": {"name": self.source, "fault": fault, "ended": ended},
            "rows": rows,
            "profiles": kept,
            "busy": is_busy,
        }
        return json.dumps(state)


def local_cameras() -> list[tuple[str, str]]:
    """Numbers and names of this machine's cameras; likely numbers where names are unknown."""
    named = [(str(number), camera_name(number)) for number in cameras()]
    return named or [(str(number), "") for number in range(_GUESSED if sys.platform != "linux" else 0)]


def _file_of(name: str) -> Path:
    """The file of the profile *name*."""
    return profiles.folder() / f"{name}{profiles.SUFFIX}"


def _kept_profiles() -> list[dict[str, Any] | _Unreadable]:
    """All profiles, for the page; an unreadable one with its reason."""
    found: list[dict[str, Any] | _Unreadable] = []
    for name in profiles.names():
        try:
            profile = profiles.load(_file_of(name))
        except SettingsError as fault:
            found.append(_Unreadable(name, fault))
            continue
        found.append(
            {
                "name": name,
                "made": profile.made.replace("T", " ")[:16],
                "camera": profile.camera.source,
                "grid": profile.board.grid,
                "residual": round(profile.fit.residual_px, 2),
            }
        )
    return found
