# SPDX-License-Identifier: Apache-2.0
"""State of the page as JSON values: view, lamps, display, link, camera, virtual pieces.

Pure. At a virtual table, lamps and display show what the panel has received; at a real one, what
was sent to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from companion.feedback import lights, page, tones
from companion.feedback.board_menu import MenuView
from companion.feedback.page import Json, piece_json
from companion.feedback.words import Words
from companion.host.devices.camera_status import CameraStatus
from companion.host.table.drops import is_played, places_for
from companion.host.table.pipeline import Pipeline
from companion.host.text.error_translation import translate
from companion.host.text.standin_words import standins_json
from companion.host.virtual_table.completion import Offer
from companion.host.virtual_table.table import VirtualTable
from companion.model.grid import Cell
from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.referee.values.board.board_rotation import Rotation
from companion.referee.values.questions import Question
from companion.referee.values.view import Phase, TableView
from companion.sensing.mounting import Mounting
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet, UnplacedPiece


def picture(
    pipeline: Pipeline,
    words: Words,
    virtual_table: VirtualTable | None,
    evaluate: Callable[[Any], str] | None = None,
    *,
    has_arbiter: bool = False,
) -> Json:
    """Return the page state of *pipeline* in *words*, with the pieces of a *virtual_table*.

    *evaluate* says the result of a position. With *has_arbiter*, commands reserved for an arbiter
    are left out.
    """
    rotation = pipeline.session.rotation
    offer = _offer(pipeline.view, virtual_table)
    view = page.render(with_offer(pipeline.view, virtual_table), words)
    if offer is not None and offer.over is None:
        view["question"] = page.question(replace(pipeline.view, question=offer.question), words)
    view["standins"] = (
        standins_json(pipeline.session.rules, words) if is_awaiting_standins(pipeline) else None
    )
    if has_arbiter:
        view["commands"] = [each for each in view["commands"] if each not in page.ARBITERS]
    lamps = (
        _lamps(pipeline, rotation)
        if virtual_table is None
        else _virtual_lamps(virtual_table.panel, pipeline.mounting, rotation)
    )
    if virtual_table is not None and virtual_table.pieces.hand is not None:
        _light_places(view, lamps, places_for(pipeline.session, virtual_table.pieces))
    menu = pipeline.menu.view(words.language)
    if menu is not None:
        _say_menu(view, menu)
    return {
        "view": view,
        "menu": [] if menu is None else [{"cell": each.cell, "name": each.name} for each in menu.cells],
        "reply": {"number": pipeline.reply.number, "text": pipeline.reply.text(words)},
        "retracted": pipeline.reasons.retracted,
        "takes_presses": virtual_table is not None or pipeline.takes_presses,
        "lamps": lamps,
        "lines": list(pipeline.lines if virtual_table is None else virtual_table.panel.lines),
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
            "has_display": False if virtual_table is not None else pipeline.panel.has_display,
        },
        "camera": None if pipeline.camera is None else _camera(pipeline.camera, pipeline, words),
        "virtual": None
        if virtual_table is None
        else {
            **_pieces_json(_turned(virtual_table.pieces, rotation), pipeline.view.placement, words),
            "over": None if offer is None or offer.over is None else rotation.cells[offer.over],
        },
        "analysis": "" if evaluate is None else _analysis(pipeline, words, evaluate),
        "blocked": None if virtual_table is None else refusal(virtual_table, words),
    }


def with_offer(view: TableView, virtual_table: VirtualTable | None) -> TableView:
    """Return *view* with the question how the hand of *virtual_table* completes its move."""
    offer = _offer(view, virtual_table)
    if offer is None or offer.over is None:
        return view
    return replace(view, phase=Phase.CHOOSING, targets=(), question=offer.question)


def question_of(view: TableView, virtual_table: VirtualTable | None) -> Question | None:
    """Return the question that an answer is about: the referee's, or one to a hand."""
    offer = _offer(view, virtual_table)
    return view.question if offer is None else offer.question


def _offer(view: TableView, virtual_table: VirtualTable | None) -> Offer | None:
    """Return the moves that a hand may complete; None while the referee asks."""
    is_open = virtual_table is not None and view.question is None and is_played(view)
    return virtual_table.offer if virtual_table is not None and is_open else None


