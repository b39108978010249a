# SPDX-License-Identifier: Apache-2.0
"""Whole games against each level at a simulated panel, in virtual time.

The hands that make the computer's moves see the lamps and the display.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from companion.feedback.words import load
from companion.games import find, slugs
from companion.host.journal.setup import GameSetup
from companion.host.play.rig import Rig
from companion.host.records.replay import session_of
from companion.host.table.pipeline import Pipeline
from companion.host.virtual_table.set_up import pieces_for
from companion.link.connection import Connection
from companion.model.absent import PlayedBy
from companion.model.occupancy import occupancy_of
from companion.opponent.levels import Level, levels
from companion.opponent.player import choose
from companion.referee.values.commands import Play
from companion.referee.values.view import Phase
from tests.host.play.lamp_hands import follow_lamps, make
from tests.host.tables import HEADER, Kept, panel_under

COMPUTER = 1
PLIES = 400
QUICK = ("close-quarters", 2)
MOST_NODES = 6000
"""Positions before a move, here at most."""


def table_of(slug: str) -> Rig:
    """A table at which the computer plays the second side."""
    rules = find(slug).rules()
    header = replace(
        HEADER,
        setup=GameSetup(slug, tuple(rules.options.items()), played_by=(PlayedBy.TABLE, PlayedBy.COMPUTER)),
    )
    session, kept = session_of(header, rules), Kept()
    pipeline = Pipeline(session, load("en", slug, rules.sides), Connection(1), kept.keep)
    rig = Rig(pipeline, panel_under(pipeline, 1000), pieces_for(rules, session.position), 1000, kept.sync)
    rig.advance(200)
    return rig


def played(slug: str, level: Level, seed: int) -> Rig:
    """A whole game of random moves against *level*."""
    rig, chance = table_of(slug), Random(seed)
    session = rig.pipeline.session
    for _ in range(PLIES):
        view = rig.pipeline.view
        if view.outcome is not None:
            break
        assert (view.phase, view.question) == (Phase.WAITING, None), rig.pipeline.lines
        rules, position = session.rules, session.position
        if view.turn == COMPUTER:
            assert view.decider == COMPUTER
            found = choose(rules, position, level, seed + view.ply, past=session.earlier())
            rig.pipeline.command(Play(view.ply, rules.write_move(position, found.move)), rig.now_ms)
            rig.exchange()
            follow_lamps(rig)
        else:
            texts = {rules.write_move(position, move): move for move in rules.legal_moves(position)}
            make(rig, texts[chance.choice(sorted(texts))])
    return rig


@pytest.mark.parametrize(
    ("slug", "number"),
    [
        pytest.param(slug, level.number, marks=() if (slug, level.number) == QUICK else pytest.mark.long)
        for slug in slugs()
        for level in levels(slug)
    ],
)
def test_a_whole_game_is_played_by_lamps_alone(slug: str, number: int) -> None:
    level = levels(slug)[number - 1]
    rig = played(slug, replace(level, nodes=min(level.nodes, MOST_NODES)), number)
    view = rig.pipeline.view
    assert view.outcome is not None
    assert len(view.record) > 3
    assert rig.pieces.occupied == occupancy_of(cell for _, cells in view.placement.entries for cell in cells)
