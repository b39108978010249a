# SPDX-License-Identifier: Apache-2.0
"""Gestures with the clock, hands that follow too soon, and interrupted games.

Times: a clock is pressed 0.2 to 1 s after the move in ordinary play (videos of rapid games);
people who forget it are reminded after minutes, if at all; in blitz both hands are over the board
together at every exchange.
"""

from __future__ import annotations

from typing import Any

from tests.bench.players.hand import Hand
from tests.bench.players.kinds import Slot, kind
from tests.bench.players.people import median
from tests.bench.players.scene import Scene


@kind("press_late", Slot.PRESS, 2.0)
def press_late(scene: Scene) -> float:
    """The move stands for 1.5 to 15 s before the clock is pressed."""
    scene.right.wait(min(20_000.0, max(1500.0, median(scene.rng, 3500, 0.6))))
    return scene.right.t


@kind("press_forgotten", Slot.PRESS, 1.0)
def press_forgotten(scene: Scene) -> None:
    """The clock is not pressed, and the opponent moves anyway."""


@kind("press_twice", Slot.PRESS, 1.0)
def press_twice(scene: Scene) -> float:
    """The clock is pressed twice within a second."""
    scene.right.wait(scene.person.takes_ms(300, 0.5))
    again = scene.right.t + max(25.0, median(scene.rng, 250, 0.8))
    scene.desk.table.note(again, {"note": "press", "side": scene.side})
    return scene.right.t


@kind("press_at_once", Slot.PRESS, 3.0)
def press_at_once(scene: Scene) -> float:
    """The other hand presses within 80 ms before or after the piece stands."""
    return max(scene.begins_ms + 50, scene.lands_ms + scene.rng.gauss(0, 50))


@kind("reply_early", Slot.FOLLOW, 1.0)
def reply_early(scene: Scene, reply: bool) -> float:
    """The reply begins before the other hand has finished.

    That hand still holds a captured piece, adjusts, or goes to the clock.
    """
    return scene.lands_ms + scene.person.takes_ms(200, 0.9)


@kind("recapture_grab", Slot.FOLLOW, 2.0, lambda scene, reply: reply)
def recapture_grab(scene: Scene, reply: bool) -> float:
    """The piece that has just moved is captured by a waiting hand."""
    return scene.lands_ms + scene.rng.uniform(20, 250)


@kind("new_game", Slot.GAME, 0.12)
def new_game(play: Any) -> None:
    """The start position is set up for a new game in mid-game.

    The new game is requested before the pieces are touched, while they are being set up, or once
    they stand.
    """
    hand = Hand(play.desk, play.people[0], play.ready_ms)
    asked = play.rng.choice(["before", "between", "after"])
    start = play.rules.initial()
    wanted = list(play.rules.placement(start).entries)
    keep, wrong = [], []
    for body in play.desk.table.bodies:
        if body.cells and (body.piece, body.cells) in wanted:
            keep.append(body)
            wanted.remove((body.piece, body.cells))
        elif body.cells:
            wrong.append(body)
    if asked == "before":
        play.desk.table.note(hand.t, {"note": "new_game"})
    begun = hand.t + 200
    play.desk.table.note(begun, {"note": "busy"})
    hand.wait(400)
    play.rng.shuffle(wrong)
    play.rng.shuffle(wanted)
    for body in wrong:
        hand.off(body, quick=True)
    if asked == "between":
        play.desk.table.note(hand.t, {"note": "new_game"})
    for piece, cells in wanted:
        body = play.desk.from_box(piece)
        hand.bring(body, cells)
        hand.put(body, cells)
    if asked == "after":
        hand.wait(1500)
        play.desk.table.note(hand.t, {"note": "new_game"})
    settled = hand.t + 300
    play.desk.table.note(settled, {"note": "begins_again"})
    play.desk.table.note(settled, {"note": "idle"})
    play.restart(settled + 3500)
