# SPDX-License-Identifier: Apache-2.0
"""`companion help`: the user guide on the command line. The rule of `companion.cli` holds here too."""

from __future__ import annotations

from typing import Annotated, Final

import typer
from rich.console import Console
from rich.markdown import Markdown

app: Final = typer.Typer()

_WIDE: Final = 100
"""Longer lines are hard to read."""


@app.command("help", epilog="Examples: companion help · companion help start · companion help lamps")
def show_help(
    topic: Annotated[
        str | None, typer.Argument(help="What you want to know about; without it, the topics.")
    ] = None,
) -> None:
    """Tell about a topic, shortly; without one, list the topics."""
    from companion.host.text.guide import text_of, topics

    console = Console(highlight=False)
    if topic is None:
        wide = max(map(len, topics()))
        for name, about in topics().items():
            console.print(f"[bold]{name:{wide}}[/]  {about}", soft_wrap=True)
        console.print("\ncompanion help TOPIC tells more; companion COMMAND --help lists a command's words.")
        return
    text = text_of(topic)
    if not console.is_terminal:
        typer.echo(text, nl=False)
        return
    shown = Markdown(text, code_theme="ansi_dark", hyperlinks=False)
    console.print(shown, width=min(console.width, _WIDE))
