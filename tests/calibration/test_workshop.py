# SPDX-License-Identifier: Apache-2.0
"""The course of the workshop, from the first image to a profile, with corrections."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from calibration.commands import (
    ByTags,
    Call,
    Chart,
    Choose,
    Confirm,
    Drag,
    DropLens,
    Forget,
    Lay,
    Lift,
    MeasureHeight,
    Refer,
    SetHeight,
    Shown,
    UseLens,
    WorkshopCommand,
)
from calibration.page_state import note_text, picture
from calibration.table import Table, outfit_of
from calibration.view_fit import Origin
from calibration.wording import load
from calibration.workshop import Stage, Workshop
from companion.model.errors import CalibrationError
from companion.model.tags import CORNERS, family
from companion.sensing.profile import CameraData, Profile
from companion.sensing.vision.codes import Grey
from tests.calibration.studio import (
    CHESS,
    chart_photographs,
    chart_views,
    over,
    photographs,
    scene_of,
    set_up,
    true_handles_px,
)
from tests.virtual.scene import Thing

OPTICS = over(CHESS, k1=-0.1)
OUTFIT = outfit_of(CHESS)
EMPTY = photographs(scene_of(CHESS, OPTICS))
BARE = photographs(scene_of(CHESS, OPTICS, tags=False))
NONE: list[Grey] = []


def workshop(images: list[Grey] = EMPTY, *wishes: WorkshopCommand, table: Table = CHESS) -> Workshop:
    """A workshop that has seen *images*, searched for tags, and executed *wishes*."""
    shop = Workshop(table)
    for image in images:
        shop.see(image)
    shop.survey()
    return told(shop, *wishes)


def told(shop: Workshop, *wishes: WorkshopCommand) -> Workshop:
    for wish in wishes:
        shop.do(wish)
    return shop


def note(shop: Workshop) -> str:
    """The workshop's message, in English."""
    return note_text(shop.note, load("en"), str)


def profile_of(shop: Workshop) -> Profile:
    return shop.profile("2026-05-01T20:15:00+02:00", CameraData("0", "test", OPTICS.size_px))


def off_px(shop: Workshop) -> float:
    assert shop.handles_px is not None
    return float(np.hypot(*(shop.handles_px - true_handles_px(OUTFIT, OPTICS)).T).max())


def test_from_tags_to_a_profile() -> None:
    shop = workshop()
    assert note(shop) == "The corner tags are found."
    assert shop.handles_px is not None
    told(shop, Lay())
    assert (shop.stage, shop.note.is_fault) == (Stage.LAID, False)
    assert off_px(shop) < 0.5
    told(shop, Confirm(), Refer(Shown.EMPTY), Call(" kitchen "))
    found = profile_of(shop)
    assert (found.name, found.references.empty, found.references.start) == (
        "kitchen",
        "kitchen-empty.png",
        None,
    )
    assert found.lens is not None
    assert (shop.references[Shown.EMPTY] == np.median(np.stack(EMPTY), axis=0).astype(np.uint8)).all()


def test_a_board_whose_tags_do_not_tell_its_game_is_calibrated_and_keeps_them() -> None:
    shop = workshop(photographs(scene_of(CHESS, OPTICS, corners=CORNERS)), Lay(), Confirm())
    assert [tag.id for tag in profile_of(shop).board.corner_tags] == list(CORNERS)
    assert off_px(shop) < 0.5


def test_the_result_of_a_command_is_shown_until_the_board_comes_into_view() -> None:
    shop = workshop(EMPTY, Confirm())
    refused = shop.note
    assert refused.is_fault
    shop.survey()
    shop.see(BARE[0])
    shop.survey()
    assert shop.note == refused
    shop.see(EMPTY[0])
    shop.survey()
    assert note(shop) == "The corner tags are found."


def test_from_dragged_corners_to_a_profile() -> None:
    shop = workshop(BARE, table=replace(CHESS, has_tags=False))
    assert "no tags are seen" in note(shop)
    assert shop.handles_px is None
    by_hand = true_handles_px(OUTFIT, OPTICS) + np.array([(5, -4), (-4, 5), (4, 4), (-5, -5)])
    for corner, (x, y) in enumerate(by_hand):
        shop.do(Drag(corner, float(x), float(y)))
    assert (shop.origin, shop.note.is_fault) == (Origin.HAND, False)
    assert off_px(shop) > 5
    shop.survey()
    assert shop.origin is Origin.HAND
    told(shop, Lay(), Confirm())
    assert off_px(shop) < 0.5
    assert profile_of(shop).mode == "tagless"


def test_corners_placed_by_hand_can_be_dropped_in_favour_of_the_tags() -> None:
    shop = workshop(EMPTY, Drag(0, 100, 600), Lift())
    assert (shop.stage, shop.origin) == (Stage.LOOKING, Origin.HAND)
    assert shop.view is not None
    shop.do(ByTags())
    shop.survey()
    assert shop.origin is Origin.TAGS
    assert off_px(told(shop, Lay())) < 0.5


