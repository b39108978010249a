# SPDX-License-Identifier: Apache-2.0
"""Reasons name a piece's present cell, and whose turn it is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random
from typing import Any, Final

import pytest

from companion import games
from companion.model.game import AnyRules, HasRegions, Violation
from companion.model.grid import Cell
from companion.model.observation import Difference, SensorKind
from companion.model.pieces import Piece, Side
from companion.referee.session.session import Session
from companion.referee.values.board.immobile import carried
from tests.fakes import FakeTable
from tests.games.support import random_positions
from tests.readme import PRESENTED

POSITIONS: Final = 25
LONG: Final = 400
TURN: Final = {"wrong-side", "wrong-zone", "touch-move"}
"""Rules that say whose turn it is."""


def owner(rules: AnyRules, piece: Piece, cell: Cell) -> Side | None:
    """The side that may move *piece* on *cell*."""
    if piece.side is not None or not isinstance(rules, HasRegions):
        return piece.side
    return next(region.side for region in rules.regions() if cell in region.cells)


def positions(slug: str, *, is_long: bool) -> Iterator[tuple[AnyRules, Any, Random]]:
    """Drawn positions of *slug* in which play goes on."""
    rules, chance = games.find(slug).rules(), Random(f"{datetime.now(UTC):%Y-%m-%d}")
    for position in random_positions(rules, chance.randrange(1 << 30), LONG if is_long else POSITIONS):
        if rules.status(position) is None:
            yield rules, position, chance


def causes(rules: AnyRules, position: Any) -> set[frozenset[tuple[Cell, Cell]]]:
    """The cells that each legal move of *position* empties and enters."""
    return {
        frozenset((source, target) for step in steps for source in step.source for target in step.target)
        for steps in (rules.steps(position, move) for move in rules.legal_moves(position))
    }


def is_legal(rules: AnyRules, position: Any, source: Cell, target: Cell) -> bool:
    """True if a legal move carries a piece from *source* to *target*, perhaps with others."""
    return any((source, target) in pairs for pairs in causes(rules, position))


@pytest.mark.parametrize("slug", PRESENTED)
def test_whose_turn_it_is_comes_before_geometry(slug: str, *, is_long: bool) -> None:
    """On empty cells and occupied ones alike."""
    checked = {True: 0, False: 0}
    for rules, position, chance in positions(slug, is_long=is_long):
        placement = rules.placement(position)
        theirs = [
            (piece, cells)
            for piece, cells in placement.entries
            if owner(rules, piece, cells[0]) != position.turn and piece.pose != "wreck"
        ]
        for _, cells in chance.sample(theirs, min(4, len(theirs))):
            for target in chance.sample(range(len(rules.grid)), 12):
                if target in cells or is_legal(rules, position, cells[0], target):
                    continue
                found = rules.explain(position, carried(rules.grid, placement, cells[0], target))
                name = rules.grid.name
                about = f"{name(cells[0])} to {name(target)} in {rules.write_position(position)}"
                assert found.rule in TURN or found.rule.startswith("tsunami"), (about, found)
                checked[placement.at(target) is None] += 1
    assert min(checked.values()) > 20


def named(found: Violation) -> set[str]:
    """The names of cells in the sentence of *found*."""
    return {str(value) for key, value in found.arguments if key in ("cell", "source")}


def on_its_way(rules: AnyRules, before: Any, after: Any, source: Cell) -> list[Cell]:
    """Empty cells that no move enters: *after* any, *before* that from *source*."""
    taken = rules.placement(after).occupancy
    entered = {target for pairs in causes(rules, after) for _, target in pairs}
    free = [cell for cell in range(len(rules.grid)) if not taken >> cell & 1 and cell not in entered]
    return [cell for cell in free if cell != source and not is_legal(rules, before, source, cell)]


def carry(table: FakeTable, source: str, target: str, piece: Piece) -> None:
    """Carry the piece on *source* to *target*, where it is *piece*, and wait."""
    table.lift(source)
    table.wait(200)
    table.put(target, piece)
    table.wait(3500)


@pytest.mark.parametrize("kind", [SensorKind.OCCUPANCY, SensorKind.IDENTITY_FACING])
@pytest.mark.parametrize("slug", games.slugs())
def test_a_piece_that_has_moved_is_named_where_it_stands(
    slug: str, kind: SensorKind, *, is_long: bool
) -> None:
    """Its move is on record; then a hand carries it on."""
    checked = 0
    for rules, position, chance in positions(slug, is_long=is_long):
        move = chance.choice(rules.legal_moves(position))
        steps, after = rules.steps(position, move), rules.apply(position, move)
        if len(steps) != 1 or {len(steps[0].source), len(steps[0].target)} != {1}:
            continue
        (source,), (target,) = steps[0].source, steps[0].target
        free = on_its_way(rules, position, after, source)
        if source == target or rules.status(after) is not None or not free:
            continue
        table, name = FakeTable(rules, kind, session=Session(rules, kind, start=position)), rules.grid.name
        table.set_up()
        ways = [name(source), name(target), name(chance.choice(free))]
        carry(table, ways[0], ways[1], steps[0].becomes)
        if [line.move for line in table.session.view().record] != [rules.write_move(position, move)]:
            continue
        carry(table, ways[1], ways[2], steps[0].becomes)
        fault = table.session.view().fault
        if fault is None:  # another legal move, of a pawn from a hand, explains the board
            continue
        about = ways, rules.write_position(position), fault.violation
        is_theirs = owner(rules, steps[0].becomes, target) == after.turn  # it crossed into their zone
        assert is_theirs or fault.violation.rule in TURN, about
        assert ways[1] in named(fault.violation), about
        checked += 1
    assert checked > 2


def test_castling_out_of_turn_is_told_as_that() -> None:
    rules = games.find("chess").rules()
    position = rules.read_position("4k3/8/8/8/8/8/8/4K2R b K - 0 1")
    cells = rules.grid.cells
    assert rules.explain(position, Difference(cells("e1 h1"), cells("g1 f1"))).rule == "wrong-side"
