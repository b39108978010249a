# SPDX-License-Identifier: Apache-2.0
"""A table that is fitted to simulated journals is the one behind them.

The generator knows the moves and the probabilities below, and nothing of the referee: it writes
what the switches report and the moves that were made.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from companion import games
from companion.cli.main import main
from companion.host.journal import journal
from companion.host.journal.journal import FORMAT, Entry, Header, Journal, JournalWriter, Ticked
from companion.host.journal.setup import GameSetup
from companion.host.records.fit import count
from companion.model.grid import Cell
from companion.model.observation import Change, Observation, Sighting, Sightings
from companion.model.occupancy import occupancy_of
from companion.referee.inference.costs import DEFAULT, Costs
from companion.referee.inference.costs_fit import LEAST_PLIES, Tally, fitted
from companion.referee.values.events import GameBegan, MoveMade, MoveRetracted, Stage
from companion.referee.values.timing import DEFAULT_TIMING
from tests.recordings import FOLDER

CHESS = games.find("chess").rules()
PLIES = 25
"""Plies of a game."""
HEADER = Header(FORMAT, "0.1.0", "2026-11-23T20:15:00+01:00", GameSetup("chess"), DEFAULT_TIMING)


class Habits(NamedTuple):
    """How often, at each opportunity, hands and switches do what."""

    adjust: float = 0.0
    back: float = 0.0
    early: float = 0.0
    bounce: float = 0.0
    stop: float = 0.0
    brush: float = 0.0
    """Passes low over a cell on the way."""
    holds_ms: dict[int, float] = {250: 1.0}  # noqa: RUF012  a default of a tuple
    """How long the hand holds a piece, and how often."""
    replies_ms: dict[int, float] = {1500: 1.0}  # noqa: RUF012
    """How soon the next hand begins."""


class Hands:
    """A board with switches, and hands whose habits are drawn; it writes a journal."""

    def __init__(self, seed: int, habits: Habits) -> None:
        self.chance, self.habits = Random(seed), habits
        self.on = set(CHESS.placement(CHESS.initial()).by_cell())
        self.now_ms = self.rest_since_ms = 1000
        self.entries: list[Entry] = []
        self.observe()
        self.wait(100)
        self.entries.append(GameBegan(self.now_ms, CHESS.write_position(CHESS.initial())))
        self.wait(2000)

    def observe(self, *inputs: Change) -> None:
        seen = Sightings(occupancy_of(self.on))
        self.entries.append(Observation(self.now_ms, inputs, seen, self.rest_since_ms))

    def wait(self, ms: int) -> None:
        """Let time pass; a table wakes its session after each of the waits."""
        until_ms = self.now_ms + ms
        due = (self.rest_since_ms + wait for wait in (*DEFAULT_TIMING.waits_ms, 5000))
        self.entries += [Ticked(at_ms) for at_ms in due if self.now_ms <= at_ms <= until_ms]
        self.now_ms = until_ms

    def does(self, probability: float) -> bool:
        return self.chance.random() < probability

    def drawn(self, table: dict[int, float]) -> int:
        return self.chance.choices(list(table), list(table.values()))[0]

    def turn(self, cell: Cell) -> None:
        """Lift what stands on *cell*, or put a piece there."""
        self.on ^= {cell}
        self.rest_since_ms = self.now_ms
        self.observe(Change(self.now_ms, cell, Sighting(cell in self.on)))

    def change(self, cell: Cell) -> None:
        """The same with a contact that may bounce."""
        self.turn(cell)
        if self.does(self.habits.bounce):
            for _ in range(2):
                self.wait(4)
                self.turn(cell)

    def play(self) -> None:
        """Play quiet moves."""
        position = CHESS.initial()
        for ply in range(PLIES):
            quiet = [move for move in CHESS.legal_moves(position) if _is_quiet(position, move)]
            if not quiet:
                break
            move = self.chance.choice(quiet)
            [step] = CHESS.steps(position, move)
            way = _way(step.source[0], step.target[0])
            self.adjust({step.source[0], step.target[0], *way})
            self.move(step.source[0], step.target[0], way)
            after = CHESS.apply(position, move)
            made = MoveMade(
                self.now_ms,
                ply,
                position.turn,
                CHESS.write_move(position, move),
                Stage.ANNOUNCED,
                CHESS.write_position(after),
            )
            self.entries.append(made)
            self.wait(self.drawn(self.habits.replies_ms))
            position = after
        self.wait(6000)

    def adjust(self, busy: set[Cell]) -> None:
        """Lift pieces away from the cells *busy* and put them back."""
        apart = sorted(cell for cell in self.on if all(_distance(cell, other) > 2 for other in busy))
        while apart and self.does(self.habits.adjust):
            cell = self.chance.choice(apart)
            self.change(cell)
            self.wait(300)
            self.change(cell)
            self.wait(400)

    def move(self, source: Cell, target: Cell, way: list[Cell]) -> None:
        """Move the piece on *source*, with the hesitations that are drawn."""
        habits = self.habits
        while self.does(habits.back):
            for _ in range(2):
                self.change(source)
                self.wait(250)
        if self.does(habits.early):
            self.change(target)
            self.wait(30)
            self.change(source)
            return
        self.change(source)
        self.wait(self.drawn(habits.holds_ms))
        for cell in way:
            drawn = self.chance.random()
            if drawn < habits.stop + habits.brush:
                self.change(cell)
                self.wait(280 if drawn < habits.stop else 90)
                self.change(cell)
                self.wait(100)
        self.change(target)


def _is_quiet(position: Any, move: Any) -> bool:
    """True if *move* moves one piece to an empty cell, and not over others."""
    steps, stand = CHESS.steps(position, move), CHESS.placement(position).by_cell()
    if len(steps) != 1 or steps[0].piece != steps[0].becomes or steps[0].target[0] in stand:
        return False
    return steps[0].piece.kind != "knight"


def _xy(cell: Cell) -> tuple[int, int]:
    name = CHESS.grid.name(cell)
    return "abcdefgh".index(name[0]), int(name[1]) - 1


def _distance(one: Cell, other: Cell) -> int:
    """Steps of a king."""
    return max(abs(here - there) for here, there in zip(_xy(one), _xy(other), strict=True))


def _way(source: Cell, target: Cell) -> list[Cell]:
    """The cells between, on a line."""
    (x, y), (u, v), length = _xy(source), _xy(target), _distance(source, target)
    return [
        CHESS.grid.cell("abcdefgh"[x + (u - x) * at // length] + str(y + (v - y) * at // length + 1))
        for at in range(1, length)
    ]


def kept(folder: Path, habits: Habits, plies: int) -> list[Journal]:
    """Journals of games with *habits*, of *plies* together or somewhat less."""
    return [written(folder / f"{seed}.jsonl", habits, seed) for seed in range(-(-plies // PLIES))]


def written(path: Path, habits: Habits, seed: int = 0) -> Journal:
    """The journal in *path* of a game with *habits*."""
    hands = Hands(seed, habits)
    hands.play()
    return rewritten(path, hands.entries)


def rewritten(path: Path, entries: Iterable[Entry]) -> Journal:
    """The journal in *path* with *entries*."""
    path.unlink(missing_ok=True)
    with JournalWriter.create(path, HEADER) as writer:
        writer.write(entries)
    return journal.read(path)


def fitted_to(journals: Iterable[Journal]) -> tuple[Tally, Costs]:
    """What was counted in *journals*, and the table."""
    tally = Tally()
    for each in journals:
        count(tally, each)
    return tally, fitted(tally, DEFAULT).costs


def is_recovered(nats: float, probability: float, opportunities: int) -> bool:
    """True if *nats* is the cost of *probability* within 3.5 standard errors of its estimate."""
    error = math.sqrt((1 - probability) / (probability * opportunities))
    return abs(nats + math.log(probability)) < 3.5 * error + 0.01


SIZES = [1, pytest.param(8, marks=pytest.mark.long)]
"""How many times the plies of the quick variant."""


@pytest.mark.parametrize("times", SIZES)
def test_the_habits_of_hands_and_switches_are_recovered(tmp_path: Path, times: int) -> None:
    habits = Habits(adjust=0.1, back=0.08, early=0.12, bounce=0.03)
    tally, costs = fitted_to(kept(tmp_path, habits, 300 * times))
    assert tally.plies > 285 * times
    for row, probability in (
        ("piece.adjust", habits.adjust),
        ("piece.back", habits.back),
        ("order.early", habits.early),
        ("piece.bounce", habits.bounce),
    ):
        assert is_recovered(costs.rows()[row], probability, tally.opportunities[row]), row


@pytest.mark.parametrize("times", SIZES)
def test_what_pieces_do_on_their_way_is_recovered(tmp_path: Path, times: int) -> None:
    habits = Habits(stop=0.15, brush=0.25)
    tally, costs = fitted_to(kept(tmp_path, habits, 200 * times))
    cells = tally.opportunities["piece.stop"]
    assert cells > 60 * times
    assert is_recovered(costs.piece_stop, habits.stop, cells)
    assert is_recovered(costs.piece_pass, habits.brush, cells)


@pytest.mark.parametrize("times", SIZES)
def test_the_shares_of_pauses_and_replies_are_recovered(tmp_path: Path, times: int) -> None:
    habits = Habits(
        holds_ms={200: 0.5, 500: 0.3, 850: 0.1, 1500: 0.1},
        replies_ms={80: 0.05, 200: 0.10, 500: 0.15, 1200: 0.70},
    )
    tally, costs = fitted_to(kept(tmp_path, habits, 200 * times))
    longer = {300: 0.5, 700: 0.2, 1000: 0.1}
    for limit_ms, share in longer.items():
        assert is_recovered(costs.pause.at(limit_ms), share, len(tally.pauses_ms)), limit_ms
    sooner = {99: 0.05, 299: 0.15, 699: 0.30}
    for last_ms, share in sooner.items():
        assert is_recovered(costs.reply.at(last_ms), share, len(tally.replies_ms)), last_ms
    assert costs.pause.at(0) == 0.0
    assert costs.reply.at(10_000) == 0.0
    assert costs.pause.at(9000) >= DEFAULT.pause.at(9000), "no pause was so long: the default, or more"


def test_a_cause_that_never_occurred_keeps_its_default_or_costs_more(tmp_path: Path) -> None:
    tally, costs = fitted_to(kept(tmp_path, Habits(), 50))
    assert not tally.occurrences["order.missing"]
    assert costs.order_missing == DEFAULT.order_missing, "so few plies show nothing about what is rare"
    assert costs.piece_back == pytest.approx(math.log(tally.plies + 2), abs=0.01)
    assert tally.opportunities["press.idle"] == 0
    assert costs.press_idle == DEFAULT.press_idle
    assert costs.decision_announce == DEFAULT.decision_announce


def test_a_ply_that_was_corrected_or_reads_otherwise_is_not_counted(tmp_path: Path) -> None:
    hands = Hands(3, Habits())
    hands.play()
    path = tmp_path / "game.jsonl"
    plain, _ = fitted_to([rewritten(path, hands.entries)])
    last = next(entry for entry in reversed(hands.entries) if isinstance(entry, MoveMade))
    at = hands.entries.index(last)
    back = MoveRetracted(last.at_ms, last.ply, last.move, Stage.ANNOUNCED)
    retracted, _ = fitted_to([rewritten(path, [*hands.entries[: at + 1], back, *hands.entries[at:]])])
    assert retracted.plies == plain.plies - 1
    cut, _ = fitted_to([rewritten(path, [entry for entry in hands.entries if entry is not last])])
    assert cut.plies == plain.plies - 1


def test_the_command_writes_a_table_with_the_counts_that_other_commands_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journals = kept(tmp_path, Habits(adjust=0.1), LEAST_PLIES + PLIES)
    paths, table = [str(each.path) for each in journals], tmp_path / "club.toml"
    assert main(["tools", "fit-costs", *paths, "-o", str(table)]) == 0
    assert str(table) in capsys.readouterr().err
    text = table.read_text()
    costs = Costs.read(text, "club.toml")
    found = re.search(r"^adjust = .* # another piece .* \(fit: (\d+) of (\d+) plies\)$", text, re.MULTILINE)
    assert found
    occurred, possible = map(int, found.groups())
    assert LEAST_PLIES < possible <= LEAST_PLIES + PLIES + occurred
    assert costs.piece_adjust == pytest.approx(-math.log((occurred + 1) / (possible + 2)), abs=0.01)
    assert f"plies in {len(journals)} journals" in text
    assert "(estimate)" in text, "rows about which nothing is known"
    assert main(["tools", "explain-moves", paths[0], "--at", "1", "--costs", str(table)]) == 0
    assert "Ply 1, at " in capsys.readouterr().out


def test_too_few_plies_are_refused_with_both_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "fit-costs", str(FOLDER / "close-quarters-whole-game.jsonl")]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert f"needs {LEAST_PLIES} plies that were announced and not corrected; there are 6" in said


def test_what_is_no_journal_ends_with_2_and_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tools", "fit-costs", str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl cannot be read" in " ".join(capsys.readouterr().err.split())
