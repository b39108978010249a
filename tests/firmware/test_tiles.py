# SPDX-License-Identifier: Apache-2.0
"""The circuit boards: what is joined on them, their parts, and KiCad's verdict."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import TypeAlias

import pytest

from companion.link.panel import load_panel, order_of
from firmware.hardware.copper import At, Board, Placed, Track
from firmware.hardware.netlist import NotDrawn, cell_name, netlist
from firmware.hardware.tile import RANKS, end_pins, side_pins, tile
from firmware.hardware.tile_circuit import circuit
from firmware.hardware.tile_files import NAMES, TILES, DesignRulesBroken, parts_to_buy, plotted, texts
from tests.house.checks import SKIDL

KICAD = Path("/usr/lib/python3/dist-packages/pcbnew.py")


def parts(board: Board) -> dict[str, Placed]:
    return {part.ref: part for part in board.parts}


def is_on(at: At, track: Track) -> bool:
    """True if *at* lies on the copper of a track."""
    (ax, ay), (bx, by) = track.begin, track.end
    along = ((at.x - ax) * (bx - ax) + (at.y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
    along = min(1.0, max(0.0, along))
    return math.dist(at, (ax + along * (bx - ax), ay + along * (by - ay))) <= track.width / 2


def pieces_of(board: Board, net: str) -> int:
    """The number of pieces that the copper of *net* consists of, without its zones."""
    tracks = [track for track in board.tracks if track.net == net]
    joints = [(via.at, True) for via in board.vias if via.net == net]
    for part in board.parts:
        for pad in part.footprint.pads:
            if part.nets[pad.number] == net:
                joints.append((part.pad_at(pad.number), pad.drill > 0))
    above = list(range(len(tracks) + len(joints)))

    def root(node: int) -> int:
        while above[node] != node:
            node = above[node]
        return node

    for number, (at, is_through) in enumerate(joints, len(tracks)):
        for index, track in enumerate(tracks):
            if (is_through or track.layer == "F.Cu") and is_on(at, track):
                above[root(number)] = root(index)
    for index, track in enumerate(tracks):
        for other in range(index):
            same = tracks[other].layer == track.layer
            if same and any(is_on(end, track) for end in tracks[other][:2]):
                above[root(other)] = root(index)
            elif same and any(is_on(end, tracks[other]) for end in track[:2]):
                above[root(index)] = root(other)
    return len({root(node) for node in range(len(above))})


@pytest.mark.parametrize("name", NAMES)
def test_each_switch_is_a_bridge_between_the_panels_column_and_row(name: str) -> None:
    nets, board = netlist(load_panel(name)), parts(tile(name))
    for cell in range(nets.panel.cells):
        at = cell_name(nets.panel, cell)
        reed, hall, diode = (board[f"{kind}_{at}"] for kind in "SHD")
        column, row = nets.net_of(f"S_{at}", "a").name, nets.net_of(f"D_{at}", "cathode").name
        assert diode.nets["2"] == column  # anode
        assert diode.nets["1"] == reed.nets["2"] == hall.nets["2"]
        assert reed.nets["1"] == hall.nets["3"] == row


def test_the_copper_of_each_net_is_one_piece() -> None:
    board = tile("4x8")
    assert {net: pieces_of(board, net) for net in board.nets() if net != "GND"} == {
        net: 1 for net in board.nets() if net != "GND"
    }


def test_a_missing_track_is_noticed() -> None:
    board = tile("4x8")
    lost = next(track for track in board.tracks if track.net == "COL2" and track.layer == "B.Cu")
    board.tracks.remove(lost)
    assert pieces_of(board, "COL2") > 1


@cache
def eight() -> Board:
    """A tile of 8 x 8 that no test changes."""
    return tile("8x8")


Node: TypeAlias = tuple[int, int, str]
"""A net of the tile in a column and a row."""


def joined_tiles(columns: int, rows: int, *, keeps_all: bool = False) -> dict[Node, Node]:
    """The net that each net of tiles of 8 x 8 is joined with.

    Resistors of 0 ohm are taken off where a tile follows, unless *keeps_all*.
    """
    board = eight()
    above: dict[Node, Node] = {}

    def root(node: Node) -> Node:
        top = node
        while top in above:
            top = above[top]
        while node != top:
            above[node], node = top, above[node]
        return top

    def join(one: Node, other: Node) -> None:
        if root(one) != root(other):
            above[root(one)] = root(other)

    for x, y in product(range(columns), range(rows)):
        for part in board.parts:
            edge = columns - 1 if part.ref.startswith("R_RIGHT") else 0
            if part.kind == "0R" and (x == edge or keeps_all):
                join((x, y, part.nets["1"]), (x, y, part.nets["2"]))
        for number, net in side_pins("RIGHT").items():
            if x + 1 < columns:
                join((x, y, net), (x + 1, y, side_pins("LEFT")[number]))
        for group, number in product((0, 1), map(str, range(1, 11))):
            if y + 1 < rows:
                join((x, y, end_pins("UP", group)[number]), (x, y + 1, end_pins("DOWN", group)[number]))
    return {node: root(node) for node in product(range(columns), range(rows), board.nets())}


def lamps(columns: int, rows: int) -> Iterator[tuple[tuple[int, int], Node, Node]]:
    """File and rank, input and output of each LED."""
    panel = load_panel("8x8")
    cells = {cell_name(panel, cell): cell for cell in range(panel.cells)}
    for x, y in product(range(columns), range(rows)):
        for part in eight().parts:
            if part.kind == "led":
                rank, file = divmod(cells[part.ref[2:]], 8)
                yield (8 * x + file, 8 * y + rank), (x, y, part.nets["4"]), (x, y, part.nets["2"])


def chain(columns: int, rows: int) -> list[tuple[int, int]]:
    """File and rank of each LED in the order of the chain."""
    joined = joined_tiles(columns, rows)
    after = {joined[given]: (at, joined[told]) for at, given, told in lamps(columns, rows)}
    found, net = [], joined[0, 0, "LEFT1"]
    while net in after:
        at, net = after.pop(net)
        found.append(at)
    return found


def most_outputs(joined: dict[Node, Node], columns: int, rows: int) -> int:
    """The largest number of LEDs that drive one net."""
    return max(Counter(joined[told] for _, _, told in lamps(columns, rows)).values())


def test_no_two_leds_drive_one_line_once_the_resistors_between_tiles_are_off() -> None:
    assert most_outputs(joined_tiles(2, 2), 2, 2) == 1
    assert most_outputs(joined_tiles(2, 2, keeps_all=True), 2, 2) > 1


@pytest.mark.parametrize(("columns", "rows", "name"), [(1, 1, "8x8"), (2, 2, "16x16")])
def test_tiles_side_by_side_are_a_panel(columns: int, rows: int, name: str) -> None:
    panel = load_panel(name)
    place_of = order_of(panel.led_order, panel.leds, panel.files)
    by_place = sorted(range(panel.cells), key=lambda cell: place_of[cell])
    assert chain(columns, rows) == [(cell % panel.files, cell // panel.files) for cell in by_place]
    left, right = side_pins("LEFT"), side_pins("RIGHT")
    assert {number for number in left if left[number] == right[number]} == {
        *(str(2 * index + 2) for index in (0, 1, 2, 3, 6, 7, 8, 9)),
        *("9", "10", "11", "12"),
    }
    assert sorted(net for net in left.values() if net.startswith("ROW")) == [
        f"ROW{rank}" for rank in range(1, RANKS + 1)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_number_of_a_part_has_a_source(name: str) -> None:
    board, known = tile(name), parts_to_buy()
    kinds = Counter(part.kind for part in board.parts)
    cells = load_panel(name).cells
    assert [kinds[kind] for kind in ("reed", "hall", "diode", "led", "100nF")] == [cells] * 5
    for kind in kinds:
        row = known[kind]
        assert bool(row.get("number")) == bool(row.get("source", "").startswith("http"))
        assert row["description"]
        assert row["substitute"]
    assert set(known) == set(kinds)


@pytest.mark.parametrize("name", NAMES)
def test_the_files_are_those_of_the_panel(name: str) -> None:
    stale = [file for file, text in texts(name).items() if (TILES / file).read_text("utf-8") != text]
    assert stale == [], "run: python -m firmware.hardware.tile_files --plot"


def test_a_panel_of_another_shape_has_no_tile() -> None:
    with pytest.raises(NotDrawn, match="there is no tile for the panel 20x20: 20 by 20 cells"):
        tile("20x20")


def need_kicad() -> None:
    """Skip, or under `check.py --hardware` fail, where KiCad is missing."""
    if not KICAD.exists() or shutil.which("/usr/bin/python3") is None:
        said = "kicad missing: python3 check.py --hardware installs it"
        pytest.fail(said) if os.environ.get("HARDWARE") == "true" else pytest.skip(said)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_kicad_finds_no_fault_and_plots_the_committed_files(name: str, tmp_path: Path) -> None:
    need_kicad()
    made = plotted(tile(name), tmp_path)
    with zipfile.ZipFile(TILES / f"tile-{name}-gerber.zip") as archive:
        committed = {file: archive.read(file) for file in archive.namelist()}
    assert set(made) == set(committed)
    assert [file for file in made if made[file] != committed[file]] == []


def told_by_skidl(board: Board, folder: Path) -> str:
    """What SKiDL's electrical rule check says about *board*."""
    python = SKIDL / "bin" / "python"
    if not python.exists():
        said = "SKiDL missing: python3 check.py --hardware installs it"
        pytest.fail(said) if os.environ.get("HARDWARE") == "true" else pytest.skip(said)
    script = Path(__file__).parents[2] / "firmware" / "hardware" / "skidl_check.py"
    ran = subprocess.run(
        [python, script],
        input=json.dumps(circuit(board)),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout + ran.stderr


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_skidl_finds_no_fault(name: str, tmp_path: Path) -> None:
    assert told_by_skidl(tile(name), tmp_path).startswith("errors 0, warnings 0\n")


@pytest.mark.long
def test_skidl_finds_an_led_that_is_turned(tmp_path: Path) -> None:
    board = tile("4x8")
    index = next(index for index, part in enumerate(board.parts) if part.ref == "L_b1")
    nets = board.parts[index].nets
    board.parts[index] = replace(board.parts[index], nets=nets | {"2": nets["4"], "4": nets["2"]})
    told = told_by_skidl(board, tmp_path)
    assert "Pin conflict on net DATA1_1" in told
    assert not told.startswith("errors 0")


@pytest.mark.long
def test_kicad_finds_a_short_circuit_and_an_open_net(tmp_path: Path) -> None:
    need_kicad()
    board = tile("4x8")
    board.path("COL1", "B.Cu", At(33, 100), At(83, 100))
    with pytest.raises(DesignRulesBroken, match=r"(?s)Found [1-9]\d* DRC violations.*COL2"):
        plotted(board, tmp_path)
    board = tile("4x8")
    board.tracks = [track for track in board.tracks if (track.net, track.layer) != ("COL2", "B.Cu")]
    with pytest.raises(DesignRulesBroken, match=r"Found [1-9]\d* unconnected pads"):
        plotted(board, tmp_path)
