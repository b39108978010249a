# SPDX-License-Identifier: Apache-2.0
"""A position let stand becomes the game's, with long pieces and facings."""

from __future__ import annotations

import pytest

from companion.games import find
from companion.model.errors import OrderRefused
from companion.model.observation import EMPTY, SensorKind
from companion.model.pieces import Piece
from companion.referee.values.board.looks import look
from companion.referee.values.commands import LetStand, NewGame
from companion.referee.values.events import PositionAdopted
from companion.referee.values.view import TableView
from tests.fakes import FakeTable


def carry_long(table: FakeTable, sources: str, targets: str) -> None:
    """Carry the piece on the cells *sources* to the cells *targets*."""
    cells = table.rules.grid.cells
    pieces = [table.on.pop(cell) for cell in cells(sources)]
    for cell in cells(sources):
        table.change(cell, EMPTY)
    table.wait(300)
    for cell, piece in zip(cells(targets), pieces, strict=True):
        table.on[cell] = piece
        table.change(cell, look(piece, table.kind))


@pytest.mark.parametrize("kind", SensorKind)
def test_a_giant_may_be_let_stand_where_no_rule_brings_it(kind: SensorKind) -> None:
    rules = find("fightopia").rules()
    table = FakeTable(rules, kind)
    table.set_up()
    carry_long(table, "d1 e1 d2 e2", "d4 e4 d5 e5")
    table.wait(1_500)
    assert table.session.view().fault is not None
    table.ask(LetStand(1))
    adopted = table.history[-1]
    assert isinstance(adopted, PositionAdopted)
    assert adopted.position == "vppggppv/v1pggp1v/2pppp2/3GG3/3GG3/2PPPP2/V1P2P1V/VPP2PPV b"
    assert table.session.view().fault is None
    assert table.restored().position == table.session.position


def test_a_tank_that_was_let_stand_has_the_seen_facing() -> None:
    rules = find("tank-chess").rules()
    kind = SensorKind.IDENTITY_FACING
    table = FakeTable(rules, kind)
    table.set_up()
    cell = next(cell for cell, piece in sorted(table.on.items()) if piece.side == 0)
    tank = table.lift(rules.grid.name(cell))
    target = next(
        each for each in range(100, 200) if each not in table.on and each not in rules.grid.obstacles
    )
    table.wait(200)
    table.put(rules.grid.name(target), Piece(tank.kind, tank.side, 3))
    table.wait(1_500)
    table.ask(LetStand(1))
    stands = rules.placement(table.session.position).at(target)
    assert stands == Piece(tank.kind, tank.side, 3)


def test_a_giant_on_separate_cells_cannot_be_let_stand() -> None:
    rules = find("fightopia").rules()
    table = FakeTable(rules)
    table.set_up()
    carry_long(table, "d1 e1 d2 e2", "d4 e4 a4 b4")
    table.wait(1_500)
    table.take_events()
    fault = table.session.view().fault
    with pytest.raises(OrderRefused, match="no such position") as refused:
        table.ask(LetStand(1))
    assert refused.value.violation is not None
    assert refused.value.violation.rule == "piece-unknown"
    assert table.take_events() == []
    assert table.session.view().fault == fault


def test_a_position_let_stand_before_the_first_move_is_marked_until_the_next_game() -> None:
    """With the same side to move it is no ply; the first move stays first."""
    table = FakeTable(find("chess").rules())
    table.set_up()
    table.carry("e2", "e5", 300)
    table.wait(1_500)
    assert not table.session.view().is_start_amended
    table.ask(LetStand(0))
    assert [(view.turn, view.is_start_amended, view.record) for view in both(table)] == [(0, True, ())] * 2
    table.carry("d2", "d4", 300)
    table.wait(1_500)
    assert [(view.is_start_amended, view.record[0].ply) for view in both(table)] == [(True, 0)] * 2
    table.ask(NewGame())
    assert not table.session.view().is_start_amended


def test_a_position_let_stand_with_the_other_side_to_move_is_a_ply_before_the_first_move() -> None:
    table = FakeTable(find("chess").rules())
    table.set_up()
    table.carry("e2", "e5", 300)
    table.wait(1_500)
    table.ask(LetStand(1))
    told = [(view.turn, view.is_start_amended, [line.move for line in view.record]) for view in both(table)]
    assert told == [(1, False, [""])] * 2


def both(table: FakeTable) -> list[TableView]:
    """The view of *table*, and the view after a restart."""
    return [session.view() for session in (table.session, table.restored())]


@pytest.mark.parametrize(("turn", "line"), [(0, ("", False)), (1, ("e4", True))])
def test_a_position_that_was_let_stand_is_marked_in_the_record(turn: int, line: tuple[str, bool]) -> None:
    """It is marked as a ply of its side, or with the move before it.

    The latter if the same side is to move. A restored session agrees.
    """
    rules = find("chess").rules()
    table = FakeTable(rules)
    table.set_up()
    table.carry("e2", "e4", 300)
    table.wait(1_500)
    table.carry("d7", "d4", 300)
    table.wait(1_500)
    table.ask(LetStand(turn))
    for session in (table.session, table.restored()):
        last = session.view().record[-1]
        assert (last.move, last.is_amended) == line
