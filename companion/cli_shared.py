# SPDX-License-Identifier: Apache-2.0
"""Arguments and options that several commands have, with the same words, and what several commands need."""

from __future__ import annotations

import importlib.util
from typing import Annotated, Final

import typer

from companion.model.errors import SettingsError

BOARD: Final = "The board"
"""Under this heading a command's help lists what is before the players."""

GameArgument = Annotated[str, typer.Argument(help="A game, as `companion games` lists them.")]
OptionWords = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the game; may be given again."),
]
LanguageCode = Annotated[
    str | None, typer.Option("--language", help="A language, such as en or de; else that of the settings.")
]
CameraSource = Annotated[
    str | None,
    typer.Option(
        "--camera",
        rich_help_panel=BOARD,
        metavar="SOURCE",
        help="A camera that sees the printed board: its number, the address of a stream, a video or a folder of "
        "images. With a panel as well, both are used.",
    ),
]
ProfileName = Annotated[
    str | None,
    typer.Option(
        "--profile",
        rich_help_panel=BOARD,
        metavar="NAME",
        help="What `python -m calibration` found out about it, or a file.",
    ),
]
Tagless = Annotated[
    bool,
    typer.Option(
        "--tagless",
        rich_help_panel=BOARD,
        help="The pieces before the camera have no tags; begin with the start position.",
    ),
]


def look_for_hall() -> None:
    """Say what is missing where the hall's libraries are not installed. Raises `SettingsError`."""
    for name in ("aiomqtt", "argon2", "py4swiss"):
        if importlib.util.find_spec(name) is None:
            raise SettingsError(
                f"a hall needs {name}, which is not installed: pip install 'companion-table[hall]'"
            )
