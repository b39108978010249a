# SPDX-License-Identifier: Apache-2.0
"""Exported games are imported unchanged, for every game and any players."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from companion import games
from companion.host.records.export import to_pgn, to_text
from companion.host.records.records import KeptGame, from_record, read_games
from companion.host.records.store import Added, Store
from companion.model.notation import GameRecord, describe_outcome

NAMES = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=20)
TAGS = st.dictionaries(
    st.from_regex(r"[A-Z][A-Za-z0-9_]{0,8}", fullmatch=True).filter(
        lambda name: name not in ("Game", "Option", "Start", "Result", "Scores", "Termination")
    ),
    NAMES,
    max_size=4,
)
VARIANTS: list[tuple[str, dict[str, str]]] = [
    *((slug, {}) for slug in games.slugs()),
    ("martian-chess", {"players": "5"}),
    ("tank-chess", {"map": "companion-20"}),
]


def played(slug: str, options: Mapping[str, str], seed: int, plies: int, *, is_resigned: bool) -> GameRecord:
    """A random game of at most *plies*, finished, resigned or unfinished."""
    rules = games.find(slug).rules(options)
    chance = random.Random(seed)
    position = rules.initial()
    moves: list[str] = []
    while len(moves) < plies and rules.status(position) is None:
        move = chance.choice(rules.legal_moves(position))
        moves.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    ended = rules.status(position)
    result = describe_outcome(ended, rules.sides)
    if ended is None and is_resigned:
        result = f"{rules.sides[0]}: resignation"
    scores = ended.scores if ended else ()
    return GameRecord(slug, dict(rules.options), moves=tuple(moves), result=result, scores=scores)


def read_back(text: str, suffix: str) -> list[KeptGame]:
    """The games in a file with *text*."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"games{suffix}"
        path.write_text(text, encoding="utf-8", newline="")
        found = list(read_games(path))
    kept = [game for game in found if isinstance(game, KeptGame)]
    assert len(kept) == len(found), found
    return kept


@settings(max_examples=25)
@given(st.sampled_from(VARIANTS), st.integers(0, 10**6), st.integers(0, 25), st.booleans(), TAGS)
def test_a_game_is_read_back_from_text_unchanged(
    variant: tuple[str, dict[str, str]], seed: int, plies: int, is_resigned: bool, tags: dict[str, str]
) -> None:
    record = replace(played(*variant, seed, plies, is_resigned=is_resigned), tags=tags)
    (game,) = read_back(to_text(record), ".txt")
    assert game.record == record
    assert game.digest == from_record(record).digest


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 60), st.booleans(), NAMES)
def test_a_game_of_chess_is_read_back_from_pgn_unchanged(
    seed: int, plies: int, is_resigned: bool, name: str
) -> None:
    record = replace(played("chess", {}, seed, plies, is_resigned=is_resigned), tags={"White": f"x{name}"})
    (game,) = read_back(to_pgn(from_record(record)), ".pgn")
    assert game.record.moves == record.moves
    assert game.record.result == record.result
    assert game.record.tags["White"].split() == record.tags["White"].split()
    assert game.digest == from_record(game.record).digest


@settings(max_examples=15)
@given(
    st.sampled_from(VARIANTS),
    st.integers(0, 10**6),
    st.lists(st.tuples(*[st.none() | st.integers(0, 10**7)] * 2), min_size=12, max_size=12),
)
def test_a_game_is_read_back_from_the_store_unchanged(
    variant: tuple[str, dict[str, str]], seed: int, times: list[tuple[int | None, int | None]]
) -> None:
    record = played(*variant, seed, 12, is_resigned=False)
    moves = from_record(record).moves
    timed = (
        replace(move, thought_ms=thought_ms, left_ms=left_ms)
        for move, (thought_ms, left_ms) in zip(moves, times, strict=False)
    )
    game = KeptGame(record, tuple(timed))
    with TemporaryDirectory() as folder, Store.open(f"sqlite:///{folder}/records.sqlite") as store:
        assert store.add(game) is Added.NEW
        assert store.add(game) is Added.KNOWN
        assert store.game(1) == game
