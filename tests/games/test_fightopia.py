# SPDX-License-Identifier: Apache-2.0
"""The rules of Fightopia one by one."""

from __future__ import annotations

import pytest

from companion.games.fightopia import GAME
from companion.games.fightopia.board import Battle
from companion.games.fightopia.notation import readings
from companion.model.errors import NotationError
from companion.model.game import Announcement, CallOut, InvalidPosition, Outcome, Violation
from companion.model.moves import Step
from companion.model.observation import OCCUPIED, Difference
from companion.model.pieces import Piece
from companion.model.placement import Placement
from tests.games.support import play

RULES = GAME.rules()
GRID = RULES.grid


def at(text: str) -> Battle:
    return RULES.read_position(text)


def moves(text: str, **options: str) -> list[str]:
    rules = GAME.rules(options)
    position = rules.read_position(text)
    return [rules.write_move(position, move).rstrip("#!>") for move in rules.legal_moves(position)]


def of_piece(text: str, piece: str, **options: str) -> str:
    """The moves of the piece called *piece*, without its name."""
    return " ".join(move[len(piece) :] for move in moves(text, **options) if move.startswith(piece))


def reason(text: str, emptied: str, filled: str = "", touched: str = "", **options: str) -> Violation:
    rules = GAME.rules(options)
    difference = Difference(GRID.cells(emptied), GRID.cells(filled), touched=GRID.cells(touched))
    return rules.explain(rules.read_position(text), difference)


START = "vppggppv/v1pggp1v/2pppp2/8/8/2PPPP2/V1PGGP1V/VPPGGPPV w"
FIELD = "6v1/6v1/4pgg1/3V1gg1/3V1p2/8/GG1p4/GG6 w"


def test_the_start_position_is_the_printed_one_and_symmetric_both_ways() -> None:
    assert RULES.write_position(RULES.initial()) == START
    kinds = {
        (piece.kind, piece.side, GRID.spell(cells))
        for piece, cells in RULES.placement(RULES.initial()).entries
        if piece.side == 0
    }
    assert {("tank", 0, "a1 a2"), ("tank", 0, "h1 h2"), ("giant", 0, "d1 e1 d2 e2")} < kinds
    pawns = sorted(cells for kind, _, cells in kinds if kind == "pawn")
    assert pawns == ["b1", "c1", "c2", "c3", "d3", "e3", "f1", "f2", "f3", "g1"]


def test_at_the_start_a_tank_drives_or_pivots_in_three_ways() -> None:
    assert of_piece(START, "Ta1a2") == "-a2a3 -a3a4 -a2b2"
    assert of_piece(START, "Th1h2") == "-h2h3 -h3h4 -g2h2"
    assert of_piece(START, "Ta1a2", pivot_clearance="swept") == "-a2a3 -a3a4"


def test_a_tank_drives_one_or_two_cells_and_pivots_around_either_end() -> None:
    assert of_piece(FIELD, "Td4d5") == "-d3d4 -d5d6 -d6d7 -c4d4 -d4e4 -c5d5 -d5e5 *d2"


def test_driving_two_cells_needs_both_empty() -> None:
    assert (
        of_piece("6v1/3p2v1/5gg1/3V1gg1/3V4/8/GG1p4/GG6 w", "Td4d5")
        == "-d3d4 -d5d6 -c4d4 -d4e4 -c5d5 -d5e5 *d2 *d7"
    )


def test_a_pawn_goes_one_cell_in_any_direction() -> None:
    text = "6v1/6v1/5gg1/5gg1/2P5/3p4/GG6/GG2HH2 w"
    assert of_piece(text, "c4") == "-b3 -c3 -b4 -d4 -b5 -c5 -d5"


def test_a_giant_goes_one_cell_if_all_cells_it_enters_are_empty() -> None:
    text = "6v1/6v1/5gg1/5gg1/3p4/1GG5/1GG5/4HH2 w"
    assert of_piece(text, "Gb2") == "-a1 -b1 -c1 -a2 -c2 -a3 -b3"


