# SPDX-License-Identifier: Apache-2.0
"""In a review moves are tried, and lines are played on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from companion.feedback.words import Words, load
from companion.host.records.records import from_record, rules_of
from companion.host.watch.judged import GameAnalysis, JudgedPosition
from companion.host.watch.reviewer import Reviewer
from companion.host.watch.tries import line_json, moves_json, tried_json
from companion.model.claims import ClaimKind, WrittenClaim
from companion.model.errors import NotationError
from companion.model.notation import GameRecord
from companion.model.written_move import WrittenMove
from tests.host.test_round_trips import VARIANTS, played

MATE = GameRecord("chess", moves=("f3", "e5", "g4", "Qh4#"), result="black: checkmate")
LINE = tuple(WrittenMove(text, side, is_named=True) for side, text in enumerate(("g4", "Qh4#")))
MATED = JudgedPosition(
    0, ("h3", "d5"), -999_999, played_claims=(WrittenClaim(ClaimKind.REFUTED, count=1, line=LINE),)
)
ANALYSIS = GameAnalysis(
    5,
    (
        JudgedPosition(0, ("e4", "e5"), -50),
        JudgedPosition(50, ("d5", "d4"), 40),
        MATED,
        JudgedPosition(999_999, ("Qh4#",), 999_999),
        JudgedPosition(-1_000_000),
    ),
)


def words(record: GameRecord = MATE) -> Words:
    return load("en", record.game, rules_of(record).sides)


def captions(number: int, *, best: bool) -> list[str]:
    found = line_json(MATE, ANALYSIS, number, words(), best=best)["pictures"]
    return [each["caption"] for each in found]


def test_a_line_goes_on_from_its_position_with_the_numbers_of_the_game() -> None:
    assert captions(2, best=True) == ["", "2. h3", "2… d5"]
    assert captions(1, best=True) == ["", "1… d5", "2. d4"]
    assert captions(4, best=True) == [""]


def test_a_refutation_is_the_proven_one_or_the_best_reply_and_ends_with_the_game() -> None:
    assert captions(2, best=False) == ["", "2. g4", "2… Qh4#"]
    assert captions(0, best=False) == ["", "1. f3", "1… d5", "2. d4"]
    last = line_json(MATE, ANALYSIS, 2, words(), best=False)["pictures"][-1]["view"]
    assert last["outcome"]["sentence"] == "Black wins: checkmate."


def test_a_line_begins_at_a_position_that_was_let_stand() -> None:
    stood = "A2P/4/4/4/4/4/S3/3M w 1"
    record = GameRecord("close-quarters", moves=("a1-b2",), adopted={1: stood})
    analysis = GameAnalysis(
        3, (JudgedPosition(0, ("a1-b1",)), JudgedPosition(0), JudgedPosition(0, ("a8-b7",)))
    )
    first, after = line_json(record, analysis, 2, words(record), best=True)["pictures"]
    assert first["view"]["position"] == stood
    assert after["caption"] == "1… a8-b7"
    before, _ = line_json(record, analysis, 0, words(record), best=True)["pictures"]
    assert before["view"]["ply"] == 0


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_moves_of_a_position_have_the_cells_of_their_pieces(variant: tuple[str, dict[str, str]]) -> None:
    record = played(*variant, 11, 10, is_resigned=True)
    rules = rules_of(record)
    found = moves_json(record, len(record.moves))
    assert found is not None
    position = rules.initial()
    for move in record.moves:
        position = rules.apply(position, rules.read_move(position, move))
    texts = [each["text"] for each in found["moves"]]
    assert texts == [rules.write_move(position, move) for move in rules.legal_moves(position)]
    assert all(each["target"] for each in found["moves"])
    assert moves_json(record, len(record.moves) + 1) is None
    assert moves_json(record, -1) is None


def test_a_wrong_try_is_told_without_the_better_move_and_a_right_one_is_confirmed() -> None:
    wrong = tried_json(MATE, 2, "g4", MATED, words())
    assert not wrong["is_right"]
    assert wrong["sentence"].endswith("That is not good enough. Try again.")
    assert "h3" not in wrong["sentence"]
    best = tried_json(MATE, 2, "h3", JudgedPosition(0, ("h3", "d5"), 0), words())
    assert best["is_right"]
    assert best["sentence"].startswith("That is the best move.")
    assert [each["caption"] for each in best["pictures"]] == ["", "2. h3"]
    good = tried_json(MATE, 2, "a3", JudgedPosition(0, ("h3", "d5"), -10), words())
    assert good["is_right"]
    assert good["sentence"] == "That is good, too. Best for White: h3."


def test_a_tried_move_is_judged_like_those_of_the_game(tmp_path: Path) -> None:
    moves = ("a1-b2", "d8-b8!", "b2-c3", "b8-b2!", "c3xb2", "d1xb2#")
    game = from_record(GameRecord("close-quarters", moves=moves, result="weapons: sword-eliminated"))

    async def run() -> None:
        reviewer = Reviewer(f"sqlite:///{tmp_path}/store.sqlite", 20)
        try:
            *_, analysis = [each async for each in reviewer.finish(game)]
            judged = analysis.positions[2]
            best = await reviewer.tried(game, 2, judged.line[0])
            assert best is not None
            assert best.played == judged.value
            again = await reviewer.tried(game, 2, "b2-c3")
            assert again is not None
            assert (again.played, again.line) == (judged.played, judged.line)
            assert await reviewer.tried(game, 6, "b2-c3") is None
            assert await reviewer.tried(game, -1, "b2-c3") is None
            with pytest.raises(NotationError):
                await reviewer.tried(game, 2, "a1-a5")
        finally:
            await reviewer.close()

    asyncio.run(run())
