# SPDX-License-Identifier: Apache-2.0
"""The nodes of stories are values: an earlier belief keeps what it believed."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from companion.referee.inference.belief import Belief
from companion.referee.inference.tracker.hypothesis import Hypothesis
from companion.referee.values.commands import Answer
from tests.referee.support import brief, perform, table

GAME = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "d2d3", "f8c5"]


@pytest.mark.parametrize("name", [field.name for field in fields(Hypothesis)])
def test_no_attribute_of_a_node_changes(name: str) -> None:
    fake = table("chess")
    fake.lift("e2")
    with pytest.raises(FrozenInstanceError):
        setattr(fake.session.belief.live[0], name, None)


def stories(belief: Belief) -> list[tuple[object, ...]]:
    """What *belief* keeps of each story."""
    return [tuple((node.ply, node.cost, node.pressed) for node in tip.by_ply()) for tip in belief.live]


def test_an_earlier_belief_keeps_its_stories_and_a_later_one_only_recent_plies() -> None:
    fake = table("chess")
    beliefs = list[Belief]()
    kept = list[list[tuple[object, ...]]]()
    for ply in GAME:
        fake.carry(ply[:2], ply[2:], after_ms=300)
        fake.wait(3000)
        beliefs.append(fake.session.belief)
        kept.append(stories(beliefs[-1]))
    assert [stories(belief) for belief in beliefs] == kept
    lengths = [max(len([*tip.by_ply()]) for tip in belief.live) for belief in beliefs]
    assert max(lengths) <= 5
    parted = [tip for tip in beliefs[-1].live for other in beliefs[-1].live if tip.parent is other]
    assert parted, "a story and what it was before its last ply share their nodes"


def test_what_a_player_denied_is_not_asked_again_after_a_touch_elsewhere() -> None:
    fake = table("chess")
    perform(fake, "d1- 150 b7- 150 e2- 150 b6+b7 150 e2+d1 150 e4+e2 7000")
    asked = fake.asked()
    nothing = next(number for number, choice in enumerate(asked.choices) if not choice.moves)
    fake.ask(Answer(asked.ply, nothing))
    fake.take_events()
    perform(fake, "7000 g7- 400 g7+g7 7000")
    assert brief(fake.take_events()) == ["hint several-moved", "completed several-moved"]
    perform(fake, "e2- 200 e4- 200 d1+e2 200 e2+e4 200 b6- 200 b7+b6 2000 e2- 200 e4+e2 2000")
    assert fake.record == ["e4"]
