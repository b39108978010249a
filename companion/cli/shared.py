# SPDX-License-Identifier: Apache-2.0
"""Arguments, options and checks that several commands share."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from companion.model.errors import CompanionError, OptionError, SettingsError, UnknownName
from companion.model.phrase import Phrase

if TYPE_CHECKING:
    from companion.host.settings import BoardServiceSettings, Settings
    from companion.host.web.server import Certificate

BOARD: Final = "The board"
"""Heading for the options of panel, camera and lamps."""
PAGE: Final = "The page and the terminal"

_LANGUAGE: Final = "companion.language"
"""Key of the language that `--language` names, in the context of a command."""


class Misused(CompanionError):
    """The arguments of a command contradict each other; names the option."""

    def __init__(self, message: str, /, *, option: str, **values: object) -> None:
        super().__init__(message, option=option, **values)
        self.option = option


def say(text: str) -> None:
    """Print *text* as it is: nothing in it is markup, and the terminal wraps it."""
    typer.echo(text)


def note_language(context: typer.Context, code: str | None) -> str | None:
    """Keep the language for messages of the command."""
    context.meta[_LANGUAGE] = code
    return code


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
    typer.Option(
        "--language",
        callback=note_language,
        help="Language code, such as en or de (default: the one in the settings).",
    ),
]
JsonOutput = Annotated[bool, typer.Option("--json", help="Print JSON, for other programs.")]
CameraSource = Annotated[
    str | None,
    typer.Option(
        "--camera",
        rich_help_panel=BOARD,
        metavar="SOURCE",
        help="Camera above the printed board: number, phone, URL of a stream, video file or folder "
        "of images. Together with a panel, both are used.",
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
CostsFile = Annotated[
    Path | None,
    typer.Option(
        "--costs",
        dir_okay=False,
        help="Table of costs for the tracker, such as `companion tools fit-costs` writes; the journal keeps it.",
    ),
]
ClockText = Annotated[
    str | None,
    typer.Option("--clock", metavar="TIME", help="Time control, as for `companion play`: 5+3, 90+30 …"),
]


CertificateFile = Annotated[
    Path | None,
    typer.Option(
        "--certificate",
        rich_help_panel=PAGE,
        dir_okay=False,
        help="PEM file of a certificate for HTTPS, with --key.",
    ),
]
KeyFile = Annotated[
    Path | None,
    typer.Option("--key", rich_help_panel=PAGE, dir_okay=False, help="PEM file of the certificate's key."),
]
Https = Annotated[
    bool,
    typer.Option(
        "--https",
        rich_help_panel=PAGE,
        help="Serve the page over HTTPS with a certificate of this machine, which phones accept once.",
    ),
]


BoardService = Annotated[
    bool | None,
    typer.Option(
        "--board-service/--no-board-service",
        rich_help_panel=PAGE,
        help="Let lichess.org and programs of this computer read the board, in the way of DGT LiveChess "
        "(default: off).",
    ),
]


def service_of(usual: Settings, wanted: bool | None) -> BoardServiceSettings:
    """Return the settings of the board service; *wanted* switches it on or off."""
    return usual.board_service if wanted is None else replace(usual.board_service, on=wanted)


def certificate_of(
    certificate: Path | None, key: Path | None, address: str | None, *, https: bool
) -> Certificate | None:
    """Return the certificate of the options, for the names after *address*; None for plain HTTP.

    Raises `Misused` and `SettingsError`.
    """
    if bool(certificate) != bool(key):
        raise Misused("a certificate and its key belong together: name both", option="--certificate, --key")
    if certificate and key:
        from companion.host.web.server import Certificate

        named = Certificate(str(certificate), str(key))
        named.check()
        return named
    if not https:
        return None
    from companion.host.start_page.local_certificate import local_certificate

    return local_certificate((address or "").split(",")[1:])


def message_language(context: typer.Context | None = None) -> str:
    """Return the language of `--language`, else of the settings, even if they are invalid."""
    from companion.feedback.wordfiles import ENGLISH, languages
    from companion.host.settings import path, stated_language

    said = None if context is None else context.meta.get(_LANGUAGE)
    wanted = (said, stated_language(path()))
    return next((code for code in wanted if code in languages()), ENGLISH)


def complain(fault: CompanionError, context: typer.Context) -> None:
    """Print *fault* to standard error in the language of the command, with a likely correction."""
    from rich.console import Console
    from rich.markup import escape

    from companion.host.text.error_translation import translate

    said: str = fault.message
    if isinstance(fault, Misused):
        said = Phrase("{option}: {reason}", option=fault.option, reason=said)
    elif meant := _meant(fault):
        said = Phrase("{reason}. Did you mean {word!r}?", reason=said, word=meant)
    said = translate(said, message_language(context))
    name = context.find_root().command.name
    Console(stderr=True, highlight=False).print(f"[bold red]{name}:[/] {escape(said)}", soft_wrap=True)


def _meant(fault: CompanionError) -> str:
    """Return the allowed word closest to the unknown one; empty if none is close."""
    if isinstance(fault, UnknownName):
        words, known = [fault.name], fault.known
    elif isinstance(fault, OptionError):
        words, known = [fault.value, fault.option], fault.allowed
    else:
        return ""
    likely = (get_close_matches(word, known, n=1) for word in words if word not in known)
    return next((found[0] for found in likely if found), "")


def look_for_hall() -> None:
    """Check that the hall's libraries are installed. Raises `SettingsError`."""
    from companion.model.installation import install_command

    for name in ("aiomqtt", "argon2", "cryptography", "fastapi", "PIL", "py4swiss", "reportlab"):
        if importlib.util.find_spec(name) is None:
            raise SettingsError(
                "a hall needs {name}, which is not installed: {install}",
                name=name,
                install=install_command("hall"),
            )
