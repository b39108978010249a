# SPDX-License-Identifier: Apache-2.0
"""Compare tie-breaks with those of FIDE's TieBreakServer.

Tournaments are drawn: Swiss ones with byes, forfeits and late entries, round robins, teams. Each
tie-break is computed here, and by `tiebreakchecker.py` of the named folder from the report that
`companion hall` writes. Counted are the values, or the ranks of tie-breaks that compare those who
are tied, that differ. `--reports` compares the tournaments of reports instead, by the rules in
force.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from companion.tournament.event import Event
from companion.tournament.starting_order import starting_numbers
from companion.tournament.teams import team_standings
from companion.tournament.tie_breaks import AMONG, CODES, OF_TEAMS
from companion.tournament.ties import Standing, standings
from companion.tournament.trf import write_trf
from companion.tournament.trf_reader import read_trf
from companion.tournament.values import DRAW, LOSS, WIN, Format, Player, Tournament
from tests.bench.pairing import Habits, before_round, entered, paired_here, played
from tests.bench.report import arguments, deliver

_RESULTS: Final = ((WIN, LOSS), (DRAW, DRAW), (LOSS, WIN))
_HUNDREDTH: Final = 0.0051
"""Their values have two decimals."""
_BY_RATING: Final = ("rating", "performance")
"""Parts of the names of tie-breaks that their program has only where all are rated."""
_NOT_OF_TEAMS: Final = (*_BY_RATING, "pairing-number", "koya")
"""Parts of the names of tie-breaks that teams do not use."""


def swiss(chance: random.Random) -> Tournament:
    """A Swiss tournament of players."""
    habits = Habits.drawn(chance)
    return _over(chance, entered(chance, chance.randint(6, 24), chance.randint(3, 9)), habits)


def round_robin(chance: random.Random) -> Tournament:
    """A round robin, once or twice."""
    kind = chance.choice((Format.ROUND_ROBIN, Format.DOUBLE_ROUND_ROBIN))
    of = replace(entered(chance, chance.randint(4, 9), 0), format=kind)
    return _over(chance, of, Habits.drawn(chance))


def _over(chance: random.Random, of: Tournament, habits: Habits) -> Tournament:
    while not of.planned or len(of.rounds) < of.planned:
        of = before_round(chance, of, habits) if of.format is Format.SWISS else of
        fresh = paired_here(of)
        if fresh is None:
            break
        of = played(chance, of.paired(fresh), habits)
    return replace(of, planned=len(of.rounds))


def league(chance: random.Random) -> Tournament:
    """A Swiss tournament of teams."""
    boards, rounds = chance.randint(2, 5), chance.randint(3, 5)
    of = Tournament("League", Format.SWISS, "chess", planned=rounds, boards=boards)
    for team in range(chance.randint(4, 11)):
        for place in range(boards + chance.randint(0, 1)):
            of = of.entered(Player(0, f"P{team}.{place}", chance.randint(1500, 2400), team=f"T{team}"))
    while len(of.rounds) < rounds and (fresh := paired_here(of)) is not None:
        of = of.paired(fresh)
        for pairing in fresh.pairings:
            if len(pairing.players) == 2:
                of = of.with_result(fresh.number, pairing.table, chance.choice(_RESULTS))
    return replace(of, planned=len(of.rounds))


def of_report(path: Path) -> Tournament:
    """The tournament of a report without its date, so that the rules in force hold."""
    of = read_trf(path.read_text(encoding="utf-8")).value
    return replace(of, planned=len(of.rounds), event=Event())


def theirs(folder: str, of: Tournament, codes: list[str]) -> dict[int, list[str]]:
    """Rank, points and values by starting number, as FIDE's program has them."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place, "report.trf")
        report.write_text(write_trf(of))
        words = ["-i", str(report), "-o", "-", "-f", "TRF", "-dT", "-t", "PTS", *codes]
        done = subprocess.run(
            [sys.executable, "tiebreakchecker.py", *words], capture_output=True, text=True, cwd=folder
        )
    done.check_returncode()
    rows = [line.split("\t") for line in done.stdout.splitlines()[1:]]
    return {int(row[0]): row[1:] for row in rows if row[0]}


def names_for(of: Tournament) -> list[str]:
    """The tie-breaks that *of* can have.

    Fore Buchholz comes last: FIDE's program keeps what it changes for it.
    """
    names = sorted(CODES, key=lambda name: "fore" in name)
    if of.boards:
        return [name for name in names if not any(part in name for part in _NOT_OF_TEAMS)]
    if not all(player.rating for player in of.players):
        names = [name for name in names if not any(part in name for part in _BY_RATING)]
    is_fixed = of.format is not Format.SWISS
    return [name for name in names if name not in OF_TEAMS and not (is_fixed and "buchholz" in name)]


def compared(folder: str, of: Tournament) -> Iterator[tuple[str, bool]]:
    """Each value of each tie-break: its name, and whether it is the same."""
    names = names_for(of)
    rows = theirs(folder, of, [CODES[name].upper() for name in names])
    numbers = {player.number: player.number for player in of.players} if of.boards else starting_numbers(of)
    for place, name in enumerate(names, 2):
        ranked = replace(of, tie_breaks=(name,))
        lines: tuple[Standing, ...] = team_standings(ranked) if of.boards else standings(ranked)
        if name in AMONG:
            alone = theirs(folder, of, [CODES[name]])
            for line in lines:
                yield name, int(alone[numbers[line.player.number]][0]) == line.rank
        else:
            for line in lines:
                value = rows[numbers[line.player.number]][place]
                yield name, abs(float(value or 0) - float(line.tie_breaks[0])) < _HUNDREDTH


def drawn(count: int, seed: int) -> Iterator[Tournament]:
    """Tournaments of all kinds."""
    chance = random.Random(seed)
    for place in range(count):
        yield (swiss, swiss, round_robin, league)[place % 4](chance)


def measure(folder: str, tournaments: Sequence[Tournament]) -> dict[str, Any]:
    """Compare and count."""
    values, differing = Counter[str](), Counter[str]()
    for of in tournaments:
        for name, is_same in compared(folder, of):
            values[name] += 1
            differing[name] += not is_same
    return {
        "tournaments": len(tournaments),
        "values": sum(values.values()),
        "tie_breaks": len(values),
        "differing": {name: number for name, number in differing.items() if number},
    }


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = arguments(__doc__, "python tests/bench/tie_breaks.py --folder TieBreakServer --json")
    parser.add_argument(
        "--folder",
        default="TieBreakServer",
        metavar="DIR",
        help="folder of FIDE's TieBreakServer (default: TieBreakServer)",
    )
    parser.add_argument(
        "--tournaments", type=int, default=200, metavar="N", help="tournaments to draw (default: 200)"
    )
    parser.add_argument(
        "--reports", nargs="+", type=Path, metavar="FILE", help="reports (TRF) to compare instead"
    )
    return parser


def main() -> None:
    """Measure and report."""
    given = parser().parse_args()
    if not Path(given.folder, "tiebreakchecker.py").exists():
        raise SystemExit(f"{given.folder}: there is no tiebreakchecker.py; name its folder with --folder")
    count = 8 if given.quick else given.tournaments
    tournaments = map(of_report, given.reports) if given.reports else drawn(count, given.seed)
    found = measure(given.folder, list(tournaments))
    deliver(found, given.seed, as_json=given.json)


if __name__ == "__main__":
    main()
