# SPDX-License-Identifier: Apache-2.0
"""Compare pairings with those of bbpPairings, round by round.

Tournaments are drawn: 5 to 60 players, odd numbers too, 2 to 13 rounds, draws, forfeits, byes,
withdrawals, late entries. Each round is paired here and by the named program, from the report that
`companion hall` writes. Counted are rounds with other opponents, with other colours or with another
order of tables, and the rounds of finished tournaments that the program's checker rejects in the
report. `--large` measures the time of one tournament of 500 players instead.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from companion.model.errors import TournamentError
from companion.tournament.pairing import next_round
from companion.tournament.pairing_program import request, round_from
from companion.tournament.trf import write_trf
from companion.tournament.values import DRAW, LOSS, WIN, Acceleration, Bye, Format, Player, Round, Tournament
from tests.bench.report import arguments, deliver, percentiles, say

BYES: Final = (Bye.HALF, Bye.ZERO, Bye.ZERO, Bye.FULL)
SHOWN: Final = 10
"""Differences that are reported with their tournament."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How often something happens, for each player and round."""

    draw: float
    forfeit: float
    absent: float
    leave: float
    late: float

    @classmethod
    def drawn(cls, chance: random.Random) -> Habits:
        """The habits of one tournament."""
        return cls(
            chance.choice((0.1, 0.35, 0.6)),
            chance.choice((0.0, 0.03, 0.1)),
            chance.choice((0.0, 0.04, 0.15)),
            chance.choice((0.0, 0.03)),
            chance.choice((0.0, 0.15)),
        )


def entered(chance: random.Random, players: int, rounds: int) -> Tournament:
    """A tournament before its first round; players did not enter in the order of strength."""
    of = Tournament("Drawn", Format.SWISS, "chess", planned=rounds)
    for number in range(1, players + 1):
        of = of.entered(Player(number, f"Player {number}", chance.randint(1000, 2400)))
    return of


def before_round(chance: random.Random, of: Tournament, habits: Habits) -> Tournament:
    """*of* with the absences, withdrawals and late entries before its next round."""
    number = len(of.rounds) + 1
    for player in of.players:
        if number > 1 and player.left is None and chance.random() < habits.leave:
            of = of.withdrawn(player.number)
        elif player.bye_in(number) is None and chance.random() < habits.absent:
            of = of.excused(player.number, number, chance.choice(BYES))
    if number > 1 and chance.random() < habits.late:
        of = of.entered(Player(0, f"Late {number}", chance.randint(1000, 2400)))
    return of


def played(chance: random.Random, of: Tournament, habits: Habits) -> Tournament:
    """*of* with results in its last round."""
    for pairing in of.rounds[-1].pairings:
        first, second = map(of.player, pairing.players)
        wins = chance.random() < 1 / (1 + 10 ** ((second.rating - first.rating) / 400))
        points = (DRAW, DRAW) if chance.random() < habits.draw else (WIN, LOSS) if wins else (LOSS, WIN)
        is_forfeit = chance.random() < habits.forfeit
        if is_forfeit:
            points = chance.choice(((WIN, LOSS), (LOSS, WIN), (LOSS, LOSS)))
        of = of.with_result(len(of.rounds), pairing.table, points, is_forfeit=is_forfeit)
    return of


def paired_here(of: Tournament) -> Round | None:
    """The next round, or None if nobody can be paired."""
    try:
        return next_round(of)
    except TournamentError:
        return None


def paired_by(program: str, of: Tournament) -> Round | None:
    """The next round by *program*, or None if it finds none."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.trf")
        report.write_text(request(of))
        done = subprocess.run([program, "--dutch", str(report), "-p"], capture_output=True, text=True)
    if done.returncode == 1:
        return None
    done.check_returncode()
    return round_from(of, done.stdout)


def rejected(program: str, of: Tournament) -> int:
    """The rounds of the report of *of* that the checker of *program* would pair differently."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.trf")
        report.write_text(write_trf(of))
        done = subprocess.run([program, "--dutch", str(report), "-c"], capture_output=True, text=True)
    done.check_returncode()
    return sum(bool(each.strip()) for each in re.split(r"^.*: Round #\d+$", done.stdout, flags=re.M))


