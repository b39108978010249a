# SPDX-License-Identifier: Apache-2.0
"""Hands at a simulated panel: they follow its lamps, or make a move.

What lamps cannot say is on the display: which piece comes from beside the board, which way it
faces, and that a button is to be pressed.
"""

from __future__ import annotations

from typing import Any

from companion.feedback.lights import Meaning, index_of
from companion.host.play.rig import Rig
from companion.model.grid import Cell
from companion.model.pieces import Piece
from companion.referee.values.commands import Answer

MOST_ERRANDS, MOST_ANSWERS = 40, 6
GRIP_MS, REST_MS, QUESTION_MS = 150, 1500, 3000
"""Times after a motion, after the last one, and until a question is asked."""


def lit(rig: Rig, meaning: Meaning) -> set[Cell]:
    """The cells on which the panel's lamps show *meaning*."""
    image = rig.panel.device.lamps.image
    return {cell for cell, colour in enumerate(image) if colour == index_of(meaning)}


def follow_lamps(rig: Rig) -> None:
    """Carry pieces as the lamps say until they say nothing more."""
    for _ in range(MOST_ERRANDS):
        decided = rig.pipeline.view.decided
        leaving, going = lit(rig, Meaning.CARRY_FROM), lit(rig, Meaning.CARRY_TO)
        if not leaving | going:
            if decided is None:
                return
            assert decided.needs_press, rig.pipeline.lines
            press(rig, decided.side)
            continue
        piece, source, target = first_errand(rig)
        assert {*source, *target} <= leaving | going, rig.pipeline.lines
        carry(rig, piece, source, target)
        rig.advance(REST_MS)
    raise AssertionError(f"the lamps stay lit: {rig.pipeline.lines}")


def first_errand(rig: Rig) -> tuple[Piece, tuple[Cell, ...], tuple[Cell, ...]]:
    """The piece that the display names first, with the cells that it leaves and enters."""
    first, *others = rig.pipeline.view.guides
    guides = [first]
    for guide in others:
        if not guide.is_part:
            break
        guides.append(guide)
    source = tuple(guide.source for guide in guides if guide.source is not None)
    target = tuple(guide.target for guide in guides if guide.target is not None)
    return first.piece, source, tuple(sorted(target))


def carry(rig: Rig, piece: Piece, source: tuple[Cell, ...], target: tuple[Cell, ...]) -> None:
    """Take a piece from *source*, and put *piece* on *target*, if any."""
    rig.become(rig.pieces.clear(*source))
    rig.advance(GRIP_MS)
    if target:
        rig.become(rig.pieces.clear(*target))
        rig.advance(GRIP_MS)
        rig.become(rig.pieces.stand(piece, target))
        rig.advance(GRIP_MS)


def press(rig: Rig, side: int) -> None:
    """Press the button of *side*."""
    rig.panel.press(side, rig.now_ms)
    rig.advance(GRIP_MS)
    rig.panel.release(side, rig.now_ms)
    rig.advance(QUESTION_MS)


def make(rig: Rig, move: Any) -> None:
    """Make *move* for the person: captured pieces leave first, and questions are answered."""
    session = rig.pipeline.session
    rules, position, ply = session.rules, session.position, rig.pipeline.view.ply
    text = rules.write_move(position, move)
    for step in sorted(rules.steps(position, move), key=lambda each: len(each.target)):
        carry(rig, step.becomes, step.source, step.target)
    rig.advance(REST_MS)
    for _ in range(MOST_ANSWERS):
        view = rig.pipeline.view
        if view.question is not None:
            choices = [each.moves for each in view.question.choices]
            chosen = next(number for number, moves in enumerate(choices) if text in moves)
            rig.pipeline.command(Answer(view.question.ply, chosen), rig.now_ms)
            rig.advance(REST_MS)
        elif view.ply == ply and view.outcome is None:
            press(rig, position.turn)
        else:
            return
    raise AssertionError(f"{text} is not understood: {rig.pipeline.lines}")
