# SPDX-License-Identifier: Apache-2.0
"""A game as people play it at a table.

Moves are drawn, plies are planned one after another, and the truth is written down.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any

from companion import games
from companion.model.game import AnyRules, DrawRules
from companion.model.moves import Step
from companion.model.observation import SensorKind
from tests.bench.players import taking_back
from tests.bench.players.hand import Desk, Hand
from tests.bench.players.kinds import KINDS, Slot, load
from tests.bench.players.looks import Sight, is_traceless
from tests.bench.players.people import TEMPERAMENTS, Person
from tests.bench.players.physics import Board, Body, Item, Table
from tests.bench.players.scene import Scene
from tests.bench.players.taking_back import Stood, Undo

FENS = (
    "8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1",
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 1",
    "4k3/ppp1ppp1/8/PPPp1P1p/8/8/3PP1PP/4K3 w - d6 0 1",
    "1n1qk1n1/P1P3P1/8/8/8/8/p1p3p1/1N1QK1N1 w - - 0 1",
    "r1bqk2r/ppp2ppp/2n5/3p4/3P4/2N5/PPP2PPP/R1BQK2R w KQkq - 0 1",
)
"""Starts in which promotions, castling and en passant come soon; written for this file."""

VARIANTS: dict[str, tuple[dict[str, str], ...]] = {
    "chess": ({}, {}, {}, *({"start": fen} for fen in FENS)),
    "close-quarters": ({}, {}, {"take_back": "yes"}, {"mace_path": "either", "sword_jumps": "yes"}),
    "fightopia": ({}, {}, {"pivot_clearance": "swept"}),
    "gottaz": ({}, {}, {"adjacency": "all-eight"}, {"enter_occupied_territory": "battle"}),
    "martian-chess": ({}, {}, {"players": "4"}, {"players": "3"}, {"merge": "replace"}),
    "tank-chess": ({},),
}


@dataclass(frozen=True)
class Setting:
    """The setting of one game, which determines everything else."""

    game: str
    options: dict[str, str]
    sensor: str
    temperament: str
    clock: str
    control: str
    device: str
    """`rocker`: one lever; `buttons`: a button for each side."""
    seed: str
    delivery_ms: int
    kinds: tuple[str, ...] = ()
    only: str | None = None
    noise: float = 0.0
    """Probability that an edge is lost or doubled."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def draw_setting(game: str, sensor: str, seed: str, temperament: str | None = None) -> Setting:
    """The setting of the game with *seed*."""
    rng = Random(f"{game}/{sensor}/{seed}")
    load()
    clock = rng.choice(["none", "none", "moves", "press", "press"])
    time = rng.choice(["600+60", "900", "500+30b"])
    control = {"none": "none", "moves": time, "press": f"{time}@press"}[clock]
    options = dict(rng.choice(VARIANTS.get(game, ({},))))
    is_pair = options.get("players", "2") == "2"
    temperament = temperament or rng.choice(TEMPERAMENTS).name
    return Setting(
        game,
        options,
        sensor,
        temperament,
        clock,
        control,
        rng.choice(["rocker", "buttons"]) if is_pair and clock == "press" else "buttons",
        seed,
        delivery_ms=rng.choice([0, 0, 10, 30, 60]),
        kinds=tuple(KINDS),
        noise=0.012 if temperament == "bullet" else 0.0,
    )


