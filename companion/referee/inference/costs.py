# SPDX-License-Identifier: Apache-2.0
"""The table of costs: one frozen value, read from `costs.toml`.

All costs are in nats: negative logarithms of probabilities.
Costs of independent causes add up.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from importlib import resources
from typing import Any, Final, Self

from companion.model import toml
from companion.model.errors import SettingsError
from companion.model.phrase import Phrase
from companion.referee.values.timing import Timing


@dataclass(frozen=True, slots=True)
class Steps:
    """A cost that depends on a duration: constant between the limits."""

    until_ms: tuple[int, ...]
    nats: tuple[float, ...]

    def at(self, ms: int) -> float:
        """The cost of a duration of *ms* milliseconds."""
        return self.nats[bisect_right(self.until_ms, ms)]

    def paced(self, *waits: int) -> Self:
        """The same with *waits* as its first limits; no later one is less."""
        later = (max(limit, waits[-1]) for limit in self.until_ms[len(waits) :])
        return replace(self, until_ms=(*waits, *later)[: len(self.until_ms)])


@dataclass(frozen=True, slots=True)
class Unfollowed(Steps):
    """What a line costs that only the board shows; how far it is sought."""

    cells: int
    plies: int
    tries: int
    brief: int


@dataclass(frozen=True, slots=True)
class Costs:
    """One number for each cause; `costs.toml` says what each means."""

    ply_base: float
    ply_emptied: float
    ply_pushed: float
    ply_traceless: float
    ply_unseen: float
    ply_overlap: float
    ply_premature: float
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
    piece_turned: float
    piece_other: float
    piece_adjust: float
    piece_brush_ms: int
    piece_brush: float
    piece_aside: float
    piece_carried: float
    piece_more: float
    piece_meanwhile: float
    piece_lying: float
    piece_left: float
    press_early_ms: int
    press_early: float
    press_ahead: float
    press_answered: float
    press_idle: float
    press_returned: float
    press_first: float
    revision_halt: float
    revision_take_back: float
    revision_further: float
    revision_pressed: float
    revision_touch_move: float
    revision_put_right: float
    unfollowed: Unfollowed
    reply: Steps
    belated: Steps
    twice: Steps
    pause: Steps
    hold: Steps
    decision_announce: float
    decision_ask: float
    decision_end: float
    decision_switch: float
    decision_exchange: float
    decision_settle: float
    decision_flag: float
    decision_doubt: float
    decision_traceless: float
    decision_variants: int
    decision_varied: int
    decision_tries: int
    decision_candidates: int
    decision_halts: int
    decision_margin: float
    decision_beam: int

    @classmethod
    def read(cls, text: str, source: str, usual: Costs | None = None) -> Costs:
        """The table in a TOML *text*; *source* names it in errors.

        Rows that are left out are those of *usual*, if it is given.
        Raises `SettingsError` with the row and the reason.
        """
        given: dict[str, Any] = asdict(usual) if usual else {}
        for name, table in toml.parse(text, source).items():
            known = given.get(name)
            is_part = isinstance(known, dict) and isinstance(table, dict)
            given[name] = known | table if is_part else table
        found = toml.build(cls, given, source)
        for row, wanted, value in _misfits(found.rows()):
            raise SettingsError(
                "{source}: {key} must be {wanted}, not {value}",
                source=source,
                key=row,
                wanted=wanted,
                value=json.dumps(value),
            )
        return found

    def rows(self) -> dict[str, Any]:
        """The value of each row, by names such as `ply.base` and `reply.nats`."""
        found: dict[str, Any] = {}
        for name, value in asdict(self).items():
            if isinstance(value, dict):
                found |= {f"{name}.{key}": each for key, each in value.items()}
            else:
                found[name.replace("_", ".", 1)] = value
        return found

    def paced(self, timing: Timing) -> Costs:
        """The table at a table with these waits, which are its first limits of rests."""
        waits = (timing.hint_ms, timing.dwell_ms, timing.dwell_emptied_ms, timing.longest_ms)
        return replace(self, hold=self.hold.paced(*waits), unfollowed=self.unfollowed.paced(waits[-1]))

    def differences(self) -> tuple[tuple[str, str], ...]:
        """The rows that differ from the default, as TOML."""
        usual = DEFAULT.rows()
        return tuple((row, json.dumps(value)) for row, value in self.rows().items() if value != usual[row])

    @classmethod
    def differing(cls, rows: Iterable[tuple[str, str]], source: str) -> Costs:
        """The default table with *rows*, as `differences` returns them."""
        return cls.read("\n".join(f"{row} = {value}" for row, value in rows), source, DEFAULT)


def _misfits(rows: Mapping[str, Any]) -> Iterator[tuple[str, Phrase, Any]]:
    """The rows out of range, each with what it has to be and its value."""
    for row, value in rows.items():
        table, _, key = row.partition(".")
        least = int(isinstance(value, int) and not key.endswith("_ms"))
        if key == "until_ms":
            if not value or [0, *value] != sorted({0, *value}):
                yield row, Phrase("an array of ascending whole numbers"), value
        elif key == "nats":
            count = len(rows[f"{table}.until_ms"]) + 1
            if len(value) != count:
                yield row, Phrase("an array of {count}", count=count), value
            yield from _misfits({f"{row}[{number}]": each for number, each in enumerate(value)})
        elif not least <= value < math.inf:
            yield row, Phrase("a number of at least {least}", least=least), value


DEFAULT: Final = Costs.read((resources.files(__package__) / "costs.toml").read_text("utf-8"), "costs.toml")
