# SPDX-License-Identifier: Apache-2.0
"""All that a page shows now, as values that JSON knows: the view, the lamps, the display, link and camera, and virtual wood.

Pure. At a virtual table lamps and display are what the panel has really received; at a real one, what was sent to it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from companion.feedback import lights, page
from companion.feedback.page import Json, piece_json
from companion.feedback.words import Words
from companion.host.devices.camera_status import CameraStatus
from companion.host.table.pipeline import Pipeline
from companion.host.virtual_table.table import VirtualTable
from companion.model.grid import Cell
from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.referee.turning import Turn
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet, UnplacedPiece


def picture(chain: Pipeline, words: Words, desk: VirtualTable | None, *, has_arbiter: bool = False) -> Json:
    """The picture of the table of *chain* in *words*; at a virtual one with what lies on its *desk*.

    Where it *has_arbiter*, what only an arbiter may ask for is not offered.
    """
    turn = chain.session.turn
    view = page.render(chain.view, words)
    if has_arbiter:
        view["commands"] = [each for each in view["commands"] if each not in page.ARBITERS]
    return {
        "view": view,
        "reply": {"number": chain.reply.number, "text": chain.reply.text(words)},
        "lamps": _lamps(chain, turn) if desk is None else _virtual_lamps(desk.panel, turn),
        "lines": list(chain.lines if desk is None else desk.panel.lines),
        "tune": {
            "number": chain.heard.number,
            "notes": [[tone.pitch_hz, tone.length_ms] for tone in chain.heard.tones],
        },
        "link": {
            "state": chain.status.state.value,
            "text": chain.status.why(words),
            "complaints": list(chain.warnings(words)),
        },
        "camera": None if chain.camera is None else _camera(chain.camera, chain, words),
        "wood": None if desk is None else _wood(_turned(desk.wood, turn), chain.view.placement, words),
        "blocked": None if desk is None else refusal(desk, chain, words),
    }


def refusal(desk: VirtualTable, chain: Pipeline, words: Words) -> str | None:
    """Why the hand at *desk* could not put its piece down; None if it could."""
    if desk.refused is None:
        return None
    cells = words.comma(chain.cell_names[cell] for cell in desk.refused.cells)
    return words.fill(words.common.notices.not_captured, piece=words.piece(desk.refused.piece), cells=cells)


def _camera(camera: CameraStatus, chain: Pipeline, words: Words) -> Json:
    """How it stands with the camera, in sentences."""
    sentences = camera.sentences(words.common.camera, chain.cell_names)
    return {"state": camera.state.value, "is_well": camera.is_well, "sentences": sentences}


def _lamps(chain: Pipeline, turn: Turn) -> Json:
    """What was sent, by the game's cells."""
    looks = [(*look.rgb, *look.rgb2, look.period_ms, look.phase_ms) for look in lights.palette(chain.lamps)]
    return {"palette": looks, "cells": list(turn.back().image(chain.image))}


def _virtual_lamps(panel: VirtualPanel, turn: Turn) -> Json:
    """What was received, by the game's cells."""
    lamps = panel.device.lamps
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
    return {"palette": looks, "cells": [] if lamps.is_dark else list(turn.back().image(lamps.image))}


def _turned(wood: PieceSet, turn: Turn) -> PieceSet:
    """*wood* by the game's cells."""
    return replace(wood, standing=turn.placement(wood.standing)) if turn.quarters else wood


def _wood(wood: PieceSet, believed: Placement, words: Words) -> Json:
    """The pieces on the board, in the hand and in the box."""
    known = believed.by_cell()
    told = cache(lambda piece: piece_json(piece, words))

    def named(piece: Piece, cell: Cell | None) -> Piece:
        """The stack of which *piece* is what eyes see, if such a one belongs on *cell*."""
        below = None if cell is None else known.get(cell)
        return below if below is not None and below.shows == piece.kind else piece

    return {
        "pieces": [
            {**told(named(piece, cells[0])), "cells": list(cells)} for piece, cells in wood.standing.entries
        ],
        "hand": wood.hand
        and _loose(replace(wood.hand, piece=named(wood.hand.piece, wood.hand.came_from)), wood, words),
        "box": [_loose(loose, wood, words) for loose in wood.box],
    }


def _loose(loose: UnplacedPiece, wood: PieceSet, words: Words) -> Json:
    """A piece in the hand or the box, the cells that it covers around the hand, and its other face."""
    other = wood.flipped(loose.piece)
    return {
        **piece_json(loose.piece, words),
        "came_from": loose.came_from,
        "shape": [list(at) for at in loose.shape],
        "other_face": None if other == loose.piece else words.pose(other.pose).name,
    }
