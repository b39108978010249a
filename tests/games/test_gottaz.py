# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: all rules of one game, with its recorded pawns.
"""GOTTAZ: the rulebook's examples, reasons for each rule, and a second generator."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from companion.games.gottaz import GAME, GottazRules
from companion.games.gottaz.pawns import find_set, load_ten, read_set, to_line
from companion.games.gottaz.state import GameState
from companion.model.errors import OptionError, SettingsError
from companion.model.game import CallOut, Count, InvalidPosition, Outcome, Violation
from companion.model.observation import Difference, Sighting
from companion.model.pieces import Piece
from companion.model.placement import Placement
from tests.games.naive import gottaz as naive
from tests.games.support import option_sets, play, random_positions

STARTER = GAME.rules()
EVERYTHING = """
title = "For the examples"
pawns = ["slant-1/leap-5", "supply-1/slant-5", "support-1/tsunami-5", "jump-1/rotate-5",
         "slant-2/leap-4", "swap-2/supply-4", "support-2/tsunami-4", "jump-2/swap-4",
         "leap-3/support-3", "tsunami-3/slant-3"]
"""


@pytest.fixture
def rules(tmp_path: Path) -> GottazRules:
    """A set with all eight abilities, each pawn once."""
    path = tmp_path / "everything.toml"
    path.write_text(EVERYTHING, encoding="utf-8")
    return GAME.rules({"pawns": str(path)})


def stand(rules: GottazRules, first: str, second: str = "", turn: int = 0) -> GameState:
    """A position with pawns such as `c3=leap-3`; the other pawns are in the hands."""
    entries = []
    for side, pawns in enumerate((first, second)):
        for item in pawns.split():
            cell, _, face = item.partition("=")
            pawn = next(pawn for pawn in rules.pawns if face in (pawn.weak.slug, pawn.strong.slug))
            entries.append((rules.grid.cell(cell), Piece(pawn.slug, side, pose=face)))
    adopted = rules.adopt(Placement.of(entries), turn, rules.initial())
    assert not isinstance(adopted, InvalidPosition)
    return adopted


def texts(rules: GottazRules, position: GameState) -> list[str]:
    return [rules.write_move(position, move) for move in rules.legal_moves(position)]


def faces(rules: GottazRules, position: GameState) -> dict[str, str]:
    return {rules.grid.name(cell): piece.pose for cell, piece in rules.placement(position).by_cell().items()}


# the rulebook's examples


def test_leap_into_the_centre_beats_a_weaker_pawn_and_wins(rules: GottazRules) -> None:
    position = stand(rules, "c1=leap-3 a3=leap-4 b3=jump-1", "c3=slant-2")
    after = play(rules, position, "c1>c3")
    assert rules.status(after) == Outcome((0,), "centre")
    assert faces(rules, after) == {"a3": "leap-4", "b3": "jump-1", "c3": "leap-3"}
    assert "c1>c3x#" in texts(rules, position)


def test_two_support_pawns_add_two_in_a_battle_but_not_to_the_row(rules: GottazRules) -> None:
    position = stand(rules, "c1=leap-3 b3=support-1 d3=support-2", "c3=leap-4")
    assert rules.status(play(rules, position, "c1>c3")) == Outcome((0,), "centre")
    alone = stand(rules, "c1=leap-3 b3=jump-1 d3=slant-2", "c3=leap-4")
    assert faces(rules, play(rules, alone, "c1>c3")) == {"b3": "jump-1", "d3": "slant-2", "c3": "leap-4"}


def test_supply_raises_the_limit_of_its_row_also_for_itself(rules: GottazRules) -> None:
    position = stand(rules, "c2=supply-1 a3=supply-4 e3=leap-5")
    assert rules.row_limit(position.board, 0, 2) == 9
    assert rules.status(play(rules, position, "c2-c3")) == Outcome((0,), "centre")
    without = stand(rules, "c2=jump-1 a3=supply-4 e3=leap-5")
    assert "c2-c3" not in texts(rules, without)


def test_swap_brings_a_pawn_to_the_centre_and_an_enemy_away(rules: GottazRules) -> None:
    position = stand(rules, "c2=swap-2 a3=jump-1 b3=leap-4", "c3=leap-5")
    after = play(rules, position, "c2<>c3")
    assert rules.status(after) == Outcome((0,), "centre")
    assert faces(rules, after)["c2"] == "leap-5"


def test_slant_moves_diagonally(rules: GottazRules) -> None:
    position = stand(rules, "c2=slant-2")
    assert {"c2>b3", "c2>d3", "c2>b1", "c2>d1"} <= set(texts(rules, position))


def test_tsunami_pushes_a_pawn_through_another_into_a_battle(rules: GottazRules) -> None:
    position = stand(rules, "c1=tsunami-4 c2=slant-5", "c3=leap-4 c4=leap-3")
    after = play(rules, position, "c1~c4")
    assert faces(rules, after) == {"c1": "tsunami-4", "c3": "leap-4", "c4": "slant-5"}


def test_jump_goes_home_from_anywhere(rules: GottazRules) -> None:
    position = stand(rules, "e5=jump-2", "c4=leap-4")
    assert {f"e5>{file}1" for file in "abcde"} <= set(texts(rules, position))


def test_rotate_turns_the_pawn_over_if_the_new_face_fits(rules: GottazRules) -> None:
    position = stand(rules, "c3=rotate-5")
    after = play(rules, position, "c3*")
    assert faces(rules, after) == {"c3": "jump-1"}
    assert rules.steps(position, rules.read_move(position, "c3*"))[0].becomes.pose == "jump-1"


# rules one by one


@pytest.mark.parametrize(
    ("share", "options"),
    [*enumerate([*option_sets("gottaz"), {"pawns": "free-choice", "adjacency": "all-eight"}])],
    ids=str,
)
def test_a_second_generator_agrees(share: int, options: dict[str, str], is_long: bool) -> None:
    """Each option has its own games; every third position is checked."""
    rules = GAME.rules(options)
    positions = random_positions(rules, seed=10_000 * share, count=9000 if is_long else 150, plies=90)
    for position in itertools.islice(positions, share % 3, None, 3):
        moves = rules.legal_moves(position)
        if rules.is_choosing(position) or rules.status(position) is not None or moves[0][0] == 8:
            continue
        text = rules.write_position(position)
        found = {
            naive.snapshot(*naive.read(rules.write_position(rules.apply(position, move)))[::2])
            for move in moves
        }
        assert found == naive.results(text, dict(rules.options))
        assert len(found) == len(moves)


@pytest.mark.parametrize(
    "options",
    [
        {"enter_occupied_territory": "battle"},
        {"enter_occupied_territory": "battle", "adjacency": "all-eight", "defender_support": "no"},
        {"leap_over": "no"},
    ],
    ids=str,
)
def test_actions_are_found_by_the_cells_that_they_change(rules: GottazRules, options: dict[str, str]) -> None:
    """Pawns stand anywhere, so that all abilities meet."""
    rules, chance = GAME.rules({"pawns": rules.options["pawns"], **options}), random.Random(7)
    for played in random_positions(rules, seed=7, count=100, plies=90):
        position = played._replace(board=bytes(chance.sample(played.board, 25)))
        before = rules.placement(position)
        changed = [
            (move, {*before.entries} ^ {*rules.placement(rules.apply(position, move)).entries})
            for move in rules.legal_moves(position)
        ]
        for cell in range(25):
            near = [move for move, entries in changed if any(cell in cells for _, cells in entries)]
            assert rules.moves_touching(position, 1 << cell) == near


def test_no_row_exceeds_its_limit_so_a_supply_pawn_may_always_leave() -> None:
    rules = GAME.rules()
    for position in random_positions(rules, seed=22, count=400, plies=90):
        for side in (0, 1):
            for row in range(5):
                assert rules.row_sum(position.board, side, row) <= rules.row_limit(position.board, side, row)


def test_three_in_the_centre_by_an_opponents_action_win_after_an_own_action(rules: GottazRules) -> None:
    position = stand(rules, "a3=jump-1 b3=supply-1 c2=slant-2", "c3=swap-2", turn=1)
    given = play(rules, position, "c3<>c2")
    assert rules.status(given) is None
    assert rules.status(play(rules, given, "U1T5@a1")) is None
    assert rules.status(play(rules, given, "a3-a2")) is None


def test_equal_fighters_both_go_home(rules: GottazRules) -> None:
    position = stand(rules, "c2=leap-4", "c3=supply-4")
    after = play(rules, position, "c2-c3")
    assert faces(rules, after) == {}
    assert [sum(hand) for hand in after.hands] == [10, 10]


def test_the_defender_is_supported_unless_that_is_switched_off(tmp_path: Path) -> None:
    path = tmp_path / "set.toml"
    path.write_text(EVERYTHING, encoding="utf-8")
    for value, left in (
        ("yes", {"c4": "support-2", "c3": "supply-4"}),
        ("no", {"c4": "support-2", "c3": "leap-5"}),
    ):
        rules = GAME.rules({"pawns": str(path), "defender_support": value})
        position = stand(rules, "c2=leap-5", "c3=supply-4 c4=support-2")
        after = play(rules, position, "c2-c3")
        assert faces(rules, after) == (left if value == "no" else {"c4": "support-2"})


def test_escape_is_called_when_the_centre_could_be_filled_next(rules: GottazRules) -> None:
    position = stand(rules, "a3=jump-1 b3=supply-1 c2=slant-2", turn=1)
    (announcement,) = rules.announcements(position)
    assert (announcement.cry, announcement.side) == (CallOut.ESCAPE, 0)
    assert announcement.causes == rules.grid.cells("c2")


def test_a_side_without_an_action_passes_or_loses() -> None:
    rules, losing = STARTER, GAME.rules({"no_move": "loss"})
    blocked = rules.initial()._replace(hands=(bytes(6), bytes(6)))
    assert rules.write_move(blocked, rules.legal_moves(blocked)[0]) == "pass"
    assert rules.steps(blocked, rules.legal_moves(blocked)[0]) == ()
    assert play(rules, blocked, "pass").turn == 1
    assert losing.status(blocked) == Outcome((1,), "no-move")


@pytest.mark.parametrize("way", ["free-choice", "draft"])
def test_pawns_are_chosen_in_turns_four_four_and_two(way: str) -> None:
    rules = GAME.rules({"pawns": way})
    position = rules.initial()
    picks = 0
    while rules.is_choosing(position):
        assert all(text.startswith("+") for text in texts(rules, position))
        position = rules.apply(position, rules.legal_moves(position)[0])
        picks += 1
    assert picks == 20
    both = [{index for index, count in enumerate(hand) if count} for hand in position.hands]
    assert (both[0] & both[1] == set()) == (way == "draft")
    for hand in both:
        assert sorted(rules.pawns[index].weak.strength for index in hand) == [1] * 4 + [2] * 4 + [3] * 2


def test_a_common_ten_is_chosen_in_turns_for_both_hands() -> None:
    rules = GAME.rules({"pawns": "common"})
    position = rules.initial()
    chosen = ["+S1L5", "+U1W5", "+U2L4", "+W2S4", "+L3U3", "+W3S3", "+R1J5", "+D1L5", "+D2T4", "+J2R4"]
    for number, text in enumerate(chosen):
        assert position.turn == number % 2
        assert rules.counts(position) == (Count("to-choose", 10 - number, 10),)
        assert rules.is_choosing(position)
        position = play(rules, position, text)
        assert rules.read_position(rules.write_position(position)) == position
    assert not rules.is_choosing(position)
    assert rules.counts(position) == ()
    assert position.hands[0] == position.hands[1]
    assert "S1L5@a1" in texts(rules, position)
    assert position.turn == 0


@pytest.mark.parametrize("way", ["common", "free-choice", "draft"])
def test_pawns_are_chosen_from_a_pool_of_ones_own(way: str) -> None:
    pool = "2S1L5+3U1W5+R1J5+D1L5+T1W5+L1U5+J1R5+W1D5+4U2L4+W2S4+D2T4+J2R4+S2D4+T2U4+R2W4+L2J4+L3U3+W3S3+D3T3+J3R3"
    rules = GAME.rules({"pawns": way, "pool": pool})
    assert GAME.rules(rules.options).pawns == rules.pawns  # the record holds the pool in full
    assert [rules.copies[index] for index in (0, 1, 8)] == [2, 3, 4]
    position = play(rules, rules.initial(), "+U2L4")
    assert ("+U2L4" in texts(rules, position)) == (way != "draft")
    while rules.is_choosing(position):
        position = rules.apply(position, rules.legal_moves(position)[0])
    assert [sum(hand) for hand in position.hands] == [10, 10]
    box = [figure.faces[0].kind for figure in rules.box() if figure.faces[0].side == 0]
    assert box.count("support-1-swap-5") == 3


@pytest.mark.parametrize(
    ("way", "pool", "words"),
    [
        ("draft", "4S1L5+4U2L4+2L3U3", "pool 4S1L5+4U2L4+2L3U3: 1 pawns are 1/5; choosing needs 8"),
        ("free-choice", "4S1L5+4U2L4+L3U3", ": 1 pawns are 3/3; choosing needs 2"),
        ("common", "3S1L5+4U2L4+2L3U3", ": 3 pawns are 1/5; choosing needs 4"),
        ("draft", "no-such-file", "cannot be read"),
    ],
)
def test_a_pool_that_is_too_small_is_refused(way: str, pool: str, words: str) -> None:
    with pytest.raises(SettingsError) as fault:
        GAME.rules({"pawns": way, "pool": pool})
    assert words in str(fault.value)


def test_ten_pawns_can_be_named_by_their_signs_or_by_the_text_of_a_file() -> None:
    signs = GAME.rules({"pawns": "2S1L5+2u1w5+2U2L4+2S4W2+L3U3+W3S3"})
    assert [pawn.slug for pawn in signs.pawns] == [pawn.slug for pawn in STARTER.pawns]
    assert signs.initial() == STARTER.initial()
    assert GAME.rules({"pawns": EVERYTHING}).pawns == find_set(EVERYTHING).pawns
    with pytest.raises(SettingsError, match="11 pawns are 1/5"):
        GAME.rules({"pawns": "999999999S1L5"})


# reasons


def why(
    rules: GottazRules, position: GameState, emptied: str = "", filled: str = "", touched: str = ""
) -> Violation:
    cells = rules.grid.cells
    return rules.explain(position, Difference(cells(emptied), cells(filled), touched=cells(touched)))


@pytest.mark.parametrize(
    ("first", "second", "emptied", "filled", "touched", "rule"),
    [
        ("c2=leap-5 a3=leap-4", "", "c2", "c3", "", "row-limit"),
        ("c2=swap-2", "c3=leap-4 a2=slant-5", "", "", "c2 c3", "row-limit-other"),
        ("c2=support-2 c3=jump-1", "", "c2", "", "c3", "own-pawn"),
        ("c2=support-2", "", "c2", "d4", "", "move-shape"),
        ("c2=leap-3", "", "c2", "c5", "", "leap-shape"),
        ("c2=slant-2", "", "c2", "c4", "", "slant-shape"),
        ("c2=jump-2", "", "c2", "c4", "", "jump-shape"),
        ("c2=support-2", "c3=leap-4", "c2", "c4", "", "move-shape"),
        ("c2=leap-5", "c3=leap-4", "c3", "d3", "", "wrong-side"),
        ("", "", "", "c3", "", "place-territory"),
        ("a1=leap-5 b1=leap-3 e3=supply-1", "", "", "c1", "", "row-limit"),
        ("c2=support-2", "c3=leap-4", "", "", "c2 c3", "swap-ability"),
        ("c2=swap-2", "e5=leap-4", "", "", "c2 e5", "swap-adjacent"),
        ("c2=support-2", "", "", "", "c2", "rotate-ability"),
        ("c2=support-2", "c3=rotate-5", "", "", "c3", "wrong-side"),
        ("c2=support-2", "c3=swap-2", "", "", "c2 c3", "wrong-side"),
        ("c2=support-2", "c3=leap-4 d3=jump-1", "", "", "c3 d3", "wrong-side"),
        ("c1=tsunami-3", "c2=leap-5", "c2", "d2", "", "wrong-side"),
        ("c3=tsunami-3", "c4=leap-5", "c4", "d4", "", "wrong-side"),
        ("c3=tsunami-3 c4=leap-5", "", "c4", "", "", "tsunami-edge"),
        ("c1=tsunami-3", "c2=leap-5 c4=jump-1", "c2", "", "c4", "tsunami-stack"),
        ("c1=tsunami-3", "c2=leap-5", "c2", "c3", "", "tsunami-shape"),
        ("c2=leap-5 e1=jump-1", "", "c2 e1", "b2 d1", "", "several-moved"),
        ("c2=leap-5", "c3=supply-4", "c2 c3", "", "", "piece-left"),
        ("c2=leap-4", "c3=leap-5", "c2", "", "c3", "battle-result"),
    ],
)  # fmt: skip
def test_each_rule_has_its_own_reason(
    rules: GottazRules, first: str, second: str, emptied: str, filled: str, touched: str, rule: str
) -> None:
    assert why(rules, stand(rules, first, second), emptied, filled, touched).rule == rule


@pytest.mark.parametrize(
    ("face", "side", "cell", "rule", "words"),
    [
        ("swap-5", 1, "c3", "wrong-side", {"cell": "c3"}),
        ("swap-5", 1, "a1", "wrong-side", {"cell": "a1"}),
        ("swap-5", 0, "c3", "place-territory", {"cell": "c3", "row": 3}),
        ("swap-5", 0, "e5", "place-territory", {"cell": "e5", "row": 5}),
        ("swap-5", 0, "a1", "place-occupied", {"cell": "a1"}),
        ("swap-5", 0, "b1", "place-occupied", {"cell": "b1"}),
        ("swap-5", 0, "c1", "row-limit", {"row": 1, "total": 9, "limit": 8}),
        ("leap-4", 0, "c1", "place-which", {"cell": "c1"}),
    ],
)
def test_the_reason_is_about_the_pawn_that_comes_from_the_hand(
    face: str, side: int, cell: str, rule: str, words: dict[str, object]
) -> None:
    position = stand(STARTER, "a1=leap-4 c3=swap-2", "b1=leap-4 e5=supply-1")
    assert words.items() <= dict(placed(STARTER, position, face, side, cell).arguments).items()
    assert placed(STARTER, position, face, side, cell).rule == rule


def placed(rules: GottazRules, position: GameState, face: str, side: int, name: str) -> Violation:
    """The reason against a pawn from the hand, which is seen, on the cell *name*."""
    cell = rules.grid.cell(name)
    pawn = next(pawn for pawn in rules.pawns if face in (pawn.weak.slug, pawn.strong.slug))
    seen = ((cell, Sighting(True, pawn.slug, side, pose=face)),)
    is_free = not position.board[cell]
    return rules.explain(position, Difference((), (cell,) * is_free, seen[is_free:], placed=seen))


def test_a_pawn_that_would_lose_its_battle_is_not_placed() -> None:
    rules = GAME.rules({"enter_occupied_territory": "battle"})
    position = stand(rules, "c3=swap-2", "b1=leap-4")
    found = placed(rules, position, "support-1", 0, "b1")
    assert (found.rule, dict(found.arguments)["defence"]) == ("battle-result", 4)


def test_the_second_side_counts_rows_from_its_own() -> None:
    violation = why(
        STARTER, stand(STARTER, "", "c4=leap-5 a3=leap-4 e5=leap-5 d4=leap-3", turn=1), "c4", "c5"
    )
    assert dict(violation.arguments) == {"row": 1, "total": 10, "limit": 8}


def test_the_reason_has_the_row_limit_as_a_number(rules: GottazRules) -> None:
    violation = why(rules, stand(rules, "c2=leap-5 a3=leap-4"), "c2", "c3")
    assert dict(violation.arguments) == {"row": 3, "total": 9, "limit": 8}


def test_a_leap_over_a_pawn_is_refused_under_that_option(tmp_path: Path) -> None:
    path = tmp_path / "set.toml"
    path.write_text(EVERYTHING, encoding="utf-8")
    rules = GAME.rules({"pawns": str(path), "leap_over": "no"})
    assert why(rules, stand(rules, "c2=leap-3", "c3=jump-1"), "c2", "c4").rule == "leap-blocked"


def test_a_pawn_turned_over_without_rotate_is_refused(rules: GottazRules) -> None:
    position = stand(rules, "c2=leap-3")
    turned = ((rules.grid.cell("c2"), Sighting(True, "leap-3-support-3", 0, pose="support-3")),)
    assert rules.explain(position, Difference((), (), changed=turned)).rule == "rotate-ability"


def test_a_rotation_that_the_row_forbids_names_the_limit(rules: GottazRules) -> None:
    position = stand(rules, "c3=jump-1 d3=leap-4")
    rotating = stand(rules, "c3=rotate-5 d3=slant-2")
    assert "c3*" in texts(rules, rotating)
    assert why(rules, position, touched="c3").rule == "rotate-ability"


def test_choosing_comes_before_placing() -> None:
    rules = GAME.rules({"pawns": "draft"})
    assert why(rules, rules.initial(), filled="a1").rule == "still-choosing"


def test_an_empty_hand_places_nothing() -> None:
    empty = STARTER.initial()._replace(hands=(bytes(6), bytes(6)))
    assert why(STARTER, empty, filled="a1").rule == "hand-empty"


def test_identical_pawns_do_not_swap() -> None:
    position = stand(STARTER, "c2=swap-5 c3=swap-5")
    assert why(STARTER, position, touched="c2 c3").rule == "swap-same"


def test_a_pawn_beyond_the_set_is_not_adopted() -> None:
    placement = Placement.of([(cell, Piece("leap-3-support-3", 0, pose="leap-3")) for cell in (0, 1)])
    adopted = STARTER.adopt(placement, 0, STARTER.initial())
    assert isinstance(adopted, InvalidPosition)
    assert [reason.rule for reason in adopted.reasons] == ["piece-unknown"]


# sets


def test_the_pool_has_enough_different_pawns_for_two_who_choose_in_turns() -> None:
    pool = find_set("full").pawns
    assert len(set(pool)) == len(pool) >= 24
    assert {face.ability for pawn in pool for face in pawn.faces} == {
        "leap", "support", "supply", "swap", "slant", "tsunami", "jump", "rotate",
    }  # fmt: skip
    assert "jump-1-rotate-5" in {pawn.slug for pawn in pool}
    assert all(
        sum(pawn.weak.strength == weak for pawn in pool) >= 2 * share
        for weak, share in ((1, 4), (2, 4), (3, 2))
    )


@pytest.mark.parametrize(
    ("pawns", "words"),
    [
        ('"leap-1"', "'leap-1'"),
        ('"leap-5/supply-1"', "weaker face first"),
        ('"leap-1/supply-4"', "1/5, 2/4 or 3/3"),
        ('"fly-1/supply-5"', "a face is an ability"),
        ('"leap-0/supply-6"', "a strength from 1 to 5"),
        ('"slant-1/rotate-5"', "the back of rotate-5 is jump-1 (rulebook, Rotate)"),
        ('"rotate-3/rotate-3"', "its faces are the same, so that nobody could tell which one is up"),
    ],
)
def test_an_error_names_an_invalid_pawn(pawns: str, words: str) -> None:
    with pytest.raises(SettingsError, match="mine") as fault:
        read_set(f'title = "x"\npawns = [{pawns}]', "mine.toml")
    assert words in str(fault.value)


def test_a_set_of_other_strengths_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "short.toml"
    path.write_text('title = "x"\npawns = ["leap-1/supply-5"]', encoding="utf-8")
    with pytest.raises(SettingsError, match=r"1 pawns are 1/5; a set has four 1/5"):
        load_ten(str(path))
    with pytest.raises(SettingsError, match="cannot be read"):
        GAME.rules({"pawns": "no-such-file"})
    with pytest.raises(OptionError, match="'strter' is not allowed"):
        GAME.rules({"pawns": "strter"})


def test_a_game_with_a_pawn_set_from_a_file_is_recorded_with_the_pawns(
    tmp_path: Path,
) -> None:
    path = tmp_path / "own.toml"
    path.write_text(EVERYTHING, encoding="utf-8")
    rules = GAME.rules({"pawns": str(path)})
    path.unlink()
    again = GAME.rules(rules.options)
    assert again.options == rules.options
    assert again.initial() == rules.initial()
    assert again.legal_moves(again.initial()) == rules.legal_moves(rules.initial())


@pytest.mark.parametrize("name", ["starter", "full"])
def test_our_sets_are_kept_in_full_by_one_line(name: str) -> None:
    found = find_set(name)
    assert find_set(to_line(found)) == found


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("mine; leap-1/supply-5", "pawns mine: 1 pawns are 1/5; a set has four 1/5"),
        ("mine; leap-1", "pawns mine: 'leap-1'"),
        ("mine;", "pawns mine: 0 pawns are 1/5"),
        ("mine; leap-1/supply-5; x", "expected title and pawns, separated by a semicolon"),
    ],
)
def test_an_error_names_the_fault_of_a_recorded_set(line: str, words: str) -> None:
    with pytest.raises(SettingsError) as fault:
        GAME.rules({"pawns": line})
    assert words in str(fault.value)


@pytest.mark.parametrize("name", ["x" * 300, "no\0file"])
def test_a_value_that_cannot_be_a_file_name_is_refused_like_a_missing_file(name: str) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        GAME.rules({"pawns": name})


def test_a_game_that_was_played_with_another_back_of_rotate_5_is_still_replayed() -> None:
    kept = to_line(find_set(EVERYTHING)).replace("jump-1/rotate-5", "slant-1/rotate-5")
    assert "D1R5@a1" in texts(GAME.rules({"pawns": kept}), GAME.rules({"pawns": kept}).initial())
    with pytest.raises(SettingsError, match="the back of rotate-5 is jump-1"):
        GAME.rules({"pawns": "D1R5+3S1L5+4U2L4+2L3U3"})


TURNED = EVERYTHING.replace("leap-3/support-3", "slant-3/tsunami-3")
"""One of its pawns is written both ways."""


def test_a_pawn_of_equal_strengths_that_is_written_both_ways_is_one_pawn(tmp_path: Path) -> None:
    path = tmp_path / "turned.toml"
    path.write_text(TURNED, encoding="utf-8")
    rules = GAME.rules({"pawns": str(path)})
    start = rules.initial()
    assert [pawn.slug for pawn in rules.pawns].count("slant-3-tsunami-3") == 1
    assert "tsunami-3-slant-3" not in [pawn.slug for pawn in rules.pawns]
    texts = [rules.write_move(start, move) for move in rules.legal_moves(start)]
    assert len(texts) == len(set(texts))
    assert [rules.read_move(start, text) for text in texts] == rules.legal_moves(start)
    assert rules.read_position(rules.write_position(start)) == start
    assert [sum(hand) for hand in start.hands] == [10, 10]
