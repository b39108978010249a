# SPDX-License-Identifier: Apache-2.0
"""The reason why a lifted piece cannot move."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

import pytest

from companion import games
from tests.games.support import random_positions
from tests.referee.support import perform, table

BLOCKED_PAWN = "4k3/8/8/4p3/4P3/8/8/4K3 w - - 0 1"
PINNED = "4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1"


@pytest.mark.parametrize(
    ("slug", "position", "lifted", "rule"),
    [
        ("chess", "", "a1", "own-piece"),
        ("chess", "", "a8", "wrong-side"),
        ("chess", BLOCKED_PAWN, "e4", "pawn-captures-straight"),
        ("chess", PINNED, "e2", "pinned"),
        ("martian-chess", "", "c2", "no-merger"),
        ("fightopia", "", "d1", "own-piece"),
        ("fightopia", "", "e2- d2- d1- e1", "own-piece"),
        ("tank-chess", "", "G16", "wrong-side"),
    ],
)
def test_a_lifted_piece_without_a_legal_move_has_a_reason(
    slug: str, position: str, lifted: str, rule: str
) -> None:
    fake = table(slug, position)
    perform(fake, f"{lifted}- 200")
    view = fake.session.view()
    assert view.targets == ()
    assert view.immobile is not None
    assert view.immobile.rule == rule


@pytest.mark.parametrize("slug", games.slugs())
def test_a_piece_of_several_cells_has_its_reason_in_each_order_of_lifting(slug: str) -> None:
    rules, chance, checked = games.find(slug).rules(), Random(f"{datetime.now(UTC):%Y-%m-%d}"), 0
    for position in random_positions(rules, chance.randrange(1 << 30), 20):
        moved = {step.source for move in rules.legal_moves(position) for step in rules.steps(position, move)}
        stuck = [cells for _, cells in rules.placement(position).entries if cells not in moved]
        if rules.status(position) is not None or not stuck:
            continue
        cells = chance.choice([each for each in stuck if len(each) == max(map(len, stuck))])
        fake = table(slug, rules.write_position(position))
        for cell in chance.sample(cells, len(cells)):
            perform(fake, f"{rules.grid.name(cell)}- 100")
        assert fake.session.view().immobile is not None, (cells, rules.write_position(position))
        checked += 1
    assert checked > 2


def test_a_piece_that_moves_is_captured_or_has_just_moved_has_none() -> None:
    fake = table("chess")
    for trace in ("e2- 200", "e4+ 3000", "d7- 200", "d5+ 3000", "d5- 200"):
        perform(fake, trace)
        assert fake.session.view().immobile is None, trace
    perform(fake, "d5+ 3000 e4- 200")
    assert fake.session.view().immobile is None, "it may capture"
    perform(fake, "e4+ 3000 d5- 200")
    assert fake.session.view().immobile is None, "it may be captured"
