# SPDX-License-Identifier: Apache-2.0
"""The command that teaches games by lessons; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

import typer

from companion.cli.program import Commands
from companion.cli.shared import (
    CameraSource,
    CertificateFile,
    Https,
    KeyFile,
    LanguageCode,
    Misused,
    ProfileName,
    certificate_of,
    say,
)
from companion.cli.table_options import (
    BoardWords,
    HttpAddress,
    HttpPort,
    InTerminal,
    Lamps,
    OpenBrowser,
    PageWords,
    PanelPort,
    VirtualSensor,
    table_options,
)

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
    port: PanelPort = None,
    camera: CameraSource = None,
    profile: ProfileName = None,
    language: LanguageCode = None,
    http_address: HttpAddress = None,
    http_port: HttpPort = None,
    certificate: CertificateFile = None,
    key: KeyFile = None,
    https: Https = False,
    browser: OpenBrowser = None,
    terminal: InTerminal = False,
    lamps: Lamps = None,
    sensor: VirtualSensor = None,
) -> None:
    """Learn a game by lessons: a position, a task, and a reply to every answer."""
    from companion.host import settings

    usual = settings.read(settings.path())
    if listed:
        _list(game, language or usual.language)
        return
    if game is None:
        raise Misused("name a game, or list the lessons with --list", option="game")
    from companion.host.journal.lessons import read_done
    from companion.host.journal.setup import GameSetup
    from companion.host.start_page.run import play
    from companion.lessons.course import course

    slug = course(game).find(lesson).slug if lesson else read_done().first_open(game)
    board = BoardWords(port, camera, profile, lamps=lamps, sensor=sensor)
    page = PageWords(http_address, http_port, browser, terminal)
    plain = table_options(usual, game, board, page, language=language)
    trusted = certificate_of(certificate, key, plain.http_address, https=https)
    play(replace(plain, setup=GameSetup(game, lesson=slug), certificate=trusted), say)


def _list(game: str | None, language: str) -> None:
    """Print the lessons of *game*, or of all games."""
    from companion.feedback.lesson_words import course_words
    from companion.feedback.wordfiles import read_common
    from companion.host.journal.lessons import read_done
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
    show(Listing(columns, rows, labels["lessons"], "companion learn GAME LESSON"))
