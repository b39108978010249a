# SPDX-License-Identifier: Apache-2.0
"""The camera workshop without a browser: from a folder of images to a profile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path

import cv2
import numpy as np
import pytest
from rich.console import Console

from calibration import headless
from calibration.album import Named, calibrate
from calibration.headless import Request, parse_corners, parse_heights
from calibration.profile_diff import compare
from calibration.table import Table, outfit_of, profile_of
from calibration.wording import load
from companion import games
from companion.host.devices import profiles
from companion.model.errors import CalibrationError, SettingsError
from companion.model.grid import edges_mm
from companion.sensing.camera import CameraSensor
from companion.sensing.capture import reference
from companion.sensing.profile import CameraData, Heights, Profile, References, board_corners_mm, read, write
from companion.sensing.tagged_table import fitted
from companion.sensing.vision.codes import Grey
from tests.calibration.studio import CHESS, chart_photographs, over, photographs, scene_of, set_up
from tests.virtual.optics import Optics

OPTICS = over(CHESS, k1=-0.12)


def fill(folder: Path, images: list[Grey]) -> Path:
    folder.mkdir(exist_ok=True)
    for number, image in enumerate(images):
        cv2.imwrite(str(folder / f"{number:02}.png"), image)
    return folder


def run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "calibration", "camera", *words]
    env = {**os.environ, "XDG_DATA_HOME": str(home), "COLUMNS": "200"}
    return subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, env=env
    )


def true_corners_px(table: Table, optics: Optics) -> list[tuple[float, float]]:
    corners = np.array(board_corners_mm(outfit_of(table).grid))
    return [(float(x), float(y)) for x, y in optics.project(np.column_stack([corners, np.zeros(4)]))]


@pytest.mark.long
def test_a_folder_becomes_a_profile_with_the_place_of_the_board(tmp_path: Path) -> None:
    folder = fill(tmp_path / "photos", photographs(scene_of(CHESS, OPTICS), 2))
    words = (
        str(folder),
        "--game=chess",
        "--cell-mm=50",
        "--shows=empty",
        "--name=kitchen",
        "--height=pawn=10",
        "--json",
    )
    done = run(tmp_path, *words)
    assert (done.returncode, done.stderr) == (0, "")
    path = tmp_path / "companion" / "profiles" / "kitchen.toml"
    profile = profiles.load(path)
    assert np.abs(np.array(profile.fit.corners_px) - true_corners_px(CHESS, OPTICS)).max() <= 0.5
    assert profile.lens is not None
    assert (profile.board.cell_mm, len(profile.board.corner_tags)) == (50.0, 4)
    assert profile.heights.of("pawn") == 10.0
    kept = cv2.imread(str(profiles.images(profile, path)["empty"]), cv2.IMREAD_GRAYSCALE)
    assert kept is not None
    assert kept.shape == (720, 1280)
    told = json.loads(done.stdout)
    assert (told["profile"], told["fit"]["crossings"]) == (str(path), 49)
    assert "3.7 px per module" in told["advice"][0]["text"]


def test_an_unusable_table_exits_with_code_three_and_keeps_nothing(own_folder: Path) -> None:
    large = Table("tank-chess", {"map": "companion-20"})
    request = Request(
        fill(own_folder / "photos", photographs(scene_of(large, over(large)), 1)), large, "large"
    )
    console = Console(file=StringIO(), width=200)
    assert headless.run(request, console, load("en"), as_json=False) == headless.UNFIT
    assert isinstance(console.file, StringIO)
    assert "px per module, too few to read tags" in console.file.getvalue()
    assert not list(own_folder.rglob("*.toml"))
    assert headless.run(replace(request, is_forced=True), console, load("en"), as_json=True) == headless.DONE
    assert list(own_folder.rglob("large.toml"))


def test_a_board_without_tags_needs_corners_in_px_and_a_reference(own_folder: Path) -> None:
    bare = replace(CHESS, has_tags=False)
    folder = fill(own_folder / "photos", photographs(scene_of(bare, OPTICS, tags=False), 1))
    corners_px = np.round(true_corners_px(bare, OPTICS)) + 3.0
    console = Console(file=StringIO(), width=200)
    request = Request(folder, bare, "bare", corners_px)
    assert headless.run(request, console, load("en"), as_json=False) == headless.DONE
    assert isinstance(console.file, StringIO)
    assert "a picture of the empty board or of the start position is needed" in console.file.getvalue()
    made = profiles.load(profiles.path_of("bare"))
    assert (made.mode, made.board.corner_tags) == ("tagless", ())
    assert np.abs(np.array(made.fit.corners_px) - true_corners_px(bare, OPTICS)).max() <= 0.5


@pytest.mark.parametrize("has_colour", [True, False])
def test_a_reference_is_kept_in_colour_if_the_images_are_coloured(has_colour: bool, own_folder: Path) -> None:
    grey = photographs(scene_of(CHESS, OPTICS), 2)
    tint = [0.5, 0.8, 1.0] if has_colour else [1.0, 1.0, 1.0]
    images = [(image[:, :, None] * np.array(tint)).astype(np.uint8) for image in grey]
    request = Request(fill(own_folder / "photos", images), CHESS, "wood", shows="empty", is_forced=True)
    headless.run(request, Console(file=StringIO()), load("en"), as_json=True)
    kept = reference(profiles.folder() / "wood-empty.png")
    assert kept.shape == (*grey[0].shape, 3)[: 3 if has_colour else 2]
    shown = images[0] if has_colour else grey[0]
    assert np.abs(kept.astype(int) - shown).mean() < 4


def test_a_folder_without_images_or_tags_is_named(tmp_path: Path) -> None:
    request = Request(fill(tmp_path / "empty", []), CHESS, "empty")
    with pytest.raises(SettingsError, match="holds no images"):
        headless.run(request, Console(), load("en"), as_json=False)
    with pytest.raises(CalibrationError, match="no tags are seen"):
        calibrate([Named("grey", np.full((360, 640), 120, np.uint8))], CHESS)


@pytest.mark.long
def test_the_lens_is_computed_from_views_of_the_chart_among_the_images() -> None:
    optics = over(CHESS, (960, 540), k1=-0.18, k2=0.03)
    images = [*photographs(scene_of(CHESS, optics), 1), *chart_photographs(optics, 8)]
    named = [Named(f"{number}.png", image) for number, image in enumerate(images)]
    steps: list[int] = []
    result = calibrate(named, CHESS, progress=lambda done, of: steps.append(done))
    assert steps == list(range(1, len(images) + 1))
    assert result.lens is not None
    assert result.assessment.fit.view.lens == result.lens.lens
    assert "bent-chart" in [one.key for one in result.assessment.advice]
    with pytest.raises(CalibrationError, match="too few for a lens"):
        calibrate(named[:3], CHESS)
    with pytest.raises(CalibrationError, match="every image shows the chart"):
        calibrate(named[1:], CHESS)


def test_images_of_two_cameras_or_of_a_moved_one_are_refused() -> None:
    first = photographs(scene_of(CHESS, OPTICS), 1)[0]
    aside = over(CHESS, k1=-0.12, aim_mm=(215.0, 190.0))
    moved = photographs(scene_of(CHESS, aside), 1)[0]
    with pytest.raises(CalibrationError, match=r"stood elsewhere in b\.png than in a\.png"):
        calibrate([Named("a.png", first), Named("b.png", moved)], CHESS)
    with pytest.raises(CalibrationError, match="of one camera at one size"):
        calibrate([Named("a.png", first), Named("b.png", first[:-1])], CHESS)


def profile(optics: Optics, residual_px: float | None = None) -> Profile:
    result = calibrate([Named("a", photographs(scene_of(CHESS, optics), 1)[0])], CHESS)
    camera = CameraData("0", "test", optics.size_px)
    made = profile_of(
        "kitchen", "2026-05-01T20:15:00+02:00", camera, CHESS, result.assessment.fit, References()
    )
    return made if residual_px is None else replace(made, fit=replace(made.fit, residual_px=residual_px))


def test_old_and_new_values_are_shown_side_by_side() -> None:
    before = profile(over(CHESS, focal_px=950.0), 0.1)
    after = profile(over(CHESS, focal_px=850.0), 0.9)
    rows = {row.key: row for row in compare(before, after, CHESS)}
    assert rows["residual"].is_worse
    shown = [load(code).text(rows["residual"].before) for code in ("en", "de")]
    assert shown == ["0.10 px", "0,10 px"]
    assert rows["module"].is_worse
    assert float(load("en").text(rows["moved"].after).split()[0]) > 20
    alone = compare(None, after, CHESS)
    assert {row.before for row in alone} == {"–"}


def test_a_profile_has_the_measured_cell() -> None:
    own = profile(OPTICS)
    assert own.board.cell_mm == pytest.approx(min(edges_mm(outfit_of(CHESS).grid)))


def test_a_calibrated_camera_reads_every_piece_at_its_place() -> None:
    """From images of the empty board through a lens to the sensor: the whole chain."""
    made = replace(profile(OPTICS), heights=Heights(12.0))
    again = read(write(made), "kitchen.toml")
    game = games.find("chess")
    sensor = CameraSensor(fitted(again, game))
    scene = scene_of(CHESS, OPTICS)
    set_up(scene, CHESS, 12.0)
    seen = [sensor.observe(scene.photograph(), 33 * number) for number in range(10)]
    (observation,) = [one for one in seen if one is not None]
    rules = game.rules()
    standing = rules.placement(rules.initial()).by_cell()
    assert {cell: (one.kind, one.side) for cell, one in observation.sightings.seen} == {
        cell: (piece.kind, piece.side) for cell, piece in standing.items()
    }


def test_corners_and_heights_are_read_or_refused_by_name() -> None:
    assert parse_corners("0,1 2,3 4,5 6,7").shape == (4, 2)
    for text in ("", "1,2 3,4", "a,b c,d e,f g,h", "1,2,3 4,5 6,7 8,9"):
        with pytest.raises(SettingsError, match="near left, near right, far right, far left"):
            parse_corners(text)
    assert parse_heights(["king=12"], ("king", "pawn")) == {"king": 12.0}
    for word, said in (("rock=3", "kinds of pieces are king"), ("king=high", "KIND=MM")):
        with pytest.raises(SettingsError, match=said):
            parse_heights([word], ("king",))
