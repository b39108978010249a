# SPDX-License-Identifier: Apache-2.0
"""Hands that drop drawn pieces on lit cells.

They send what a table's page sends. Each drop is made in another drawn position.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeAlias

from websockets.asyncio.client import ClientConnection, connect

from companion import games
from companion.games.gottaz.state import ROTATE, TSUNAMI
from companion.model.game import AnyRules
from companion.model.grid import OFF
from tests.games.carried import Carry, legal_carries
from tests.games.drawn_options import OPTIONS
from tests.games.support import random_positions
from tests.page_reader import PageReader

WAIT_S: Final = 60

Shown: TypeAlias = dict[str, Any]
"""What the table shows."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A drawn piece, and the positions to which its lit cells lead."""

    carry: Carry
    """One of its legal ways."""
    ends: Mapping[int, frozenset[str]]
    in_place: frozenset[str]
    """Positions after the moves that no drop can make: GOTTAZ's Rotate and Tsunami."""

    @property
    def is_boxed(self) -> bool:
        """True if it lies beside the board."""
        return not self.carry.source


def starts(slug: str, chance: Random) -> Iterator[tuple[AnyRules, Mapping[str, str], Any]]:
    """Drawn positions in which some piece can be carried, under drawn options; without end."""
    while True:
        options = chance.choice(OPTIONS.get(slug, ({},)))
        rules = games.find(slug).rules(options)
        position = chance.choice(list(random_positions(rules, chance.randrange(1 << 30), 60)))
        moves = () if rules.status(position) is not None else rules.legal_moves(position)
        if any(step.target for move in moves for step in rules.steps(position, move)[:1]):
            yield rules, options, position


def choose(rules: AnyRules, position: Any, chance: Random) -> Chosen:
    """A piece that can be moved; its kind is drawn first."""
    found = dict[tuple[tuple[int, ...], str, int], list[tuple[Carry, Any]]]()
    for carry, move in legal_carries(rules, position):
        if not rules.steps(position, move)[0].target:
            continue  # it loses a battle and leaves the board: no cell is lit for that
        side = OFF if carry.piece.side is None else carry.piece.side
        found.setdefault((carry.source, carry.piece.kind, side), []).append((carry, move))
    drawn = chance.choice(sorted({(bool(source), *piece) for source, *piece in found}))
    ways = found[chance.choice([key for key in found if (bool(key[0]), *key[1:]) == drawn])]
    ends = dict[int, set[str]]()
    for carry, move in ways:
        after = rules.write_position(rules.apply(position, move))
        for cell in carry.target:
            ends.setdefault(cell, set()).add(after)
    first = ways[0][0]
    return Chosen(
        first,
        {cell: frozenset(after) for cell, after in ends.items()},
        frozenset(in_place(rules, position, first.source)),
    )


def in_place(rules: AnyRules, position: Any, source: tuple[int, ...]) -> Iterator[str]:
    """The positions after moves of the pawn on *source* that no drop can make."""
    if rules.slug == "gottaz" and source:
        for kind, what, where in rules.legal_moves(position):
            if kind in (ROTATE, TSUNAMI) and what == source[0]:
                yield rules.write_position(rules.apply(position, (kind, what, where)))


