# SPDX-License-Identifier: Apache-2.0
"""The kinds of gestures, by slot; each module of gestures registers its own.

The names of all kinds were fixed before anything was run. A third of them was then drawn to be
held back, by `random.Random("hands held back 2024-08-17").sample(names, 15)` over the names in
their first order; those are in a module `held_back` that only some branches have.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Any, TypeAlias


class Slot(StrEnum):
    """The part of a ply in which a gesture occurs."""

    BEFORE = "before"
    """Before the move: `act(scene)`."""
    MOVE = "move"
    """How a piece is moved, with lifting and landing: `act(scene, hand, body, cells)`."""
    TRAVEL = "travel"
    """While a hand carries a piece: `act(scene, hand, body, cells)`."""
    LANDING = "landing"
    """How a piece is put down: `act(scene, hand, body, cells)`."""
    CAPTURE = "capture"
    """The order of a capture on the target cell, two steps: `act(scene, mover, victim)`."""
    PAIR = "pair"
    """How two pieces of one move are moved, two steps: `act(scene, first, second)`."""
    PROMOTION = "promotion"
    """How a pawn is promoted: `act(scene, mover, victim or None)`."""
    TURN = "turn"
    """How a piece gets another facing after a move: `act(scene, hand, body, piece)`."""
    PRESS = "press"
    """When the clock is pressed: `act(scene)`."""
    FOLLOW = "follow"
    """When the next hand begins: `act(scene)` returns the time or None."""
    GAME = "game"
    """Between plies, for the whole game: `act(play)`."""


Act: TypeAlias = Callable[..., Any]
Fits: TypeAlias = Callable[..., bool]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of gesture."""

    name: str
    slot: Slot
    weight: float
    """Its weight among the kinds of its slot; for `BEFORE` and `GAME` a probability."""
    fits: Fits
    act: Act
    is_mistake: bool = False


KINDS: dict[str, Kind] = {}


def kind(
    name: str, slot: Slot, weight: float = 1.0, fits: Fits | None = None, *, is_mistake: bool = False
) -> Callable[[Act], Act]:
    """Register the decorated function as a kind of gesture."""

    def enter(act: Act) -> Act:
        KINDS[name] = Kind(name, slot, weight, fits or (lambda *_: True), act, is_mistake)
        return act

    return enter


BASE: dict[Slot, float] = {
    Slot.MOVE: 0.12,
    Slot.TRAVEL: 0.22,
    Slot.LANDING: 0.1,
    Slot.CAPTURE: 0.6,
    Slot.PAIR: 0.55,
    Slot.PROMOTION: 0.7,
    Slot.TURN: 0.45,
    Slot.PRESS: 0.35,
    Slot.FOLLOW: 1.0,
}
"""Probability of a gesture in each slot, before the factor of the habits."""


def choose(slot: Slot, rng: Random, habits: float, *what: Any) -> Kind | None:
    """Draw a kind that fits for *slot*, or None for the plain way."""
    if rng.random() > min(0.9, BASE[slot] * habits):
        return None
    fitting = [each for each in KINDS.values() if each.slot is slot and each.fits(*what)]
    if not fitting:
        return None
    return rng.choices(fitting, [each.weight for each in fitting])[0]


def load() -> None:
    """Register all kinds."""
    own = (
        "carrying",
        "fidgets",
        "orders",
        "clockwork",
        "trying",
        "captures",
        "haste",
        "wrongs",
        "taking_back",
    )
    for name in own:
        importlib.import_module(f"tests.bench.players.{name}")
    if importlib.util.find_spec("tests.bench.players.held_back") is not None:
        importlib.import_module("tests.bench.players.held_back")
