# SPDX-License-Identifier: Apache-2.0
"""Image sources: files and folders as cameras, and a driver that refuses settings."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.model.errors import CameraUnavailable, Outage
from companion.sensing.capture import Capture, Shot, lock, recorded_images
from companion.sensing.profile import Locked
from companion.sensing.sent_images import SentImages
from tests.phone import Phone
from tests.webcam import NetworkCamera


def fill(folder: Path, count: int) -> None:
    for number in range(count):
        cv2.imwrite(str(folder / f"{number:03}.png"), np.full((12, 16), 10 * number, np.uint8))


def test_a_folder_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    fill(tmp_path, 4)
    (tmp_path / "notes.txt").write_text("not an image")
    assert [int(image[0, 0]) for _, image in recorded_images(tmp_path)] == [0, 10, 20, 30]


def drain(capture: Capture) -> list[Shot]:
    """All images until the source ends; their numbers increase."""
    shots: list[Shot] = []
    try:
        while (shot := capture.newest(shots[-1].number if shots else -1)) is not None:
            assert not shots or shot.number > shots[-1].number
            shots.append(shot)
    except CameraUnavailable as end:
        return shots if end.outage is Outage.ENDED else []
    raise AssertionError("nothing came, and the source has not ended")


def test_a_film_is_read_to_its_end_without_skipping_images(tmp_path: Path) -> None:
    fill(tmp_path, 5)
    with Capture(str(tmp_path)) as capture:
        assert capture.is_film
        shots = drain(capture)
    assert [shot.number for shot in shots] == [0, 1, 2, 3, 4]
    assert all(shot.image[0, 0] == 10 * shot.number for shot in shots)


def test_a_film_is_played_at_its_recorded_rate(tmp_path: Path) -> None:
    for number, taken_ms in enumerate((5000, 5020, 5100)):
        cv2.imwrite(str(tmp_path / f"{number:03}@{taken_ms:08}.png"), np.zeros((12, 16), np.uint8))
    with Capture(str(tmp_path)) as capture:
        first, second, third = drain(capture)
    assert second.at_ms - first.at_ms >= 19
    assert third.at_ms - first.at_ms >= 99


def test_the_images_of_a_film_have_the_times_of_the_film_on_a_slow_machine(tmp_path: Path) -> None:
    for number, taken_ms in enumerate((5000, 5020, 5100)):
        cv2.imwrite(str(tmp_path / f"{number:03}@{taken_ms:08}.png"), np.zeros((12, 16), np.uint8))
    slow = count(700, 1000)  # a second passes between any two looks at the clock
    with Capture(str(tmp_path), clock=lambda: next(slow)) as capture:
        assert [shot.at_ms for shot in drain(capture)] == [700, 720, 800]


def test_a_missing_camera_is_named_with_the_list_of_cameras() -> None:
    with pytest.raises(CameraUnavailable, match="camera 97") as caught, Capture("97"):
        pass
    assert caught.value.outage is Outage.MISSING


def test_a_stream_without_sender_is_refused() -> None:
    with pytest.raises(CameraUnavailable, match="is the path or the address right") as caught:  # noqa: SIM117
        with Capture("http://127.0.0.1:9/video"):
            pass
    assert caught.value.outage is Outage.UNREACHABLE


def test_the_newest_image_of_a_stream_is_kept_and_its_loss_is_reported() -> None:
    with Phone() as phone:
        phone.hold(np.full((48, 64), 40, np.uint8))
        with Capture(phone.address) as capture:
            phone.show(np.full((48, 64), 200, np.uint8))
            shot = until_bright(capture)
            phone.vanish()
            with pytest.raises(CameraUnavailable, match="unplugged") as caught:
                exhaust(capture, shot.number)
    assert not capture.is_film
    assert caught.value.outage is Outage.UNPLUGGED


def test_a_network_camera_is_read_and_its_loss_is_reported() -> None:
    with NetworkCamera() as camera:
        camera.hold(np.full((48, 64), 40, np.uint8))
        with Capture(camera.address) as capture:
            first = capture.newest(timeout_s=60)
            assert first is not None
            assert abs(float(first.image.mean()) - 40) < 3
            camera.hold(np.full((48, 64), 200, np.uint8))
            shot = until_bright(capture)
            assert shot.image.shape == (48, 64)
            camera.vanish()
            with pytest.raises(CameraUnavailable, match="unplugged") as caught:
                exhaust(capture, shot.number)
    assert caught.value.outage is Outage.UNPLUGGED


def exhaust(capture: Capture, number: int) -> None:
    while True:
        shot = capture.newest(number)
        number = shot.number if shot else number


def until_bright(capture: Capture) -> Shot:
    number = -1
    while True:
        shot = capture.newest(number)
        if shot is not None and shot.image.mean() > 150:
            return shot
        number = shot.number if shot else number


def test_a_broken_image_ends_the_source_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "torn.png").write_bytes(b"torn")
    with (
        Capture(str(tmp_path)) as capture,
        pytest.raises(CameraUnavailable, match=r"torn\.png is not a readable image"),
    ):
        capture.newest()


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CameraUnavailable, match="holds no images"), Capture(str(tmp_path)):
        pass


def test_a_missing_file_is_refused_with_a_remedy(tmp_path: Path) -> None:
    with (
        pytest.raises(CameraUnavailable, match="is the path or the address right"),
        Capture(str(tmp_path / "none.avi")),
    ):
        pass


def test_a_video_file_is_played_to_its_end(tmp_path: Path) -> None:
    path = str(tmp_path / "game.avi")
    writer = cv2.VideoWriter(path, cv2.VideoWriter.fourcc(*"MJPG"), 30.0, (64, 48))
    for _ in range(6):
        writer.write(np.full((48, 64, 3), 120, np.uint8))
    writer.release()
    with Capture(path) as capture:
        last = drain(capture)[-1]
    assert last.number == 5
    assert last.image.shape == (48, 64)


class StubbornDriver:
    """A camera that ignores exposure and white balance and has no focus."""

    def __init__(self) -> None:
        self.exposure = 3.0

    def set(self, prop: int, value: float) -> bool:
        if prop == cv2.CAP_PROP_AUTO_EXPOSURE:
            self.exposure = value
        return prop != cv2.CAP_PROP_AUTOFOCUS

    def get(self, prop: int) -> float:
        return {cv2.CAP_PROP_AUTO_EXPOSURE: self.exposure, cv2.CAP_PROP_AUTO_WB: 1.0}.get(prop, 0.0)


def test_a_locked_setting_counts_only_if_it_is_read_back() -> None:
    assert lock(StubbornDriver()) == Locked(exposure=True, white_balance=False, focus=False)


def packed(level: int) -> bytes:
    """An image of one grey *level*, as a phone sends it."""
    return cv2.imencode(".png", np.full((12, 16), level, np.uint8))[1].tobytes()


@pytest.mark.parametrize("in_colour", [False, True])
def test_images_of_a_phone_come_as_it_sends_them_and_damaged_ones_are_left_out(in_colour: bool) -> None:
    sent = SentImages()
    with Capture("phone", sent=sent, in_colour=in_colour) as capture:
        assert (capture.is_film, capture.driver, capture.identity) == (False, "phone", None)
        sent.put(packed(40))
        first = capture.newest(timeout_s=60.0)
        assert first is not None
        assert first.image.shape == ((12, 16, 3) if in_colour else (12, 16))
        for damaged in (b"", b"no image", packed(50)[:40]):
            sent.put(damaged)
        sent.put(packed(60))
        second = capture.newest(first.number, timeout_s=60.0)
        assert second is not None
        assert (first.image.max(), second.image.max()) == (40, 60)


def test_a_phone_without_a_game_is_refused_with_the_command() -> None:
    with Capture("phone") as capture, pytest.raises(CameraUnavailable, match="--camera phone --https"):
        capture.newest(timeout_s=60.0)
