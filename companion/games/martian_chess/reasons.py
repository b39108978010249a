# SPDX-License-Identifier: Apache-2.0
"""Reasons why a change on the table is not a move of Martian Chess."""

from __future__ import annotations

from companion.games._shared.attempts import Attempt, read_attempt
from companion.games.martian_chess.rules import DRONE, PAWN, GameState, MartianMoves
from companion.model.game import Argument, Violation
from companion.model.grid import Cell
from companion.model.observation import Difference
from companion.model.placement import Placement


def explain(
    rules: MartianMoves, position: GameState, placement: Placement, difference: Difference
) -> Violation:
    """The rule that *difference* breaks in *position*, whose pieces are *placement*."""
    attempt = read_attempt(rules.grid, placement, difference, None)
    if isinstance(attempt, Violation):
        return attempt
    zone_of = rules.layout.zone_of
    if zone_of[attempt.source] != position.turn:
        return _because("wrong-zone", rules, attempt, side=rules.sides[position.turn])
    if attempt.source << 7 | attempt.target == position.undo:
        return _because("no-undo", rules, attempt)
    kind = position.board[attempt.source] & 3
    way = _way(rules, position, attempt)
    if way is None:
        return _because(("", "pawn-shape", "drone-shape", "queen-shape")[kind], rules, attempt)
    blocker = next((cell for cell in way if position.board[cell]), None)
    if blocker is not None:
        stands = placement.by_cell()[blocker]
        where = rules.grid.name(blocker)
        return _because("way-blocked", rules, attempt, blocker, blocker=stands, cell=where)
    other = position.board[attempt.target] & 3
    if other and zone_of[attempt.target] == position.turn:
        return _because(_merger(kind, other), rules, attempt, other=placement.by_cell()[attempt.target])
    return _because("several-moved", rules, attempt)  # legal by itself: something else is different, too


def _way(rules: MartianMoves, position: GameState, attempt: Attempt) -> tuple[Cell, ...] | None:
    """The cells that the piece passes, a free path preferred; None without a path."""
    kind = position.board[attempt.source] & 3
    found = [
        way[: way.index(attempt.target)]
        for way in rules.layout.ways[kind][attempt.source]
        if attempt.target in way
    ]
    return min(found, key=lambda way: sum(map(bool, (position.board[cell] for cell in way))), default=None)


def _merger(kind: int, other: int) -> str:
    """The reason why a piece of *kind* may not be put on an own one."""
    if {kind, other} == {PAWN, DRONE}:
        return "has-queen"
    return "has-drone" if kind == other == PAWN else "no-merger"


def _because(rule: str, rules: MartianMoves, attempt: Attempt, *cells: Cell, **more: Argument) -> Violation:
    """A violation of *rule* by *attempt*."""
    names: dict[str, Argument] = {
        "piece": attempt.piece,
        "source": rules.grid.name(attempt.source),
        "target": rules.grid.name(attempt.target),
    }
    return Violation.of(rule, attempt.target, attempt.source, *cells, **(names | more))
