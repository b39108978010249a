# SPDX-License-Identifier: Apache-2.0
"""Tags: the family's minimum distance, and one tag for each face."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration import tagfamily
from companion import games
from companion.model.errors import SettingsError
from companion.model.grid import rectangle
from companion.model.pieces import Piece
from companion.model.tags import (
    BOARDS,
    CORNERS,
    Family,
    assign,
    corner_outlines_mm,
    corner_place,
    corner_tags,
    family,
    module_mm,
)
from tests.games.support import boards

GAMES: tuple[tuple[str, dict[str, str]], ...] = (
    ("chess", {}),
    ("close-quarters", {}),
    ("fightopia", {}),
    ("gottaz", {}),
    ("gottaz", {"pawns": "draft"}),
    ("martian-chess", {"players": "2"}),
    ("martian-chess", {"players": "6"}),
    ("tank-chess", {"map": "basic-16"}),
    ("tank-chess", {"map": "companion-20"}),
)
IDS = st.integers(0, len(family().bits) - 1)


def grids(tag: int) -> list[tuple[tuple[bool, ...], ...]]:
    """The data modules of a tag in its four rotations.

    The image is rotated, other than in the generator.
    """
    rows = tuple(row[1:-1] for row in family().rows(tag)[1:-1])
    turns = [rows]
    for _ in range(3):
        turns.append(tuple(zip(*turns[-1][::-1], strict=True)))
    return turns


def differing(one: tuple[tuple[bool, ...], ...], other: tuple[tuple[bool, ...], ...]) -> int:
    return sum(a != b for row, line in zip(one, other, strict=True) for a, b in zip(row, line, strict=True))


def test_any_two_tags_differ_by_the_distance_in_all_turns() -> None:
    turns = [grids(tag) for tag in range(len(family().bits))]
    between = min(differing(one[0], turn) for one, other in combinations(turns, 2) for turn in other)
    alone = min(differing(tag[0], turn) for tag in turns for turn in tag[1:])
    assert min(between, alone) == family().distance == 14


def test_the_family_has_64_tags_for_play_and_reserve_tags_against_false_matches() -> None:
    assert len(family().bits) >= 64 + len(CORNERS) + 32


def test_the_committed_tags_are_the_generated_ones() -> None:
    made = tagfamily.generate()
    assert made == family().bits


@given(tag=IDS, wrong=st.sets(st.integers(0, 35), max_size=6), turn=st.integers(0, 3))
def test_the_right_tag_is_the_nearest_after_six_wrong_modules(tag: int, wrong: set[int], turn: int) -> None:
    seen = [
        [module ^ (row * 6 + col in wrong) for col, module in enumerate(line)]
        for row, line in enumerate(grids(tag)[turn])
    ]
    shown = tuple(tuple(line) for line in seen)
    distances = sorted(
        (differing(shown, picture), other, turned)
        for other in range(len(family().bits))
        for turned, picture in enumerate(grids(other))
    )
    assert distances[0] == (len(wrong), tag, turn)
    assert distances[1][0] >= family().distance - len(wrong) > len(wrong)


def test_a_tag_has_a_black_border_and_its_bits_begin_at_the_upper_left() -> None:
    small = Family("tiny", size=2, distance=1, bits=(0b1000,))
    assert small.rows(0) == (
        (False, False, False, False),
        (False, True, False, False),
        (False, False, False, False),
        (False, False, False, False),
    )


@pytest.mark.parametrize(("slug", "options"), GAMES)
def test_no_piece_shares_a_tag_or_has_a_corner_tag(slug: str, options: dict[str, str]) -> None:
    tags = [mark.tag for mark in assign(games.find(slug), options)]
    assert len(tags) == len(set(tags))
    grid = games.find(slug).rules(options).grid
    assert not set(tags) & {*CORNERS, *corner_tags(slug, grid.slug)}
    assert set(tags) <= set(range(len(family().bits)))


def test_every_board_has_corner_tags_of_its_own_and_shares_at_most_one_with_another() -> None:
    assert set(BOARDS) <= {board for slug in games.slugs() for board in boards(games.find(slug))}
    sets = [CORNERS, *(corner_tags(*board.split()) for board in BOARDS)]
    assert all(len(set(one) & set(other)) <= 1 for one, other in combinations(sets, 2))
    assert all([corner_place(tag) for tag in tags] == [0, 1, 2, 3] for tags in sets)
    assert corner_tags("toy-game", "3x3") == CORNERS


def test_the_corner_tags_of_a_printed_board_never_change() -> None:
    assert corner_tags("close-quarters", "4x8") == (0, 109, 110, 115)
    assert corner_tags("martian-chess", "wedges-6") == (112, 117, 110, 119)


@pytest.mark.parametrize(("slug", "options"), GAMES)
def test_every_piece_on_the_board_finds_its_tags(slug: str, options: dict[str, str]) -> None:
    game = games.find(slug)
    rules = game.rules(options)
    wanted: Counter[tuple[Piece, int]] = Counter()
    for piece, cells in rules.placement(rules.initial()).entries:
        looks = Piece(piece.kind, piece.side, None if piece.facing is None else 0, piece.pose)
        wanted.update((looks, part) for part in range(len(cells)))
    assert wanted <= Counter((mark.piece, mark.part) for mark in assign(game, options))


@pytest.mark.parametrize(
    ("slug", "options", "count"),
    [
        ("chess", {}, 34),
        ("fightopia", {}, 2 * (10 + 2 * 2 + 4)),
        ("gottaz", {}, 40),
        ("martian-chess", {"players": "6"}, 54),
        ("tank-chess", {"map": "basic-16"}, 56),
        ("tank-chess", {"map": "companion-20"}, 56),
    ],
)
def test_a_game_needs_one_tag_for_each_face(slug: str, options: dict[str, str], count: int) -> None:
    assert len(assign(games.find(slug), options)) == count


def test_a_tank_has_a_wreck_side_and_a_pawn_of_gottaz_a_second_face() -> None:
    for slug in ("tank-chess", "gottaz"):
        faces = Counter(mark.figure for mark in assign(games.find(slug)))
        assert set(faces.values()) == {2}
    poses = {mark.piece.pose for mark in assign(games.find("tank-chess"))}
    assert poses == {"standing", "wreck"}


def test_only_pieces_with_a_facing_have_a_forward_direction() -> None:
    assert {
        mark.piece.facing for mark in assign(games.find("tank-chess")) if mark.piece.pose == "standing"
    } == {0}
    assert {mark.piece.facing for mark in assign(games.find("martian-chess"))} == {None}


def test_a_game_with_too_many_faces_is_refused_with_their_number() -> None:
    tanks = " ".join(f"L{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[n % 26]}{2 + n // 26}N" for n in range(60))
    crowd = f"Crowd; 26x26; A26; {tanks} CA1N cB26S"
    with pytest.raises(SettingsError, match="168 faces; there are tags for 104"):
        assign(games.find("tank-chess"), {"map": crowd})


def test_the_cells_of_a_giant_have_distinct_tags() -> None:
    giant = [mark.at for mark in assign(games.find("fightopia")) if mark.piece == Piece("giant", 0)]
    assert giant == [(0, 0), (1, 0), (0, 1), (1, 1)]


def test_corner_tags_are_upright_and_their_rims_touch_the_board() -> None:
    corners = corner_outlines_mm(rectangle(4, 8, cell_mm=50))
    assert corners == {
        0: ((-36, -4), (-4, -4), (-4, -36), (-36, -36)),
        1: ((204, -4), (236, -4), (236, -36), (204, -36)),
        2: ((204, 436), (236, 436), (236, 404), (204, 404)),
        3: ((-36, 436), (-4, 436), (-4, 404), (-36, 404)),
    }


def test_a_tag_takes_two_thirds_of_a_cell_and_of_the_narrow_way_of_a_wedge() -> None:
    assert module_mm(rectangle(20, 20, cell_mm=25)) == 2.0
    assert module_mm(rectangle(8, 8, cell_mm=50)) == 4.1
    wedges = games.find("martian-chess").rules({"players": "3"}).grid
    assert module_mm(wedges) * 10 < 50 * 3**0.5 / 2


def test_tags_for_six_players_or_one_map_serve_fewer_players_and_the_other_map() -> None:
    six = assign(games.find("martian-chess"), {"players": "6"})
    for players in "2345":
        fewer = assign(games.find("martian-chess"), {"players": players})
        assert fewer == six[: 9 * int(players)]
    tanks = games.find("tank-chess")
    assert assign(tanks, {"map": "basic-16"}) == assign(tanks, {"map": "companion-20"})
