# SPDX-License-Identifier: Apache-2.0
"""Make the README's moving picture and a still of every game, in `docs/images`.

Usage: `python -m tests.page.readme_picture`. The game is that of `companion tools demo`: the real
protocol and referee, scripted hands. Times and drawings are the program's.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from PIL import Image

from companion.feedback import lights, page
from companion.feedback.page import Json
from companion.feedback.page_types import ViewState
from companion.feedback.shown import Shown
from companion.feedback.words import Words, load
from companion.host.journal.journal import JournalWriter
from companion.host.play import demo
from companion.host.play.demo import Shot
from companion.host.records.records import rules_of
from companion.host.watch.drawing import colours, style, tag
from companion.host.watch.game_drawing import FONT, GameDrawing
from companion.host.watch.gif import animation, rendered
from companion.host.watch.svg import shots
from companion.model.notation import GameRecord
from companion.virtual.pieces import PieceSet
from tests.host.test_round_trips import played

FOLDER: Final = Path(__file__).parents[2] / "docs" / "images"
FIRST, LAST = "The Sword steps aside.", "The Spear again, under the Mace's guard."
"""The remarks of the demo between which the picture is taken."""
FRAME_MS: Final = 50
WIDE, HIGH = 640, 480
SHORTEST_MS: Final = 1200
"""Positions that pass faster than they can be seen, are held for this long."""
COLUMN: Final = 24
"""Letters in a line beside the board."""
STILLS: Final = {
    "chess": GameRecord("chess", moves=("e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "O-O", "f6")),
    "close-quarters": GameRecord("close-quarters", moves=("a1-b2", "d8-b8!")),
    "fightopia": played("fightopia", {}, 4, 8, is_resigned=False),
    "gottaz": played("gottaz", {}, 5, 8, is_resigned=False),
    "martian-chess": played("martian-chess", {"players": "3"}, 5, 9, is_resigned=False),
    "tank-chess": played("tank-chess", {"map": "companion-20"}, 5, 10, is_resigned=False),
}
STILL_PX: Final = (320, 400)


def moment(words: Words) -> Iterator[tuple[str, int]]:
    """The drawings of the moment, each with the time for which it is shown."""
    drawn: list[tuple[str, int]] = []
    remarks = [line.partition("|")[0].strip() for line in demo.SCRIPT.strip().splitlines()]
    wanted = remarks[remarks.index(FIRST) : remarks.index(LAST) + 1]
    with (
        TemporaryDirectory() as folder,
        JournalWriter.create(Path(folder) / "demo.jsonl", demo.header()) as writer,
    ):
        for shot in demo.play_script(writer):
            if shot.remark in wanted:
                svg = drawing(shot, words)
                before = drawn.pop() if drawn and drawn[-1][0] == svg else (svg, 0)
                drawn.append((svg, before[1] + FRAME_MS))
    for svg, held_ms in drawn:
        yield svg, max(held_ms, SHORTEST_MS)


def drawing(shot: Shot, words: Words) -> str:
    """The board of *shot*, and beside it what the program says."""
    pipeline, pieces = shot.rig.pipeline, shot.rig.pieces
    grid = pipeline.session.rules.grid
    view = page.render(Shown(pipeline.view), words)
    game = GameDrawing(page.table(grid, (), words), view["regions"])
    looks = [(*look.rgb, *look.rgb2) for look in lights.palette()]
    picture = {
        "view": view,
        "lamps": {"palette": looks, "cells": list(lights.render(pipeline.view).cells)},
        "virtual": virtual_pieces(pieces, words),
    }
    came_from = pieces.hand.came_from if pieces.hand else None
    elements = game.elements(picture, "", hand_over=came_from)
    _, _, width, height = game.box
    box = " ".join(f"{side:g}" for side in game.box)
    across = HIGH * width / height
    board = tag("svg", {"viewBox": box, "width": across, "height": HIGH}, *game.still(), *elements.all)
    paper = tag("rect", {"width": WIDE, "height": HIGH, "fill": colours()["paper"]})
    root = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {WIDE} {HIGH}", "font-family": FONT}
    return tag("svg", root, f"<style>{style()}</style>", paper, board, *column(view, across + 28, shot))


def virtual_pieces(pieces: PieceSet, words: Words) -> Json:
    """*pieces* as the page has them."""
    return {
        "pieces": [
            {**page.piece_json(piece, words), "cells": list(cells)}
            for piece, cells in pieces.standing.entries
        ],
        "hand": page.piece_json(pieces.hand.piece, words) if pieces.hand else None,
    }


def column(view: ViewState, x: float, shot: Shot) -> Iterator[str]:
    """The text beside the board: last event, message, and way back or CHECK!"""
    is_wrong = view["fault"] is not None
    moves = [move["text"] for move in view["record"][-3:]]
    parts = [
        (shot.remark, 18, 400, "soft"),
        (view["prompt"], 28, 700, "alarm" if is_wrong else "ink"),
        *((guide["sentence"], 22, 400, "ink") for guide in view["guides"]),
        *((f"{cry['word']} {cry['sentence']}", 22, 700, "alarm") for cry in view["announcements"]),
    ]
    y = 84.0
    for text, size, weight, colour in parts:
        for line in textwrap.wrap(text, round(COLUMN * 28 / size)):
            look = {"font-size": size, "font-weight": weight, "fill": colours()[colour]}
            yield tag("text", {"x": x, "y": y, **look}, escape(line))
            y += size * 1.3
        y += 22
    look = {"font-size": 19, "fill": colours()["soft"]}
    yield tag("text", {"x": x, "y": HIGH - 48, **look}, escape("   ".join(moves)))


def still(record: GameRecord) -> Image.Image:
    """The last position of *record*."""
    game, elements = shots(record, load("en", record.game, rules_of(record).sides))
    _, _, width, height = game.box
    width_px = round(min(STILL_PX[0], STILL_PX[1] * width / height))
    return rendered(game.root(*game.still(), *elements[-1].all), width_px)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    words = load("en", demo.GAME, rules_of(GameRecord(demo.GAME)).sides)
    frames, held_ms = zip(*((rendered(svg, WIDE), held) for svg, held in moment(words)), strict=True)
    (FOLDER / "game.gif").write_bytes(animation(frames, held_ms))
    for slug, record in STILLS.items():
        image = still(record).quantize(200, dither=Image.Dither.NONE)
        image.save(FOLDER / f"{slug}.png", optimize=True)


if __name__ == "__main__":
    main()
