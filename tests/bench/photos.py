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
    pieces = ["LLLLLLLL", "........"]   # light, D for dark, or empty; the nearest row first

    [[series]]                          # one photograph for each ply, each from its own place
    images = ["a.jpg", "b.jpg"]
    corners-px = [[[507, 377], …], …]
    moves = "d4"
    start = "…"                         # the first position, by default the initial one; optional
    empty = "empty.jpg"                 # optional, with the corners of the first

    [[film]]
    film = "a.avi"
    corners-px = [[...]]
    empty = "empty.jpg"                 # optional
    empty-film = "empty.avi"            # optional: all its images are tried; the worst counts
    first = 25                          # number of the first image, from 0
    still = 12                          # times for which the first image is shown
    moves = "e4 e5 Qh5"                 # what was played

Corners are those of the cells, in order: near left, near right, far right and far left, as the
first player sees them. Labels come from the publisher or from looking at the picture.

- begun: photographs whose position, if it is known, is recognised; read_otherwise: cells that were
  not read as they should be, in all of them.
- cells_right: share of cells whose class is read rightly by classes learned from the other cells.
- named: one piece too many or too few, in each photograph on each eighth cell: exactly that was
  found; blamed: other cells were.
- announced, missed: of the moves; wrong: announced and not played; asked: with a question.
- struck: plies that were made illegal for the referee; told: as illegal or by a question;
  other: another move was announced.
- bound_95: the share of wrong moves excluded with 95 % confidence if none was wrong.
"""

from __future__ import annotations

import argparse
import copy
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import cv2  # noqa: E402  (run as a script, from anywhere)
import numpy as np  # noqa: E402

from companion.games import find  # noqa: E402
from companion.model.errors import SettingsError  # noqa: E402
from companion.model.game import AnyRules, Game  # noqa: E402
from companion.referee.session.session import Session  # noqa: E402
from companion.referee.values.commands import Answer  # noqa: E402
from companion.referee.values.events import IllegalSeen, QuestionAsked  # noqa: E402
from companion.sensing.appearance import left_out, tones_of  # noqa: E402
from companion.sensing.first_board import first_board  # noqa: E402
from companion.sensing.untagged_sensor import UntaggedSensor  # noqa: E402
from companion.sensing.untagged_table import UntaggedTable, bare  # noqa: E402
from companion.sensing.vision.discs import Picture, discs_of, shading  # noqa: E402
from companion.sensing.vision.geometry import Floats, View, view_of  # noqa: E402
from tests.bench.report import deliver, say  # noqa: E402

Timed: TypeAlias = tuple[int, Picture | None]
"""An image with its time, or time alone, in ms."""

_AFTER_MS: Final = 5000
"""Time after a film in which the referee may still announce a move."""
_SHOWN: Final = 15
"""Images as which a photograph is shown, 30 each second."""
_THOUGHT_MS: Final = 1500
"""Time after a photograph until the next one is shown."""
_EACH: Final = 8
"""One of so many cells is labelled wrongly."""


def picture(path: Path) -> Picture:
    """The image of *path*. Raises `SettingsError`."""
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None:
        raise SettingsError("{path}: no image can be read there: check labels.toml", path=path)
    return np.asarray(image, np.uint8)


@dataclass(frozen=True)
class Case:
    """A game on a board of known size."""

    game: Game
    cell_mm: float
    height_mm: float

    def table(self, corners_px: Any, image: Picture, position: object = None) -> UntaggedTable:
        """The table in the view in which the board's corners are at *corners_px*."""
        edge_mm, tallest_mm = self.cell_mm, self.height_mm
        flat = bare(self.game, edge_mm=edge_mm, most_height_mm=tallest_mm)
        view = self._view(flat, corners_px, image)
        return bare(self.game, position=position, edge_mm=edge_mm, most_height_mm=tallest_mm, view=view)

    @staticmethod
    def _view(table: UntaggedTable, corners_px: Any, image: Picture) -> View:
        points = [point for outline in table.grid.outlines for point in outline]
        right, far = max(x for x, _ in points), max(y for _, y in points)
        places = np.array([(0, 0), (right, 0), (right, far), (0, far)], float)
        return view_of(places, np.array(corners_px, float), (image.shape[1], image.shape[0]))


