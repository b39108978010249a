# SPDX-License-Identifier: Apache-2.0
"""Commands as documents name them: found in code, and held against the command line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import typer

from calibration.__main__ import app as calibration
from companion import games
from companion.cli.main import app as companion
from companion.games import _template
from companion.host.text.guide import topics
from companion.model.errors import CompanionError

_CODE = re.compile(r"`([^`\n]+)`|^(?: {4}|\t)(.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_PLACEHOLDER = re.compile(r"[A-Z]+")
_PARSING_FAULT: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
_PROGRAMS = {
    ("companion",): typer.main.get_command(companion),
    ("python", "-m", "calibration"): typer.main.get_command(calibration),
}


class NotUnderstood(AssertionError):
    """A document tells people to type what the program does not know."""


def named_in(text: str) -> list[str]:
    """Every command of ours in the code of a Markdown *text*."""
    return sorted(set(_commands(text)))


def _commands(text: str) -> Iterator[str]:
    """Those of code blocks, without remarks, and those of code in a sentence."""
    lines = [line for block in _BLOCK.findall(text) for line in block.splitlines()]
    lines += [one or other for one, other in _CODE.findall(_BLOCK.sub("", text))]
    for line in lines:
        command = re.split(r"\s+#", line)[0].strip()
        if command.startswith(("companion ", "python -m calibration ")):
            yield command


def check(command: str) -> None:
    """Parse *command* like the program. Raises `NotUnderstood` with the cause.

    A bare name of a command in a sentence may lack its arguments; words in capitals stand for any
    value.
    """
    try:
        _check(command)
    except (CompanionError, _PARSING_FAULT) as fault:
        raise NotUnderstood(f"{command!r}: {fault}") from fault


def _check(command: str) -> None:
    words = shlex.split(command)
    (start,) = (start for start in _PROGRAMS if tuple(words[: len(start)]) == start)
    found: Any = _PROGRAMS[start]  # Typer brings its own copy of click, whose types have no public name
    rest = words[len(start) :]
    while hasattr(found, "commands") and rest and not rest[0].startswith("-"):
        if rest[0] not in found.commands:
            raise NotUnderstood(f"there is no command {rest[0]!r}")
        found, rest = found.commands[rest[0]], rest[1:]
    if "--help" in rest or (hasattr(found, "commands") and not rest):
        return
    try:
        given = found.make_context(found.name, [*rest, *_answers(found)]).params
    except _PARSING_FAULT as fault:
        if rest or type(fault).__name__ != "MissingParameter":
            raise
        return
    _check_values(given)


def _answers(command: Any) -> list[str]:
    """What people would type where *command* asks: nobody types here."""
    asking = [param for param in command.params if getattr(param, "prompt", None)]
    return [word for param in asking for word in (param.opts[0], "a word")]


def _check_values(given: dict[str, Any]) -> None:
    """Games, the one to copy included, their options and topics exist, too."""
    slug = given.get("game")
    if isinstance(slug, str) and not _PLACEHOLDER.fullmatch(slug):
        options = dict(word.split("=") for word in given.get("option") or ())
        kept = {name: value for name, value in options.items() if not value.endswith(".toml")}
        (_template.GAME if slug == _template.GAME.slug else games.find(slug)).rules(kept)
    topic = given.get("topic")
    if isinstance(topic, str) and not _PLACEHOLDER.fullmatch(topic) and topic not in topics():
        raise NotUnderstood(f"there is no topic {topic!r}")
