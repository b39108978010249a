# SPDX-License-Identifier: Apache-2.0
"""The film of a kept game has a picture of each position, and the result."""

from __future__ import annotations

import json

import pytest

from companion.feedback.words import load
from companion.host.records.records import rules_of
from companion.host.watch.page import replay_json, views
from companion.model.notation import GameRecord
from tests.host.test_round_trips import VARIANTS, played


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_every_game_makes_a_film_with_the_last_move_of_each_picture(
    variant: tuple[str, dict[str, str]],
) -> None:
    record = played(*variant, 11, 10, is_resigned=True)
    replay = replay_json(record, load("en", record.game, rules_of(record).sides))
    data = json.loads(json.dumps(replay))
    moves = [[move["move"] for move in picture["view"]["record"]] for picture in data["pictures"]]
    assert moves == [[], *([move] for move in record.moves)]
    assert [picture["view"]["ply"] for picture in data["pictures"]] == list(range(len(record.moves) + 1))
    assert data["pictures"][-1]["view"]["outcome"] is not None
    assert all(picture["view"]["outcome"] is None for picture in data["pictures"][:-1])
    assert all(
        len(picture["lamps"]["cells"]) == len(data["table"]["grid"]["cells"]) for picture in data["pictures"]
    )


def test_a_position_that_was_let_stand_has_its_own_picture() -> None:
    record = GameRecord("close-quarters", moves=("a1-b2",), adopted={1: "A2P/4/4/4/4/4/S3/3M w 1"})
    shown = list(views(record))
    assert [len(view.record) for view in shown] == [0, 1, 0]
    assert shown[-1].placement != shown[-2].placement
