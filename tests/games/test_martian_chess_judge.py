# SPDX-License-Identifier: Apache-2.0
"""Reasons of Martian Chess for wrong moves match an independent judge."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from companion.games.martian_chess import GAME
from companion.model.game import Violation
from companion.model.observation import Difference
from tests.games.naive import martian_chess as naive
from tests.games.support import random_positions


class Judge:
    """Reads a position from its text, and the board from its print."""

    def __init__(self, text: str, board: naive.Sheet, players: int) -> None:
        self.board, self.players = board, players
        self.pieces = naive.read(text, players)
        self.turn, self.undo = int(text.split()[1]) - 1, text.split()[3]

    def kind(self, cell: str) -> str:
        return naive.kind(self.pieces.get(cell, ""))

    def crowded(self) -> list[tuple[str, str]]:
        """Own pieces whose ways are blocked by own pieces."""
        own = [cell for cell in self.pieces if naive.zone(cell, self.players) == self.turn]
        pairs = [(source, target) for source in own for target in own if self.goes(source, target)]
        return pairs or [(cell, cell) for cell in self.pieces]

    def kinds_in_zone(self) -> list[str]:
        return [self.kind(cell) for cell in self.pieces if naive.zone(cell, self.players) == self.turn]

    def goes(self, source: str, target: str) -> list[list[str]]:
        """The cells between on each way of the piece from *source* to *target*."""
        ways = naive.reach(self.board, source, self.kind(source))
        return [way[: way.index(target)] for way in ways if target in way]

    def is_broken(self, violation: Violation, source: str, target: str) -> bool:
        """True if going from *source* to *target* breaks *rule*."""
        goes = self.goes(source, target)
        pair = {self.kind(source), self.kind(target)}
        is_own = target in self.pieces and naive.zone(target, self.players) == self.turn
        match violation.rule:
            case "wrong-zone":
                return naive.zone(source, self.players) != self.turn
            case "pawn-shape" | "drone-shape" | "queen-shape":
                return violation.rule[0] == self.kind(source) and not goes
            case "way-blocked":
                blocked = dict(violation.arguments)["cell"]
                return all(set(way) & self.pieces.keys() for way in goes) and any(
                    blocked in way for way in goes
                )
            case "no-undo":
                return self.undo == f"{source}-{target}"
            case "has-queen":
                return is_own and pair == {"p", "d"} and "q" in self.kinds_in_zone()
            case "has-drone":
                return is_own and pair == {"p"} and "d" in self.kinds_in_zone()
            case "no-merger":
                return is_own and pair not in ({"p", "d"}, {"p"})
        return False


@pytest.mark.parametrize(
    "players", ["2", "3", *(pytest.param(each, marks=pytest.mark.long) for each in "456")]
)
def test_the_reason_for_a_wrong_move_is_a_rule_that_it_breaks(players: str, is_long: bool) -> None:
    rules, chance = GAME.rules({"players": players}), random.Random(3)
    board = naive.sheet(rules.grid.names, rules.grid.outlines, forks=False)
    found = Counter[str]()
    for position in random_positions(rules, seed=6, count=30_000 if is_long else 1200, plies=60):
        text = rules.write_position(position)
        judge = Judge(text, board, rules.players)
        source, target = chance.choice(list(judge.pieces)), chance.choice(rules.grid.names)
        if chance.random() < 0.3 and "-" in judge.undo[1:]:
            source, target = judge.undo.split("-")
        elif chance.random() < 0.7:
            source, target = chance.choice(judge.crowded())
        lawful = naive.moves(text, board, rules.players, {**rules.options, "no_undo": "all"})
        if source == target or rules.status(position) or (source, target) in lawful:
            continue
        filled, touched = (
            ((), (rules.grid.cell(target),)) if target in judge.pieces else ((rules.grid.cell(target),), ())
        )
        violation = rules.explain(position, Difference((rules.grid.cell(source),), filled, touched=touched))
        assert judge.is_broken(violation, source, target), (text, source, target, violation)
        found[violation.rule] += 1
    assert found.keys() >= {
        "wrong-zone", "pawn-shape", "drone-shape", "queen-shape", "way-blocked", "has-queen", "has-drone", "no-merger",
    }  # fmt: skip
    assert ("no-undo" in found) == (players == "2")
