# SPDX-License-Identifier: Apache-2.0
"""Profiles in their folder: stored atomically, found by name, errors named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from companion.host.devices import profiles
from companion.model.errors import SettingsError
from companion.sensing.profile import References
from tests.sensing.test_profile import KITCHEN

EXAMPLES = Path(__file__).parents[3] / "calibration" / "profiles"


pytestmark = pytest.mark.usefixtures("own_folder")


def test_a_profile_is_kept_and_found_by_its_name() -> None:
    path = profiles.path_of("kitchen")
    profiles.save(KITCHEN, path)
    profiles.save(replace(KITCHEN, name="club"), profiles.path_of("club"))
    assert profiles.load(path) == KITCHEN
    assert set(profiles.names()) == {"kitchen", "club"}
    assert not list(path.parent.glob("*.new"))


def test_a_profile_deleted_during_listing_is_left_out(tmp_path: Path) -> None:
    profiles.save(KITCHEN, profiles.path_of("kitchen"))
    (profiles.folder() / "gone.toml").symlink_to(tmp_path / "gone")  # listed, but then missing
    assert profiles.names() == ("kitchen",)


def test_a_path_is_used_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "there.toml"
    profiles.save(KITCHEN, path)
    assert profiles.load(profiles.path_of(str(path))) == KITCHEN
    assert profiles.images(KITCHEN, path) == {
        "empty": tmp_path / "kitchen-empty.png",
        "start": tmp_path / "kitchen-start.png",
    }


def test_a_missing_profile_is_reported_with_the_list_of_profiles() -> None:
    with pytest.raises(SettingsError, match="make one with: python -m calibration"):
        profiles.load(profiles.path_of("kitchen"))
    profiles.save(KITCHEN, profiles.path_of("club"))
    with pytest.raises(SettingsError, match="known are club"):
        profiles.load(profiles.path_of("kitchen"))


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="cannot be written"):
        profiles.save(KITCHEN, tmp_path / "file" / "kitchen.toml")


def test_every_example_is_a_valid_profile() -> None:
    examples = sorted(EXAMPLES.glob("*.toml"))
    assert examples
    for path in examples:
        assert profiles.load(path).name == path.stem


def test_a_profile_gets_another_name_with_its_images(tmp_path: Path) -> None:
    path = tmp_path / "kitchen.toml"
    profiles.save(KITCHEN, path)
    for image in profiles.images(KITCHEN, path).values():
        image.write_bytes(b"image")
    there = profiles.rename(path, "club")
    assert profiles.load(there) == replace(
        KITCHEN, name="club", references=References("club-empty.png", "club-start.png")
    )
    assert {each.name for each in tmp_path.iterdir()} == {"club.toml", "club-empty.png", "club-start.png"}


def test_an_occupied_or_empty_name_is_refused(tmp_path: Path) -> None:
    profiles.save(KITCHEN, tmp_path / "kitchen.toml")
    profiles.save(replace(KITCHEN, name="club"), tmp_path / "club.toml")
    with pytest.raises(SettingsError, match="there is a profile club already"):
        profiles.rename(tmp_path / "kitchen.toml", "club")
    with pytest.raises(SettingsError, match="cannot be a profile's name"):
        profiles.rename(tmp_path / "kitchen.toml", "../club")
    assert profiles.load(tmp_path / "kitchen.toml") == KITCHEN


def test_a_deleted_profile_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "kitchen.toml"
    profiles.save(KITCHEN, path)
    for image in profiles.images(KITCHEN, path).values():
        image.write_bytes(b"image")
    profiles.delete(path)
    assert not list(tmp_path.iterdir())
