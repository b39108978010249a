# SPDX-License-Identifier: Apache-2.0
"""Measure how a referee with occupancy sensors reads chess gestures.

Each gesture is a script of cells that become empty and occupied again, made for one legal move.
Other programs were measured with the same rows. Results:

- ok: exactly that move was announced.
- asked: a question has that move among its choices.
- wrong: another move was announced.
- stuck: no move was announced.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.games import find  # noqa: E402  (run as a script, from anywhere)
from companion.model.game import AnyRules  # noqa: E402
from companion.model.moves import Step  # noqa: E402
from companion.model.observation import EMPTY, OCCUPIED, SensorKind  # noqa: E402
from companion.referee.session.session import Session  # noqa: E402
from companion.referee.values.events import MoveMade, Stage  # noqa: E402
from tests.bench.report import arguments, deliver, say  # noqa: E402
from tests.fakes import FakeTable  # noqa: E402

PAUSE_MS = 250


class Made(NamedTuple):
    """A legal move and its steps."""

    rules: AnyRules
    position: Any
    move: Any
    steps: tuple[Step, ...]

    @property
    def source(self) -> int:
        """The cell that the moving piece leaves."""
        return self.steps[0].source[0]

    @property
    def target(self) -> int:
        """The cell that the moving piece reaches."""
        return self.steps[0].target[0]


Script = list[tuple[int, int, bool]]
"""Changes in order: wait in ms, cell, and whether it becomes occupied."""


def quiet(made: Made) -> Script | None:
    return [(0, made.source, False), (PAUSE_MS, made.target, True)] if len(made.steps) == 1 else None


def slide(made: Made) -> Script | None:
    """Slide along every cell of a straight line; stop 100 ms on each."""
    passed = between(made)
    if len(made.steps) > 1 or not passed:
        return None
    script = [(0, made.source, False)]
    for cell in passed:
        script += [(40, cell, True), (100, cell, False)]
    return [*script, (40, made.target, True)]


def between(made: Made) -> list[int]:
    """The cells between source and target of a straight move.

    [] for other moves and for steps to a neighbour.
    """
    for steps in made.rules.grid.steps:
        passed, cell = list[int](), steps[made.source]
        while cell not in (-1, made.target):
            passed.append(cell)
            cell = steps[cell]
        if cell == made.target:
            return passed
    return []


def is_capture(made: Made) -> bool:
    return len(made.steps) == 2 and made.steps[1].source == made.steps[0].target and not made.steps[1].target


def capture_target_first(made: Made) -> Script | None:
    if not is_capture(made):
        return None
    return [(0, made.target, False), (PAUSE_MS, made.source, False), (PAUSE_MS, made.target, True)]


def capture_mover_first(made: Made) -> Script | None:
    if not is_capture(made):
        return None
    return [(0, made.source, False), (PAUSE_MS, made.target, False), (PAUSE_MS, made.target, True)]


def capture_push(made: Made) -> Script | None:
    return [(0, made.source, False)] if is_capture(made) else None


def castling(order: str) -> Callable[[Made], Script | None]:
    """Castling in *order*: K and R are lifted, k and r are put down."""

    def script(made: Made) -> Script | None:
        if len(made.steps) != 2 or not made.steps[1].target:
            return None
        king, rook = made.steps
        at = {"K": king.source, "k": king.target, "R": rook.source, "r": rook.target}
        return [(PAUSE_MS, at[letter][0], letter.islower()) for letter in order]

    return script


def is_en_passant(made: Made) -> bool:
    return len(made.steps) == 2 and not made.steps[1].target and made.steps[1].source != made.steps[0].target


def en_passant_victim_first(made: Made) -> Script | None:
    if not is_en_passant(made):
        return None
    victim = made.steps[1].source[0]
    return [(0, victim, False), (PAUSE_MS, made.source, False), (PAUSE_MS, made.target, True)]


def en_passant_victim_last(made: Made) -> Script | None:
    if not is_en_passant(made):
        return None
    victim = made.steps[1].source[0]
    return [(0, made.source, False), (PAUSE_MS, made.target, True), (PAUSE_MS, victim, False)]


def bump_mid_move(made: Made) -> Script | None:
    """With the mover in the hand, lift a neighbour of the target and replace it."""
    if len(made.steps) > 1:
        return None
    occupied = made.rules.placement(made.position).by_cell()
    near = [steps[made.target] for steps in made.rules.grid.steps]
    bumped = next((cell for cell in near if cell in occupied and cell != made.source), None)
    if bumped is None:
        return None
    return [
        (0, made.source, False),
        (PAUSE_MS, bumped, False),
        (60, bumped, True),
        (PAUSE_MS, made.target, True),
    ]


def promotion(made: Made) -> Script | None:
    return quiet(made) if made.steps[0].piece.kind != made.steps[0].becomes.kind else None


GESTURES: dict[str, Callable[[Made], Script | None]] = {
    "quiet": lambda made: None if promotion(made) else quiet(made),
    "slide": slide,
    "capture-target-first": lambda made: None if changes_kind(made) else capture_target_first(made),
    "capture-mover-first": lambda made: None if changes_kind(made) else capture_mover_first(made),
    "capture-push": lambda made: None if changes_kind(made) else capture_push(made),
    "castle-king-first": castling("KkRr"),
    "castle-rook-first": castling("RrKk"),
    "castle-two-hands-rook-first": castling("KRrk"),
    "castle-two-hands-king-first": castling("RKkr"),
    "en-passant-victim-first": en_passant_victim_first,
    "en-passant-victim-last": en_passant_victim_last,
    "bump-mid-move": bump_mid_move,
    "promotion": promotion,
}


def changes_kind(made: Made) -> bool:
    return made.steps[0].piece.kind != made.steps[0].becomes.kind


def perform(table: FakeTable, script: Script) -> None:
    """Report *script* to the session."""
    for wait_ms, cell, is_filled in script:
        table.wait(wait_ms)
        if is_filled:
            table.on[cell] = next(iter(table.on.values()))
        else:
            table.on.pop(cell)
        table.change(cell, OCCUPIED if is_filled else EMPTY)


def start(made: Made) -> FakeTable:
    """A table with the position of *made* set up."""
    session = Session(made.rules, SensorKind.OCCUPANCY, start=made.position)
    table = FakeTable(made.rules, session=session)
    table.set_up()
    table.take_events()
    return table


def judge(table: FakeTable, *texts: str) -> str:
    """The session's result if *texts* are the moves that were meant."""
    table.wait(2500)
    question = table.session.view().question
    record = [line.move for line in table.session.view().record if line.stage is not Stage.PROVISIONAL]
    if question is not None:
        offered = {text for choice in question.choices for text in choice.moves}
        return "asked" if texts[question.ply] in offered else "wrong"
    if record == list(texts):
        return "ok"
    is_other = any(isinstance(event, MoveMade) and event.stage is Stage.ANNOUNCED for event in table.history)
    return "wrong" if is_other else "stuck"


