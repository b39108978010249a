# SPDX-License-Identifier: Apache-2.0
"""The command line: parses arguments, calls the host, and reports errors.

Its rule: it does no work itself. A command is imported when it is used, and imports no host module
before it needs it, so that help is fast.

Exit codes: 0 success · 1 failure, with a message · 2 invalid arguments · 130 stopped by Ctrl-C
(`play` and `tools film` end with 0 on Ctrl-C, which is their normal end).
"""

from __future__ import annotations

import gc
import sys
from difflib import get_close_matches
from typing import Annotated, Any, Final

import typer

from companion import __version__
from companion.cli.program import MISUSED, Commands, Lazy, LazyGroup, Program

PANELS: Final = {
    "Play": {
        "start": Lazy(
            "companion.cli.start",
            "Serve the start page: games, boards and cameras, unfinished and kept games.",
        ),
        "play": Lazy("companion.cli.play", "Play a game with a panel, a camera or a virtual table."),
        "learn": Lazy(
            "companion.cli.learn",
            "Learn a game by lessons: a position, a task, and a reply to every answer.",
        ),
        "puzzle": Lazy(
            "companion.cli.puzzle",
            "Solve a puzzle at the board: win by force, while the computer defends.",
        ),
        "games": Lazy(
            "companion.cli.games",
            "List the games, or the options of one and the computer's levels.",
        ),
        "rules": Lazy("companion.cli.games", "Teach the rules of a game, for the chosen options."),
        "help": Lazy("companion.cli.help", "Show a topic of the user guide, or list the topics."),
    },
    "Your games": {
        "records": Lazy(
            "companion.cli.records", "Stored games: list, show, replay, export, import, statistics."
        ),
        "review": Lazy(
            "companion.cli.review",
            "Analyse a game: a value for each position, and the largest mistakes.",
        ),
    },
    "Your table": {
        "online": Lazy("companion.cli.online", "Accounts at places where people play: log in, log out."),
        "settings": Lazy("companion.cli.settings", "Personal defaults: language, port, store, …"),
        "doctor": Lazy(
            "companion.cli.devices", "Diagnose this computer, a sensor board or a camera, and name remedies."
        ),
    },
    "A club": {
        "hall": Lazy(
            "companion.cli.hall",
            "Run a hall: boards, tournaments, arbiter's desk and spectators' page, on one or more machines.",
        ),
    },
    "For builders": {
        "tools": Lazy(
            "companion.cli.tools", "Sheets to print, sensor boards, cameras, and what games are made of."
        ),
    },
}
"""The commands, in the order in which people need them."""

MOVED: Final = {
    "table": "hall table",
    "replay": "records replay",
    "panel": "tools simulate",
    "record": "tools film",
    "demo": "tools demo",
    "print": "tools print",
    "flash": "tools flash",
    "switches": "tools switches",
    "panels": "tools panels",
    "analyse": "tools analyse",
    "maps": "tools maps",
    "moves": "tools moves",
    "perft": "tools perft",
    "explain-moves": "tools explain-moves",
    "fit-costs": "tools fit-costs",
}
"""Former names of commands."""

STOPPED: Final = 130
_SWEEP: Final = (100_000, 20, 20)
"""Thresholds of the garbage collector, as for `gc.set_threshold`.

What a command imports are fewer objects, and they stay: searching them took a tenth of its start.
"""


class _InOrder(LazyGroup, Program):
    """The commands of `PANELS`."""

    panels = PANELS

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that *args* name.

        The name of a game is answered with `play`, a former name with that of today.
        """
        word = args[0]
        if word in MOVED:
            from companion.model.errors import InvalidArgument

            raise InvalidArgument("`companion {old}` is now `companion {new}`", old=word, new=MOVED[word])
        if word not in self.commands:
            from companion.games import slugs

            elsewhere = {slug: f"play {slug}" for slug in slugs()} | MOVED
            (meant,) = get_close_matches(word, [*self.commands, *elsewhere], n=1) or [""]
            if meant in elsewhere:
                ctx.fail(f"No such command {word!r}. Did you mean {elsewhere[meant]!r}?")
        return super().resolve_command(ctx, args)


app: Final = Commands(
    name="companion",
    cls=_InOrder,
    help="Play board games on a real table while a computer watches, referees and explains.",
    epilog="Begin with: companion start · companion play chess · companion help",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(arguments: list[str] | None = None) -> int:
    """Run the command in *arguments*, otherwise `sys.argv`; return the exit code."""
    gc.set_threshold(*_SWEEP)
    try:
        app(arguments, prog_name="companion")
    except KeyboardInterrupt:
        return STOPPED
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return 0


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"companion {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", help="Print the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Options of the program itself."""
    if context.invoked_subcommand is not None:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(MISUSED)
    from companion.cli.start import serve

    serve()
