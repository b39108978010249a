# SPDX-License-Identifier: Apache-2.0
"""Settings in a TOML file in the platform's folder; the command line overrides them.

language = "de"
port = "auto"                          as after --port
camera = "0"                           as after --camera
profile = "kitchen"                    as after --profile
clock = "15+10"                        as after --clock, for games that set none
store = "sqlite:////srv/club.sqlite"   store of games
broken = ["e4"]                        as after --broken
gestures = "leaders"                   as after --gestures
lamps = "quiet"                        as after --lamps
costs = "/srv/club-costs.toml"         as after --costs
engine = "/usr/games/stockfish"        as after --engine

[page]
address = "127.0.0.1"                  as after --http-address
port = 8080
browser = false

[waits]
dwell_ms = 1500                        rest of the board before a move is announced; see `Timing`

[board_service]
on = true                              as after --board-service
origins = ["https://lichess.org"]      pages that may open it
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import platformdirs

from companion.host.text.os_errors import why
from companion.model import toml
from companion.model.errors import SettingsError
from companion.model.phrase import Phrase
from companion.referee.values.timing import BOUNCE_MS, DEFAULT_TIMING, LINGER_MS, Timing

if TYPE_CHECKING:
    from companion.referee.inference.costs import Costs

_TABLE: Final = re.compile(r"\s*\[\s*([\w.-]+)\s*\]")
_KEY: Final = re.compile(r"\s*([\w.-]+)\s*=")
_LANGUAGE: Final = re.compile(r"""^\s*language\s*=\s*(["'])(\w+)\1""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PageSettings:
    """Settings of the page."""

    address: str = "0.0.0.0"
    """For the devices of the local network, too; 127.0.0.1 for this computer alone."""
    port: int | None = None
    """None for the default port, or any port if that is taken."""
    browser: bool = True
    """Open the page in this machine's browser."""

    def __post_init__(self) -> None:
        if self.port is not None and not 0 <= self.port <= 65535:
            raise ValueError(Phrase("port is {port}; ports go from 0 to 65535", port=self.port))


@dataclass(frozen=True, slots=True)
class BoardServiceSettings:
    """Settings of the service by which pages and programs of this computer read the board."""

    on: bool = False
    port: int = 1982
    """The port at which clients of LiveChess look for it."""
    origins: tuple[str, ...] = ("https://lichess.org",)
    """Pages that may open it, each as scheme and host."""

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ValueError(Phrase("port is {port}; ports go from 0 to 65535", port=self.port))


@dataclass(frozen=True, slots=True)
class EboardSettings:
    """Settings of eboards."""

    clock_times: bool = False
    """A clock at a DGT eboard keeps the time of games without a time control."""
    search_bluetooth: bool = True
    """Eboards over Bluetooth LE that are not named are searched."""
    pegasus_key: str = ""
    """Hexadecimal digits of the key that some DGT Pegasus eboards expect; its owner enters it."""

    def __post_init__(self) -> None:
        try:
            bytes.fromhex(self.pegasus_key)
        except ValueError:
            raise ValueError(
                Phrase("pegasus_key is {key}; it consists of hexadecimal digits", key=self.pegasus_key)
            ) from None

    @property
    def pegasus_key_bytes(self) -> bytes:
        """The key as it is sent."""
        return bytes.fromhex(self.pegasus_key)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings."""

    language: str = "en"
    port: str | None = None
    """Port of the panel;

    None for a virtual table, or with a camera for no panel.
    """
    camera: str | None = None
    """Source of images; None without a camera."""
    profile: str | None = None
    """Profile of the camera."""
    clock: str = "none"
    """Time control for games whose options set none."""
    store: str | None = None
    """URL of the store; None for the default."""
    broken: tuple[str, ...] = ()
    """Cells whose switches are ignored."""
    gestures: Literal["off", "leaders", "presses"] = "off"
    """Gestures with which players may end a game at the board."""
    lamps: Literal["off", "quiet", "full"] = "full"
    """How much the lamps show."""
    costs: str | None = None
    """File of the referee's table of costs; None for the default."""
    engine: str | None = None
    """Program that plays chess; None for one that is installed."""
    page: PageSettings = field(default_factory=PageSettings)
    waits: Timing = DEFAULT_TIMING
    """Delays of the referee, for new games."""
    board_service: BoardServiceSettings = field(default_factory=BoardServiceSettings)
    boards: EboardSettings = field(default_factory=EboardSettings)


def path() -> Path:
    """Return the file of the settings in the platform's folder."""
    return platformdirs.user_config_path("companion", appauthor=False) / "settings.toml"


def read(file: Path) -> Settings:
    """Read *file*; without it, return the defaults.

    Raises `SettingsError` with file, line and key.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingsError("{path} cannot be read: {reason}", path=file, reason=why(fault)) from fault
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


def costs_of(file: str | Path | None) -> Costs:
    """Return the table of costs in *file*, or the default.

    Rows that are left out are those of the default.

    Raises `SettingsError` with file, row and reason.
    """
    from companion.referee.inference.costs import DEFAULT, Costs  # slow to import, and needed here only

    if file is None:
        return DEFAULT
    found = Path(file).expanduser()
    return Costs.read(toml.text_of(found), str(found), DEFAULT)


def stated_language(file: Path) -> str:
    """Return the language that *file* names, even if the rest of it is invalid.

    Messages about the file itself need it.
    """
    try:
        found = _LANGUAGE.search(file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        found = None
    return found[2] if found else "en"


def _build(table: Mapping[str, Any], source: str) -> Settings:
    """Build settings from *table*, with default delays where missing. Raises `SettingsError`."""
    waits = table.get("waits")
    whole = {**table, "waits": asdict(DEFAULT_TIMING) | waits} if isinstance(waits, dict) else table
    return toml.build(Settings, whole, source)


def _check(waits: Timing, file: Path, lines: Mapping[str, int]) -> None:
    """Raise `SettingsError` if the referee cannot work with *waits*."""
    if waits.rest_ms <= BOUNCE_MS:
        raise SettingsError(
            "{place}: waits.rest_ms is {rest_ms}; it must be at least {least_ms}, for a contact that "
            "bounces is open for up to {bounce_ms} ms",
            place=_place(file, lines, "waits.rest_ms"),
            rest_ms=waits.rest_ms,
            least_ms=BOUNCE_MS + 1,
            bounce_ms=BOUNCE_MS,
        )
    if waits.longest_ms > LINGER_MS:
        raise SettingsError(
            "{place}: waits.longest_ms is {longest_ms}; it must be at most {most_ms}, since no "
            "hand rests on a piece for longer",
            place=_place(file, lines, "waits.longest_ms"),
            longest_ms=waits.longest_ms,
            most_ms=LINGER_MS,
        )
    if clash := waits.clash():
        before, after = (f"waits.{name}" for name in clash)
        was, is_ = (getattr(waits, name) for name in clash)
        written = max((before, after), key=lambda name: lines.get(name, 0))
        raise SettingsError(
            "{place}: {before} is {before_ms}, but {after}, which must not be shorter, is "
            "{after_ms}: lower {before} or raise {after}",
            place=_place(file, lines, written),
            before=before,
            before_ms=was,
            after=after,
            after_ms=is_,
        )


def _place(file: Path, lines: Mapping[str, int], key: str) -> str:
    """Return the place of *key* in *file*, for a message."""
    line = lines.get(key.replace("-", "_"))
    return Phrase("{path}, line {line}", path=file, line=line) if line else str(file)


def flat(settings: object, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield each key of *settings* with its TOML value; `(not set)` for None."""
    for name in getattr(settings, "__slots__", ()):
        value = getattr(settings, name)
        if is_dataclass(value):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, "(not set)" if value is None else json.dumps(value, ensure_ascii=False)


def _lines(text: str) -> dict[str, int]:
    """Return the line of each key, counted from 1.

    Keys are full names with `_` for `-`; the line of a table is that of its heading.
    """
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
    """Yield each leaf value of *table* with its path of keys."""
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value
