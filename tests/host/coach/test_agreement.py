# SPDX-License-Identifier: Apache-2.0
"""Hint, warning and review say the same of a move."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from companion import games
from companion.feedback.hints import advice_sentences
from companion.feedback.words import load
from companion.host.records.records import from_record
from companion.host.watch.judged import Mistake, mistakes
from companion.host.watch.review_report import sentence
from companion.host.watch.reviewer import Reviewer
from companion.model.advice import Advice, AdviceKind
from companion.model.claims import ClaimKind
from companion.model.notation import GameRecord
from tests.host.coach.coached import BOUNDED, LONG_MS, coached_table

MISTAKES = {
    "chess": (
        "3k4/8/8/3p4/6p1/8/4Q3/4K3 w - - 0 1",
        ("Qe4", "dxe4"),
        "Qe4 loses the queen on e4: dxe4. Better: ",
    ),
    "close-quarters": (
        "2P1/4/4/3A/4/2MS/4/4 s 0",
        ("d3-d1", "c3xd1#"),
        "The Sword goes from d3 to d1. This loses the game: the Mace goes from c3 to d1 and captures the Sword. "
        "Better: ",
    ),
}
"""In each game a position, a mistake with its refutation, and how the review begins."""


async def advised(folder: Path, slug: str, start: str, move: str) -> tuple[Advice, Advice, str]:
    """The whole hint in a position; then the warning of *move*, in words too."""
    turn = games.find(slug).rules().read_position(start).turn
    async with coached_table(folder, start, warned=(turn,), slug=slug) as at:
        await at.is_ready()
        for _ in range(3):
            await at.next_hint()
        hint, view = at.shown(), at.table.pipeline
        at.play(move)
        await at.until(lambda: (now := view.view.advice) is not None and now.kind is AdviceKind.WARNING)
        (said,) = advice_sentences(view.view, at.table.words("en"))
        return hint, at.shown(), said


async def reviewed(folder: Path, record: GameRecord) -> Mistake:
    """The first mistake of *record*."""
    reviewer = Reviewer(f"sqlite:///{folder}/games.db", LONG_MS, most_nodes=BOUNDED.nodes)
    game = from_record(record)
    try:
        await reviewer.progress(game)
        *_, found = [each async for each in reviewer.finish(game)]
    finally:
        await reviewer.close()
    return mistakes(record, found)[0]


@pytest.mark.parametrize("slug", MISTAKES)
def test_hint_warning_and_review_of_a_position_agree(slug: str, tmp_path: Path) -> None:
    start, moves, said = MISTAKES[slug]
    hint, warning, warned = asyncio.run(advised(tmp_path, slug, start, moves[0]))
    mistake = asyncio.run(reviewed(tmp_path, GameRecord(slug, start=start, moves=moves)))
    assert mistake.claims == hint.claims
    assert mistake.played_claims == warning.claims
    assert ClaimKind.REFUTED in [each.kind for each in warning.claims]
    sides = games.find(slug).rules().sides
    text = sentence(mistake, load("en", slug, sides))
    assert text.startswith(said)
    assert warned.removeprefix("Careful! This") in text
