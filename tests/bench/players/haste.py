# SPDX-License-Identifier: Apache-2.0
"""Hands that are too early or too late with the answer or the clock.

Times: in blitz the answer is in the fingers while the opponent's piece still travels; a player who
forgot the clock is reminded by the opponent's hand; a double press comes from hands that are not
sure of the first.
"""

from __future__ import annotations

from companion.model.moves import Step
from companion.model.pieces import Piece
from tests.bench.players.hand import Hand
from tests.bench.players.kinds import Slot, kind
from tests.bench.players.looks import Sight
from tests.bench.players.physics import Body
from tests.bench.players.scene import Scene

PLAIN_WAYS = frozenset({"drag", "long_hold", "wobble"})
"""Ways of a piece on which it stands on no other cell than its target."""


def _lifts(scene: Scene, reply: bool) -> bool:
    """True if the answer begins with lifting a piece that does not move now."""
    first = scene.reply_steps[0] if scene.reply_steps else None
    touched = {cell for step in scene.steps for cell in (*step.source, *step.target)}
    return first is not None and bool(first.source) and not touched & set(first.source)


@kind("lift_before", Slot.FOLLOW, 2.5, _lifts)
def lift_before(scene: Scene, reply: bool) -> float:
    """The answering piece is lifted before the move is finished.

    It is put down right after.
    """
    scene.reply_waits_ms = scene.ends_ms + scene.rng.uniform(10, 300)
    first = max(scene.begins_ms + 60, scene.decided_ms)
    return scene.rng.uniform(first, max(first + 1, scene.ends_ms))


def _turns(scene: Scene, reply: bool) -> bool:
    return scene.turns_ms > 0 and _lifts(scene, reply)


@kind("lift_in_turn", Slot.FOLLOW, 12.0, _turns)
def lift_in_turn(scene: Scene, reply: bool) -> float:
    """The answering piece is lifted while the other player turns a piece in its place."""
    scene.reply_waits_ms = scene.ends_ms + scene.rng.uniform(10, 400)
    return scene.rng.uniform(max(scene.turns_ms, scene.begins_ms + 60), scene.ends_ms)


@kind("reply_at_once", Slot.FOLLOW, 1.5)
def reply_at_once(scene: Scene, reply: bool) -> float:
    """The answer begins within 200 ms after the piece stands."""
    return scene.lands_ms + scene.rng.uniform(5, 200)


@kind("turn_by_touches", Slot.TURN, 2.0, lambda scene, hand, body, piece: piece.facing is not None)
def turn_by_touches(scene: Scene, hand: Hand, body: Body, piece: Piece) -> None:
    """A tank is turned in several touches.

    It is lifted, turned by an eighth or two, put down and looked at.
    """
    now = body.piece
    if now.facing is None or piece.facing is None or now.facing == piece.facing:
        hand.change(body, piece)
        return
    there = (piece.facing - now.facing) % 8
    way, left, facing = (1, there, now.facing) if there <= 4 else (-1, 8 - there, now.facing)
    while left:
        by = min(left, scene.rng.choice((1, 1, 2)))
        left, facing = left - by, (facing + way * by) % 8
        hand.lift(body, 0.9 * scene.desk.board.pitch)
        hand.change(body, Piece(piece.kind, piece.side, facing, piece.pose, piece.shows))
        hand.put_back(body)
        if left:
            hand.linger(350, 0.5)


# the clock


def _plain(scene: Scene) -> bool:
    """True if one piece is carried straight to its cell.

    Nothing else can be pressed for then.
    """
    movers = [step for step in scene.steps if step.target]
    is_plain = len(movers) == 1 and movers[0].becomes == movers[0].piece and bool(movers[0].source)
    own = {name for name in scene.used if name not in scene.before_names}
    return is_plain and own <= PLAIN_WAYS


@kind("press_in_hand", Slot.PRESS, 2.0, _plain)
def press_in_hand(scene: Scene) -> float:
    """The clock is pressed 0.1 to 0.8 s before the piece stands."""
    return max(scene.begins_ms + 50, scene.lands_ms - scene.rng.uniform(100, 800))


@kind("press_after_reply", Slot.PRESS, 2.0)
def press_after_reply(scene: Scene) -> None:
    """The clock is pressed after the opponent's answer has begun, or once it stands."""
    scene.owes = scene.rng.choice(("begun", "done"))


@kind("press_again", Slot.PRESS, 1.0)
def press_again(scene: Scene) -> float:
    """The clock is pressed in time, and once more after 0.6 to 3 s."""
    scene.right.wait(scene.person.takes_ms(300, 0.5))
    again = scene.right.t + scene.rng.uniform(600, 3000)
    scene.desk.table.note(again, {"note": "press", "side": scene.side})
    return scene.right.t


def _half_is_illegal(scene: Scene, first: Step, second: Step) -> bool:
    """True if the first half of the move alone is no legal move."""
    if scene.clock != "press" or set(first.target) & set(second.source):
        return False
    sight = Sight(scene.rules, scene.position, scene.kind)
    return not any(True for _ in sight.matching(sight.after((first,))))


@kind("press_in_pair", Slot.PAIR, 1.5, _half_is_illegal)
def press_in_pair(scene: Scene, first: Step, second: Step) -> None:
    """The clock is pressed in the middle of castling; then the second piece is moved."""
    hand = scene.right
    scene.transfer(hand, first)
    hand.wait(scene.rng.uniform(80, 500))
    scene.desk.table.note(hand.t, {"note": "press", "side": scene.side})
    scene.has_pressed = True
    hand.wait(scene.rng.uniform(0, 1500))
    hand.reach()
    scene.transfer(hand, second)
    scene.lands_ms = hand.t
