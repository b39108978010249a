# SPDX-License-Identifier: Apache-2.0
"""A table of costs from the causes in kept games.

A cause that occurred k times at n opportunities costs -ln((k + 1) / (n + 2)), after Laplace.
One that never occurred keeps its default if that is more: n opportunities show a least cost only.
A cost that depends on a duration is that of a tail. A pause costs -ln of the share of pauses that
reach its step, a reply -ln of the share of replies that come before the end of its step.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, NamedTuple

from companion.model.grid import distances, neighbours
from companion.model.occupancy import Occupancy
from companion.referee.tracker.costs import Costs, Steps
from companion.referee.tracker.hypothesis import Hypothesis

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


def _plies(_: Hypothesis) -> int:
    return 1


def _pressed(node: Hypothesis) -> int:
    return int(node.is_pressed)


def _edges(node: Hypothesis) -> int:
    """Edges without those of bounces, and with those of pieces put back after the ply."""
    cells = {edge.cell for edge in node.segment}
    bounces = sum(charge.cause == "piece.bounce" for charge in node.charges)
    aside = sum(charge.cause in _TOUCHES and charge.cell not in cells for charge in node.charges)
    return max(0, len(node.segment) + 2 * aside - 2 * bounces)


def _way(node: Hypothesis) -> int:
    """Cells that a piece passes on a shortest way from its source to its target."""
    grid = node.before.rules.grid
    return sum(max(0, distances(grid, source)[target] - 1) for source, target in node.needs.ways)


def _legs(node: Hypothesis) -> int:
    return len(node.needs.ways)


def _near_legs(node: Hypothesis) -> int:
    """Pieces that go to a neighbouring cell."""
    grid = node.before.rules.grid
    return sum(bool(neighbours(grid)[source] >> target & 1) for source, target in node.needs.ways)


def _needed(node: Hypothesis) -> int:
    """Cells of which the move needs an edge."""
    needs = node.needs
    return _bits(needs.opens | needs.closes | (needs.exchanges & ~needs.pushed))


def _own(node: Hypothesis) -> int:
    """Cells of the move where a piece arrives."""
    return _bits(node.needs.closes | node.needs.exchanges | node.needs.free)


class _Row(NamedTuple):
    """What is counted for a row."""

    opportunities: Callable[[Hypothesis], int]
    unit: str
    """What an opportunity is."""


_COUNTED: Final = {
    "ply.pushed": _Row(lambda node: _bits(node.needs.pushed), "captures"),
    "ply.overlap": _Row(_plies, "plies"),
    "order.early": _Row(_legs, "pieces moved"),
    "order.straddle": _Row(_near_legs, "pieces moved to a neighbouring cell"),
    "order.wrong": _Row(lambda node: _legs(node) - _near_legs(node), "pieces moved farther"),
    "order.missing": _Row(_needed, "cells"),
    "piece.back": _Row(_plies, "plies"),
    "piece.again": _Row(_own, "cells"),
    "piece.bounce": _Row(_edges, "edges"),
    "piece.pass": _Row(_way, "cells on the way"),
    "piece.stop": _Row(_way, "cells on the way"),
    "piece.try": _Row(_plies, "plies"),
    "piece.adjust": _Row(_plies, "plies"),
    "piece.brush": _Row(_plies, "plies"),
    "piece.aside": _Row(_plies, "plies"),
    "press.early": _Row(_pressed, "pressed plies"),
    "press.idle": _Row(_pressed, "pressed plies"),
}
"""The rows that are counted; all others keep their default."""
_TOUCHES: Final = ("piece.adjust", "piece.aside", "piece.brush", "piece.carried", "piece.try")
"""Causes with two edges of their own."""
_REPEATED: Final = ("piece.back", "piece.again")
"""Causes of which one charge may stand for several."""
_AGAIN_AND_AGAIN: Final = (
    "piece.back",
    "piece.try",
    "piece.adjust",
    "piece.brush",
    "piece.aside",
    "piece.again",
)
"""Rows whose cause may occur again: each occurrence is one more opportunity."""


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
        node, values = found.node, costs.rows()
        self.plies += 1
        for row, counted in _COUNTED.items():
            self.opportunities[row] += counted.opportunities(node)
        for charge in node.charges:
            row = charge.cause
            times = round(charge.nats / values[row]) if row in _REPEATED else 1
            self.occurrences[row] += times
            self.opportunities[row] += times if row in _AGAIN_AND_AGAIN else 0
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
    values, reasons = base.rows(), dict[str, str]()
    for row, counted in _COUNTED.items():
        occurred, possible = tally.occurrences[row], tally.opportunities[row]
        if not possible:
            continue
        nats = _nats(occurred, possible)
        if not occurred and nats <= values[row]:
            continue
        values[row] = nats
        reasons[row] = f"fit: {occurred} of {possible} {counted.unit}"
    for name, durations, steps in (
        ("reply", tally.replies_ms, _replies(tally.replies_ms, base.reply)),
        ("pause", tally.pauses_ms, _pauses(tally.pauses_ms, base.pause)),
    ):
        if durations:
            values[f"{name}.nats"] = list(steps)
            unit = "replies" if name == "reply" else "pauses"
            reasons[name] = f"fit: {len(durations)} {unit}"
    return Fit(Costs.of(values, "fit"), reasons)


def written(fit: Fit, base_text: str, heading: Iterable[str]) -> str:
    """The table as TOML: *base_text* with the fitted numbers, and their counts as comments."""
    values, lines, table = fit.costs.rows(), [f"# {line}" for line in heading], ""
    lines.append("")
    body = base_text[base_text.index("\n[") + 1 :]
    for line in body.splitlines():
        if line.startswith("["):
            table = line[1 : line.index("]")]
            lines.append(_with_reason(line, fit.reasons.get(table)))
            continue
        key, is_row, _ = line.partition(" = ")
        row = f"{table}.{key}"
        if not is_row or row not in values or (row not in fit.reasons and table not in fit.reasons):
            lines.append(line)
            continue
        comment = line[line.index("#") :] if "#" in line else ""
        text = f"{key} = {values[row]}"
        lines.append(_with_reason(f"{text:<20} {comment}".rstrip(), fit.reasons.get(row)))
    return "\n".join([*lines, ""])


def _with_reason(line: str, reason: str | None) -> str:
    """*line* with *reason* instead of the source of its number."""
    return line if reason is None else re.sub(r" \(\w+\)$", "", line) + f" ({reason})"


def _nats(occurred: int, possible: int) -> float:
    """The smoothed cost of a cause.

    >>> _nats(0, 98), _nats(9, 98)
    (4.61, 2.3)
    """
    return max(0.01, round(-math.log((min(occurred, possible) + 1) / (possible + 2)), 2))


def _pauses(durations: list[int], base: Steps) -> Iterator[float]:
    """The cost of each step: of a pause that lasts as long or longer."""
    yield 0.0
    least = 0.0
    for limit, usual in zip(base.until_ms, base.nats[1:], strict=True):
        least = max(least, _tail(sum(each >= limit for each in durations), len(durations), usual))
        yield least


def _replies(durations: list[int], base: Steps) -> list[float]:
    """The cost of each step: of a reply that comes so soon or sooner."""
    least, found = 0.0, [0.0]
    for limit, usual in reversed(list(zip(base.until_ms, base.nats, strict=False))):
        least = max(least, _tail(sum(each < limit for each in durations), len(durations), usual))
        found.append(least)
    return found[::-1]


def _tail(occurred: int, possible: int, usual: float) -> float:
    """The cost of a tail; if nothing lies in it, at least the *usual* one."""
    smoothed = round(-math.log((occurred + 1) / (possible + 2)), 2)
    return smoothed if occurred else max(usual, smoothed)


def _bits(cells: Occupancy) -> int:
    return cells.bit_count()
