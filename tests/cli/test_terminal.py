# SPDX-License-Identifier: Apache-2.0
"""`companion play --terminal` in a real terminal: moves, a corrected illegal move, quitting."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from companion.host.journal import journal
from tests.terminals import ScreenOf

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are another thing there"),
    pytest.mark.usefixtures("own_folder"),
]

PLAY = ("play", "close-quarters", "--terminal")


def test_a_whole_game_is_played_by_typing(own_folder: Path) -> None:
    with ScreenOf(*PLAY) as seen:
        seen.until(lambda: "Connected · 4x8" in seen.text and "The Sword moves." in seen.text)
        assert seen.lines[0] == " 8  ax ·  ·  sp Close Quarters"
        assert seen.lines[-1] == ">"
        for typed, then in (
            ("a1-b2", "The weapons move."),
            ("d8 b8", "CHECK!"),
            ("b2-c3", "2. b2-c3"),
            ("a8-a5", "The Axe moves diagonally: not from a8 to a5."),
            ("right", "The weapons move."),
            ("nonsense", "“nonsense” is neither a move nor a command."),
            ("b8-b2", "2. b2-c3 b8-b2!"),
            ("c3-b2", "3. c3xb2"),
            ("d1-b2", "The weapons win: the Sword is eliminated."),
        ):
            seen.type(typed)
            seen.until(lambda then=then: then in seen.text and "…" not in seen.text)  # type: ignore[misc]
        seen.type("quit")
        assert seen.wait() == 0
    (path,) = own_folder.rglob("*.jsonl")
    assert not journal.read(path).is_under_way


def test_ctrl_c_gives_the_terminal_back_as_it_was() -> None:
    with ScreenOf(*PLAY) as seen:
        seen.until(lambda: "The Sword moves." in seen.text)
        seen.program.send_signal(signal.SIGINT)
        assert seen.wait() == 0
        import termios  # not on every system

        flags = termios.tcgetattr(seen.keyboard)[3]
        assert flags & termios.ECHO
        assert flags & termios.ICANON
    assert seen.sent.rstrip().endswith(b"\x1b[?1049l")


def test_without_colours_none_are_sent_and_marks_remain() -> None:
    with ScreenOf(*PLAY, NO_COLOR="1") as seen:
        seen.until(lambda: "The Sword moves." in seen.text)
        seen.type("a1-b2")
        seen.until(lambda: "=SW" in seen.text)
        seen.type("quit")
        assert seen.wait() == 0
    assert not re.search(rb"\x1b\[[0-9;]*(?:3[0-7]|4[0-7]|38|48|9[0-7])(?:;[0-9;]*)?m", seen.sent)


def test_a_dumb_terminal_gets_plain_lines() -> None:
    with ScreenOf(*PLAY, TERM="dumb") as seen:
        seen.until(lambda: "The Sword moves." in seen.text)
        seen.type("a1-b2")
        seen.until(lambda: "The weapons move." in seen.text)
        seen.type("quit")
        assert seen.wait() == 0
    assert b"\x1b" not in seen.sent


def test_a_small_terminal_and_another_language_are_served() -> None:
    with ScreenOf(*PLAY, "--language", "hr", columns=60, rows=20) as seen:
        seen.until(lambda: "Na potezu: Mač." in seen.text)
        seen.type("a1-b2")
        seen.until(lambda: "Na potezu: Oružja." in seen.text)
        seen.type("kraj")
        assert seen.wait() == 0


def test_the_end_of_the_input_ends_the_game() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "companion", *PLAY],
        input="",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "http://" not in done.stdout


def test_the_page_is_served_if_it_is_asked_for() -> None:
    with ScreenOf(*PLAY, "--http-port", "0", columns=120) as seen:
        seen.until(lambda: b"The table is at http://127.0.0.1:" in seen.sent)  # the screen may have moved on
        seen.type("quit")
        assert seen.wait() == 0


def typed(seen: ScreenOf, *steps: tuple[str, str]) -> None:
    """Type the first of each step and wait until the screen shows the second."""
    for line, then in steps:
        seen.type(line)
        seen.until(lambda then=then: then in " ".join(seen.text.split()) and "…" not in seen.text)  # type: ignore[misc]


@pytest.mark.long
def test_the_ways_out_of_the_guide_are_typed_too() -> None:
    with ScreenOf(*PLAY, "--sensor", "occupancy", columns=120, rows=40) as seen:
        seen.until(lambda: "The Sword moves." in seen.text)
        typed(
            seen,
            ("stand sword", "Nothing on the board differs from the record"),
            ("a8 b5", "Move the Axe from b5 to a8."),
            ("d8 c5", "Several pieces have moved at once."),
            ("stand weapons", "Which piece stands on b5 now?"),
            ("axe a8 (weapons)", "The weapons move."),
            ("record", "The record has 1 moves."),
            ("record 1 a1-z9", "Move 1, a1-z9, cannot be played"),
            ("record 1 a1-a2", "Set up the position as shown."),
            ("right", "The weapons move."),
            ("position", "Now it is: A2P/"),
            ("position nonsense", "This is not a position: 'nonsense'"),
            ("position A2P/4/4/4/2M1/S3/4/4 s 0", "Move the Mace from d1 to c4."),
            ("right", "The Sword moves."),
        )
        seen.type("quit")
        assert seen.wait() == 0


def test_unlawful_moves_get_reasons_type_ahead_is_kept_resigning_asks_and_the_end_offers_what_is_left() -> (
    None
):
    with ScreenOf("play", "chess", "--terminal", columns=120, rows=40) as seen:
        seen.until(lambda: "White moves." in seen.text)
        typed(seen, ("Qh5", "may not jump: the pawn stands on e2."))
        seen.type("e4\ne5\nNf3\nNc6")
        seen.until(lambda: "2. Nf3 Nc6" in seen.text and "…" not in seen.text)
        typed(
            seen,
            ("resign", "Resign: White. Really? (Yes / No)"),
            ("no", "White moves."),
        )
        assert "“no” is neither" not in seen.text
        typed(
            seen,
            ("resign black", "Resign: Black. Really? (Yes / No)"),
            ("yes", "White wins"),
        )
        assert "resign ·" not in seen.text
        assert "new ·" in seen.text
        seen.type("quit")
        assert seen.wait() == 0


@pytest.mark.long
def test_pawns_are_chosen_by_typing_ahead() -> None:
    with ScreenOf("play", "gottaz", "-o", "pawns=common", "--terminal", columns=100, rows=40) as seen:
        seen.until(lambda: "Pawns are being chosen, 10 more" in seen.text)
        seen.type("+S1L5\n+U1W5\n+U2L4")
        seen.until(lambda: "2. +U2L4" in seen.text and "…" not in seen.text)
        assert "1. +S1L5 +U1W5" in seen.text
        assert "First side: S1/L5 U1/W5 U2/L4" in seen.text
        assert "Pawns are being chosen, 7 more" in seen.text
        seen.press("+R1\t")
        seen.until(lambda: seen.lines[-1] == "> +R1J5")


def test_help_and_rules_are_pages_the_board_is_turned_and_the_tab_key_completes() -> None:
    with ScreenOf(*PLAY) as seen:
        seen.until(lambda: "The Sword moves." in seen.text and seen.lines[-1] == ">")
        seen.type("?")
        seen.until(lambda: "resign: give up the game" in seen.text)
        typed(seen, ("", "The Sword moves."), ("rules", "THE AIM"), ("", "HOW THE PIECES MOVE"))
        typed(seen, ("flip", "d c b a"))
        assert seen.lines[0].split()[0] == "1"
        seen.press("a1-\t\t")
        seen.until(lambda: "a1-a2 · a1-a3" in " ".join(seen.text.split()))
        seen.press("b2")
        seen.until(lambda: seen.lines[-1].endswith("> a1-b2"))  # what was typed meanwhile may stand before it
        seen.type("")
        seen.until(lambda: "The weapons move." in seen.text)
        seen.press("qui\t")
        seen.until(lambda: seen.lines[-1] == "> quit")
        seen.type("")
        assert seen.wait() == 0


@pytest.mark.long
def test_a_new_game_begins_in_the_terminal_once_the_start_position_is_set_up() -> None:
    with ScreenOf("play", "chess", "--terminal", columns=120, rows=40) as seen:
        seen.until(lambda: "White moves." in seen.text)
        typed(
            seen,
            ("e4", "1. e4"),
            ("Nf6", "1. e4 Nf6"),
            ("d4", "2. d4"),
            ("d5", "2. d4 d5"),
            ("e4 e2", "from e2 to e4."),
            ("f6 g8", "from g8 to f6."),
            ("d5 d7", "2. d4 1 RO"),  # the reply is taken back
            ("d4 d2", "A new game?"),
            ("yes", "White moves."),
        )
        assert "1. e4" not in seen.text
        seen.type("quit")
        assert seen.wait() == 0
