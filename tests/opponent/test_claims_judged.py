# SPDX-License-Identifier: Apache-2.0
"""An independent judge finds true what is claimed of careless players' moves.

The seed is the date, so each day tries other games; it is printed. `--long` judges twenty claims
of each kind and game.
"""

from __future__ import annotations

import datetime
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from companion.games import slugs
from companion.model.claims import Claim, ClaimKind
from companion.model.pieces import Piece
from companion.opponent.claims import claims
from companion.opponent.search import Search
from tests.opponent.claim_judge import Judge, Verdict
from tests.opponent.plain_material import TABLES, Table, table_of

EVERYWHERE: Final = frozenset(ClaimKind) - {ClaimKind.REACHES, ClaimKind.DRAW}
OCCURS: Final = {
    "chess": EVERYWHERE | {ClaimKind.REACHES, ClaimKind.DRAW},
    "close-quarters": EVERYWHERE | {ClaimKind.DRAW},
    "fightopia": EVERYWHERE | {ClaimKind.REACHES},
    "gottaz": EVERYWHERE | {ClaimKind.REACHES},
    "martian-chess": EVERYWHERE,
    "tank-chess": EVERYWHERE | {ClaimKind.REACHES},
}
"""The kinds that make sense in a game."""
RARE: Final = {
    "fightopia": {ClaimKind.MATE, ClaimKind.MATED, ClaimKind.REACHES, ClaimKind.ONLY_MOVE},
    "tank-chess": {ClaimKind.REACHES, ClaimKind.ONLY_MOVE},
}
"""Kinds of which two minutes of careless games may show none."""
NODES: Final = {"tank-chess": 10_000}
ONE_FALSE_IN: Final = 20
"""The judge looks further than the claims do, and may find a quiet move."""
ONE_UNDECIDED_IN: Final = 4
MOST_PLIES: Final = {"chess": 220, "tank-chess": 70}
OPENERS: Final = {"chess": 12, "fightopia": 10, "tank-chess": 10, "gottaz": 6}
"""Plies from the start after which something happens."""
GREED: Final = 0.4
"""Share of the moves of careless players that take something if they can."""


@dataclass
class Tally:
    """The claims of one kind."""

    found: int = 0
    true: int = 0
    undecided: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)


def careless(table: Table, chance: random.Random) -> Iterator[Any]:
    """Some positions of a game of two careless players, the last ones among them."""
    position = table.rules.initial()
    played = []
    for _ in range(MOST_PLIES.get(table.rules.slug, 90)):
        moves = table.moves(position)
        if table.ended(position, moves) is not None or not moves:
            break
        played.append(position)
        noisy = [move for move in moves if table.is_noisy(position, move)]
        move = chance.choice(noisy) if noisy and chance.random() < GREED else chance.choice(moves)
        position = table.after(position, move)
    first = min(OPENERS.get(table.rules.slug, 0), len(played) - 1)
    yield from dict.fromkeys([*chance.sample(played[first:], min(3, len(played) - first)), *played[-2:]])


def lines(table: Table, position: Any, chance: random.Random) -> Iterator[tuple[Any, ...]]:
    """The best line of a short search, and the lines after some other moves."""
    knowledge = table.knowledge
    *_, found = Search(knowledge, position, most_nodes=1500).iterations(5)
    yield found.line
    moves = list(table.moves(position))
    noisy = [move for move in moves if table.is_noisy(position, move)]
    picked = [chance.choice(each) for each in (moves, moves, noisy) if each]
    for move in dict.fromkeys(picked):
        after = table.after(position, move)
        if move == found.line[0]:
            continue
        if table.rules.status(after) is not None:
            yield (move,)
        else:
            *_, reply = Search(knowledge, after, most_nodes=800).iterations(4)
            yield (move, *reply.line)


