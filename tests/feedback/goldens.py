# SPDX-License-Identifier: Apache-2.0
"""Draw a standard view as text; rewrite the golden files.

Usage: `python -m tests.feedback.goldens`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from companion.feedback import lights, page, text
from companion.feedback.shown import Shown
from companion.feedback.wordfiles import languages
from companion.feedback.words import Words, load
from companion.referee.values.view import TableView

FOLDER: Final = Path(__file__).parent / "goldens"
SIGNS: Final = {
    lights.Meaning.WINNER: "W",
    lights.Meaning.WAY_BACK_FROM: "f",
    lights.Meaning.WAY_BACK_TO: "t",
    lights.Meaning.WAY_BACK_LATER: ":",
    lights.Meaning.ILLEGAL: "X",
    lights.Meaning.SET_UP_WRONG: "f",
    lights.Meaning.SET_UP_MISSING: "t",
    lights.Meaning.CARRY_FROM: "f",
    lights.Meaning.CARRY_TO: "t",
    lights.Meaning.CARRY_LATER: ":",
    lights.Meaning.QUESTION: "?",
    lights.Meaning.LIFTED_SOURCE: "s",
    lights.Meaning.CAPTURE_TARGET: "c",
    lights.Meaning.TARGET: "m",
    lights.Meaning.CHECK_TARGET: "K",
    lights.Meaning.CHECK_CAUSE: "k",
    lights.Meaning.ESCAPE: "E",
    lights.Meaning.LESSON: "o",
    lights.Meaning.LAST_TO: "l",
    lights.Meaning.LAST_FROM: "-",
    lights.Meaning.BEGINS: "b",
}


def lamps(view: TableView) -> str:
    """The lamps of a rectangle, the last rank first, a sign for each meaning."""
    said = lights.meanings(view)
    row = [SIGNS[said[cell]] if cell in said else "." for cell in range(len(view.grid))]
    files = view.grid.files
    ranks = [" ".join(row[start : start + files]) for start in range(0, len(row), files)]
    return "\n".join(reversed(ranks))


def spoken(view: TableView, words: Words) -> str:
    """The lines of the display and every sentence of the page."""
    first, second = text.render(view, words)
    picture = page.render(Shown(view), words)
    lines = [f"[{first:16}]", f"[{second:16}]", picture["prompt"]]
    lines += [guide["sentence"] for guide in picture["guides"]]
    lines += [f"{each['word']} {each['sentence']}" for each in picture["announcements"]]
    lines += [picture["offer"]] if picture["offer"] else []
    return "\n".join([*lines, " ".join(picture["commands"])])


def draw(view: TableView) -> str:
    """The lamps, followed by the texts in each language."""
    parts = [lamps(view)]
    for language in languages():
        parts.append(f"-- {language}\n{spoken(view, load(language, view.game, view.sides))}")
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    from .views import VIEWS

    for name, view in VIEWS.items():
        (FOLDER / f"{name}.txt").write_text(draw(view), encoding="utf-8")
