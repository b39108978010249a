# SPDX-License-Identifier: Apache-2.0
"""The command that teaches games by lessons; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from typing import Annotated, Final

import typer
from rich.console import Console

from companion.cli.program import Commands
from companion.cli.shared import BOARD, PAGE, CameraSource, LanguageCode, Misused, ProfileName

app: Final = Commands()


@app.command(
    epilog="Examples: companion learn fightopia · companion learn chess castling · "
    "companion learn gottaz --terminal · companion learn close-quarters --port auto · companion learn --list"
)
def learn(
    game: Annotated[str | None, typer.Argument(help="Name of a game, as in `companion games`.")] = None,
    lesson: Annotated[
        str | None, typer.Argument(help="Name of a lesson (default: the first that is not done).")
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="List the lessons, and which of them are done.")
    ] = False,
    port: Annotated[
        str | None,
        typer.Option(
            "--port",
            rich_help_panel=BOARD,
            help="Port of the panel, as for `companion play` (default: virtual).",
        ),
    ] = None,
    camera: CameraSource = None,
    profile: ProfileName = None,
    language: LanguageCode = None,
    http_address: Annotated[
        str | None, typer.Option("--http-address", rich_help_panel=PAGE, help="Address of the page.")
    ] = None,
    http_port: Annotated[
        int | None,
        typer.Option(
            "--http-port",
            rich_help_panel=PAGE,
            min=0,
            max=65535,
            help="Port of the page; 0 for any free one.",
        ),
    ] = None,
    browser: Annotated[
        bool | None, typer.Option("--browser/--no-browser", rich_help_panel=PAGE, help="Open the page.")
    ] = None,
    terminal: Annotated[
        bool,
        typer.Option(
            "--terminal",
            rich_help_panel=PAGE,
            help="Learn by typing in this terminal; the page is served only if one of its options is given.",
        ),
    ] = False,
) -> None:
    """Learn a game by lessons: a position, a task, and a reply to every answer."""
    from companion.host import settings

    usual = settings.read(settings.path())
    if listed:
        _list(game, language or usual.language)
        return
    if game is None:
        raise Misused("name a game, or list the lessons with --list", option="game")
    from companion.cli.play import VIRTUAL
    from companion.feedback.lights import LampLevel
    from companion.host.devices.camera import CameraOptions
    from companion.host.play.start import PlayOptions
    from companion.host.records.lessons import read_done
    from companion.host.start_page.run import play
    from companion.lessons.course import course

    slug = course(game).find(lesson).slug if lesson else read_done().first_open(game)
    wished = usual.port if port is None else port
    source = camera or (None if port else usual.camera)
    kind, _, panel = (wished or VIRTUAL).partition(":")
    is_virtual = kind == VIRTUAL
    play_options = PlayOptions(
        game=game,
        lesson=slug,
        port=None if is_virtual else wished,
        virtual_panel=panel if is_virtual else "",
        camera=CameraOptions(source, profile or usual.profile) if source else None,
        language=language or usual.language,
        http_address=http_address or usual.page.address,
        http_port=usual.page.port if http_port is None else http_port,
        browser=usual.page.browser if browser is None else browser,
        lamps=LampLevel(usual.lamps),
        broken=usual.broken,
        timing=usual.waits,
        costs=settings.costs_of(usual.costs),
        terminal=terminal,
        page=not terminal or browser is True or http_address is not None or http_port is not None,
    )
    play(play_options, Console(highlight=False))


def _list(game: str | None, language: str) -> None:
    """Print the lessons of *game*, or of all games."""
    from companion.feedback.lesson_words import course_words
    from companion.feedback.wordfiles import read_common
    from companion.host.records.lessons import read_done
    from companion.host.text.listing import Listing, show
    from companion.lessons.course import course, taught

    labels, done = read_common(language).labels, read_done()
    rows = [
        (
            slug,
            lesson,
            "✓" if lesson in done.of(slug) else "",
            course_words(language, slug).lessons[lesson].title,
        )
        for slug in (taught() if game is None else (game,))
        for lesson in course(slug).slugs
    ]
    columns = ("game", "lesson", "done", "title")
    show(Listing(columns, rows, labels["lessons"], "companion learn GAME LESSON"), Console())
