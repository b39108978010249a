# SPDX-License-Identifier: Apache-2.0
"""Arguments, options and checks that several commands share."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from companion.model.errors import SettingsError

BOARD: Final = "The board"
"""Heading for the options of panel, camera and lamps."""

GameArgument = Annotated[str, typer.Argument(help="Name of a game, as in `companion games`.")]
OptionWords = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="Option of the game; repeatable."),
]
PositionText = Annotated[
    str | None, typer.Option("--position", help="Position as text (default: the initial position).")
]
LanguageCode = Annotated[
    str | None,
    typer.Option("--language", help="Language code, such as en or de (default: the one in the settings)."),
]
CameraSource = Annotated[
    str | None,
    typer.Option(
        "--camera",
        rich_help_panel=BOARD,
        metavar="SOURCE",
        help="Camera above the printed board: number, URL of a stream, video file or folder of "
        "images. Together with a panel, both are used.",
    ),
]
ProfileName = Annotated[
    str | None,
    typer.Option(
        "--profile",
        rich_help_panel=BOARD,
        metavar="NAME",
        help="Profile of the camera, made by `python -m calibration`, or its file.",
    ),
]
Tagless = Annotated[
    bool,
    typer.Option(
        "--tagless",
        rich_help_panel=BOARD,
        help="The pieces have no tags; the game starts from the initial position.",
    ),
]
BrokerCertificate = Annotated[
    Path | None,
    typer.Option(
        "--ca", dir_okay=False, help="Certificate of the authority that signed the broker's certificate."
    ),
]
ClockText = Annotated[
    str | None,
    typer.Option("--clock", metavar="TIME", help="Time control, as for `companion play`: 5+3, 90+30 …"),
]


def look_for_hall() -> None:
    """Check that the hall's libraries are installed. Raises `SettingsError`."""
    for name in ("aiomqtt", "argon2", "cryptography", "py4swiss"):
        if importlib.util.find_spec(name) is None:
            raise SettingsError(
                "a hall needs {name}, which is not installed: pip install 'companion-table[hall]'", name=name
            )


class PlainHelp(TyperGroup):
    """Command group whose help shows flags without a value and prompted options as optional."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return its parameters."""
        found: list[Any] = super().get_params(ctx)
        _say_plainly(found)
        return found

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of that name."""
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
    """Adapt *command* and its subcommands."""
    _say_plainly((*command.params, command.get_help_option(ctx)))
    for each in getattr(command, "commands", {}).values():
        _tidy(each, ctx)
