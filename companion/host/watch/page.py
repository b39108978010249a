# SPDX-License-Identifier: Apache-2.0
"""The positions of a stored game, as the page shows them. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cache
from typing import Any

from companion import games
from companion.feedback import lights, page
from companion.feedback.page import Json
from companion.feedback.shown import Shown
from companion.feedback.words import Words
from companion.host.records.records import named_sides, outcome_of, rules_of
from companion.model.game import AnyRules, HasHands, HasRegions, HasScores, NamesBroughtPieces, Outcome
from companion.model.notation import GameRecord, replay
from companion.model.pieces import Piece
from companion.referee.values.captured import adopted, captured_by
from companion.referee.values.events import Stage
from companion.referee.values.view import MoveView, Phase, TableView


def replay_json(record: GameRecord, words: Words) -> Json:
    """Return the table, and a picture for each position.

    Raises `CompanionError` if the game's rules reject *record*.
    """
    rules = rules_of(record)
    return {
        "table": {
            **page.table(rules.grid, games.find(record.game).options, words),
            "players": [*named_sides(record).values()],
            "result": record.result,
        },
        "palette": _looks(),
        "pictures": [picture(view, words) for view in views(record)],
    }


def picture(view: TableView, words: Words) -> Json:
    """Return what the page draws of *view*."""
    lamps = {"palette": _looks(), "cells": list(lights.render(view).cells)}
    return {"view": page.render(Shown(view), words), "lamps": lamps, "virtual": None}


@cache
def _looks() -> list[tuple[int, ...]]:
    """The looks of the lamps."""
    return [(*look.rgb, *look.rgb2, look.period_ms, look.phase_ms) for look in lights.palette()]


def views(record: GameRecord) -> Iterator[TableView]:
    """Yield the view at each position of *record*; each shows only its last move."""
    rules = rules_of(record)
    before: Any = None
    ply = 0
    lying: tuple[Piece, ...] = ()
    played = list(replay(rules, record))
    for number, (position, text) in enumerate(played):
        moves = (_move(rules, before, text, ply),) if text else ()
        if text:
            lying = (*lying, *captured_by(rules, before, rules.read_move(before, text)))
        elif number:
            lying = adopted(rules, lying, before, position)
        ply += bool(text) or (before is not None and position.turn != before.turn)
        outcome = outcome_of(record) if number == len(played) - 1 else None
        yield dataclasses.replace(_view(rules, position, ply, moves, outcome), captured=lying)
        before = position


def _move(rules: AnyRules, before: Any, text: str, ply: int) -> MoveView:
    """Return the move *text* in position *before*."""
    steps = rules.steps(before, rules.read_move(before, text))
    first = steps[0] if steps else None
    source, target = (first.source, first.target) if first is not None else ((), ())
    brought = rules.brought(text, before.turn) if isinstance(rules, NamesBroughtPieces) else None
    return MoveView(ply, before.turn, text, Stage.SETTLED, source, target, brought=brought)


def _view(
    rules: AnyRules, position: Any, ply: int, moves: tuple[MoveView, ...], outcome: Outcome | None
) -> TableView:
    """Return the view at *position*, after the last of *moves*."""
    placement = rules.placement(position)
    return TableView(
        game=rules.slug,
        options=tuple(rules.options.items()),
        grid=rules.grid,
        sides=tuple(rules.sides),
        phase=Phase.WAITING if outcome is None else Phase.FINISHED,
        turn=position.turn,
        ply=ply,
        position=rules.write_position(position),
        placement=placement,
        occupied=placement.occupancy,
        announcements=rules.announcements(position) if moves and outcome is None else (),
        outcome=outcome,
        record=moves,
        regions=tuple(rules.regions()) if isinstance(rules, HasRegions) else (),
        hands=tuple(map(tuple, rules.hands(position))) if isinstance(rules, HasHands) else (),
        scores=tuple(rules.scores(position)) if isinstance(rules, HasScores) else (),
    )
