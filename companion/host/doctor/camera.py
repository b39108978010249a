# SPDX-License-Identifier: Apache-2.0
"""Camera diagnosis: opening, frame rate, settings, and visibility of the board's tags.

Its rule: `look` measures; `examine`, which is pure, judges and names remedies.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from companion.host.devices.camera import CameraOptions, CameraSetup, check_libraries, set_up_camera
from companion.host.doctor.checks import Finding, Level
from companion.model.errors import CameraMismatch, CameraUnavailable, Outage
from companion.model.game import Game
from companion.sensing.problems import CameraProblem

if TYPE_CHECKING:
    from companion.sensing.capture import Capture, Shot
    from companion.sensing.profile import Locked
    from companion.sensing.tagged_table import TaggedTable

PATIENCE_S: Final = 5.0
"""Cheap cameras need two seconds for their first image."""
_MOST_IMAGES: Final = 60
_LONGEST_S: Final = 4.0
_SLOW: Final = 12.0
"""Images per second below which moves are seen late: a move takes three."""
_FINE: Final = 3.0
_COARSE: Final = 2.0
"""Pixels per tag module: enough in poor light, and just enough in good light."""
_FAR_PX: Final = 2.0
"""Residual of the corner tags that displaces cells at the edge too far."""
_WALL_MS: Final = 20.0
"""Processor time limit per image: two thirds of the interval at 30 per second."""


@dataclass(frozen=True, slots=True)
class BoardFacts:
    """Visibility of a game's board."""

    corners_seen: int
    corners: int
    residual_px: float | None = None
    """None if the board was not found."""
    weakest: tuple[str, float] = ("", 0.0)
    """Cell where the tags are smallest, and their pixels per module."""
    look_ms: float = 0.0
    """Processor time per image."""


@dataclass(frozen=True, slots=True)
class CameraFacts:
    """Measurements of a camera."""

    source: str
    driver: str
    size_px: tuple[int, int]
    rate: float
    """Images per second."""
    is_film: bool
    locked: Locked | None
    light: CameraProblem | None
    mismatch: str = ""
    """Why the profile cannot be used; empty if it can, or without a profile."""
    board: BoardFacts | None = None
    """None without a game, or if its pieces have no tags."""


def examine(facts: CameraFacts) -> tuple[Finding, ...]:
    """Return all findings, in the order in which they matter."""
    return (*_picture(facts), *(() if facts.board is None else _board(facts.board)))


def _picture(facts: CameraFacts) -> Iterator[Finding]:
    """Judge the source and its images."""
    width, height = facts.size_px
    yield Finding("Camera", Level.GOOD, f"{facts.source}: {facts.driver}, {width}×{height}")
    if facts.mismatch:
        yield Finding("Profile", Level.FAULT, facts.mismatch, "python -m calibration")
    if not facts.is_film and facts.rate < _SLOW:
        yield Finding(
            "Pace",
            Level.FAULT,
            f"{facts.rate:.0f} images a second: moves are seen late; give it more light, a port of its own,"
            " or a smaller picture",
        )
    elif not facts.is_film:
        yield Finding("Pace", Level.GOOD, f"{facts.rate:.0f} images a second")
    yield from _locks(facts)
    if facts.light is CameraProblem.TOO_BRIGHT:
        yield Finding(
            "Light", Level.FAULT, "much of the picture is lost in white: move the lamp or the camera"
        )
    elif facts.light is CameraProblem.TOO_DARK:
        yield Finding("Light", Level.FAULT, "the picture is too dark: more light, or a longer exposure")
    else:
        yield Finding("Light", Level.GOOD, "neither too dark nor too bright")


def _locks(facts: CameraFacts) -> Iterator[Finding]:
    """Judge the camera's locked settings."""
    if facts.locked is None:
        return
    named = {
        "exposure": facts.locked.exposure,
        "white balance": facts.locked.white_balance,
        "focus": facts.locked.focus,
    }
    loose = [name for name, is_kept in named.items() if not is_kept]
    if loose:
        said = (
            f"the camera changes {', '.join(loose)} by itself, and did not let that be switched off:"
            " its own program may; on Linux, v4l2-ctl -L lists what it knows"
        )
        yield Finding("Settings of the camera", Level.NOTE, said)
    else:
        yield Finding("Settings of the camera", Level.GOOD, "it keeps exposure, white balance and focus")


def _board(board: BoardFacts) -> Iterator[Finding]:
    """Judge the visibility of the board."""
    if board.residual_px is None:
        yield Finding(
            "Board",
            Level.FAULT,
            f"{board.corners_seen} of {board.corners} corner tags are seen, three are wanted: all of the board has to be"
            " in the picture, in focus and without glare",
            "companion print corners",
        )
        return
    if board.residual_px > _FAR_PX:
        said = f"the corner tags are {board.residual_px:.1f} pixels from where a flat board would have them"
        yield Finding("Board", Level.NOTE, said, "python -m calibration")
    else:
        yield Finding("Board", Level.GOOD, f"found, to {board.residual_px:.1f} pixels")
    cell, px = board.weakest
    said = f"{px:.1f} pixels a module at {cell}, where they are seen worst"
    if px < _COARSE:
        yield Finding("Tags", Level.FAULT, f"{said}: move the camera closer, or print a larger board")
    elif px < _FINE:
        yield Finding("Tags", Level.NOTE, f"{said}: enough in good light")
    else:
        yield Finding("Tags", Level.GOOD, said)
    if board.look_ms > _WALL_MS:
        said = (
            f"{board.look_ms:.0f} ms of this computer's time an image: let the camera send smaller pictures"
        )
        yield Finding("Speed", Level.FAULT, said)
    else:
        yield Finding("Speed", Level.GOOD, f"{board.look_ms:.2f} ms of this computer's time an image")


