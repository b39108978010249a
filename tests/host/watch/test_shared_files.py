# SPDX-License-Identifier: Apache-2.0
"""The files that people take away from a game."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from companion.host.records.records import from_record
from companion.host.watch.review import ReviewedGame
from companion.host.watch.review_page import answer_file, answer_review
from companion.model.installation import install_command
from companion.model.notation import GameRecord

GAME = ReviewedGame(
    from_record(
        GameRecord(
            "chess",
            moves=("f3", "e5", "g4", "Qh4#"),
            tags={"White": "Ann", "Black": "Ben"},
            result="black: checkmate",
        )
    )
)


def review() -> dict[str, Any]:
    answer = asyncio.run(answer_review(lambda: GAME, "en"))
    return json.loads(bytes(answer.body))  # type: ignore[no-any-return]


def test_a_score_sheet_and_the_result_have_the_names() -> None:
    sheet = asyncio.run(answer_file(lambda: GAME, "pdf", "en"))
    assert sheet.headers["content-type"] == "application/pdf"
    text = PdfReader(BytesIO(sheet.body)).pages[0].extract_text()
    assert "Ann" in text
    assert "Qh4#" in text
    last = review()["pictures"][-1]["view"]
    assert last["prompt"] == "Ben (Black) wins: checkmate."


def test_a_form_whose_package_is_missing_is_not_offered_but_its_command_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = review()
    assert (whole["files"], whole["lacking"]) == (["pgn", "txt", "pdf", "svg", "gif"], {})
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "resvg_py" else find(name))
    partial = review()
    assert (partial["files"], partial["lacking"]) == (
        ["pgn", "txt", "pdf", "svg"],
        {"gif": install_command("gif")},
    )
    assert asyncio.run(answer_file(lambda: GAME, "gif", "en")).status_code == 404
