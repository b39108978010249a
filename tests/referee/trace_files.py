# SPDX-License-Identifier: Apache-2.0
"""Traces as data: what hands did, and what a session should make of it.

`tests/referee/traces/README.md` describes the files.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from companion.model.observation import SensorKind

FOLDER = Path(__file__).with_name("traces")
NO_MOVE = "no move"
"""What a ply was that players deny."""
WORD = re.compile(
    r"\d+|[!*]\d|gap|\?|hide:[\w,]*"  # waits, presses, losses, answers, hidden cells
    r"|\w+-|\(\w+-\)"  # lifts
    r"|\w+\+(\w+(=\w+)?)?|\(\w+\+(\w+(=\w+)?)?\)"  # landings
)
"""A word of a trace."""

LISTS = ("illegal", "questions", "offered", "events")
"""The keys whose values are lists of texts."""


class TraceError(ValueError):
    """A file of traces is not as it should be."""


@dataclass(frozen=True, kw_only=True)
class Trace:
    """What hands did, and what is right."""

    name: str
    """A sentence or its subject; no other trace has it."""
    game: str
    trace: str
    """What happened, as `tests.referee.support.perform` reads it."""
    record: str
    """The moves of the record at the end, which are also the players' answers."""
    about: str = ""
    """Why, if the name does not say so."""
    options: Mapping[str, str] = field(default_factory=dict)
    position: str = ""
    """The position in which it begins; the start position without it."""
    sensor: tuple[SensorKind, ...] = (SensorKind.OCCUPANCY,)
    """The trace is run with each of these."""
    hidden: str = ""
    """Cells that the sensor does not see from the beginning."""
    clock: str = "none"
    """The time control."""
    illegal: tuple[str, ...] = ()
    """The rules by which moves are illegal, and `mended` for each return."""
    questions: tuple[str, ...] = ()
    """The moves of the record that may be asked about, or `no move`."""
    offered: frozenset[str] | None = None
    """The moves of the choices, if a question is open at the end."""
    spent: str | None = None
    """The thinking time of each ply on record in ms."""
    events: tuple[str, ...] | None = None
    """All events, as `brief` writes them; a number before one is its time in ms."""
    long: bool = False
    """True if it runs with `--long` only."""
    fails: str = ""
    """Why the referee does not understand it yet; empty if it does."""


def read_traces(path: Path) -> list[Trace]:
    """The traces of the file *path*. Raises `TraceError` with the file and the name."""
    content = tomllib.loads(path.read_text("utf-8"))
    if unknown := content.keys() - {"about", "trace"}:
        raise TraceError(f"{path.name}: unknown key {min(unknown)!r}; a file has 'about' and 'trace'")
    if not isinstance(content.get("about"), str):
        raise TraceError(f"{path.name}: 'about' is missing: say in a sentence what the traces are about")
    if not content.get("trace"):
        raise TraceError(f"{path.name}: there is no trace in it")
    return [
        _trace(row, f"{path.name}: {row.get('name', f'trace {n}')}")
        for n, row in enumerate(content["trace"], 1)
    ]


def all_traces(folder: Path = FOLDER) -> Iterator[tuple[str, Trace]]:
    """Each trace of *folder* with its topic. Raises `TraceError` if two have the same name."""
    seen = dict[str, str]()
    for path in sorted(folder.glob("*.toml")):
        for trace in read_traces(path):
            if trace.name in seen:
                raise TraceError(f"{path.name}: {trace.name}: {seen[trace.name]} has a trace of this name")
            seen[trace.name] = path.name
            yield path.stem, trace


def _trace(row: Mapping[str, Any], where: str) -> Trace:
    """The trace of the table *row*."""
    known = {each.name: each for each in fields(Trace)}
    if unknown := row.keys() - known.keys():
        raise TraceError(f"{where}: unknown key {min(unknown)!r}; the keys are {', '.join(known)}")
    needed = {name for name, each in known.items() if each.default is each.default_factory is MISSING}
    if missing := needed - row.keys():
        raise TraceError(f"{where}: the key {min(missing)!r} is missing")
    found = {key: _value(key, value, f"{where}: {key}") for key, value in row.items()}
    for word in found["trace"].split():
        if not WORD.fullmatch(word):
            raise TraceError(f"{where}: {word!r} is no word of a trace")
    return Trace(**found)


def _value(key: str, value: Any, where: str) -> Any:
    """*value* as the field *key* holds it. Raises `TraceError` if it cannot."""
    if key == "long" and isinstance(value, bool):
        return value
    if key == "options" and isinstance(value, dict) and all(isinstance(each, str) for each in value.values()):
        return value
    texts = value if isinstance(value, list) else [value]
    if key in ("long", "options") or not all(isinstance(each, str) for each in texts):
        raise TraceError(f"{where}: the value has another type")
    if key == "sensor":
        if not texts or not {*texts} <= {*SensorKind}:
            raise TraceError(f"{where}: it is one of {', '.join(SensorKind)}, or a list of them")
        return tuple(map(SensorKind, texts))
    if isinstance(value, list) is not (key in LISTS):
        raise TraceError(f"{where}: the value is {'a list' if key in LISTS else 'a text'}")
    if key in LISTS:
        return frozenset(texts) if key == "offered" else tuple(texts)
    return " ".join(value.split())
