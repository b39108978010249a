# SPDX-License-Identifier: Apache-2.0
"""State of the page as JSON values: view, lamps, display, link, camera, virtual pieces.

Pure. At a virtual table, lamps and display show what the panel has received; at a real one, what
was sent to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from companion.feedback import lights, page, tones
from companion.feedback.page import piece_json
from companion.feedback.page_types import CameraPageState, LampsState, LooseState, PageState, VirtualState
from companion.feedback.shown import Shown
from companion.feedback.words import Words
from companion.host.devices.camera_status import CameraStatus
from companion.host.table.layers.hand import HandLayer
from companion.host.table.pipeline import Pipeline
from companion.host.text.error_translation import translate
from companion.host.virtual_table.table import VirtualTable
from companion.model.grid import Cell
from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.referee.values.board.board_rotation import Rotation
from companion.sensing.mounting import Mounting
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet, UnplacedPiece


def picture(
    pipeline: Pipeline,
    words: Words,
    virtual_table: VirtualTable | None,
    evaluate: Callable[[Any], str] | None = None,
    *,
    is_secret: bool = True,
    has_arbiter: bool = False,
    reviews: int = 0,
) -> PageState:
    """Return the page state of *pipeline* in *words*, with the pieces of a *virtual_table*.

    *evaluate* says the result of a position, which *is_secret* unless everybody is to see it. With
    *has_arbiter*, commands reserved for an arbiter are left out. *reviews* counts the requests to
    go over a game.
    """
    rotation, panel = pipeline.session.rotation, None if virtual_table is None else virtual_table.panel
    shown = seen(pipeline, virtual_table, words.language)._replace(has_arbiter=has_arbiter)
    menu = () if shown.menu is None else shown.menu.cells
    return {
        "view": page.render(shown, words),
        "menu": [{"cell": each.cell, "name": each.name} for each in menu],
        "reply": {"number": pipeline.reply.number, "text": pipeline.reply.text(words)},
        "retracted": pipeline.reasons.retracted,
        "takes_presses": virtual_table is not None or pipeline.takes_presses,
        "lamps": _lamps(pipeline, rotation)
        if panel is None
        else _virtual_lamps(panel, pipeline.mounting, rotation, shown.places),
        "lines": list(pipeline.lines if panel is None else panel.lines),
        "tune": {
            "number": pipeline.tune.number,
            "notes": []
            if tones.is_acceptance(pipeline.tune.tones)  # for which the piece on a page sounds
            else [[tone.pitch_hz, tone.length_ms] for tone in pipeline.tune.tones],
        },
        "link": {
            "state": pipeline.status.state.value,
            "text": pipeline.status.why(words),
            "complaints": list(pipeline.warnings(words)),
            "has_display": False if panel is not None else pipeline.panel.has_display,
        },
        "camera": None if pipeline.camera is None else _camera(pipeline.camera, pipeline, words),
        "virtual": None
        if virtual_table is None
        else _virtual(_turned(virtual_table.pieces, rotation), pipeline.view.placement, shown.over, words),
        "analysis": "" if evaluate is None else _analysis(pipeline, words, evaluate),
        "blocked": None if virtual_table is None else refusal(virtual_table, words),
        "is_secret": is_secret,
        "reviews": reviews,
    }


def seen(pipeline: Pipeline, virtual_table: VirtualTable | None, language: str = "") -> Shown:
    """Return what the page shows; sentences of layers are in *language*, or the table's own."""
    shown = pipeline.shown(language)
    return shown if virtual_table is None else HandLayer(pipeline.session, virtual_table).added_to(shown)


def refusal(virtual_table: VirtualTable, words: Words) -> str | None:
    """Return why *virtual_table* rejected the last drop; None if it did not."""
    return None if virtual_table.refused is None else words.sentence(virtual_table.refused)


def _analysis(pipeline: Pipeline, words: Words, evaluate: Callable[[Any], str]) -> str:
    """Return the result of the position on show with best play; "" after the end."""
    if pipeline.view.outcome is not None:
        return ""
    position = pipeline.session.rules.read_position(pipeline.view.position)
    said = translate(evaluate(position), words.language)
    return said[:1].upper() + said[1:]


def _camera(camera: CameraStatus, pipeline: Pipeline, words: Words) -> CameraPageState:
    """Return the camera's status in sentences."""
    sentences = camera.sentences(words.common, pipeline.cell_names)
    rotation = pipeline.session.rotation
    cells = [rotation.cells[cell] if rotation.quarters else cell for cell in camera.cells]
    return {
        "state": camera.state.value,
        "is_well": camera.is_well,
        "has_problems": camera.is_shown,
        "sentences": sentences,
        "cells": sorted(cells),
    }


def _lamps(pipeline: Pipeline, rotation: Rotation) -> LampsState:
    """Return the lamps as sent, by the game's cells."""
    looks = [
        (*look.rgb, *look.rgb2, look.period_ms, look.phase_ms) for look in lights.palette(pipeline.lamps)
    ]
    return {"palette": looks, "cells": list(rotation.back().image(pipeline.image))}


def _virtual_lamps(
    panel: VirtualPanel, mounting: Mounting, rotation: Rotation, places: Sequence[Cell]
) -> LampsState:
    """Return the lamps as received, by the game's cells, with *places* lit as targets."""
    lamps = panel.device.lamps
    image = () if lamps.is_dark else tuple(lamps.image[number] for number in mounting.under)
    looks = [
        (
            each.red,
            each.green,
            each.blue,
            each.red2,
            each.green2,
            each.blue2,
            each.period * 10,
            each.phase * 10,
        )
        for each in lamps.palette
    ]
    cells = list(rotation.back().image(image)) if image else []
    for cell in places if cells else ():
        cells[cell] = lights.index_of(lights.Meaning.TARGET)
    return {"palette": looks, "cells": cells}


def _turned(pieces: PieceSet, rotation: Rotation) -> PieceSet:
    """Return *pieces* by the game's cells."""
    return replace(pieces, standing=rotation.placement(pieces.standing)) if rotation.quarters else pieces


def _virtual(pieces: PieceSet, believed: Placement, over: Cell | None, words: Words) -> VirtualState:
    """Return the pieces on the board, in the hand *over* a cell, in the box."""
    known = believed.by_cell()
    json_of = cache(lambda piece: piece_json(piece, words))

    def named(piece: Piece, cell: Cell | None) -> Piece:
        """Return the stack on record whose visible top is *piece*, if *cell* has one."""
        below = None if cell is None else known.get(cell)
        return below if below is not None and below.shows == piece.kind else piece

    held = pieces.hand and replace(pieces.hand, piece=named(pieces.hand.piece, pieces.hand.came_from))
    return {
        "pieces": [
            {**json_of(named(piece, cells[0])), "cells": list(cells)}
            for piece, cells in pieces.standing.entries
        ],
        "hand": None if held is None else _loose(held, pieces, words),
        "box": [_loose(loose, pieces, words) for loose in pieces.box],
        "over": over,
    }


def _loose(loose: UnplacedPiece, pieces: PieceSet, words: Words) -> LooseState:
    """Return a loose piece, its shape around the hand, and its other face."""
    other = pieces.flipped(loose.piece)
    return {
        **piece_json(loose.piece, words),
        "came_from": loose.came_from,
        "shape": [list(at) for at in loose.shape],
        "other_face": None if other == loose.piece else words.pose(other.pose).name,
    }
