# SPDX-License-Identifier: Apache-2.0
"""Parts of chess that python-chess cannot check.

Reasons, steps, options, adoption, draws and lenient notation.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.games.chess import GAME
from companion.games.chess.fen import numbered
from companion.games.chess.position import Position
from companion.model.errors import AmbiguousMove, NotationError, OptionError
from companion.model.game import Announcement, CallOut, InvalidPosition, Outcome, Violation
from companion.model.moves import Step
from companion.model.observation import Difference, Sighting
from companion.model.pieces import Piece
from companion.model.placement import Placement
from tests.games.support import play

RULES = GAME.rules()
GRID = RULES.grid
KING, QUEEN, ROOK, BISHOP = (Piece(kind, 0) for kind in ("king", "queen", "rook", "bishop"))
PAWN, ENEMY_PAWN, ENEMY_ROOK = Piece("pawn", 0), Piece("pawn", 1), Piece("rook", 1)


def at(text: str) -> Position:
    return RULES.read_position(text)


def reason(text: str, emptied: str, filled: str = "", touched: str = "") -> Violation:
    difference = Difference(GRID.cells(emptied), GRID.cells(filled), touched=GRID.cells(touched))
    return RULES.explain(at(text), difference)


def steps(text: str, move: str) -> tuple[Step, ...]:
    return RULES.steps(at(text), RULES.read_move(at(text), move))


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
OPEN = "4k3/8/8/3p4/2P5/1B1r4/1P6/R3K2R w KQ - 0 1"
PINS = "4k3/8/8/8/4r3/8/4N3/4K3 w - - 0 1"
CHECK = "4k3/8/8/8/4r3/8/N7/4K3 w - - 0 1"
PASSED = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2"
TOO_LATE = "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 2"
CASTLE = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
PROMOTION = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"


@pytest.mark.parametrize(
    ("position", "emptied", "filled", "touched", "rule", "words"),
    [
        (START, "e7", "e5", "", "wrong-side", {"piece": ENEMY_PAWN, "cell": "e7"}),
        (START, "a1", "", "a2", "own-piece", {"piece": ROOK, "other": PAWN, "target": "a2"}),
        (START, "a1", "a4", "", "path-blocked", {"piece": ROOK, "blocker": PAWN, "cell": "a2"}),
        (START, "g1", "g3", "", "knight-shape", {"source": "g1", "target": "g3"}),
        (OPEN, "b3", "b5", "", "bishop-shape", {"piece": BISHOP}),
        (OPEN, "a1", "b5", "", "rook-shape", {"piece": ROOK}),
        (OPEN, "e1", "e3", "", "king-shape", {"piece": KING}),
        ("4k3/8/8/8/8/8/8/3QK3 w - - 0 1", "d1", "e3", "", "queen-shape", {"piece": QUEEN}),
        (OPEN, "c4", "c3", "", "backwards-shape", {"piece": PAWN}),
        (OPEN, "c4", "d4", "", "pawn-shape", {}),
        (OPEN, "c4", "c6", "", "pawn-two-steps", {}),
        (OPEN, "b2", "b4", "", "path-blocked", {"blocker": BISHOP, "cell": "b3"}),
        (OPEN, "b2", "", "b3", "own-piece", {}),
        (OPEN, "c4", "b5", "", "pawn-without-capture", {}),
        ("4k3/8/8/2p5/2P5/8/8/4K3 w - - 0 1", "c4", "", "c5", "pawn-captures-straight", {"other": ENEMY_PAWN}),
        (TOO_LATE, "e5 d5", "d6", "", "en-passant-too-late", {"other": ENEMY_PAWN}),
        (TOO_LATE, "e5", "d6", "", "pawn-without-capture", {}),
        (PASSED, "e5", "d6", "", "en-passant-unfinished", {"cell": "d5"}),
        (PROMOTION, "a7", "a8", "", "promotion-missing", {"target": "a8"}),
        (PINS, "e2", "c3", "", "pinned", {"attacker": ENEMY_ROOK, "cell": "e4"}),
        (CHECK, "a2", "c3", "", "in-check", {"attacker": ENEMY_ROOK, "cell": "e4"}),
        (CHECK, "e1", "e2", "", "king-into-check", {"attacker": ENEMY_ROOK}),
        ("8/p7/8/8/4k3/8/8/4K3 w - - 0 1", "e1", "e2", "", "several-moved", {}),
        ("8/p7/8/8/4k3/8/4K3/8 w - - 0 1", "e2", "e3", "", "king-into-check", {"attacker": Piece("king", 1)}),
        (CASTLE.replace("KQ", "Q"), "e1 h1", "f1 g1", "", "castling-lost", {"cell": "h1"}),
        (CASTLE.replace("KQ", "Q"), "e1", "g1", "", "castling-lost", {"cell": "h1"}),
        ("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", "e1 a1", "c1 d1", "", "castling-blocked", {"cell": "b1"}),
        ("4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", "e1 a1", "c1 d1", "", "castling-in-check", {}),
        ("3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1 a1", "c1 d1", "", "castling-through-check", {"cell": "d1"}),
        ("4k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1 h1", "g1 f1", "", "castling-into-check", {"cell": "g1"}),
        (CASTLE, "e1", "g1", "", "castling-unfinished", {"rook": "h1", "cell": "f1"}),
        (START, "e2 d2", "e4 d4", "", "several-moved", {}),
        (OPEN, "d5", "", "", "piece-left", {"piece": ENEMY_PAWN, "cell": "d5"}),
        (OPEN, "", "h5", "", "piece-added", {"cell": "h5"}),
        (OPEN, "", "", "d5", "piece-exchanged", {"cell": "d5"}),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "h8", "h7", "", "game-over", {}),
    ],
)  # fmt: skip
def test_each_rule_has_its_own_reason(
    position: str, emptied: str, filled: str, touched: str, rule: str, words: dict[str, object]
) -> None:
    violation = reason(position, emptied, filled, touched)
    assert violation.rule == rule
    assert words.items() <= dict(violation.arguments).items()


def test_a_rook_that_shields_its_king_may_not_castle_in_chess_960() -> None:
    text = "4k3/8/8/8/8/8/8/rR2K3 w Q - 0 1"
    assert "O-O-O" not in [RULES.write_move(at(text), move) for move in RULES.legal_moves(at(text))]
    assert reason(text, "e1 b1", "c1 d1").rule == "castling-into-check"


def test_a_rook_that_goes_where_castling_takes_the_king_does_not_castle() -> None:
    text = "4k3/8/8/8/8/8/8/RN1K4 w - - 0 1"
    assert reason(text, "a1", "c1").rule == "path-blocked"
    assert reason(text, "a1", "c1", touched="d1").rule == "castling-lost"


def test_a_rook_that_jumps_over_the_king_on_its_square_of_castling_does_not_castle() -> None:
    assert reason("4k3/8/8/8/8/8/8/R1K5 w - - 0 1", "a1", "d1").rule == "path-blocked"


def test_a_king_that_castles_onto_an_enemy_is_told_what_stands_there() -> None:
    words = dict(reason("4k3/8/8/8/8/8/8/4K1bR w K - 0 1", "e1", touched="g1").arguments)
    assert (words["blocker"], words["cell"]) == (Piece("bishop", 1), "g1")


def test_a_king_that_goes_where_castling_takes_the_rook_does_not_castle() -> None:
    text = "3rk3/8/8/8/8/8/8/2R1K3 w Q - 0 1"
    difference = Difference(GRID.cells("e1"), GRID.cells("d1"), touched=GRID.cells("c1"))
    king = replace(difference, placed=((GRID.cell("d1"), Sighting(True, "king", 0)),))
    assert RULES.explain(at(text), difference).rule == "castling-through-check"
    assert RULES.explain(at(text), king).rule == "king-into-check"


def test_castling_moves_king_and_rook() -> None:
    assert steps(CASTLE, "O-O") == (Step.move(KING, 4, 6), Step.move(ROOK, 7, 5))
    assert steps(CASTLE, "O-O-O") == (Step.move(KING, 4, 2), Step.move(ROOK, 0, 3))


def test_a_castling_piece_already_on_its_target_stays_in_chess_960() -> None:
    assert steps("4k3/8/8/8/8/8/8/6KR w K - 0 1", "O-O") == (Step.move(ROOK, 7, 5),)


def test_en_passant_captures_the_adjacent_pawn() -> None:
    assert steps(PASSED, "exd6") == (Step.move(PAWN, 36, 43), Step.remove(ENEMY_PAWN, 35))


def test_a_promoted_pawn_becomes_each_of_four_pieces() -> None:
    kinds = [steps(PROMOTION, f"a8={letter}")[0].becomes.kind for letter in "NBRQ"]
    assert kinds == ["knight", "bishop", "rook", "queen"]


def test_check_names_the_pieces_that_give_it() -> None:
    after = at("4k3/8/3N4/8/8/8/8/4R1K1 b - - 0 1")
    causes = GRID.cells("e1 d6")
    assert RULES.announcements(after) == (Announcement(CallOut.CHECK, 0, causes, GRID.cells("e8")),)


@pytest.mark.parametrize(("announce", "count"), [("all", 1), ("check-only", 1), ("none", 0)])
def test_check_is_announced_if_the_option_is_set(announce: str, count: int) -> None:
    assert len(GAME.rules({"announce": announce}).announcements(at(CHECK))) == count


def test_nothing_is_announced_after_mate() -> None:
    assert RULES.announcements(at("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")) == ()


def test_seventy_five_quiet_moves_end_the_game_and_fifty_may_be_claimed() -> None:
    text = "4k3/8/8/8/8/8/8/R3K3 w - - {} 90"
    assert RULES.claim(at(text.format(99)), 1) is None
    assert RULES.claim(at(text.format(100)), 1) == Outcome((), "fifty-moves")
    counted = [[count.left for count in RULES.counts(at(text.format(plies)))] for plies in (59, 60, 99, 100)]
    assert counted == [[], [20], [1], []]
    after = play(RULES, at(text.format(149)), "Ra2")
    assert RULES.status(at(text.format(149))) is None
    assert RULES.status(after) == Outcome((), "seventy-five-moves")
    assert RULES.legal_moves(after) == []


def test_mate_on_the_last_quiet_ply_is_mate() -> None:
    after = play(RULES, at("7k/8/6K1/8/8/8/8/R7 w - - 149 90"), "Ra8#")
    assert RULES.status(after) == Outcome((0,), "checkmate")


def test_the_third_occurrence_may_be_claimed_and_the_fifth_ends_the_game() -> None:
    position = RULES.initial()
    assert [RULES.claim(position, times) for times in (2, 3)] == [None, Outcome((), "threefold-repetition")]
    assert [RULES.repeated(position, times) for times in (4, 5)] == [None, Outcome((), "fivefold-repetition")]


def test_a_position_repeats_another_only_with_equal_rights() -> None:
    def key(text: str) -> object:
        return RULES.key(at(text))

    assert key(CASTLE) == key(CASTLE.replace("0 1", "7 33"))
    assert key(CASTLE) != key(CASTLE.replace("KQ", "Q"))
    assert key(PASSED) != key(TOO_LATE)
    pinned = "4k3/4r3/8/3pP3/8/8/8/4K3 w - d6 0 2"
    assert key(pinned) == key(pinned.replace("d6", "-")), "a capture that may not be made gives no right"


def test_without_draw_rules_only_stalemate_is_a_draw() -> None:
    rules = GAME.rules({"draw_rules": "none"})
    assert rules.status(at("4k3/8/8/8/8/8/8/4K3 w - - 200 300")) is None
    assert rules.legal_moves(at("4k3/8/8/8/8/8/8/4K3 w - - 200 300"))
    assert rules.claim(rules.initial(), 3) is rules.repeated(rules.initial(), 5) is None
    assert rules.status(at("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")) == Outcome((), "stalemate")


def test_the_960_start_positions_differ_and_the_standard_one_is_518() -> None:
    assert len({numbered(number) for number in range(960)}) == 960
    assert numbered(518) == RULES.initial()
    assert RULES.write_position(numbered(0)).startswith("bbqnnrkr/")


def test_a_game_starts_from_any_fen() -> None:
    rules = GAME.rules({"start": PROMOTION})
    assert rules.write_position(rules.initial()) == PROMOTION
    assert rules.options["start"] == PROMOTION


@pytest.mark.parametrize("start", ["960", "-1", "usual", "8/8/8/8/8/8/8/8 w - - 0 1"])
def test_an_invalid_start_position_is_refused(start: str) -> None:
    with pytest.raises(OptionError, match=r"option start: .* allowed are standard, a FEN, 0 to 959"):
        GAME.rules({"start": start})


def test_castling_rights_survive_adoption_of_unmoved_pieces() -> None:
    adopted = RULES.adopt(RULES.placement(at("4k3/8/8/8/8/8/8/4K1RR w - - 0 1")), 0, at(CASTLE))
    assert not isinstance(adopted, InvalidPosition)
    assert RULES.write_position(adopted) == "4k3/8/8/8/8/8/8/4K1RR w K - 0 1"


@pytest.mark.parametrize(
    ("pieces", "turn", "rules"),
    [
        ([(4, KING), (5, KING)], 0, ["one-king-each", "one-king-each"]),
        ([(4, KING), (60, Piece("king", 1)), (0, PAWN)], 0, ["pawn-on-end-rank"]),
        ([(4, KING), (60, Piece("king", 1)), (12, ENEMY_ROOK)], 1, ["king-could-be-taken"]),
        ([(4, KING), (60, Piece("king", 1)), (12, Piece("bishop"))], 1, ["piece-unknown"]),
    ],
)
def test_an_invalid_position_is_not_adopted(
    pieces: list[tuple[int, Piece]], turn: int, rules: list[str]
) -> None:
    adopted = RULES.adopt(Placement.of(pieces), turn, RULES.initial())
    assert isinstance(adopted, InvalidPosition)
    assert [violation.rule for violation in adopted.reasons] == rules


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("8/8 w - - 0 1", "a board has 8 ranks, not 2"),
        (START.replace("w KQ", "x KQ"), "the side to move is w or b"),
        (START.replace("0 1", "0 one"), "its last two fields are numbers"),
        (START.replace("PPPP/", "PPP/"), "rank 2 .* has 7 squares"),
        (START.replace("pppp/8", "pppp/9"), "'9' is not a piece"),
        (START.replace("pppp/8", "ppppp/8"), "rank 7 .* has 9 squares"),
        (START.replace("KQkq - 0 1", "KQkq -"), ""),
        (START.replace("0 1", "0"), "FEN has six fields"),
        (CASTLE.replace("KQ", "KQk"), "castling right 'k'"),
        (CASTLE.replace("KQ", "B"), "castling right 'B'"),
        (START.replace("KQkq -", "KQkq e6"), "no pawn can just have passed e6"),
        (START.replace("KQkq -", "KQkq z9"), "no pawn can just have passed z9"),
    ],
)
def test_an_invalid_fen_is_refused_with_its_fault(text: str, why: str) -> None:
    if why:
        with pytest.raises(NotationError, match=why):
            at(text)
    else:
        assert at(text) == RULES.initial()


@pytest.mark.parametrize(
    ("text", "move", "san"),
    [
        (START, "e2e4", "e4"),
        (START, "e2-e4", "e4"),
        (START, "g1f3", "Nf3"),
        (START, "Nf3!?", "Nf3"),
        (PROMOTION, "a7a8q", "a8=Q+"),
        (PROMOTION, "a8N", "a8=N"),
        (CASTLE, "0-0", "O-O"),
        (CASTLE, "O-O-O+", "O-O-O"),
        (CASTLE, "e1g1", "O-O"),
        (PASSED, "exd6 e.p.", "exd6"),
        ("4k3/8/8/8/8/2N5/8/2N1K1N1 w - - 0 1", "N1e2", ""),
        ("4k3/8/8/8/8/2N5/8/2N1K1N1 w - - 0 1", "Nc1e2", "Nc1e2"),
        ("4k3/8/8/8/8/2N5/8/2N1K1N1 w - - 0 1", "N3e2", "N3e2"),
        ("4k3/8/8/8/8/2N5/8/2N1K1N1 w - - 0 1", "Nge2", "Nge2"),
    ],
)
def test_moves_are_read_leniently_and_written_strictly(text: str, move: str, san: str) -> None:
    if san:
        assert RULES.write_move(at(text), RULES.read_move(at(text), move)) == san
    else:
        with pytest.raises(AmbiguousMove, match="may be any of"):
            RULES.read_move(at(text), move)
