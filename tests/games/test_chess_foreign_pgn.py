# SPDX-License-Identifier: Apache-2.0
"""PGN as written by other programs and by people, compared with python-chess."""

from __future__ import annotations

import io

import chess.pgn
import pytest

from companion.games.chess import fen, pgn, pgn_reader
from companion.model.errors import NotationError
from companion.model.reading import decoded
from tests.games.test_chess_pgn import read, written

FRENCH = '[White "Ada"]\n[Black "Bo"]\n\n1. e4 {} e5 *\n\n'
"""A game without the tag `Event`."""


def only(text: str) -> pgn.Record:
    """The one game in *text*."""
    (record,) = read(text)
    return record


def by_python_chess(text: str) -> list[str]:
    """The moves that python-chess reads."""
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    return [node.san() for node in game.mainline()]


def results(text: str) -> list[pgn.Record | NotationError]:
    """All games in *text*, including unreadable ones."""
    games = [found for _, found in pgn_reader.games(text)]
    return [found if isinstance(found, NotationError) else found.value for found in games]


def noted(text: str) -> tuple[list[str], list[str]]:
    """The moves of the one game in *text*, and the notes about it."""
    ((_, found),) = pgn_reader.games(text)
    assert not isinstance(found, NotationError)
    return written(found.value), list(found.sentences())


@pytest.mark.parametrize("null", ["--", "Z0", "@@@@", "0000"])
def test_a_null_move_in_a_variation_is_skipped(null: str) -> None:
    text = f"1. e4 e5 (1... {null} 2. d4 d5) 2. Nf3 ({null} Nc6) *"
    assert written(only(text)) == by_python_chess(text) == ["e4", "e5", "Nf3"]


def test_a_game_ends_before_a_null_move() -> None:
    moves, (said,) = noted("1. e4 e5\n2. -- d5 *")
    assert moves == ["e4", "e5"]
    assert said.startswith("line 2: move 2. '--' is a null move")
    assert said.endswith("; the moves before it are taken")


KINGS = "1. e4 e5 2. Ke2 Ke7 3. Ke3 Kd6 4. Kf3 Ke6 5. Ke4 1/2-1/2"
"""Kings in the middle mean a draw; the last was recorded as a move."""


@pytest.mark.parametrize(
    ("text", "moves", "result"),
    [
        (KINGS, 8, "1/2-1/2"),
        ("1. e4 e5 2. Bc4 Qh4 3. Nc3 Qxf2+ 4. a3 Nf6 1-0", 6, "1-0"),
        ("1. e4 e5 2. Nf3 ?#@ 3. Bb5 a6 1-0", 3, "1-0"),
        ("1. e4 e5 2. Nf3 Nc6\n5. O-O Nf6 *", 4, "*"),
    ],
    ids=["kings in the middle", "unseen check", "a move is lost", "a line is lost"],
)
def test_a_game_is_brought_as_far_as_it_can_be_read(text: str, moves: int, result: str) -> None:
    record = only(text)
    assert len(record.moves) == moves
    assert record.result == result
    assert any("the moves before it are taken" in said for said in noted(text)[1])


def test_a_comment_without_an_end_costs_what_follows() -> None:
    moves, notes = noted("1. e4 e5 2. Nf3 Nc6 { no end 1-0\n3. Bb5 a6")
    assert moves == ["e4", "e5", "Nf3", "Nc6"]
    assert notes[0] == "line 1: '{ no end 1-0' is no move"


def test_what_is_no_move_may_be_a_mark() -> None:
    moves, notes = noted("1. e4 €uwe 1... e5 2. Nf3 ⟁ Nc6 3. Bb5 *")
    assert moves == ["e4", "e5", "Nf3", "Nc6", "Bb5"]
    assert notes == ["line 1: '€uwe' is no move", "line 1: '⟁' is no move"]


def test_wrong_move_numbers_do_not_matter_if_the_moves_are_legal() -> None:
    moves, notes = noted("1. e4 e5 3. Nf3 Nc6 4. Bb5 *")
    assert moves == ["e4", "e5", "Nf3", "Nc6", "Bb5"]
    assert notes == ["line 1: the move number 3 does not fit"]
    counted_from_here = '[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n31. e4 Kd7 32. e5 *'
    assert noted(counted_from_here) == (["e4", "Kd7", "e5"], [])


