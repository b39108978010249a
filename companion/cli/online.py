# SPDX-License-Identifier: Apache-2.0
"""`companion online`: accounts elsewhere; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import typer

from companion.cli.program import Commands
from companion.cli.shared import say

app: Final = Commands(
    help="Accounts at places where people play: log in, log out.",
    epilog="Then: companion play chess --online lichess --clock 15+10",
    no_args_is_help=True,
)

ELSEWHERE: Final = "People elsewhere"
"""Heading for the options of games with them."""
OnlinePlace = Annotated[
    str | None,
    typer.Option(
        "--online",
        rich_help_panel=ELSEWHERE,
        metavar="PLACE",
        help="Play with people elsewhere: lichess (log in with `companion online login`), new to invite another "
        "table by a code (or to go on with that game; another begins one in any case), or the code of the table that invites you.",
    ),
]
Via = Annotated[
    str,
    typer.Option(
        "--via",
        rich_help_panel=ELSEWHERE,
        metavar="URL",
        help="How two tables meet: ws://HOST:PORT of the inviting one (default: it waits at port 7810), or a "
        "broker as mqtt://HOST.",
    ),
]
Against = Annotated[
    str,
    typer.Option(
        "--against",
        rich_help_panel=ELSEWHERE,
        metavar="NAME",
        help="Opponent there: anyone, computer:LEVEL (1 to 8), or the name of a player.",
    ),
]
Days = Annotated[
    int | None,
    typer.Option("--days", rich_help_panel=ELSEWHERE, help="Days for each move there, instead of a clock."),
]
Colour = Annotated[
    Literal["random", "white", "black"],
    typer.Option("--colour", rich_help_panel=ELSEWHERE, help="Your colour there."),
]
Rated = Annotated[
    bool, typer.Option("--rated", rich_help_panel=ELSEWHERE, help="Let the game count for the rating there.")
]
GameId = Annotated[
    str,
    typer.Option("--game-id", rich_help_panel=ELSEWHERE, metavar="ID", help="Go on with this game there."),
]
Server = Annotated[str, typer.Argument(help="lichess, or the address of a server with the same interface.")]


@app.command("login", epilog="Example: companion online login")
def log_in(server: Server = "lichess") -> None:
    """Keep a token with which this computer plays for you; it is asked for."""
    from companion.host.online.lichess_account import check_token, page_of_tokens
    from companion.host.online.tokens import address_of, file, keep

    url = address_of(server)
    say(f"Make a token at {page_of_tokens(url)}")
    token = typer.prompt("Token", hide_input=True).strip()
    name = check_token(url, token)
    keep(url, token)
    say(f"{name} plays on {url}. The token is in {file()}")


@app.command("logout", epilog="Example: companion online logout")
def log_out(server: Server = "lichess") -> None:
    """Forget the token, and let the server forget it, too."""
    from companion.host.online.lichess_account import revoke_token
    from companion.host.online.tokens import address_of, keep, token_of

    url = address_of(server)
    token = token_of(url)
    keep(url, "")
    revoke_token(url, token)
    say(f"Logged out of {url}")
