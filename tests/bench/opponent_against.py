# SPDX-License-Identifier: Apache-2.0
"""Compare this tree's opponent, A, with that of another tree or another setting, B.

`time`: processor time to a given depth. Both search the same positions of careless games, in turn.
`ratio` is the geometric mean of the positions' ratios of A's time to B's, with its 95 % interval;
a_s and b_s are sums; `nodes` is the geometric mean of the ratios of nodes.

`strength`: games from random openings, each with both colours. A game of 300 plies is a draw. By
default each side has for a move a tenth of the processor time of the highest level; `--nodes` and
`--level` set other limits. The score is that of A. Two hypotheses are tested, each with an error of
2.5 %: "A is weaker by 50 Elo or more" (`--worse-by`), which the verdict "not worse" rejects, and "A
is at least as strong", which "worse" rejects. With `--sequential` a match ends as soon as one is
rejected; its interval is valid all the same (`tests/bench/elo.py`), and wider. Between equal
players, whose pairs have a standard deviation of 0.24, that takes about 200 games.

Each tree searches in processes of its own, with the same Python. Without `--against`, B is this
tree, too: give it other arguments with `--player-b` or `--replace-b`.

Exit codes: 0 compared, 1 a tree failed, 2 wrong arguments, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.games import find, slugs  # noqa: E402  (run as a script, from anywhere)
from companion.model.game import AnyRules  # noqa: E402
from companion.opponent.levels import levels  # noqa: E402
from companion.opponent.player import choose  # noqa: E402
from tests.bench import against  # noqa: E402
from tests.bench.against import AgainstFailed, Line, Tree  # noqa: E402
from tests.bench.elo import Match, expected, fixed  # noqa: E402
from tests.bench.matches import Move, Player, points  # noqa: E402
from tests.bench.report import arguments, deliver, say  # noqa: E402

ADAPTER: Final = Path(__file__).parent / "adapters" / "opponent.py"
DEPTHS: Final = {"chess": 5, "fightopia": 4, "gottaz": 3, "martian-chess": 4, "tank-chess": 2}
"""The games that are measured, and plies to search."""
SECONDS: Final = 0.17
SECONDS_OF: Final = {"tank-chess": 0.25}
"""Processor time of a move: a tenth of the highest level's."""
LONGEST: Final = 40
"""Plies of a careless game at most, and the least number of them."""
SHORTEST: Final = 4


