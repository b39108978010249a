# SPDX-License-Identifier: Apache-2.0
"""Draw the terminal screen of a view; rewrite the golden screens.

Usage: `python -m tests.feedback.screens`.
"""

from __future__ import annotations

import io
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from rich.console import Console

from companion import games
from companion.feedback.letters import Letters
from companion.feedback.screen import Size, Surroundings, render
from companion.feedback.words import Words, load
from companion.host.terminal.parser import hint
from companion.referee.values.view import ClockView, TableView
from tests.fakes import FakeTable

from .views import CHECKED, ILLEGAL, VIEWS

FOLDER: Final = Path(__file__).parent / "screens"
PICTURE: Final = Path(__file__).parents[2] / "docs" / "terminal.svg"
USUAL: Final = Size(80, 23)
"""A terminal of 80 by 24, its last line left for input."""
AROUND: Final = Surroundings(
    link="Connected · 4x8",
    said=(
        "CHECK! The weapons could win next turn: from d5, against b3.",
        "“zzz” is neither a move nor a command.",
    ),
    hint="Type a move, two cells, the number of an answer, or: resign · draw · back · pause · go · new · quit",
    now_ms=70_000,
)
TIMED: Final = replace(
    CHECKED, clocks=(ClockView(75_000, True, 60_000), ClockView(9_900, False, 60_000, spans=2))
)


@cache
def written(game: str, options: tuple[tuple[str, str], ...], language: str) -> tuple[Words, list[Letters]]:
    """The words of a game, and the ways to write its pieces."""
    rules = games.find(game).rules(dict(options))
    words = load(language, game, rules.sides)
    return words, [Letters.of(rules, words, count) for count in (2, 1)]


def screen(
    view: TableView, size: Size = USUAL, language: str = "en", around: Surroundings = AROUND
) -> list[str]:
    """The lines of the screen without colours."""
    words, letters = written(view.game, view.options, language)
    return [line.plain.rstrip() for line in render(view, words, letters, around, size)]


def set_up(game: str, **options: str) -> TableView:
    """The view of a game in its start position."""
    table = FakeTable(games.find(game).rules(options))
    table.set_up()
    return table.session.view()


@cache
def golden_screens() -> dict[str, list[str]]:
    """Every golden screen by name.

    Standard views, clocks, Japanese, and the largest and least regular boards.
    """
    shown = {name: screen(view) for name, view in VIEWS.items()}
    shown["timed"] = screen(TIMED)
    shown["japanese"] = screen(CHECKED, language="ja")
    shown["narrow"] = screen(CHECKED, Size(40, 15))
    for name, view in {
        "tank-chess-20": set_up("tank-chess", map="companion-20"),
        "martian-chess-6": set_up("martian-chess", players="6"),
        "gottaz": set_up("gottaz"),
        "chess": set_up("chess"),
        "fightopia": set_up("fightopia"),
    }.items():
        shown[name] = screen(view)
    return shown


def picture() -> str:
    """The image of the README: a coloured board as SVG without external resources."""
    words, letters = written(ILLEGAL.game, ILLEGAL.options, "en")
    said = ("CHECK! The weapons could win next turn: from b2, against a2.",)
    typed = hint(ILLEGAL, words, is_virtual=True)
    around = replace(AROUND, said=said, hint=typed, players=("Ada", "Bo"))
    console = Console(record=True, width=USUAL.columns, file=io.StringIO(), force_terminal=True)
    clocks = (ClockView(301_000, False, 60_000), ClockView(285_000, True, 60_000))
    for line in render(replace(ILLEGAL, clocks=clocks), words, letters, around, Size(USUAL.columns, 20)):
        console.print(line)
    console.print(">")
    drawn = console.export_svg(title="companion play close-quarters --terminal", unique_id="terminal")
    return re.sub(r"\s*@font-face \{.*?\}", "", drawn, flags=re.DOTALL)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
    for name, lines in golden_screens().items():
        (FOLDER / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
