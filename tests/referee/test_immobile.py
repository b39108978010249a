# SPDX-License-Identifier: Apache-2.0
"""The reason why a lifted piece cannot move."""

from __future__ import annotations

import pytest

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


def test_a_piece_that_moves_is_captured_or_has_just_moved_has_none() -> None:
    fake = table("chess")
    for trace in ("e2- 200", "e4+ 3000", "d7- 200", "d5+ 3000", "d5- 200"):
        perform(fake, trace)
        assert fake.session.view().immobile is None, trace
    perform(fake, "d5+ 3000 e4- 200")
    assert fake.session.view().immobile is None, "it may capture"
    perform(fake, "e4+ 3000 d5- 200")
    assert fake.session.view().immobile is None, "it may be captured"