@dataclass
class Play:
    """The players of one game."""

    setting: Setting
    faulty: int = 0
    rules: AnyRules = field(init=False)
    position: Any = field(init=False)
    ready_ms: float = 2000.0
    ply: int = 0
    made: int = 0
    """Number of plies in all games at this table."""
    used: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        load()
        self.rng = Random(f"{self.setting.seed}/{self.setting.game}/{self.setting.sensor}")
        self.rules = games.find(self.setting.game).rules(self.setting.options)
        board = Board.build(self.rules.grid, SensorKind(self.setting.sensor), self.rng, faulty=self.faulty)
        self.table = Table(board, self.rng, self.setting.noise)
        self.desk = Desk(self.rules, self.table, self.rng)
        first = next(each for each in TEMPERAMENTS if each.name == self.setting.temperament)
        self.people = [
            Person(
                first if first.name == "bullet" or self.rng.random() < 0.7 else self.rng.choice(TEMPERAMENTS),
                self.rng,
            )
            for _ in self.rules.sides
        ]
        self.people[0] = Person(first, self.rng)
        self.position = self.rules.initial()
        self._occurred: Counter[Any] = Counter([self.rules.key(self.position)])
        for piece, cells in self.rules.placement(self.position).entries:
            self.table.stand(Body(piece, cells, self.desk.good_spots(cells, 0.03)))
        self._next_move: Any = None
        self._previous: Any = None
        self.past: list[Stood] = []
        """The table before each ply of the game."""
        self._undo: Undo | None = None
        self._holds_until = self._ended_ms = 0.0
        self._pressed_ms = -1000.0
        self._owed: tuple[int, int, str] | None = None
        """Ply and side of a forgotten press, and when it is made up for."""

    def is_over(self) -> bool:
        """True if the game has ended by the rules, or has no legal move."""
        if self.rules.status(self.position) is not None or not self.rules.legal_moves(self.position):
            return True
        times = self._occurred[self.rules.key(self.position)]
        return isinstance(self.rules, DrawRules) and self.rules.repeated(self.position, times) is not None

    def restart(self, ready_ms: float) -> None:
        """Restart with the pieces at the start of a new game."""
        self.position, self.ply, self.ready_ms = self.rules.initial(), 0, ready_ms
        self._occurred = Counter([self.rules.key(self.position)])
        self._next_move = self._previous = self._owed = None
        self.past = []

    def retreat(self, past: list[Stood], ready_ms: float) -> None:
        """Go on from before the plies of *past*, which have been taken back."""
        for _ in past:
            self._occurred[self.rules.key(self.position)] -= 1
            self.position = self.past.pop().position
            self.ply -= 1
        self._previous = self.past[-1].position if self.past else None
        self._next_move = self._owed = None
        self.ready_ms = ready_ms

    # one ply after another

    def plies(
        self, count: int, is_asking: Callable[[], bool], is_told: Callable[[], bool] = lambda: False
    ) -> Iterator[Item]:
        """The items of *count* plies.

        *is_asking* returns True while the table waits for an answer, *is_told* while it reports
        an illegal position.
        """
        start = 0.0
        renewed = self.rng.randrange(4, max(5, count)) if self._renews() else -1
        while self.made < count and not self.is_over():
            if self.made == renewed and not start:
                renewed = -1
                yield from self.table.advance(int(self.ready_ms))
                self.used["new_game"] += 1
                KINDS["new_game"].act(self)
                yield from self.table.advance(int(self.ready_ms))
            follows = bool(start)
            if not follows:
                start = self.ready_ms + self.people[self.position.turn].thinks_ms()
            self._undo = taking_back.draw(self)
            scene = self._scene(start)
            start = self._follow(scene, *self._make(scene, follows=follows))
            self._ended_ms = scene.ends_ms
            self.used.update(scene.used)
            self.used["bullet"] += self.setting.temperament == "bullet"
            if start:
                continue
            yield from self.table.advance(int(self.ready_ms))
            patience = scene.person.temperament.patience
            if is_asking() and self.rng.random() < patience:
                for _ in range(40):
                    self.ready_ms += 1500
                    yield from self.table.advance(int(self.ready_ms))
                    if not is_asking():
                        break
            if self._undo is not None:
                yield from taking_back.take_back(self, self._undo, is_told)
        self.used.update(self.table.noise.counts)
        yield from self.table.advance(int(self.ready_ms))
        self.check()

    def check(self) -> None:
        """Raise `AssertionError` unless the board shows the position that was played.

        Such an error is one of the players, not of the referee.
        """
        seen = {cell: each for cell, each in self.table.sightings().seen}
        if self.table.board.kind is SensorKind.OCCUPANCY:
            seen = {cell: each for cell, each in enumerate(self.table.reported) if each.occupied}
        sight = Sight(self.rules, self.position, self.table.board.kind)
        faulty = self.table.board.dead | self.table.board.stuck
        off = sight.differing(seen) - faulty
        if off:
            names = self.rules.grid.spell(sorted(off))
            raise AssertionError(f"{self.setting}: after ply {self.ply} the board is wrong at {names}")

    def _renews(self) -> bool:
        if self.setting.only is not None:
            return self.setting.only == "new_game"
        return "new_game" in KINDS and self.rng.random() < KINDS["new_game"].weight

    def _scene(self, start: float) -> Scene:
        move = self._next_move if self._next_move is not None else self.draw_move()
        person = self.people[self.position.turn]
        right, left = Hand(self.desk, person, start), Hand(self.desk, person, start)
        right.holds_until = left.holds_until = self._holds_until
        self._holds_until = 0.0
        clock, side = self.setting.clock, self.position.turn
        scene = Scene(self.desk, person, self.rng, self.position, move, side, clock, right, left)
        scene.only, scene.previous = self.setting.only, self._previous
        return scene

    def _make(self, scene: Scene, *, follows: bool) -> tuple[float, float]:
        """Plan the ply; returns its end and when the last hand leaves the pieces."""
        cells = tuple((body, body.cells) for body in self.table.bodies if body.cells)
        self.past.append(Stood(self.position, scene.move, cells))
        if self._undo is not None and self._undo.is_unpressed:
            scene.presses = is_traceless(self.rules, self.position, scene.move, scene.kind)
        if not follows:
            scene.before()
        scene.play()
        board = self.table.board
        done = max(scene.right.t, scene.left.t) + board.scan_ms * (board.settle + 1)
        pressed = scene.press()
        if pressed is not None:  # presses keep their order
            pressed = max(pressed, self._pressed_ms + 60)
            self._pressed_ms = pressed
        self._pay(scene, done, pressed)
        begins = scene.right.first_ms
        self.table.note(begins if begins is not None else scene.begins_ms, {"note": "busy"})
        written = {
            "ply": self.ply,
            "side": scene.side,
            "move": self.rules.write_move(self.position, scene.move),
            "kinds": scene.used,
        }
        self.table.note(scene.begins_ms, {"note": "begins", **written})
        self.table.note(done, {"note": "stands", "ply": self.ply})
        if pressed is not None:
            self.table.note(pressed, {"note": "press", "side": scene.side, "ply": self.ply})
        elif scene.owes:
            self._owed = self.ply, scene.side, scene.owes
        ends = max(done, scene.right.t, scene.left.t, pressed or 0.0)
        self.table.note(max(done, scene.right.t, scene.left.t) + 80, {"note": "idle"})
        self._previous = self.position
        self.position = self.rules.apply(self.position, scene.move)
        self._occurred[self.rules.key(self.position)] += 1
        self.ply += 1
        self.made += 1
        self.ready_ms = max(self.ready_ms, ends + 100)
        self._next_move = None
        return ends, scene.lands_ms

    def _pay(self, scene: Scene, done: float, pressed: float | None) -> None:
        """Press the clock for the ply before, if that was left until now."""
        if self._owed is None:
            return
        (ply, side, when), self._owed = self._owed, None
        first = scene.begins_ms + 20
        at = self.rng.uniform(first, done) if when == "begun" else done + self.rng.uniform(50, 900)
        if pressed is not None:
            at = max(first, min(at, pressed - self.rng.uniform(60, 500)))
        self.table.note(at, {"note": "press", "side": side, "ply": ply})
        self.ready_ms = max(self.ready_ms, at + 100)

    def _follow(self, scene: Scene, ends: float, lands: float) -> float:
        """The time at which the next hand begins early; 0 if it waits."""
        if self.is_over() or self.made % 400 == 399 or self._undo is not None:
            return 0.0
        self._next_move = self.draw_move()
        wants = self.rng.random() < self.people[self.position.turn].temperament.overlaps
        wants = wants or ("low_pass" in scene.used and self.rng.random() < 0.4)
        wants = wants or (scene.turns_ms > 0 and self.rng.random() < 0.25)
        if self.setting.only is None and not wants:
            return 0.0
        if {"off_two", "off_none"} & set(scene.used):  # the misplaced piece is visible to everybody
            return 0.0
        came = {cell for step in scene.steps for cell in step.target}
        leaving = {
            cell
            for step in self.rules.steps(self.position, self._next_move)
            if not step.target
            for cell in step.source
        }
        scene.lands_ms = lands
        scene.reply_steps = self.rules.steps(self.position, self._next_move)
        act = scene.choose(Slot.FOLLOW, bool(came & leaving))
        at = act(scene, bool(came & leaving)) if act is not None else None
        if at is None or at >= ends:
            return 0.0
        at = max(at, self._ended_ms)  # nobody begins the next move in the middle of an own one
        if at >= ends:
            return 0.0
        self._holds_until = scene.reply_waits_ms
        if is_traceless(self.rules, scene.position, scene.move, scene.kind):  # the press must come first
            self._holds_until = max(self._holds_until, ends)
        return float(at)

    # what is played

    def draw_move(self) -> Any:
        """Draw a move; captures and rare moves are more frequent."""
        legal = list(self.rules.legal_moves(self.position))
        if len(legal) > 120:
            legal = self.rng.sample(legal, 120)
        weights = [self._weight(self.rules.steps(self.position, move)) for move in legal]
        return self.rng.choices(legal, weights)[0]

    def _weight(self, steps: tuple[Step, ...]) -> float:
        if not steps:
            return 0.02
        if len(steps) > 1:
            return 6.0 if steps[1].target else 3.0
        if steps[0].piece.kind != steps[0].becomes.kind:
            return 4.0
        return 0.5 if steps[0].piece.kind == "king" else 1.0
