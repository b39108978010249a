# SPDX-License-Identifier: Apache-2.0
"""What a person always wants, in one TOML file at the platform's place. What is said on the command line wins.

language = "de"
port = "auto"                          as after --port
camera = "0"                           as after --camera
profile = "kitchen"                    as after --profile
clock = "15+10"                        as after --clock, for games that say nothing of it
store = "sqlite:////srv/club.sqlite"   where games are kept
broken = ["e4"]                        as after --broken
gestures = "leaders"                   as after --gestures
lamps = "quiet"                        as after --lamps

[page]
address = "0.0.0.0"                    as after --http-address
port = 8080
browser = false

[waits]
dwell_ms = 1500                        the board rests for so long before a move is announced; see `Timing`
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, Final, Literal

import platformdirs

from companion.host.text.os_errors import why
from companion.model import toml
from companion.model.errors import SettingsError
from companion.referee.timing import BOUNCE_MS, DEFAULT_TIMING, LINGER_MS, Timing

_TABLE: Final = re.compile(r"\s*\[\s*([\w.-]+)\s*\]")
_KEY: Final = re.compile(r"\s*([\w.-]+)\s*=")


@dataclass(frozen=True, slots=True)
class PageSettings:
    """How the page is served."""

    address: str = "127.0.0.1"
    port: int | None = None
    """None: the usual one, or any if it is taken."""
    browser: bool = True
    """It is opened in the browser of this machine."""

    def __post_init__(self) -> None:
        if self.port is not None and not 0 <= self.port <= 65535:
            raise ValueError(f"port is {self.port}; ports go from 0 to 65535")


@dataclass(frozen=True, slots=True)
class Settings:
    """All that can be set."""

    language: str = "en"
    port: str | None = None
    """Where the panel is; None for the virtual table, or for none if there is a camera."""
    camera: str | None = None
    """Where the pictures come from; None for no camera."""
    profile: str | None = None
    """What was found out about the camera."""
    clock: str = "none"
    """A time control, for games whose options ask for none."""
    store: str | None = None
    """URL of the store of kept games; None for the usual one."""
    broken: tuple[str, ...] = ()
    """Cells whose switches are not to be believed."""
    gestures: Literal["off", "leaders", "presses"] = "off"
    """By which players may end a game at the board."""
    lamps: Literal["off", "quiet", "full"] = "full"
    """How much the lamps say."""
    page: PageSettings = field(default_factory=PageSettings)
    waits: Timing = DEFAULT_TIMING
    """How long the board is at rest before something is believed, told or asked; for games that begin."""


def path() -> Path:
    """Where the settings are looked for: the platform's place for a user's settings."""
    return platformdirs.user_config_path("companion", appauthor=False) / "settings.toml"


def read(file: Path) -> Settings:
    """The settings in *file*; the defaults if there is none.

    Raises `SettingsError` naming file, line and key of what is not understood.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingsError(f"{file} cannot be read: {why(fault)}") from fault
    found = toml.parse(text, str(file))
    lines = _lines(text)
    for names, value in _leaves(found):
        table: Any = value
        for name in reversed(names):
            table = {name: table}
        _build(table, _place(file, lines, ".".join(names)))
    settings = _build(found, str(file))
    _check(settings.waits, file, lines)
    return settings


def _build(table: Mapping[str, Any], source: str) -> Settings:
    """The settings of *table*, with the usual waits where it names none: a `Timing` wants them all. Raises `SettingsError`."""
    waits = table.get("waits")
    whole = {**table, "waits": asdict(DEFAULT_TIMING) | waits} if isinstance(waits, dict) else table
    return toml.build(Settings, whole, source)


def _check(waits: Timing, file: Path, lines: Mapping[str, int]) -> None:
    """Raise `SettingsError` if nobody can be refereed with *waits*, which those of *file* make."""
    if waits.rest_ms <= BOUNCE_MS:
        raise SettingsError(
            f"{_place(file, lines, 'waits.rest_ms')}: waits.rest_ms is {waits.rest_ms}; it must be at least "
            f"{BOUNCE_MS + 1}, for a contact that bounces is open for up to {BOUNCE_MS} ms"
        )
    if waits.longest_ms > LINGER_MS:
        raise SettingsError(
            f"{_place(file, lines, 'waits.longest_ms')}: waits.longest_ms is {waits.longest_ms}; it must be at most "
            f"{LINGER_MS}, for no hand rests on wood for longer"
        )
    if clash := waits.clash():
        before, after = (f"waits.{name}" for name in clash)
        was, is_ = (getattr(waits, name) for name in clash)
        written = max((before, after), key=lambda name: lines.get(name, 0))
        raise SettingsError(
            f"{_place(file, lines, written)}: {before} is {was}, but {after}, which must not be shorter, is {is_}: "
            f"lower {before} or raise {after}"
        )


def _place(file: Path, lines: Mapping[str, int], key: str) -> str:
    """Where *key* stands in *file*, for a message."""
    line = lines.get(key.replace("-", "_"))
    return f"{file}, line {line}" if line else str(file)


def flat(settings: object, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every key of *settings* by its full name, with its value as TOML writes it; `(not set)` for None."""
    for name in getattr(settings, "__slots__", ()):
        value = getattr(settings, name)
        if is_dataclass(value):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, "(not set)" if value is None else json.dumps(value, ensure_ascii=False)


def _lines(text: str) -> dict[str, int]:
    """The line, from 1, of each key that is written plainly, by its full name with `_` for `-`; a table's is that of its heading."""
    lines: dict[str, int] = {}
    prefix = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if heading := _TABLE.match(line):
            prefix = f"{heading[1]}."
            lines.setdefault(heading[1].replace("-", "_"), number)
        elif key := _KEY.match(line):
            lines.setdefault((prefix + key[1]).replace("-", "_"), number)
    return lines


def _leaves(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every value of *table* that is no table with something in it, with the keys that lead to it."""
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value
