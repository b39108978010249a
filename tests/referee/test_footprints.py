# SPDX-License-Identifier: Apache-2.0
"""The footprint index answers alike for all moves and for requested moves only."""

from __future__ import annotations

from random import Random

import pytest

from companion import games
from companion.model.game import TouchRules
from companion.model.observation import EMPTY, Change, SensorKind
from companion.model.occupancy import cells_of, occupancy_of
from companion.referee.inference.belief import Belief, Table
from companion.referee.inference.search import finished
from companion.referee.inference.tracker import face
from companion.referee.values.board.footprints import MOST_FOLLOWING, Prospect
from companion.referee.values.board.imprints import Imprint
from companion.referee.values.board.looks import Seen
from companion.referee.values.timing import DEFAULT_TIMING
from tests.fakes import FakeTable
from tests.games.support import option_sets, random_positions

TANK_CHESS = games.find("tank-chess").rules()


def by_move(imprints: list[Imprint]) -> list[Imprint]:
    """*imprints* in the order of their moves."""
    return sorted(imprints, key=lambda imprint: str(imprint.move))


TOUCHED = [slug for slug in games.slugs() if isinstance(games.find(slug).rules(), TouchRules)]
"""Games whose moves are not all indexed at once."""


@pytest.mark.parametrize(
    ("slug", "options"), [(slug, options) for slug in TOUCHED for options in option_sets(slug)], ids=str
)
def test_moves_are_found_by_the_cells_of_their_steps(slug: str, options: dict[str, str]) -> None:
    rules = games.find(slug).rules(options)
    assert isinstance(rules, TouchRules)
    chance = Random(1)
    for position in random_positions(rules, 1, 40):
        standing = sorted(rules.placement(position).by_cell())
        cells = occupancy_of(chance.sample(range(len(rules.grid)), 3))
        cells |= occupancy_of(chance.sample(standing, min(2, len(standing))))
        touching = [
            move
            for move in rules.legal_moves(position)
            if cells
            & occupancy_of(cell for s in rules.steps(position, move) for cell in (*s.source, *s.target))
        ]
        assert touching == list(rules.moves_touching(position, cells))


@pytest.mark.parametrize("kind", SensorKind)
@pytest.mark.parametrize("slug", TOUCHED)
def test_a_partial_index_answers_like_the_full_one(slug: str, kind: SensorKind) -> None:
    rules, chance = games.find(slug).rules(), Random(2)
    for position in random_positions(rules, 2, 20):
        whole = Prospect(rules, position, kind)
        imprints = whole.imprints()
        part = Prospect(rules, position, kind)
        for _ in range(5):
            move = chance.choice(imprints).move if imprints else None
            if move is None:
                break
            after = whole.after(move)
            seen = Seen(after.occupied, 0, after.looks if kind is not SensorKind.OCCUPANCY else {})
            changed = whole.differing(seen)
            assert not part.is_prepared or changed == 0
            for cell in cells_of(changed):
                assert by_move(part.touching(cell)) == by_move(whole.touching(cell))
            assert by_move(part.within(changed, seen, 0)) == by_move(whole.within(changed, seen, 0))
            if changed:
                assert part.exactly(changed, seen) == whole.exactly(changed, seen)


def test_the_position_after_a_move_is_the_same_object_while_it_is_kept() -> None:
    start = Prospect(TANK_CHESS, TANK_CHESS.initial(), SensorKind.OCCUPANCY)
    moves = TANK_CHESS.legal_moves(start.position)
    first = start.after(moves[0])
    assert start.after(moves[0]) is first
    for move in moves[1 : MOST_FOLLOWING + 1]:
        start.after(move)
    assert start.after(moves[0]) is not first


def test_former_positions_are_not_kept() -> None:
    """Each position refers to the next.

    Keeping the first would keep all of them with all their moves.
    """
    fake = FakeTable(games.find("chess").rules())
    fake.set_up()
    start = fake.session.belief.root
    for source, target in (("g1", "f3"), ("g8", "f6")):
        fake.carry(source, target, after_ms=200)
        fake.wait(1000)
    left = fake.session.belief.root
    assert left.position.turn == 1
    assert start.after(fake.rules.read_move(start.position, "Nf3")) is not left


@pytest.mark.parametrize("kind", [SensorKind.OCCUPANCY, SensorKind.IDENTITY])
@pytest.mark.parametrize("slug", games.slugs())
def test_what_is_believed_does_not_depend_on_what_is_indexed(slug: str, kind: SensorKind) -> None:
    rules, chance = games.find(slug).rules(), Random(3)
    for position in random_positions(rules, 3, 12):
        found = []
        standing = sorted(rules.placement(position).by_cell())
        cells = chance.choices(standing, k=2) if standing else []
        for is_prepared in (True, False):
            root = Prospect(rules, position, kind)
            if is_prepared:
                root.prepare()
            found.append(stories_after_put_backs(root, cells))
        assert found[0] == found[1]


def stories_after_put_backs(root: Prospect, cells: list[int]) -> dict[object, float]:
    """The plies and the cost of each story after pieces on *cells* were put back."""
    seen = Seen(root.occupied, 0, {} if root.kind is SensorKind.OCCUPANCY else dict(root.looks))
    belief = Belief(Table(root.rules, root.kind, DEFAULT_TIMING), root, 0, seen=seen)
    for number, cell in enumerate(cells):
        for at_ms, sighting in ((1000 * number, EMPTY), (1000 * number + 300, root.looks[cell])):
            belief = finished(face.reconcile(belief, Change(at_ms, cell, sighting)))
    return {
        (node.pressed, node.since.edges, *(frozenset(node.imprints) for node in node.line())): node.cost
        for node in belief.live
    }
