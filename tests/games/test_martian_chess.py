# SPDX-License-Identifier: Apache-2.0
"""The rules of Martian Chess one by one."""

from __future__ import annotations

import sys

import pytest

from companion.feedback.template import gaps
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.games.martian_chess import GAME, MartianRules
from companion.games.martian_chess.rules import GameState
from companion.model.errors import NotationError
from companion.model.game import Count, InvalidPosition, Outcome, Violation
from companion.model.moves import Step
from companion.model.observation import Difference
from companion.model.pieces import Piece
from companion.model.placement import Placement
from tests.games.support import play

TWO = GAME.rules()
FOUR = GAME.rules({"players": "4"})
THREE = GAME.rules({"players": "3"})
PAWN, DRONE, QUEEN = Piece("pawn"), Piece("drone"), Piece("queen")


def moves(rules: MartianRules, cells: str, source: str, state: str = "1 0,0 - - -") -> str:
    """The destinations of the piece on *source*."""
    position = rules.read_position(f"{cells} {state}")
    start = rules.grid.cell(source)
    return rules.grid.spell([move & 127 for move in rules.legal_moves(position) if move >> 7 == start])


def after(rules: MartianRules, text: str, *texts: str) -> GameState:
    """The position after moves from the position *text*."""
    position = rules.read_position(text)
    for move in texts:
        position = play(rules, position, move)
    return position


# the start


