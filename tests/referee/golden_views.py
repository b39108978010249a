# SPDX-License-Identifier: Apache-2.0
"""The referee's view of each game after some plies, as text.

`python -m tests.referee.golden_views` rewrites the golden files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Final

from companion.games import find
from companion.model.moves import Step
from companion.model.observation import SensorKind
from companion.referee.session.session import Session
from companion.referee.values.controls import read_control
from companion.referee.values.view import TableView
from tests.fakes import FakeTable
from tests.games.playthroughs import read
from tests.virtual.hands import PROFILES, motions

FOLDER: Final = Path(__file__).parent / "golden" / "views"
_PLAYED: Final = Path(__file__).parents[1] / "games" / "playthroughs"
_PLIES: Final = 12


def played(slug: str) -> FakeTable:
    """A table after the first plies of the game's playthrough, with one more piece lifted.

    The hands were careful.
    """
    _, options, moves = read((_PLAYED / f"{slug}.txt").read_text(encoding="utf-8"))
    rules = find(slug).rules(options)
    kind, control = SensorKind.IDENTITY_FACING, read_control("10+5", len(rules.sides))
    table = FakeTable(rules, kind, session=Session(rules, kind, control=control))
    table.set_up()
    for text in moves[:_PLIES]:
        position = table.session.position
        make(table, rules.steps(position, rules.read_move(position, text)))
        table.wait(2_000)
    position = table.session.position
    steps = (tuple(rules.steps(position, move)) for move in rules.legal_moves(position))
    source = next(found[0].source for found in steps if found and found[0].source)
    table.lift(rules.grid.name(source[0]))
    return table


def make(table: FakeTable, steps: Iterable[Step]) -> None:
    """Let careful hands do *steps*."""
    table.handle(motions(table.rules.grid, table.on, tuple(steps), PROFILES["careful"], Random(1)))


def draw(view: TableView) -> str:
    """*view*, one field per line, without constant fields of the board."""
    return "\n".join(_lines(view)) + "\n"


def _lines(view: TableView) -> Iterator[str]:
    spell, sides = view.grid.spell, view.sides
    yield f"{view.game}: {view.phase}, ply {view.ply}, {sides[view.turn]} to move"
    yield f"position: {view.position}"
    for piece, cells in view.placement.entries:
        owner = "" if piece.side is None else f"{sides[piece.side]} "
        facing = "" if piece.facing is None else f" facing {piece.facing}"
        yield f"  {spell(cells)}: {owner}{piece.kind} {piece.pose}{facing}"
    yield f"lifted: {spell(view.lifted)}"
    yield f"targets: {spell(view.targets)}"
    for said in view.announcements:
        yield f"{said.cry} by {sides[said.side]}: {spell(said.causes)} -> {spell(said.targets)}"
    for line in view.record:
        way = f"{spell(line.source)} -> {spell(line.target)}"
        yield f"{line.ply} {sides[line.side]}: {line.move} {line.stage} ({way}) {line.spent_ms} ms"
    for side, clock in enumerate(view.clocks):
        yield f"clock {sides[side]}: {clock.left_ms} ms{' running' if clock.is_running else ''}"
    for side, hand in enumerate(view.hands):
        yield f"hand {sides[side]}: {' '.join(piece.kind for piece in hand)}"
    if view.scores:
        yield f"scores: {view.scores}"
    yield f"fault: {view.fault}, question: {view.question}, outcome: {view.outcome}, guides: {view.guides}"


if __name__ == "__main__":
    from tests.readme import PRESENTED

    FOLDER.mkdir(parents=True, exist_ok=True)
    for each in PRESENTED:
        (FOLDER / f"{each}.txt").write_text(draw(played(each).session.view()), encoding="utf-8")