def moves_of_random_games(rules: AnyRules, seed: int) -> Iterator[Made]:
    """Every legal move of every position of random games, endlessly."""
    chance = Random(seed)
    while True:
        position = rules.initial()
        while moves := rules.legal_moves(position):
            for move in moves:
                yield Made(rules, position, move, tuple(rules.steps(position, move)))
            position = rules.apply(position, chance.choice(moves))


def fast_reply(rules: AnyRules, chance: Random, made: Made) -> str | None:
    """A quiet move answered by another within 100 ms, before the first is announced."""
    script = quiet(made)
    after = rules.apply(made.position, made.move)
    replies = [
        answer
        for move in rules.legal_moves(after)
        if quiet(answer := Made(rules, after, move, tuple(rules.steps(after, move))))
        and not changes_kind(answer)
    ]
    if script is None or changes_kind(made) or not replies:
        return None
    reply = chance.choice(replies)
    table = start(made)
    perform(table, script)
    perform(table, [(50, reply.source, False), (50, reply.target, True)])
    return judge(table, rules.write_move(made.position, made.move), rules.write_move(after, reply.move))


def measure(seed: int, *, most: int) -> list[dict[str, Any]]:
    """A row for each gesture, with at most *most* samples of it."""
    rules, chance = find("chess").rules(), Random(seed)
    names = [*GESTURES, "fast-reply-100ms"]
    counts = {name: dict.fromkeys(("ok", "asked", "wrong", "stuck"), 0) for name in names}
    for tried, made in enumerate(moves_of_random_games(rules, seed)):
        if tried % 20_000 == 0:
            say(f"{tried} moves tried")
        wanted = [name for name in names if sum(counts[name].values()) < most]
        if not wanted or tried > 2_000 * most:
            break
        if chance.random() > 0.05 and len(made.steps) == 1 and not changes_kind(made):
            continue  # plain moves abound: take them from many positions
        text = rules.write_move(made.position, made.move)
        for name in wanted:
            if name == "fast-reply-100ms":
                result = fast_reply(rules, chance, made)
            elif script := GESTURES[name](made):
                table = start(made)
                perform(table, script)
                result = judge(table, text)
            else:
                continue
            if result:
                counts[name][result] += 1
    return [{"gesture": name, "n": sum(row.values()), **row} for name, row in counts.items()]


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    return arguments(__doc__, "python tests/bench/gestures.py --quick")


def main() -> None:
    """Measure and report."""
    given = parser().parse_args()
    rows = measure(given.seed, most=30 if given.quick else 300)
    deliver({"rows": rows}, given.seed, as_json=given.json)


if __name__ == "__main__":
    main()
