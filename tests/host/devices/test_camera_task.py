# SPDX-License-Identifier: Apache-2.0
"""The camera task reports silent, foreign or missing cameras and continues."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Self

import cv2
import numpy as np
import pytest

from companion.feedback.words import load
from companion.games import find
from companion.host.clock import monotonic
from companion.host.devices.camera import CameraOptions, CameraSetup, set_up_camera
from companion.host.devices.camera_status import CameraState, CameraStatus, ImageResult
from companion.host.devices.camera_task import CameraTask
from companion.host.devices.profiles import save
from companion.host.retry import Intervals
from companion.model.errors import CameraMismatch, CameraUnavailable, Outage, SettingsError
from companion.model.grid import Cell
from companion.model.observation import Observation, SensorKind
from companion.model.occupancy import occupancy_of
from companion.referee.values.board.board_rotation import Rotation
from companion.sensing.capture import Shot
from companion.sensing.devices import Identity
from companion.sensing.problems import CameraProblem
from companion.sensing.profile import (
    FILM,
    BoardData,
    CameraData,
    Fit,
    Heights,
    Profile,
    References,
    board_corners_mm,
)
from companion.sensing.vision.codes import Grey
from tests.host.test_camera_game import PLAIN_ABOVE
from tests.phone import Phone
from tests.sensing.plain_tables import PlainTable

GAME = find("close-quarters")
GREY = np.full((480, 640), 120, np.uint8)
SMALL = np.full((48, 64), 120, np.uint8)
"""Of the size of the profile."""
PROFILE = Profile(
    "test",
    "2026-05-01T20:15:00+02:00",
    CameraData("0", "FFMPEG", (64, 48)),
    BoardData("4x8", 50.0, 33.0),
    Fit(((10.0, 40.0), (50.0, 40.0), (45.0, 5.0), (15.0, 5.0))),
)


class Counter:
    """A sensor that sees nothing and counts images."""

    def __init__(self) -> None:
        self.images: list[float] = []
        self.troubles: frozenset[CameraProblem] = frozenset()
        self.places: dict[CameraProblem, tuple[Cell, ...]] = {}
        self.board = ""
        self.sight = None

    def observe(self, image: Grey, _now_ms: int) -> Observation | None:
        self.images.append(float(image.mean()))
        return None


def watched(source: str, profile: Profile | None, tmp_path: Path) -> tuple[CameraSetup, Counter, CameraTask]:
    """The watched *source*, with a counting sensor."""
    name = None
    if profile is not None:
        name = str(tmp_path / "test.toml")
        save(profile, Path(name))
    made, eye = set_up_camera(CameraOptions(source, name), GAME, {}), Counter()
    return made, eye, CameraTask(made.open, eye, made.judge, monotonic())


async def run(
    camera_task: CameraTask, while_it_runs: Callable[[list[ImageResult]], object]
) -> list[ImageResult]:
    """Run `camera_task` beside a thread; returns the reported states."""
    told: list[ImageResult] = []
    task = asyncio.create_task(camera_task.run(told.append))
    try:
        await asyncio.to_thread(while_it_runs, told)
    finally:
        task.cancel()
        await asyncio.wait({task})
    return told


def wait_for(told: list[ImageResult], state: CameraState) -> None:
    """Return when the newest reported state is *state*."""
    tick = threading.Event()
    for _ in range(1500):
        if told and told[-1].status.state is state:
            return
        tick.wait(0.02)
    raise AssertionError(f"never {state}: {told[-1:]}")


def folder_of(tmp_path: Path, *images: Grey) -> str:
    folder = tmp_path / "film"
    folder.mkdir()
    for number, image in enumerate(images):
        cv2.imwrite(str(folder / f"{number:03}.png"), image)
    return str(folder)


def test_a_film_is_observed_to_its_end_image_by_image(tmp_path: Path) -> None:
    source = folder_of(tmp_path, *(np.full((480, 640), 40 + level, np.uint8) for level in range(5)))
    _, eye, camera_task = watched(source, None, tmp_path)
    told: list[ImageResult] = []
    asyncio.run(camera_task.run(told.append))
    assert eye.images == [40, 41, 42, 43, 44]
    assert told[-1].status.outage is Outage.ENDED
    assert told[-1].status.keys == ("ended",)


def test_a_silent_camera_is_reported_until_it_delivers_again(tmp_path: Path) -> None:
    def go(told: list[ImageResult]) -> None:
        wait_for(told, CameraState.WATCHING)
        phone.is_silent = True
        wait_for(told, CameraState.LOST)
        phone.is_silent = False
        wait_for(told, CameraState.WATCHING)

    with Phone() as phone:
        phone.hold(GREY)
        _, _, camera_task = watched(phone.address, None, tmp_path)
        told = asyncio.run(run(camera_task, go))
    assert [one.status.outage for one in told if one.status.outage][:1] == [Outage.SILENT]


def test_images_of_another_size_are_refused_with_both_sizes(tmp_path: Path) -> None:
    source = folder_of(tmp_path, np.zeros((96, 128), np.uint8))
    _, eye, camera_task = watched(source, PROFILE, tmp_path)
    with pytest.raises(CameraMismatch, match="128×96 pixels, the profile test needs 64×48") as caught:
        asyncio.run(camera_task.run(lambda _: None))
    assert caught.value.outage is Outage.WRONG_SIZE
    assert eye.images == []


def test_images_without_a_profile_are_refused_if_they_are_too_small(tmp_path: Path) -> None:
    for number, (size, is_refused) in enumerate(
        (((240, 320), True), ((320, 240), True), ((360, 640), False))
    ):
        (tmp_path / str(number)).mkdir()
        _, eye, camera_task = watched(
            folder_of(tmp_path / str(number), np.full(size, 90, np.uint8)), None, tmp_path
        )
        if not is_refused:
            asyncio.run(camera_task.run(lambda _: None))
            assert eye.images == [90.0]
            continue
        with pytest.raises(CameraMismatch, match="too few to read a board: set it to 640×480") as caught:
            asyncio.run(camera_task.run(lambda _: None))
        assert caught.value.outage is Outage.TOO_SMALL
        assert eye.images == []


def test_the_profile_of_another_camera_is_refused(tmp_path: Path) -> None:
    other = replace(PROFILE, camera=CameraData("0", "HD Pro Webcam C920", (64, 48)))
    with Phone() as phone:
        phone.hold(GREY)
        _, _, camera_task = watched(phone.address, other, tmp_path)
        with pytest.raises(
            CameraMismatch, match="was made with HD Pro Webcam C920: name that camera"
        ) as caught:
            asyncio.run(camera_task.run(lambda _: None))
    assert caught.value.outage is Outage.OTHER_CAMERA


def test_a_profile_made_from_images_fits_any_camera_with_images_of_that_size(tmp_path: Path) -> None:
    made_of_images = replace(PROFILE, camera=CameraData("photos", FILM, (64, 48)))
    with Phone() as phone:
        phone.hold(SMALL)
        _, _, camera_task = watched(phone.address, made_of_images, tmp_path)
        told = asyncio.run(run(camera_task, lambda told: wait_for(told, CameraState.WATCHING)))
    assert told[-1].status.state is CameraState.WATCHING


def test_another_camera_plugged_in_during_a_game_is_refused_until_the_right_one_returns(
    tmp_path: Path,
) -> None:
    with ExitStack() as later:
        phones = [later.enter_context(Phone())]
        phones[0].hold(SMALL)

        def exchange(image: Grey) -> None:
            phones[-1].vanish()
            phones.append(later.enter_context(Phone(phones[0].port)))
            phones[-1].hold(image)

        def go(told: list[ImageResult]) -> None:
            wait_for(told, CameraState.WATCHING)
            exchange(np.full((96, 128), 120, np.uint8))
            wait_for(told, CameraState.REFUSED)
            exchange(SMALL)
            wait_for(told, CameraState.WATCHING)

        _, _, camera_task = watched(phones[0].address, PROFILE, tmp_path)
        told = asyncio.run(run(camera_task, go))
    assert Outage.WRONG_SIZE in [one.status.outage for one in told]


class Webcam:
    """A local camera that delivers some images, a second each."""

    is_film, driver, locked, source = False, "ANY", None, "0"

    def __init__(self, number: int, images: int, *, is_guess: bool) -> None:
        self.identity = Identity(number, (64, 48))
        self.is_guess = is_guess
        self._images = images

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def newest(self, after: int, _timeout_s: float) -> Shot:
        if after + 1 == self._images:
            raise CameraUnavailable("unplugged", outage=Outage.UNPLUGGED)
        return Shot(GREY, 1000 * after, after + 1)


def test_a_camera_that_is_closing_is_closed_before_a_cancellation_ends_the_task() -> None:
    is_closing, may_close, ended = threading.Event(), threading.Event(), list[str]()

    class SlowlyClosed(Webcam):
        def __exit__(self, *fault: object) -> None:
            is_closing.set()
            may_close.wait(30)
            ended.append("closed")

    async def scenario() -> None:
        eye, intervals = Counter(), Intervals(camera_s=0.05)
        camera = SlowlyClosed(0, 3, is_guess=False)
        cameras = CameraTask(lambda *_: camera, eye, lambda *_: frozenset(), monotonic(), intervals)  # type: ignore[arg-type]
        task = asyncio.create_task(cameras.run(lambda _: None))
        assert await asyncio.to_thread(is_closing.wait, 30)
        task.cancel()
        await asyncio.sleep(0)
        may_close.set()
        await asyncio.wait({task})
        assert ended == ["closed"]

    asyncio.run(scenario())


def test_a_doubtful_camera_without_a_board_in_view_is_skipped() -> None:
    asked: list[Identity | None] = []
    eye = Counter()

    def camera(_clock: object, again: Identity | None) -> Webcam:
        """First an unplugged camera, then one without a board, then the requested one."""
        asked.append(again)
        eye.troubles = frozenset({CameraProblem.BOARD_NOT_FOUND}) if len(asked) == 2 else frozenset()
        return Webcam(0 if again is None else again.number, 3 if again is None else 50, is_guess=bool(again))

    def go(told: list[ImageResult]) -> None:
        tick = threading.Event()
        while len(asked) < 3:
            tick.wait(0.02)
        before = len(told)
        while CameraState.WATCHING not in [one.status.state for one in told[before:]]:
            tick.wait(0.02)

    camera_task = CameraTask(camera, eye, lambda *_: frozenset(), monotonic(), Intervals(camera_s=0.05))  # type: ignore[arg-type]
    told = asyncio.run(run(camera_task, go))
    assert asked[:3] == [None, Identity(0, (64, 48)), Identity(1, (64, 48))]
    assert Outage.MISSING in [looked.status.outage for looked in told]


def test_a_camera_missing_at_the_start_ends_the_task(tmp_path: Path) -> None:
    _, _, camera_task = watched("97", None, tmp_path)
    with pytest.raises(CameraUnavailable, match="camera 97"):
        asyncio.run(camera_task.run(lambda _: None))


def test_the_profile_of_another_board_is_refused(tmp_path: Path) -> None:
    save(replace(PROFILE, board=BoardData("8x8", 50.0)), tmp_path / "test.toml")
    with pytest.raises(SettingsError, match="of a board of 8x8 cells, the game is played on 4x8"):
        set_up_camera(CameraOptions("0", str(tmp_path / "test.toml")), GAME, {})


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "hr", "ja"])
def test_every_camera_problem_has_words(language: str) -> None:
    words = load(language, "close-quarters", GAME.rules().sides).common.camera
    said = {CameraState.OPENING, CameraState.WATCHING, *Outage, *CameraProblem} - {Outage.NOT_INSTALLED}
    assert set(words) == {each.value for each in said}


def test_a_picture_is_offered_for_problems_that_it_shows() -> None:
    minor = frozenset({CameraProblem.NOT_LOCKED, CameraProblem.CAMERA_MOVED})
    assert not CameraStatus(CameraState.WATCHING, troubles=minor).is_shown
    assert CameraStatus(CameraState.WATCHING, troubles=minor | {CameraProblem.GLARE}).is_shown
    assert CameraStatus(CameraState.WATCHING, troubles=frozenset({CameraProblem.BOARD_NOT_FOUND})).is_shown


def test_problems_are_listed_by_severity() -> None:
    status = CameraStatus(
        CameraState.LOST,
        Outage.SILENT,
        troubles=frozenset({CameraProblem.NOT_LOCKED, CameraProblem.DOUBLE_TAG}),
    )
    assert status.keys == ("silent", "double-tag", "not-locked")
    assert not status.is_well


def test_cells_have_the_players_names_on_a_rotated_board() -> None:
    status = CameraStatus(
        CameraState.WATCHING,
        troubles=frozenset({CameraProblem.DOUBLE_TAG, CameraProblem.STRANGE_TAG}),
        places={CameraProblem.DOUBLE_TAG: (0, 31), CameraProblem.STRANGE_TAG: (5,)},
    )
    words = load("en", "close-quarters", GAME.rules().sides).common
    straight = GAME.rules().grid.names
    assert status.sentences(words, straight) == [
        "What lies on b2 does not belong to this game: take it away.",
        "One and the same piece is seen on a1, d8: take one of them away.",
    ]
    turned = Rotation.of(GAME.rules().grid, 2, 2).image(straight)
    assert "on d8, a1:" in status.sentences(words, turned)[1]


def test_a_mirrored_lamp_is_named_by_the_corners_of_its_area() -> None:
    rules = find("tank-chess").rules()
    cells = [rules.grid.cell(f"{column}{row}") for row in (2, 3, 4) for column in "GHIJ"]
    status = CameraStatus(
        CameraState.WATCHING,
        troubles=frozenset({CameraProblem.GLARE, CameraProblem.UNSEEN}),
        places={CameraProblem.GLARE: tuple(cells), CameraProblem.UNSEEN: (0, 1, 33)},
    )
    words = load("en", "tank-chess", rules.sides).common
    assert status.sentences(words, rules.grid.names) == [
        "A lamp is reflected on G2–J4: move the lamp or tilt the board.",
        "These cells cannot be seen: A1, B1, B3. Take away what covers them, or set the piece upright.",
    ]


def test_a_profile_without_tags_makes_a_sensor_with_the_coloured_empty_board(
    tmp_path: Path,
) -> None:
    table = PlainTable(GAME, None, PLAIN_ABOVE, seed=3, has_reference=False)
    cv2.imwrite(str(tmp_path / "empty.png"), table.scene.photograph())
    corners = np.array([(*corner, 0.0) for corner in board_corners_mm(table.grid)])
    near_left, near_right, far_right, far_left = (
        (float(x), float(y)) for x, y in PLAIN_ABOVE.project(corners)
    )
    profile = Profile(
        "plain",
        "2026-05-01T20:15:00+02:00",
        CameraData("0", "FFMPEG", PLAIN_ABOVE.size_px),
        BoardData("4x8", 50.0),
        Fit((near_left, near_right, far_right, far_left)),
        "tagless",
        Heights(45.0),
        references=References("empty.png"),
    )
    save(profile, tmp_path / "plain.toml")
    made = set_up_camera(CameraOptions("0", str(tmp_path / "plain.toml")), GAME, {})
    assert made.kind is SensorKind.SIDE
    assert made.outfit is None
    eye = made.image_sensor(table.rules.initial())
    table.set_up(table.rules.initial())
    told = [eye.observe(table.scene.photograph(), 33 * image) for image in range(1, 14)]
    first = next(observation for observation in told if observation is not None)
    placed = table.rules.placement(table.rules.initial()).by_cell()
    assert first.sightings.occupied == occupancy_of(placed)
    unopened = made.open(monotonic())
    unopened.is_film = True  # the recording may come from anywhere
    assert made.judge(unopened, table.scene.photograph()) == frozenset()
