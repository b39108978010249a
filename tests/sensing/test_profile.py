# SPDX-License-Identifier: Apache-2.0
"""Camera profiles are read back; errors name what is invalid."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.model.errors import SettingsError
from companion.model.grid import rectangle
from companion.sensing import profile as profiles
from companion.sensing.profile import (
    BoardData,
    CameraData,
    CornerTag,
    Fit,
    Heights,
    Locked,
    Profile,
    References,
    board_corners_mm,
    grid_of,
    read,
    view_through,
    write,
)
from companion.sensing.vision.geometry import Lens
from tests.sensing.vision.tables import true_view
from tests.virtual.optics import Optics

KITCHEN = Profile(
    "kitchen",
    "2026-05-01T20:15:00+02:00",
    CameraData(
        "0",
        "V4L2",
        (1920, 1080),
        Locked(exposure=True, white_balance=True, focus=False),
        "usb:046d:0825:1A2B3C",
    ),
    BoardData("8x8", 50.0, 33.0, 32.0, (CornerTag(0, (-20.0, -20.0)),)),
    Fit(((310.0, 980.5), (1600.0, 975.0), (1390.0, 120.0), (520.0, 118.5)), 0.4),
    heights=Heights(8.0, {"giant": 25.0}),
    lens=Lens((959.5, 539.5), 1450.0, -0.12),
    references=References("kitchen-empty.png", "kitchen-start.png"),
)

numbers = st.floats(-1e6, 1e6)
sizes = st.floats(0.01, 1e4)
points = st.tuples(numbers, numbers)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
file_names = st.from_regex(r"[A-Za-z0-9äž][\w .-]{0,10}", fullmatch=True)
boards = st.builds(
    BoardData,
    grid=texts,
    cell_mm=sizes,
    tag_mm=sizes,
    corner_tag_mm=sizes,
    corner_tags=st.lists(
        st.builds(CornerTag, st.integers(0, 119), points, numbers), unique_by=lambda tag: tag.id
    ).map(tuple),
)
all_profiles = st.builds(
    Profile,
    name=file_names,
    made=texts,
    camera=st.builds(
        CameraData,
        texts,
        texts,
        st.tuples(st.integers(1, 9999), st.integers(1, 9999)),
        st.none() | st.builds(Locked, st.booleans(), st.booleans(), st.booleans()),
    ),
    board=boards,
    fit=st.builds(Fit, st.tuples(points, points, points, points), numbers),
    mode=st.sampled_from([profiles.TAGS, profiles.TAGLESS]),
    heights=st.builds(Heights, numbers, st.dictionaries(texts, numbers, max_size=3)),
    lens=st.none() | st.builds(Lens, points, sizes, numbers, numbers),
    references=st.builds(References, st.none() | file_names, st.none() | file_names),
)


@given(all_profiles)
def test_a_written_profile_is_read_back(profile: Profile) -> None:
    assert read(write(profile), "x.toml") == profile


def test_the_example_of_the_docstring_is_valid() -> None:
    assert profiles.__doc__ is not None
    example = profiles.__doc__.partition("    format = 1")
    text = "format = 1" + dedent(f"    {example[2]}").partition("\n`corners-px`")[0]
    assert read(text, "docstring") == KITCHEN


def test_missing_values_are_not_written() -> None:
    bare = replace(KITCHEN, lens=None, references=References(), heights=Heights())
    assert "lens" not in write(bare)
    assert "empty" not in write(bare)


@pytest.mark.parametrize(
    ("wrong", "right", "said"),
    [
        ("format = 2", "format = 1", "format is 2; allowed: 1"),
        ('name = "../kitchen"', 'name = "kitchen"', "is a file's name"),
        ('empty = "/etc/passwd"', 'empty = "kitchen-empty.png"', "is not a file beside the profile"),
        ('empty = "../up.png"', 'empty = "kitchen-empty.png"', "is not a file beside the profile"),
        ("cell-mm = 0", "cell-mm = 50.0", "sizes are above 0"),
        ("size-px = [0, 1080]", "size-px = [1920, 1080]", "an image has pixels"),
        ('mode = "magic"', 'mode = "tags"', "allowed: tags, tagless"),
        ("colour = 3", "k2 = 0.0", "unknown key 'lens.colour'"),
        ("corner-tag-mm = 0.0", "corner-tag-mm = 32.0", "without corner-tag-mm"),
    ],
)
def test_an_error_names_the_invalid_value(wrong: str, right: str, said: str) -> None:
    text = write(KITCHEN)
    assert right in text
    with pytest.raises(SettingsError, match=f"k.toml.*{said}"):
        read(text.replace(right, wrong), "k.toml")


def test_two_corner_tags_cannot_have_one_id() -> None:
    twice = write(KITCHEN).replace("[fit]", "[[board.corner-tags]]\nid = 0\nmiddle-mm = [1, 2]\n[fit]")
    with pytest.raises(SettingsError, match="two corner-tags have one id"):
        read(twice, "k.toml")


def test_the_confirmed_corners_are_a_view_of_the_board() -> None:
    grid = grid_of(KITCHEN, rectangle(8, 8, cell_mm=20.0))
    optics = Optics((1920, 1080), (200.0, -150.0, 700.0), (200.0, 190.0))
    seen = true_view(grid, optics)
    near_left, near_right, far_right, far_left = (
        (float(x), float(y)) for x, y in seen.to_image(np.array(board_corners_mm(grid)))
    )
    fitted = replace(KITCHEN, fit=Fit((near_left, near_right, far_right, far_left)), lens=None)
    view = view_through(fitted, grid)
    assert view.camera_mm == pytest.approx(optics.camera_mm, rel=1e-3)
    assert view.residual_px < 1e-6


def test_a_kind_without_entry_has_the_default_height() -> None:
    assert KITCHEN.heights.of("giant") == 25.0
    assert KITCHEN.heights.of("pawn") == 8.0
