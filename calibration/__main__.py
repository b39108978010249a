# SPDX-License-Identifier: Apache-2.0
"""The command line of the workshop: `python -m calibration …`."""

from __future__ import annotations

import asyncio
import queue
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from companion.model.errors import CompanionError

app = typer.Typer(help=__doc__, no_args_is_help=True, pretty_exceptions_enable=False)


@app.callback()
def _common() -> None:
    """Fit a table's sensors to its grid."""


@app.command()
def reeds(
    port: Annotated[
        str, typer.Option(help="Where the panel is: a device, or a URL such as socket://host:7000.")
    ],
    out: Annotated[Path | None, typer.Option(help="Where the corrected panel file goes.")] = None,
) -> None:
    """Walk over the board with a magnet; find switches and lamps wired to the wrong cell."""
    from calibration.reeds import Result, tell, walk_board
    from companion.host.clock import monotonic
    from companion.host.line import open_line
    from companion.host.ports import serial_line

    console = Console(highlight=False)
    keys: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read_keys() -> None:
        for text in sys.stdin:
            keys.put(text.strip().lower())

    def next_key() -> str | None:
        return None if keys.empty() else keys.get()

    async def run() -> Result:
        clock = monotonic()
        async with open_line(serial_line(port), clock) as line:
            result = await walk_board(line, clock, console.print, next_key)
            assert line.connection.hello is not None
            for finding in result.findings:
                console.print(tell(finding, line.connection.hello))
            return result

    threading.Thread(target=read_keys, name="keys", daemon=True).start()
    result = asyncio.run(run())
    if not result.findings:
        console.print("Every switch and every lamp is where it should be.")
        return
    path = out or Path(f"{result.panel}.toml")
    path.write_text(result.text, encoding="utf-8")
    console.print(
        f"The right order is in {path}: put that file in place of companion/panels/{result.panel}.toml,"
        " build the firmware, flash it, and walk once more."
    )


def main() -> int:
    """Run the command line; returns the exit code."""
    try:
        app(prog_name="python -m calibration")
    except CompanionError as fault:
        Console(stderr=True, highlight=False).print(f"[bold red]calibration:[/] {fault}", soft_wrap=True)
        return 1
    except KeyboardInterrupt:
        return 130
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
