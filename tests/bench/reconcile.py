# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one comparison, from the hands to the verdict of each figure.
"""Compare the computing of two trees' referees on the same hands.

The players' hands are recorded once, without a referee, and replayed to both by
`tests/bench/adapters/same_hands.py`. A game counts until the first ply whose announced move is
wrong, or missing, in one of the trees: then its session follows another game. Figures:

- work: processor ms a ply, for each game and sensor.
- open question: the same while a question is left open for 30 plies.
- longest: a call of the session as a table makes it, and all calls that one input leads to.
- lateness: ms at the table from the last edge of a ply until it is announced.

Exit codes: 0 what is required holds, 1 it does not or a tree failed, 2 wrong arguments, 130
interrupted.
"""

from __future__ import annotations

import argparse
import json
import math
import secrets
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.games import slugs  # noqa: E402  (run as a script, from anywhere)
from companion.model.observation import SensorKind  # noqa: E402
from tests.bench import against  # noqa: E402
from tests.bench.against import Line, Tree  # noqa: E402
from tests.bench.players.play import FENS, draw_setting  # noqa: E402
from tests.bench.recorded_hands import recorded  # noqa: E402
from tests.bench.report import arguments  # noqa: E402

ADAPTER: Final = Path(__file__).parent / "adapters" / "same_hands.py"
FULL_S: Final = 285.0
"""The time of a comparison; no part is begun that would probably end later."""
OPEN: Final = 30
"""Plies during which a question stays open."""
TANKS: Final = "tank-chess"
LARGE: Final = "companion-20"
PROMOTIONS: Final = (FENS[0], FENS[3])
"""Starts of chess with promotions at once, about which a board without tags asks."""
BLIND: Final = (SensorKind.OCCUPANCY, SensorKind.SIDE)
SHARE_OF_TIME: Final = {TANKS: 3}
"""The cost of its plies varies most."""
FEW: Final = 5
"""Plies that are enough where a question costs so much that the time was up."""
PLAYED, TIME_IS_UP = "played", "time is up"
DRAWS: Final = 300
SHARES: Final = {"p50": 0.5, "p90": 0.9, "p99": 0.99}


class Goal(NamedTuple):
    """What a figure must be, and what it should be."""

    required: float | None = None
    goal: float | None = None


WORK: Final = Goal(2.5, 1.0)
TANK_WORK: Final = {
    SensorKind.SIDE: Goal(0.3, 0.1),
    SensorKind.IDENTITY: Goal(8.0, 3.0),
    SensorKind.IDENTITY_FACING: Goal(8.0, 3.0),
}
OPEN_MS: Final = Goal(20.0)
LONGEST_MS: Final = Goal(100.0, 50.0)


class Part(NamedTuple):
    """Hands to record in each round: games with about *plies* in all."""

    game: str
    sensor: SensorKind
    plies: int
    games: int = 1
    is_answering: bool = True
    waits: bool = False
    """True if people let time for answers pass, as at tables that ask often."""
    limit_s: float = 10.0
    """Processor time of a game in each tree."""
    options: Mapping[str, str] | None = None
    """Those of the game; None draws them."""

    @property
    def name(self) -> str:
        """The game, with its map if that is not the usual one."""
        return f"{self.game} {(self.options or {}).get('map', '')}".strip()


def parts(game: str, *, asks: bool = True) -> list[Part]:
    """What is replayed of *game* in a round; with *asks* also hands that never answer."""
    if game == TANKS:
        others = (sensor for sensor in TANK_WORK if sensor is not SensorKind.SIDE)
        large = (SensorKind.SIDE, SensorKind.IDENTITY_FACING)
        found = [
            Part(game, SensorKind.SIDE, 30, 2, waits=True, limit_s=12.0),
            *(Part(game, sensor, 30, waits=True) for sensor in others),
            *(Part(game, sensor, 6, options={"map": LARGE}) for sensor in large),
        ]
    else:
        found = [Part(game, sensor, 30, 2) for sensor in SensorKind]
    return [*found, *(unanswered(game) if asks else ())]


