# SPDX-License-Identifier: Apache-2.0
"""Short waits of the referee, for the players of tests, who know their moves."""

from __future__ import annotations

from pathlib import Path

_SETTINGS = """\
[waits]
hint_ms = 200
dwell_ms = 250
dwell_emptied_ms = 400
longest_ms = 800

[page]
address = "127.0.0.1"

[boards]
search_bluetooth = false
"""


def brisk(folder: Path) -> dict[str, str]:
    """Write settings with short waits in *folder*; return the environment that selects them."""
    file = folder / "config" / "companion" / "settings.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_SETTINGS, encoding="utf-8")
    return {"XDG_CONFIG_HOME": str(folder / "config")}