@pytest.mark.parametrize(
    ("images", "wishes", "said"),
    [
        (EMPTY, (Confirm(),), "no grid to confirm"),
        (EMPTY, (Lay(), Refer(Shown.EMPTY)), "confirm the grid before"),
        (EMPTY, (MeasureHeight("pawn", "e4"),), "lay the grid before"),
        (EMPTY, (Lay(), MeasureHeight("pawn", "z9")), "is not a cell"),
        (EMPTY, (Lay(), MeasureHeight("pawn", "e4")), "no tag was seen"),
        (EMPTY, (SetHeight("rock", 3),), "there are no pieces called rock"),
        (EMPTY, (SetHeight("pawn", 999),), "cannot be"),
        (EMPTY, (Choose("ludo"),), "there is no game"),
        (EMPTY, (Choose("chess", cell_mm=-3),), "measure one cell"),
        (EMPTY, (Drag(7, 1, 1),), "no picture yet"),
        (EMPTY, (Drag(0, 1200, 100),), "corners"),
        (EMPTY, (UseLens(),), "too few for a lens"),
        (BARE, (Lay(),), "no tags are seen"),
        (NONE, (Lay(),), "is the camera plugged in"),
        (NONE, (Drag(0, 1, 1),), "no picture yet"),
    ],
)
def test_impossible_commands_are_refused_with_a_reason(
    images: list[Grey], wishes: tuple[WorkshopCommand, ...], said: str
) -> None:
    shop = workshop(images, *wishes)
    assert shop.note.is_fault
    assert said in note(shop)
    with pytest.raises(CalibrationError, match="not confirmed"):
        profile_of(shop)


def test_a_reference_matches_its_description() -> None:
    scene = scene_of(CHESS, OPTICS)
    set_up(scene, CHESS)
    full = workshop(EMPTY, Lay(), Confirm())
    assert "e.g." not in note(full)
    assert "do not show the piece" in note(told(full, Refer(Shown.START)))
    for image in photographs(scene, 5):
        full.see(image)
    assert "where none should" in note(told(full, Refer(Shown.EMPTY)))
    assert (
        note(told(full, SetHeight("", 12), Refer(Shown.START)))
        == "The picture of the start position is kept."
    )
    assert profile_of(full).references.start == "chess-start.png"
    assert not told(full, Forget(Shown.START)).references


def test_references_have_the_colours_of_the_camera() -> None:
    in_colour = [np.stack([image // 2, image, image], axis=-1) for image in EMPTY]
    shop = workshop(in_colour, Lay(), Confirm(), Refer(Shown.EMPTY))
    assert shop.references[Shown.EMPTY].shape == (720, 1280, 3)
    assert off_px(shop) < 0.5


def test_a_reference_is_not_taken_while_something_moves() -> None:
    shop = workshop(EMPTY, Lay(), Confirm())
    scene = scene_of(CHESS, OPTICS)
    for cell in range(8, 16):
        scene.put(cell, Thing(family().rows(70), OUTFIT.grid.centre_mm(cell), 0.0, 40.0, 20.0))
    shop.see(scene.photograph())
    assert "Something moves" in note(told(shop, Refer(Shown.EMPTY)))


def test_a_height_is_measured_from_a_piece_on_known_cells() -> None:
    scene = scene_of(CHESS, OPTICS)
    pawns = [tag for tag, mark in OUTFIT.marks.items() if mark.piece.kind == "pawn"][:2]
    for tag, name in zip(pawns, ("a8", "h8"), strict=True):
        at_mm = OUTFIT.grid.centre_mm(OUTFIT.grid.cell(name))
        scene.put(tag, Thing(family().rows(tag), at_mm, 0.0, OUTFIT.tag_mm, 18.0))
    shop = workshop(photographs(scene), Lay(), MeasureHeight("pawn", "a8 h8"))
    assert note(shop).startswith("pawn: 1")
    assert shop.table.heights.of("pawn") == pytest.approx(18.0, abs=1.0)
    assert shop.table.heights.of("king") == 0.0


@pytest.mark.long
def test_the_lens_is_computed_from_collected_views_of_the_chart() -> None:
    optics = over(CHESS, (960, 540), k1=-0.18, k2=0.03)
    shop = workshop(NONE, Chart(is_on=True))
    for image in chart_photographs(optics, 8)[:2]:
        shop.see(image)
        shop.survey()
    assert len(shop.views) == 2
    assert "too few for a lens" in note(told(shop, UseLens()))
    shop.views[:] = chart_views(optics, 8)
    told(shop, UseLens())
    assert not shop.note.is_fault
    assert shop.lens is not None
    assert not shop.is_charting
    assert told(shop, DropLens()).lens is None


def test_images_of_another_size_restart_the_course() -> None:
    shop = workshop(EMPTY, Lay(), Confirm())
    shop.see(np.zeros((480, 640), np.uint8))
    assert (shop.stage, shop.size_px, shop.fit) == (Stage.LOOKING, (640, 480), None)


def test_another_board_restarts_the_course_and_takes_its_name() -> None:
    shop = workshop(EMPTY, Lay(), Choose("tank-chess", (("map", "companion-20"),), 30))
    assert (shop.stage, shop.name, len(shop.outfit.grid)) == (Stage.LOOKING, "tank-chess", 400)
    assert "this is the board of Chess" in note(told(shop, Lay()))


def test_discarded_data_are_removed() -> None:
    shop = workshop(EMPTY, SetHeight("pawn", 9), Lay(), Confirm(), Refer(Shown.EMPTY))
    shop.discard()
    assert (shop.stage, shop.references, shop.table.heights.kinds) == (Stage.LOOKING, {}, {})
    assert shop.size_px == OPTICS.size_px


def test_the_page_gets_plain_values() -> None:
    assert json.loads(json.dumps(picture(workshop(NONE), load("en"), str)))["grid"] is None
    shown = json.loads(json.dumps(picture(workshop(EMPTY, Lay()), load("en"), str)))
    assert [tag["kind"] for tag in shown["tags"]] == ["corner"] * 4
    assert len(shown["grid"]) == len(shown["map"]) == 64
    assert len(shown["grid"][0]) == 16, "edges are cut so that they can be bent"
    assert {one["level"] for one in shown["map"]} == {"good"}
