# SPDX-License-Identifier: Apache-2.0
"""The questions that a kind of sensor leaves in a game: `asks.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

from companion.model.observation import SensorKind
from companion.model.toml import build, parse
from companion.referee.values.questions import Aspect


@dataclass(frozen=True, slots=True)
class _Asks:
    """A table of `asks.toml`."""

    occupancy: tuple[str, ...] = ()
    side: tuple[str, ...] = ()
    identity: tuple[str, ...] = ()


def asked(slug: str, kind: SensorKind) -> tuple[Aspect, ...]:
    """Return what a sensor of *kind* leaves to ask in game *slug*; () if nothing."""
    if kind is SensorKind.IDENTITY_FACING:
        return ()
    return tuple(map(Aspect, getattr(_asks().get(slug, _Asks()), kind.value)))


@cache
def _asks() -> dict[str, _Asks]:
    """Read `asks.toml`; cached. Raises `SettingsError`."""
    file = resources.files("companion.referee.values") / "asks.toml"
    tables = parse(file.read_text(encoding="utf-8"), file.name)
    return {slug: build(_Asks, table, file.name, slug) for slug, table in tables.items()}
