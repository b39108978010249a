# SPDX-License-Identifier: Apache-2.0
"""The command line: parses arguments, calls the host, and reports errors.

Its rule: it does no work itself. A command is imported when it is used, and imports no host module
before it needs it, so that help is fast.

Exit codes: 0 success · 1 failure, with a message · 2 invalid arguments · 130 stopped by Ctrl-C
(`play` and `record` end with 0 on Ctrl-C, which is their normal end).
"""

from __future__ import annotations

import sys
from difflib import get_close_matches
from typing import Annotated, Any, Final

import typer

from companion import __version__
from companion.cli.program import MISUSED, Commands, Lazy, LazyCommands, Program

PANELS: Final = {
    "Play": {
        "start": Lazy(
            "companion.cli.start",
            "Serve the start page: games, boards and cameras, unfinished and kept games.",
        ),
        "play": Lazy("companion.cli.play", "Play a game with a panel, a camera or a virtual table."),
        "online": Lazy("companion.cli.online", "Accounts at places where people play: log in, log out."),
        "demo": Lazy(
            "companion.cli.play",
            "Show a short scripted game in the terminal: moves, an illegal one, CHECK!, the end.",
        ),
        "puzzle": Lazy(
            "companion.cli.puzzle",
            "Solve a puzzle at the board: win by force, while the computer defends.",
        ),
        "games": Lazy(
            "companion.cli.games",
            "List the games, or the options of one and the computer's levels.",
        ),
        "learn": Lazy(
            "companion.cli.learn",
            "Learn a game by lessons: a position, a task, and a reply to every answer.",
        ),
        "rules": Lazy("companion.cli.games", "Teach the rules of a game, for the chosen options."),
        "help": Lazy("companion.cli.help", "Show a topic of the user guide, or list the topics."),
    },
    "Stored games": {
        "records": Lazy(
            "companion.cli.records", "Stored games: list, show, replay, export, import, statistics."
        ),
        "review": Lazy(
            "companion.cli.review",
            "Analyse a game: a value for each position, and the largest mistakes.",
        ),
        "replay": Lazy("companion.cli.play", "Replay a journal and verify that it gives the same events."),
    },
    "Your table": {
        "doctor": Lazy(
            "companion.cli.devices", "Diagnose this computer, a sensor board or a camera, and name remedies."
        ),
        "flash": Lazy("companion.cli.devices", "Write the program of a panel into its chip."),
        "panels": Lazy(
            "companion.cli.devices", "List the connected sensor boards with their identification."
        ),
        "print": Lazy(
            "companion.cli.print",
            "Make PDFs in exact millimetres: tags for pieces, boards, a lens chart, score sheets.",
        ),
        "record": Lazy(
            "companion.cli.play",
            "Record a camera for a bug report; `companion play GAME --camera FOLDER` plays it back.",
        ),
        "switches": Lazy(
            "companion.cli.devices",
            "Test every switch of a board: lamps and display lead a magnet.",
        ),
        "settings": Lazy("companion.cli.settings", "Personal defaults: language, port, store, …"),
    },
    "A club": {
        "hall": Lazy(
            "companion.cli.hall",
            "Run a hall: boards, tournaments, arbiter's desk and spectators' page, on one or more machines.",
        ),
        "table": Lazy(
            "companion.cli.tables", "Run a table of a hall; it plays even without connection.", "table_app"
        ),
    },
    "For builders and developers": {
        "panel": Lazy(
            "companion.cli.devices", "Serve a virtual panel with a game's pieces over the real link."
        ),
        "analyse": Lazy("companion.cli.games", "Show the value of a position and its best moves."),
        "maps": Lazy("companion.cli.maps", "Check and show custom Tank Chess maps."),
        "moves": Lazy("companion.cli.games", "List the legal moves of a position, one per line."),
        "perft": Lazy(
            "companion.cli.games", "Count move sequences by first move; the last line is the total."
        ),
        "explain-moves": Lazy(
            "companion.cli.explain",
            "Explain a decision of the referee: the two best stories, and what each assumes.",
        ),
        "fit-costs": Lazy(
            "companion.cli.explain",
            "Count what hands and sensors did in kept games; write a table of costs.",
        ),
    },
}
"""The commands, in the order in which people need them."""

STOPPED: Final = 130


class _InOrder(Program):
    """The commands of `PANELS`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = LazyCommands(
            {name: each for panel in PANELS.values() for name, each in panel.items()}
        )

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that *args* name. The name of a game is answered with `play`."""
        if args[0] not in self.commands:
            from companion.games import slugs

            (meant,) = get_close_matches(args[0], [*self.commands, *slugs()], n=1) or [""]
            if meant in slugs():
                ctx.fail(f"No such command {args[0]!r}. Did you mean 'play {meant}'?")
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """Write the commands without importing them."""
        for heading, commands in PANELS.items():
            with formatter.section(typer.style(heading, bold=True)):
                formatter.write_dl([(name, each.help) for name, each in commands.items()])


app: Final = Commands(
    name="companion",
    cls=_InOrder,
    help="Play board games on a real table while a computer watches, referees and explains.",
    epilog="Begin with: companion start · companion play chess · companion demo · companion help",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(arguments: list[str] | None = None) -> int:
    """Run the command in *arguments*, otherwise `sys.argv`; return the exit code."""
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