class Hand:
    """A hand at one table, which notices every refusal and every fault."""

    def __init__(self, line: ClientConnection, about: str) -> None:
        self._line = line
        self.about = about
        self.shown: Shown = {}
        self._reader = PageReader()

    async def send(self, kind: str, **fields: object) -> None:
        await self._line.send(json.dumps({"is": kind, **fields}))

    async def until(self, holds: Callable[[Shown], bool], what: str) -> None:
        """Wait until *holds* is true of what the table shows."""
        try:
            async with asyncio.timeout(WAIT_S):
                while "view" not in self.shown or not holds(self.shown):
                    self._reader.take(await self._line.recv())
                    self.shown = self._reader.state
                    self.check()
        except TimeoutError:
            view = self.shown.get("view", {})
            seen = {key: view.get(key) for key in ("phase", "position", "targets", "question", "record")}
            raise AssertionError(f"{self.about}: {what} is waited for; {seen}") from None

    def check(self) -> None:
        """Nothing is refused, and nothing is wrong."""
        view = self.shown.get("view", {})
        assert not self.shown.get("blocked"), f"{self.about}: {self.shown['blocked']}"
        assert not view.get("fault"), f"{self.about}: {view['fault']}"

    async def begin(self, slug: str, options: Mapping[str, str], position: str) -> None:
        """Begin a game of *slug* in *position*."""
        await self.send("Begin", game=slug, options=list(options.items()), position=position, control="none")

        def is_begun(shown: Shown) -> bool:
            view = shown["view"]
            is_game = view["game"] == slug and view["position"] == position and not view["record"]
            return is_game and view["phase"] == "waiting" and shown["virtual"]["hand"] is None

        await self.until(is_begun, "the game")

    async def take(self, chosen: Chosen, chance: Random) -> None:
        """Take the piece into the hand, and wait for its lit cells or moves."""
        if chosen.is_boxed:
            boxed = self.shown["virtual"]["box"]
            like = [
                index
                for index, piece in enumerate(boxed)
                if (piece["kind"], piece["side"]) == (chosen.carry.piece.kind, chosen.carry.piece.side)
            ]
            assert like, f"{self.about}: the piece is not beside the board"
            await self.send("Take", index=like[0])
        else:
            await self.send("Lift", cell=chance.choice(chosen.carry.source))

        def is_lit(shown: Shown) -> bool:
            is_held, view = shown["virtual"]["hand"] is not None, shown["view"]
            return bool(view["record"] or (is_held and (view["targets"] or view["question"])))

        await self.until(is_lit, "a lit cell")
        assert not self.shown["view"]["record"], f"{self.about}: lifting it has made a move"

    async def settle(self, chance: Random) -> None:
        """Wait until a move is on record; answer all questions by drawn choices."""
        known = self.shown["view"]["question"]

        def is_open(shown: Shown) -> bool:
            return shown["view"]["question"] not in (None, known)

        def is_made(shown: Shown) -> bool:
            stages = [move["stage"] for move in shown["view"]["record"]]
            is_done = stages in (["announced"], ["settled"]) and shown["virtual"]["hand"] is None
            return is_done and shown["view"]["phase"] != "handling"

        while True:
            await self.until(lambda shown: is_open(shown) or is_made(shown), "the move")
            if not is_open(self.shown):
                return
            known = self.shown["view"]["question"]
            choice = chance.randrange(len(known["choices"]))
            await self.send("Answer", ply=known["ply"], choice=choice)


async def play(address: str, slug: str, seed: str, pairs: int) -> None:
    """Drop *pairs* pieces on lit cells at the table at *address*."""
    chance = Random(seed)
    async with connect(f"{address.replace('http', 'ws', 1)}ws", max_size=None) as line:
        hand = Hand(line, slug)
        await hand.until(lambda shown: shown["view"]["phase"] == "waiting", "a table")
        for number, (rules, options, position) in enumerate(starts(slug, chance)):
            if number == pairs:
                break
            await hand.begin(slug, options, rules.write_position(position))
            await _pair(hand, rules, position, chance)


async def _pair(hand: Hand, rules: AnyRules, position: Any, chance: Random) -> None:
    """Make a drawn move by a drawn piece and cell."""
    chosen = choose(rules, position, chance)
    names, piece = rules.grid.spell(chosen.carry.source), chosen.carry.piece
    text = rules.write_position(position)
    hand.about = f"{rules.slug} {dict(rules.options)}: {piece} from {names or 'the box'} in {text}"
    await hand.take(chosen, chance)
    view = hand.shown["view"]
    assert view["position"] == text, f"{hand.about}: the board is at {view['position']}"
    lit = sorted(view["targets"])
    strange = set(lit) - chosen.ends.keys()
    assert not strange, f"{hand.about}: {rules.grid.spell(sorted(strange))} is lit"
    if view["question"] and (not lit or chance.random() < 0.3):
        ends = chosen.in_place
        hand.about += " in place"
        question = view["question"]
        choice = chance.randrange(len(question["choices"]))
        await hand.send("Answer", ply=question["ply"], choice=choice)
    else:
        cell = chance.choice(lit)
        ends = chosen.ends[cell]
        hand.about += f" to {rules.grid.name(cell)}"
        await hand.send("Drop", cell=cell)
    await hand.settle(chance)
    after = hand.shown["view"]["position"]
    assert after in ends, f"{hand.about} became {after}"
    last = hand.shown["view"]["record"][-1]["move"]
    move = rules.read_move(position, last)
    assert rules.write_position(rules.apply(position, move)) == after, f"{hand.about} is recorded as {last}"
