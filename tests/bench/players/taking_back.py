# SPDX-License-Identifier: Apache-2.0
"""Plies that are taken back by hand.

How often: in casual games one move in thirty is taken back by agreement, mostly the last one, seen
within seconds; two plies when the opponent had answered, three when both want to try another way.
A hand puts a piece back in a second and then looks for the next one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from companion.model.grid import Cell
from tests.bench.players.hand import Hand
from tests.bench.players.kinds import Slot, kind
from tests.bench.players.looks import Looks, Sight, is_traceless
from tests.bench.players.people import median
from tests.bench.players.physics import Board, Body, Item

ANNOUNCED_MS = 5000.0
"""A move that rests for so long is made, on every board."""


@dataclass(frozen=True)
class Stood:
    """The table before a ply."""

    position: Any
    move: Any
    cells: tuple[tuple[Body, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class Undo:
    """The intention to take back plies after the next one."""

    count: int
    is_unpressed: bool
    """True if the clock is not pressed before."""


def draw(play: Any) -> Undo | None:
    """The intention of the players before a ply, if they have one."""
    rng, named = play.rng, play.setting.only == "take_back"
    if play.setting.only is not None and not named:
        return None
    habits = play.people[play.position.turn].temperament.habits
    if rng.random() > (0.4 if named else 0.035 * habits):
        return None
    return Undo(rng.choices((1, 2, 3), (6, 3, 1))[0], rng.random() < 0.5)


def may_be_played(sight: Sight, looks: Looks, count: int) -> bool:
    """True if up to *count* legal moves lead from the position of *sight* to *looks*."""
    if any(True for _ in sight.matching(looks)):
        return True
    off = sight.differing(looks)
    if count < 2:
        return False
    for move, steps in sight.moves():
        if off & {cell for step in steps for cell in (*step.source, *step.target)}:
            after = Sight(sight.rules, sight.rules.apply(sight.position, move), sight.kind)
            if may_be_played(after, looks, count - 1):
                return True
    return False


def _is_clear_case(play: Any, past: list[Stood]) -> bool:
    """True if nothing but taking back leads to the board before *past*."""
    kind = play.table.board.kind
    if any(is_traceless(play.rules, each.position, each.move, kind) for each in past):
        return False
    if len(play.rules.legal_moves(play.position)) > 150 and len(past) > 1:
        return False  # too many moves to search
    looks = Sight(play.rules, past[0].position, kind).looks
    sight = Sight(play.rules, play.position, kind)
    return bool(sight.differing(looks)) and not may_be_played(sight, looks, len(past))


@kind("take_back", Slot.GAME, 0.035)
def take_back(play: Any, undo: Undo, is_told: Callable[[], bool]) -> Iterator[Item]:
    """The last plies are taken back by hand, in any order of the pieces.

    Where the game forbids it, the pieces are put right again. Plies that were pressed for count as
    taken back unless the table tells that they may not be: then they are put right, too. Nothing
    is done if the same board could be reached by moves.
    """
    count = min(undo.count if play.rules.allows_take_back else 1, len(play.past))
    past = play.past[len(play.past) - count :]
    if not past or play.is_over() or not _is_clear_case(play, past):
        return
    hand = Hand(play.desk, play.people[past[-1].position.turn], play.ready_ms)
    hand.wait(min(20_000.0, max(300.0, median(play.rng, 1800, 0.8))))
    is_pressed = play.setting.clock == "press" and (count > 1 or not undo.is_unpressed)
    if not play.rules.allows_take_back:
        hand.t = max(hand.t, play.ready_ms + ANNOUNCED_MS + 1500)
        yield from _tried(play, hand, past, is_told, is_forbidden=True)
        return
    names = ["take_back", f"take_back_{count}"]
    if play.setting.clock == "press":
        names.append("take_back_pressed" if is_pressed else "take_back_unpressed")
    play.used.update(names)
    for name in names:
        play.table.note(hand.t, {"note": "gesture", "name": name})
    if is_pressed:
        yield from _tried(play, hand, past, is_told, is_forbidden=False)
        return
    play.table.note(hand.t, {"note": "busy"})
    restore(play, hand, past[0])
    settled = _settled(play, hand)
    play.table.note(settled, {"note": "taken_back", "plies": count})
    play.table.note(settled + 80, {"note": "idle"})
    play.retreat(past, settled + 300)
    yield from play.table.advance(int(play.ready_ms))


def _settled(play: Any, hand: Hand) -> int:
    """The time of the last scan after the last motion."""
    board: Board = play.table.board
    return math.ceil(hand.t + board.scan_ms * (board.settle + 1))


def _tried(
    play: Any, hand: Hand, past: list[Stood], is_told: Callable[[], bool], *, is_forbidden: bool
) -> Iterator[Item]:
    """Take plies back; put them right where that is forbidden."""
    note = play.table.note
    now = Stood(play.position, None, tuple((body, body.cells) for body in play.table.bodies if body.cells))
    if is_forbidden:
        looks = Sight(play.rules, past[0].position, play.table.board.kind).looks
        if Sight(play.rules, play.position, play.table.board.kind).is_on_the_way(looks):
            return
        play.used["take_back_forbidden"] += 1
        note(hand.t, {"note": "gesture", "name": "take_back_forbidden"})
    note(hand.t, {"note": "busy"})
    turns = not is_forbidden and len(past) % 2 == 1 and play.rng.random() < 0.7
    presser, is_before = play.position.turn, play.rng.random() < 0.5
    if turns and is_before:
        note(hand.t, {"note": "press", "side": presser})
        hand.wait(play.rng.uniform(200, 1500))
    note(hand.t, {"note": "takes_back"})
    restore(play, hand, past[0])
    if turns and not is_before:
        note(hand.t + 150, {"note": "press", "side": presser})
    settled = _settled(play, hand)
    note(settled, {"note": "attempt", "cells": [], "pressed": False})
    hand.t = settled + min(30_000.0, max(1500.0, median(play.rng, 3000, 0.8)))
    note(hand.t, {"note": "gesture", "name": "take_back"})
    yield from play.table.advance(math.ceil(hand.t))
    if not is_forbidden and not is_told():
        note(hand.t + 1, {"note": "taken_back", "plies": len(past)})
        note(hand.t + 80, {"note": "idle"})
        play.retreat(past, hand.t + 300)
    else:
        note(hand.t + 1, {"note": "attempt_over"})
        if not is_forbidden:
            play.used["take_back_refused"] += 1
        hand.wait(2.0)
        restore(play, hand, now)
        if turns:  # the clock is turned again as well
            note(hand.t + 300, {"note": "press", "side": past[-1].position.turn})
        play.ready_ms = _settled(play, hand) + 500
        note(play.ready_ms - 100, {"note": "idle"})
    yield from play.table.advance(math.ceil(play.ready_ms))


def restore(play: Any, hand: Hand, stood: Stood) -> None:
    """Put all pieces where they *stood*, one by one, in any order."""
    pieces = {cells: piece for piece, cells in play.rules.placement(stood.position).entries}
    wanted = dict(stood.cells)
    for body in [body for body in play.desk.table.bodies if body.cells and body not in wanted]:
        hand.reach()
        hand.off(body)
    left = [(body, cells) for body, cells in stood.cells if _is_off(body, cells, pieces[cells])]
    play.rng.shuffle(left)
    while left:
        free = [each for each in left if not _is_taken(play, *each)]
        if not free:  # two pieces that stand on each other's cells: one waits in the hand
            body = left[0][0]
            hand.lift(body)
            body.cells = ()
            continue
        body, cells = free[0]
        left.remove(free[0])
        hand.reach()
        if not body.cells and not body.is_held:
            hand.bring(body, cells)
        elif not body.is_held:
            hand.lift(body)
        if body.piece != pieces[cells]:
            hand.change(body, pieces[cells])
        hand.put(body, cells)
        hand.wait(min(1500.0, median(play.rng, 250, 0.9)))


def _is_off(body: Body, cells: tuple[Cell, ...], piece: Any) -> bool:
    return body.cells != cells or body.piece != piece


def _is_taken(play: Any, body: Body, cells: tuple[Cell, ...]) -> bool:
    others = (each for each in play.desk.table.bodies if each is not body)
    return any(set(each.cells) & set(cells) for each in others)