@pytest.mark.parametrize(("players", "count"), [("2", 18), ("3", 27), ("4", 36), ("5", 45), ("6", 54)])
def test_each_side_starts_with_three_pieces_of_each_kind_in_its_zone(players: str, count: int) -> None:
    rules = GAME.rules({"players": players})
    board = rules.initial().board
    assert sum(map(bool, board)) == count
    for zone in rules.layout.zones:
        assert sorted(board[cell] for cell in zone if board[cell]) == [1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_four_players_move_clockwise_from_the_near_left_quadrant() -> None:
    assert [FOUR.grid.name(zone[0]) for zone in FOUR.layout.zones] == ["a1", "a5", "e5", "e1"]
    assert FOUR.sides == ("player-1", "player-2", "player-3", "player-4")


# moving


def test_a_pawn_goes_one_cell_diagonally() -> None:
    assert moves(TWO, "3q/4/4/4/4/1p2/4/4", "b3") == "a2 c2 a4 c4"


def test_a_drone_goes_one_or_two_cells_straight_without_jumping() -> None:
    assert moves(TWO, "3q/4/4/4/4/1d2/1d2/4", "b3") == "a3 c3 d3 b4 b5"
    assert moves(TWO, "3q/4/4/4/1p2/1d2/4/3q", "b3") == "b1 b2 a3 c3 d3"


def test_a_queen_goes_any_distance_over_canals_and_captures_what_stops_her() -> None:
    assert moves(TWO, "3q/4/1p2/4/4/1q2/4/3d", "b3") == "b1 a2 b2 c2 a3 c3 d3 a4 b4 c4 b5 d5 b6"


def test_a_side_moves_all_pieces_in_its_zone_and_no_others() -> None:
    position = after(TWO, "3q/4/4/4/1d2/4/4/3q 1 0,0 - - -", "b4-b6")
    assert {move >> 7 for move in TWO.legal_moves(position)} == set(TWO.grid.cells("b6 d8"))


def test_a_capture_scores_the_points_of_the_captured_piece() -> None:
    start = "q3/4/1d2/q3/4/1q2/4/3p 1 4,5 - - -"
    assert after(TWO, start, "b3xb6").scores == (6, 5)
    assert after(TWO, "3q/4/4/3P/3q/4/4/4 1 0,0 - - -", "d4xd5").scores == (3, 0)
    assert after(TWO, "3q/4/4/3D/3q/4/4/3p 1 0,0 - - -", "d4xd5").scores == (2, 0)


def test_replacing_either_of_two_equal_pieces_is_one_move_with_two_readings() -> None:
    cells = "q6q/8/8/3d4/3dd3/8/7q/8"
    position = FOUR.read_position(f"{cells} 1 0,0,0,0 - - -")
    assert moves(FOUR, cells, "d4", "1 0,0,0,0 - - -") == "d2 d3 b4 c4 e4"
    assert FOUR.read_move(position, "d4xd5") == FOUR.read_move(position, "d4xe4")


# mergers


def test_pawn_and_drone_merge_into_a_queen_if_there_is_none() -> None:
    assert moves(TWO, "3q/4/4/4/4/1p2/2d1/4", "b3") == "a2 c2 a4 c4"
    assert moves(TWO, "3q/4/4/4/4/2p1/2d1/4", "c2") == "c1 a2 b2 d2 c3"
    assert moves(TWO, "3q/4/4/4/4/1p2/2d1/q3", "b3") == "a2 a4 c4"
    merged = after(TWO, "3q/4/4/4/4/1p2/2d1/4 1 0,0 - - -", "b3+c2=Q")
    assert merged.scores == (0, 0)
    assert TWO.placement(merged).at(TWO.grid.cell("c2")) == Piece("queen", shows="pawn")


def test_two_pawns_merge_into_a_drone_if_there_is_none() -> None:
    assert moves(TWO, "3q/4/4/4/4/1p2/2p1/4", "b3") == "a2 c2 a4 c4"
    assert moves(TWO, "3q/4/4/4/4/1p2/2p1/d3", "b3") == "a2 a4 c4"
    merged = after(TWO, "3q/4/4/4/4/1p2/2p1/4 1 0,0 - - -", "b3+c2=D")
    assert TWO.placement(merged).at(TWO.grid.cell("c2")) == Piece("drone", shows="pawn")


def test_nothing_else_merges() -> None:
    assert moves(TWO, "3q/4/4/4/4/1d2/1d2/4", "b3") == "a3 c3 d3 b4 b5"
    assert moves(TWO, "3q/4/4/4/4/1q2/4/1p2", "b3") == "d1 a2 b2 c2 a3 c3 d3 a4 b4 c4 b5 d5 b6 b7 b8"


def test_a_stack_shows_its_upper_piece_and_a_replacement_its_own_kind() -> None:
    text = "3q/4/4/4/4/2p1/2d1/4 1 0,0 - - -"
    stacked = after(TWO, text, "c2+c3=Q")
    assert TWO.placement(stacked).at(TWO.grid.cell("c3")) == Piece("queen", shows="drone")
    assert TWO.write_position(stacked).startswith("3q/4/4/4/4/2Q1/4/4 2")
    replaced = after(GAME.rules({"merge": "replace"}), text, "c2+c3=Q")
    assert TWO.placement(replaced).at(TWO.grid.cell("c3")) == QUEEN
    assert TWO.key(stacked) == TWO.key(replaced)


def test_the_steps_of_a_merger_cover_both_pieces() -> None:
    position = TWO.read_position("3q/4/4/4/4/2p1/2d1/4 1 0,0 - - -")
    c2, c3 = TWO.grid.cells("c2 c3")
    steps = TWO.steps(position, TWO.read_move(position, "c2c3"))
    assert steps == (Step(DRONE, (c2,), (c3,), Piece("queen", shows="drone")), Step.remove(PAWN, c3))


# no undo: the official FAQ says that it holds for captures too

CAPTURE = "3q/4/4/1p2/1d2/4/4/3q 1 0,0 - - -"
QUIET = "3q/4/4/4/1d2/4/4/3q 1 0,0 - - -"


@pytest.mark.parametrize(
    ("rule", "after_quiet", "after_capture"),
    [("two-players", False, False), ("quiet-only", False, True), ("all", False, False), ("off", True, True)],
)
def test_a_move_over_the_canal_may_not_be_undone_at_once(
    rule: str, after_quiet: bool, after_capture: bool
) -> None:
    rules = GAME.rules({"no_undo": rule})
    undo = rules.grid.cell("b5") << 7 | rules.grid.cell("b4")
    assert (undo in rules.legal_moves(after(rules, QUIET, "b4-b5"))) == after_quiet
    assert (undo in rules.legal_moves(after(rules, CAPTURE, "b4xb5"))) == after_capture


def test_it_may_be_undone_a_turn_later_or_by_another_way() -> None:
    later = after(TWO, QUIET, "b4-b5", "d8-d7", "d1-d2")
    assert TWO.grid.cell("b5") << 7 | TWO.grid.cell("b4") in TWO.legal_moves(later)
    assert moves(TWO, "3q/4/4/1d2/4/4/4/3q", "b5", "2 0,0 b5-b4 - -") == "b3 a5 c5 d5 b6 b7"


@pytest.mark.parametrize(("rule", "may"), [("two-players", True), ("quiet-only", True), ("all", False)])
def test_with_more_players_undoing_is_an_option(rule: str, may: bool) -> None:
    rules = GAME.rules({"players": "4", "no_undo": rule})
    position = after(rules, "8/q6q/8/8/d7/8/q6q/8 1 0,0,0,0 - - -", "a4-a5")
    assert (rules.grid.cell("a5") << 7 | rules.grid.cell("a4") in rules.legal_moves(position)) == may


# the end


def test_the_game_ends_when_a_zone_is_empty_and_the_higher_score_wins() -> None:
    position = after(TWO, "3q/4/4/4/1d2/4/4/4 1 3,1 - - -", "b4-b5")
    assert TWO.status(position) == Outcome((0,), "zone-empty", (3, 1))
    assert TWO.legal_moves(position) == []
    assert TWO.write_move(TWO.read_position("3q/4/4/4/1d2/4/4/4 1 3,1 - - -"), 13 << 7 | 17) == "b4-b5#"


def test_the_side_that_ended_the_game_wins_a_tie() -> None:
    assert TWO.status(after(TWO, "3q/4/4/4/1d2/4/4/4 1 2,2 - - -", "b4-b5")) == Outcome(
        (0,), "zone-empty", (2, 2)
    )
    assert TWO.status(after(TWO, "4/4/4/1d2/4/4/4/3q 2 2,2 - - -", "b5-b4")) == Outcome(
        (1,), "zone-empty", (2, 2)
    )


def test_the_side_that_ended_the_game_wins_a_tie_of_two_others() -> None:
    position = after(FOUR, "q6q/8/8/8/d7/8/8/7q 1 1,4,4,0 - - -", "a4-a5")
    assert FOUR.status(position) == Outcome((0,), "zone-empty", (1, 4, 4, 0))


def test_partners_in_opposite_corners_add_their_points() -> None:
    rules = GAME.rules({"players": "4", "teams": "opposite-corners"})
    text = "q6q/8/8/8/d7/8/8/7q 1 1,4,4,0 - - -"
    assert rules.status(after(rules, text, "a4-a5")) == Outcome((0, 2), "zone-empty", (1, 4, 4, 0))
    tied = after(rules, "q6q/8/8/8/d7/8/8/7q 1 1,4,3,0 - - -", "a4-a5")
    assert rules.status(tied) == Outcome((0, 2), "zone-empty", (1, 4, 3, 0))


def test_27_moves_without_a_capture_end_the_game_if_so_agreed() -> None:
    rules = GAME.rules({"deadlock": "27-quiet-moves"})
    assert rules.initial().quiet == 0
    assert rules.counts(rules.initial()) == ()
    assert rules.counts(rules.initial()._replace(quiet=5)) == (Count("quiet-moves", 22, 27),)
    text = "3q/4/4/1p2/1d2/4/4/3q 1 5,2 - 26 -"
    assert rules.status(after(rules, text, "d1-d2")) == Outcome((0,), "quiet-moves", (5, 2))
    assert after(rules, text, "b4xb5").quiet == 0


def test_a_tie_after_27_quiet_moves_stays_a_tie() -> None:
    rules = GAME.rules({"deadlock": "27-quiet-moves"})
    ended = after(rules, "q3/4/4/4/4/4/4/3q 1 5,5 - 26 -", "d1-d2")
    assert rules.status(ended) == Outcome((), "quiet-moves", (5, 5))


def test_the_game_ends_seven_moves_after_the_clock_call_and_a_tie_stays_a_tie() -> None:
    rules = GAME.rules({"deadlock": "call-the-clock-7"})
    called = after(rules, "3q/4/4/1p2/1d2/4/4/3q 1 2,2 - - -", "clock")
    assert called.turn == 0
    assert called.quiet == 0
    assert rules.counts(called) == (Count("clock-called", 7, 7),)
    assert rules.counts(rules.initial()) == ()
    assert rules.steps(rules.initial(), rules.read_move(rules.initial(), "clock")) == ()
    shuffle = ["d1-d2", "d8-d7", "d2-d1", "d7-d8", "d1-d2", "d8-d7", "d2-d1"]
    ended = after(rules, rules.write_position(called), *shuffle)
    assert rules.status(ended) == Outcome((), "quiet-moves", (2, 2))
    assert rules.status(after(rules, rules.write_position(called), *shuffle[:6])) is None


def test_a_capture_resets_the_clock_and_it_is_not_called_twice() -> None:
    rules = GAME.rules({"deadlock": "call-the-clock-7"})
    position = after(rules, "3q/4/4/1p2/1d2/4/4/3q 1 2,2 - - -", "clock", "d1-d2", "d8-d7", "b4xb5")
    assert position.quiet == 0
    with pytest.raises(NotationError):
        rules.read_move(position, "clock")


def test_three_who_tie_for_the_lead_share_it_when_a_tie_stays() -> None:
    rules = GAME.rules({"players": "4", "deadlock": "call-the-clock-7"})
    position = rules.read_position("q6q/8/8/8/d7/8/8/7q 1 4,4,1,4 - 6 -")
    assert rules.status(play(rules, position, "a4-a3")) == Outcome((0, 1, 3), "quiet-moves", (4, 4, 1, 4))


# giving up with three or more players


def test_a_player_who_resigned_is_skipped_keeps_points_and_cannot_win() -> None:
    start = THREE.read_position("15q/15q/15q 1 1,9,2 - - -")
    position = THREE.withdraw(start, 1)
    position = play(THREE, position, "A33-A22")
    assert position.turn == 2
    position = play(THREE, position, "C33-C22")
    assert position.turn == 0
    ended = play(THREE, position, "A22-B02")
    assert THREE.status(ended) == Outcome((2,), "zone-empty", (1, 9, 2))


def test_resigning_on_turn_passes_the_turn_on() -> None:
    assert THREE.withdraw(THREE.initial(), 0).turn == 1


def test_the_last_player_who_has_not_resigned_wins() -> None:
    position = THREE.withdraw(THREE.withdraw(THREE.initial(), 2), 0)
    assert THREE.status(position) == Outcome((1,), "last-player", (0, 0, 0))
    assert THREE.legal_moves(position) == []


def test_a_team_plays_on_with_one_partner() -> None:
    rules = GAME.rules({"players": "4", "teams": "opposite-corners"})
    position = rules.withdraw(rules.initial(), 1)
    assert rules.status(position) is None
    assert rules.status(rules.withdraw(position, 3)) == Outcome((0, 2), "last-player", (0, 0, 0, 0))


# reasons


def reason(
    cells: str, emptied: str, filled: str = "", touched: str = "", state: str = "1 0,0 - - -"
) -> Violation:
    position = TWO.read_position(f"{cells} {state}")
    cell = TWO.grid.cells
    return TWO.explain(position, Difference(cell(emptied), cell(filled), touched=cell(touched)))


CROWD = "3q/4/1p2/4/3p/1d1q/p1pp/3d"


@pytest.mark.parametrize(
    ("emptied", "filled", "touched", "rule", "words"),
    [
        ("d8", "d7", "", "wrong-zone", {"piece": QUEEN, "source": "d8"}),
        ("d4", "d5", "", "pawn-shape", {"piece": PAWN, "source": "d4", "target": "d5"}),
        ("b3", "c4", "", "drone-shape", {"piece": DRONE}),
        ("d3", "b2", "", "queen-shape", {"piece": QUEEN}),
        ("d3", "d6", "", "way-blocked", {"piece": QUEEN, "blocker": PAWN, "cell": "d4"}),
        ("d3", "", "b3 c2", "no-merger", {"piece": QUEEN, "other": PAWN, "target": "c2"}),
        ("a2", "", "b3", "has-queen", {"piece": PAWN, "other": DRONE}),
        ("d3", "c4", "b3", "several-moved", {}),
        ("a2 c2", "a3 b1", "", "several-moved", {}),
        ("a2", "", "", "piece-left", {"piece": PAWN}),
        ("", "c7", "", "piece-added", {"cell": "c7"}),
        ("", "", "d8 d3", "piece-exchanged", {}),
    ],
)
def test_each_rule_has_its_own_reason(
    emptied: str, filled: str, touched: str, rule: str, words: dict[str, object]
) -> None:
    violation = reason(CROWD, emptied, filled, touched)
    assert violation.rule == rule
    check_words(violation)
    assert words.items() <= dict(violation.arguments).items()


def test_two_pawns_may_not_merge_beside_a_drone() -> None:
    violation = reason("3q/4/4/4/4/1p2/2p1/d3", "b3", touched="c2")
    assert violation.rule == "has-drone"
    check_words(violation)


def test_undoing_has_its_own_reason() -> None:
    violation = reason("3q/4/4/1d2/4/4/4/3q", "b5", "b4", state="2 0,0 b5-b4 - -")
    assert violation.rule == "no-undo"
    check_words(violation)


def check_words(violation: Violation) -> None:
    """Every language has a sentence for *reason*, with a value for each gap."""
    for language in languages():
        words = load(language, "martian-chess", TWO.sides)
        told = words.game.violations.get(violation.rule) or words.common.violations[violation.rule]
        assert gaps(told.sentence) <= {name for name, _ in violation.arguments}


# texts and adoption


@pytest.mark.parametrize(
    "text",
    [
        "4/4/4/4/4/4/4/4", "x3/4/4/4/4/4/4/4 1 0,0 - - -", "4/4/4/4/4/4/4 1 0,0 - - -", "5/4/4/4/4/4/4/4 1 0,0 - - -",
        "4/4/4/4/4/4/4/4 3 0,0 - - -", "4/4/4/4/4/4/4/4 1 0 - - -", "4/4/4/4/4/4/4/4 1 0,x - - -",
        "4/4/4/4/4/4/4/4 1 0,0 b4 - -", "4/4/4/4/4/4/4/4 1 0,0 - x -", "4/4/4/4/4/4/4/4 1 0,0 - - 1",
        "4/4/4/4/4/4/4/4 1 0,0 - - 3",
    ],
)  # fmt: skip
def test_an_invalid_position_text_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        TWO.read_position(text)


@pytest.mark.parametrize("text", ["A21-A10", "a21a10", " a21 - a10# "])
def test_moves_on_wedges_are_read_in_either_case(text: str) -> None:
    assert THREE.write_move(THREE.initial(), THREE.read_move(THREE.initial(), text)) == "A21-A10"


def test_adoption_keeps_a_stack_whose_top_is_unchanged() -> None:
    before = TWO.read_position("3q/4/4/4/4/2Q1/4/4 1 3,4 - - -")
    seen = Placement.of([(TWO.grid.cell("c3"), DRONE), (TWO.grid.cell("d8"), QUEEN)])
    assert TWO.adopt(seen, 1, before) == before._replace(turn=1)


def test_unknown_pieces_are_not_adopted_and_a_resigned_side_has_no_turn() -> None:
    adopted = TWO.adopt(Placement.of([(0, Piece("pawn", 1))]), 0, TWO.initial())
    assert isinstance(adopted, InvalidPosition)
    assert adopted.reasons[0].rule == "piece-unknown"
    adopted = THREE.adopt(Placement.of([(0, PAWN)]), 1, THREE.withdraw(THREE.initial(), 1))
    assert isinstance(adopted, InvalidPosition)
    assert adopted.reasons[0].rule == "side-out"


def test_a_position_is_small() -> None:
    stand = GAME.rules({"players": "6"}).initial()
    assert sys.getsizeof(stand) + sum(map(sys.getsizeof, stand)) < 4096