def unanswered(game: str) -> list[Part]:
    """Hands at which a table probably asks early; they never answer."""
    asking = Part(game, SensorKind.OCCUPANCY, OPEN + 15, 2, is_answering=False, limit_s=4.0)
    if game == "chess":
        return [asking._replace(games=1, options={"start": fen}) for fen in PROMOTIONS]
    if game == "gottaz":
        return [asking._replace(sensor=sensor, games=1, plies=OPEN + 6) for sensor in BLIND]
    return [asking._replace(sensor=SensorKind.SIDE, games=1, plies=OPEN + 6)] if game == TANKS else [asking]


class Hands(NamedTuple):
    """A recorded game."""

    part: Part
    line: Line
    edges: list[int]


class Replayed(NamedTuple):
    """A game that both trees have seen."""

    hands: Hands
    now: Line
    before: Line

    @property
    def part(self) -> Part:
        """The part to which it belongs."""
        return self.hands.part

    @property
    def both(self) -> tuple[Line, Line]:
        """What this tree and the older one made of it."""
        return self.now, self.before

    @property
    def plies(self) -> int:
        """The number of plies that count."""
        return min(int(each["wrong"]) for each in self.both)


@dataclass(frozen=True, slots=True)
class Row:
    """A figure in both trees."""

    figure: str
    game: str
    of: str
    """The sensor, or the part of the figure."""
    now: float | None
    before: float | None
    limits: Goal
    samples: int
    interval: tuple[float, float] | None = None
    """Of the ratio, 90 %."""

    @property
    def ratio(self) -> float | None:
        """The new value by the old one."""
        return self.now / self.before if self.now not in (None, math.inf) and self.before else None

    @property
    def judged(self) -> float | None:
        """The value to which the limits apply: the ratio of work, else the new value."""
        return self.ratio if self.figure == "work" else self.now

    @property
    def is_met(self) -> bool | None:
        """True if what is required holds; None if there is nothing to judge."""
        required = self.limits.required
        if required is None or (self.figure == "open question" and self.now is None):
            return None
        return self.judged is not None and self.judged <= required

    def as_json(self) -> Line:
        """The row with what follows from it."""
        found = {name: value for name, value in asdict(self).items() if name != "limits"}
        line = {**found, **self.limits._asdict(), "ratio": self.ratio, "is_met": self.is_met}
        return {name: None if value == math.inf else value for name, value in line.items()}


def hands(part: Part, seed: str) -> Iterator[Hands]:
    """Record the games of *part*, without those in which the players make an error."""
    for number in range(part.games):
        setting = draw_setting(part.game, part.sensor, f"{seed}/{number}/{part.is_answering}")
        if part.options is not None:
            setting = replace(setting, options=dict(part.options))
        try:
            line, edges = recorded(
                setting, part.plies, waits=part.waits, answers=part.is_answering, limit_s=part.limit_s
            )
        except AssertionError as error:
            print(f"left out, an error of the players: {error}", file=sys.stderr)
            continue
        yield Hands(part, line, edges)


def window(found: Line) -> range | None:
    """The first plies during which a question stays open long enough."""
    opened = [set(plies) for plies in found["open"]]
    for first in range(len(opened)):
        last = first + OPEN
        if found["how"] == TIME_IS_UP:
            last = min(last, len(opened) - 1)
        if first + FEW <= last <= len(opened) and opened[first].intersection(*opened[first:last]):
            return range(first, last)
    return None


def round_of(game: str, seed: str, now: Tree, before: Tree, *, asks: bool) -> list[Replayed]:
    """Record hands of *game* and replay them in both trees."""
    made = [each for part in parts(game, asks=asks) for each in hands(part, seed)]
    lines = [each.line for each in made]
    found = (tree.measure(ADAPTER, lines=lines).value for tree in (now, before))
    return [Replayed(*each) for each in zip(made, *found, strict=True)]


def mean(costs: Sequence[float]) -> float | None:
    """The mean of *costs*, if any."""
    return sum(costs) / len(costs) if costs else None


