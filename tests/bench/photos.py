# SPDX-License-Identifier: Apache-2.0
"""Measure the camera on labelled photographs and films of plain pieces.

Each FOLDER has its images and `labels.toml`:

    game = "chess"
    source = "where the images come from"
    licence = "their licence"
    cell-mm = 50.0                      # edge of a cell
    height-mm = 80.0                    # height of the tallest piece

    [[photo]]
    image = "a.jpg"
    corners-px = [[507, 377], [505, 11], [143, 10], [138, 374]]
    empty = "empty.jpg"                 # the empty board; optional
    empty-corners-px = [[...]]          # its corners; by default the same
    pieces = ["LLLLLLLL", "........"]   # light, D for dark, or empty; the nearest row first

    [[film]]
    film = "a.avi"
    corners-px = [[...]]
    empty = "empty.jpg"                 # optional
    first = 25                          # number of the first image, from 0
    still = 12                          # times for which the first image is shown
    moves = "e4 e5 Qh5"                 # what was played

Corners are those of the cells, in order: near left, near right, far right and far left, as the
first player sees them. Labels come from the publisher or from looking at the picture. Without a
picture of the empty board, the empty cells of a photograph tell how the board looks below the
pieces, as they do where a game begins from a known position.

- cells: of the photographs; wrong_cells names those that the classifier alone reads wrongly.
- moves, announced, missed: of the films; wrong: announced and not played; asked: with a question.
- bound_95: the share of wrong moves excluded with 95 % confidence if none was wrong.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import cv2  # noqa: E402  (run as a script, from anywhere)
import numpy as np  # noqa: E402

from companion.games import find  # noqa: E402
from companion.model.errors import SettingsError  # noqa: E402
from companion.model.game import Game  # noqa: E402
from companion.model.grid import edges_mm  # noqa: E402
from companion.referee.session.session import Session  # noqa: E402
from companion.referee.values.commands import Answer  # noqa: E402
from companion.referee.values.events import QuestionAsked  # noqa: E402
from companion.sensing.cell_classes import CELL_CLASSES, CellClass  # noqa: E402
from companion.sensing.empty import filled_in  # noqa: E402
from companion.sensing.untagged_sensor import UntaggedSensor  # noqa: E402
from companion.sensing.untagged_table import UntaggedTable, bare  # noqa: E402
from companion.sensing.vision.cell_classifier import class_shares  # noqa: E402
from companion.sensing.vision.codes import Singles  # noqa: E402
from companion.sensing.vision.geometry import View, view_of  # noqa: E402
from companion.sensing.vision.ground import Ground, Picture, ground_of, light_plane, on_plane  # noqa: E402
from companion.sensing.vision.sampler import Flags  # noqa: E402
from tests.bench.report import deliver, say  # noqa: E402

LETTERS: Final = {
    CellClass.EMPTY: ".",
    CellClass.SHADOW: ".",
    CellClass.LIGHT: "L",
    CellClass.DARK: "D",
    CellClass.HAND: "hand",
}
_AFTER_MS: Final = 5000
"""Time after the last image in which the referee may still announce a move."""


def picture(path: Path) -> Picture:
    """The image of *path*. Raises `SettingsError`."""
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None:
        raise SettingsError("{path}: no image can be read there: check labels.toml", path=path)
    return np.asarray(image, np.uint8)


def view_from(table: UntaggedTable, corners_px: Any, image: Picture) -> View:
    """The view in which the board's corners are at *corners_px*."""
    points = [point for outline in table.grid.outlines for point in outline]
    (right, far) = max(x for x, _ in points), max(y for _, y in points)
    places = np.array([(0, 0), (right, 0), (right, far), (0, far)], float)
    return view_of(places, np.array(corners_px, float), (image.shape[1], image.shape[0]))


def samples(image: Picture, corners_px: Any, table: UntaggedTable) -> tuple[Ground, Singles]:
    """The sample places of a board in *image*, and their levels."""
    view = view_from(table, corners_px, image)
    ground = ground_of(view, table.grid, table.stature, np.array(edges_mm(table.grid)))
    return ground, ground.look(image).astype(np.float32)


def seen(
    folder: Path, label: dict[str, Any], table: UntaggedTable, occupied: Flags
) -> tuple[Ground, Singles, Singles]:
    """The samples of a photograph and of its empty board; *occupied* cells have pieces."""
    ground, levels = samples(picture(folder / label["image"]), label["corners-px"], table)
    if "empty" not in label:
        return ground, levels, filled_in(table.grid, ground, levels, occupied)
    corners = label.get("empty-corners-px", label["corners-px"])
    return ground, levels, samples(picture(folder / label["empty"]), corners, table)[1]