def look(camera_options: CameraOptions, game: Game | None) -> CameraFacts:
    """Measure a camera, and how it sees the printed board of *game*; takes seconds.

    Raises `CameraUnavailable`, `SettingsError` and `CalibrationError`.
    """
    check_libraries()
    from companion.sensing.capture import Capture
    from companion.sensing.vision.exposure import light_trouble

    made = None if game is None else set_up_camera(camera_options, game, {})
    with (
        made.open(lambda: time.monotonic_ns() // 1_000_000)
        if made
        else Capture(camera_options.source) as capture
    ):
        shots = _shots(capture)
        last = shots[-1].image
        span_ms = shots[-1].at_ms - shots[0].at_ms
        return CameraFacts(
            camera_options.source,
            capture.driver,
            (last.shape[1], last.shape[0]),
            (shots[-1].number - shots[0].number) * 1000 / span_ms if span_ms else 0.0,
            capture.is_film,
            capture.locked,
            light_trouble(last if last.ndim == 2 else last[:, :, 1]),
            _mismatch(made, capture, shots[-1]),
            None if made is None or made.outfit is None else _seen(made.outfit, shots),
        )


@dataclass(frozen=True, slots=True)
class CameraProbe:
    """Result of a short test of a camera."""

    said: str
    """Image size, or the fault; empty if the libraries are missing."""
    is_good: bool


def glimpse(
    source: str, patience_s: float = PATIENCE_S, one: Callable[[str], Shot | None] | None = None
) -> CameraProbe:
    """Test whether *source* delivers an image within *patience_s*, even if its driver hangs.

    *one* fetches the image.
    """
    found: list[CameraProbe] = []

    def attempt() -> None:
        try:
            check_libraries()
            shot = (one or _one)(source)
        except CameraUnavailable as fault:
            is_tried = fault.outage is not Outage.NOT_INSTALLED
            found.append(CameraProbe(str(fault) if is_tried else "", is_good=not is_tried))
            return
        if shot is not None:
            found.append(CameraProbe("{1}×{0} pixels".format(*shot.image.shape), is_good=True))

    trying = threading.Thread(target=attempt, name=f"glimpse of {source}", daemon=True)
    trying.start()
    trying.join(patience_s)
    silent = CameraProbe(f"camera {source} gives no picture within {patience_s:g} s", is_good=False)
    return found[0] if found else silent


def _one(source: str) -> Shot | None:
    """Return an image of *source*. Raises `CameraUnavailable`."""
    from companion.sensing.capture import Capture

    with Capture(source) as capture:
        return capture.newest(timeout_s=PATIENCE_S)


def _shots(capture: Capture) -> list[Shot]:
    """Return images of some seconds. Raises `CameraUnavailable` if there are none."""
    shots: list[Shot] = []
    until_s = time.monotonic() + _LONGEST_S
    while len(shots) < _MOST_IMAGES and (not shots or time.monotonic() < until_s):
        try:
            shot = capture.newest(shots[-1].number if shots else -1, _LONGEST_S)
        except CameraUnavailable:
            if not shots:
                raise
            break
        if shot is not None:
            shots.append(shot)
    return shots


def _mismatch(made: CameraSetup | None, capture: Capture, shot: Shot) -> str:
    """Return why the profile does not fit the images; empty if it does."""
    try:
        if made is not None:
            made.judge(capture, shot.image)
    except CameraMismatch as fault:
        return str(fault)
    return ""


def _seen(outfit: TaggedTable, shots: list[Shot]) -> BoardFacts:
    """Measure the visibility of the board in *shots*."""
    from companion.sensing.camera import CameraSensor
    from companion.sensing.vision.corner_search import detect, detector, locate

    last = shots[-1].image
    corners = detect(detector(outfit.family, list(outfit.corners)), last) if outfit.corners else []
    view = outfit.view or locate(
        last, outfit.family, outfit.corners, outfit.corner_mm, outfit.lens, outfit.corner_turns_deg
    )
    if view is None:
        return BoardFacts(len(corners), len(outfit.corners))
    grid, module_mm = outfit.grid, outfit.tag_mm / outfit.family.width
    px = {cell: view.px_per_mm(grid.centre_mm(cell)) * module_mm for cell in range(len(grid))}
    weakest = min(px, key=lambda cell: px[cell])
    sensor, costs_ms = CameraSensor(outfit), []
    for shot in shots:
        begun_ns = time.thread_time_ns()
        sensor.observe(shot.image, shot.at_ms)
        costs_ms.append((time.thread_time_ns() - begun_ns) / 1e6)
    return BoardFacts(
        len(corners),
        len(outfit.corners),
        view.residual_px,
        (grid.name(weakest), px[weakest]),
        sorted(costs_ms)[len(costs_ms) // 2],
    )
