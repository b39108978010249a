# SPDX-License-Identifier: Apache-2.0
"""The table of costs: one frozen value, read from `costs.toml`.

All costs are in nats: negative logarithms of probabilities.
Costs of independent causes add up.
"""

from __future__ import annotations

import functools
import tomllib
from bisect import bisect_right
from dataclasses import dataclass, fields
from importlib import resources
from typing import Any, Final, Self


@dataclass(frozen=True, slots=True)
class Steps:
    """A cost that depends on a duration: constant between the limits."""

    until_ms: tuple[int, ...]
    nats: tuple[float, ...]

    def at(self, ms: int) -> float:
        """The cost of a duration of *ms* milliseconds."""
        return self.nats[bisect_right(self.until_ms, ms)]


@dataclass(frozen=True, slots=True)
class Costs:
    """One number for each cause; `costs.toml` says what each means."""

    ply_base: float
    ply_emptied: float
    ply_pushed: float
    ply_hidden: float
    ply_traceless: float
    ply_unseen: float
    ply_overlap: float
    ply_unpressed: float
    order_early_ms: int
    order_early: float
    order_straddle: float
    order_wrong: float
    order_missing: float
    order_lost: float
    piece_back: float
    piece_again: float
    piece_bounce_ms: int
    piece_bounce: float
    piece_pass_ms: int
    piece_pass: float
    piece_stop: float
    piece_try: float
    piece_adjust: float
    piece_brush: float
    piece_carried: float
    piece_more: float
    piece_lying: float
    press_early: float
    press_idle: float
    revision_halt: float
    revision_touch_move: float
    reply: Steps
    belated: Steps
    twice: Steps
    pause: Steps
    hold: Steps
    decision_announce: float
    decision_switch: float
    decision_settle: float
    decision_flag: float
    decision_doubt: float
    decision_traceless: float
    decision_variants: int
    decision_margin: float
    decision_beam: int

    @classmethod
    def read(cls, text: str) -> Self:
        """The table in a TOML text. Raises `ValueError` naming what is missing or unknown."""
        given: dict[str, Any] = {}
        for name, table in tomllib.loads(text).items():
            if set(table) == {"until_ms", "nats"}:
                given[name] = Steps(tuple(table["until_ms"]), tuple(table["nats"]))
                if len(given[name].nats) != len(given[name].until_ms) + 1:
                    raise ValueError(f"[{name}] needs one more cost than limits")
            else:
                given |= {f"{name}_{key}": value for key, value in table.items()}
        wanted = {field.name for field in fields(cls)}
        if wanted ^ set(given):
            raise ValueError(f"missing or unknown: {', '.join(sorted(wanted ^ set(given)))}")
        return cls(**given)


@functools.cache
def default_costs() -> Costs:
    """The table in `costs.toml`."""
    return Costs.read((resources.files(__package__) / "costs.toml").read_text("utf-8"))


DEFAULT: Final = default_costs()
