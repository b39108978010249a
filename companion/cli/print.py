# SPDX-License-Identifier: Apache-2.0
"""`companion tools print`: sheets for camera tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import typer

from companion.cli.program import Commands
from companion.cli.shared import GameArgument, OptionWords

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from companion.host.printing import SheetRequest
    from companion.sheets.page import Page, Paper

app: Final = Commands(
    help="Make PDFs in exact millimetres: tags for pieces, boards, a lens chart, score sheets.",
    epilog="Begin with: companion tools print tags close-quarters · companion tools print board close-quarters",
    no_args_is_help=True,
)

CellSize: TypeAlias = Annotated[
    float | None,
    typer.Option("--cell-mm", min=15, max=150, help="Edge of a cell in mm (default: suits the board)."),
]
PaperName: TypeAlias = Annotated[Literal["a4", "letter"], typer.Option("--paper", help="Paper size.")]
LookName: TypeAlias = Annotated[
    Literal["plain", "walnut", "green", "blue"],
    typer.Option("--look", help="Colours of the board; all but plain need a colour printer."),
]
OutFile: TypeAlias = Annotated[
    Path | None, typer.Option("--out", dir_okay=False, help="PDF file (default: named after its contents).")
]


@app.command(epilog="Example: companion tools print tags tank-chess -o map=companion-20 --cell-mm 25")
def tags(
    game: GameArgument,
    option: OptionWords = None,
    cell_mm: CellSize = None,
    paper: PaperName = "a4",
    out: OutFile = None,
) -> None:
    """Tags for the pieces of a game, with symbols and names, to cut out."""
    from functools import partial

    from companion.host.printing import print_tags
    from companion.host.watch.drawing import symbols

    _for_game(partial(print_tags, symbols=symbols()), "tags", game, option, cell_mm, paper, out)


@app.command(epilog="Example: companion tools print board martian-chess -o players=3")
def board(
    game: GameArgument,
    option: OptionWords = None,
    cell_mm: CellSize = None,
    look: LookName = "plain",
    paper: PaperName = "a4",
    out: OutFile = None,
) -> None:
    """The board of a game with its corner tags, on as many pages as necessary."""
    from companion.host.printing import print_board

    _for_game(print_board, "board", game, option, cell_mm, paper, out, look)


@app.command(epilog="Example: companion tools print scoresheet chess --paper letter")
def scoresheet(
    game: GameArgument, option: OptionWords = None, paper: PaperName = "a4", out: OutFile = None
) -> None:
    """A score sheet to fill in by hand."""
    from companion.host.printing import print_score_sheet

    _for_game(print_score_sheet, "scoresheet", game, option, None, paper, out)


@app.command(epilog="Example: companion tools print corners")
def corners(paper: PaperName = "a4", out: OutFile = None) -> None:
    """Tags for the corners of a board without printed ones."""
    from companion.host.printing import print_corners

    _alone(print_corners, "corners", paper, out)


@app.command(epilog="Example: companion tools print chart --paper letter")
def chart(paper: PaperName = "a4", out: OutFile = None) -> None:
    """The chart for calibrating a camera's lens."""
    from companion.host.printing import print_chart

    _alone(print_chart, "chart", paper, out)


@app.command(epilog="Example: companion tools print ruler")
def ruler(paper: PaperName = "a4", out: OutFile = None) -> None:
    """A ruler of 100 mm, as on all other sheets, to check the printer."""
    from companion.host.printing import print_ruler

    _alone(print_ruler, "ruler", paper, out)


def _for_game(
    make: Callable[[SheetRequest], Sequence[Page]],
    what: str,
    game: str,
    option: list[str] | None,
    cell_mm: float | None,
    paper: str,
    out: Path | None,
    look: str = "plain",
) -> None:
    """Print the sheets that *make* returns for a game."""
    from companion.host.game_info import parse_options
    from companion.host.printing import SheetRequest, file_name
    from companion.sheets.page import PAPERS

    wanted = SheetRequest(game, parse_options(option or []), cell_mm, PAPERS[paper], look)
    _write(make(wanted), file_name(wanted, what), out)


def _alone(make: Callable[[Paper], Sequence[Page]], what: str, paper: str, out: Path | None) -> None:
    """Print the sheets that *make* returns for any game."""
    from companion.sheets.page import PAPERS

    _write(make(PAPERS[paper]), what, out)


def _write(pages: Sequence[Page], name: str, out: Path | None) -> None:
    """Write the file and say so."""
    from companion.host.printing import write

    typer.echo(write(pages, name, out or Path(f"{name}.pdf")))
