# SPDX-License-Identifier: Apache-2.0
"""PGN: files of others are read; ours are read by us and by python-chess."""

from __future__ import annotations

import io
import random
from dataclasses import replace

import chess.pgn
import pytest

from companion.games.chess import GAME, fen, pgn, pgn_reader
from companion.games.chess.position import apply
from companion.games.chess.tables import Move
from companion.model.errors import NotationError

RULES = GAME.rules()

MESSY = """\ufeff[Event "A \\"good\\" \\\\ game"]
[White "One, A."]
[Black "Two, B."]
[Result "1/2-1/2"]
[WhiteElo "2000"]

% a line for programs only
1. e4 {best (by test) [%clk 0:01]} e5 ; all the rest of the line 1-0
2.Nf3 $1 Nc6!? (2... d6 3. d4 (3. Bc4 {x)} Be7) 3... Nf6) 3.Bb5 3... a6 $14
4.0-0?? d6 5 d4 1/2-1/2

[White "No moves"]
[Result "0-1"]

0-1

[White "From a position"]
[SetUp "1"]
[FEN "4k3/2p5/8/1P6/8/8/8/4K3 b - - 0 7"]

7... c5 8. bxc6 e.p. Kd8 *
"""


def read(text: str) -> tuple[pgn.Record, ...]:
    """All games in *text*. Raises `NotationError` for the first that cannot be read."""
    records = []
    for _, found in pgn_reader.games(text):
        if isinstance(found, NotationError):
            raise found
        records.append(found.value)
    return tuple(records)


def written(record: pgn.Record) -> list[str]:
    """The moves of *record* in algebraic notation."""
    position, texts = record.start, []
    for move in record.moves:
        texts.append(RULES.write_move(position, move))
        position = apply(position, move)
    return texts


def random_record(number: int, chance: random.Random) -> pgn.Record:
    """A random game from a Chess960 start position; 518 is the standard one."""
    rules = GAME.rules({"start": str(number), "draw_rules": "none"})
    position = start = rules.initial()
    moves: list[Move] = []
    while len(moves) < chance.randrange(1, 90) and (legal := rules.legal_moves(position)):
        moves.append(chance.choice(legal))
        position = rules.apply(position, moves[-1])
    tags = pgn.ROSTER | {"Event": 'Club "Tower" \\ 1', "White": "A", "Result": "1-0"}
    return pgn.Record(tuple(tags.items()), start, tuple(moves), "1-0")


def test_comments_variations_glyphs_and_numbers_are_skipped() -> None:
    first, second, third = read(MESSY)
    assert written(first) == ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "O-O", "d6", "d4"]
    assert dict(first.tags)["Event"] == 'A "good" \\ game'
    assert dict(first.tags)["WhiteElo"] == "2000"
    assert [record.result for record in (first, second, third)] == ["1/2-1/2", "0-1", "*"]
    assert second.moves == ()
    assert written(third) == ["c5", "bxc6", "Kd8"]
    assert third.start == fen.read("4k3/2p5/8/1P6/8/8/8/4K3 b - - 0 7")


def test_python_chess_reads_the_same_moves_from_an_untidy_text() -> None:
    source = io.StringIO(MESSY)
    for record in read(MESSY):
        game = chess.pgn.read_game(source)
        assert game is not None
        assert [node.san() for node in game.mainline()] == written(record)
        assert game.headers["Result"] == record.result


@pytest.mark.parametrize("number", [518, 0, 33, 356, 700, 959])
def test_records_are_read_back_by_us_and_by_python_chess(number: int) -> None:
    record = random_record(number, random.Random(number))
    text = pgn.write(record)
    assert read(text) == (record,)
    assert max(len(line) for line in text.splitlines()) <= 79
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    assert game.board().fen() == fen.write(record.start)
    assert [node.san() for node in game.mainline()] == written(record)
    assert game.headers["Result"] == "1-0"


def test_times_are_in_standard_comments_without_line_breaks() -> None:
    record = random_record(518, random.Random(4))
    times = tuple(pgn.Spent(1000 * ply + 499, 7_200_000 - 1000 * ply) for ply in range(len(record.moves)))
    text = pgn.write(replace(record, times=times))
    whole = tuple(pgn.Spent(1000 * ply, 7_200_000 - 1000 * ply) for ply in range(len(record.moves)))
    assert read(text) == (replace(record, times=whole),)
    lines = text.splitlines()
    assert max(len(line) for line in lines) <= 79
    assert all(line.count("[") == line.count("]") for line in lines)
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    nodes = list(game.mainline())
    assert [(node.emt(), node.clock()) for node in nodes] == [(ply, 7200 - ply) for ply in range(len(nodes))]


def test_the_move_number_is_repeated_after_a_comment() -> None:
    (record,) = read("1. e4 e5 2. Nf3 Nc6 *")
    times = (pgn.Spent(left_ms=3_599_001), pgn.Spent(), pgn.Spent(500), pgn.Spent(3_600_000, 0))
    told = (
        "1. e4 {[%clk 1:00:00]} 1... e5 2. Nf3 {[%emt 0:00:01]} 2... Nc6\n{[%emt 1:00:00] [%clk 0:00:00]} *"
    )
    assert pgn.write(replace(record, times=times)).endswith(f"\n\n{told}\n\n")


def test_output_of_python_chess_is_read() -> None:
    record = random_record(518, random.Random(9))
    game = chess.pgn.read_game(io.StringIO(pgn.write(record)))
    assert game is not None
    assert read(str(game)) == (record,), str(game)


def test_several_games_are_read_from_one_text() -> None:
    chance = random.Random(4)
    records = tuple(random_record(number, chance) for number in (518, 1, 518, 2))
    assert read("".join(map(pgn.write, records))) == records


def test_a_game_without_a_result_ends_where_the_next_begins() -> None:
    first, second = read('[White "A"]\n[Result "1-0"]\n\n[White "B"]\n\n1. e4')
    assert (first.result, first.moves) == ("1-0", ())
    assert (second.result, written(second)) == ("*", ["e4"])


def test_a_record_where_black_begins_has_the_right_move_number() -> None:
    record = read(MESSY)[2]
    assert pgn.write(record).endswith("\n7... c5 8. bxc6 Kd8 *\n\n")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1. Ke3 e5 *", r"game 1 \(\? - \?\): move 1\. 'Ke3' is not a legal move"),
        ("@ e5 2. d4 *", "'@' is no move"),
        ('[FEN "8/8 w - - 0 1"]\n\n*', "a board has 8 ranks"),
    ],
)
def test_an_error_names_its_place(text: str, why: str) -> None:
    with pytest.raises(NotationError, match=why):
        read(text)
