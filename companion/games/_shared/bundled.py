# SPDX-License-Identifier: Apache-2.0
"""Bundled data files, found by name."""

from __future__ import annotations

from importlib import resources


def bundled(folder: str, name: str) -> str | None:
    """The text of the TOML file *name* in *folder* of `companion.games`, or None.

    Names are compared before a file is opened: *name* may be any text, even no valid file name.
    """
    files = resources.files("companion.games").joinpath(folder).iterdir()
    found = next((file for file in files if file.name == f"{name}.toml"), None)
    return None if found is None else found.read_text(encoding="utf-8")