@dataclass
class Read:
    """What was made of photographs of known positions."""

    photos: int = 0
    begun: int = 0
    cells: int = 0
    right: int = 0
    labelled: int = 0
    named: int = 0
    blamed: int = 0
    otherwise: list[str] = field(default_factory=list)

    def add(self, case: Case, folder: Path, label: dict[str, Any]) -> None:
        """Read one photograph."""
        image = picture(folder / label["image"])
        table = case.table(label["corners-px"], image)
        letters = "".join(label["pieces"])
        start = {cell: "LD".index(each) for cell, each in enumerate(letters) if each != "."}
        table = replace(table, start=start)
        assert table.view is not None
        looks = discs_of(table.view, table.grid, case.height_mm).look(image)
        middles = np.array([table.grid.centre_mm(cell) for cell in range(len(table.grid))])
        empty = np.array([each == "." for each in letters])
        features = looks.evened(shading(looks, empty, tones_of(table.grid), middles)).features()
        found = first_board(features, tones_of(table.grid), table, table.view)
        truth = np.array([".LD".index(each) for each in letters])
        logs, _ = left_out(features, truth, tones_of(table.grid), 3)
        others = [table.grid.name(int(cell)) for cell in np.flatnonzero(found.cells)]
        self.photos, self.begun = self.photos + 1, self.begun + (not others and found.problem is None)
        self.cells, self.right = (
            self.cells + len(truth),
            self.right + int((logs.argmax(axis=1) == truth).sum()),
        )
        self.otherwise += [f"{folder.name} {label['image']} {name}" for name in others]
        self._mislabel(features, table)

    def _mislabel(self, features: Floats, table: UntaggedTable) -> None:
        """Count how often a piece too many, or too few, is found."""
        for cell in range(self.photos % _EACH, len(table.grid), _EACH):
            start = dict(table.start)
            if start.pop(cell, None) is None:
                start[cell] = cell * 2 // len(table.grid)
            assert table.view is not None
            found = first_board(features, tones_of(table.grid), replace(table, start=start), table.view)
            odd = {int(each) for each in np.flatnonzero(found.cells)}
            self.labelled += 1
            self.named += odd == {cell} and found.problem is None
            self.blamed += bool(odd - {cell})

    def figures(self) -> dict[str, Any]:
        """The counts."""
        share = round(self.right / self.cells, 4) if self.cells else None
        return {
            "photos": self.photos,
            "begun": self.begun,
            "read_otherwise": self.otherwise,
            "cells": self.cells,
            "cells_right": share,
            "mislabelled": self.labelled,
            "named": self.named,
            "blamed": self.blamed,
        }


def moves_of(rules: AnyRules, start: Any, text: str) -> list[str]:
    """The moves of *text* as the game writes them: `Qxf7` may be `Qxf7#`."""
    position, moves = start, list[str]()
    for each in text.split():
        move = rules.read_move(position, each)
        moves.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    return moves


def followed(
    rules: AnyRules, start: Any, sensor: UntaggedSensor, images: Iterable[Timed], wanted: Sequence[str]
) -> dict[str, Any]:
    """What the referee made of *images* in which *wanted* was played."""
    session, asked, illegal, now_ms = None, 0, 0, 0
    for now_ms, image in images:
        observation = None if image is None else sensor.observe(image, now_ms)
        if session is None and observation is not None:
            session = Session(rules, sensor.kind, start=start)
        if session is None:
            continue
        for event in session.observe(observation) if observation else session.tick(now_ms):
            illegal += isinstance(event, IllegalSeen)
            if isinstance(event, QuestionAsked):
                asked += 1
                question = event.question
                known = wanted[question.ply] if question.ply < len(wanted) else ""
                fitting = [n for n, each in enumerate(question.choices) if known in each.moves]
                if fitting:
                    session.command(Answer(question.ply, fitting[0]), now_ms)
    record = [] if session is None else [each.move for each in session.view().record]
    right = next((n for n, pair in enumerate(zip(record, wanted, strict=False)) if pair[0] != pair[1]), None)
    count = min(len(record), len(wanted)) if right is None else right
    return {
        "begun": session is not None,
        "moves": len(wanted),
        "announced": count,
        "asked": asked,
        "illegal": illegal,
        "wrong": len(record) - count,
        "missed": len(wanted) - count,
        "reasons_at_the_end": {
            trouble.value: [*map(rules.grid.name, cells)] for trouble, cells in sensor.places.items()
        },
    }


