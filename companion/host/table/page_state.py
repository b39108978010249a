# SPDX-License-Identifier: Apache-2.0
"""State of the page as JSON values: view, lamps, display, link, camera, virtual pieces.

Pure. At a virtual table, lamps and display show what the panel has received; at a real one, what
was sent to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from companion.feedback import lights, page, tones
from companion.feedback.lights import LampLevel
from companion.feedback.memo import Memo
from companion.feedback.page import piece_json, standing_json
from companion.feedback.page_types import (
    CameraPageState,
    LampsState,
    LooseState,
    PageState,
    ReplyState,
    TuneState,
    VirtualState,
)
from companion.feedback.shown import Shown
from companion.feedback.words import Words
from companion.host.devices.camera_status import CameraStatus
from companion.host.table.announcements import Reply, Tune
from companion.host.table.layers.hand import HandLayer
from companion.host.table.pipeline import Pipeline
from companion.host.text.error_translation import translate
from companion.host.virtual_table.table import VirtualTable
from companion.link.protocol_gen import Colour
from companion.model.game import AnyRules
from companion.model.grid import Cell
from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.referee.values.board.board_rotation import Rotation
from companion.referee.values.view import TableView
from companion.sensing.mounting import Mounting
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet, UnplacedPiece


class PageStates:
    """The page states of a table in one language.

    A part is made again only if what it shows has changed.
    """

    def __init__(self, words: Words) -> None:
        self._words = words
        self._view = Memo(lambda shown: page.render(shown, words))
        self._reply = Memo(partial(_reply, words=words))
        self._tune, self._lamps, self._virtual_lamps = Memo(_tune), Memo(_lamps), Memo(_virtual_lamps)
        self._camera = Memo(partial(_camera, words=words))
        self._virtual = Memo(partial(_virtual, words=words))
        self._analysis = Memo(partial(_analysis, words=words))

    def now(
        self,
        pipeline: Pipeline,
        virtual_table: VirtualTable | None,
        evaluate: Callable[[Any], str] | None = None,
        *,
        is_secret: bool = True,
        has_arbiter: bool = False,
        reviews: int = 0,
    ) -> PageState:
        """Return the page state of *pipeline*, with the pieces of a *virtual_table*.

        *evaluate* says the result of a position, which *is_secret* unless everybody is to see it.
        With *has_arbiter*, commands reserved for an arbiter are left out. *reviews* counts the
        requests to go over a game.
        """
        words, rotation = self._words, pipeline.session.rotation
        panel = None if virtual_table is None else virtual_table.panel
        shown = seen(pipeline, virtual_table, words.language)._replace(has_arbiter=has_arbiter)
        menu = () if shown.menu is None else shown.menu.cells
        return {
            "view": self._view(shown),
            "menu": [{"cell": each.cell, "name": each.name} for each in menu],
            "reply": self._reply(pipeline.reply),
            "retracted": pipeline.reasons.retracted,
            "takes_presses": virtual_table is not None or pipeline.takes_presses,
            "lamps": self._lamps(pipeline.lamps, pipeline.image, rotation)
            if panel is None
            else self._lamps_below(panel, pipeline.mounting, rotation, shown.places),
            "lines": list(pipeline.lines if panel is None else panel.lines),
            "tune": self._tune(pipeline.tune),
            "link": {
                "state": pipeline.status.state.value,
                "text": pipeline.status.why(words),
                "complaints": list(pipeline.warnings(words)),
                "has_display": False if panel is not None else pipeline.panel.has_display,
            },
            "camera": None
            if pipeline.camera is None
            else self._camera(pipeline.camera, pipeline.cell_names, rotation),
            "virtual": None
            if virtual_table is None
            else self._virtual(virtual_table.pieces, rotation, pipeline.view.placement, shown.over),
            "analysis": ""
            if evaluate is None
            else self._analysis(pipeline.view, pipeline.session.rules, evaluate),
            "blocked": None if virtual_table is None else refusal(virtual_table, words),
            "is_secret": is_secret,
            "reviews": reviews,
        }

    def _lamps_below(
        self, panel: VirtualPanel, mounting: Mounting, rotation: Rotation, places: Sequence[Cell]
    ) -> LampsState:
        """Return the lamps as a virtual panel has received them, with *places* lit as targets."""
        lamps = panel.device.lamps
        image = () if lamps.is_dark else tuple(lamps.image[number] for number in mounting.under)
        return self._virtual_lamps(image, tuple(lamps.palette), rotation, places)


def seen(pipeline: Pipeline, virtual_table: VirtualTable | None, language: str = "") -> Shown:
    """Return what the page shows; sentences of layers are in *language*, or the table's own."""
    shown = pipeline.shown(language)
    return shown if virtual_table is None else HandLayer(pipeline.session, virtual_table).added_to(shown)


