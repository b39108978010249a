# SPDX-License-Identifier: Apache-2.0
"""`companion tools maps`: custom Tank Chess maps; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from companion.cli.program import Commands

app: Final = Commands(
    help="Check and show custom Tank Chess maps.",
    epilog="Then: companion play tank-chess --option map=FILE",
    no_args_is_help=True,
)
MapFile = Annotated[Path, typer.Argument(metavar="FILE", help="TOML file of a map.")]


@app.command(epilog="Example: companion tools maps check ours.toml")
def check(file: MapFile) -> None:
    """Check a map; errors are reported with their position."""
    from companion.host.maps import check_map

    for line in check_map(file):
        print(line)


@app.command(epilog="Example: companion tools maps show ours.toml")
def show(file: MapFile) -> None:
    """Show a map."""
    from companion.host.maps import show_map

    print(show_map(file))
