# SPDX-License-Identifier: Apache-2.0
"""The printed parts are closed meshes of the sizes in `dimensions.toml`."""

from __future__ import annotations

import math
import os
import shutil
from pathlib import Path

import pytest
from PIL import Image

from companion.games import find, slugs
from companion.model.tags import assign
from firmware.hardware.mesh import open_edges, size, triangles, volume_mm3
from firmware.hardware.pictures import SCENES, render
from firmware.hardware.solids import PRINTS, STL, base_of, build, dimensions, part_names, scad_text

GIVEN = dimensions()
PICTURES = Path(__file__).parents[2] / "docs" / "images" / "build"
CELL = GIVEN["cell"]["edge"]
MAGNET_MM3 = math.pi / 4 * GIVEN["magnet"]["diameter"] ** 2 * GIVEN["magnet"]["height"]


def expected_size(part: str) -> tuple[float, float, float]:
    """Width, depth and height of a part, from the data."""
    holder, frame = GIVEN["holder"], GIVEN["frame"]
    tall = frame["depth"] + GIVEN["plate"]["thickness"] + frame["rim"]
    gap, reed, diode = GIVEN["reed"]["gap"], GIVEN["reed"], GIVEN["diode"]
    if part == "holder":
        bridge = reed["glass_length"] + gap + GIVEN["lead"]["between"] + diode["length"] + gap
        return holder["ahead"] + bridge + holder["behind"], holder["width"], holder["height"]
    if part.startswith("rail"):
        return frame["rail_cells"] * CELL, frame["wall"] + frame["ledge"], tall
    if part == "corner":
        return frame["wall"], frame["wall"], tall
    base = GIVEN["bases"][part]
    edge = base["diameter"]
    wide, deep = ((base.get(side, 1) - 1) * CELL + edge for side in ("files", "ranks"))
    return wide, deep, edge if base["form"] == "angle" else base["height"]


@pytest.mark.parametrize("part", part_names())
def test_each_mesh_is_closed_and_has_the_size_of_the_data(part: str) -> None:
    mesh = triangles((STL / f"{part}.stl").read_bytes())
    assert open_edges(mesh) == 0
    assert size(mesh) == pytest.approx(expected_size(part), abs=0.01)
    assert 0 < volume_mm3(mesh) < math.prod(size(mesh))


def test_a_mesh_without_a_triangle_is_open() -> None:
    mesh = triangles((STL / "disc-24.stl").read_bytes())
    assert open_edges(mesh[1:]) == 3
    with pytest.raises(ValueError, match="no binary STL"):
        triangles((STL / "disc-24.stl").read_bytes()[:-1])


@pytest.mark.parametrize("name", GIVEN["bases"])
def test_each_pocket_takes_its_magnet(name: str) -> None:
    base = GIVEN["bases"][name]
    mesh = triangles((STL / f"{name}.stl").read_bytes())
    edge, height = base["diameter"], base["height"]
    solid = {
        "disc": math.pi / 4 * edge**2 * height,
        "half": math.pi / 4 * edge**2 * height,
        "angle": edge * edge * height + edge * height * (edge - height),
        "block": math.prod(size(mesh)),
    }[base["form"]]
    magnets = {"half": 0.5, "angle": 2}.get(base["form"], base.get("files", 1) * base.get("ranks", 1))
    assert solid - volume_mm3(mesh) > magnets * MAGNET_MM3
    assert height - GIVEN["magnet"]["height"] / (2 if base["form"] == "half" else 1) >= 0.4  # a printed floor


@pytest.mark.parametrize("slug", slugs())
def test_every_kind_of_piece_has_a_base_that_fits_its_cells(slug: str) -> None:
    marks = assign(find(slug))
    assert marks
    for mark in marks:
        base = GIVEN["bases"][base_of(slug, mark.piece.kind)]
        assert base["diameter"] <= 0.8 * CELL  # the neighbour's magnet is a cell away
        right, away = mark.at
        assert right < base.get("files", 1)
        assert away < base.get("ranks", 1)
        lies_down = any(other.figure == mark.figure and other.piece.pose == "wreck" for other in marks)
        assert (base["form"] == "angle") == lies_down


def test_the_scad_file_is_that_of_the_data() -> None:
    found = (PRINTS / "dimensions.scad").read_text(encoding="utf-8")
    assert found == scad_text(), "run: python -m firmware.hardware.solids"


def need(program: str) -> None:
    """Skip, or under `check.py --hardware` fail, where *program* is missing."""
    if shutil.which(program) is None:
        said = f"{program} missing: python3 check.py --hardware installs it"
        pytest.fail(said) if os.environ.get("HARDWARE") == "true" else pytest.skip(said)


@pytest.mark.long
@pytest.mark.parametrize("part", part_names())
def test_openscad_makes_the_committed_mesh(part: str, tmp_path: Path) -> None:
    need("openscad")
    made = triangles(build(part, tmp_path).read_bytes())
    committed = triangles((STL / f"{part}.stl").read_bytes())
    assert size(made) == pytest.approx(size(committed), abs=0.001)
    assert volume_mm3(made) == pytest.approx(volume_mm3(committed), rel=1e-4)


@pytest.mark.long
@pytest.mark.parametrize("scene", SCENES)
def test_each_picture_of_the_build_guide_can_be_rendered(scene: str, tmp_path: Path) -> None:
    need("openscad")
    need("xvfb-run")
    with Image.open(render(scene, tmp_path)) as made, Image.open(PICTURES / f"{scene}.png") as committed:
        assert made.size == pytest.approx(committed.size, abs=20)
        assert len(made.convert("RGB").getcolors() or ()) > 5  # an empty picture has one
