# SPDX-License-Identifier: Apache-2.0
"""Data files that come with the program, found by name."""

from __future__ import annotations

from importlib import resources


def bundled(folder: str, name: str) -> str | None:
    """The text of the TOML file *name* in *folder* of `companion.games`; None if there is none.

    Names are compared, not opened: *name* may be any text, such as one that no file can have.
    """
    files = resources.files("companion.games").joinpath(folder).iterdir()
    found = next((file for file in files if file.name == f"{name}.toml"), None)
    return None if found is None else found.read_text(encoding="utf-8")
