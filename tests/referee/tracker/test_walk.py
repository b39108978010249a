# SPDX-License-Identifier: Apache-2.0
"""The maintainer's walk in `docs/design.md` has the tracker's numbers."""

from __future__ import annotations

import re
from pathlib import Path

from companion import games
from companion.referee.inference.tracker.face import sensed_by
from companion.referee.inference.tracker.outlook import score
from companion.referee.session.session import Session
from tests.fakes import FakeTable
from tests.referee.support import brief

DESIGN = Path(__file__).parents[3] / "docs" / "design.md"


def scores(fake: FakeTable) -> list[tuple[str, float]]:
    """The last ply and the score of each story, the best first."""
    belief = fake.session.belief
    board = sensed_by(belief)
    return [
        (
            node.before.written(node.imprints[0].move) if node.imprints else "no ply",
            round(score(node, board, board.costs), 1),
        )
        for node in belief.live
    ]


def test_the_walk_of_a_slide_with_a_rest_is_what_the_tracker_does() -> None:
    rules = games.find("chess").rules()
    start = rules.read_position("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    fake = FakeTable(rules, session=Session(rules, start=start))
    fake.set_up()
    fake.wait(10_000)
    fake.take_events()
    walk = []
    rook = fake.lift("a1")
    walk.append(scores(fake))
    fake.wait(300)
    fake.put("a2", rook)
    walk.append(scores(fake))
    fake.wait(450)
    fake.lift("a2")
    walk.append(scores(fake))
    fake.wait(150)
    fake.put("a4", rook)
    walk.append(scores(fake))
    fake.wait(700)
    walk.append(scores(fake)[:2])
    assert walk == [
        [("no ply", 3.0)],
        [("Ra2", 3.0), ("no ply", 4.0)],
        [("no ply", 4.3), ("Ra2", 9.0)],
        [("Ra4", 4.3), ("no ply", 5.3), ("Ra2", 12.0)],
        [("Ra4", 4.3), ("no ply", 7.3)],
    ]
    assert brief(fake.take_events()) == [
        "provisional Ra2",
        "retracted Ra2",
        "provisional Ra4",
        "announced Ra4",
    ]
    table = re.findall(r"^\| [\d ]+ ms \| .*$", DESIGN.read_text("utf-8"), re.MULTILINE)
    assert len(table) == len(walk)
    for row, stories in zip(table, walk, strict=True):
        assert all(f"{nats:.1f}" in row for _, nats in stories), row
