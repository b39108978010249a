# SPDX-License-Identifier: Apache-2.0
"""Arbitrary edges on a board, and then the board of a legal line.

What hands do is written in the words of `tests.referee.support.perform`, so that every run can be
repeated as a trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from string import ascii_letters, digits
from typing import Any, Final, NamedTuple

from companion import games
from companion.model.game import AnyRules
from companion.model.grid import COMPASS
from companion.model.moves import Step
from companion.model.observation import SensorKind, Sighting
from companion.model.pieces import Piece
from companion.referee.session.session import Session
from companion.referee.values.board.looks import look
from companion.referee.values.commands import Answer
from companion.referee.values.controls import read_control
from companion.referee.values.events import Stage
from companion.referee.values.questions import Aspect, Question
from tests.bench import oracle
from tests.fakes import FakeTable
from tests.referee.support import perform

REST_MS: Final = 3000
"""Time within which a board at rest is believed or asked about."""
WAITS_MS: Final = (0, 5, 40, 100, 250, 600, 800, 1500, 3000, 10000)
MOST_ANSWERS: Final = 10
"""Questions may follow one another up to this number."""
MOST_UNTOUCHED: Final = 1
"""Plies of which nothing may have been sensed: more of them are an illegal move."""
MOST_PLIES: Final = 3
"""The plies from the last settled position that must be found."""


class Act(NamedTuple):
    """One arbitrary action, its cell and the wait after it."""

    which: int
    """0 and 1 lift, 2 and 3 put, 4 presses."""
    cell: int
    held: int
    wait: int


class Plan(NamedTuple):
    """Everything that is drawn for a run; numbers are taken modulo the possibilities."""

    clock: str
    plies: Sequence[int]
    """The moves before the arbitrary edges."""
    acts: Sequence[Act]
    line: Sequence[int]
    """The moves from the last settled position, whose board is set up."""
    order: int
    """Seed of the order in which the board is set up, and of the waits."""


@cache
def rules_of(slug: str) -> AnyRules:
    """The rules of the game *slug* with its default options."""
    return games.find(slug).rules()


@dataclass
class Run:
    """One table with the tracker, and what was done at it."""

    slug: str
    kind: SensorKind
    clock: str = "none"
    words: list[str] = field(default_factory=list)
    truth: list[str] = field(default_factory=list)
    """The moves that lead to the board that was set up."""

    def __post_init__(self) -> None:
        self.rules = rules_of(self.slug)
        control = read_control(self.clock, len(self.rules.sides))
        session = Session(self.rules, self.kind, control=control)
        self.table = FakeTable(self.rules, self.kind, session=session)
        self.table.set_up()
        self._lifted: dict[str, Piece] = {}
        self._held: list[str] = []
        """Cells whose former pieces are in hands."""

    def do(self, words: str) -> None:
        """Perform *words*; `?` answers with the truth."""
        self.words += words.split()
        perform(self.table, words, self._answer_all, self._lifted)

    # what hands do

    def play(self, number: int) -> None:
        """Make the legal move *number* of the session's position, and wait."""
        position = self.table.session.position
        moves = self.rules.legal_moves(position) if self.rules.status(position) is None else ()
        if not moves or self.record != self.truth:
            return
        move = moves[number % len(moves)]
        self.truth.append(self.rules.write_move(position, move))
        changed = False
        for step in sorted(self.rules.steps(position, move), key=lambda step: bool(step.target)):
            changed = self._step(step) or changed
            self.do("250")
        self.do(f"800 !{position.turn}" if self.clock != "none" or not changed else "1200")
        self.do("? 1300 ?")
        del self.truth[len(self.record) :]

    def _step(self, step: Step) -> bool:
        """Lift and put the piece of *step*; returns False if no sensor shows it."""
        before = dict(self._looks())
        for cell in step.source:
            if cell in self.table.on:
                self.do(f"{self.rules.grid.name(cell)}-")
        for cell in step.target:
            self.put(cell, step.becomes)
        return before != self._looks()

    def act(self, act: Act) -> None:
        """Do something arbitrary, and wait."""
        name, cells = self.rules.grid.name, range(len(self.rules.grid))
        if act.which == 4:
            self.do(f"{'!*'[act.held % 2]}{act.cell % len(self.rules.sides)}")
        elif act.which >= 2 and self._held:
            target = cells[act.cell % len(cells)]
            source = self._held[act.held % len(self._held)]
            if look(self._lifted[source], self.kind) != look(self.table.on.get(target), self.kind):
                self._held.remove(source)
                self.do(f"{name(target)}+{source}")
        elif self.table.on:
            standing = sorted(self.table.on)
            source = name(standing[act.cell % len(standing)])
            self._held = [*(each for each in self._held if each != source), source]
            self.do(f"{source}-")
        self.do(str(WAITS_MS[act.wait % len(WAITS_MS)]))

    def set_up(self, line: Sequence[int], chance: Random) -> None:
        """Set up the board after a legal *line* from the last settled position."""
        position = self._settled()
        for number in line:
            moves = self.rules.legal_moves(position) if self.rules.status(position) is None else ()
            if not moves:
                break
            move = moves[number % len(moves)]
            self.truth.append(self.rules.write_move(position, move))
            position = self.rules.apply(position, move)
        wanted = self.rules.placement(position).by_cell()
        edits: list[tuple[int, Piece | None]] = []
        for cell in sorted({*wanted, *self.table.on}):
            if look(self.table.on.get(cell), self.kind) != look(wanted.get(cell), self.kind):
                edits += [(cell, None)] if cell in self.table.on else []
                edits += [(cell, wanted[cell])] if cell in wanted else []
        todo = {cell: [each for at, each in edits if at == cell] for cell, _ in edits}
        order = [cell for cell, _ in edits]
        chance.shuffle(order)
        for cell in order:
            piece = todo[cell].pop(0)
            if piece is None:
                self.do(f"{self.rules.grid.name(cell)}-")
            else:
                self.put(cell, piece)
            self.do(str(chance.choice(WAITS_MS)))
        self.do(str(REST_MS))

    def put(self, cell: int, piece: Piece) -> None:
        """Put what looks like *piece* on *cell*."""
        name, wanted = self.rules.grid.name, look(piece, self.kind)
        if look(self.table.on.get(cell), self.kind) == wanted:
            return
        if self.kind is SensorKind.OCCUPANCY:
            self.do(f"{name(cell)}+")
            return
        pieces = {name(at): each for at, each in self.table.on.items()} | self._lifted
        same = [source for source, each in sorted(pieces.items()) if look(each, self.kind) == wanted]
        side = piece.side if piece.side is not None else ""
        changed = f"{side}={'='.join(_changes(piece))}"
        self.do(f"{name(cell)}+{same[0] if same else changed}")

    # what the session makes of it

    @property
    def record(self) -> list[str]:
        """The moves of the record."""
        return self.table.record

    def _looks(self) -> dict[int, Sighting]:
        """What the sensor sees."""
        return {cell: look(piece, self.kind) for cell, piece in self.table.on.items()}

    def after(self, moves: Sequence[str]) -> Any:
        """The position after *moves*. Raises `CompanionError` if one is illegal."""
        position = self.rules.initial()
        for text in moves:
            position = self.rules.apply(position, self.rules.read_move(position, text))
        return position

    def _settled(self) -> Any:
        """The last final position, to which the truth leads from now on.

        A ply is final if it is settled or pressed for, or announced in a game without taking back:
        where hands undo it, touch-move is reported, with the way back.
        """
        view, belief = self.table.session.view(), self.table.session.belief
        pressed = {belief.root_ply + depth + 1 for depth, ply in enumerate(belief.line) if ply.is_pressed}
        final = {Stage.SETTLED} if self.rules.allows_take_back else {Stage.SETTLED, Stage.ANNOUNCED}
        lines = enumerate(view.record, 1)
        count = max((n for n, line in lines if line.stage in final or n in pressed), default=0)
        self.truth = [line.move for line in view.record[:count]]
        return self.after(self.truth)

    def is_shown(self, position: Any) -> bool:
        """True if the board looks like *position*."""
        standing = self.rules.placement(position).by_cell()
        return self._looks() == {cell: look(piece, self.kind) for cell, piece in standing.items()}

    def is_excused(self) -> bool:
        """True if no short line leads to the board from the last final position."""
        truth = self.truth
        position = self._settled()
        settled, self.truth = self.truth, truth
        is_on_line = settled == truth[: len(settled)] and len(truth) <= len(settled) + MOST_PLIES
        if is_on_line:
            return self._untouched(position, truth[len(settled) :]) > MOST_UNTOUCHED
        return not self._leads(position)

    def _untouched(self, position: Any, moves: Sequence[str]) -> int:
        """How many of *moves* change only cells at which nothing was ever sensed."""
        count, grid = 0, self.rules.grid
        touched = {word[: -len(word.lstrip(ascii_letters + digits))] for word in self.words}
        for text in moves:
            before = self.rules.placement(position).by_cell()
            position = self.rules.apply(position, self.rules.read_move(position, text))
            after = self.rules.placement(position).by_cell()
            changed = {cell for cell in {*before, *after} if before.get(cell) != after.get(cell)}
            count += not touched & {grid.name(cell) for cell in changed}
        return count

    def _leads(self, position: Any) -> bool:
        """True if at most two plies lead from *position* to the board."""
        if self.is_shown(position):
            return True
        is_over = self.rules.status(position) is not None
        return not is_over and oracle.may_be_played(self.rules, position, self.table.on, self.kind)

    def stuck(self) -> str:
        """Why the record does not match the board after truthful answers; empty if it does."""
        for _ in range(MOST_ANSWERS + 1):
            view = self.table.session.view()
            if self.is_shown(self.table.session.position):
                return ""
            if view.question is None:
                return f"{view.phase.value}: the record is {' '.join(self.record) or 'empty'}"
            choice = self._choice(view.question)
            if choice is None:
                offered = sorted({move for each in view.question.choices for move in each.moves})
                return f"asked about the {view.question.aspect.value} of ply {view.question.ply}: {offered}"
            self.table.ask(Answer(view.question.ply, choice))
            self.table.wait(REST_MS)
        return f"more than {MOST_ANSWERS} questions"

    def _answer_all(self) -> None:
        """Answer the open questions truthfully, as far as the truth is offered."""
        for _ in range(MOST_ANSWERS):
            question = self.table.session.view().question
            choice = None if question is None else self._choice(question)
            if question is None or choice is None:
                return
            self.table.ask(Answer(question.ply, choice))
            self.table.wait(100)

    def _choice(self, question: Question) -> int | None:
        """The true choice, or one with the same board; None without one."""
        if question.aspect is Aspect.NEW_GAME:
            return next(n for n, each in enumerate(question.choices) if each.is_yes is False)
        before = self.record[: question.ply]
        text = self.truth[question.ply] if question.ply < len(self.truth) else ""
        if before == self.truth[: question.ply]:
            for number, choice in enumerate(question.choices):
                if text in choice.moves if text else not choice.moves:
                    return number
        position = self.after(before)
        for number, choice in enumerate(question.choices):
            if self.is_shown(position) if not choice.moves else self._is_leading(position, choice.moves):
                return number
        return None

    def _is_leading(self, position: Any, texts: Sequence[str]) -> bool:
        """True if at most two plies lead from one of *texts* to the board."""
        return any(
            self._leads(self.rules.apply(position, self.rules.read_move(position, text))) for text in texts
        )


def _changes(piece: Piece) -> Iterator[str]:
    """The words that make an unidentified piece look like *piece*."""
    yield piece.shows or piece.kind
    yield piece.pose
    if piece.facing is not None:
        yield COMPASS[piece.facing]


def carried_out(slug: str, kind: SensorKind, plan: Plan) -> Run:
    """The run of *plan*, up to the rest of the board that was set up."""
    run = Run(slug, kind, plan.clock)
    for number in plan.plies:
        run.play(number)
    for act in plan.acts:
        run.act(act)
    run.set_up(plan.line, Random(plan.order))
    return run


def repeated(slug: str, kind: SensorKind, clock: str, trace: str, truth: str) -> Run:
    """The run with the words *trace*, whose board is that after the moves *truth*.

    Raises `ValueError` if the board is another.
    """
    run = Run(slug, kind, clock)
    run.truth = truth.split()
    run.do(trace)
    if not run.is_shown(run.after(run.truth)):
        raise ValueError(f"the board is not that after {truth or 'no move'}")
    return run
