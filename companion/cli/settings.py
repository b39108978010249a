# SPDX-License-Identifier: Apache-2.0
"""`companion settings`: personal defaults; the rule of `companion.cli.main` applies."""

from __future__ import annotations

from typing import Final

from companion.cli.program import Commands

app: Final = Commands(
    help="Personal defaults: language, port, store, …",
    epilog="Options override settings: companion play chess --port virtual",
    no_args_is_help=True,
)


@app.command("show", epilog="Example: companion settings show")
def show_settings() -> None:
    """Show the effective settings."""
    from companion.host import settings

    for name, value in settings.flat(settings.read(settings.path())):
        print(f"{name} = {value}")


@app.command("path", epilog="Example: companion settings path")
def settings_path() -> None:
    """Print the path of the settings file."""
    from companion.host import settings

    print(settings.path())
