# SPDX-License-Identifier: Apache-2.0
"""A table of costs from the causes in kept games.

A cause that occurred k times at n opportunities costs -ln((k + 1) / (n + 2)), after Laplace.
One that never occurred keeps its default if that is more: n opportunities show a least cost only.
A cost that depends on a duration is that of a tail. A pause costs -ln of the share of pauses that
reach its step, a reply -ln of the share of replies that come before the end of its step.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final, NamedTuple

from companion.model.grid import distances, neighbours
from companion.referee.inference.costs import Costs, Steps
from companion.referee.inference.tracker.hypothesis import Hypothesis

LEAST_PLIES: Final = 300
"""Fewer plies make no table: of a cause of one in 100, three are expected."""


class Evidence(NamedTuple):
    """One ply of a kept game, as the tracker explained it."""

    node: Hypothesis
    reply_ms: int | None
    """From the ply before to its first edge.

    None if a press or a silent link lay between.
    """


def evidence(node: Hypothesis) -> Evidence:
    """The evidence of *node*, whose parent is still known."""
    parent = node.parent
    if parent is None or not parent.imprints or parent.is_pressed or not node.segment:
        return Evidence(node, None)
    causes = {charge.cause for charge in node.charges}
    if parent.early or "order.lost" in causes:
        return Evidence(node, None)
    return Evidence(node, max(0, node.segment[0].t_ms - parent.done_ms))


_UNITS: Final = {
    row: unit
    for unit, rows in {
        "plies": ("ply.overlap", "piece.back", "piece.try", "piece.adjust", "piece.brush", "piece.aside"),
        "pressed plies": ("press.early", "press.idle"),
        "captures": ("ply.pushed",),
        "pieces moved": ("order.early",),
        "pieces moved to a neighbouring cell": ("order.straddle",),
        "pieces moved farther": ("order.wrong",),
        "needed cells": ("order.missing",),
        "reached cells": ("piece.again",),
        "cells on the way": ("piece.pass", "piece.stop"),
        "edges": ("piece.bounce",),
    }.items()
    for row in rows
}
"""By what the rows are counted; those that are missing here keep their default."""
_TOUCHES: Final = ("piece.adjust", "piece.aside", "piece.brush", "piece.carried", "piece.try")
"""Causes with two edges of their own."""
_REPEATED: Final = ("piece.back", "piece.again")
"""Causes of which one charge may stand for several."""
_AGAIN_AND_AGAIN: Final = (*_TOUCHES, *_REPEATED)
"""Causes that may occur again: each occurrence is one more opportunity."""


def _opportunities(node: Hypothesis) -> dict[str, int]:
    """For each unit, how many the ply of *node* had."""
    grid, needs, charges = node.before.rules.grid, node.needs, node.charges
    near = sum(neighbours(grid)[source] >> target & 1 for source, target in needs.ways)
    cells = {edge.cell for edge in node.segment}
    put_back_later = sum(charge.cause in _TOUCHES and charge.cell not in cells for charge in charges)
    bounces = sum(charge.cause == "piece.bounce" for charge in charges)
    return {
        "plies": 1,
        "pressed plies": int(node.is_pressed),
        "captures": needs.pushed.bit_count(),
        "pieces moved": len(needs.ways),
        "pieces moved to a neighbouring cell": near,
        "pieces moved farther": len(needs.ways) - near,
        "needed cells": (needs.opens | needs.closes | (needs.exchanges & ~needs.pushed)).bit_count(),
        "reached cells": (needs.closes | needs.exchanges | needs.free).bit_count(),
        "cells on the way": sum(max(0, distances(grid, one)[other] - 1) for one, other in needs.ways),
        "edges": max(0, len(node.segment) + 2 * put_back_later - 2 * bounces),
    }


@dataclass(slots=True)
class Tally:
    """What was counted so far."""

    plies: int = 0
    occurrences: Counter[str] = field(default_factory=Counter)
    opportunities: Counter[str] = field(default_factory=Counter)
    replies_ms: list[int] = field(default_factory=list)
    pauses_ms: list[int] = field(default_factory=list)

    def add(self, found: Evidence, costs: Costs) -> None:
        """Count one ply that was explained with *costs*."""
        node, prices, counts = found.node, costs.rows(), _opportunities(found.node)
        self.plies += 1
        self.opportunities.update({row: counts[unit] for row, unit in _UNITS.items()})
        for cause, nats, _ in node.charges:
            times = round(nats / prices[cause]) if cause in _REPEATED else 1
            self.occurrences[cause] += times
            self.opportunities[cause] += times if cause in _AGAIN_AND_AGAIN else 0
        if found.reply_ms is not None:
            self.replies_ms.append(found.reply_ms)
        gaps = (after.t_ms - before.t_ms for before, after in pairwise(node.segment))
        self.pauses_ms += [gap for gap in gaps if gap > costs.piece_bounce_ms]


class Fit(NamedTuple):
    """A fitted table and what each of its rows was counted from."""

    costs: Costs
    reasons: dict[str, str]
    """For each fitted row, its counts in words."""


def fitted(tally: Tally, base: Costs) -> Fit:
    """The table after *tally*; rows about which nothing is known are those of *base*."""
    usual, found, reasons = base.rows(), dict[str, Any](), dict[str, str]()
    for row, unit in _UNITS.items():
        occurred, possible = tally.occurrences[row], tally.opportunities[row]
        nats = max(0.01, _smoothed(min(occurred, possible), possible))
        if possible and (occurred or nats > usual[row]):
            found[row.replace(".", "_")] = nats
            reasons[row] = f"fit: {occurred} of {possible} {unit}"
    for name, unit, durations in (
        ("reply", "replies", tally.replies_ms),
        ("pause", "pauses", tally.pauses_ms),
    ):
        if durations:
            found[name] = _tails(durations, getattr(base, name), is_short=name == "reply")
            reasons[name] = f"fit: {len(durations)} {unit}"
    return Fit(replace(base, **found), reasons)


def written(fit: Fit, base_text: str, heading: Iterable[str]) -> str:
    """The table as TOML: *base_text* with the fitted numbers, and their counts as comments."""
    values, table = fit.costs.rows(), ""
    lines = [*(f"# {line}" for line in heading), ""]
    for line in base_text[base_text.index("\n[") + 1 :].splitlines():
        code, mark, comment = line.partition("#")
        key = code.partition(" = ")[0]
        row = f"{table}.{key}"
        if code.startswith("["):
            row = table = code[1 : code.index("]")]
        elif row in values:
            code = f"{key} = {json.dumps(values[row])}".ljust(21)
        if row in fit.reasons:
            comment = re.sub(r"\(\w+\)$", f"({fit.reasons[row]})", comment)
        lines.append(f"{code}{mark}{comment}".rstrip())
    return "\n".join([*lines, ""])


def _smoothed(occurred: int, possible: int) -> float:
    """The cost of a cause.

    >>> _smoothed(0, 98), _smoothed(9, 98)
    (4.61, 2.3)
    """
    return round(-math.log((occurred + 1) / (possible + 2)), 2)


def _tails(durations: list[int], base: Steps, *, is_short: bool) -> Steps:
    """The cost of each step: of what lasts as long or longer.

    Of what *is_short*: of what ends before the step does. If nothing does, at least that of *base*.
    """
    tails = list(zip(base.until_ms, base.nats if is_short else base.nats[1:], strict=False))
    found = [0.0]
    for limit, usual in reversed(tails) if is_short else tails:
        occurred = sum((each < limit) is is_short for each in durations)
        nats = _smoothed(occurred, len(durations))
        found.append(max(found[-1], nats if occurred else max(usual, nats)))
    return replace(base, nats=tuple(found[::-1] if is_short else found))
