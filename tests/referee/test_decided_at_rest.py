# SPDX-License-Identifier: Apache-2.0
"""A board at rest that shows a legal ply is decided in time."""

from __future__ import annotations

from random import Random
from typing import Any, Final

import pytest

from companion import games
from companion.model.observation import SensorKind
from companion.referee.values.commands import Answer
from companion.referee.values.events import Stage
from tests.referee.arbitrary_edges import Run

DECIDED_MS: Final = 2500
"""After so long a rest a ply is announced, asked about or reported."""
TRIES_MS: Final = (40, 120, 250, 320, 500, 650, 720, 900, 1600)
PLIES: Final = 6


def tried(run: Run, chance: Random, source: int, empty: list[int]) -> None:
    """Lift the piece on *source*, and hold it on some of the *empty* cells."""
    name = run.rules.grid.name
    run.do(f"{name(source)}- {chance.choice(TRIES_MS)}")
    for cell in chance.sample(empty, min(len(empty), chance.choice((0, 1, 1, 2, 3)))):
        run.do(
            f"{name(cell)}+{name(source)} {chance.choice(TRIES_MS)} {name(cell)}- {chance.choice(TRIES_MS)}"
        )


def adjusted(run: Run, chance: Random, cells: list[int]) -> None:
    """Lift some other piece and put it back."""
    if cells and chance.random() < 0.4:
        cell = run.rules.grid.name(chance.choice(cells))
        run.do(f"{cell}- {chance.choice(TRIES_MS)} {cell}+{cell} {chance.choice(TRIES_MS)}")


def ply(run: Run, chance: Random) -> bool:
    """Make a legal ply with tries before it; returns False without one."""
    rules = run.rules
    position: Any = run.table.session.position
    is_ready = rules.status(position) is None and run.is_shown(position)
    moves = rules.legal_moves(position) if is_ready else ()
    simple = [move for move in moves if len(rules.steps(position, move)) == 1]
    simple = [
        move for move in simple if all(each.source and each.target for each in rules.steps(position, move))
    ]
    if not simple:
        return False
    move = chance.choice(simple)
    (step,) = rules.steps(position, move)
    run.truth.append(rules.write_move(position, move))
    name, taken = rules.grid.name, {*run.table.on, *step.target}
    adjusted(run, chance, [cell for cell in sorted(run.table.on) if cell not in step.source])
    if len(step.source) == 1 and step.source != step.target:
        tried(run, chance, step.source[0], [cell for cell in range(len(rules.grid)) if cell not in taken])
    for cell in step.source:
        if cell in run.table.on:
            run.do(f"{name(cell)}-")
    for cell in step.target:
        run.put(cell, step.becomes)
    return True


def undecided(run: Run) -> str:
    """Why the board is not decided; empty if it is."""
    view = run.table.session.view()
    if view.question is not None or view.fault is not None or view.outcome is not None:
        return ""
    if any(line.stage is Stage.PROVISIONAL for line in view.record):
        return f"provisional: {' '.join(run.words)}"
    is_shown = run.is_shown(run.table.session.position)
    return "" if is_shown else f"not understood: {' '.join(run.words)}"


@pytest.mark.parametrize("kind", SensorKind)
@pytest.mark.parametrize("slug", games.slugs())
def test_a_ply_at_rest_is_decided_in_time(slug: str, kind: SensorKind, is_long: bool) -> None:
    for seed in range(60 if is_long else 2):
        chance = Random(f"{slug} {kind} {seed}")
        run = Run(slug, kind)
        for _ in range(PLIES):
            if not ply(run, chance):
                break
            run.do(str(DECIDED_MS))
            assert not undecided(run)
            run.do("? 500 ?")
            if run.record != run.truth:
                break  # other tests examine what is right


@pytest.mark.parametrize("kind", [SensorKind.OCCUPANCY, SensorKind.SIDE])
@pytest.mark.parametrize("slug", games.slugs())
def test_a_question_takes_each_of_its_answers(slug: str, kind: SensorKind, is_long: bool) -> None:
    """Also an answer that is not true: what followed was something else, then."""
    for seed in range(40 if is_long else 2):
        chance = Random(f"{slug} {kind} answers {seed}")
        run = Run(slug, kind)
        for _ in range(PLIES):
            if not ply(run, chance):
                break
            run.do(str(chance.choice((200, 800, DECIDED_MS))))
            question = run.table.session.view().question
            if question is None:
                continue
            run.table.ask(Answer(question.ply, chance.randrange(len(question.choices))))
            assert run.table.session.view().question != question, " ".join(run.words)
            break