def wrong_cells(folder: Path, label: dict[str, Any], table: UntaggedTable) -> tuple[int, list[str]]:
    """The number of cells of a photograph, and those that are read wrongly."""
    truth = "".join(label["pieces"])
    ground, levels, empty = seen(folder, label, table, np.array([letter != "." for letter in truth]))
    light = np.maximum(on_plane(light_plane(ground, levels, empty), ground.places_mm), 0.05)[:, None]
    shares = class_shares(ground, levels, (empty * light).astype(np.float32), np.ones(len(truth), np.bool_))
    read = [LETTERS[CELL_CLASSES[int(best)]] for best in shares.argmax(axis=1)]
    cells = [
        f"{label['image']} {table.grid.name(cell)}: {there}, not {wanted}"
        for cell, (there, wanted) in enumerate(zip(read, truth, strict=True))
        if there != wanted
    ]
    return len(truth), cells


def images_of(folder: Path, label: dict[str, Any]) -> Iterator[tuple[int, Picture]]:
    """The images of a film with their times."""
    film = cv2.VideoCapture(str(folder / label["film"]))
    period_ms = 1000 / (film.get(cv2.CAP_PROP_FPS) or 25.0)
    number, at_ms = 0, 0.0
    while True:
        is_there, image = film.read()
        if not is_there:
            break
        if number >= label.get("first", 0):
            for _ in range(label.get("still", 1) if number == label.get("first", 0) else 1):
                at_ms += period_ms
                yield round(at_ms), np.asarray(image, np.uint8)
        number += 1
    if not number:
        raise SettingsError("{path}: no film can be read there: check labels.toml", path=label["film"])


def played(folder: Path, label: dict[str, Any], game: Game, table: UntaggedTable) -> dict[str, Any]:
    """What the referee made of a film."""
    rules, wanted = game.rules(), label["moves"].split()
    images = list(images_of(folder, label))
    view = view_from(table, label["corners-px"], images[0][1])
    empty = picture(folder / label["empty"]) if "empty" in label else None
    table = bare(game, edge_mm=label["cell-mm"], most_height_mm=label["height-mm"], view=view)
    sensor, session, asked, now_ms = UntaggedSensor(table, empty), None, 0, 0
    after = [(images[-1][0] + 250 * number, None) for number in range(1, _AFTER_MS // 250)]
    for now_ms, image in [*images, *after]:
        observation = None if image is None else sensor.observe(image, now_ms)
        if session is None and observation is not None:
            session = Session(rules, sensor.kind)
        if session is None:
            continue
        for event in session.observe(observation) if observation else session.tick(now_ms):
            if isinstance(event, QuestionAsked):
                asked += 1
                known = wanted[event.question.ply] if event.question.ply < len(wanted) else ""
                fitting = [n for n, each in enumerate(event.question.choices) if known in each.moves]
                if fitting:
                    session.command(Answer(event.question.ply, fitting[0]), now_ms)
    record = [] if session is None else [each.move for each in session.view().record]
    right = next((n for n, pair in enumerate(zip(record, wanted, strict=False)) if pair[0] != pair[1]), None)
    count = min(len(record), len(wanted)) if right is None else right
    troubles = {trouble.value: table.grid.spell(cells) for trouble, cells in sensor.places.items()}
    return {
        "film": label["film"],
        "moves": len(wanted),
        "announced": count,
        "asked": asked,
        "wrong": len(record) - count,
        "missed": len(wanted) - count,
        "reasons_at_the_end": troubles,
    }


def measured(folders: list[Path]) -> dict[str, Any]:
    """All figures."""
    cells, wrong, films = 0, list[str](), list[dict[str, Any]]()
    for folder in folders:
        labels = tomllib.loads((folder / "labels.toml").read_text(encoding="utf-8"))
        game = find(labels["game"])
        table = bare(game, edge_mm=labels["cell-mm"], most_height_mm=labels["height-mm"])
        for photo in labels.get("photo", []):
            count, bad = wrong_cells(folder, photo, table)
            cells, wrong = cells + count, wrong + bad
            say(f"{folder.name} {photo['image']}: {len(bad)} of {count} cells wrong")
        sizes = {key: labels[key] for key in ("cell-mm", "height-mm")}
        for film in labels.get("film", []):
            films.append(played(folder, {**sizes, **film}, game, table))
            say(str(films[-1]))
    announced, bad_moves = (sum(film[key] for film in films) for key in ("announced", "wrong"))
    return {
        "cells": cells,
        "cells_right": round(1 - len(wrong) / cells, 4) if cells else None,
        "wrong_cells": wrong,
        "films": films,
        "bound_95": round(1 - 0.05 ** (1 / announced), 4) if announced and not bad_moves else None,
    }


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    found = argparse.ArgumentParser(
        description=__doc__,
        epilog="examples:\n  python tests/bench/photos.py kitchen club --json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="images with labels.toml")
    found.add_argument("--json", action="store_true", help="print the report as one line of JSON")
    return found


def main() -> None:
    """Measure and report."""
    given = parser().parse_args()
    cv2.setNumThreads(1)
    deliver(measured(given.folders), 0, as_json=given.json)


if __name__ == "__main__":
    main()
