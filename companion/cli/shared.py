# SPDX-License-Identifier: Apache-2.0
"""Arguments and options that several commands have, with the same words, and what several commands need."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from companion.model.errors import SettingsError

BOARD: Final = "The board"
"""Under this heading a command's help lists what is before the players."""

GameArgument = Annotated[str, typer.Argument(help="A game, as `companion games` lists them.")]
OptionWords = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the game; may be given again."),
]
PositionText = Annotated[
    str | None, typer.Option("--position", help="A position as text; the start where none is given.")
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
BrokerCertificate = Annotated[
    Path | None,
    typer.Option("--ca", dir_okay=False, help="The certificate that the broker is to be trusted by."),
]
ClockText = Annotated[
    str | None,
    typer.Option("--clock", metavar="TIME", help="How time is kept, as for `companion play`: 5+3, 90+30 …"),
]


def look_for_hall() -> None:
    """Say what is missing where the hall's libraries are not installed. Raises `SettingsError`."""
    for name in ("aiomqtt", "argon2", "cryptography", "py4swiss"):
        if importlib.util.find_spec(name) is None:
            raise SettingsError(
                "a hall needs {name}, which is not installed: pip install 'companion-table[hall]'", name=name
            )


class PlainHelp(TyperGroup):
    """Commands whose help wants no value for what takes none, where by itself it writes `<bool>`, and requires nothing that is asked for."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its options."""
        found: list[Any] = super().get_params(ctx)
        _say_plainly(found)
        return found

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name."""
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            _tidy(found, ctx)
        return found


def _say_plainly(params: Iterable[Any]) -> None:
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = param.metavar or ""
        if getattr(param, "prompt", None):
            param.required = False


def _tidy(command: Any, ctx: Any) -> None:
    """Do so for *command*, and for those below it."""
    _say_plainly((*command.params, command.get_help_option(ctx)))
    for each in getattr(command, "commands", {}).values():
        _tidy(each, ctx)
