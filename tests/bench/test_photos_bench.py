# SPDX-License-Identifier: Apache-2.0
"""The benchmark of photographs measures a folder with labels."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.games import find
from tests.bench.photos import measured, moves_of, without
from tests.sensing.plain_tables import PlainTable
from tests.virtual.optics import Optics

SMALL = Optics((360, 480), (100.0, 60.0, 950.0), (100.0, 190.0), focal_px=800.0, noise=3.0)
"""Over a board of 200 by 400 mm."""


@pytest.mark.long
def test_cells_and_moves_of_a_labelled_folder_are_counted(tmp_path: Path) -> None:
    rules = find("close-quarters").rules()
    table = PlainTable(find("close-quarters"), None, SMALL, seed=4)
    cv2.imwrite(str(tmp_path / "empty.png"), table.scene.photograph())
    position = rules.initial()
    table.set_up(position)
    cv2.imwrite(str(tmp_path / "start.png"), table.scene.photograph())
    pieces = rules.placement(position).by_cell()
    rows = [
        "".join("." if c not in pieces else "LD"[pieces[c].side or 0] for c in range(r, r + 4))
        for r in range(0, 32, 4)
    ]
    move = rules.legal_moves(position)[0]
    images = [table.scene.photograph() for _ in range(20)]
    for step in rules.steps(position, move):
        arm = table.arm(step.source[0])
        images += [table.scene.photograph(arms=[arm]) for _ in range(3)]
        table.take(step.source)
        table.put(step.target, step.becomes)
    images += [table.scene.photograph() for _ in range(30)]
    film = cv2.VideoWriter(str(tmp_path / "film.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 30.0, SMALL.size_px)
    for image in images:
        film.write(image)
    film.release()
    corners = SMALL.project(np.array([(0, 0, 0), (200, 0, 0), (200, 400, 0), (0, 400, 0)], float)).tolist()
    labels = [
        'game = "close-quarters"',
        "cell-mm = 50.0",
        "height-mm = 45.0",
        "[[photo]]",
        'image = "start.png"',
        f"corners-px = {corners}",
        'empty = "empty.png"',
        f"pieces = {rows}",
        "[[photo]]",
        'image = "start.png"',
        f"corners-px = {corners}",
        f"pieces = {rows}",
        "[[film]]",
        'film = "film.avi"',
        f"corners-px = {corners}",
        'empty = "empty.png"',
        f'moves = "{rules.write_move(position, move)}"',
    ]
    (tmp_path / "labels.toml").write_text("\n".join(labels), encoding="utf-8")
    found = measured([tmp_path])
    assert (found["photos"], found["begun"], found["read_otherwise"]) == (2, 2, [])
    assert found["cells"] == 64
    assert found["cells_right"] >= 0.9
    assert found["named"] >= found["mislabelled"] // 2
    assert [(film["moves"], film["announced"], film["wrong"]) for film in found["films"]] == [(1, 1, 0)]


def test_moves_are_compared_as_the_game_writes_them() -> None:
    rules = find("chess").rules()
    assert moves_of(rules, rules.initial(), "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7")[-1] == "Qxf7#"


def test_a_forbidden_move_is_not_legal_and_others_are() -> None:
    rules = find("chess").rules()
    start = rules.initial()
    move = rules.read_move(start, "e4")
    strict = without(rules, start, move)
    assert move not in strict.legal_moves(start)
    assert len(strict.legal_moves(start)) == 19
    assert len(strict.legal_moves(rules.apply(start, move))) == 20
