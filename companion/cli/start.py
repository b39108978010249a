# SPDX-License-Identifier: Apache-2.0
"""The start page from the command line; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from companion.cli.program import Commands
from companion.cli.shared import (
    BoardService,
    CertificateFile,
    Https,
    KeyFile,
    LanguageCode,
    certificate_of,
    say,
    service_of,
)
from companion.cli.table_options import (
    BoardWords,
    HttpAddress,
    HttpPort,
    OpenBrowser,
    PageWords,
    table_options,
)

if TYPE_CHECKING:
    from companion.host.web.server import Certificate

app: Final = Commands()


@app.command(epilog="Examples: companion start · companion start --http-port 8080 --no-browser")
def start(
    language: LanguageCode = None,
    http_address: HttpAddress = None,
    http_port: HttpPort = None,
    certificate: CertificateFile = None,
    key: KeyFile = None,
    https: Https = False,
    browser: OpenBrowser = None,
    board_service: BoardService = None,
) -> None:
    """Serve the start page: games, boards and cameras, unfinished and kept games."""
    trusted = certificate_of(certificate, key, http_address, https=https)
    serve(language, http_address, http_port, browser, trusted, board_service=board_service)


def serve(
    language: str | None = None,
    http_address: str | None = None,
    http_port: int | None = None,
    browser: bool | None = None,
    certificate: Certificate | None = None,
    *,
    board_service: bool | None = None,
) -> None:
    """Serve the start page with the settings, except for what is not None."""
    from companion.feedback.wordfiles import read_common
    from companion.host import settings
    from companion.host.start_page.run import wait_for_games

    usual = settings.read(settings.path())
    page = PageWords(http_address, http_port, browser)
    plain = table_options(usual, "", BoardWords(), page, language=language)
    play_options = replace(plain, certificate=certificate, board_service=service_of(usual, board_service))
    read_common(play_options.language)
    wait_for_games(play_options, say)
