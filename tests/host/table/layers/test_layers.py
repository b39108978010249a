# SPDX-License-Identifier: Apache-2.0
"""The layers of a game lie over each other in one order."""

from __future__ import annotations

from companion.feedback import shown
from companion.feedback.shown import MenuView, Remark, Shown
from companion.feedback.words import load
from companion.games import find
from companion.host.table.layers.layer import Layer
from companion.host.table.layers.remarks import Remarks
from companion.model.observation import Observation, Press, Sightings
from tests.host.tables import Kept, rig_for

RULES = find("close-quarters").rules()
WORDS = load("en", RULES.slug, RULES.sides)


def test_only_layers_with_a_method_of_their_own_are_called() -> None:
    layers = rig_for(Kept()).pipeline.layers
    assert layers.order == (layers.hints, layers.remarks, layers.menu, layers.review)
    assert layers.follows == (layers.hints.follow,)
    assert layers.tends == (layers.menu.tend, layers.review.tend)
    assert layers.deadlines == (layers.menu.next_deadline_ms, layers.review.next_deadline_ms)


def test_a_layer_that_leaves_a_method_out_changes_nothing() -> None:
    remarks: Layer = Remarks()
    view, seen = rig_for(Kept()).pipeline.view, Observation(0, (Press(0, 0),), Sightings(0), 0)
    assert remarks.withhold(seen) is seen
    assert not remarks.tend(view, 0)
    assert remarks.next_deadline_ms() is None
    assert remarks.added_to(Shown(view)) == Shown(view)


def test_remarks_are_said_although_a_choice_of_the_menu_hides_all_else() -> None:
    view = rig_for(Kept()).pipeline.view
    remarks = Remarks()
    assert remarks.say("elsewhere", "the game elsewhere is over")
    assert not remarks.say("elsewhere", "the game elsewhere is over")
    said = remarks.added_to(Shown(view, "en", menu=MenuView((), "Chess.", ("", ""), has_chosen=True)))
    assert said.remarks == (Remark("elsewhere", "The game elsewhere is over"),)
    assert list(shown.notices(said, WORDS)) == ["The game elsewhere is over"]
    assert shown.prompt(said, WORDS) == "Chess."
    assert [each.text for each in shown.spoken(said, WORDS)][-2:] == ["Chess.", "The game elsewhere is over"]
    assert remarks.say("elsewhere", "")
    assert remarks.added_to(Shown(view)) == Shown(view)
