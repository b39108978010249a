# SPDX-License-Identifier: Apache-2.0
"""The largest mistakes of a game, and its curve, from the values of its positions."""

from __future__ import annotations

from random import Random

from companion import games
from companion.host.watch.judged import Curve, GameAnalysis, JudgedPosition, curves, level, mistakes
from companion.model.notation import GameRecord
from companion.opponent.knowledge import WIN

MATE = GameRecord("chess", moves=("f3", "e5", "g4", "Qh4#"), result="black: checkmate")


def of(*positions: JudgedPosition) -> GameAnalysis:
    return GameAnalysis(5, positions)


def test_the_curve_shows_the_first_sides_value_as_far_as_it_is_known() -> None:
    analysis = of(JudgedPosition(40, ("e4",), -30), JudgedPosition(30, ("d5",), 0), JudgedPosition(-10))
    assert curves(MATE, analysis) == [Curve(0, ((0, level(40)), (1, level(-30)), (2, level(-10))))]
    assert not analysis.is_complete


def test_each_of_three_sides_has_a_curve_of_the_positions_before_its_moves() -> None:
    rules = games.find("martian-chess").rules({"players": "3"})
    position, moves = rules.initial(), []
    chance = Random(1)
    while rules.status(position) is None:
        move = chance.choice(rules.legal_moves(position))
        moves.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    record = GameRecord("martian-chess", dict(rules.options), moves=tuple(moves))
    values = tuple(JudgedPosition(100 * number) for number in range(5))
    first, second, third = curves(record, GameAnalysis(len(moves) + 1, values))
    assert first == Curve(0, ((0, 0.0), (3, level(300))))
    assert second == Curve(1, ((1, level(100)), (4, level(400))))
    assert third == Curve(2, ((2, level(200)),))
    whole = curves(record, GameAnalysis(len(moves) + 1, (JudgedPosition(0),) * (len(moves) + 1)))
    outcome = rules.status(position)
    assert outcome is not None
    ends = {each.side: each.points[-1] for each in whole}
    assert ends == {side: (len(moves), 1.0 if side in outcome.winners else -1.0) for side in range(3)}


def test_the_mistakes_are_those_that_change_the_result_most_in_the_order_of_the_game() -> None:
    analysis = of(
        JudgedPosition(40, ("e4", "e5"), -60),
        JudgedPosition(60, ("e5", "e4"), 60),
        JudgedPosition(-50, ("h3", "d5"), 1 - WIN),
        JudgedPosition(WIN - 1, ("Qh4#",), WIN - 1),
        JudgedPosition(-WIN),
    )
    first, second = mistakes(MATE, analysis)
    assert (first.number, first.played.text, first.better.text, first.side) == (0, "f3", "e4", 0)
    assert (second.number, second.played.text, second.better.text) == (2, "g4", "h3")
    assert second.loss > first.loss
    assert second.position == "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2"


def test_a_small_loss_and_a_loss_in_a_decided_game_are_no_mistakes() -> None:
    analysis = of(
        JudgedPosition(40, ("e4",), 10),
        JudgedPosition(WIN - 5, ("e5",), 2000),
        JudgedPosition(-2000, ("h3",), -WIN + 4),
    )
    assert mistakes(MATE, analysis) == []