@dataclass
class Trial:
    """A trial: the claims wanted of a kind, and the seconds for all."""

    slug: str
    wanted: int
    seconds: float
    seed: int

    def __post_init__(self) -> None:
        self.table = table_of(self.slug)
        self.tallies = {kind: Tally() for kind in ClaimKind}

    def run(self) -> None:
        """Find claims and judge them."""
        chance = random.Random(f"{self.seed} {self.slug}")
        begun = time.process_time()
        while time.process_time() - begun < self.seconds:
            for position in careless(self.table, chance):
                for line in lines(self.table, position, chance):
                    self.judge(position, line, claims(self.table.rules, position, line))
                    if time.process_time() - begun > self.seconds:
                        return
            if all(self.tallies[kind].found >= self.wanted for kind in OCCURS[self.slug]):
                return

    def judge(self, position: Any, line: tuple[Any, ...], found: tuple[Claim, ...]) -> None:
        """Judge those of the *found* claims of which there are not yet enough."""
        for claim in found:
            tally = self.tallies[claim.kind]
            if tally.found >= self.wanted:
                continue
            tally.found += 1
            judge = Judge(self.table, position, NODES.get(self.slug, 20_000))
            verdict = (
                judge.judge(claim, found) if claim.line[:1] == line[:1] else Verdict(False, "other move")
            )
            if verdict.is_true:
                tally.true += 1
            else:
                said = self.said(position, claim, verdict)
                (tally.undecided if verdict.is_true is None else tally.false).append(said)

    def said(self, position: Any, claim: Claim, verdict: Verdict) -> str:
        """The position, the claim and why it is not true."""
        rules, at, written = self.table.rules, position, []
        name = rules.grid.name
        for move in claim.line:
            if move not in rules.legal_moves(at):
                written.append(f"?{move}")
                break
            written.append(rules.write_move(at, move))
            at = rules.apply(at, move)
        pieces = " ".join(f"{piece.kind}/{piece.side}" for piece in claim.pieces)
        given = " ".join(piece.kind for piece in claim.given)
        where = " ".join(map(name, claim.cells))
        threat = ""
        if claim.threat is not None:
            again = self.table.passed(rules.apply(position, claim.line[0]))
            threat = f" threat {claim.threat if again is None else rules.write_move(again, claim.threat)}"
        return (
            f"{verdict.why} | {rules.write_position(position)} | {claim.kind} [{pieces}] for [{given}] "
            f"on {where} count {claim.count} line {' '.join(written)}{threat}"
        )

    def report(self) -> str:
        """A line for each kind, then what is false and what is not judged."""
        rows = [f"{self.slug}, seed {self.seed}:"]
        for kind, tally in self.tallies.items():
            rare = " (rare)" if kind in OCCURS[self.slug] and tally.found < self.wanted else ""
            rows.append(
                f"  {kind:10} found {tally.found:3}  true {tally.true:3}  false {len(tally.false):3}"
                f"  not judged {len(tally.undecided):3}{rare}"
            )
        for kind, tally in self.tallies.items():
            rows += [f"  FALSE {kind}: {each}" for each in tally.false]
            rows += [f"  not judged {kind}: {each}" for each in tally.undecided]
        return "\n".join(rows)


def today() -> int:
    """The seed."""
    return datetime.datetime.now(tz=datetime.UTC).date().toordinal()


