# SPDX-License-Identifier: Apache-2.0
"""The way back is the shortest in actions, and follows the actions before."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion import games
from companion.model.observation import SensorKind
from companion.model.occupancy import occupancy_of
from companion.model.pieces import Piece
from companion.referee.inference.guidance import UNKNOWN_PIECE, PiecesInPlay, assign, guides, tracked
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.looks import Seen
from companion.referee.values.board.marks import Edge
from companion.referee.values.commands import NewGame
from companion.referee.values.view import Guide
from tests.fakes import FakeTable

COSTS = st.integers(1, 4).flatmap(
    lambda columns: st.lists(
        st.lists(st.integers(0, 30), min_size=columns, max_size=columns), min_size=1, max_size=4
    )
)


@given(COSTS, st.integers(0, 30))
def test_an_assignment_costs_no_more_than_any_other(costs: list[list[int]], default: int) -> None:
    columns = len(costs[0])
    places = [*range(columns), *([None] * len(costs))]

    def total(partners: tuple[int | None, ...]) -> int:
        return sum(default if at is None else costs[row][at] for row, at in enumerate(partners))

    found = tuple(assign(costs, default=default))
    taken = [column for column in found if column is not None]
    assert len(taken) == len(set(taken))
    assert total(found) == min(total(order) for order in set(permutations(places, len(costs))))


WHITE, BLACK = Piece("rook", 0), Piece("knight", 1)


def edges(*cells: int) -> list[Edge]:
    """Cells left (negative, less one) and entered, in order."""
    return [Edge(number, cell if cell >= 0 else -cell - 1, cell >= 0) for number, cell in enumerate(cells)]


def test_a_capture_is_followed_in_either_order() -> None:
    start = PiecesInPlay({0: WHITE, 5: BLACK})
    for order in ((-1, -6, 5), (-6, -1, 5)):
        assert tracked(start, edges(*order), 0).on == {5: WHITE}


def test_pieces_put_back_are_recognised() -> None:
    start = PiecesInPlay({0: WHITE, 5: BLACK})
    assert tracked(start, edges(-6, -1, 0), 0).on == {0: WHITE}
    assert tracked(start, edges(-6, -1, 0, 5), 0).on == dict(start.on)


def test_a_piece_of_unknown_origin_stays_unidentified() -> None:
    assert tracked(PiecesInPlay({}), edges(3), 0).on == {3: UNKNOWN_PIECE}


def test_two_exchanged_pieces_are_guided_back() -> None:
    rules = games.find("close-quarters").rules()
    wanted = Prospect(rules, rules.initial(), SensorKind.OCCUPANCY)
    pieces = dict(wanted.pieces)
    pieces[0], pieces[3] = pieces[3], pieces[0]
    found = guides(wanted, PiecesInPlay(pieces), Seen(wanted.occupied))
    assert {(guide.source, guide.target) for guide in found} == {(0, 3), (3, 0)}


def test_an_identity_sensor_overrides_the_history() -> None:
    rules = games.find("close-quarters").rules()
    wanted = Prospect(rules, rules.initial(), SensorKind.IDENTITY)
    looks = {**wanted.looks, 4: wanted.looks[0]}
    del looks[0]
    seen = Seen(wanted.occupied & ~1 | 1 << 4, 0, looks)
    assert guides(wanted, PiecesInPlay({}), seen) == (Guide(Piece("sword", 0), 4, 0),)


def test_each_of_two_equal_pieces_is_guided_the_shorter_way() -> None:
    rules = games.find("chess").rules()
    wanted = Prospect(rules, rules.initial(), SensorKind.OCCUPANCY)
    cell, pieces = rules.grid.cell, dict(wanted.pieces)
    for source, target in (("a1", "a4"), ("h1", "h3")):
        pieces[cell(target)] = pieces.pop(cell(source))
    found = guides(wanted, PiecesInPlay(pieces), Seen(occupancy_of(pieces)))
    assert {(guide.source, guide.target) for guide in found} == {
        (cell("a4"), cell("a1")),
        (cell("h3"), cell("h1")),
    }


def test_a_piece_carried_during_set_up_is_recognised() -> None:
    """The Sword stands nearer to the Mace's cell, and vice versa."""
    fake = FakeTable(games.find("close-quarters").rules())
    fake.set_up()
    fake.carry("a1", "a3")
    fake.ask(NewGame())
    fake.carry("a3", "d2")
    fake.carry("d1", "a2")
    cells = fake.rules.grid.cells
    carried = {(guide.source, guide.target) for guide in fake.session.view().guides if guide.source}
    assert carried == {cells("d2 a1"), cells("a2 d1")}


def test_a_lifted_piece_is_guided_first_once_its_cell_is_free() -> None:
    fake = FakeTable(games.find("chess").rules(), SensorKind.SIDE)
    fake.set_up()
    fake.lift("d7")
    fake.carry("a1", "d7")
    fake.wait(2000)

    def hinted() -> list[tuple[str, str]]:
        return [
            (guide.piece.kind, fake.rules.grid.name(guide.target))
            for guide in fake.session.view().guides
            if guide.target is not None
        ]

    assert hinted() == [("rook", "a1"), ("pawn", "d7")]
    fake.carry("h8", "h5")
    fake.wait(2000)
    rook = fake.lift("d7")
    fake.put("a1", rook)
    assert hinted() == [("pawn", "d7"), ("rook", "h8")]


