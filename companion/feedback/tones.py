# SPDX-License-Identifier: Apache-2.0
"""Tones: the notes of a panel's buzzer for the latest events.

Rule: only the most important of several events sounds, and only confirmed ones:
a provisional move makes no sound.
A fault sounds once until it is corrected, not again during the correction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, TypeAlias

from companion.model.game import CallOut
from companion.model.phrase import Phrase
from companion.model.toml import build, parse
from companion.referee.values.events import (
    DrawOffered,
    Event,
    GameBegan,
    GameEnded,
    IllegalMended,
    IllegalSeen,
    MoveMade,
    PositionAdopted,
    QuestionAsked,
    Stage,
)

_RIGHT: Final = (IllegalMended, PositionAdopted, GameBegan)
"""Events that end a fault."""
MAX_NOTES: Final = 8
"""Largest number of notes that a panel takes at once."""


@dataclass(frozen=True, slots=True)
class Tone:
    """One note, or a rest."""

    pitch_hz: int
    """0 for a rest, else 40 to 10 000."""
    length_ms: int


_Tune: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Tunes:
    """The content of `tones.toml`, the most important tune first."""

    end: _Tune
    illegal: _Tune
    question: _Tune
    check: _Tune
    escape: _Tune
    accepted: _Tune
    mended: _Tune
    begun: _Tune
    draw_offered: _Tune

    def __post_init__(self) -> None:
        for name in self.__slots__:
            tune: _Tune = getattr(self, name)
            if not 0 < len(tune) <= MAX_NOTES:
                raise ValueError(
                    Phrase(
                        "{name} has {count} notes; 1 to {most} are allowed",
                        name=name,
                        count=len(tune),
                        most=MAX_NOTES,
                    )
                )
            if any(pitch and not 40 <= pitch <= 10_000 for pitch, _ in tune):
                raise ValueError(Phrase("{name}: pitches are 0 or 40 to 10000 Hz", name=name))


def render(events: Iterable[Event], *, is_illegal: bool = False) -> tuple[Tone, ...]:
    """The notes for *events*; () for silence.

    *is_illegal* says that the board was faulty before, which has already sounded.
    """
    tunes = _tunes()
    names: set[str] = set()
    for event in events:
        if not (is_illegal and isinstance(event, IllegalSeen)):
            names.update(_names(event))
        is_illegal = (is_illegal or isinstance(event, IllegalSeen)) and not isinstance(event, _RIGHT)
    tune = next((name for name in _Tunes.__slots__ if name in names), None)
    return tuple(Tone(*note) for note in getattr(tunes, tune)) if tune else ()


def is_acceptance(tune: Sequence[Tone]) -> bool:
    """True for the notes of an accepted move."""
    return tuple(tune) == tuple(Tone(*note) for note in _tunes().accepted)


def _names(event: Event) -> tuple[str, ...]:
    """The tunes for *event*."""
    match event:
        case GameEnded():
            return ("end",)
        case IllegalSeen():
            return ("illegal",)
        case MoveMade(stage=Stage.ANNOUNCED, announcements=announcements):
            cries = {announcement.cry for announcement in announcements}
            return (
                ("check",)
                if CallOut.CHECK in cries
                else ("escape",)
                if CallOut.ESCAPE in cries
                else ("accepted",)
            )
        case QuestionAsked():
            return ("question",)
        case IllegalMended():
            return ("mended",)
        case GameBegan():
            return ("begun",)
        case DrawOffered():
            return ("draw_offered",)
        case _:
            return ()


@cache
def _tunes() -> _Tunes:
    """The content of `tones.toml`, read once. Raises `SettingsError`."""
    file = resources.files("companion.feedback") / "tones.toml"
    return build(_Tunes, parse(file.read_text(encoding="utf-8"), file.name), file.name)
