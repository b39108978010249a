# SPDX-License-Identifier: Apache-2.0
"""Every state of the page is what its schema says."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from companion import games
from companion.feedback import page
from companion.feedback.shown import Shown
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.host.devices.camera_status import CameraStatus
from companion.host.pages.broadcast import edit
from companion.host.play.rig import Rig
from companion.host.table.page_state import PageStates
from companion.host.table.pipeline import Pipeline
from companion.host.virtual_table.table import VirtualTable
from companion.lessons.course import course
from companion.model.advice import Advice, AdviceKind
from companion.model.game import CallOut
from companion.model.occupancy import cells_of
from companion.referee.values.commands import Resign
from tests.eboards.rig import EboardRig
from tests.feedback.views import SIDES, VIEWS
from tests.host.table.layers.test_board_menu import Content
from tests.host.tables import WHOLE_GAME, Kept, play, rig_for
from tests.host.test_every_game import rig_of
from tests.lessons.table import LessonTable
from tests.page import state_schema
from tests.page_reader import edited
from tests.virtual.eboards.dgt import VirtualDgtEboard


def state(pipeline: Pipeline, virtual_table: VirtualTable | None = None) -> Any:
    """The state as browsers get it."""
    return json.loads(json.dumps({**PageStates(pipeline.words).now(pipeline, virtual_table), "now_ms": 1}))


def virtual(rig: Rig) -> VirtualTable:
    """The table of *rig*, as the page knows it."""
    return VirtualTable(rig.panel, rig.pieces, lambda: rig.now_ms)


def test_the_schema_is_that_of_the_types() -> None:
    found = state_schema.FILE.read_text(encoding="utf-8")
    assert found == state_schema.written(), "run `python -m tests.page.state_schema`"


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", VIEWS)
def test_golden_views_are_valid(name: str, language: str) -> None:
    shown = page.render(Shown(VIEWS[name]), load(language, "close-quarters", SIDES))
    assert state_schema.faults(json.loads(json.dumps(shown)), "ViewState") == []


@pytest.mark.parametrize("slug", games.slugs())
def test_every_game_is_valid_with_a_piece_in_the_hand(slug: str) -> None:
    rig = rig_of(slug)
    assert state_schema.faults(state(rig.pipeline, virtual(rig))) == []
    cell = next(cells_of(rig.pieces.occupied), None) if rig.pieces.occupied else None
    if cell is None:
        rig.become(rig.pieces.take(0))
    else:
        rig.become(rig.pieces.lift(cell))
    rig.advance(300)
    found = state(rig.pipeline, virtual(rig))
    assert found["virtual"]["hand"]
    assert state_schema.faults(found) == []


@pytest.mark.parametrize("slug", games.slugs())
def test_what_is_kept_of_a_state_is_what_is_made_without_it(slug: str) -> None:
    rig = rig_of(slug)
    at, kept, chance = virtual(rig), PageStates(rig.pipeline.words), random.Random(slug)
    known: Any = {}
    for step in range(40):
        cells = [*cells_of(rig.pieces.occupied)]
        if rig.pieces.hand is None:
            rig.become(rig.pieces.lift(chance.choice(cells)) if cells else rig.pieces.take(0))
        else:
            rig.become(rig.pieces.drop(chance.randrange(len(rig.pipeline.session.rules.grid))))
        at.pieces = rig.pieces
        rig.advance(chance.choice((50, 400, 2000)))
        found = kept.now(rig.pipeline, at)
        assert found == PageStates(rig.pipeline.words).now(rig.pipeline, at), step
        known = edited(known, json.loads(json.dumps(edit(known, found))))
        assert known == json.loads(json.dumps(found)), step
        assert kept.now(rig.pipeline, at)["view"] is found["view"], step


def hinted() -> Any:
    pipeline = rig_for(Kept()).pipeline
    position = pipeline.view.position
    pipeline.advise(Advice(AdviceKind.HINT, position, (0,), (5,), cries=(CallOut.CHECK,)))
    return state(pipeline)


def taught() -> Any:
    table = LessonTable("fightopia", course("fightopia").slugs[0])
    return state(table.rig.pipeline)


def remarked() -> Any:
    pipeline = rig_for(Kept()).pipeline
    pipeline.layers.remarks.say("elsewhere", "the game elsewhere is over")
    return state(pipeline)


def over() -> Rig:
    """A table with a finished game."""
    rig = rig_for(Kept())
    play(rig, WHOLE_GAME)
    if rig.pipeline.view.outcome is None:
        rig.pipeline.command(Resign(0), rig.now_ms)
    rig.pipeline.layers.menu.offer(Content(), 0b1)
    rig.advance(100)
    return rig


def menu() -> Any:
    rig = over()
    rig.become(rig.pieces.lift(next(cells_of(rig.pieces.occupied))))
    rig.advance(300)
    found = state(rig.pipeline)
    assert found["menu"]
    return found


def reviewed() -> Any:
    rig = over()
    rig.pipeline.go_over(rig.now_ms)
    return state(rig.pipeline)


def watched() -> Any:
    pipeline = rig_for(Kept()).pipeline
    pipeline.camera = CameraStatus()
    return state(pipeline)


def with_standins() -> Any:
    rig = EboardRig("dgt", VirtualDgtEboard({}, 0), {}, slug="close-quarters")
    found = state(rig.pipeline)
    assert found["view"]["standins"]
    return found


@pytest.mark.parametrize(
    "shown",
    [hinted, taught, remarked, menu, reviewed, watched, with_standins],
    ids=lambda each: each.__name__,
)
def test_what_layers_add_is_valid(shown: Callable[[], Any]) -> None:
    assert state_schema.faults(shown()) == []


def test_faults_are_found() -> None:
    good = state(rig_for(Kept()).pipeline)
    for change, fault in (
        ({"other": 1}, "SentState.other is unknown"),
        ({"reviews": "1"}, "SentState.reviews is string, not integer"),
        ({"lines": [1]}, "SentState.lines[0] is integer, not string"),
        ({"camera": {}}, "SentState.camera.state is missing"),
    ):
        assert fault in state_schema.faults({**good, **change})
    del good["menu"]
    assert state_schema.faults(good) == ["SentState.menu is missing"]
