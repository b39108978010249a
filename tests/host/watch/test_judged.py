# SPDX-License-Identifier: Apache-2.0
"""The largest mistakes of a game, and its curve, from the values of its positions."""

from __future__ import annotations

from companion.host.watch.judged import GameAnalysis, JudgedPosition, curve, level, mistakes
from companion.model.notation import GameRecord
from companion.opponent.knowledge import WIN

MATE = GameRecord("chess", moves=("f3", "e5", "g4", "Qh4#"), result="black: checkmate")


def of(*positions: JudgedPosition) -> GameAnalysis:
    return GameAnalysis(5, positions)


def test_the_curve_shows_the_first_sides_value_as_far_as_it_is_known() -> None:
    analysis = of(JudgedPosition(40, ("e4",), -30), JudgedPosition(30, ("d5",), 0), JudgedPosition(-10))
    assert curve(MATE, analysis) == [level(40), level(-30), level(-10)]
    assert not analysis.is_complete
    three = GameRecord("martian-chess", {"players": "3"})
    assert curve(three, GameAnalysis(1, (JudgedPosition(100),))) == []


def test_the_mistakes_are_those_that_change_the_result_most_in_the_order_of_the_game() -> None:
    analysis = of(
        JudgedPosition(40, ("e4", "e5"), -60),
        JudgedPosition(60, ("e5", "e4"), 60),
        JudgedPosition(-50, ("h3", "d5"), 1 - WIN),
        JudgedPosition(WIN - 1, ("Qh4#",), WIN - 1),
        JudgedPosition(-WIN),
    )
    first, second = mistakes(MATE, analysis)
    assert (first.number, first.played, first.better, first.side) == (0, "f3", "e4", 0)
    assert (second.number, second.played, second.better) == (2, "g4", "h3")
    assert [each.slug for each in second.why] == ["line"]
    assert second.loss > first.loss
    assert second.position == "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2"


def test_a_small_loss_and_a_loss_in_a_decided_game_are_no_mistakes() -> None:
    analysis = of(
        JudgedPosition(40, ("e4",), 10),
        JudgedPosition(WIN - 5, ("e5",), 2000),
        JudgedPosition(-2000, ("h3",), -WIN + 4),
    )
    assert mistakes(MATE, analysis) == []
