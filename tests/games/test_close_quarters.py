# SPDX-License-Identifier: Apache-2.0
"""The rules of Close Quarters one by one, and a second generator."""

from __future__ import annotations

import itertools

import pytest

from companion.games.close_quarters import GAME, GameState
from companion.model.errors import NotationError, OptionError
from companion.model.game import Announcement, CallOut, InvalidPosition, Outcome, Violation
from companion.model.observation import Difference
from companion.model.pieces import Piece
from companion.model.placement import Placement
from tests.games.naive import close_quarters as naive
from tests.games.support import option_sets, play, random_positions

RULES = GAME.rules()
GRID = RULES.grid


def at(text: str) -> GameState:
    return RULES.read_position(text)


def destinations(text: str, source: str, **options: str) -> str:
    rules = GAME.rules(options)
    position = rules.read_position(text)
    start = GRID.cell(source)
    return GRID.spell([move % 32 for move in rules.legal_moves(position) if move // 32 == start])


def reason(text: str, emptied: str, filled: str = "", touched: str = "", **options: str) -> Violation:
    rules = GAME.rules(options)
    difference = Difference(GRID.cells(emptied), GRID.cells(filled), touched=GRID.cells(touched))
    return rules.explain(rules.read_position(text), difference)


@pytest.mark.parametrize("options", option_sets("close-quarters"), ids=str)
def test_a_second_generator_agrees(options: dict[str, str], is_long: bool) -> None:
    rules = GAME.rules(options)
    for position in random_positions(rules, seed=11, count=20_000 if is_long else 700):
        found = {(GRID.name(move // 32), GRID.name(move % 32)) for move in rules.legal_moves(position)}
        assert found == naive.moves(rules.write_position(position), dict(rules.options))


@pytest.mark.parametrize(
    ("start", "corners"),
    [
        ("diagonal", "a1 d8 d1 a8"),
        ("diagonal-swapped", "a1 d8 a8 d1"),
        ("long-side", "a1 a8 d1 d8"),
        ("long-side-swapped", "a1 a8 d8 d1"),
        ("short-side", "a1 d1 a8 d8"),
        ("short-side-swapped", "a1 d1 d8 a8"),
    ],
)
def test_the_pieces_start_on_the_corners(start: str, corners: str) -> None:
    placement = GAME.rules({"start": start}).placement(GAME.rules({"start": start}).initial())
    kinds = [piece.kind for cell in GRID.cells(corners) if (piece := placement.at(cell))]
    assert kinds == ["sword", "spear", "mace", "axe"]


def test_the_turns_that_are_left_are_counted() -> None:
    rules = GAME.rules({"turn_limit": "3"})
    position, left = rules.initial(), []
    for text in ("a1-a2", "d8-d7", "a2-a1", "d7-d8", "a1-a2", "d8-d7"):
        left += [count.left for count in rules.counts(position)]
        position = play(rules, position, text)
    assert left == [3, 2, 2, 1, 1, 0]
    assert RULES.counts(RULES.initial()) == ()


def test_every_arrangement_of_the_corners_is_a_start() -> None:
    """With the Sword on a1, six arrangements of the others remain."""
    starts = next(option for option in GAME.options if option.name == "start").values
    found = {GAME.rules({"start": start}).initial()[1:5] for start in starts}
    others = itertools.permutations(GRID.cells("a8 d1 d8"))
    assert found == {(GRID.cell("a1"), *corners) for corners in others}


def test_the_sword_goes_one_or_two_cells_and_a_piece_next_to_it_blocks() -> None:
    assert destinations("4/4/4/4/4/1P2/1S2/4 s 0", "b2") == "a1 b1 c1 a2 c2 d2 a3 b3 c3 d4"
    assert (
        destinations("4/4/4/4/4/1P2/1S2/4 s 0", "b2", sword_jumps="yes") == "a1 b1 c1 a2 c2 d2 a3 b3 c3 b4 d4"
    )
    assert destinations("4/4/4/4/4/1P2/1S2/4 s 0", "b2", sword="king") == "a1 b1 c1 a2 c2 a3 b3 c3"


def test_the_spear_goes_straight_up_to_the_sword_and_stops_before_its_own_side() -> None:
    assert destinations("4/4/4/4/A3/4/P1S1/4 w 0", "a2") == "a1 b2 c2 a3"


def test_the_axe_goes_along_diagonals() -> None:
    assert destinations("4/4/4/4/4/2S1/1A2/P3 w 0", "b2") == "c1 a3 c3"


def test_the_mace_needs_its_long_leg_empty() -> None:
    assert destinations("3S/4/4/4/4/1M2/4/4 w 0", "b3") == "a1 c1 d2 d4 a5 c5"
    assert destinations("4/4/4/4/1S2/1M2/4/4 w 0", "b3") == "a1 c1 d2 d4"
    assert destinations("4/4/4/4/1S2/1M2/4/4 w 0", "b3", mace_path="either") == "a1 c1 d2 d4 a5 c5"


def test_capturing_the_sword_ends_the_game() -> None:
    after = play(RULES, at("4/4/4/4/4/4/P1S1/4 w 0"), "a2xc2#")
    assert RULES.status(after) == Outcome((1,), "sword-eliminated")
    assert (
        RULES.write_move(at("4/4/4/4/4/4/P1S1/4 w 0"), RULES.read_move(at("4/4/4/4/4/4/P1S1/4 w 0"), "a2c2"))
        == "a2xc2#"
    )


def test_the_sword_wins_when_it_has_taken_every_weapon() -> None:
    after = play(RULES, at("4/4/4/4/4/4/P1S1/4 s 0"), "c2xa2#")
    assert RULES.status(after) == Outcome((0,), "weapons-eliminated")


def test_no_side_is_ever_without_a_move(is_long: bool) -> None:
    """`--long` tries all positions."""
    step = 1 if is_long else 977
    cells = range(-1, 32)
    stands = (GameState(1, *four) for four in itertools.product(range(32), cells, cells, cells))
    for stand in itertools.islice(stands, 0, None, step):
        standing = [cell for cell in stand[1:5] if cell >= 0]
        if len(standing) == len(set(standing)) > 1:
            assert RULES.legal_moves(stand)
            assert RULES.legal_moves(stand._replace(turn=0))
            assert RULES.status(stand) is None


def test_the_sword_wins_by_lasting_to_the_turn_limit() -> None:
    rules = GAME.rules({"turn_limit": "2"})
    position = rules.initial()
    for text in ("a1-b2", "d8-d7", "b2-b3", "d7-d8"):
        assert rules.status(position) is None
        position = play(rules, position, text)
    assert rules.status(position) == Outcome((0,), "turn-limit")
    assert rules.legal_moves(position) == []


def test_check_is_announced_with_the_weapons_that_give_it() -> None:
    position = at("4/4/4/4/4/S3/4/P1A1 s 0")
    causes = GRID.cells("a1 c1")
    assert RULES.announcements(position) == (Announcement(CallOut.CHECK, 1, causes, GRID.cells("a3")),)


def test_the_sword_calls_check_only_on_the_last_weapon() -> None:
    assert RULES.announcements(at("4/4/4/4/4/S3/A3/4 w 0"))[0].side == 0
    assert RULES.announcements(at("4/4/4/4/4/S3/A3/M3 w 0")) == ()


@pytest.mark.parametrize(("announce", "count"), [("all", 1), ("check-only", 1), ("none", 0)])
def test_check_is_announced_if_the_option_is_set(announce: str, count: int) -> None:
    rules = GAME.rules({"announce": announce})
    assert len(rules.announcements(rules.read_position("4/4/4/4/4/S3/4/P1A1 s 0"))) == count


AXE, MACE, SPEAR, SWORD = Piece("axe", 1), Piece("mace", 1), Piece("spear", 1), Piece("sword", 0)
CROWD = "4/4/4/4/A3/1P2/1S2/M3 w 0"
OPEN = "4/4/4/4/A3/1P2/1S2/M3 s 0"


@pytest.mark.parametrize(
    ("position", "emptied", "filled", "touched", "rule", "words"),
    [
        (CROWD, "a1", "", "b3", "own-piece", {"piece": MACE, "other": SPEAR, "target": "b3"}),
        (CROWD, "b2", "b1", "", "wrong-side", {"piece": SWORD, "cell": "b2"}),
        (OPEN, "b3", "c3", "", "wrong-side", {"piece": SPEAR, "cell": "b3"}),
        (CROWD, "b3", "c4", "", "spear-shape", {"piece": SPEAR, "source": "b3", "target": "c4"}),
        (CROWD, "b3", "b1", "", "spear-blocked", {"piece": SPEAR, "blocker": SWORD, "cell": "b2"}),
        (CROWD, "a4", "a6", "", "axe-shape", {"piece": AXE}),
        (CROWD, "a4", "c2", "", "axe-blocked", {"piece": AXE, "blocker": SPEAR, "cell": "b3"}),
        (CROWD, "a1", "a2", "", "mace-shape", {"piece": MACE}),
        ("4/4/4/4/4/4/AS2/M3 w 0", "a1", "b3", "", "mace-blocked", {"piece": MACE, "blocker": AXE, "cell": "a2"}),
        (OPEN, "b2", "c5", "", "sword-shape", {"piece": SWORD, "target": "c5"}),
        (OPEN, "b2", "b4", "", "sword-blocked", {"piece": SWORD, "blocker": SPEAR, "cell": "b3"}),
        (CROWD, "a4 b3", "c3 d4", "", "several-moved", {}),
        (CROWD, "a4", "", "", "piece-left", {"piece": AXE, "cell": "a4"}),
        (CROWD, "b3 b2", "b7", "", "piece-left", {"piece": SWORD, "cell": "b2"}),
        (CROWD, "", "d5", "", "piece-added", {"cell": "d5"}),
        (CROWD, "", "", "a1 b2", "piece-exchanged", {"cell": "a1"}),
    ],
)  # fmt: skip
def test_each_rule_has_its_own_reason(
    position: str, emptied: str, filled: str, touched: str, rule: str, words: dict[str, object]
) -> None:
    violation = reason(position, emptied, filled, touched)
    assert violation.rule == rule
    assert words.items() <= dict(violation.arguments).items()


def test_a_sword_that_goes_like_a_king_has_its_own_reason() -> None:
    assert reason(OPEN, "b2", "d4", sword="king").rule == "sword-king"


def test_an_unknown_or_doubled_piece_is_not_adopted() -> None:
    placement = Placement.of([(0, SWORD), (1, SWORD), (2, Piece("bow", 1))])
    adopted = RULES.adopt(placement, 0, RULES.initial())
    assert isinstance(adopted, InvalidPosition)
    assert [reason.rule for reason in adopted.reasons] == ["piece-unknown", "piece-unknown"]


@pytest.mark.parametrize(
    "text", ["4/4/4/4/4/4/4/SS2 s 0", "4/4/4/4/4/4/4/X3 s 0", "4/4/4 s 0", "4/4/4/4/4/4/4/4 x 0"]
)
def test_an_invalid_position_text_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="is not a position"):
        RULES.read_position(text)


def test_an_invalid_option_value_is_refused_with_the_list_of_valid_ones() -> None:
    with pytest.raises(
        OptionError, match=r"option sword: 'queen' is not allowed; allowed are one-or-two, king"
    ):
        GAME.rules({"sword": "queen"})