def refusal(virtual_table: VirtualTable, words: Words) -> str | None:
    """Return why *virtual_table* rejected the last drop; None if it did not."""
    return None if virtual_table.refused is None else words.sentence(virtual_table.refused)


def _reply(reply: Reply, words: Words) -> ReplyState:
    """Return the answer to the last request about the position or the record."""
    return {"number": reply.number, "text": reply.text(words)}


def _tune(tune: Tune) -> TuneState:
    """Return the last tune, without notes for an accepted move: its piece sounds."""
    notes = (
        [] if tones.is_acceptance(tune.tones) else [[tone.pitch_hz, tone.length_ms] for tone in tune.tones]
    )
    return {"number": tune.number, "notes": notes}


def _analysis(view: TableView, rules: AnyRules, evaluate: Callable[[Any], str], words: Words) -> str:
    """Return the result of the position on show with best play; "" after the end."""
    if view.outcome is not None:
        return ""
    said = translate(evaluate(rules.read_position(view.position)), words.language)
    return said[:1].upper() + said[1:]


def _camera(
    camera: CameraStatus, names: tuple[str, ...], rotation: Rotation, words: Words
) -> CameraPageState:
    """Return the camera's status in sentences; *names* are those of the sensors' cells."""
    cells = [rotation.cells[cell] if rotation.quarters else cell for cell in camera.cells]
    return {
        "state": camera.state.value,
        "is_well": camera.is_well,
        "has_problems": camera.is_shown,
        "sentences": camera.sentences(words.common, names),
        "cells": sorted(cells),
    }


def _lamps(level: LampLevel, image: tuple[int, ...], rotation: Rotation) -> LampsState:
    """Return the lamps as sent, by the game's cells."""
    looks = [[*look.rgb, *look.rgb2, look.period_ms, look.phase_ms] for look in lights.palette(level)]
    return {"palette": looks, "cells": list(rotation.back().image(image))}


def _virtual_lamps(
    image: tuple[int, ...], palette: Sequence[Colour], rotation: Rotation, places: Sequence[Cell]
) -> LampsState:
    """Return the lamps as received, by the game's cells, with *places* lit as targets."""
    looks = [
        [
            each.red,
            each.green,
            each.blue,
            each.red2,
            each.green2,
            each.blue2,
            each.period * 10,
            each.phase * 10,
        ]
        for each in palette
    ]
    cells = list(rotation.back().image(image)) if image else []
    for cell in places if cells else ():
        cells[cell] = lights.index_of(lights.Meaning.TARGET)
    return {"palette": looks, "cells": cells}


def _virtual(
    sensed: PieceSet, rotation: Rotation, believed: Placement, over: Cell | None, words: Words
) -> VirtualState:
    """Return the pieces on the board, in the hand *over* a cell, in the box."""
    pieces = _turned(sensed, rotation)
    known = believed.by_cell()

    def named(piece: Piece, cell: Cell | None) -> Piece:
        """Return the stack on record whose visible top is *piece*, if *cell* has one."""
        below = None if cell is None else known.get(cell)
        return below if below is not None and below.shows == piece.kind else piece

    held = pieces.hand and replace(pieces.hand, piece=named(pieces.hand.piece, pieces.hand.came_from))
    return {
        "pieces": [
            standing_json(named(piece, cells[0]), cells, words) for piece, cells in pieces.standing.entries
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


def _turned(pieces: PieceSet, rotation: Rotation) -> PieceSet:
    """Return *pieces* by the game's cells."""
    return replace(pieces, standing=rotation.placement(pieces.standing)) if rotation.quarters else pieces
