# SPDX-License-Identifier: Apache-2.0
"""Unseen actions of a piece are inferred from its later ones."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

import pytest

from companion.model.observation import EMPTY, OCCUPIED, Change
from companion.referee.budget import Budget
from companion.referee.retracing import retraced
from tests.referee.support import perform, table


def test_retracing_turns_in_place_indexes_no_more_moves_than_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Switches detect no turn.

    Each tank may have any facing, with other moves for each.
    """
    fake = table("tank-chess", "w HC1N MF1N CH1N LC3N lD14S lG14S cI16S hN16S")
    perform(fake, "!0 200 !1 200 !0 200 !1 200")
    belief = fake.session.belief
    for name, sighting in (("C3", EMPTY), ("N9", OCCUPIED)):
        belief = belief.sensed(Change(belief.now_ms + 200, fake.rules.grid.cell(name), sighting))
    counted = [0]
    for name in ("legal_moves", "moves_touching"):
        monkeypatch.setattr(type(fake.rules), name, _counting(getattr(type(fake.rules), name), counted))
    for _ in retraced(belief, (), Budget(5000)):
        pass
    assert 2500 < counted[0] < 3500  # the plies that are tried use up the budget


def _counting(find_moves: Callable[..., Iterable[Hashable]], counted: list[int]) -> Callable[..., object]:
    """*find_moves*, which also adds the number of its results to *counted*."""

    def found(*given: object) -> tuple[Hashable, ...]:
        moves = tuple(find_moves(*given))
        counted[0] += len(moves)
        return moves

    return found
