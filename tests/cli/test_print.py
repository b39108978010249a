# SPDX-License-Identifier: Apache-2.0
"""`companion tools print` writes the file it names, or says what it cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest
from pypdf import PdfReader

from companion.cli.main import main
from companion.sheets.board import LOOKS, PLAIN


@pytest.mark.parametrize(
    ("words", "pages", "shown"),
    [
        (["tags", "tank-chess", "-o", "map=companion-20", "--cell-mm", "25"], 1, "wreck · Black · 2 · #59"),
        (["tags", "gottaz"], 3, "Leap 5 · First side · 1 · #5"),
        (["board", "martian-chess", "-o", "players=3"], 7, "Martian Chess · players=3"),
        (["scoresheet", "chess", "--paper", "letter"], 1, "Letter"),
        (["corners"], 1, "far left"),
        (["chart"], 1, "9 x 6 squares of 27 mm"),
        (["ruler"], 1, "100 mm"),
    ],
)
def test_a_document_is_written_and_named(
    words: list[str], pages: int, shown: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "sheet.pdf"
    assert main(["tools", "print", *words, "--out", str(out)]) == 0
    assert f"{out}: {pages} page" in capsys.readouterr().out
    reader = PdfReader(out)
    assert len(reader.pages) == pages
    assert any(shown in page.extract_text() for page in reader.pages)


def test_without_a_name_the_file_is_called_after_game_and_sheet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["tools", "print", "tags", "close-quarters"]) == 0
    assert (tmp_path / "close-quarters-tags.pdf").read_bytes().startswith(b"%PDF")


def test_sheets_of_other_maps_sizes_and_papers_do_not_overwrite_one_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    large = ["-o", "map=companion-20"]
    for words in ([], large, [*large, "--cell-mm", "22.5"], [*large, "--paper", "letter"]):
        assert main(["tools", "print", "tags", "tank-chess", *words]) == 0
    assert {file.name for file in tmp_path.iterdir()} == {
        "tank-chess-tags.pdf",
        "tank-chess-tags-map-companion-20.pdf",
        "tank-chess-tags-map-companion-20-22.5mm.pdf",
        "tank-chess-tags-map-companion-20-letter.pdf",
    }


@pytest.mark.parametrize("look", LOOKS)
def test_a_board_is_printed_in_every_look(look: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["tools", "print", "board", "close-quarters", "--look", look]) == 0
    (file,) = tmp_path.iterdir()
    assert file.name == ("close-quarters-board.pdf" if look == PLAIN else f"close-quarters-board-{look}.pdf")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["tags", "ludo"], 2, "there is no game 'ludo'"),
        (["board", "gottaz", "-o", "size=9"], 2, "there is no option 'size' here"),
        (["tags", "fightopia", "--cell-mm", "150"], 1, "print for smaller cells with --cell-mm"),
        (["board", "chess", "--cell-mm", "5"], 2, "--cell-mm"),
        (["board", "chess", "--look", "marble"], 2, "'plain', 'walnut', 'green', 'blue'"),
        (["chart", "--paper", "a3"], 2, "--paper"),
    ],
)
def test_failed_prints_are_reported(
    words: list[str], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "sheet.pdf"
    assert main(["tools", "print", *words, "--out", str(out)]) == code
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_a_file_that_cannot_be_written_is_named_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "nowhere" / "sheet.pdf"
    assert main(["tools", "print", "corners", "--out", str(out)]) == 1
    assert f"{out}: this file cannot be written: No such file or directory" in capsys.readouterr().err
