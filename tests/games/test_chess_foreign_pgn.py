# SPDX-License-Identifier: Apache-2.0
"""PGN as written by other programs and by people, compared with python-chess."""

from __future__ import annotations

import io

import chess.pgn
import pytest

from companion.games.chess import pgn
from companion.model.errors import NotationError
from tests.games.test_chess_pgn import written

FRENCH = '[White "Ada"]\n[Black "Bo"]\n\n1. e4 {} e5 *\n\n'
"""A game without the tag `Event`."""


def only(text: str) -> pgn.Record:
    """The one game in *text*."""
    (record,) = pgn.read(text)
    return record


def by_python_chess(text: str) -> list[str]:
    """The moves that python-chess reads."""
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    return [node.san() for node in game.mainline()]


def results(text: str) -> list[pgn.Record | NotationError]:
    """All games in *text*, including unreadable ones."""
    return [found for _, found in pgn.games(text)]


@pytest.mark.parametrize("null", ["--", "Z0", "@@@@", "0000"])
def test_a_null_move_in_a_variation_is_skipped(null: str) -> None:
    text = f"1. e4 e5 (1... {null} 2. d4 d5) 2. Nf3 ({null} Nc6) *"
    assert written(only(text)) == by_python_chess(text) == ["e4", "e5", "Nf3"]


def test_a_null_move_in_the_game_itself_is_refused_by_name() -> None:
    with pytest.raises(NotationError, match=r"move 1\.\.\. '--' is a null move"):
        pgn.read("1. e4 -- 2. d4 *")


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
        pgn.read(f'[Event "?"]\n[Variant "{variant}"]\n\n1. e4 *')


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
    "null move": "1. e4 -- *",
    "illegal": "1. e4 Ke4 *",
    "sign": "1. e4 @ e5 *",
    "comment without an end": "1. e4 { no end 1-0\ne5 *",
    "start": '[FEN "8/8 w - - 0 1"]\n\n1. e4 *',
    "variant": '[Variant "Atomic"]\n\n1. e4 *',
    "tag": "[White Ada]\n\n1. e4 *",
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
    assert [line for line, _ in pgn.games(f"\n{FRENCH}{FRENCH}1. d4 *")] == [2, 7, 12]
