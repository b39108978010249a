# SPDX-License-Identifier: Apache-2.0
"""Two truths with the same edges: nobody can decide which of them was played.

Plain hands make one ply after another. Each ply leaves its own edges, in any order in which a
piece is lifted before it is put down, and where there is a clock, the press of its side follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from companion.model.errors import CompanionError
from companion.model.game import AnyRules
from companion.model.moves import Step
from companion.model.observation import EMPTY, Change, Input, Press, SensorKind
from tests.bench.players.ideal import Made, Ply, Touch, replayed
from tests.bench.players.looks import Looks, differing
from tests.bench.players.physics import look


@dataclass(frozen=True)
class Case:
    """Reported inputs from a position on, and the plies that were played meanwhile."""

    rules: AnyRules
    kind: SensorKind
    before: Any
    inputs: Sequence[Input]
    truth: Sequence[str]
    pressed: Sequence[bool] | None = None
    """Whether the press of each true ply was reported; None without presses.

    Counted from the end, a ply of the twin lacks its press only where the true one does.
    """
    last_side: int | None = None
    """The side of the ply before, whose press may come late."""

    def twin(self, recorded: Sequence[str]) -> str:
        """Both lines if *recorded* leaves the same inputs; else an empty text."""
        position, plies = self.before, list[Ply]()
        try:
            for text in recorded:
                move = self.rules.read_move(position, text)
                plies.append((position.turn, self.rules.steps(position, move)))
                position = self.rules.apply(position, move)
        except CompanionError:
            return ""
        for hands in self._hands(plies, 0, self._presses(0, self.last_side)):
            reported = replayed(self.rules, self.kind, self.before, plies, hands, self.inputs)
            if reported == list(self.inputs):
                names = " ".join(self.truth), " ".join(recorded)
                return f"the truth was {names[0]}, the same edges are also {names[1]}"
        return ""

    def _presses(self, at: int, side: int | None) -> int:
        """The index after the presses of *side* from *at* on."""
        while at < len(self.inputs):
            each = self.inputs[at]
            if isinstance(each, Change) or (each.button if isinstance(each, Press) else each.side) != side:
                break
            at += 1
        return at

    def _hands(self, plies: list[Ply], number: int, at: int) -> Iterator[list[Made]]:
        """The ways to make *plies* from *number* on."""
        if number == len(plies):
            if at == len(self.inputs):
                yield []
            return
        side, steps = plies[number]
        for touches in product(*(tuple(_ways(index, step, self.kind)) for index, step in enumerate(steps))):
            wanted = [touch for way in touches for touch in way]
            block = self.inputs[at : at + len(wanted)]
            found = _matched(wanted, block, self.kind)
            if found is None:
                continue
            end = self._presses(at + len(wanted), side)
            true = number - len(plies) + len(self.pressed or ())
            must = not wanted or (self.pressed is not None and (true < 0 or self.pressed[true]))
            if must and end == at + len(wanted):
                continue
            made = [Made(each.t_ms, number, touch) for each, touch in zip(block, found, strict=True)]
            for rest in self._hands(plies, number + 1, end):
                yield made + rest


def start(looks: Looks, seen: Looks, inputs: Sequence[Input], at: int, until_ms: int) -> int | None:
    """The first index from *at* on at which the board looks like *looks*.

    None if that is not before the first input after *until_ms*.
    """
    seen = dict(seen)
    for index in range(len(inputs) + 1):
        if index >= at and not differing(looks, seen):
            return index
        if index == len(inputs) or (index >= at and inputs[index].t_ms > until_ms):
            return None
        each = inputs[index]
        if isinstance(each, Change):
            seen[each.cell] = each.sighting
    return None


def _ways(index: int, step: Step, kind: SensorKind) -> Iterator[tuple[Touch, ...]]:
    """The ways in which a hand can make *step*."""
    many = len(step.source)
    lifts = tuple(Touch(index, cell, None, 0) for cell in step.source)
    is_seen = look(step.piece, kind) != look(step.becomes, kind)
    puts = tuple(Touch(index, cell, step.becomes, many) for cell in step.target)
    yield lifts + puts
    if step.source and step.target and is_seen:  # turned once it stands
        first = tuple(Touch(index, cell, step.piece, many) for cell in step.target)
        yield lifts + first + tuple(each._replace(after=2 * many) for each in puts)
    if step.source == step.target:
        yield tuple(each._replace(after=0) for each in puts) if is_seen else ()


def _matched(wanted: list[Touch], block: Sequence[Input], kind: SensorKind) -> list[Touch] | None:
    """The touches of *wanted* in the order of *block*, if hands can make it."""
    left, done, found = list(wanted), dict[int, int](), list[Touch]()
    for each in block:
        for touch in left:
            seen = EMPTY if touch.piece is None else look(touch.piece, kind)
            is_it = isinstance(each, Change) and (touch.cell, seen) == (each.cell, each.sighting)
            if is_it and touch.after <= done.get(touch.step, 0):
                break
        else:
            return None
        left.remove(touch)
        done[touch.step] = done.get(touch.step, 0) + 1
        found.append(touch)
    return found if not left else None
