# SPDX-License-Identifier: Apache-2.0
"""The table of costs: one frozen value, read from `costs.toml`.

All costs are in nats: negative logarithms of probabilities.
Costs of independent causes add up.
"""

from __future__ import annotations

import functools
import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from importlib import resources
from itertools import pairwise
from typing import Any, Final

from companion.model import toml
from companion.model.errors import SettingsError
from companion.model.phrase import Phrase
from companion.referee.timing import Timing


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
    unfollowed: Steps
    unfollowed_plies: int
    unfollowed_cells: int
    unfollowed_tries: int
    unfollowed_brief: int
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
        given: dict[str, Any] = {}
        for name, table in toml.parse(text, source).items():
            if not isinstance(table, dict):
                raise _refused(source, name, Phrase("a table"), table)
            given |= {f"{name}.{key}": value for key, value in table.items()}
        return cls.of(given, source, usual)

    @classmethod
    def of(cls, given: Mapping[str, Any], source: str, usual: Costs | None = None) -> Costs:
        """The table with the rows *given*, by names such as `ply.base`; else as `read`."""
        for row in given:
            if row not in _KNOWN:
                raise SettingsError(
                    "{source}: unknown key {key!r}; known here: {known}",
                    source=source,
                    key=row,
                    known=", ".join(get_close_matches(row, _KNOWN, n=3) or _KNOWN),
                )
        values = (usual.rows() if usual else {}) | dict(given)
        for row in _KNOWN:
            if row not in values:
                table, _, key = row.partition(".")
                raise SettingsError(
                    "{source}: key {key!r} is missing in {path}", source=source, key=key, path=table
                )
        return cls(**{field.name: _value(field.name, values, source) for field in fields(cls)})

    def rows(self) -> dict[str, Any]:
        """The value of each row, by names such as `ply.base` and `reply.nats`."""
        found: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Steps):
                found[f"{field.name}.until_ms"] = list(value.until_ms)
                found[f"{field.name}.nats"] = list(value.nats)
            else:
                found[_row(field.name)] = value
        return found

    def paced(self, timing: Timing) -> Costs:
        """The table at a table with these waits, which are its first limits of rests."""
        waits = (timing.hint_ms, timing.dwell_ms, timing.dwell_emptied_ms, timing.longest_ms)
        later = (max(limit, waits[-1]) for limit in self.hold.until_ms[len(waits) :])
        limits = (*waits, *later)[: len(self.hold.until_ms)]
        unfollowed = replace(self.unfollowed, until_ms=(waits[-1], *self.unfollowed.until_ms[1:]))
        return replace(self, hold=replace(self.hold, until_ms=limits), unfollowed=unfollowed)

    def differences(self) -> tuple[tuple[str, str], ...]:
        """The rows that differ from the default, as TOML."""
        usual = DEFAULT.rows()
        return tuple((row, json.dumps(value)) for row, value in self.rows().items() if value != usual[row])

    @classmethod
    def differing(cls, rows: Iterable[tuple[str, str]], source: str) -> Costs:
        """The default table with *rows*, as `differences` returns them."""
        given = {row: toml.parse(f"value = {text}", source)["value"] for row, text in rows}
        return cls.of(given, source, DEFAULT) if given else DEFAULT


def _row(name: str) -> str:
    """The row of the field *name*.

    >>> _row("revision_take_back")
    'revision.take_back'
    """
    return name.replace("_", ".", 1)


_DURATIONS: Final = tuple(field.name for field in fields(Costs) if field.type == "Steps")
_COUNTS: Final = tuple(
    field.name for field in fields(Costs) if field.type == "int" and field.name[-3:] != "_ms"
)
_KNOWN: Final = tuple(
    row
    for field in fields(Costs)
    for row in (
        (f"{field.name}.until_ms", f"{field.name}.nats") if field.name in _DURATIONS else (_row(field.name),)
    )
)
"""All rows, in the order of the table."""


def _value(name: str, values: Mapping[str, Any], source: str) -> Any:
    """The value of the field *name*, if *values* are valid."""
    if name in _DURATIONS:
        return _steps(name, values, source)
    row = _row(name)
    value = values[row]
    if name.endswith("_ms") or name in _COUNTS:
        least = int(name in _COUNTS)
        if type(value) is not int or value < least:
            raise _refused(source, row, Phrase("a whole number of at least {least}", least=least), value)
        return value
    return _nats(value, source, row)


def _steps(name: str, values: Mapping[str, Any], source: str) -> Steps:
    """The durations of the table *name*, if they are valid."""
    limits, nats = values[f"{name}.until_ms"], values[f"{name}.nats"]
    is_list = isinstance(limits, list) and bool(limits) and all(type(each) is int for each in limits)
    if not is_list or any(one >= two for one, two in pairwise([0, *limits])):
        raise _refused(source, f"{name}.until_ms", Phrase("an array of ascending whole numbers"), limits)
    count = len(limits) + 1
    if not isinstance(nats, list) or len(nats) != count:
        raise _refused(source, f"{name}.nats", Phrase("an array of {count}", count=count), nats)
    costs = (_nats(each, source, f"{name}.nats[{number}]") for number, each in enumerate(nats))
    return Steps(tuple(limits), tuple(costs))


def _nats(value: Any, source: str, row: str) -> float:
    """*value* as a cost, if it is one."""
    if type(value) not in (int, float) or not 0 <= value < math.inf:
        raise _refused(source, row, Phrase("a number of at least {least}", least=0), value)
    return float(value)


def _refused(source: str, row: str, wanted: Phrase, value: Any) -> SettingsError:
    """The error that *row* has a wrong *value*."""
    return SettingsError(
        "{source}: {key} must be {wanted}, not {value}",
        source=source,
        key=row,
        wanted=wanted,
        value=repr(value),
    )


@functools.cache
def default_costs() -> Costs:
    """The table in `costs.toml`."""
    return Costs.read((resources.files(__package__) / "costs.toml").read_text("utf-8"), "costs.toml")


DEFAULT: Final = default_costs()
