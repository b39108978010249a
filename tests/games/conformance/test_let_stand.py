# SPDX-License-Identifier: Apache-2.0
"""Every board at rest may be let stand, or is refused with a reason.

This holds for every game and every sensor kind.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from companion import games
from companion.feedback.page import render
from companion.feedback.shown import Shown
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.host.text.error_translation import catalogue, translate
from companion.model.errors import OrderRefused
from companion.model.game import AnyRules, InvalidPosition
from companion.model.observation import SensorKind
from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.referee.session.session import Session
from companion.referee.values.commands import Answer, LetStand, Pause, Resume
from companion.referee.values.questions import Aspect, Choice, Question
from companion.referee.values.timing import DEFAULT_TIMING
from companion.referee.values.view import Phase
from tests.bench.attempts import Attempts
from tests.fakes import FakeTable
from tests.virtual.hands import PROFILES, motions

REST_MS = DEFAULT_TIMING.longest_ms + 200
PLIES = 6
LEAST = 15
"""The minimum number of boards, of twenty, that are let stand.

One on a board with few cells.
"""
FEW = 20


def table_of(game: str, kind: SensorKind, chance: Random) -> FakeTable:
    """A table after some random plies; the game is not over."""
    rules = games.find(game).rules()
    position = rules.initial()
    for _ in range(PLIES):
        after = rules.apply(position, chance.choice(rules.legal_moves(position)))
        if rules.status(after) is not None:
            break
        position = after
    fake = FakeTable(rules, kind, session=Session(rules, kind, start=position))
    fake.set_up()
    assert fake.session.phase is Phase.WAITING
    return fake


def free_cells(fake: FakeTable) -> list[int]:
    grid = fake.rules.grid
    return [cell for cell in range(len(grid)) if cell not in fake.on and cell not in grid.obstacles]


def small(fake: FakeTable) -> list[int]:
    """The cells of pieces that cover one cell."""
    covered = [cells for _, cells in fake.rules.placement(fake.session.position).entries if len(cells) == 1]
    return [cell for (cell,) in covered if cell in fake.on]


def carry(fake: FakeTable, chance: Random) -> None:
    """A piece is moved to any free cell."""
    name, source, target = fake.rules.grid.name, chance.choice(small(fake)), chance.choice(free_cells(fake))
    fake.carry(name(source), name(target), after_ms=300)


def carry_two(fake: FakeTable, chance: Random) -> None:
    """Two pieces are lifted, then both are put down."""
    name, sources = fake.rules.grid.name, chance.sample(small(fake), 2)
    pieces = []
    for source in sources:
        pieces.append(fake.lift(name(source)))
        fake.wait(200)
    for piece, target in zip(pieces, chance.sample(free_cells(fake), 2), strict=True):
        fake.put(name(target), piece)
        fake.wait(200)


def carry_twice(fake: FakeTable, chance: Random) -> None:
    """Two pieces are moved one after the other."""
    carry(fake, chance)
    fake.wait(600)
    carry(fake, chance)


def add(fake: FakeTable, chance: Random) -> None:
    """A piece is put on the board from the box."""
    faces = Attempts(fake.rules, fake.kind, chance).faces
    fake.put(fake.rules.grid.name(chance.choice(free_cells(fake))), chance.choice(faces))


def remove(fake: FakeTable, chance: Random) -> None:
    """A piece is taken off."""
    fake.lift(fake.rules.grid.name(chance.choice(small(fake))))


def swap(fake: FakeTable, chance: Random) -> None:
    """Two pieces are swapped; occupancy sensors see no change."""
    name, (one, other) = fake.rules.grid.name, chance.sample(small(fake), 2)
    first = fake.lift(name(one))
    fake.wait(200)
    fake.carry(name(other), name(one), after_ms=200)
    fake.wait(200)
    fake.put(name(other), first)


def capture(fake: FakeTable, chance: Random) -> None:
    """A piece makes an illegal capture."""
    name, (one, other) = fake.rules.grid.name, chance.sample(small(fake), 2)
    piece = fake.lift(name(one))
    fake.wait(200)
    fake.lift(name(other))
    fake.wait(200)
    fake.put(name(other), piece)


def push_early(fake: FakeTable, chance: Random) -> None:
    """The new cell closes long before the old one opens."""
    name, source, target = fake.rules.grid.name, chance.choice(small(fake)), chance.choice(free_cells(fake))
    fake.put(name(target), fake.on[source])
    fake.wait(300)
    fake.lift(name(source))


def while_paused(fake: FakeTable, chance: Random) -> None:
    """A piece is moved during a pause."""
    fake.ask(Pause())
    carry(fake, chance)


def while_asked(fake: FakeTable, chance: Random) -> None:
    """A piece is moved while a question about the last ply is open.

    Without a question, after a ply.
    """
    rules = fake.rules
    for _ in range(12):
        position = fake.session.position
        moves = rules.legal_moves(position)
        if rules.status(position) is not None or not moves:
            break
        steps = tuple(rules.steps(position, chance.choice(moves)))
        fake.handle(motions(rules.grid, fake.on, steps, PROFILES["careful"], chance))
        fake.turn_lever(position.turn)  # otherwise occupancy sensors cannot detect the swap
        fake.wait(REST_MS)
        if fake.session.view().question is not None or fake.session.view().outcome is not None:
            break
    carry(fake, chance)


WAYS: tuple[Callable[[FakeTable, Random], None], ...] = (
    carry, carry_two, carry_twice, add, remove, swap, capture, push_early, while_paused, while_asked,
)  # fmt: skip


def true_placement(fake: FakeTable) -> Placement:
    """The true placement; pieces that cover several cells were not moved."""
    before = fake.rules.placement(fake.session.position).entries
    long = [(piece, cells) for piece, cells in before if len(cells) > 1]
    covered = {cell for _, cells in long for cell in cells}
    return Placement((*long, *((piece, (cell,)) for cell, piece in fake.on.items() if cell not in covered)))


def is_true(choice: Choice, aspect: Aspect, piece: Piece) -> bool:
    """True if *choice* is true of *piece*."""
    said = choice.piece
    if said is None:
        return False
    if aspect is Aspect.STANDS:
        return (said.kind, said.side, said.shows) == (piece.kind, piece.side, piece.shows)
    return said.pose == piece.pose if aspect is Aspect.POSE else said.facing == piece.facing


def answer_truly(fake: FakeTable, question: Question) -> None:
    """Answer according to the true placement."""
    (cell,) = question.cells
    fitting = [
        number
        for number, choice in enumerate(question.choices)
        if is_true(choice, question.aspect, fake.on[cell])
    ]
    fitting = fitting or [number for number, choice in enumerate(question.choices) if choice.piece is None]
    assert len(fitting) == 1, (question, fake.on[cell])
    for language in languages():
        words = load(language, fake.rules.slug, fake.rules.sides)
        asked = render(Shown(fake.session.view()), words)["question"]
        assert asked is not None
        assert asked["sentence"]
        labels = [choice["label"] for choice in asked["choices"]]
        assert len(set(labels)) == len(labels)
    fake.ask(Answer(question.ply, fitting[0]))


def let_stand(fake: FakeTable, turn: int) -> OrderRefused | None:
    """Let the board stand and answer the questions.

    Returns the reason of a refusal, or None.
    """
    try:
        fake.ask(LetStand(turn))
        while fake.session.view().is_suspended:
            answer_truly(fake, fake.asked())
    except OrderRefused as refused:
        return refused
    return None


def check_reason(refused: OrderRefused, rules: AnyRules) -> None:
    """The refusal has a sentence in every language."""
    for language in languages():
        words = load(language, rules.slug, rules.sides)
        if refused.violation is not None:
            sentence = words.sentence(refused.violation)
            assert refused.violation.rule in {**words.game.violations, **words.common.violations}
            assert "{" not in sentence
        elif language != "en":
            assert refused.message.template in catalogue(language)
            assert translate(refused, language) != str(refused)


def is_position(fake: FakeTable, turn: int, placement: Placement) -> bool:
    """True if the game can go on from the true placement."""
    position: Any = fake.rules.adopt(placement, turn, fake.session.position)
    return not isinstance(position, InvalidPosition) and fake.rules.status(position) is None


def stands(game: str, kind: SensorKind, way: Callable[[FakeTable, Random], None], number: int) -> bool:
    """True if the game goes on from the true placement.

    False if that is refused, correctly and with a reason.
    """
    chance = Random(f"{game} {kind} {way.__name__} {number}")
    fake = table_of(game, kind, chance)
    way(fake, chance)
    fake.wait(REST_MS)
    if fake.session.view().outcome is not None:
        return False
    truth = true_placement(fake)
    is_right = fake.rules.placement(fake.session.position) == truth
    for turn in range(len(fake.rules.sides)):
        refused = let_stand(fake, turn)
        if refused is not None:
            check_reason(refused, fake.rules)
            assert is_right or not is_position(fake, turn, truth), str(refused)
            continue
        if fake.session.phase is Phase.PAUSED:
            fake.ask(Resume())
        fake.wait(REST_MS)
        view = fake.session.view()
        assert (view.phase, view.turn, view.fault) == (Phase.WAITING, turn, None)
        assert view.placement == truth
        assert fake.restored().position == fake.session.position
        return True
    return False


@pytest.mark.parametrize("kind", SensorKind)
@pytest.mark.parametrize("game", games.slugs())
def test_a_board_at_rest_is_let_stand_or_refused_with_a_reason(game: str, kind: SensorKind) -> None:
    """Invalid positions, such as a board with two kings, are refused.

    Most boards are valid.
    """
    stood = [stands(game, kind, way, number) for way in WAYS for number in range(2)]
    is_small = len(games.find(game).rules().grid) < FEW
    assert sum(stood) >= (1 if is_small else LEAST)