def test_a_giant_kills_a_tank_at_its_edge_and_stays() -> None:
    text = "8/5gg1/5gg1/3v4/1GGv4/1GG5/8/1hhHH3 w"
    assert of_piece(text, "Gb3") == "-a2 -b2 -c2 -a3 -a4 -b4 *d4d5"
    after = play(RULES, at(text), "Gb3*d4d5")
    assert RULES.write_position(after) == "8/5gg1/5gg1/8/1GG5/1GG5/8/1hhHH3 b"
    assert RULES.steps(at(text), RULES.read_move(at(text), "Gb3*d4d5")) == (
        Step.remove(Piece("tank", 1), *GRID.cells("d4 d5")),
    )


def test_a_giant_does_not_kill_a_tank_at_its_corner() -> None:
    assert "*" not in of_piece("8/5gg1/3v1gg1/3v4/1GG5/1GG5/8/4HH2 w", "Gb3")


@pytest.mark.parametrize(
    ("text", "shots"),
    [
        ("3p4/8/5gg1/3V1gg1/3V4/8/GG6/GG1p2hh w", ["Td4d5*d1", "Td4d5*d8"]),
        ("3p4/3P4/5gg1/3V1gg1/3V4/3hh3/GG6/GG1p4 w", []),
        ("8/8/5gg1/5gg1/p2HHp2/3p4/GG6/GG4hh w", ["Td4e4*a4", "Td4e4*f4"]),
    ],
)
def test_a_tank_shoots_the_first_piece_before_either_end_if_it_is_an_enemy_pawn(
    text: str, shots: list[str]
) -> None:
    assert [move for move in moves(text) if "*" in move] == shots


def test_a_pawn_that_two_tanks_can_shoot_is_one_move_with_two_readings() -> None:
    position = at("6hh/8/5gg1/5gg1/3pHH2/8/GG1V4/GG1V4 w")
    shots = [move for move in RULES.legal_moves(position) if "*" in RULES.write_move(position, move)]
    assert len(shots) == 1
    assert readings(position, shots[0]) == ["Td1d2*d4", "Te4f4*d4"]
    assert RULES.read_move(position, "Te4f4*d4") == RULES.read_move(position, "Td1d2*d4") == shots[0]
    assert RULES.steps(position, shots[0]) == (Step.remove(Piece("pawn", 1), GRID.cell("d4")),)


def test_a_giant_on_the_enemys_back_rank_wins() -> None:
    text = "8/1GG3v1/1GG3v1/8/5gg1/5gg1/8/HH6 w"
    after = play(RULES, at(text), "Gb6-b7#")
    assert RULES.status(after) == Outcome((0,), "giant-across")
    assert RULES.legal_moves(after) == []
    black = play(RULES, at("8/1GG3v1/1GG3v1/8/8/5gg1/5gg1/HH6 b"), "Gf2-e1#")
    assert RULES.status(black) == Outcome((1,), "giant-across")


def test_killing_the_last_tank_wins() -> None:
    text = "8/8/1GG5/1GGv4/3v1gg1/5gg1/8/HH6 w"
    after = play(RULES, at(text), "Gb5*d4d5#")
    assert RULES.status(after) == Outcome((0,), "tanks-killed")


STUCK = "8/8/5gg1/5gg1/8/1p6/GGppv3/GGHHv3 w"


@pytest.mark.parametrize(
    ("no_move", "outcome"),
    [("loss", Outcome((1,), "no-move")), ("draw", Outcome((), "no-move")), ("pass", None)],
)
def test_a_side_that_cannot_act_loses_draws_or_passes(no_move: str, outcome: Outcome | None) -> None:
    rules = GAME.rules({"no_move": no_move})
    position = rules.read_position(STUCK)
    assert rules.status(position) == outcome
    texts = [rules.write_move(position, move) for move in rules.legal_moves(position)]
    assert texts == (["--"] if no_move == "pass" else [])
    if no_move == "pass":
        after = play(rules, position, "--")
        assert after == position._replace(turn=1)
        assert rules.steps(position, rules.legal_moves(position)[0]) == ()


