# SPDX-License-Identifier: Apache-2.0
"""The rules of Tank Chess, the rulebook's figures, and a second generator."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from companion.games.tank_chess import GAME
from companion.games.tank_chess.pieces import LETTERS
from companion.games.tank_chess.rules import GameState, unpack
from companion.model.errors import NotationError
from companion.model.game import Announcement, CallOut, Outcome
from companion.model.grid import COMPASS
from companion.model.observation import SensorKind
from companion.model.occupancy import cells_of
from companion.model.pieces import Piece
from tests.fakes import FakeTable
from tests.games.fields import BASIC, FAR, FIELD, LARGE, cries, field, moves, shots
from tests.games.support import play

# the printed set-up


def test_the_first_move_of_the_printed_map_has_549_results_and_no_shot() -> None:
    found = BASIC.legal_moves(BASIC.initial())
    by_piece = Counter(BASIC.grid.name(unpack(move)[0]) for move in found)
    assert by_piece == {
        "C1": 21, "F1": 37, "H1": 66, "J1": 31, "M1": 17, "C3": 94, "F3": 83, "H3": 46, "J3": 72, "M3": 82,
    }  # fmt: skip
    assert sum(by_piece.values()) == 549
    assert all(unpack(move)[2] < 0 for move in found)


def test_both_maps_are_the_same_from_both_sides() -> None:
    assert BASIC.map.is_symmetric
    assert LARGE.map.is_symmetric
    assert not GAME.rules({"map": "askew; 8x8; ; CA1N cG8S"}).map.is_symmetric


def test_the_large_map_has_the_forces_of_the_large_set_up() -> None:
    force = Counter(tank & 15 for tank in LARGE.map.tanks)
    counts = {"L": 4, "M": 3, "H": 2, "C": 1, "D": 2, "R": 2}
    assert force == {LETTERS.index(letter) | side: n for letter, n in counts.items() for side in (0, 8)}


def test_nobody_can_shoot_on_the_first_move_of_the_large_map() -> None:
    assert all(unpack(move)[2] < 0 for move in LARGE.legal_moves(LARGE.initial()))


def test_every_open_space_of_our_maps_can_be_reached() -> None:
    for rules in (BASIC, LARGE):
        command = next(tank for tank in rules.map.tanks if tank & 15 == 3)
        empty = rules.lay_out(GameState(0, (command,), ()), 0)
        reached = {state >> 3 for state in rules.walk(empty, command, 200)}
        assert reached == set(cells_of(rules.grid.everything & ~rules.terrain.obstacles))


def test_a_position_is_small() -> None:
    stand = LARGE.initial()
    size = sys.getsizeof(stand) + sys.getsizeof(stand.tanks) + sum(map(sys.getsizeof, stand.tanks))
    assert size < 4096


# moving


def test_a_step_is_a_turn_or_a_space_straight_ahead() -> None:
    """The Heavy Tank has three steps."""
    assert moves(field("B3 D3"), "w HC3N CA8S cH2N", "C3") == {
        "C3-C4N", "C3-C5N", "C3-C6N", "C3-C5NW", "C3-C5NE", "C3-C4NW", "C3-C4NE", "C3-C4W", "C3-C4E", "C3-B5NW",
        "C3-D5NE", "C3-C3NE", "C3-C3NW", "C3-C3E", "C3-C3W", "C3-C3SE", "C3-C3SW", "C3-D4NE", "C3-B4NW", "C3-E5NE",
        "C3-A5NW", "C3-D4N", "C3-D4E", "C3-B4N", "C3-B4W", "C3-C2N",
    }  # fmt: skip


@pytest.mark.parametrize(("letter", "steps"), [("L", 5), ("C", 5), ("M", 4), ("H", 3), ("D", 4), ("R", 3)])
def test_each_kind_has_its_number_of_steps(letter: str, steps: int) -> None:
    white = f"{letter}B1N" + ("" if letter == "C" else " CA8S")
    straight = {f"B1-B{rank}N" for rank in range(2, 9)}
    assert moves(FIELD, f"w {white} {FAR}") & straight == {f"B1-B{1 + n}N" for n in range(1, steps + 1)}


def test_reversing_is_one_space_and_nothing_else_but_a_shot() -> None:
    rear = [f"C4-{to}" for to in ("C3N", "C3NE", "C2N")]
    assert [move in moves(FIELD, f"w LC4N CA1N {FAR}") for move in rear] == [True, False, False]
    assert "C4-B3NE" in moves(FIELD, f"w LC4NE CA1N {FAR}")


def test_turning_back_to_the_original_facing_is_no_move() -> None:
    assert "C4-C4N" not in moves(FIELD, f"w LC4N CA1N {FAR}")


def test_a_diagonal_step_between_two_occupied_corner_neighbours_is_legal() -> None:
    assert "C3-D4NE" in moves(FIELD, f"w HC3NE MC4N mD3N CA1N {FAR}")
    assert "C3-D4NE" in moves(field("C4 D3"), f"w HC3NE CA1N {FAR}")
    assert "C3-D4NE" in moves(FIELD, f"w HC3NE MC4x mD3x CA1N {FAR}")


@pytest.mark.parametrize("what", ["LC4N", "lC4N", "lC4x", ""])
def test_no_tank_moves_through_or_onto_an_occupied_space(what: str) -> None:
    rules = field("" if what else "C4")
    ahead = moves(rules, f"w HC3N {what} CA1N {FAR}", "C3")
    assert not ahead & {"C3-C4N", "C3-C5N", "C3-C6N"}
    assert "C3-D4N" in ahead


# shooting


def test_a_medium_tank_moves_into_position_and_destroys_a_medium_tank() -> None:
    """Figure: from the side the gun of II beats the armour of I."""
    text = f"w MB2N mE5E CA1N {FAR}"
    assert shots(FIELD, text, "B2-B5N") == ""
    assert shots(FIELD, text, "B2-B2NE") == "E5"
    after = play(FIELD, FIELD.read_position(text), "B2-B2NExE5")
    assert FIELD.write_position(after) == "b CA1N MB2NE cH8S mE5x"


def test_a_medium_tank_reverses_and_may_choose_one_of_three_targets_or_none() -> None:
    """Figure: targets straight ahead and on both forward diagonals."""
    text = f"b mD5S LD2E LB2N LF2N CA1N {FAR}"
    assert shots(FIELD, text, "D5-D6S") == "D2"
    text = f"b mD5S LD2E LA3N LG3N CA1N {FAR}"
    assert shots(FIELD, text, "D5-D6S") == "A3 D2 G3"
    assert "D5-D6S" in moves(FIELD, text)


def test_an_adjacent_piece_cannot_be_shot_and_blocks() -> None:
    """Figure: no empty space between a Heavy Tank and a Light Tank."""
    text = f"w HD2N lD4E mD6E CA1N {FAR}"
    assert shots(FIELD, text, "D2-D3N") == ""
    assert shots(FIELD, text, "D2-D1N") == "D4"


def test_a_command_tank_destroys_a_medium_tank_from_behind() -> None:
    """Figure: rear armour 0.

    The gun of I does not beat I at the side or II in front.
    """
    assert shots(FIELD, "b MD2N CA1N cD7S", "D7-D6S") == ""
    assert shots(FIELD, "b MD2S CA1N cD7S", "D7-D6S") == "D2"
    assert shots(FIELD, "b MD2E CA1N cD7S", "D7-D6S") == ""


def test_a_medium_tank_with_two_targets_in_sight_pierces_neither_front() -> None:
    text = f"w MD3N mD7S mG6SW CA1N {FAR}"
    assert shots(FIELD, text, "D3-D2N") == ""
    assert shots(FIELD, f"w MD2N mD7S mG6SW CA1N {FAR}", "D2-D3N") == ""
    assert shots(FIELD, f"w MD2N mD7S mG6S CA1N {FAR}", "D2-D3N") == "G6"


def test_guns_beat_armour_as_the_tables_say() -> None:
    """Rows: shooter; columns: front, side, rear of L M H C D R, if beaten."""
    beaten = {
        letter: " ".join(
            "".join(str(int(shots(FIELD, _duel(letter, target, facing), "D1-D2N") != "")) for facing in "SEN")
            for target in LETTERS
        )
        for letter in "LMH"
    }
    assert beaten == {
        "L": "011 001 000 011 001 011",
        "M": "111 011 001 111 011 111",
        "H": "111 111 011 111 111 111",
    }
    assert all(
        shots(FIELD, _duel(letter, target, facing), "D1-D2N")
        for letter in "DR"
        for target in LETTERS
        for facing in "SEN"
    )


def _duel(letter: str, target: str, facing: str) -> str:
    """*letter* fires up the file at a *target* five spaces away that faces *facing*."""
    other = "" if target == "C" else f" {FAR}"
    return f"w {letter}D1N CA1N {target.lower()}D7{facing}{other}"


def test_a_tank_destroyer_fires_straight_ahead_only() -> None:
    assert shots(FIELD, f"w DD2N lD6E lG6E CA1N {FAR}", "D2-D3N") == "D6"
    assert shots(FIELD, f"w DD2N lD6E lG6E CA1N {FAR}", "D2-D3NE") == "G6"


def test_a_mortar_fires_three_to_five_spaces_over_anything() -> None:
    """Figure: a Medium Tank 3 spaces away or a Tank Destroyer 5 away."""
    rules = field("B3")
    text = f"w RB2N lB4S mB5S lB6x dB7S lB8E CA1N {FAR}"
    assert shots(rules, text, "B2-B1N") == "B4 B5"
    assert shots(field("D1"), f"w RA1E lC1N mE1N lF1x dG1N lH1N CA3N {FAR}", "A1-B1E") == "E1 G1"


@pytest.mark.parametrize("what", ["LD5N", "lD5x", "hD5S", ""])
def test_the_first_piece_in_the_line_stops_a_shot(what: str) -> None:
    rules = field("" if what else "D5")
    assert shots(rules, f"w MD2N {what} lD7E CA1N {FAR}", "D2-D3N") == ""
    assert shots(rules, f"w MD2N {what} lD7E CA1N {FAR}", "D2-C2N") == ""


def test_a_shot_passes_between_two_corner_neighbours() -> None:
    assert shots(field("C4 D3"), f"w MC2N lF6E CA1N {FAR}", "C2-C3NE") == "F6"


def test_a_tank_may_shoot_through_the_space_it_has_left() -> None:
    assert shots(FIELD, f"w MD4N lD7E CA1N {FAR}", "D4-D3N") == "D7"


def test_a_wreck_stays_and_has_no_side() -> None:
    after = play(FIELD, FIELD.read_position(f"w MB2N mE5E CA1N {FAR}"), "b2-b2nexe5")
    assert FIELD.placement(after).at(FIELD.grid.cell("E5")) == Piece("medium-tank", 1, None, "wreck")
    assert not moves(FIELD, FIELD.write_position(after), "E5")


# the end


def test_destroying_the_command_tank_wins() -> None:
    position = FIELD.read_position("w HD2N cD7E CA1N")
    move = FIELD.read_move(position, "D2-D3NxD7")
    assert FIELD.write_move(position, move) == "D2-D3NxD7#"
    after = FIELD.apply(position, move)
    assert FIELD.status(after) == Outcome((0,), "command-tank-destroyed")
    assert FIELD.legal_moves(after) == []
    assert FIELD.announcements(after) == ()


def test_a_command_tank_leaves_on_its_fourth_step() -> None:
    """Figure: two turns, one space, and across the edge."""
    position = FIELD.read_position("w CD6NE cA1N")
    after = play(FIELD, position, "D6-off")
    assert FIELD.status(after) == Outcome((0,), "command-tank-escaped")
    assert FIELD.write_position(after) == "b cA1N"
    assert FIELD.legal_moves(after) == []


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("w CD4N cA1N", True),  # four spaces, then out
        ("w CD3N cA1N", False),
        ("w CD8NE cA1N", True),  # diagonally across the edge
        ("w CD8S cA1N", True),  # three turns, then out diagonally
        ("w CD1S cA8N", False),  # not over one's own edge
        ("b cD5S CA8N", True),
        ("b cD6S CA8N", False),
    ],
)
def test_leaving_costs_a_step(text: str, leaves: bool) -> None:
    assert any(move.endswith("-off") for move in moves(FIELD, text)) == leaves


def test_nobody_leaves_through_the_corner_point() -> None:
    """Figure: the fifth diagonal step would cross the corner.

    Turning first takes one step too many.
    """
    assert "D4-off" not in moves(FIELD, "w CD4NE cA1N")
    assert "C4-off" in moves(FIELD, "w CC4NE cA1N")


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("w CD1N cA8S", True),  # the board ends at D4: three spaces, then out
        ("w CC1N cA8S", True),  # one space, a turn, two spaces to E4, then out
        ("w CC1S cA8S", False),
        ("w CC6N cB1S", True),  # file C ends at C8
        ("w CH3N cA8S", False),  # H5 to H8 belong to the board
        ("w CD4NE cA8S", True),  # across the middle of the edge
        ("w CF4N cA8S", True),
        ("w CE1NW cA8S", True),
    ],
)
def test_border_surfaces_are_the_edge_of_the_board(text: str, leaves: bool) -> None:
    """For White files D to F end at rank 4, the others at rank 8."""
    rules = field("", "CA1N cA8S", "D5 E5 F5 D6 E6 F6 D7 E7 F7 D8 E8 F8")
    assert any(move.endswith("-off") for move in moves(rules, text)) == leaves
    with pytest.raises(NotationError, match="D8 is outside the board"):
        rules.read_position("w CD8N cA8S")


def test_a_hole_in_the_board_is_no_edge_and_stops_all_but_mortars() -> None:
    rules = field("", "CA1N cA8S", "D4 D5 E4 E5")
    assert "D3-off" not in moves(rules, "w CD3N cA8S")
    assert shots(rules, "w MD2N lD8E CA1N cA8S", "D2-D3N") == ""
    assert shots(rules, "w RD2N lD7E CA1N cA8S", "D2-D3N") == "D7"


def test_leaving_in_reverse_never_decides_anything() -> None:
    """Five steps suffice to turn and leave from any space of the far edge.

    The second generator includes reversing.
    """
    for name in (f"{file}8" for file in "ABCDEFGH"):
        assert all(f"{name}-off" in moves(FIELD, f"w C{name}{look} cD2N") for look in COMPASS)


def test_only_the_command_tank_leaves() -> None:
    assert "D8-off" not in moves(FIELD, f"w LD8N CA1N {FAR}")


# what is called out


def test_check_names_every_piece_that_could_destroy_the_command_tank() -> None:
    found = cries(FIELD, "b MD3N LA8E HF1W CA1S cD8E")
    cells = FIELD.grid.cells
    assert found == (Announcement(CallOut.CHECK, 0, cells("D3 A8"), cells("D8")),)


def test_escape_names_the_spaces_from_which_the_command_tank_could_leave() -> None:
    found = [cry for cry in cries(FIELD, "b CB7NE cH2S lB8x") if cry.cry is CallOut.ESCAPE]
    cells = FIELD.grid.cells
    assert found == [Announcement(CallOut.ESCAPE, 0, cells("B7"), cells("A8 C8 D8"))]


def test_check_and_escape_are_announced_and_written() -> None:
    position = FIELD.read_position("w CB6N cF2N HF8W")
    assert FIELD.write_move(position, FIELD.read_move(position, "F8-F8S")) == "F8-F8S!^"


DUEL = "duel; 5x5; C3; CB1N LD1N cD5S lB5S"


def test_a_threat_is_announced_also_after_a_return_to_the_start_position() -> None:
    rules = GAME.rules({"map": DUEL})
    position = rules.initial()
    for text in ("B1-B1NE", "B5-B5SW", "B1-B1N"):
        position = play(rules, position, text)
    last = rules.read_move(position, "B5-B5S")
    again = rules.apply(position, last)
    assert again == rules.initial()
    assert [cry.cry for cry in rules.announcements(again)] == [CallOut.CHECK]
    assert rules.write_move(position, last) == "B5-B5S!"


def test_no_threat_is_announced_before_the_first_move() -> None:
    table = FakeTable(GAME.rules({"map": DUEL}), SensorKind.IDENTITY_FACING)
    table.set_up()
    assert table.session.view().announcements == ()
