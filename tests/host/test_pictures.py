# SPDX-License-Identifier: Apache-2.0
"""A kept game as a GIF that moves and as a filled score sheet."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image
from pypdf import PdfReader

from companion import games
from companion.feedback.words import load
from companion.host.records.frames import scenes
from companion.host.records.gif import animated_gif
from companion.host.records.records import rules_of
from companion.host.records.score_sheet import score_sheet
from companion.model.notation import GameRecord
from companion.sheets.page import PAPERS
from tests.host.test_round_trips import VARIANTS, played


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_gif_has_an_image_for_every_position_and_holds_the_last(
    variant: tuple[str, dict[str, str]],
) -> None:
    record = played(*variant, 5, 6, is_resigned=False)
    data = animated_gif(record, load("en", record.game, rules_of(record).sides), move_ms=500)
    assert len(data) < 200_000
    with Image.open(BytesIO(data)) as image:
        assert getattr(image, "n_frames", 1) == len(scenes(record)) == 7
        held = []
        looks = []
        for number in range(7):
            image.seek(number)
            held.append(image.info["duration"])
            looks.append(image.convert("RGB").tobytes())
        assert held == [500] * 6 + [1500]
        assert len(set(looks)) == 7
        assert image.info.get("loop") == 0


def test_a_gif_shows_the_piece_where_it_stands() -> None:
    """The middle of b2 is light once the Sword has come there, and a2's is floor."""
    record = GameRecord("close-quarters", moves=("a1-b2",))
    data = animated_gif(record, load("en", record.game, rules_of(record).sides))
    with Image.open(BytesIO(data)) as image:
        edge = image.width / 4
        spots = {"a1": (0.5, 7.22), "b2": (1.5, 6.22)}
        seen = []
        for number in (0, 1):
            image.seek(number)
            drawn = image.convert("RGB")
            seen.append(
                {name: drawn.getpixel((int(x * edge), int(y * edge))) for name, (x, y) in spots.items()}
            )
    disc, floor = seen[0]["a1"], seen[0]["b2"]
    assert disc != floor
    assert seen[1] == {"a1": floor, "b2": disc}


def test_a_score_sheet_is_filled_with_names_moves_and_result() -> None:
    record = GameRecord(
        "chess",
        moves=("f3", "e5", "g4", "Qh4#"),
        tags={"White": "Đurđa Ćosić", "Black": "名人 Zoë", "Event": "Club evening", "Date": "2026.03.01"},
        result="black: checkmate",
    )
    (page,) = PdfReader(BytesIO(score_sheet(record, PAPERS["a4"]))).pages
    text = page.extract_text()
    for said in (
        "urđa Ćosić",
        "名人",
        "Zoë",
        "Club evening",
        "2026-03-01",
        "f3",
        "Qh4#",
        "Black wins: checkmate.",
    ):
        assert said in text
    lines = text.splitlines()
    assert lines.index("f3") < lines.index("e5") < lines.index("g4") < lines.index("Qh4#")


def test_a_long_game_goes_on_over_as_many_pages_as_it_takes() -> None:
    record = played("martian-chess", {"players": "3"}, 3, 240, is_resigned=False)
    pages = PdfReader(BytesIO(score_sheet(record, PAPERS["letter"]))).pages
    assert len(pages) > 1
    words = " ".join(page.extract_text() for page in pages).split()
    assert all(words.count(move) >= record.moves.count(move) for move in set(record.moves))
    assert f"{len(pages)} of {len(pages)}" in pages[-1].extract_text()


def test_a_game_that_black_begins_leaves_white_s_first_line_free() -> None:
    rules = games.find("chess").rules()
    start = rules.write_position(rules.apply(rules.initial(), rules.read_move(rules.initial(), "e4")))
    text = PdfReader(
        BytesIO(score_sheet(GameRecord("chess", start=start, moves=("e5", "Nf3")), PAPERS["a4"]))
    )
    lines = text.pages[0].extract_text().splitlines()
    assert lines.index("1") < lines.index("e5") < lines.index("2") < lines.index("Nf3")
