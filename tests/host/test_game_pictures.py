# SPDX-License-Identifier: Apache-2.0
"""A kept game as a GIF that moves and as a filled score sheet."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from io import BytesIO

import pytest
from PIL import Image
from pypdf import PdfReader

from companion import games
from companion.feedback.words import load
from companion.host.records.frames import scenes
from companion.host.records.records import rules_of
from companion.host.records.score_sheet import score_sheet
from companion.host.watch.drawing import style
from companion.host.watch.gif import animated_gif, rendered
from companion.host.watch.svg import shots
from companion.model.grid import cell_mm
from companion.model.installation import install_command
from companion.model.notation import GameRecord
from companion.sheets.page import PAPERS
from tests.host.test_round_trips import VARIANTS, played


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_gif_has_an_image_of_every_position_and_shows_the_last_longest(
    variant: tuple[str, dict[str, str]],
) -> None:
    record = played(*variant, 5, 6, is_resigned=False)
    data = animated_gif(record, load("en", record.game, rules_of(record).sides), move_ms=500)
    assert len(data) < 400_000
    with Image.open(BytesIO(data)) as image:
        count = len(record.moves) + 1
        assert getattr(image, "n_frames", 1) == len(scenes(record)) == count
        held = []
        looks = []
        for number in range(count):
            image.seek(number)
            held.append(image.info["duration"])
            looks.append(image.convert("RGB").tobytes())
        assert held == [500] * (count - 1) + [1500]
        assert len(set(looks)) == count
        assert image.info.get("loop") == 0


def test_a_gif_shows_the_piece_on_its_cell() -> None:
    """The edge of the disc is on b2 after the move, and a1 is empty."""
    record = GameRecord("close-quarters", moves=("a1-b2",))
    words = load("en", record.game, rules_of(record).sides)
    layout, _ = shots(record, words)
    left, top, width, height = layout.box
    with Image.open(BytesIO(animated_gif(record, words))) as image:
        assert image.width == round(640 * width / height)
        assert abs(image.height - 640) < 5
        scale = image.width / width
        grid = rules_of(record).grid
        seen = []
        for number in (0, 1):
            image.seek(number)
            drawn = image.convert("RGB")
            spots = {name: grid.centre_mm(grid.cell(name)) for name in ("a1", "b2", "b1")}
            edge = cell_mm(grid) * 0.3
            at = {
                name: (int((x - edge - left) * scale), int((-y - top) * scale))
                for name, (x, y) in spots.items()
            }
            seen.append({name: drawn.getpixel(spot) for name, spot in at.items()})
    disc = seen[0]["a1"]
    assert disc == seen[1]["b2"]
    assert seen[0]["b2"] != disc != seen[1]["a1"]
    assert seen[0]["b1"] == seen[1]["b1"] != disc


def test_a_picture_names_players_move_and_result() -> None:
    record = GameRecord(
        "chess",
        moves=("f3", "e5", "g4", "Qh4#"),
        tags={"White": "Đurđa", "Black": "Zoë <1>"},
        result="black: checkmate",
    )
    layout, elements = shots(record, load("en", "chess", rules_of(record).sides))
    last = ET.fromstring(layout.root(*layout.still(), *elements[-1].all))
    texts = [text.text for text in last.iter("{http://www.w3.org/2000/svg}text")]
    for said in ("Đurđa", "Zoë <1>", "2… Qh4#", "Black wins: checkmate.", "a", "h", "1", "8"):
        assert said in texts


def test_every_picture_is_rendered_with_all_its_colours() -> None:
    """The library supports no CSS variables.

    The style must have none left, and a shape without a fill would be black.
    """
    assert "var(" not in style()
    record = played("martian-chess", {"players": "3"}, 3, 4, is_resigned=False)
    layout, elements = shots(record, load("en", record.game, rules_of(record).sides))
    image = rendered(layout.root(*layout.still(), *elements[-1].all), 300)
    assert (0, 0, 0) not in {colour for _, colour in image.getcolors(image.width * image.height) or ()}


def test_without_the_library_the_error_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['resvg_py'] = None\n"
        "from companion.host.watch.gif import rendered\n"
        "from companion.model.errors import ExtraMissing\n"
        "try: rendered('<svg/>', 10)\n"
        "except ExtraMissing as fault: print(fault)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert install_command("gif") in done.stdout


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


def test_a_long_game_fills_as_many_pages_as_needed() -> None:
    record = played("martian-chess", {"players": "3"}, 3, 240, is_resigned=False)
    pages = PdfReader(BytesIO(score_sheet(record, PAPERS["letter"]))).pages
    assert len(pages) > 1
    words = " ".join(page.extract_text() for page in pages).split()
    assert all(words.count(move) >= record.moves.count(move) for move in set(record.moves))
    assert f"{len(pages)} of {len(pages)}" in pages[-1].extract_text()


def test_a_game_that_black_begins_leaves_whites_first_line_empty() -> None:
    rules = games.find("chess").rules()
    start = rules.write_position(rules.apply(rules.initial(), rules.read_move(rules.initial(), "e4")))
    text = PdfReader(
        BytesIO(score_sheet(GameRecord("chess", start=start, moves=("e5", "Nf3")), PAPERS["a4"]))
    )
    lines = text.pages[0].extract_text().splitlines()
    assert lines.index("1") < lines.index("e5") < lines.index("2") < lines.index("Nf3")
