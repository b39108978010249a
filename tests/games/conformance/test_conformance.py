# SPDX-License-Identifier: Apache-2.0
"""Promises of every game, tested in random games under every option."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest

from companion.model.errors import NotationError, OptionError
from companion.model.game import AnyRules, InvalidPosition
from companion.model.notation import GameRecord, describe_outcome, read_record, replay, write_record
from companion.model.observation import Difference
from companion.model.occupancy import cells_of
from tests.games.support import carried_out, find, option_sets, random_game, random_positions, with_template

PLIES = 40
LONG_PLIES = 500


@pytest.fixture(
    params=[(slug, options) for slug in with_template() for options in option_sets(slug)],
    ids=lambda case: "-".join([case[0], *(f"{name}={value}" for name, value in case[1].items())]),
)
def rules(request: pytest.FixtureRequest) -> AnyRules:
    """The rules of every game under every option."""
    slug, options = request.param
    return find(slug).rules(options)


def check_moves(rules: AnyRules, position: Any) -> None:
    """Legal moves are distinct, ordered, and lead to different positions."""
    moves = list(rules.legal_moves(position))
    assert moves == list(rules.legal_moves(position))
    assert len(set(moves)) == len(moves)
    results = [rules.apply(position, move) for move in moves]
    assert len(set(results)) == len(results)
    assert all(0 <= result.turn < len(rules.sides) for result in results)
    assert bool(moves) == (rules.status(position) is None)


def is_usual(rules: AnyRules) -> bool:
    """True under the default options; every other set differs from them in one option."""
    return rules.options == find(rules.slug).rules().options


def checked(rules: AnyRules, seed: int, *, is_long: bool) -> Iterator[tuple[Any, Any]]:
    """Positions of a random game to check, each with the move played in it.

    All of them under the default options, or with `--long`, otherwise every third one.
    """
    step = 1 if is_long or is_usual(rules) else 3
    share = sum(map(ord, "".join(rules.options.values())))
    return itertools.islice(random_game(rules, seed, plies=PLIES), share % step, None, step)


def test_legal_moves_are_distinct_and_stop_when_the_game_is_over(rules: AnyRules, *, is_long: bool) -> None:
    for position, _ in checked(rules, seed=1, is_long=is_long):
        check_moves(rules, position)


def test_steps_lead_to_the_next_placement_and_keep_the_old_position(
    rules: AnyRules, *, is_long: bool
) -> None:
    for position, _ in checked(rules, seed=2, is_long=is_long):
        before, text = rules.placement(position), rules.write_position(position)
        for move in rules.legal_moves(position)[:60]:
            assert carried_out(before, rules.steps(position, move)) == rules.placement(
                rules.apply(position, move)
            )
        assert rules.write_position(position) == text
        assert rules.placement(position) == before


def test_the_notation_of_moves_is_unique_and_read_back(rules: AnyRules) -> None:
    """Each option has its own game; every third position is checked."""
    share = sum(map(ord, "".join(rules.options.values())))
    for position, _ in itertools.islice(random_game(rules, seed=share, plies=PLIES // 2), share % 3, None, 3):
        moves = rules.legal_moves(position)[:60]
        texts = [rules.write_move(position, move) for move in moves]
        assert len(set(texts)) == len(texts)
        assert [rules.read_move(position, text) for text in texts] == list(moves)


def test_the_record_of_a_whole_game_replays_to_its_end(rules: AnyRules) -> None:
    game = list(random_game(rules, seed=9, plies=PLIES))
    position, move = game[-1]
    last = rules.apply(position, move)
    record = GameRecord(
        rules.slug,
        rules.options,
        moves=tuple(rules.write_move(*turn) for turn in game),
        result=describe_outcome(rules.status(last), rules.sides),
    )
    read = read_record(write_record(record, len(rules.sides)))
    assert read == record
    *_, (end, _) = replay(rules, read)
    assert end == last


def test_the_text_of_positions_is_read_back(rules: AnyRules) -> None:
    for position in random_positions(rules, seed=4, count=PLIES):
        text = rules.write_position(position)
        assert rules.read_position(text) == position
        assert "\n" not in text
        assert rules.key(rules.read_position(text)) == rules.key(position)


def test_random_text_is_refused_as_notation(rules: AnyRules) -> None:
    for text in ("", "?", "nonsense", "a1", "9/9", "a1-a1-a1"):
        with pytest.raises(NotationError):
            rules.read_position(text)
        with pytest.raises(NotationError):
            rules.read_move(rules.initial(), text)


def test_a_placement_from_a_game_is_adopted(rules: AnyRules) -> None:
    for position, move in random_game(rules, seed=5, plies=PLIES):
        after = rules.apply(position, move)
        if rules.status(after) is not None:
            break
        adopted = rules.adopt(rules.placement(after), after.turn, position)
        assert not isinstance(adopted, InvalidPosition)
        assert rules.placement(adopted) == rules.placement(after)
        assert adopted.turn == after.turn


def test_announcements_point_at_pieces_of_the_side_that_moved(rules: AnyRules) -> None:
    for position, move in random_game(rules, seed=6, plies=PLIES):
        after = rules.apply(position, move)
        pieces = rules.placement(after).by_cell()
        for announcement in rules.announcements(after):
            assert announcement.side == position.turn
            assert announcement.causes
            assert {pieces[cell].side for cell in announcement.causes} == {announcement.side}
            assert all(0 <= cell < len(rules.grid) for cell in announcement.targets)


def test_any_change_of_the_pieces_is_explained(rules: AnyRules) -> None:
    """Random moves, removals and additions of pieces have a reason.

    `explain` never raises.
    """
    chance = random.Random(7)
    for position in random_positions(rules, seed=7, count=PLIES):
        occupancy = rules.placement(position).occupancy
        occupied, empty = list(cells_of(occupancy)), list(cells_of(rules.grid.everything & ~occupancy))
        for _ in range(10):
            emptied = tuple(chance.sample(occupied, chance.randint(0, min(2, len(occupied)))))
            filled = tuple(chance.sample(empty, chance.randint(0, min(2, len(empty)))))
            rest = [cell for cell in occupied if cell not in emptied]
            touched = tuple(chance.sample(rest, chance.randint(0, min(1, len(rest)))))
            violation = rules.explain(position, Difference(emptied, filled, touched=touched))
            assert violation.rule
            assert all(0 <= cell < len(rules.grid) for cell in violation.cells)


def test_options_are_kept_and_invalid_ones_refused(rules: AnyRules) -> None:
    game = find(rules.slug)
    assert set(rules.options) == {option.name for option in game.options}
    for option in game.options:
        if "file" not in option.values:
            with pytest.raises(OptionError, match=option.name):
                game.rules({option.name: "no such value"})
    with pytest.raises(OptionError):
        game.rules({"no_such_option": "yes"})


def test_every_random_game_ends_or_goes_on_for_500_plies(rules: AnyRules, *, is_long: bool) -> None:
    """Without `--long` for 100 where one option differs from the default ones."""
    plies = LONG_PLIES if is_long or is_usual(rules) else LONG_PLIES // 5
    positions = list(random_game(rules, seed=8, plies=plies))
    position, move = positions[-1]
    last = rules.apply(position, move)
    assert len(positions) == plies or rules.status(last) is not None