def difference(ours: Round | None, theirs: Round | None) -> str:
    """How two pairings of a round differ; empty if they do not."""
    if ours is None or theirs is None:
        return "" if ours is theirs else "possible"
    one, other = ([pairing.players for pairing in each.pairings] for each in (ours, theirs))
    if set(map(frozenset, one)) != set(map(frozenset, other)) or ours.byes != theirs.byes:
        return "opponents"
    if set(one) != set(other):
        return "colours"
    return "" if one == other else "order"


def compared(
    program: str, rounds: int, seed: int, acceleration: Acceleration
) -> Iterator[tuple[str, Tournament, float]]:
    """Each of *rounds* rounds: its difference, the tournament before it, and our seconds."""
    chance = random.Random(seed)
    done = 0
    while done < rounds:
        habits = Habits.drawn(chance)
        of = replace(entered(chance, chance.randint(5, 60), chance.randint(2, 13)), acceleration=acceleration)
        for _ in range(of.planned):
            of = before_round(chance, of, habits)
            start = time.perf_counter()
            ours = paired_here(of)
            seconds = time.perf_counter() - start
            yield difference(ours, paired_by(program, of)), of, seconds
            done += 1
            if ours is None:
                break
            of = played(chance, of.paired(ours), habits)
        yield "finished", of, 0.0


def measure(
    program: str, rounds: int, seed: int, acceleration: Acceleration = Acceleration.NONE
) -> dict[str, Any]:
    """Compare and count."""
    counts: Counter[str] = Counter()
    shown: list[str] = []
    seconds: list[float] = []
    for kind, of, took in compared(program, rounds, seed, acceleration):
        if kind == "finished":
            counts["checked"] += len(of.rounds)
            counts["rejected"] += rejected(program, of)
            continue
        seconds.append(took)
        counts["rounds"] += 1
        if kind:
            counts[kind] += 1
            shown = [*shown, f"{kind} in round {len(of.rounds) + 1}:\n{request(of)}"][:SHOWN]
        if counts["rounds"] % 1000 == 0:
            say(f"{counts['rounds']} rounds: {dict(counts)}")
    return {"counts": dict(counts), "seconds": percentiles(seconds), "differences": shown}


def large(players: int, rounds: int, seed: int) -> list[float]:
    """The seconds of each round of a tournament of *players* players."""
    chance = random.Random(seed)
    habits = Habits(0.3, 0.02, 0.02, 0.0, 0.1)
    of = entered(chance, players, rounds)
    found = []
    for _ in range(rounds):
        of = before_round(chance, of, habits)
        start = time.perf_counter()
        fresh = next_round(of)
        found.append(round(time.perf_counter() - start, 2))
        say(f"round {fresh.number}: {found[-1]} s")
        of = played(chance, of.paired(fresh), habits)
    return found


def parser() -> ArgumentParser:
    """The command's arguments."""
    parser = arguments(
        __doc__,
        "python tests/bench/pairing.py --program ./bbpPairings.exe --rounds 15000",
        "python tests/bench/pairing.py --large 500",
    )
    parser.add_argument(
        "--program", default="bbpPairings", metavar="PATH", help="bbpPairings 6 (default: bbpPairings)"
    )
    parser.add_argument("--rounds", type=int, default=1000, metavar="N", help="rounds (default: 1000)")
    parser.add_argument(
        "--acceleration", default="", choices=tuple(Acceleration), help="virtual points (default: none)"
    )
    parser.add_argument(
        "--large", type=int, default=0, metavar="PLAYERS", help="measure only the time of so many players"
    )
    return parser


def main() -> None:
    """Measure and report."""
    given = parser().parse_args()
    if given.large:
        found = large(given.large, 3 if given.quick else 9, given.seed)
        deliver({"players": given.large, "seconds": found}, given.seed, as_json=given.json)
        return
    if shutil.which(given.program) is None:
        raise SystemExit(f"{given.program}: there is no such program; name bbpPairings with --program")
    acceleration = Acceleration(given.acceleration)
    results = measure(given.program, 200 if given.quick else given.rounds, given.seed, acceleration)
    deliver(results, given.seed, as_json=given.json)


if __name__ == "__main__":
    main()
