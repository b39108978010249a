# SPDX-License-Identifier: Apache-2.0
"""The findings by gesture, and the shares of games with findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.bench.players.judge import Judge
from tests.bench.players.play import Play

FAILURES = ("misread", "stuck", "undecided")
"""Classes of findings that together are the failures."""
GROUPS: dict[str, tuple[str, ...]] = {
    "failures": FAILURES,
    "false alarms": ("false alarm",),
    "silent": ("silent",),
    "needless questions": ("needless question",),
}


def wilson(count: int, games: int) -> tuple[float, float]:
    """The 95 % interval of the share *count* of *games*, in per cent (Wilson, 1927)."""
    if not games:
        return 0.0, 100.0
    share, z2 = count / games, 1.96**2
    middle = share + z2 / (2 * games)
    half = 1.96 * (share * (1 - share) / games + z2 / (4 * games * games)) ** 0.5
    whole = 1 + z2 / games
    return max(0.0, 100 * (middle - half) / whole), min(100.0, 100 * (middle + half) / whole)


class Summary:
    """Games and findings by gesture, and games with findings by game."""

    def __init__(self) -> None:
        self.games: Counter[str] = Counter()
        """Number of games with each gesture."""
        self.made: Counter[str] = Counter()
        self.found: dict[str, Counter[str]] = {}
        self.totals: Counter[str] = Counter()
        self.with_findings: dict[str, Counter[str]] = {}

    def add(self, play: Play, judge: Judge) -> None:
        """Add one game."""
        used = {name: count for name, count in play.used.items() if count}
        self.games.update(used.keys())
        self.made.update(used)
        for finding in judge.findings:
            names = {*finding.gestures} | ({"bullet"} & used.keys())
            for name in names or {"plain"}:
                self.found.setdefault(name, Counter())[finding.kind] += 1
        kinds = {finding.kind for finding in judge.findings}
        for game in ("all", judge.setting.game):
            self.totals[game] += 1
            groups = [name for name, classes in GROUPS.items() if kinds & set(classes)]
            self.with_findings.setdefault(game, Counter()).update(groups)

    def by_gesture(self) -> Iterator[dict[str, Any]]:
        """A row for each gesture: games, how often it was made, and findings during it."""
        for name in sorted({*self.games, *self.found}):
            found = self.found.get(name, Counter())
            counts = {each: found[each] for each in FAILURES}
            counts |= {group: found[GROUPS[group][0]] for group in list(GROUPS)[1:]}
            yield {"gesture": name, "games": self.games[name], "made": self.made[name]} | counts

    def by_game(self) -> Iterator[dict[str, Any]]:
        """A row for each game and group: the share of games with such findings."""
        for game in sorted(self.totals):
            for group in GROUPS:
                count, games = self.with_findings[game][group], self.totals[game]
                low, high = (round(each, 1) for each in wilson(count, games))
                yield {
                    "game": game,
                    "games": games,
                    "group": group,
                    "with": count,
                    "low": low,
                    "high": high,
                }

    def lines(self) -> Iterator[str]:
        """Both tables as text."""
        yield (
            f"{'gesture':22} {'games':>6} {'made':>6} {'misread':>8} {'stuck':>6} {'undecided':>10}"
            f" {'false alarms':>13} {'silent':>7} {'needless':>9}"
        )
        for row in self.by_gesture():
            name, games, made, misread, stuck, undecided, alarms, silent, needless = row.values()
            yield (
                f"{name:22} {games:6} {made:6} {misread:8} {stuck:6} {undecided:10}"
                f" {alarms:13} {silent:7} {needless:9}"
            )
        yield "games with findings (95 % intervals of Wilson):"
        for row in self.by_game():
            share = 100 * row["with"] / row["games"]
            yield (
                f"{row['game']:22} {row['games']:6} games  {row['group']:19} {row['with']:5}"
                f"  {share:5.1f} % ({row['low']} to {row['high']} %)"
            )
