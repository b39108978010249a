# SPDX-License-Identifier: Apache-2.0
"""The workshop's words: none is unused, none is missing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import pytest

import calibration
from calibration.chart import MEASURES
from calibration.commands import Shown
from calibration.view_fit import PLACES
from calibration.wording import PieceName, load, sentence, shortened
from companion.feedback.text import spell
from companion.feedback.wordfiles import languages

HERE = Path(calibration.__path__[0])
MADE = {
    *(f"advice.{name}-refused" for name in ("exposure", "white-balance", "focus")),
    *(f"places.{place.replace(' ', '-')}" for place in PLACES),
    *(
        f"rows.{key}"
        for key in ("made", "camera", "size", "cell-mm", "residual", "bend", "moved", "module", "cell")
    ),
    *(f"reeds.{what}" for what in ("switch", "lamp")),
    *(f"page.corner-{place.replace(' ', '-')}" for place in PLACES),
    *(f"page.level-{level}" for level in ("good", "fair", "bad")),
    *(f"page.{verb}-{shown}" for verb in ("take", "took") for shown in Shown),
    *(f"page.bar-{measure}" for measure in MEASURES),
}
"""Keys that are built from parts."""


def keys() -> set[str]:
    file = load("en").file
    tables: dict[str, Mapping[str, str]] = {each.name: getattr(file, each.name) for each in fields(file)}
    return {f"{table}.{key}" for table, texts in tables.items() for key in texts}


def test_every_sentence_is_used_and_every_used_one_exists() -> None:
    python = "".join(path.read_text(encoding="utf-8") for path in HERE.glob("*.py"))
    page = "".join(path.read_text(encoding="utf-8") for path in (HERE / "page").iterdir())
    said = set(
        re.findall(r'"((?:advice|places|lists|rows|values|console|reeds|display|page)\.[\w-]+)"', python)
    )
    said |= {f"advice.{key}" for key in re.findall(r'"([a-z-]+)"', python) if f"advice.{key}" in keys()}
    said |= {f"page.{key}" for key in re.findall(r'data-(?:word|name)="([\w-]+)"', page)}
    said |= {f"page.{key}" for key in re.findall(r'"([a-z-]+)"', page) if f"page.{key}" in keys()}
    assert said | MADE == keys()


@pytest.mark.parametrize("code", languages())
def test_lines_for_the_boards_display_fit_it(code: str) -> None:
    words = load(code)
    for key in ("put", "cell", "blinks"):
        line = words.sentence(f"display.{key}", cell="AA10")
        assert line == spell(line)
        assert len(line) <= 16


def test_a_sentence_in_a_sentence_and_the_name_of_a_piece_speak_its_language() -> None:
    kind = PieceName("chess", "pawn")
    measured = sentence("page.measured", kind=kind, mm=18.04, sigma=0.25, count=2)
    assert load("en").text(measured) == "pawn: 18.0 mm ± 0.2 mm, from 2 places."
    assert load("hr").text(measured) == "pješak: 18,0 mm ± 0,2 mm, s 2 mjesta."
    many = shortened([f"a{number}" for number in range(1, 6)], 3)
    outside = load("de").sentence("advice.outside", cells=many)
    assert outside.startswith("Diese Felder sind nicht im Bild: a1 a2 a3 und 2 weitere.")
    assert shortened(["a1", "a2"], 3) == "a1 a2"
