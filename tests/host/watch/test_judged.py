# SPDX-License-Identifier: Apache-2.0
"""The grades of moves and the curve of a game, from its values."""

from __future__ import annotations

from random import Random

from companion import games
from companion.host.table.layers.board_review import Grade
from companion.host.watch.judged import (
    Curve,
    GameAnalysis,
    JudgedPosition,
    Prospect,
    curves,
    foreseen,
    grade,
    judgements,
    level,
    mistakes,
    move_numbers,
    prospects,
)
from companion.model.claims import ClaimKind, WrittenClaim
from companion.model.game import Outcome
from companion.model.notation import GameRecord
from companion.model.written_move import WrittenMove
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


def test_the_mistakes_are_those_that_give_chances_away_in_the_order_of_the_game() -> None:
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
    assert (first.grade, second.grade) == (Grade.MISTAKE, Grade.BLUNDER)
    assert second.position == "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2"


def test_a_small_loss_and_a_loss_in_a_decided_game_are_no_mistakes() -> None:
    analysis = of(
        JudgedPosition(40, ("e4",), 10),
        JudgedPosition(WIN - 5, ("e5",), 2000),
        JudgedPosition(-2000, ("h3",), -WIN + 4),
    )
    assert mistakes(MATE, analysis) == []


def test_all_mistakes_are_kept_and_each_move_has_its_grade() -> None:
    only = (WrittenClaim(ClaimKind.ONLY_MOVE, line=(WrittenMove("g4", 0),)),)
    positions = (
        JudgedPosition(300, ("e4",), -300),
        JudgedPosition(300, ("d5",), -300),
        JudgedPosition(0, ("g4",), 0, only),
        JudgedPosition(0, ("d5",), -1),
        JudgedPosition(-WIN),
    )
    grades = [each.grade for each in judgements(MATE, of(*positions))]
    assert grades == [Grade.BLUNDER, Grade.BLUNDER, Grade.ONLY, None]
    assert [each.number for each in mistakes(MATE, of(*positions))] == [0, 1]


def test_a_forced_move_has_no_mark() -> None:
    start = "6rk/R7/8/8/8/8/8/7K w - - 0 1"
    record = GameRecord("chess", start=start, moves=("Rh7+", "Kxh7"))
    analysis = GameAnalysis(3, (JudgedPosition(0, ("Kh2",), 0), JudgedPosition(0, ("Kxh7",), 0)))
    assert [each.grade for each in judgements(record, analysis)] == [None, None]


def test_a_position_says_who_is_ahead_or_wins_in_how_many_moves() -> None:
    mate = (WrittenClaim(ClaimKind.MATE, count=1),)
    analysis = of(
        JudgedPosition(-40),
        JudgedPosition(60),
        JudgedPosition(1 - WIN),
        JudgedPosition(WIN - 1, claims=mate),
        JudgedPosition(-WIN),
    )
    *found, end = prospects(MATE, analysis)
    assert found == [
        Prospect(1, 0.4),
        Prospect(1, 0.6),
        Prospect(1, WIN / 100 - 0.01, True),
        Prospect(1, WIN / 100 - 0.01, True, 1),
    ]
    assert end == Outcome((1,), "checkmate")


def test_moves_are_numbered_as_the_game_counts_also_after_one_that_was_let_stand() -> None:
    assert move_numbers(MATE) == {1: "1.", 2: "1…", 3: "2.", 4: "2…"}
    stood = GameRecord("close-quarters", moves=("a1-b2",), adopted={1: "A2P/4/4/4/4/4/S3/3M s 1"})
    assert move_numbers(stood) == {1: "1.", 2: "1…"}
    same = GameRecord("close-quarters", moves=("a1-b2",), adopted={1: "A2P/4/4/4/4/4/S3/3M w 1"})
    assert move_numbers(same) == {1: "1."}


def test_a_move_is_no_mistake_where_the_next_position_says_that_it_was_good() -> None:
    doubted = JudgedPosition(40, ("d5",), -300)
    assert grade(doubted, "Nxe5") is Grade.BLUNDER
    seen = foreseen(doubted, JudgedPosition(-130, ("Bxd1",)), flips=True)
    assert (seen.value, seen.played) == (130, 130)
    assert grade(seen, "Nxe5") is None
    assert foreseen(doubted, JudgedPosition(-130), flips=False).played == -130, "the same side moves again"
    lost = foreseen(doubted, JudgedPosition(300, ("e5",)), flips=True)
    assert (lost.value, grade(lost, "Nxe5")) == (40, Grade.BLUNDER)