def shown(images: Sequence[Picture]) -> Iterator[Timed]:
    """Each photograph for half a second, with time between them."""
    for number, image in enumerate(images):
        begin_ms = 1000 + number * (_SHOWN * 33 + _THOUGHT_MS)
        for frame in range(_SHOWN):
            yield begin_ms + 33 * frame, image
        for later in range(1, _THOUGHT_MS // 100):
            yield begin_ms + 33 * _SHOWN + 100 * later, None


def photographed(case: Case, folder: Path, label: dict[str, Any]) -> list[Picture]:
    """The photographs of a series, seen from the place of the first."""
    images = [picture(folder / name) for name in label["images"]]
    first, size = np.array(label["corners-px"][0], np.float32), images[0].shape[1::-1]
    found = [images[0]]
    for image, corners in zip(images[1:], label["corners-px"][1:], strict=True):
        moved = cv2.getPerspectiveTransform(np.array(corners, np.float32), first)
        found.append(np.asarray(cv2.warpPerspective(image, moved, size, flags=cv2.INTER_AREA), np.uint8))
    return found


def series(case: Case, folder: Path, label: dict[str, Any]) -> dict[str, Any]:
    """What was made of photographs after each ply, and of forbidden plies."""
    rules = case.game.rules()
    start = rules.read_position(label["start"]) if "start" in label else rules.initial()
    wanted, images = moves_of(rules, start, label["moves"]), photographed(case, folder, label)
    table = case.table(label["corners-px"][0], images[0], start)
    empty = picture(folder / label["empty"]) if "empty" in label else None
    found = followed(rules, start, UntaggedSensor(table, empty), shown(images), wanted)
    struck, told, other, position = 0, 0, 0, start
    for ply, text in enumerate(wanted):
        move = rules.read_move(position, text)
        strict = without(rules, position, move)
        table = case.table(label["corners-px"][0], images[0], position)
        forbidden = followed(strict, position, UntaggedSensor(table, empty), shown(images[ply : ply + 2]), [])
        struck, other = struck + forbidden["begun"], other + bool(forbidden["wrong"])
        told += bool(forbidden["illegal"] or forbidden["asked"]) and not forbidden["wrong"]
        position = rules.apply(position, move)
    return {"series": label["images"][0], **found, "struck": struck, "told": told, "other": other}


def without(rules: AnyRules, position: Any, move: Any) -> AnyRules:
    """*rules* by which *move* is not legal in *position*."""
    kind = type(rules)

    def legal_moves(self: AnyRules, at: Any) -> Any:
        return [each for each in kind.legal_moves(self, at) if at != position or each != move]

    def moves_touching(self: Any, at: Any, cells: int) -> Any:
        return [each for each in kind.moves_touching(self, at, cells) if at != position or each != move]  # type: ignore[attr-defined]

    methods: dict[str, Any] = {"legal_moves": legal_moves, "__slots__": ()}
    if hasattr(kind, "moves_touching"):
        methods["moves_touching"] = moves_touching
    strict = copy.copy(rules)
    object.__setattr__(strict, "__class__", type(kind.__name__, (kind,), methods))
    return strict


def film_images(folder: Path, label: dict[str, Any]) -> list[Timed]:
    """The images of a film with their times, and the time after them."""
    film = cv2.VideoCapture(str(folder / label["film"]))
    period_ms, found, number = 1000 / (film.get(cv2.CAP_PROP_FPS) or 25.0), list[Timed](), 0
    first, at_ms = label.get("first", 0), 0.0
    while (read := film.read())[0]:
        for _ in range((label.get("still", 1) if number == first else 1) if number >= first else 0):
            at_ms += period_ms
            found.append((round(at_ms), np.asarray(read[1], np.uint8)))
        number += 1
    if not number:
        raise SettingsError("{path}: no film can be read there: check labels.toml", path=label["film"])
    return [*found, *((round(at_ms) + 250 * later, None) for later in range(1, _AFTER_MS // 250))]


def filmed(case: Case, folder: Path, label: dict[str, Any]) -> dict[str, Any]:
    """What was made of a film, with the worst of several references."""
    rules, images = case.game.rules(), film_images(folder, label)
    start = rules.initial()
    wanted = moves_of(rules, start, label["moves"])
    assert images[0][1] is not None
    table = case.table(label["corners-px"], images[0][1])
    references: list[Picture | None] = [picture(folder / label["empty"]) if "empty" in label else None]
    if "empty-film" in label:
        empty = film_images(folder, {"film": label["empty-film"]})
        references += [image for _, image in empty if image is not None]
    found = [followed(rules, start, UntaggedSensor(table, each), images, wanted) for each in references]
    worst = min(found, key=lambda each: (-each["wrong"], each["announced"], -each["asked"]))
    right = sum(each["announced"] == len(wanted) and not each["wrong"] for each in found)
    return {"film": label["film"], **worst, "references": len(found), "all_right": right}


def measured(folders: Sequence[Path]) -> dict[str, Any]:
    """All figures."""
    read, films = Read(), list[dict[str, Any]]()
    for folder in folders:
        labels = tomllib.loads((folder / "labels.toml").read_text(encoding="utf-8"))
        case = Case(find(labels["game"]), labels["cell-mm"], labels["height-mm"])
        for photo in labels.get("photo", []):
            read.add(case, folder, photo)
        say(f"{folder.name}: {read.figures()}")
        films += [series(case, folder, each) for each in labels.get("series", [])]
        films += [filmed(case, folder, each) for each in labels.get("film", [])]
        for each in films[-len(labels.get("series", [])) - len(labels.get("film", [])) or len(films) :]:
            say(f"{folder.name}: {each}")
    announced, wrong = (sum(film[key] for film in films) for key in ("announced", "wrong"))
    bound = round(1 - 0.05 ** (1 / announced), 4) if announced and not wrong else None
    return {**read.figures(), "films": films, "bound_95": bound}


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