class Remote:
    """A player in a process of a tree."""

    def __init__(self, tree: Tree, asks: Line) -> None:
        """*asks* are the fixed parts of its questions."""
        self.asks = asks
        self.answers: list[Line] = []
        self._name = tree.name
        self._process = tree.start("-P", str(ADAPTER), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if (folder := self._answer()["folder"]) != str(tree.folder.resolve()):
            raise AgainstFailed(
                f"companion is that of {folder}, not of {tree.folder}: is there an empty one?"
            )

    def ask(self, **asks: Any) -> Line:
        """The answer to a question. Raises `AgainstFailed` if the process ended."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # then there is no answer
            self._process.stdin.write(json.dumps({**self.asks, **asks}) + "\n")
            self._process.stdin.flush()
        self.answers.append(self._answer())
        return self.answers[-1]

    def __call__(self, rules: AnyRules, position: Any, past: Sequence[Any], seed: int) -> Move:
        """The move in *position*: a `Player`."""
        answer = self.ask(past=[rules.write_position(each) for each in past], seed=seed)
        return rules.read_move(position, answer["move"])

    def _answer(self) -> Line:
        assert self._process.stdout is not None
        text = self._process.stdout.readline()
        if not text:
            raise AgainstFailed(f"the opponent of {self._name} has ended, for the reason above")
        found: Line = json.loads(text)
        return found


def careless_positions(rules: AnyRules, count: int, seed: int) -> Iterator[Any]:
    """Yield *count* positions of games of the lowest level against itself."""
    chance, level = random.Random(seed), levels(rules.slug)[0]
    while count:
        position = rules.initial()
        for _ in range(chance.randint(SHORTEST, LONGEST)):
            position = rules.apply(position, choose(rules, position, level, chance.randrange(1 << 30)).move)
            if rules.status(position) is not None:
                break
        else:
            count -= 1
            yield position


def mean_ratio(ratios: Sequence[float]) -> tuple[float, float, float]:
    """The geometric mean of *ratios*, and its 95 % interval."""
    logs = [math.log(each) for each in ratios]
    low, high = fixed(logs)
    return math.exp(math.fsum(logs) / len(logs)), math.exp(low), math.exp(high)


def timed(rules: AnyRules, players: Sequence[Remote], depth: int, count: int, seed: int) -> dict[str, Any]:
    """The processor times of *players* to *depth*."""
    for number, position in enumerate(careless_positions(rules, count, seed)):
        past = [rules.write_position(position)]
        for player in players if number % 2 else reversed(players):
            player.ask(past=past, depth=depth)
        say(f"{rules.slug} {number + 1}: {[round(each.answers[-1]['seconds'], 3) for each in players]} s")
    pairs = [*zip(players[0].answers, players[1].answers, strict=True)]
    ratio, low, high = mean_ratio([a["seconds"] / b["seconds"] for a, b in pairs])
    return {
        "depth": depth,
        "positions": count,
        "a_s": round(sum(a["seconds"] for a, _ in pairs), 2),
        "b_s": round(sum(b["seconds"] for _, b in pairs), 2),
        "ratio": round(ratio, 3),
        "from": round(low, 3),
        "to": round(high, 3) if math.isfinite(high) else None,
        "nodes": round(mean_ratio([a["nodes"] / b["nodes"] for a, b in pairs])[0], 3),
    }


def verdict(found: Match, worse_by: float) -> str:
    """Which hypotheses the interval of *found* rejects."""
    low, high = found.interval()
    is_no_worse, is_worse = low > expected(-worse_by), high < 0.5
    if is_no_worse and is_worse:
        return f"worse by less than {worse_by:g}"
    return "not worse" if is_no_worse else "worse" if is_worse else "undecided"


def played(
    rules: AnyRules, tables: Sequence[tuple[Player, Player]], games: int, seed: int, worse_by: float | None
) -> Match:
    """Play *games* games of the first player of each table against the second.

    With *worse_by* the match ends when there is a verdict. Games count in the order of their
    openings, however long they take.
    """
    found, free = Match(is_sequential=worse_by is not None), SimpleQueue[tuple[Player, Player]]()
    for table in tables:
        free.put(table)

    def pair(number: int) -> list[float]:
        table = free.get()
        try:
            return [points(rules, *table, seat, seed + number) for seat in (0, 1)]
        finally:
            free.put(table)

    with ThreadPoolExecutor(len(tables)) as pool:
        pairs = [pool.submit(pair, number) for number in range(-(-games // 2))]
        try:
            for each in pairs:
                found.scores += each.result()
                say(f"{rules.slug}: {found.as_data()}")
                if worse_by is not None and verdict(found, worse_by) != "undecided":
                    break
        finally:
            for each in pairs:
                each.cancel()
    return found


def matched(
    rules: AnyRules, tables: Sequence[tuple[Remote, Remote]], given: argparse.Namespace
) -> dict[str, Any]:
    """The figures of a match."""
    games = given.count or (2 if given.quick else 60)
    found = played(rules, tables, games, given.seed, given.worse_by if given.sequential else None)
    result = {**found.as_data(), "verdict": verdict(found, given.worse_by)}
    for seat, name in enumerate("ab"):
        answers = [answer for table in tables for answer in table[seat].answers]
        for key in ("seconds", "nodes", "depth"):
            result[f"{name}_{key}"] = round(sum(each[key] for each in answers) / max(len(answers), 1), 3)
    return result


def limits(slug: str, given: argparse.Namespace) -> Line:
    """The limits of a move in the game *slug*."""
    if given.level:
        return {"level": given.level, "share": given.share}
    if given.nodes or given.quick:
        return {"nodes": given.nodes or 20}
    return {"seconds": given.seconds or SECONDS_OF.get(slug, SECONDS)}


def compared(now: Tree, other: Tree, given: argparse.Namespace) -> dict[str, Any]:
    """The figures of all games."""
    results: dict[str, Any] = {}
    for slug in given.only or DEPTHS:
        rules = find(slug).rules(dict(each.split("=", 1) for each in given.option))
        if len(rules.sides) != 2:
            raise AgainstFailed(f"{slug} has {len(rules.sides)} sides here: choose options for two")
        asks: Line = {"game": slug, "options": dict(rules.options)}
        own = [
            {**asks, "search": given.player_a, "replace": given.replace_a},
            {**asks, "search": given.player_b, "replace": given.replace_b},
        ]
        if given.measure == "time":
            depth = given.depth or (2 if given.quick else DEPTHS.get(slug, 4))
            players = [Remote(tree, each) for tree, each in zip((now, other), own, strict=True)]
            count = given.count or (2 if given.quick else 12)
            results[slug] = timed(rules, players, depth, count, given.seed)
        else:
            a, b = ({**each, **limits(slug, given)} for each in own)
            tables = [(Remote(now, a), Remote(other, b)) for _ in range(given.jobs)]
            results[slug] = matched(rules, tables, given)
        say(f"{slug}: {results[slug]}")
        now.close()
        other.close()
    return results


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    script = "python tests/bench/opponent_against.py"
    found = arguments(
        __doc__,
        f"{script} time --against ../older-tree",
        f"{script} strength --against 4449642f --only chess --sequential --count 400 --jobs 2",
        f"{script} strength --level 8 --share 0.1 --replace-b '{{\"noise\": 10}}' --only chess",
        is_fresh=True,
    )
    found.add_argument("measure", choices=("time", "strength"), help="what to measure")
    found.add_argument("--against", metavar="TREE", help="commit or path of B's tree (default: this tree)")
    found.add_argument("--keep", action="store_true", help="leave the tree of a commit in the cache")
    found.add_argument("--only", choices=slugs(), action="append", help="measure this game (may be repeated)")
    found.add_argument("--option", "-o", action="append", default=[], help="option of the game, NAME=VALUE")
    found.add_argument(
        "--count", type=int, metavar="N", help="positions or games of each game (default: 12 or 60)"
    )
    found.add_argument("--depth", type=int, metavar="N", help="plies to search, of time (default: 2 to 5)")
    limit = found.add_mutually_exclusive_group()
    limit.add_argument("--seconds", type=float, metavar="S", help="processor time of a move, in seconds")
    limit.add_argument("--nodes", type=int, metavar="N", help="positions looked at before a move")
    limit.add_argument("--level", type=int, metavar="N", help="play as the level with this number")
    found.add_argument("--share", type=float, default=1, metavar="X", help="share of the level's positions")
    for name in "ab":
        for option, what in (
            (f"--player-{name}", "further arguments of the search of"),
            (f"--replace-{name}", "fields of the level, if it has them, of"),
        ):
            found.add_argument(
                option, type=json.loads, default={}, metavar="JSON", help=f"{what} {name.upper()}"
            )
    found.add_argument("--sequential", action="store_true", help="end a match when there is a verdict")
    found.add_argument(
        "--worse-by", type=float, default=50, metavar="ELO", help="difference that matters (default: 50)"
    )
    found.add_argument("--jobs", type=int, default=1, metavar="N", help="games at a time (default: 1)")
    return found


def run(given: argparse.Namespace) -> None:
    """Compare the trees and print the report. Raises `AgainstFailed`."""
    os.environ.setdefault(against.PYTHON_VARIABLE, sys.executable)
    say(f"seed {given.seed}")
    with ExitStack() as stack:
        now = stack.enter_context(against.present())
        other = stack.enter_context(
            against.older(given.against, keep=given.keep) if given.against else against.present()
        )
        deliver(compared(now, other, given), given.seed, as_json=given.json)


def main() -> None:
    """Compare and exit."""
    sys.exit(against.ended(run, parser().parse_args()))


if __name__ == "__main__":
    main()