def test_a_position_repeats_another_with_the_same_side_to_move() -> None:
    position = RULES.initial()
    again = position
    for text in ("c3-c4", "c6-c5", "c4-c3", "c5-c6"):
        again = play(RULES, again, text)
    assert RULES.key(again) == RULES.key(position)
    assert RULES.key(position._replace(turn=1)) != RULES.key(position)


def test_check_is_called_when_the_last_tank_could_be_killed() -> None:
    text = "8/8/1GG5/1GGv4/3v1gg1/5gg1/8/HH6 b"
    check = Announcement(CallOut.CHECK, 0, GRID.cells("b5 c5 b6 c6"), GRID.cells("d4 d5"))
    assert RULES.announcements(at(text)) == (check,)
    assert RULES.announcements(at("7v/7v/1GG5/1GGv4/3v1gg1/5gg1/8/HH6 b")) == (), "one tank would be left"


@pytest.mark.parametrize(("announce", "count"), [("all", 1), ("check-only", 0), ("none", 0)])
def test_escape_is_announced_with_the_goal_cells_if_the_option_is_set(announce: str, count: int) -> None:
    rules = GAME.rules({"announce": announce})
    position = rules.read_position("1p6/1GG3v1/1GG3v1/8/5gg1/5gg1/8/HH6 b")
    escape = Announcement(CallOut.ESCAPE, 0, GRID.cells("b6 c6 b7 c7"), GRID.cells("c8 d8"))
    assert list(rules.announcements(position)) == [escape] * count


def test_moves_have_marks_for_check_escape_and_the_end() -> None:
    texts = [
        RULES.write_move(at("8/2GG2v1/2GG2v1/8/5gg1/5gg1/8/HH6 w"), move)
        for move in RULES.legal_moves(at("8/2GG2v1/2GG2v1/8/5gg1/5gg1/8/HH6 w"))
    ]
    assert "Gc6-d6>" in texts
    assert "Gc6-c7#" in texts


PAWN, TANK, GIANT = Piece("pawn", 0), Piece("tank", 0), Piece("giant", 0)
ENEMY, ENEMY_TANK, ENEMY_GIANT = Piece("pawn", 1), Piece("tank", 1), Piece("giant", 1)
MELEE = "3p3v/3P3v/3V1gg1/3V1gg1/2p2p2/1GGp4/1GG1PHH1/4hh2 w"
"""White: giant b2 to c3, tanks d5 d6 and f2 g2, pawns d7 and e2."""


