# SPDX-License-Identifier: Apache-2.0
"""The README's table of games states correctly which questions are asked."""

from __future__ import annotations

import random

import pytest

from companion import games
from companion.cli.main import main
from companion.model.moves import Step, is_traceless
from companion.model.observation import EMPTY, SensorKind
from companion.referee.values.asks import asked
from companion.referee.values.board.looks import look
from companion.referee.values.commands import Answer
from companion.referee.values.questions import Aspect
from tests.fakes import FakeTable

PLIES = {"chess": 300, "tank-chess": 12}
"""Long enough to reach promotions; short, because every ply is asked about."""


def perform(table: FakeTable, steps: tuple[Step, ...]) -> None:
    """Make a move on the board: captures first, one piece after the other."""
    for step in sorted(steps, key=lambda step: bool(step.target)):
        for cell in step.source:
            table.on.pop(cell, None)
            table.change(cell, EMPTY)
        table.wait(200)
        for cell in step.target:
            table.on[cell] = step.becomes
            table.change(cell, look(step.becomes, table.kind))
        table.wait(200)


def questions(slug: str, kind: SensorKind, seed: int = 3) -> set[Aspect]:
    """The questions of a random game; each is answered."""
    rules = games.find(slug).rules()
    chance = random.Random(seed)
    table = FakeTable(rules, kind)
    table.set_up()
    position, found = rules.initial(), set()
    for _ in range(PLIES.get(slug, 40) if asked(slug, kind) else 40):
        if rules.status(position) is not None:
            break
        move = chance.choice(rules.legal_moves(position))
        text, steps = rules.write_move(position, move), rules.steps(position, move)
        perform(table, steps)
        if is_traceless(steps):
            table.press(position.turn)
        table.wait(2500)
        while (question := table.session.view().question) is not None:
            found.add(question.aspect)
            fitting = [number for number, choice in enumerate(question.choices) if text in choice.moves]
            if len(fitting) != 1:  # the game differs from here on
                return found
            table.ask(Answer(question.ply, fitting[0]))
            table.wait(100)
        position = rules.apply(position, move)
    return found


@pytest.mark.parametrize("kind", [SensorKind.OCCUPANCY, SensorKind.IDENTITY, SensorKind.IDENTITY_FACING])
@pytest.mark.parametrize("slug", games.slugs())
def test_the_questions_match_the_table_of_games(slug: str, kind: SensorKind) -> None:
    told = set(asked(slug, kind))
    found = questions(slug, kind)
    assert found <= told
    assert bool(found) == bool(told)


def test_the_table_names_the_games_without_questions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["games"]) == 0
    rows = {line.split("  ")[0]: line for line in capsys.readouterr().out.splitlines()}
    assert rows["close-quarters"].count("plays by itself") == 4
    assert rows["chess"].count("which piece it is") == 2
    assert rows["tank-chess"].count("where it faces") == 3
    assert rows["tank-chess"].count("plays by itself") == 1
