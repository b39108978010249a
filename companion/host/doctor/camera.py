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
from companion.model.phrase import Phrase
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
    problem: CameraProblem | None = None
    """Why the board was not found."""
    other: str = ""
    """The name of the other board that lies there."""


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
    yield Finding(Phrase("Camera"), Level.GOOD, f"{facts.source}: {facts.driver}, {width}×{height}")
    if facts.mismatch:
        yield Finding(Phrase("Profile"), Level.FAULT, facts.mismatch, "python -m calibration")
    if not facts.is_film and facts.rate < _SLOW:
        yield Finding(
            Phrase("Pace"),
            Level.FAULT,
            Phrase(
                "{rate:.0f} images a second: moves are seen late; give it more light, a port of its own,"
                " or smaller images",
                rate=facts.rate,
            ),
        )
    elif not facts.is_film:
        yield Finding(Phrase("Pace"), Level.GOOD, Phrase("{rate:.0f} images a second", rate=facts.rate))
    yield from _locks(facts)
    if facts.light is CameraProblem.TOO_BRIGHT:
        yield Finding(
            Phrase("Light"),
            Level.FAULT,
            Phrase("much of the picture is lost in white: move the lamp or the camera"),
        )
    elif facts.light is CameraProblem.TOO_DARK:
        yield Finding(
            Phrase("Light"), Level.FAULT, Phrase("the picture is too dark: more light, or a longer exposure")
        )
    else:
        yield Finding(Phrase("Light"), Level.GOOD, Phrase("neither too dark nor too bright"))


def _locks(facts: CameraFacts) -> Iterator[Finding]:
    """Judge the camera's locked settings."""
    if facts.locked is None:
        return
    named = (
        (Phrase("exposure"), facts.locked.exposure),
        (Phrase("white balance"), facts.locked.white_balance),
        (Phrase("focus"), facts.locked.focus),
    )
    loose = [name for name, is_kept in named if not is_kept]
    if loose:
        said = Phrase(
            "the camera changes {names} by itself, and this program could not switch that off:"
            " the maker's program may; on Linux, v4l2-ctl -L lists the settings",
            names=loose,
        )
        yield Finding(Phrase("Settings of the camera"), Level.NOTE, said)
    else:
        yield Finding(
            Phrase("Settings of the camera"), Level.GOOD, Phrase("it keeps exposure, white balance and focus")
        )


def _reason(board: BoardFacts) -> Phrase | None:
    """Return why the board was not found; None if its corners are hidden."""
    match board.problem:
        case CameraProblem.OTHER_BOARD:
            return Phrase(
                "this is the board of {board}: choose that game, or lay the board of this one",
                board=board.other,
            )
        case CameraProblem.MIRRORED:
            return Phrase("the picture is mirrored: switch that off in the camera's settings")
        case CameraProblem.TWO_BOARDS:
            return Phrase("two boards are in the picture: only the board of this game may be seen")
        case _:
            return None


def _board(board: BoardFacts) -> Iterator[Finding]:
    """Judge the visibility of the board."""
    if reason := _reason(board):
        yield Finding(Phrase("Board"), Level.FAULT, reason)
        return
    if board.residual_px is None:
        yield Finding(
            Phrase("Board"),
            Level.FAULT,
            Phrase(
                "{seen} of {count} corner tags are seen, three are needed: the whole board must be in the picture,"
                " in focus and without glare",
                seen=board.corners_seen,
                count=board.corners,
            ),
            "companion tools print corners",
        )
        return
    if board.residual_px > _FAR_PX:
        said = Phrase(
            "the corner tags are {residual_px:.1f} pixels from where a flat board would have them",
            residual_px=board.residual_px,
        )
        yield Finding(Phrase("Board"), Level.NOTE, said, "python -m calibration")
    else:
        yield Finding(
            Phrase("Board"),
            Level.GOOD,
            Phrase("found, to {residual_px:.1f} pixels", residual_px=board.residual_px),
        )
    cell, px = board.weakest
    said = Phrase("{px:.1f} pixels a module at {cell}, where they are smallest", px=px, cell=cell)
    if px < _COARSE:
        yield Finding(
            Phrase("Tags"),
            Level.FAULT,
            Phrase("{said}: move the camera closer, or print a larger board", said=said),
        )
    elif px < _FINE:
        yield Finding(Phrase("Tags"), Level.NOTE, Phrase("{said}: enough in good light", said=said))
    else:
        yield Finding(Phrase("Tags"), Level.GOOD, said)
    if board.look_ms > _WALL_MS:
        said = Phrase(
            "an image takes {look_ms:.0f} ms of computing: let the camera send smaller images",
            look_ms=board.look_ms,
        )
        yield Finding(Phrase("Speed"), Level.FAULT, said)
    else:
        yield Finding(
            Phrase("Speed"),
            Level.GOOD,
            Phrase("an image takes {look_ms:.2f} ms of computing", look_ms=board.look_ms),
        )


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
            found.append(CameraProbe(_size_of(shot), is_good=True))

    trying = threading.Thread(target=attempt, name=f"glimpse of {source}", daemon=True)
    trying.start()
    trying.join(patience_s)
    if found:
        return found[0]
    silent = Phrase(
        "camera {source} gives no picture within {patience_s} s", source=source, patience_s=patience_s
    )
    return CameraProbe(silent, is_good=False)


def _size_of(shot: Shot) -> Phrase:
    """Return the size of an image, for people."""
    height, width = shot.image.shape[:2]
    return Phrase("{width}×{height} pixels", width=width, height=height)


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
    from companion.sensing.vision.corner_search import search

    last, count = shots[-1].image, len(outfit.corners)
    found = search(last, outfit) if outfit.corners else None
    seen = 0 if found is None or not found.ids else count - len(found.hidden)
    view = outfit.view if found is None else found.view
    if view is None:
        assert found is not None
        return BoardFacts(seen, count, problem=found.problem, other=found.board)
    grid, module_mm = outfit.grid, outfit.tag_mm / outfit.family.width
    px = {cell: view.px_per_mm(grid.centre_mm(cell)) * module_mm for cell in range(len(grid))}
    weakest = min(px, key=lambda cell: px[cell])
    sensor, costs_ms = CameraSensor(outfit), []
    for shot in shots:
        begun_ns = time.thread_time_ns()
        sensor.observe(shot.image, shot.at_ms)
        costs_ms.append((time.thread_time_ns() - begun_ns) / 1e6)
    return BoardFacts(
        seen,
        count,
        view.residual_px,
        (grid.name(weakest), px[weakest]),
        sorted(costs_ms)[len(costs_ms) // 2],
    )
