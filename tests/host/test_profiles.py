# SPDX-License-Identifier: Apache-2.0
"""Profiles in their folder: kept whole, found by name, and named when they are none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from companion.host import profiles
from companion.model.errors import SettingsError
from tests.sensing.test_profile import KITCHEN

EXAMPLES = Path(__file__).parents[2] / "calibration" / "profiles"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


def test_a_profile_is_kept_and_found_by_its_name() -> None:
    path = profiles.path_of("kitchen")
    profiles.save(KITCHEN, path)
    profiles.save(replace(KITCHEN, name="club"), profiles.path_of("club"))
    assert profiles.load(path) == KITCHEN
    assert set(profiles.names()) == {"kitchen", "club"}
    assert not list(path.parent.glob("*.new"))


def test_a_path_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "there.toml"
    profiles.save(KITCHEN, path)
    assert profiles.load(profiles.path_of(str(path))) == KITCHEN
    assert profiles.images(KITCHEN, path) == {
        "empty": tmp_path / "kitchen-empty.png",
        "start": tmp_path / "kitchen-start.png",
    }


def test_a_profile_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(SettingsError, match="make one with: python -m calibration"):
        profiles.load(profiles.path_of("kitchen"))
    profiles.save(KITCHEN, profiles.path_of("club"))
    with pytest.raises(SettingsError, match="known are club"):
        profiles.load(profiles.path_of("kitchen"))


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="cannot be written"):
        profiles.save(KITCHEN, tmp_path / "file" / "kitchen.toml")


def test_every_example_is_a_profile() -> None:
    examples = sorted(EXAMPLES.glob("*.toml"))
    assert examples
    for path in examples:
        assert profiles.load(path).name == path.stem