@pytest.mark.parametrize("dash", "\u2010\u2011\u2012\u2013\u2014\u2212")
def test_dashes_and_letters_of_other_programs_are_read(dash: str) -> None:
    text = f"1. e2{dash}e4 e5 2. Nf3 Nc6 3. \u200bBb5 a6 4. o{dash}o\ufeff Nf6 1{dash}0"
    assert noted(text) == (["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "O-O", "Nf6"], [])
    assert only(text).result == "1-0"


@pytest.mark.parametrize(
    ("position", "start", "count"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1", fen.STANDARD, 1),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w KQkq - 0 1", fen.STANDARD, 1),
        ("4k3/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", 2),
        ("3rk3/8/8/8/8/8/8/3R1K2 w KQq - 0 1", "3rk3/8/8/8/8/8/8/3R1K2 w - - 0 1", 3),
        ("4k3/8/8/8/8/8/8/R3K2R b KQ z9 - 1", "4k3/8/8/8/8/8/8/R3K2R b KQ - 0 1", 2),
    ],
)
def test_what_cannot_be_in_a_position_is_left_out(position: str, start: str, count: int) -> None:
    text = f'[White "A"]\n[FEN "{position}"]\n\n*'
    assert fen.write(only(text).start) == start
    notes = noted(text)[1]
    assert len(notes) == count
    assert all(said.startswith("line 2: left out of the position: ") for said in notes)


@pytest.mark.parametrize(
    ("tag", "end", "result", "said"),
    [
        ("1-0", "*", "1-0", "line 1: the result 1-0 is taken from the tag"),
        ("1-0", "0-1", "0-1", "line 1: the tag says 1-0, the end of the moves 0-1: the latter is taken"),
        ("1-0", "", "1-0", "line 3: the game has no result after its moves: it may be cut off"),
        ("white won", "*", "*", "line 1: the result 'white won' is not understood"),
    ],
)
def test_a_result_that_is_told_twice_is_compared(tag: str, end: str, result: str, said: str) -> None:
    text = f'[Result "{tag}"]\n\n1. e4 e5 {end}'
    assert only(text).result == result
    assert noted(text)[1] == [said]


@pytest.mark.parametrize(
    ("control", "clock", "left_s", "notes"),
    [
        ("5400+30", "1:30", 5400, 1),
        ("40/5400+30:1800", "1:29", 5340, 1),
        ("300+3", "4:59", 299, 0),
        ("5400+30", "90:00", 5400, 0),
        ("5400+30", "1:23:45,6", 5025.6, 0),
        ("-", "1:30", 90, 1),
    ],
)
def test_a_clock_is_hours_and_minutes_where_the_time_control_says_so(
    control: str, clock: str, left_s: float, notes: int
) -> None:
    text = f'[TimeControl "{control}"]\n\n1. e4 {{[%clk {clock}]}} e5 *'
    assert only(text).times[0].left_ms == round(1000 * left_s)
    assert sum("clocks are read as" in said for said in noted(text)[1]) == notes


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_game_is_read_in_the_encodings_that_programs_write(encoding: str) -> None:
    text = decoded('[White "Müßig, Jörg"]\n\n1. e4 *'.encode(encoding)).value
    assert dict(only(text).tags)["White"] == "Müßig, Jörg"


@pytest.mark.parametrize(
    "mark", ["exd6e.p.", "exd6 e.p.", "exd6e.p.+", "exd6ep", "exd6 ep", "exd6e.p", "exd6"]
)
def test_en_passant_may_be_marked_with_or_without_a_space(mark: str) -> None:
    text = f'[SetUp "1"]\n[FEN "3k4/3p4/8/4P3/8/8/8/3K4 b - - 0 1"]\n\n1... d5 2. {mark} *'
    assert written(only(text)) == ["d5", "exd6"]


def test_figurines_are_read_as_pieces() -> None:
    text = "1. ♘f3 ♞f6 2. ♙e4 ♞xe4 3. d3 ♞\ufe0ec5 4. ♔d2 ♟e5 *"
    assert written(only(text)) == ["Nf3", "Nf6", "e4", "Nxe4", "d3", "Nc5", "Kd2", "e5"]
    promoted = '[SetUp "1"]\n[FEN "8/P6k/8/8/8/8/8/K7 w - - 0 1"]\n\n1. a8=♕ *'
    assert written(only(promoted)) == ["a8=Q"]


@pytest.mark.parametrize("text", ["½-½", "1/2-1/2", "½", "1/2", "½–½"])
def test_a_draw_may_be_written_with_a_fraction(text: str) -> None:
    assert only(f"1. e4 e5 {text}").result == "1/2-1/2"
    assert only(f'[Event "x"]\n[Result "{text}"]\n\n1. e4 e5').result == "1/2-1/2"


MARKS = [
    "+-",
    "-+",
    "=",
    "+=",
    "=+",
    "±",
    "∓",
    "⩲",
    "⩱",
    "∞",
    "+/-",
    "+/=",
    "=/+",
    "-/+",
    "--+",
    "+--",
    "□",
    "→",
]


@pytest.mark.parametrize("mark", [*MARKS, "N", "TN", "D", "!N", "!? +=", "<x>"])
def test_move_evaluations_are_skipped(mark: str) -> None:
    text = f"1. e4 {mark} e5 2. Nf3 {mark} Nc6 {mark} *"
    assert written(only(text)) == by_python_chess("1. e4 e5 2. Nf3 Nc6 *")


@pytest.mark.parametrize("mark", MARKS)
def test_an_evaluation_may_follow_the_move_without_a_space(mark: str) -> None:
    assert written(only(f"1. e4{mark} e5!{mark} 2. Qh5+{mark} Nc6 *")) == ["e4", "e5", "Qh5", "Nc6"]


def test_clocks_in_comments_are_read_as_python_chess_reads_them() -> None:
    text = (
        "1. e4 {[%clk 1:59:58] [%emt 0:00:02]} e5 { a reply } { [%clk 0:59:01.5] }"
        " 2. Nf3 (2. d4 {[%clk 0:00:01]} d5) 2... Nc6 {[%emt 0:01:00]} *"
    )
    found = only(text).times
    assert found == (
        pgn.Spent(2000, 7_198_000),
        pgn.Spent(None, 3_541_500),
        pgn.Spent(),
        pgn.Spent(60_000, None),
    )
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    clocks = [(node.emt(), node.clock()) for node in game.mainline()]
    seconds = [
        tuple(None if ms is None else ms / 1000 for ms in (each.elapsed_ms, each.left_ms)) for each in found
    ]
    assert seconds == clocks


def test_a_game_without_clocks_has_no_times() -> None:
    assert only("1. e4 {good} e5 {[%eval 0.3]} *").times == ()


@pytest.mark.parametrize("variant", ["Atomic", "Crazyhouse", "King of the Hill", "Three-check"])
def test_another_variant_is_refused_by_name(variant: str) -> None:
    with pytest.raises(NotationError, match=f"game 1 .*: it is a game of {variant}, not of chess"):
        read(f'[Event "?"]\n[Variant "{variant}"]\n\n1. e4 *')


@pytest.mark.parametrize(
    "variant", ["", "?", "Standard", "chess", "Chess960", "Fischerandom", "From Position", "wild/0"]
)
def test_names_of_chess_are_known(variant: str) -> None:
    assert written(only(f'[Event "?"]\n[Variant "{variant}"]\n\n1. e4 *')) == ["e4"]


def test_a_tag_given_twice_does_not_split_a_game() -> None:
    text = '[Event "A"]\n[White "Ada"]\n[Event "B"]\n[Black "Bo"]\n\n1. e4 e5 *\n'
    record = only(text)
    assert written(record) == ["e4", "e5"]
    assert dict(record.tags) == {"Event": "B", "White": "Ada", "Black": "Bo"}
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.headers["Event"] == "B"


def test_quotation_marks_in_a_tag_need_no_backslash() -> None:
    assert dict(only('[Event "The "A" group"]\n\n1. e4 *').tags)["Event"] == 'The "A" group'


BAD = {
    "null move": "1. -- e5 *",
    "illegal": "1. Ke4 e5 *",
    "sign": "1. @ e5 *",
    "start": '[FEN "8/8 w - - 0 1"]\n\n1. e4 *',
    "variant": '[Variant "Atomic"]\n\n1. e4 *',
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_an_unreadable_game_does_not_affect_the_others(bad: str) -> None:
    first, fault, third = results(f'{FRENCH}[Round "2"]\n{bad}\n\n{FRENCH}')
    assert isinstance(first, pgn.Record)
    assert isinstance(third, pgn.Record)
    assert first == third
    assert written(first) == ["e4", "e5"]
    assert isinstance(fault, NotationError)
    assert str(fault).startswith("game 2 (")


def test_an_unclosed_variation_does_not_include_the_next_game() -> None:
    first, second = results(f'[White "A"]\n\n1. e4 (1. d4 d5\n\n{FRENCH}')
    assert isinstance(first, pgn.Record)
    assert isinstance(second, pgn.Record)
    assert written(first) == ["e4"]
    assert written(second) == ["e4", "e5"]


def test_each_game_is_found_with_the_line_on_which_it_begins() -> None:
    assert [line for line, _ in pgn_reader.games(f"\n{FRENCH}{FRENCH}1. d4 *")] == [2, 7, 12]


@pytest.mark.parametrize(
    ("text", "moves", "said"),
    [
        ("1. d4 Nf6 2. Sf3 d5", 2, "line 1: 'Sf3' is no move; the moves before it are taken"),
        ("1. e4 {no end e5 2. Nf3 {so} a6 1-0", 1, "line 1: '{no end e5 2. Nf3 {s' is no move; the moves b"),
        ("1. e4 e5 2. Nf3) Nc6 3. Bb5 *", 5, "line 1: ')' is no move"),
        ('[SetUp "1"]\n\n1. e4 *', 1, "line 1: the start position is missing: the usual one is taken"),
        ("9. e4 e5 10. Nf3 *", 3, "line 1: the move number 9 does not fit"),
        ("1. e4 {[%clk 1:x]} e5 {[%emt 2.5]} *", 2, "line 1: the time '1:x' is not understood"),
        ('[White "Jo\x01"]\n\n1. e4 *', 1, "line 1: letters that are damaged are left out"),
        ('[White "Jo]\n[Black "Bo"]\n\ne4 e5 *', 2, "line 1: '[White \"Jo]' is left out: it is no tag"),
        ('White "Jo"]\n[Black "Bo"]\n\ne4 e5 *', 2, "line 1: 'White \"Jo\"]' is left out: it is no tag"),
    ],
)
def test_nothing_is_taken_silently_as_another_move_or_tag(text: str, moves: int, said: str) -> None:
    played, notes = noted(text)
    assert len(played) == moves
    assert any(each.startswith(said) for each in notes)


@pytest.mark.parametrize("text", ["1:0", "1 - 0", "0.5-0.5", "1/2 - 1/2", "0:1", "½:½"])
def test_a_result_may_have_blanks_colons_and_fractions(text: str) -> None:
    record = only(f'[White "A"]\n[Result "{text}"]\n\n1. e4 e5 {text}\n')
    assert record.result == {"1": "1-0", "0": "0-1"}.get(text[0] if text[1] in ": " else "", "1/2-1/2")
    assert noted(f"1. e4 e5 {text}")[1] == []


def test_games_without_tags_are_told_apart_and_what_is_no_game_is_refused() -> None:
    text = '[White "A"]\n\n1. e4 e5\n\n1. d4 d5 *\n\n* *\n1-0\n'
    first, second, third = (found for _, found in pgn_reader.games(text))
    assert not isinstance(first, NotationError)
    assert not isinstance(second, NotationError)
    assert [written(each.value) for each in (first, second)] == [["e4", "e5"], ["d4", "d5"]]
    assert second.sentences() == ("line 5: the game has no tags",)
    assert str(third) == "game 3 (? - ?): it has neither tags nor moves"
