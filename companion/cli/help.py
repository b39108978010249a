# SPDX-License-Identifier: Apache-2.0
"""`companion help`: the user guide; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from typing import Annotated, Final

import typer
from rich.console import Console
from rich.markdown import Markdown

from companion.cli.program import Commands

app: Final = Commands()

_WIDE: Final = 100
"""Longer lines are hard to read."""


@app.command("help", epilog="Examples: companion help · companion help start · companion help lamps")
def show_help(
    topic: Annotated[str | None, typer.Argument(help="Topic to show (default: list the topics).")] = None,
) -> None:
    """Show a topic of the user guide, or list the topics."""
    from companion.host.text.guide import text_of, topics

    console = Console(highlight=False)
    if topic is None:
        wide = max(map(len, topics()))
        for name, about in topics().items():
            console.print(f"[bold]{name:{wide}}[/]  {about}", soft_wrap=True)
        console.print(
            "\ncompanion help TOPIC shows a topic; companion COMMAND --help lists the options of a command."
        )
        return
    text = text_of(topic)
    if not console.is_terminal:
        typer.echo(text, nl=False)
        return
    shown = Markdown(text, code_theme="ansi_dark", hyperlinks=False)
    console.print(shown, width=min(console.width, _WIDE))