def now(fake: FakeTable) -> list[Guide]:
    """The guides shown first, one for each piece."""
    return [guide for guide in fake.session.view().errands if not guide.is_later]


def ways(fake: FakeTable, found: Iterable[Guide]) -> list[str]:
    """The origins and destinations of *found*."""
    name = fake.rules.grid.name
    return [
        ">".join("" if cell is None else name(cell) for cell in (guide.source, guide.target))
        for guide in found
    ]


def test_one_misplaced_piece_is_guided_at_a_time_preferring_one_already_begun() -> None:
    fake = FakeTable(games.find("close-quarters").rules())
    fake.set_up()
    fake.carry("a1", "b4", after_ms=300)
    fake.carry("d1", "d5", after_ms=300)
    fake.wait(800)
    assert ways(fake, fake.session.view().guides) == ["b4>a1", "d5>d1"]
    assert ways(fake, now(fake)) == ["b4>a1"]
    mace = fake.lift("d5")
    fake.wait(100)
    assert ways(fake, now(fake)) == [">d1"]
    fake.put("d1", mace)
    fake.wait(100)
    assert ways(fake, now(fake)) == ["b4>a1"]


def test_a_piece_whose_target_is_occupied_waits() -> None:
    fake = FakeTable(games.find("chess").rules())
    fake.set_up()
    fake.ask(NewGame())
    for source, target in (("d1", "d4"), ("a1", "d1")):
        fake.carry(source, target, after_ms=300)
    fake.wait(500)
    assert ways(fake, fake.session.view().errands) == ["d1>a1", "d4>d1"]
    assert ways(fake, now(fake)) == ["d1>a1"]
    queen = fake.lift("d4")
    assert ways(fake, now(fake)) == ["d1>a1"]
    fake.carry("d1", "a1", after_ms=300)
    assert ways(fake, now(fake)) == [">d1"]
    fake.put("d1", queen)
    assert now(fake) == []


def test_pieces_from_the_box_are_guided_together_after_misplaced_ones() -> None:
    fake = FakeTable(games.find("close-quarters").rules())
    fake.observe()
    assert ways(fake, now(fake)) == [">a1", ">d1", ">a8", ">d8"]
    mace = Piece("mace", 1)
    fake.put("d1", mace)
    fake.lift("d1")
    fake.put("c2", mace)
    assert ways(fake, now(fake)) == ["c2>d1", ">a1", ">a8", ">d8"], "nobody knows which piece that is"
    known = FakeTable(games.find("close-quarters").rules(), SensorKind.IDENTITY)
    known.observe()
    known.put("c2", mace)
    assert ways(known, now(known)) == ["c2>d1"]
    assert len(known.session.view().errands) == 4


@pytest.mark.parametrize("slug", ["chess", "close-quarters", "martian-chess", "tank-chess"])
@given(st.integers(0, 2**32), st.sampled_from((SensorKind.OCCUPANCY, SensorKind.IDENTITY_FACING)))
@settings(max_examples=15)
def test_following_the_first_guide_sets_up_with_the_fewest_actions(
    slug: str, seed: int, kind: SensorKind
) -> None:
    chance, fake = Random(seed), FakeTable(games.find(slug).rules(), kind)
    fake.set_up()
    name, obstacles = fake.rules.grid.name, fake.rules.grid.obstacles
    home = dict(fake.on)
    for number in range(chance.randrange(1, 8)):
        free = [cell for cell in range(len(fake.rules.grid)) if cell not in (*fake.on, *obstacles)]
        lifted = fake.lift(name(chance.choice([*fake.on])))
        if number == 0:
            fake.ask(NewGame())
        fake.put(name(chance.choice(free)), lifted)
    least, puts, hands = len(fake.session.view().errands), 0, list[Piece]()
    while fake.session.view().guides:
        shown = now(fake)
        assert shown[0] == fake.session.view().errands[0]
        assert len([guide for guide in shown if guide.source is not None]) <= 1
        guide, puts = shown[0], puts + (shown[0].source is None)
        if guide.source is not None:
            hands.append(fake.lift(name(guide.source)))
        elif guide.target is not None:
            piece = next(piece for piece in hands if piece.kind == guide.piece.kind)
            hands.remove(piece)
            fake.put(name(guide.target), piece)
        fake.wait(300)
    assert {cell: piece.kind for cell, piece in fake.on.items()} == {c: p.kind for c, p in home.items()}
    assert puts == least


def test_a_piece_that_covers_several_cells_is_carried_back_once_and_straight() -> None:
    fake = FakeTable(games.find("fightopia").rules())
    fake.set_up()
    cells = fake.rules.grid.cells
    giant, *_ = [fake.lift(name) for name in ("d1", "e1", "d2", "e2")]
    for name in ("d4", "e4", "d5", "e5"):
        fake.put(name, giant)
    fake.wait(1000)
    view = fake.session.view()
    carries = [*zip(cells("d4 e4 d5 e5"), cells("d1 e1 d2 e2"), strict=True)]
    assert [(guide.source, guide.target) for guide in view.guides] == carries
    assert [(guide.source, guide.target) for guide in view.errands] == carries[:1]


def test_pieces_that_cover_several_cells_are_set_up_once_each() -> None:
    fake = FakeTable(games.find("fightopia").rules())
    fake.observe()
    view = fake.session.view()
    assert len(view.errands) == len(view.placement.entries)
    assert {guide.target for guide in view.guides} == {
        cell for _, cells in view.placement.entries for cell in cells
    }
