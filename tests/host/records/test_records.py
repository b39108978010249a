# SPDX-License-Identifier: Apache-2.0
"""A game is converted from its journal to every text and back without change."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from companion import games
from companion.feedback.words import load
from companion.host.journal import journal
from companion.host.journal.journal import Continued, Entry, Header, JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.records.export import to_pgn, to_text
from companion.host.records.frames import scenes
from companion.host.records.records import (
    KeptGame,
    from_journal,
    from_record,
    read_games,
    rules_of,
)
from companion.host.records.score_sheet import written as score_sheet
from companion.host.watch.drawing import shapes
from companion.host.watch.svg import animated_svg
from companion.host.watch.terminal import GameReplay
from companion.model.errors import JournalError, NotationError
from companion.model.game import Outcome
from companion.model.notation import GameRecord, read_record
from companion.model.reading import Note
from companion.referee.values.events import (
    GameBegan,
    GameEnded,
    GamePaused,
    GameResumed,
    MoveMade,
    MoveRetracted,
    PositionAdopted,
    Stage,
)
from companion.referee.values.timing import DEFAULT_TIMING
from tests.games.test_tank_chess_kifu import PLAYED
from tests.host.tables import HEADER, WHOLE_GAME, written

START = "A2P/4/4/4/4/4/4/S2M s 0"
MATE = """[Event "Club evening"]
[Date "2026.03.01"]
[White "Ada"]
[Black "Bo"]
[Result "0-1"]

