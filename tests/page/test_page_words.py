# SPDX-License-Identifier: Apache-2.0
"""Pages in a real Chromium fill templates exactly as the program does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from companion.feedback.template import fill
from companion.feedback.wordfiles import grammar, languages

pytestmark = pytest.mark.browser

FORMS = {
    "other": "only",
    "one-other": "one|other",
    "upto-one-other": "one|other",
    "one-few-other": "one|few|other",
}
FILLINGS: tuple[dict[str, Any], ...] = (
    *(
        {"count": count, "px": count / 7, "name": "Ana"}
        for count in (0, 1, 2, 3, 5, 11, 12, 21, 22, 101, 112)
    ),
    {"count": 2, "px": 0.0},
    {"name": "$& {count}"},
)


@pytest.mark.parametrize("language", languages())
def test_a_page_fills_templates_as_the_program_does(language: str, browser: Browser) -> None:
    of = grammar(language)
    template = f"{{name}}: {{count}} {{count?{FORMS[of.plural]}}}, {{px:2}} px, {{px:0}}, {{missing}}"
    script = (Path(__file__).parents[2] / "companion/host/web/page/words.js").read_text(encoding="utf-8")
    page = browser.new_page()
    page.add_script_tag(content=f"{script}\nwindow.fill = fill;", type="module")
    page.wait_for_function("() => Boolean(window.fill)")
    said = page.evaluate(
        "([template, all, code]) => all.map((gaps) => fill(template, gaps, code))",
        [template, FILLINGS, language],
    )
    page.close()
    assert said == [fill(template, gaps, of) for gaps in FILLINGS]


def test_no_page_makes_elements_or_fills_templates_in_its_own_way() -> None:
    root = Path(__file__).parents[2]
    folders = ("companion/host/web/page", "companion/host/hall/page", "calibration/page")
    for folder in folders:
        for file in (root / folder).glob("*.js"):
            script = file.read_text(encoding="utf-8")
            assert ("createElement(" in script) == (file.name == "dom.js"), file
            assert "replace(`{" not in script, file
