# SPDX-License-Identifier: Apache-2.0
"""A camera for a table: source, profile, tags and image sensor.

Mismatches are reported before the game begins. Its rule: everything that loads OpenCV is imported
here, when a camera is used, and nowhere else in the host.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from companion import games
from companion.host.clock import Clock
from companion.host.devices.camera_task import CameraTask, ImageSensor
from companion.model.errors import CameraMismatch, CameraUnavailable, Outage, SettingsError
from companion.model.game import Game
from companion.model.grid import Grid, resized
from companion.model.installation import command_for_packages, install_command, this_installation
from companion.model.observation import SensorKind
from companion.sensing.devices import camera_name, cameras
from companion.sensing.problems import CameraProblem
from companion.sensing.sent_images import SentImages

if TYPE_CHECKING:
    from companion.sensing.capture import Capture
    from companion.sensing.devices import Identity
    from companion.sensing.other_boards import OtherBoards
    from companion.sensing.profile import Profile
    from companion.sensing.tagged_table import TaggedTable
    from companion.sensing.vision.codes import Grey


_LEAST_PX: Final = 300
"""Least width and height of images without a profile: 640×360 is enough, 320×240 is not."""


@dataclass(frozen=True, slots=True)
class CameraOptions:
    """Options of a camera from command line and settings."""

    source: str
    """Number, file, folder, URL or `PHONE`."""
    profile: str | None = None
    """Name or file of a profile; None for an uncalibrated camera and printed sheets."""
    is_tagless: bool = False
    """The pieces have no tags; a profile may say so itself."""
    sent: SentImages | None = field(default=None, compare=False, repr=False)
    """The images of a phone, if that is the source."""


@dataclass(frozen=True, slots=True)
class CameraSetup:
    """A camera ready to be opened."""

    kind: SensorKind
    camera_options: CameraOptions
    game: Game
    options: Mapping[str, str]
    profile: Profile | None
    outfit: TaggedTable | None
    """The tags, if the pieces have any."""
    empty: Grey | None = None
    """Image of the empty board, if the pieces have no tags and there is one."""

    def new_task(self, clock: Clock, position: object, *, has_panel: bool = False) -> CameraTask:
        """Make the task that watches a board in, or to be set up in, *position*.

        *has_panel*: there is a panel under the board.
        """
        return CameraTask(self.open, self.image_sensor(position, has_panel=has_panel), self.judge, clock)

    def image_sensor(self, position: object, *, has_panel: bool = False) -> ImageSensor:
        """Make the sensor for its images; without tags it has to know *position*."""
        from companion.sensing.camera import CameraSensor
        from companion.sensing.untagged_sensor import UntaggedSensor
        from companion.sensing.untagged_table import bare, bare_fitted

        if self.outfit is not None:
            return CameraSensor(self.outfit, is_eager=has_panel)
        if self.profile is not None:
            table = bare_fitted(self.profile, self.game, self.options, position)
        else:
            from companion.sheets.board import usual_cell_mm

            edge_mm = usual_cell_mm(self.game.rules(self.options).grid)
            table = bare(self.game, self.options, position=position, edge_mm=edge_mm)
        grid = self.game.rules(self.options).grid
        table = replace(table, others=_other_boards(grid, table.corners))
        return UntaggedSensor(table, self.empty)

    def open(self, clock: Clock, again: Identity | None = None) -> Capture:
        """Make the unopened source; *again* identifies a local camera that was open before."""
        from companion.sensing.capture import USUAL_SIZE_PX, Capture

        size_px = USUAL_SIZE_PX if self.profile is None else self.profile.camera.size_px
        in_colour = self.outfit is None and (self.empty is None or self.empty.ndim == 3)
        return Capture(
            self.camera_options.source,
            size_px=size_px,
            clock=clock,
            in_colour=in_colour,
            again=again,
            sent=self.camera_options.sent,
        )

    def judge(self, capture: Capture, image: Grey) -> frozenset[CameraProblem]:
        """Return the problems of *image* itself.

        Raises `CameraMismatch` if the profile belongs to another camera or image size, or if an
        image without a profile is too small.
        """
        from companion.sensing.vision.exposure import light_trouble

        profile = self.profile
        if profile is not None:
            _check(profile, capture, (image.shape[1], image.shape[0]))
        elif min(image.shape[:2]) < _LEAST_PX:
            raise CameraMismatch(
                "camera {source} gives {width}×{height} pixels, too few to read a board: set it to "
                "640×480 at least",
                source=capture.source,
                width=image.shape[1],
                height=image.shape[0],
                outage=Outage.TOO_SMALL,
            )
        grey = image if image.ndim == 2 else image[:, :, 1]
        light = light_trouble(grey, None if profile is None else profile.fit.corners_px)
        troubles = set() if light is None else {light}
        if capture.locked is not None and not (capture.locked.exposure and capture.locked.white_balance):
            troubles.add(CameraProblem.NOT_LOCKED)
        return frozenset(troubles)


def set_up_camera(camera_options: CameraOptions, game: Game, options: Mapping[str, str]) -> CameraSetup:
    """Prepare the camera of *camera_options* to watch *game*.

    Raises `CameraUnavailable` if the libraries are missing or a reference image cannot be read,
    `SettingsError` and `CalibrationError` if the profile cannot be used for the game.
    """
    check_libraries()
    from companion.host.devices.profiles import images, load, path_of
    from companion.sensing.capture import reference
    from companion.sensing.profile import TAGLESS
    from companion.sensing.tagged_table import USUAL_HEIGHT_MM, fitted, printed
    from companion.sheets.board import usual_cell_mm

    grid = game.rules(options).grid
    if camera_options.profile is None:
        if camera_options.is_tagless:
            return CameraSetup(SensorKind.SIDE, camera_options, game, options, None, None)
        outfit = printed(game, options, USUAL_HEIGHT_MM, cell_mm=usual_cell_mm(grid))
        outfit = replace(outfit, others=_other_boards(grid, outfit.corners), is_height_known=False)
        return CameraSetup(SensorKind.IDENTITY_FACING, camera_options, game, options, None, outfit)
    path = path_of(camera_options.profile)
    profile = load(path)
    _check_board(profile, grid)
    if profile.mode != TAGLESS and not camera_options.is_tagless:
        outfit = fitted(profile, game, options)
        outfit = replace(outfit, others=_other_boards(grid, outfit.corners))
        return CameraSetup(SensorKind.IDENTITY_FACING, camera_options, game, options, profile, outfit)
    empty = images(profile, path).get("empty")
    seen = None if empty is None else reference(empty)
    return CameraSetup(SensorKind.SIDE, camera_options, game, options, profile, None, seen)


def check_libraries() -> None:
    """Check that OpenCV can be imported. Raises `CameraUnavailable` with the remedy."""
    try:
        import companion.sensing.capture  # noqa: F401
    except ModuleNotFoundError as fault:
        raise CameraUnavailable(
            "a camera needs {library}, which is not installed: {install}",
            library=fault.name,
            install=install_command("camera"),
            outage=Outage.NOT_INSTALLED,
        ) from fault
    except ImportError as fault:
        raise CameraUnavailable(
            "OpenCV cannot be loaded ({library}): {install}, or on Debian "
            "sudo apt install libgl1 libglib2.0-0 libxcb1",
            library=fault,
            install=command_for_packages(["opencv-python-headless"], this_installation()),
            outage=Outage.NOT_INSTALLED,
        ) from fault


def _other_boards(grid: Grid, corners: Iterable[int]) -> OtherBoards:
    """Return all printed boards but that of *grid* with the tags *corners*."""
    from companion.sensing.other_boards import OtherBoards, tags_of_boards
    from companion.sensing.tagged_table import corner_middles_mm
    from companion.sheets.board import usual_cell_mm

    def corners_of(board: Grid) -> tuple[tuple[int, tuple[float, float]], ...]:
        return tuple(corner_middles_mm(resized(board, usual_cell_mm(board))).items())

    every = [games.find(slug) for slug in games.slugs()]
    own, titles = corners_of(grid), dict[tuple[tuple[int, tuple[float, float]], ...], list[str]]()
    for game in every:
        titles.setdefault(corners_of(game.rules().grid), []).append(game.title)
    middles_mm = {" / ".join(named): dict(at) for at, named in titles.items() if at != own}
    return OtherBoards(tags_of_boards(every, corners), middles_mm)


def _check_board(profile: Profile, grid: Grid) -> None:
    """Raise unless *profile* has the grid *grid*."""
    if profile.board.grid != grid.slug:
        raise SettingsError(
            "the profile {profile} is of a board of {grid} cells, the game is played on {other}: "
            "calibrate that board with python -m calibration",
            profile=profile.name,
            grid=profile.board.grid,
            other=grid.slug,
        )


def _check(profile: Profile, capture: Capture, size_px: tuple[int, int]) -> None:
    """Raise unless *profile* fits *capture* and its image size; a film fits any camera."""
    from companion.sensing.profile import FILM

    wanted = profile.camera
    if not capture.is_film and wanted.driver not in (FILM, capture.driver):
        there = next((number for number in cameras() if camera_name(number) == wanted.driver), None)
        that = "that camera" if there is None else f"camera {there}, which is that one"
        raise CameraMismatch(
            "camera {source} is {driver}, the profile {profile} was made with {wanted}: name "
            "{camera}, or calibrate this one with python -m calibration",
            source=capture.source,
            driver=capture.driver,
            profile=profile.name,
            wanted=wanted.driver,
            camera=that,
            outage=Outage.OTHER_CAMERA,
        )
    if size_px != wanted.size_px:
        raise CameraMismatch(
            "camera {source} gives {width}×{height} pixels, the profile {profile} needs "
            "{wanted_width}×{wanted_height}: set the camera to that size, or calibrate it again",
            source=capture.source,
            width=size_px[0],
            height=size_px[1],
            profile=profile.name,
            wanted_width=wanted.size_px[0],
            wanted_height=wanted.size_px[1],
            outage=Outage.WRONG_SIZE,
        )