@pytest.mark.parametrize(
    ("emptied", "filled", "touched", "rule", "words"),
    [
        ("f4", "f3", "", "wrong-side", {"piece": ENEMY, "cell": "f4"}),
        ("e2", "e4", "", "pawn-shape", {"piece": PAWN, "source": "e2", "target": "e4"}),
        ("e2", "", "d3", "no-capture", {"piece": PAWN, "other": ENEMY, "cell": "d3"}),
        ("e2", "", "f2", "own-piece", {"piece": PAWN, "other": TANK, "cell": "f2"}),
        ("b2 b3 c2 c3", "f7 e7 f8 e8", "", "giant-shape", {"piece": GIANT}),
        ("b2 b3", "d2", "d3", "no-capture", {"piece": GIANT, "other": ENEMY, "cell": "d3"}),
        ("b2 b3", "d2", "", "piece-askew", {"piece": GIANT, "cell": "b2"}),
        ("c2", "d2", "", "piece-askew", {"piece": GIANT}),
        ("d5 d6", "e5 e6", "", "tank-sideways", {"piece": TANK}),
        ("f2 g2", "a2 h2", "", "piece-askew", {"piece": TANK}),
        ("d5 d6", "a7 a8", "", "tank-sideways", {}),
        ("d5 d6", "a7 b7", "", "tank-pivot", {"piece": TANK}),
        ("d5 d6", "d1 d2", "", "tank-too-far", {"piece": TANK}),
        ("d5 d6", "d4", "d3", "no-capture", {"piece": TANK, "other": ENEMY}),
        ("d5", "", "d7", "own-piece", {"piece": TANK, "other": PAWN}),
        ("d8", "", "", "shot-blocked", {"piece": ENEMY, "blocker": PAWN, "cell": "d7", "target": "d8"}),
        ("f4", "", "", "shot-no-aim", {"piece": ENEMY, "cell": "f4"}),
        ("c4", "", "", "giant-spares-pawns", {"piece": ENEMY, "cell": "c4"}),
        ("h7 h8", "", "", "kill-out-of-reach", {"piece": ENEMY_TANK, "cell": "h7"}),
        ("f5 f6 g5 g6", "", "", "giant-unkillable", {"piece": ENEMY_GIANT}),
        ("h7", "", "", "piece-askew", {"piece": ENEMY_TANK}),
        ("d3 e2", "e3", "", "one-action", {"piece": ENEMY, "other": PAWN, "cell": "d3"}),
        ("d3 c4", "", "", "one-action", {}),
        ("d7 e2", "e3 e4", "", "several-moved", {}),
        ("e2", "", "", "piece-left", {"piece": PAWN, "cell": "e2"}),
        ("e2", "e3 e4", "", "piece-added", {"cell": "e4"}),
        ("", "a8", "", "piece-added", {"cell": "a8"}),
        ("", "", "d3", "piece-exchanged", {"cell": "d3"}),
        ("", "", "", "piece-exchanged", {"cell": ""}),
    ],
)
def test_each_rule_has_its_own_reason(
    emptied: str, filled: str, touched: str, rule: str, words: dict[str, object]
) -> None:
    violation = reason(MELEE, emptied, filled, touched)
    assert violation.rule == rule
    assert words.items() <= dict(violation.arguments).items()


@pytest.mark.parametrize(
    ("text", "emptied", "filled", "rule", "words"),
    [
        (
            "7v/7v/5gg1/5gg1/3p4/3P4/GG6/GGHH4 w",
            "d4",
            "",
            "pawn-kills-nothing",
            {"piece": ENEMY, "cell": "d4"},
        ),
        ("8/8/5gg1/5gg1/3p4/8/GG2hh2/GGHHhh2 w", "e2 f2", "", "kill-out-of-reach", {}),
        ("8/8/5gg1/5gg1/3p4/8/GG6/GGHHhh2 w", "e1 f1", "", "shot-only-pawns", {"piece": ENEMY_TANK}),
        ("8/8/5gg1/5gg1/3V4/3V4/GG2hh2/GG1p4 w", "d3 d4", "d5 d7", "piece-askew", {}),
        ("8/3p4/5gg1/3p1gg1/3V4/3V4/GG2hh2/GG6 w", "d3 d4", "d6 d8", "piece-askew", {}),
        ("8/8/5gg1/3p1gg1/3V4/3V4/GG2hh2/GG6 w", "d3", "d6", "piece-askew", {}),
        ("8/8/5gg1/3p1gg1/3V4/3V4/GG2hh2/GG6 w", "d3 d4", "d6 d7", "tank-too-far", {}),
        ("8/3GG3/3GG3/5hh1/8/8/gg6/gg1HH3 b", "a1", "", "game-over", {}),
    ],
)
def test_rules_that_need_their_own_position_have_their_own_reason(
    text: str, emptied: str, filled: str, rule: str, words: dict[str, object]
) -> None:
    violation = reason(text, emptied, filled)
    assert violation.rule == rule
    assert words.items() <= dict(violation.arguments).items()


