# SPDX-License-Identifier: Apache-2.0
"""The user guide: topics are files in `help/`, with generated tables filled in.

Pure, except for reading them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from companion.feedback import lights
from companion.feedback.lights import LampLevel
from companion.feedback.wordfiles import languages, read_common
from companion.model.errors import UnknownName
from companion.model.toml import build, parse


@dataclass(frozen=True, slots=True)
class _Topics:
    """Contents of `topics.toml`."""

    topics: Mapping[str, str]


@cache
def topics() -> Mapping[str, str]:
    """Return the subject of each topic, in listed order."""
    file = resources.files("companion.host.text") / "help" / "topics.toml"
    return build(_Topics, parse(file.read_text(encoding="utf-8"), file.name), file.name).topics


def text_of(topic: str) -> str:
    """Return the Markdown text of *topic*. Raises `UnknownName` with the existing topics."""
    if topic not in topics():
        raise UnknownName("there is no topic {name!r}; there are {known}", name=topic, known=topics())
    text = (resources.files("companion.host.text") / "help" / f"{topic}.md").read_text(encoding="utf-8")
    return text.replace("{lamps}", lamps()).replace("{languages}", spoken())


def lamps() -> str:
    """Return the meanings of the lamps as a table."""
    rows = ["| sign | it says | colour | blinks | quiet |", "|---|---|---|---|---|"]
    for entry in lights.legend():
        faint = "" if entry.share == 1 else f", at {entry.share:.0%}"
        quiet = "yes" if entry.level is LampLevel.QUIET else "no"
        rows.append(
            f"| `{entry.mark}` | {entry.about} | {entry.colour}{faint} | {entry.blinking} | {quiet} |"
        )
    return "\n".join(rows)


def spoken() -> str:
    """Return the languages, each with its native name and code."""
    return ", ".join(f"{read_common(code).language.name} (`{code}`)" for code in languages())
