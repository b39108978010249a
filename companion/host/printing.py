# SPDX-License-Identifier: Apache-2.0
"""Printed sheets for a game: combines rules, words and cell size, and writes the file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from companion import games
from companion.feedback.words import Words, load
from companion.host.text.os_errors import reporting
from companion.model.errors import SheetError
from companion.model.game import AnyRules, HasRegions
from companion.model.grid import Grid, resized
from companion.model.pieces import STANDING, Piece
from companion.model.tags import assign, corner_tags
from companion.sheets.board import PLAIN, board_pages, usual_cell_mm
from companion.sheets.chart import chart_page, lens_chart
from companion.sheets.frame import sheet
from companion.sheets.page import PAPERS, Page, Paper
from companion.sheets.pdf import to_pdf
from companion.sheets.scoresheet import score_pages
from companion.sheets.tags import corner_pages, piece_pages

_LANGUAGE: Final = "en"
_USUAL_PAPER: Final = PAPERS["a4"].name


@dataclass(frozen=True, slots=True)
class SheetRequest:
    """The game of a sheet, and its sizes."""

    slug: str
    options: Mapping[str, str]
    cell_mm: float | None
    """None for the board's default."""
    paper: Paper
    look: str = PLAIN
    """One of `LOOKS`, for a board."""


def print_tags(wanted: SheetRequest, symbols: Mapping[str, str]) -> tuple[Page, ...]:
    """Make the tags for the pieces, with *symbols*: path data by kind.

    Raises `SettingsError`, `OptionError` and `SheetError`.
    """
    game = games.find(wanted.slug)
    rules = game.rules(wanted.options)
    words = load(_LANGUAGE, game.slug, rules.sides)
    marks, grid = assign(game, wanted.options), _grid(wanted, rules)
    return piece_pages(_title(words, rules), marks, grid, partial(_names, words), wanted.paper, symbols)


def print_board(wanted: SheetRequest) -> tuple[Page, ...]:
    """Make the board with its corner tags. Raises `SettingsError` and `OptionError`."""
    rules = games.find(wanted.slug).rules(wanted.options)
    words = load(_LANGUAGE, wanted.slug, rules.sides)
    regions = rules.regions() if isinstance(rules, HasRegions) else ()
    corners = corner_tags(wanted.slug, rules.grid.slug)
    return board_pages(
        _title(words, rules), _grid(wanted, rules), regions, wanted.paper, corners, wanted.look
    )


def print_score_sheet(wanted: SheetRequest) -> tuple[Page, ...]:
    """Make the score sheet. Raises `SettingsError` and `OptionError`."""
    rules = games.find(wanted.slug).rules(wanted.options)
    words = load(_LANGUAGE, wanted.slug, rules.sides)
    sides = [words.side(side).name for side in range(len(rules.sides))]
    return score_pages(_title(words, rules), sides, wanted.paper)


def print_corners(paper: Paper) -> tuple[Page, ...]:
    """Make the tags for the corners of a board."""
    return corner_pages(paper)


def print_chart(paper: Paper) -> tuple[Page, ...]:
    """Make the chart for calibrating a lens."""
    return (chart_page(lens_chart(), paper),)


def print_ruler(paper: Paper) -> tuple[Page, ...]:
    """Make a sheet with only a ruler, the quickest test of a printer."""
    return (sheet(paper, "Ruler", "Lay a real ruler beside the line below.", (1, 1), ()),)


def file_name(wanted: SheetRequest, what: str) -> str:
    """A name without ending for the sheets *what*; other options, sizes and papers have another.

    Raises `SettingsError` and `OptionError`.
    """
    rules = games.find(wanted.slug).rules(wanted.options)
    parts = [wanted.slug, what, *(f"{name}-{value}" for name, value in _chosen(rules))]
    if wanted.cell_mm is not None:
        parts.append(f"{wanted.cell_mm:g}mm")
    if wanted.look != PLAIN:
        parts.append(wanted.look)
    if wanted.paper.name != _USUAL_PAPER:
        parts.append(wanted.paper.name.lower())
    return re.sub(r"[^\w.]+", "-", "-".join(parts)).strip("-.")


def write(pages: Sequence[Page], title: str, file: Path) -> str:
    """Write *pages* to *file*; return a sentence about it. Raises `SheetError`."""
    with reporting(
        "{path}: this file cannot be written: {reason}; name another with --out", SheetError, path=file
    ):
        file.write_bytes(to_pdf(pages, title))
    count = "1 page" if len(pages) == 1 else f"{len(pages)} pages"
    return f"{file}: {count} of {pages[0].paper.name}; print at 100 % and check the ruler"


def _grid(wanted: SheetRequest, rules: AnyRules) -> Grid:
    """Return the grid with cells of the requested size."""
    return resized(rules.grid, wanted.cell_mm or usual_cell_mm(rules.grid))


def _names(words: Words, piece: Piece) -> tuple[str, str]:
    """Return the kind, and the face and owner where they distinguish pieces."""
    kind = words.piece(piece).name
    face = "" if piece.pose == STANDING else words.pose(piece.pose).name
    owner = "" if piece.side is None else words.side(piece.side).name
    return kind[:1].upper() + kind[1:], " · ".join(filter(None, (face, owner)))


def _title(words: Words, rules: AnyRules) -> str:
    """Return the game's title with the options that differ from the defaults."""
    return " · ".join([words.game.title, *(f"{name}={value}" for name, value in _chosen(rules))])


def _chosen(rules: AnyRules) -> list[tuple[str, str]]:
    """The options that differ from the defaults, in order."""
    usual = games.find(rules.slug).rules().options
    return [(name, value.partition(";")[0]) for name, value in rules.options.items() if value != usual[name]]