def test_a_pivot_that_sweeps_over_a_piece_has_its_own_reason() -> None:
    text = "7v/7v/5gg1/5gg1/8/8/1Vp2GG1/1V3GG1 w"
    violation = reason(text, "b2", "c1", pivot_clearance="swept")
    assert (violation.rule, dict(violation.arguments)["cell"]) == ("pivot-swept", "c2")
    assert "-b1c1" in of_piece(text, "Tb1b2")
    assert "-b1c1" not in of_piece(text, "Tb1b2", pivot_clearance="swept")


@pytest.mark.parametrize("touched", ["", "b3"])
def test_a_tank_may_not_drive_over_a_piece(touched: str) -> None:
    violation = reason("7v/7v/5gg1/5gg1/1p6/1V6/1V3GG1/5GG1 w", "b2 b3", "b5 b6", touched)
    assert violation.rule == "tank-too-far"
    violation = reason("7v/7v/5gg1/5gg1/8/8/HHp2GG1/5GG1 w", "a2", "d2", touched)
    assert violation.rule == "piece-askew"


def test_a_change_of_the_kind_of_a_piece_is_explained() -> None:
    violation = RULES.explain(at(MELEE), Difference((), (), changed=((GRID.cell("d3"), OCCUPIED),)))
    assert violation.rule == "piece-exchanged"


@pytest.mark.parametrize(
    ("pieces", "rules"),
    [
        ([(GIANT, "a1 b1 a2 c2"), (ENEMY_GIANT, "g7 h7 g8 h8")], ["piece-unknown", "giant-missing"]),
        ([(GIANT, "a1 b1 a2 b2"), (GIANT, "d1 e1 d2 e2")], ["piece-unknown", "giant-missing"]),
        ([(TANK, "a1 b2"), (Piece("pawn"), "h4")], ["piece-unknown"] * 2 + ["giant-missing"] * 2),
        ([(TANK, "a1 a2"), (TANK, "b1 b2"), (TANK, "c1 c2")], ["piece-unknown"] + ["giant-missing"] * 2),
    ],
)
def test_an_invalid_position_is_not_adopted(pieces: list[tuple[Piece, str]], rules: list[str]) -> None:
    placement = Placement(tuple((piece, GRID.cells(cells)) for piece, cells in pieces))
    adopted = RULES.adopt(placement, 0, RULES.initial())
    assert isinstance(adopted, InvalidPosition)
    assert [violation.rule for violation in adopted.reasons] == rules


@pytest.mark.parametrize(
    "tanks", ["V7/V7/V5gg/V5gg", "VV6/VV6/6gg/6gg", "HHHH4/8/6gg/6gg", "HH6/HH6/6gg/6gg"]
)
def test_the_text_distinguishes_neighbouring_tanks(tanks: str) -> None:
    text = f"{tanks}/8/8/GG2hhhh/GG6 w"
    assert RULES.write_position(at(text)) == text
    assert len([entry for entry in RULES.placement(at(text)).entries if entry[0] == TANK]) == 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (START.replace(" w", " x"), "ranks and w or b"),
        (START.replace("2PPPP2", "2PPPP1"), "8 ranks of 8 cells"),
        (START.replace("2PPPP2", "2PPXP2"), "'X' is not a piece"),
        (START.replace("1PGGP1", "1PG1P1"), "must form one square"),
        (START.replace("2PPPP2", "PPPPPP2"), "at most ten pawns"),
        (START.replace("2PPPP2", "HHPPPP2"), "two tanks"),
        (START.replace("V1PGGP1V", "1P1GGP1V"), "the tank on a1 lacks a half"),
        (START.replace("/VPP", "/HPP"), "the tank on a2 lacks a half"),
    ],
)
def test_an_invalid_position_text_is_refused(text: str, why: str) -> None:
    with pytest.raises(NotationError, match=why):
        at(text)