1. f3 {weak} e5 2. g4?? (2. e4) Qh4# 0-1
"""


def journal_of(folder: Path, *entries: Entry, header: Header = HEADER) -> KeptGame:
    """The only game of a journal with *entries*."""
    path = folder / "game.jsonl"
    path.unlink(missing_ok=True)
    with JournalWriter.create(path, header) as writer:
        writer.write(entries)
    (game,) = from_journal(journal.read(path))
    return game


def made(at_ms: int, ply: int, move: str, stage: Stage = Stage.ANNOUNCED) -> MoveMade:
    return MoveMade(at_ms, ply, ply % 2, move, stage, "")


def pgn_game(folder: Path, text: str = MATE) -> KeptGame:
    path = folder / "game.pgn"
    path.write_text(text)
    (game,) = read_games(path)
    assert isinstance(game, KeptGame)
    return game


def test_a_game_played_at_a_table_is_kept_with_its_moves_result_and_time(tmp_path: Path) -> None:
    (game,) = from_journal(journal.read(written(tmp_path / "game.jsonl", WHOLE_GAME)))
    assert game.record.moves[:2] == ("a1-b2", "d8-b8!")
    assert len(game.record.moves) == 6
    assert game.record.result == "weapons: sword-eliminated"
    assert game.record.tags == {"Date": "2026.05.01", "Time": "20:15:01"}
    assert [move.side for move in game.moves] == [0, 1, 0, 1, 0, 1]
    assert all(move.thought_ms and 0 < move.thought_ms < 3000 for move in game.moves)


def test_thinking_time_ends_with_the_first_sign_of_a_move_and_excludes_pauses(tmp_path: Path) -> None:
    game = journal_of(
        tmp_path,
        GameBegan(1000, START),
        made(4000, 0, "a1-b2", Stage.PROVISIONAL),
        made(4700, 0, "a1-b2"),
        GamePaused(5000),
        GameResumed(65_000),
        made(66_500, 1, "d8-b8!"),
    )
    assert [move.thought_ms for move in game.moves] == [3000, 2500]


def test_neither_a_move_taken_back_nor_its_result_is_recorded(tmp_path: Path) -> None:
    game = journal_of(
        tmp_path,
        GameBegan(0, START),
        made(100, 0, "a1-b2"),
        made(200, 1, "d8-b8!"),
        GameEnded(200, Outcome((1,), "sword-eliminated")),
        MoveRetracted(300, 1, "d8-b8!", Stage.SETTLED),
        made(400, 1, "d8-d7"),
    )
    assert game.record.moves == ("a1-b2", "d8-d7")
    assert game.record.result == "*"


def test_a_position_that_was_let_stand_is_kept_at_its_ply(tmp_path: Path) -> None:
    game = journal_of(
        tmp_path,
        GameBegan(0, START),
        made(100, 0, "a1-b2"),
        PositionAdopted(200, "A3/3P/4/4/4/4/1S2/3M s 0"),
        made(300, 2, "b2-b3"),
    )
    assert game.record.adopted == {1: "A3/3P/4/4/4/4/1S2/3M s 0"}
    assert read_record(to_text(game.record)) == game.record


def test_a_position_let_stand_before_the_first_move_is_in_every_export(
    tmp_path: Path,
) -> None:
    stood = "A2P/4/4/4/4/4/S3/3M s 0"
    game = journal_of(tmp_path, GameBegan(0, START), PositionAdopted(200, stood), made(300, 0, "a2-a3"))
    assert game.record.adopted == {0: stood}
    assert f"1. {{adopted: {stood}}} a2-a3" in to_text(game.record)
    words = load("en", game.record.game, rules_of(game.record).sides)
    assert score_sheet(game.record, words).result == "Before move 1 an arbiter let a position stand."


def test_a_game_that_names_an_option_removed_since_loads_from_journal_and_text(tmp_path: Path) -> None:
    header = replace(
        HEADER, setup=replace(HEADER.setup, options=(*HEADER.setup.options, ("no_move", "loss")))
    )
    game = journal_of(tmp_path, GameBegan(0, START), made(100, 0, "a1-b2"), header=header)
    assert "no_move" not in game.record.options
    named = replace(game.record, options={**game.record.options, "no_move": "draw"})
    text = tmp_path / "game.txt"
    text.write_text(to_text(named), encoding="utf-8")
    assert '[Option "no_move" "draw"]' in text.read_text(encoding="utf-8")
    (read,) = read_games(text)
    assert isinstance(read, KeptGame)
    assert read.moves == tuple(replace(move, thought_ms=None, left_ms=None) for move in game.moves)
    assert read.digest == game.digest


def test_a_resumed_game_stays_one_game_and_the_next_has_its_own_time(tmp_path: Path) -> None:
    path = tmp_path / "evening.jsonl"
    with JournalWriter.create(path, HEADER) as writer:
        writer.write([GameBegan(0, START), made(100, 0, "a1-b2")])
        (first,) = from_journal(journal.read(path))
        writer.write([Continued(200, "0.1.0", "2026-05-02T19:00:00+02:00"), made(300, 1, "d8-d7")])
        writer.write([GameBegan(60_200, START), made(60_300, 0, "a1-a2")])
    whole, second = from_journal(journal.read(path))
    assert first.origin == whole.origin != second.origin
    assert whole.record.moves == ("a1-b2", "d8-d7")
    assert second.record.tags == {"Date": "2026.05.02", "Time": "19:01:00"}


def test_a_journal_without_a_move_holds_no_game(tmp_path: Path) -> None:
    path = written(tmp_path / "game.jsonl", "")
    assert list(from_journal(journal.read(path))) == []


def test_pgn_is_imported_with_tags_and_exported_unchanged(tmp_path: Path) -> None:
    game = pgn_game(tmp_path)
    assert game.record.moves[-1].startswith("Qh4")
    assert game.record.result == "black: checkmate"
    assert game.record.tags["White"] == "Ada"
    assert pgn_game(tmp_path, to_pgn(game)) == game


def test_a_game_of_tank_chess_is_imported_as_its_players_wrote_it(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(PLAYED, encoding="utf-8")
    (game,) = read_games(path)
    assert isinstance(game, KeptGame)
    assert game.record.game == "tank-chess"
    assert game.record.moves[16:18] == ("F5-B9NWxB11", "F10-H10ExK7")
    path.write_text(PLAYED + "C1>A2/SE", encoding="utf-8")
    (fault,) = read_games(path)
    assert "game.txt: ply 20: 'C1-A2NW' is not a legal move" in str(fault)


def test_the_result_of_a_pgn_game_is_kept_if_the_board_does_not_imply_it(tmp_path: Path) -> None:
    game = pgn_game(tmp_path, '[Event "?"]\n[Termination "resignation"]\n\n1. e4 e5 1-0\n')
    assert game.record.result == "white: resignation"
    assert pgn_game(tmp_path, to_pgn(game)).record.result == "white: resignation"
    assert pgn_game(tmp_path, '[Event "?"]\n\n1. e4 e5 1/2-1/2\n').record.result == "draw: unknown"


def test_a_bad_game_is_named_with_its_line_and_the_others_are_imported(tmp_path: Path) -> None:
    path = tmp_path / "club.pgn"
    path.write_text(MATE + '\n[Event "Second"]\n\n1. Ke4 e5 *\n\n' + MATE)
    first, bad, third = read_games(path)
    assert isinstance(first, KeptGame)
    assert isinstance(third, KeptGame)
    assert isinstance(bad, NotationError)
    assert f"{path}, from line 9 on: " in str(bad)
    assert "Ke4" in str(bad)


def test_games_without_the_tag_event_are_separated_too(tmp_path: Path) -> None:
    path = tmp_path / "study.pgn"
    game = '[White "Ada"]\n[Black "Bo"]\n\n'
    path.write_text(f"{game}1. e4 e5 *\n\n{game}1. d4 (1. -- d5) d5 2. -- *\n\n{game}1. c4 c5 (1... --) *\n")
    first, note, second, third = read_games(path)
    assert isinstance(first, KeptGame)
    assert isinstance(third, KeptGame)
    assert third.record.moves == ("c4", "c5")
    assert isinstance(second, KeptGame)
    assert second.record.moves == ("d4", "d5")
    assert isinstance(note, Note)
    assert note.line == 9
    assert "move 2. '--' is a null move" in note.what


def test_times_survive_export_to_pgn_and_import(tmp_path: Path) -> None:
    text = '[Event "?"]\n\n1. e4 {[%emt 0:00:05] [%clk 0:09:57]} e5 {[%clk 0:10:00]} 2. d4 *\n'
    game = pgn_game(tmp_path, text)
    assert [(move.thought_ms, move.left_ms) for move in game.moves] == [
        (5000, 597_000),
        (None, 600_000),
        (None, None),
    ]
    assert pgn_game(tmp_path, to_pgn(game)) == game


def test_a_game_that_continued_after_the_end_by_our_rules_is_kept_in_full(
    tmp_path: Path,
) -> None:
    text = '[Event "?"]\n[SetUp "1"]\n[FEN "8/8/8/4k3/8/8/4K3/8 w - - 0 1"]\n\n1. Ke3 Kd5 1/2-1/2\n'
    game = pgn_game(tmp_path, text)
    assert game.record.moves == ("Ke3", "Kd5")
    assert game.record.options["draw_rules"] == "none"
    assert game.record.result == "draw: unknown"
    assert pgn_game(tmp_path, to_pgn(game)) == game


@pytest.mark.parametrize("name", ["missing.pgn", "missing.jsonl"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(JournalError, match=f"{name} cannot be read: No such file"):
        list(read_games(tmp_path / name))


def test_text_that_the_rules_cannot_play_is_refused_with_the_ply(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text('[Game "close-quarters"]\n\n1. a1-b2 a8-a5\n')
    (fault,) = read_games(path)
    assert isinstance(fault, NotationError)
    assert f"{path}: ply 1" in str(fault)


def test_a_game_is_recognised_from_any_text_format(tmp_path: Path) -> None:
    (played,) = from_journal(journal.read(written(tmp_path / "game.jsonl", WHOLE_GAME)))
    text = tmp_path / "game.txt"
    text.write_text(to_text(played.record))
    (imported,) = read_games(text)
    assert isinstance(imported, KeptGame)
    assert imported.digest == played.digest
    mate = pgn_game(tmp_path)
    text.write_text(to_text(mate.record))
    assert [mate.digest] == [game.digest for game in read_games(text) if isinstance(game, KeptGame)]
    assert mate.digest != pgn_game(tmp_path, MATE.replace("Ada", "Eve")).digest


@pytest.mark.parametrize("slug", games.slugs())
def test_every_game_is_drawn_as_svg_that_shows_each_position(slug: str) -> None:
    rules = games.find(slug).rules()
    position, moves = rules.initial(), []
    for _ in range(4):
        move = rules.legal_moves(position)[0]
        moves.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    record = GameRecord(slug, dict(rules.options), moves=tuple(moves))
    words = load("en", slug, rules.sides)
    assert [move.text for move in from_record(record).moves] == moves
    svg = animated_svg(record, words)
    root = ET.fromstring(svg)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    numbered = [f"1. {moves[0]}", f"1… {moves[1]}", f"2. {moves[2]}", f"2… {moves[3]}"]
    assert numbered == [text for text in texts if text in numbered]
    assert len(svg) < 100_000
    last = scenes(record)[-1]
    assert rules.placement(position) == last.placement
    picture = GameReplay.of(record, words).picture(4)
    assert [line.plain for line in picture[-2:]] == [numbered[-1], "*"]


def test_a_piece_is_visible_in_exactly_its_positions() -> None:
    record = GameRecord("close-quarters", moves=("a1-b2", "d8-b8!"))
    root = ET.fromstring(animated_svg(record, load("en", "close-quarters", rules_of(record).sides)))
    space = "{http://www.w3.org/2000/svg}"
    glyphs = {shapes()["glyphs"][kind]: kind for kind in ("sword", "spear")}
    shown: dict[str, list[tuple[str | None, ...]]] = {}
    for group in root.iter(f"{space}g"):
        animation = group.find(f"{space}animate")
        if animation is None:
            continue
        drawn = [glyphs.get(path.get("d", "")) for path in group.iter(f"{space}path")]
        written = [text.text for text in group.iter(f"{space}text")]
        for name in filter(None, [*drawn, *written]):
            shown.setdefault(name, []).append(
                (group.get("visibility"), animation.get("values"), animation.get("keyTimes"))
            )
    assert shown["sword"] == [("hidden", "visible;hidden", "0;0.2"), (None, "hidden;visible", "0;0.2")]
    assert shown["spear"] == [("hidden", "visible;hidden", "0;0.4"), (None, "hidden;visible", "0;0.4")]
    assert shown["1. a1-b2"] == [("hidden", "hidden;visible;hidden", "0;0.2;0.4")]


def test_the_options_of_a_journal_are_those_of_the_game(tmp_path: Path) -> None:
    header = Header(
        journal.FORMAT, "9", HEADER.began, GameSetup(HEADER.setup.game, (("sword", "king"),)), DEFAULT_TIMING
    )
    game = journal_of(tmp_path, GameBegan(0, START), made(100, 0, "a1-a2"), header=header)
    assert game.record.options["sword"] == "king"
