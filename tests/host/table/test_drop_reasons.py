# SPDX-License-Identifier: Apache-2.0
"""An illegal drop on another piece is answered by the rule that it breaks.

What is right is worked out from placement and legal moves, not by the code that explains.
"""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random
from typing import Any, Final

import pytest

from companion import games
from companion.host.virtual_table.set_up import pieces_for
from companion.model.game import AnyRules, HasRegions, Violation
from companion.model.grid import Cell
from companion.model.observation import EMPTY, Change, SensorKind
from companion.model.occupancy import occupancy_of
from companion.model.pieces import Piece, Side
from companion.referee.illegal_position import violation_of
from companion.referee.looks import Seen
from companion.referee.session import Session
from companion.virtual.pieces import PieceSet
from tests.games.support import random_positions
from tests.referee.support import perform, table

PAIRS: Final = 300
LONG: Final = 5000
TURN: Final = {"wrong-side", "wrong-zone"}
OWN: Final = {"own-piece", "own-pawn", "no-merger", "has-queen", "space-taken"}
BLOCKED: Final = {"path-blocked", "way-blocked"}
TAKEN: Final = {"no-capture", "space-taken"}
"""Rules by which no move ends where another piece stands."""


def owner(rules: AnyRules, piece: Piece, cell: Cell) -> Side | None:
    """The side that may move *piece* on *cell*."""
    if piece.side is not None or not isinstance(rules, HasRegions):
        return piece.side
    return next(region.side for region in rules.regions() if cell in region.cells)


def is_way(rules: AnyRules, position: Any, source: tuple[Cell, ...], landing: set[Cell]) -> bool:
    """True if a legal move brings the piece on *source* to *landing*."""
    steps = (step for move in rules.legal_moves(position) for step in rules.steps(position, move))
    return any(set(step.source) == set(source) and set(step.target) == landing for step in steps)


def wrong(rules: AnyRules, position: Any, source: tuple[Cell, ...], on: set[Cell], found: Violation) -> str:
    """What is wrong with *found*, the reason against a drop; "" if it is right.

    The piece on the cells *source* is put on the cells *on*.
    """
    pieces = rules.placement(position).by_cell()
    piece, others = pieces[source[0]], [pieces[cell] for cell in on if cell in pieces and cell not in source]
    if found.rule == "wreck-stays":
        return "" if piece.pose == "wreck" else "it is no wreck"
    mover = owner(rules, piece, source[0])
    if (mover != position.turn) != (found.rule in TURN):
        return f"it is the turn of {position.turn}"
    if found.rule in TURN:
        return ""
    if is_way(rules, position, source, on):
        return "it is legal"
    theirs = {owner(rules, each, cell) for cell in on if (each := pieces.get(cell)) and cell not in source}
    may_merge = isinstance(rules, HasRegions)  # then geometry comes first
    if theirs == {mover} and found.rule not in OWN | BLOCKED and not may_merge:
        return "it is an own piece"
    if mover not in theirs and found.rule in OWN - TAKEN:
        return "it is no own piece"
    if found.rule in BLOCKED and not any(cell in pieces for cell in set(found.cells) - on - set(source)):
        return "nothing is in the way"
    return "" if others else "nothing stands there"


def lifted(session: Session, cells: tuple[Cell, ...]) -> Any:
    """What *session* believes after the piece on *cells* was lifted."""
    tip = session.belief.tip
    belief = session.belief.looking(0, Seen(tip.occupied, 0, tip.looks))
    for cell in cells:
        belief = belief.sensed(Change(belief.now_ms, cell, EMPTY))
    return belief


def drawn(rules: AnyRules, chance: Random, pairs: int) -> list[tuple[Any, tuple[Cell, ...], Cell]]:
    """Positions, each with the cells of a piece and a cell of another one."""
    found = list[tuple[Any, tuple[Cell, ...], Cell]]()
    while len(found) < pairs:
        for position in random_positions(rules, chance.randrange(1 << 30), pairs // 10):
            entries = list(rules.placement(position).entries)
            if rules.status(position) is None and len(entries) > 1:
                for _ in range(10):
                    (_, source), (_, target) = chance.sample(entries, 2)
                    found.append((position, source, chance.choice(target)))
    return found[:pairs]


def test_the_reason_for_a_piece_that_has_moved_names_where_it_stood() -> None:
    fake = table("chess")
    perform(fake, "e2- 200 e4+e2 3500 e4- 300")
    grid = fake.rules.grid
    found = violation_of(fake.session.belief, Piece("pawn", 0), grid.cells("d7"))
    assert (found.rule, dict(found.arguments)["cell"]) == ("wrong-side", "e4")


@pytest.mark.parametrize("slug", games.slugs())
def test_the_reason_is_a_rule_that_the_drop_breaks(slug: str, *, is_long: bool) -> None:
    rules, seed = games.find(slug).rules(), f"{datetime.now(UTC):%Y-%m-%d}"
    checked, pairs = 0, LONG if is_long else PAIRS
    session: Session | None = None
    for position, source, cell in drawn(rules, Random(seed), pairs):
        if session is None or session.position != position:
            session = Session(rules, SensorKind.OCCUPANCY, start=position)
        pieces: PieceSet = pieces_for(rules, position).lift(source[0])
        landing = pieces.reach(cell)
        is_taken = occupancy_of(landing) & rules.placement(position).occupancy & ~occupancy_of(source)
        if pieces.hand is None or not is_taken or is_way(rules, position, source, set(landing)):
            continue
        found = violation_of(lifted(session, source), pieces.hand.piece, landing)
        name = rules.grid.name
        about = f"{slug} {seed}: {name(source[0])} to {name(cell)} in {rules.write_position(position)}"
        assert not (fault := wrong(rules, position, source, set(landing), found)), (about, found.rule, fault)
        checked += 1
    assert checked > pairs // 2