def is_awaiting_standins(pipeline: Pipeline) -> bool:
    """True during the set-up, and before the first ply on an empty board."""
    view = pipeline.view
    is_open = view.phase is Phase.SETTING_UP or not (view.record or view.placement.entries)
    return pipeline.has_standins and is_open


def add_remarks(shown: Json, remarks: Mapping[str, str], words: Words) -> None:
    """Add *remarks*, by subject, to the notices and speech of *shown*."""
    translated = {about: translate(text, words.language) for about, text in remarks.items()}
    said = {about: text[:1].upper() + text[1:] for about, text in translated.items()}
    view = shown["view"]
    view["notices"] = [*said.values(), *view["notices"]]
    view["spoken"] = [
        *view["spoken"],
        *({"key": f"remark {about} {text}", "text": text} for about, text in said.items() if about != "lag"),
    ]


def _say_menu(view: Json, menu: MenuView) -> None:
    """Add to *view* what the *menu* says; after a choice nothing else is said."""
    if menu.has_chosen:
        view.update(prompt=menu.sentence, guides=[], notices=[])
        view["spoken"] = [*view["spoken"], {"key": menu.sentence, "text": menu.sentence}]
    elif view["outcome"] is None:
        view["prompt"] = f"{view['prompt']} {menu.sentence}"
    else:
        view["notices"] = [*view["notices"], menu.sentence]


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


def _camera(camera: CameraStatus, pipeline: Pipeline, words: Words) -> Json:
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


def _lamps(pipeline: Pipeline, rotation: Rotation) -> Json:
    """Return the lamps as sent, by the game's cells."""
    looks = [
        (*look.rgb, *look.rgb2, look.period_ms, look.phase_ms) for look in lights.palette(pipeline.lamps)
    ]
    return {"palette": looks, "cells": list(rotation.back().image(pipeline.image))}


def _virtual_lamps(panel: VirtualPanel, mounting: Mounting, rotation: Rotation) -> Json:
    """Return the lamps as received, by the game's cells."""
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
    return {"palette": looks, "cells": list(rotation.back().image(image)) if image else []}


def _light_places(view: Json, lamps: Json, places: Sequence[Cell]) -> None:
    """Show *places* for a piece taken from beside the board, of which no panel knows."""
    view["targets"] = [*view["targets"], *places]
    if lamps["cells"]:
        for cell in places:
            lamps["cells"][cell] = lights.indices(lights.Meaning.TARGET)[0]


def _turned(pieces: PieceSet, rotation: Rotation) -> PieceSet:
    """Return *pieces* by the game's cells."""
    return replace(pieces, standing=rotation.placement(pieces.standing)) if rotation.quarters else pieces


def _pieces_json(pieces: PieceSet, believed: Placement, words: Words) -> Json:
    """Return the pieces on the board, in the hand and in the box."""
    known = believed.by_cell()
    json_of = cache(lambda piece: piece_json(piece, words))

    def named(piece: Piece, cell: Cell | None) -> Piece:
        """Return the stack on record whose visible top is *piece*, if *cell* has one."""
        below = None if cell is None else known.get(cell)
        return below if below is not None and below.shows == piece.kind else piece

    return {
        "pieces": [
            {**json_of(named(piece, cells[0])), "cells": list(cells)}
            for piece, cells in pieces.standing.entries
        ],
        "hand": pieces.hand
        and _loose(
            replace(pieces.hand, piece=named(pieces.hand.piece, pieces.hand.came_from)), pieces, words
        ),
        "box": [_loose(loose, pieces, words) for loose in pieces.box],
    }


def _loose(loose: UnplacedPiece, pieces: PieceSet, words: Words) -> Json:
    """Return a loose piece, its shape around the hand, and its other face."""
    other = pieces.flipped(loose.piece)
    return {
        **piece_json(loose.piece, words),
        "came_from": loose.came_from,
        "shape": [list(at) for at in loose.shape],
        "other_face": None if other == loose.piece else words.pose(other.pose).name,
    }
