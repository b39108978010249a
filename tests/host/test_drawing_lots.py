# SPDX-License-Identifier: Apache-2.0
"""Drawing lots: once at the start, kept in the journal, repeated for a rematch."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.host.journal import journal
from companion.host.journal.setup import GameSetup
from companion.host.play import start as beginning
from companion.host.play.game_factory import TableGameFactory
from companion.host.play.start import PlayOptions, StartedGame, new_game_request
from companion.host.records.export import to_text
from companion.host.records.records import from_journal, rules_of
from companion.host.records.replay import replay
from companion.host.table.table_game import Again
from companion.model.notation import read_record
from companion.referee.values.events import GameBegan, MoveMade, Stage
from tests.host.tables import play, rig_for

DRAWING = ("fightopia", "gottaz", "martian-chess")


def play_options_of(folder: Path, slug: str, side: int, position: str = "") -> PlayOptions:
    """Options of a game whose first side was drawn: it is *side*."""
    return PlayOptions(
        GameSetup(slug, options=(("first", "random"),), position=position),
        folder=folder,
        pick=lambda _sides: side,
        store=f"sqlite:///{folder}/s.db",
    )


def begun_by(play_options: PlayOptions) -> StartedGame:
    return beginning.begin(new_game_request(play_options), play_options, "en")


@pytest.mark.parametrize("slug", DRAWING)
@pytest.mark.parametrize("side", [0, 1])
def test_the_drawn_side_is_in_the_journal_and_kept_when_the_game_is_resumed(
    tmp_path: Path, slug: str, side: int
) -> None:
    play_options = play_options_of(tmp_path, slug, side)
    started = begun_by(play_options)
    assert dict(started.header.setup.options)["first"] == f"random:{side + 1}"
    assert started.session.position.turn == side
    rules = started.rules
    start = rules.initial()
    move = rules.legal_moves(start)[0]
    text, after = rules.write_move(start, move), rules.write_position(rules.apply(start, move))
    with beginning.open_journal(started, play_options) as writer:
        writer.write(
            [
                GameBegan(0, rules.write_position(start)),
                MoveMade(10, 0, side, text, Stage.ANNOUNCED, after),
            ]
        )
    other = play_options_of(tmp_path, slug, 1 - side)
    again = beginning.resume(other)
    assert again.header == started.header
    assert again.rules.initial() == start
    assert [(line.side, line.move) for line in again.session.view().record] == [(side, text)]
    (kept,) = from_journal(journal.read(writer.path))
    assert kept.record.start == ""
    assert [move.side for move in kept.moves] == [side]
    read = read_record(to_text(kept.record))
    assert rules_of(read).initial().turn == side


def test_a_game_that_begins_with_a_position_needs_no_draw(tmp_path: Path) -> None:
    play_options = play_options_of(
        tmp_path, "fightopia", 1, position="vppggppv/v1pggp1v/2pppp2/8/8/2PPPP2/V1PGGP1V/VPPGGPPV w"
    )
    started = begun_by(play_options)
    assert dict(started.header.setup.options)["first"] == "random"
    assert started.session.position.turn == 0


def test_the_draw_is_random_by_default(tmp_path: Path) -> None:
    play_options = PlayOptions(GameSetup("fightopia", options=(("first", "random"),)), folder=tmp_path)
    found = {begun_by(play_options).rules.initial().turn for _ in range(64)}
    assert found == {0, 1}, "equal 64 times: once in 2 to the 63rd"


def test_a_rematch_draws_again(tmp_path: Path) -> None:
    sides = iter([1, 0])
    play_options = PlayOptions(
        GameSetup("fightopia", options=(("first", "random"),)),
        folder=tmp_path,
        pick=lambda _sides: next(sides),
        store=f"sqlite:///{tmp_path}/s.db",
    )
    game_factory = TableGameFactory(play_options, lambda _text: None)
    first = game_factory.first(begun_by(play_options))
    second = game_factory.create(Again(), first)
    assert [each.pipeline.session.position.turn for each in (first, second)] == [1, 0]
    for table_game in (first, second):
        game_factory.close(table_game)


def test_a_game_whose_beginner_was_drawn_replays(tmp_path: Path) -> None:
    play_options = play_options_of(tmp_path, "fightopia", 1)
    started = begun_by(play_options)
    with beginning.open_journal(started, play_options) as writer:
        play(rig_for(writer, started.session), "c6-c5 c3-c4")
    read = journal.read(writer.path)
    assert next(event.side for event in read.events if isinstance(event, MoveMade)) == 1
    assert replay(read) is None