def interval(sums: Sequence[tuple[float, ...]]) -> tuple[float, float] | None:
    """The 90 % interval of the ratio of *sums*, by drawing games again.

    Source: the percentile bootstrap, Efron, Annals of Statistics 7 (1979).
    """
    chance, found = Random(1), list[float]()
    for _ in range(DRAWS):
        drawn = chance.choices(sums, k=len(sums))
        before = sum(each[1] for each in drawn)
        found += [sum(each[0] for each in drawn) / before] if before else []
    found.sort()
    return (found[len(found) // 20], found[-1 - len(found) // 20]) if found else None


def work(games: Sequence[Replayed]) -> Iterator[Row]:
    """The processor time of a ply, for each game and sensor."""
    by: dict[tuple[str, SensorKind], list[Replayed]] = defaultdict(list)
    for each in games:
        if each.part.is_answering and each.part.name == each.part.game:
            by[each.part.game, each.part.sensor].append(each)
    for (game, sensor), own in by.items():
        plies = sum(each.plies for each in own)
        sums = [tuple(sum(found["costs"][: each.plies]) for found in each.both) for each in own]
        now, before = (sum(each[at] for each in sums) / plies if plies else None for at in (0, 1))
        limits = TANK_WORK[sensor] if game == TANKS else WORK
        yield Row("work", game, sensor, now, before, limits, plies, interval(sums))


def open_questions(games: Sequence[Replayed]) -> Iterator[Row]:
    """The processor time of a ply while a question stays open, for each game."""
    for game in dict.fromkeys(each.part.game for each in games):
        now, before = list[float](), list[float]()
        for each in games:
            at = None if each.part.is_answering else window(each.now)
            if each.part.game == game and at is not None:
                whole = each.before["costs"][: None if each.before["how"] == PLAYED else -1]
                now += each.now["costs"][at.start : at.stop]
                before += whole[at.start : at.stop] or whole  # if its time was up earlier
        yield Row("open question", game, f"{OPEN} plies", mean(now), mean(before), OPEN_MS, len(now))


def longest(games: Sequence[Replayed]) -> Iterator[Row]:
    """The longest call, and the longest input with all calls that it leads to."""
    for name in dict.fromkeys(each.part.name for each in games):
        own = [each for each in games if each.part.name == name]
        for index, (of, limits) in enumerate((("call", LONGEST_MS), ("whole input", Goal()))):
            now, before = (max(each.both[at]["longest"][index] for each in own) for at in (0, 1))
            yield Row("longest", name, of, now, before, limits, len(own))


def lateness(games: Sequence[Replayed]) -> Iterator[Row]:
    """The time from a ply's last edge to its right announcement.

    It counts until a ply that one of them never announces rightly, which is late without end.
    """
    by: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for each in games:
        if each.part.is_answering:
            ours, theirs = (found["announced"] for found in each.both)
            for ply, at_ms in enumerate(each.hands.edges[: each.plies + 1]):
                if str(ply) in ours or str(ply) in theirs:
                    one, two = (found.get(str(ply), math.inf) - at_ms for found in (ours, theirs))
                    by[each.part.game].append((one, two))
    for game, late in by.items():
        first, second = sorted(each[0] for each in late), sorted(each[1] for each in late)
        for name, share in SHARES.items():
            at = int(len(late) * share)
            now, before = (first[at], second[at]) if late else (None, None)
            yield Row("lateness", game, name, now, before, Goal(), len(late))


def rows(games: Sequence[Replayed]) -> list[Row]:
    """All figures."""
    return [row for figure in (work, open_questions, longest, lateness) for row in figure(games)]


def table(found: Iterable[Row]) -> str:
    """Rows as text."""
    head = [
        "figure",
        "game",
        "of",
        "now",
        "before",
        "ratio",
        "required",
        "goal",
        "",
        "samples",
        "90 % of ratio",
    ]
    lines = [head]
    for row in found:
        numbers = (row.now, row.before, row.ratio, *row.limits)
        verdict = {True: "met", False: "MISSED", None: ""}[row.is_met]
        if row.figure == "open question" and row.now is None:
            verdict = "did not come up"
        words = ["-" if each is None else f"{each:.4g}" if each < 1000 else f"{each:.0f}" for each in numbers]
        words = [{"inf": "never"}.get(each, each) for each in words]
        between = f"{row.interval[0]:.3g} to {row.interval[1]:.3g}" if row.interval else ""
        lines.append([row.figure, row.game, row.of, *words, verdict, str(row.samples), between])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def report(games: Sequence[Replayed], seed: int, took_s: float, *, as_json: bool) -> list[Row]:
    """Print the figures of *games* and return them."""
    found = rows(games)
    ended = [sum(each.both[at]["how"] != PLAYED for each in games) for at in (0, 1)]
    if as_json:
        about = {"seed": seed, "seconds": round(took_s), "games": len(games), "ended_early": ended}
        print(json.dumps({**about, "rows": [row.as_json() for row in found]}))
        return found
    print(table(found))
    print(
        "Processor ms a ply; the same; processor ms; ms at the table. The limits are those of the ratio for work,"
        " else of the new value."
    )
    print(
        f"Seed {seed}, {len(games)} games in {took_s:.0f} s, of which {ended[0]} now and {ended[1]} before ended"
        " early: their processor time was up, or their session failed."
    )
    return found


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = arguments(
        __doc__,
        "python tests/bench/reconcile.py --against 4449642f --json",
        "python tests/bench/reconcile.py --against ../older-tree --quick --games chess --seed 7",
    )
    parser.add_argument(
        "--games",
        type=chosen,
        default=[],
        metavar="A,B",
        help="games, separated by commas (default: all)",
    )
    parser.add_argument(
        "--against",
        required=True,
        metavar="COMMIT_OR_PATH",
        help="the older tree; it takes five minutes, with --quick about one; the seed is drawn if none is"
        " given; AGAINST_PYTHON names a Python that has the packages of that tree",
    )
    parser.add_argument("--keep", action="store_true", help="leave the tree of the commit in the cache")
    parser.set_defaults(seed=None)
    return parser


def chosen(text: str) -> list[str]:
    """The games of a list. Raises `argparse.ArgumentTypeError`."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if unknown := sorted({*names} - {*slugs()}):
        raise argparse.ArgumentTypeError(
            f"there is no game {', '.join(map(repr, unknown))}; there are {', '.join(slugs())}"
        )
    return names


def replayed(
    games: Sequence[str], seed: int, now: Tree, before: Tree, *, is_quick: bool
) -> Iterator[list[Replayed]]:
    """Yield the games of each round, as many rounds as there is time for.

    After the first one the games share the time, and no questions are left open.
    """
    began, rounds = time.monotonic(), Counter[str]()
    spent, took = dict.fromkeys(games, 0.0), dict.fromkeys(games, 0.0)
    while True:
        game = min(games, key=lambda each: (rounds[each] > 0, spent[each] / SHARE_OF_TIME.get(each, 1)))
        start = time.monotonic()
        if rounds[game] and (is_quick or start - began + took[game] > FULL_S):
            return
        yield round_of(game, f"{seed}/{rounds[game]}", now, before, asks=not rounds[game])
        took[game] = time.monotonic() - start
        spent[game] += took[game] if rounds[game] else 0.0
        rounds[game] += 1
        print(f"round {rounds[game]}, {game}: {took[game]:.0f} s", file=sys.stderr, flush=True)


def run(given: argparse.Namespace) -> int:
    """Compare and report what was measured, also after Ctrl-C; the exit code."""
    seed = secrets.randbelow(1_000_000) if given.seed is None else given.seed
    games, began = list[Replayed](), time.monotonic()

    def compare(_: argparse.Namespace) -> None:
        print(f"seed {seed}", file=sys.stderr, flush=True)
        with against.older(given.against, keep=given.keep) as before, against.present() as now:
            for each in replayed(given.games or slugs(), seed, now, before, is_quick=given.quick):
                games.extend(each)

    code = against.ended(compare, given)
    found = report(games, seed, time.monotonic() - began, as_json=given.json) if games else []
    return code or int(any(row.is_met is False for row in found))


def main() -> None:
    """Compare and report."""
    sys.exit(run(parser().parse_args()))


if __name__ == "__main__":
    main()
