# SPDX-License-Identifier: Apache-2.0
"""Pieces held so long that the move seems complete, with the former inference.

Rival explanations are kept or asked about.
"""

from __future__ import annotations

from functools import partial

import pytest

from companion.referee import reconcile
from companion.referee.budget import Budget
from companion.referee.events import IllegalSeen
from companion.referee.reconcile import finished, rested
from tests.bench.core import use_former
from tests.referee.support import only, perform, table


@pytest.fixture(autouse=True)
def _former(monkeypatch: pytest.MonkeyPatch) -> None:
    use_former(monkeypatch.setattr)


def test_rival_explanations_beyond_the_budget_are_kept_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = table("chess", "4k3/8/8/8/5q2/8/7P/4K3 b - - 0 1")
    perform(fake, "f4- 200 g3+ 600 g3- 200 h2- 300 h2+ 100")
    belief = fake.session.belief
    later_ms = belief.rest_since_ms + belief.table.timing.dwell_ms
    assert belief.rivals
    assert not finished(rested(belief, later_ms)).rivals
    monkeypatch.setattr(reconcile, "Budget", partial(Budget, 0))
    assert finished(rested(belief, later_ms)).rivals == belief.rivals


def test_a_refuted_explanation_is_asked_about_if_the_budget_forbids_another_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = table("chess", "4k3/8/8/1p3p2/8/3Q4/8/4K3 w - - 0 1")
    perform(fake, "d3- 3000 e8- 100 e7+ 600")
    belief = fake.session.belief
    ply, reply = belief.line
    refuted = ply._replace(others=(), refuted=ply.others)
    later_ms = belief.rest_since_ms + belief.table.timing.dwell_ms
    monkeypatch.setattr(reconcile, "Budget", partial(Budget, -1))
    found = finished(rested(belief._replace(line=(refuted, reply)), later_ms))
    assert [found.before(0).written(each.move) for each in found.candidates(0)] == ["Qxb5+", "Qxf5"]


def test_no_fault_is_reported_while_an_open_question_may_explain_the_board() -> None:
    """There are too many open plies to try all their combinations."""
    fake = table(
        "tank-chess",
        "w HD1E MF1N CI1S MJ1E HM1N LB2W MI3NE LI4NE LF5SW LK8W "
        "lN9N lE11SE lH13N lM13W mI14S hD16SW mG16S cH16S mK16S hN16S",
    )
    perform(
        fake,
        "F5- 117 E4+ 175 E11- 101 F9+ 544 K8- 52 I10+ 139 M13+ 62 !1 159 E4- 39 D4+ 181 H16- 46 J16+ 187 "
        "F2+ 32 D1- 214 N9- 53 M11+ 130 I10- 68 K7+ 138 F9- 121 F10+ 134 B2- 147 A2+ 126 M11- 41 N12+ 190 "
        "G3+ 33 F2- 201 N13+ 26 M13- 136 M1- 95 M2+ 160 F10- 72 E11+ 234 F1- 63 G1+ 206 N12- 44 M15+ 183 "
        "D4- 39 C2+ 265 N13- 33 M11+ 181 K7- 17 K7+ 62 !0 100",
    )
    assert not only(IllegalSeen, fake.history)
