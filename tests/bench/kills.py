# SPDX-License-Identifier: Apache-2.0
"""Kill the programs of an evening at drawn moments, and look for what was lost.

A hall with a PostgreSQL database, a Mosquitto broker and tables as programs plays rounds of chess;
hands play at the tables' pages, and an arbiter acts over the API. Database, broker, hall and tables
are killed like `kill -9` and started again, one or several at once, also while a table joins. All
that a table has announced must stay in its journal and come to the hall's copy; all that the hall
has acknowledged must be in its book. The exit code is 1 if anything was lost, or if a program
ended by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests import programs
from tests.bench import kill_judge as judge
from tests.bench.kill_arbiter import Arbiter, NoAnswerError
from tests.bench.kill_hands import Hands
from tests.bench.kill_programs import GUEST, OWN, TABLES, Site
from tests.bench.report import say

KINDS: Final = ("broker", "database", "hall", "table", "joining", "power")
SHARES: Final = (20, 15, 20, 20, 15, 10)
"""Of a hundred kills, by kind."""
ROUND_KILLS: Final = 10
"""Kills between two quiet moments."""
SETTLE_S: Final = 90.0
"""All must agree so long after the last program has started."""


@dataclass
class Tally:
    """What a campaign has found."""

    seed: int
    kills: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    """Announced moves, acknowledged acts, copies and results that were lost or doubled."""
    exits: list[str] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    unsettled: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)
    moves: int = 0
    acts: int = 0
    slowest: list[tuple[float, str]] = field(default_factory=list)
    checks: int = 0
    seconds: float = 0.0

    @property
    def is_bad(self) -> bool:
        """True if anything was lost, or ended by itself."""
        return bool(self.lost or self.exits or self.tracebacks or self.unsettled)

    def table(self) -> str:
        """The summary, for people."""
        rows: list[tuple[str, object]] = [
            *((f"kills: {kind}", self.kills[kind]) for kind in KINDS),
            ("kills", self.kills.total()),
            ("quiet moments", self.checks),
            ("moves announced", self.moves),
            ("acts acknowledged", self.acts),
            ("lost or doubled", len(self.lost)),
            ("programs that ended by themselves", len(self.exits)),
            ("tracebacks", len(self.tracebacks)),
            ("not settled in time", len(self.unsettled)),
            ("not announced within 25 s", len(self.late)),
            ("slowest announcement", ", ".join(f"{s:.1f} s ({what})" for s, what in self.slowest[:3])),
            ("seconds", round(self.seconds)),
            ("seed", self.seed),
        ]
        return "\n".join(f"{name:<36}{value}" for name, value in rows)

    def details(self) -> str:
        """Each thing found, at length."""
        found = {
            "lost": self.lost,
            "ended by itself": self.exits,
            "traceback": self.tracebacks,
            "not settled": self.unsettled,
            "late": self.late,
            "noted": [f"{times} × {what}" for what, times in self.notes.most_common(12)],
        }
        return "\n".join(f"{kind}: {each}" for kind, all_of in found.items() for each in all_of)


class Campaign:
    """An evening, and who kills its programs."""

    def __init__(self, site: Site, seed: int) -> None:
        self._site = site
        self._chance = Random(seed)
        self.tally = Tally(seed)
        self.shown = judge.Shown()
        self.hands = Hands(site, self.shown, Random(f"{seed} hands"))
        self.arbiter = Arbiter(site, Random(f"{seed} arbiter"))
        self._began = time.monotonic()
        self._killed: set[str] = set()
        self._retired: list[tuple[dict[str, bytes], list[tuple[str, ...]]]] = []
        """Journals and records of machines that the guest has left."""

    @contextlib.asynccontextmanager
    async def evening(self) -> AsyncIterator[None]:
        """All programs run, and people act."""
        site, tasks = self._site, list[asyncio.Task[None]]()
        await site.prepare()
        try:
            for station in (*TABLES, GUEST):
                site.codes[station] = await self._code(station)
                await site.start(station)
            work: list[Coroutine[Any, Any, None]] = [
                self.hands.play(station, is_seated=station != GUEST) for station in (*OWN, *TABLES, GUEST)
            ]
            tasks += map(asyncio.create_task, (*work, self.arbiter.run(), self._watch()))
            yield
        finally:
            for task in tasks:
                task.cancel()
            for found in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(found, Exception):
                    self.tally.exits.append(f"a part of this campaign: {found!r}")

    async def _code(self, station: str) -> str:
        async with asyncio.timeout(60):
            while not (code := await self.arbiter.invite(station)):  # noqa: ASYNC110 - a program may be starting
                await asyncio.sleep(0.1)
        return code

    async def _watch(self) -> None:
        """Start what has ended by itself; it is in the tally."""
        while True:
            for name, program in (("hall", self._site.hall), *self._site.tables.items()):
                if name not in self._killed and program.note_exit():
                    await self._note_exit(name, program.exits[-1])
                    await self._site.start(name)
            await asyncio.sleep(0.2)

    async def _note_exit(self, name: str, what: str) -> None:
        last = [f"{verb} {each}" for _, verb, each in self._site.kills[-6:]]
        if name == GUEST and "--join" in self._site.tables[GUEST].words():
            self.tally.notes["a table that joined was killed, and was refused with the same code"] += 1
            self._site.codes[GUEST] = await self._code(GUEST)
        else:
            self.tally.exits.append(f"{what}\n  before: {', '.join(last)}")
            say(f"  {what[:300]}")

    # --- kills ---

    async def strike(self) -> None:
        """Kill something drawn, and start it again after a drawn time."""
        kind = self._chance.choices(KINDS, SHARES)[0]
        if kind == "database" and self._site.database is None:
            kind = "hall"
        self.tally.kills[kind] += 1
        if kind == "power":
            await self._power()
        elif kind == "joining":
            await self._joining()
        else:
            names = [self._chance.choice(TABLES) if kind == "table" else kind]
            if self._chance.random() < 0.3:
                others = sorted({*self._site.programs} - {*names, GUEST})
                names += self._chance.sample(others, self._chance.randint(1, 2))
            await asyncio.gather(*map(self._bounce, names))

    async def _bounce(self, name: str) -> None:
        down_s = self._chance.choice((0.0, 0.3, 1.0, 3.0)) * self._chance.random()
        self._killed.add(name)
        await asyncio.to_thread(self._site.kill, name)
        await asyncio.sleep(down_s)
        await self._site.start(name)
        self._killed.discard(name)

    async def _power(self) -> None:
        names = [*self._site.programs]
        self._chance.shuffle(names)
        self._killed |= {*names}
        await asyncio.gather(*(asyncio.to_thread(self._site.kill, name) for name in names))
        await asyncio.sleep(self._chance.random())
        await asyncio.gather(*map(self._site.start, names))
        self._killed -= {*names}

    async def _joining(self) -> None:
        """The guest joins from another machine, and is killed meanwhile."""
        site = self._site
        self._killed.add(GUEST)
        await asyncio.to_thread(site.kill, GUEST)
        self._retired.append((site.journals(GUEST), self.shown.records.pop(GUEST, [])))
        code = await self._code(GUEST)
        site.machine += 1
        site.codes[GUEST] = code
        await site.start(GUEST)
        await asyncio.sleep(0.25 * self._chance.random())
        await self._bounce(GUEST)

    # --- checks ---

    async def check(self) -> None:
        """Wait until all agree, and judge."""
        self.hands.is_resting = self.arbiter.is_resting = True
        began, reasons = time.monotonic(), ["nothing was compared"]
        while reasons and time.monotonic() - began < SETTLE_S:
            await asyncio.sleep(0.3)
            reasons = await self._reasons_to_wait()
        self.tally.checks += 1
        if reasons:
            what = f"after {self.tally.kills.total()} kills, {SETTLE_S:.0f} s later: {'; '.join(reasons)}"
            self.tally.unsettled.append(f"{what}\n  {self._kills_near(began)}")
        await asyncio.to_thread(self._judge, is_settled=not reasons)
        self.hands.is_resting = self.arbiter.is_resting = False

    async def _reasons_to_wait(self) -> list[str]:
        site = self._site
        pages = site.pages()
        found = [f"{station} has no page" for station in (*OWN, *TABLES, GUEST) if station not in pages]
        for station, table in self.hands.tables.items():
            if not table.is_connected or table.made is not None:
                found.append(f"{station} plays still: {table.made}, {table.view.get('phase')}")
        try:
            await self.arbiter.look()
            await self.arbiter.resume_all()
        except NoAnswerError:
            return [*found, "the hall does not answer"]
        found += [f"order {each} is not answered" for each in self.arbiter.open_orders()]
        for station in (*TABLES, GUEST):
            found += judge.different_copies(station, site.journals(station), site.copies(station))
        found += judge.missing_results(
            [game for station in (*OWN, *TABLES) for game in self._games(station)], self.arbiter.book
        )
        return found

    def _games(self, station: str) -> list[judge.Game]:
        return _games(self._site.journals(station))

    def _judge(self, *, is_settled: bool) -> None:
        acts = [*self.arbiter.acts]  # before the book: another may be acknowledged meanwhile
        book, found = self._site.book(), list[str]()
        for journals, records in self._retired:
            found += judge.lost_moves(GUEST, records, _games(journals))
        for station in (*OWN, *TABLES, GUEST):
            games = self._games(station)
            found += judge.lost_moves(station, self.shown.records.get(station, []), games)
            found += self._shown_differently(station, games) if is_settled else []
            found += judge.replaced_games(station, games, book, self.arbiter.consents)
        found += judge.gaps(book) + judge.changed_entries(self.arbiter.book, book)
        found += self.arbiter.faults + judge.missing_acts(acts, book)
        self.tally.lost += [each for each in found if each not in self.tally.lost]
        self.tally.tracebacks = self._site.complaints()

    def _shown_differently(self, station: str, games: list[judge.Game]) -> list[str]:
        now = judge.announced(self.hands.tables[station].view["record"])
        kept = games[-1].moves if games else ()
        return [] if now == kept else [f"{station}: shows {' '.join(now)}, its journal has {' '.join(kept)}"]

    def summary(self) -> Tally:
        """The tally, up to now."""
        tally = self.tally
        tally.moves = len(self.hands.times_s)
        tally.notes["moves that were under way when a game was replaced or killed"] = self.hands.interrupted
        tally.notes["questions that the hands answered"] = self.hands.questions
        tally.notes["casual games begun at the pages"] = self.hands.games
        tally.acts = len(self.arbiter.acts)
        tally.slowest = sorted(self.hands.times_s, reverse=True)[:3]
        tally.late = [f"{each}\n  {self._kills_near(at)}" for at, each in self.hands.late]
        tally.seconds = time.monotonic() - self._began
        for what, times in self.arbiter.refusals.items():
            tally.notes[f"arbiter: {what}"] = times
        return tally

    def _kills_near(self, late: float) -> str:
        near = [each for each in self._site.kills if -20 < each[0] - late < 30]
        return "kills: " + ", ".join(f"{at - late:+.1f} s {verb} {name}" for at, verb, name in near)

    async def run(self, kills: int, until_s: float) -> None:
        """Kill so often, at most until *until_s* after the beginning; check now and then."""
        async with self.evening():
            await asyncio.sleep(5)
            while self.tally.kills.total() < kills and time.monotonic() - self._began < until_s:
                await asyncio.sleep(self._chance.uniform(0.3, 3))
                await self.strike()
                if self.tally.kills.total() % ROUND_KILLS == 0 or self.tally.kills.total() == kills:
                    await self.check()
                    tally = self.summary()
                    say(
                        f"{tally.seconds:.0f} s: {tally.kills.total()} kills, {tally.moves} moves, "
                        f"{tally.acts} acts, {len(tally.lost)} lost, {len(tally.exits)} exits"
                    )
            if self.tally.kills.total() % ROUND_KILLS and self.tally.kills.total() < kills:
                await self.check()


def _games(journals: dict[str, bytes]) -> list[judge.Game]:
    """The games of *journals* that began; a refused order may leave a journal without any."""
    games = [judge.game_in(name, content.decode(errors="replace")) for name, content in journals.items()]
    return [game for game in games if b'"GameBegan"' in journals[game.journal]]


def run(kills: int, minutes: float, seed: int, folder: Path) -> Tally:
    """Run a campaign in *folder*; its result, also if it is interrupted."""
    site = Site(folder)
    if site.database is None:
        say("PostgreSQL is missing: the book is a SQLite file, and no database is killed")
    campaign = Campaign(site, seed)

    async def whole() -> None:
        try:
            await campaign.run(kills, 60 * minutes)
        finally:
            await site.close()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(whole())
    return campaign.summary()


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    made = argparse.ArgumentParser(
        description=__doc__,
        epilog="examples:\n  python tests/bench/kills.py --kills 100 --minutes 15 --seed 7\n"
        "  python tests/bench/kills.py --kills 10 --keep",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--kills", type=int, default=100, metavar="N", help="number of kills (default: 100)")
    made.add_argument(
        "--minutes", type=float, default=15.0, metavar="M", help="stop after so long (default: 15)"
    )
    made.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the draws (default: 1)")
    made.add_argument("--keep", action="store_true", help="keep journals, output and database afterwards")
    made.add_argument("--json", action="store_true", help="print the summary as one line of JSON")
    return made


def main() -> int:
    """Run a campaign; the exit code."""
    words = parser().parse_args()
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    try:
        tally = run(words.kills, words.minutes, words.seed, folder)
    finally:
        programs.close()
        if not words.keep:
            shutil.rmtree(folder, ignore_errors=True)
    if words.json:
        print(json.dumps({**vars(tally), "bad": tally.is_bad}))
    else:
        print(f"{tally.details()}\n\n{tally.table()}")
    return 1 if tally.is_bad else 0


if __name__ == "__main__":
    sys.exit(main())