def check(trial: Trial) -> None:
    """Fail if too many claims are false or not judged, or one is misplaced."""
    trial.run()
    report = trial.report()
    print(report)
    found = Counter({kind: tally.found for kind, tally in trial.tallies.items()})
    wrong = sum(len(tally.false) for tally in trial.tallies.values())
    assert wrong <= max(found.total() // ONE_FALSE_IN, 1), report
    assert all(not found[kind] for kind in frozenset(ClaimKind) - OCCURS[trial.slug]), report
    undecided = sum(len(tally.undecided) for tally in trial.tallies.values())
    assert undecided * ONE_UNDECIDED_IN <= max(found.total(), ONE_UNDECIDED_IN), report


def test_every_game_is_judged() -> None:
    assert set(TABLES) == set(slugs())


@pytest.mark.parametrize("slug", slugs())
def test_some_claims_are_true(slug: str) -> None:
    trial = Trial(slug, wanted=3, seconds=1.8, seed=today())
    check(trial)
    assert any(tally.true for tally in trial.tallies.values())


@pytest.mark.long
@pytest.mark.timeout(400)  # the trial has 120 s
@pytest.mark.parametrize("slug", slugs())
def test_twenty_claims_of_each_kind_are_true(slug: str) -> None:
    trial = Trial(slug, wanted=20, seconds=120, seed=today())
    check(trial)
    usual = OCCURS[slug] - RARE.get(slug, set())
    never = [kind for kind in usual if not trial.tallies[kind].found]
    assert not never, f"{never} never occur\n{trial.report()}"


LIES = [
    ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", ClaimKind.MATE, "", "", 1, "Rd8#", "", ""),
    ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", ClaimKind.MATE, "", "", 2, "Rd8#", "", "faster"),
    ("6k1/5pp1/7p/8/8/8/5PPP/3R2K1 w - - 0 1", ClaimKind.MATE, "", "", 2, "Rd8+ Kh7", "", "a reply prevents"),
    ("4k3/8/3p4/4p3/8/8/8/4QK2 w - - 0 1", ClaimKind.WINS, "pawn/1", "", 0, "Qxe5+", "", "hangs"),
    ("4k3/8/8/4p3/8/8/8/4QK2 w - - 0 1", ClaimKind.WINS, "pawn/1", "", 0, "Qxe5+", "", ""),
    ("4k3/8/8/4p3/8/8/8/4QK2 w - - 0 1", ClaimKind.WINS, "rook/1", "", 0, "Qxe5+", "", "content"),
    ("4k3/8/3p4/4p3/8/8/8/4QK2 w - - 0 1", ClaimKind.LOSES, "queen/0", "pawn", 0, "Qxe5+ dxe5", "", ""),
    (
        "4k3/8/3p4/4p3/8/8/8/4QK2 w - - 0 1",
        ClaimKind.REFUTED,
        "queen/0",
        "pawn",
        0,
        "Qxe5+ dxe5",
        "",
        "beside",
    ),
    ("4k3/8/3p4/4p3/8/8/8/4QK2 w - - 0 1", ClaimKind.LOSES, "queen/0", "", 0, "Qe2", "", "content"),
    ("7k/6pp/8/8/8/8/r5PP/7K w - - 0 1", ClaimKind.MATED, "", "", 1, "Kg1 Ra1+", "", "holds out"),
    ("7k/6pp/8/8/8/8/r5PP/3N3K w - - 0 1", ClaimKind.MATED, "", "", 1, "Nf2 Ra1+", "", "holds out"),
    ("7k/6pp/8/8/8/8/r5PP/3N3K w - - 0 1", ClaimKind.MATED, "", "", 2, "Nc3 Ra1+ Nb1 Rxb1#", "", ""),
    ("4k3/8/8/2n5/8/8/4B3/4K3 w - - 0 1", ClaimKind.THREATENS, "knight/1", "", 0, "Kd2", "e2c5", "illegal"),
    ("4k3/8/8/2n5/8/8/3R4/4K3 w - - 0 1", ClaimKind.THREATENS, "knight/1", "", 0, "Rd5", "d5c5", ""),
    ("4k3/8/3p4/2n5/8/8/3R4/4K3 w - - 0 1", ClaimKind.THREATENS, "knight/1", "", 0, "Rd5", "d5c5", "nothing"),
    ("4k3/8/8/2nR4/8/8/8/4K3 w - - 0 1", ClaimKind.THREATENS, "knight/1", "", 0, "Kd1", "d5c5", "before"),
    (
        "4k3/8/8/2r5/8/2N5/1P6/4K3 w - - 0 1",
        ClaimKind.DEFENDS,
        "knight/0",
        "",
        0,
        "Kd2",
        "",
        "not threatened",
    ),
    ("4k3/8/8/2r5/8/2N5/8/4K3 w - - 0 1", ClaimKind.DEFENDS, "knight/0", "", 0, "Kd2", "", ""),
    ("4k3/8/8/2r5/8/2N5/8/4K3 w - - 0 1", ClaimKind.DEFENDS, "knight/0", "", 0, "Kf2", "", "still lost"),
    ("4k3/8/8/2r5/8/2N5/8/4K3 w - - 0 1", ClaimKind.ESCAPES, "knight/0", "", 0, "Kd2", "", "wrong kind"),
    ("4k3/8/8/2r5/8/2N5/8/4K3 w - - 0 1", ClaimKind.ESCAPES, "knight/0", "", 0, "Ne4", "", ""),
    ("r3k3/4P3/8/8/8/8/8/4K3 w - - 0 1", ClaimKind.REACHES, "", "", 0, "Kd2", "", "does not matter"),
    ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", ClaimKind.REACHES, "queen/0", "", 0, "a8=Q+", "", ""),
    ("3rk3/1P6/8/8/8/8/8/4K3 w - - 0 1", ClaimKind.REACHES, "queen/0", "", 0, "b8=Q", "", "lost at once"),
    ("4k3/8/8/2r5/8/2N5/8/4K3 w - - 0 1", ClaimKind.ONLY_MOVE, "", "", 0, "Kd2", "", "does not lose"),
    ("4k3/8/8/8/8/5p2/4p3/4K3 w - - 0 1", ClaimKind.DRAW, "", "", 0, "Kd2", "", "no forced draw"),
    ("4k3/8/8/8/8/8/4p3/4K3 w - - 0 1", ClaimKind.DRAW, "", "", 0, "Kxe2", "", ""),
]
"""Claims of chess with the reason why they are false, "" for true ones."""


@pytest.mark.parametrize(("fen", "kind", "pieces", "given", "count", "line", "threat", "why"), LIES)
def test_the_judge_tells_lies(
    fen: str, kind: ClaimKind, pieces: str, given: str, count: int, line: str, threat: str, why: str
) -> None:
    table = table_of("chess")
    rules = table.rules
    position = at = rules.read_position(fen)
    moves = []
    for text in line.split():
        moves.append(rules.read_move(at, text))
        at = rules.apply(at, moves[-1])
    cell = rules.grid.cell
    stands = {"knight/0": cell("c3"), "knight/1": cell("c5")}
    cells = (rules.steps(position, moves[0])[0].target[0],) if kind is ClaimKind.REACHES else ()
    claim = Claim(
        kind,
        tuple(Piece(name.split("/")[0], int(name.split("/")[1])) for name in pieces.split()),
        tuple(Piece(name, 1) for name in given.split()),
        cells or tuple(stands[name] for name in pieces.split() if name in stands),
        count,
        line=tuple(moves),
        threat=cell(threat[:2]) << 9 | cell(threat[2:]) << 3 if threat else None,
    )
    verdict = Judge(table, position, 20_000).judge(claim, [claim])
    assert verdict.is_true is (not why)
    assert why in verdict.why
