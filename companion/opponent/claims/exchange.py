# SPDX-License-Identifier: Apache-2.0
"""The material that is gained by force, and the pieces that change hands for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from companion.model.grid import Cell
from companion.opponent.claims.material import Material
from companion.opponent.knowledge import WIN, Knowledge, Taken

_SURE: Final = WIN // 2


class Exchange(NamedTuple):
    """What a party gains from a position, and how."""

    gain: int
    line: tuple[Any, ...]
    """Best play until nothing hangs."""


def exchange(material: Material[Any, Any], position: Any, plies: int, least: int) -> Exchange | None:
    """What *material* gains from *position* within *plies* and the noisy moves after them.

    None if it is less than *least*, or the game. The line is the shortest that shows it.
    """
    gain = material.exact(position, plies, least)
    if gain is None or gain > _SURE:
        return None
    for fewer in range(plies % 2, plies, 2):
        if material.gain(position, fewer, gain) == material.gain(position, fewer, gain + 1) == gain:
            plies = fewer
            break
    return Exchange(gain, _trimmed(material, position, material.line(position, plies, gain)))


def _trimmed(material: Material[Any, Any], position: Any, line: tuple[Any, ...]) -> tuple[Any, ...]:
    """*line* from *position* without quiet moves at its end, as long as nothing hangs."""
    positions = [position]
    for move in line:
        positions.append(material.knowledge.after(positions[-1], move))
    end = len(line)
    while end and not material.swing(positions[end - 1], line[end - 1]):
        if material.gain(positions[end - 1], 0, 0) < 0:
            break
        end -= 1
    return line[:end]


def exchanged(
    knowledge: Knowledge[Any, Any], position: Any, line: Sequence[Any]
) -> tuple[list[Taken], list[Taken]]:
    """What the party to move in *position* takes in *line*, and what it loses.

    The most valuable piece is the first, and each has the cells on which it stands in *position*.
    Pieces of the same kind on both sides cancel out.
    """
    origins: dict[tuple[Cell, ...], tuple[Cell, ...]] = {}
    party = knowledge.party(position.turn)
    won: list[Taken] = []
    lost: list[Taken] = []
    for move in line:
        steps = [step for step in knowledge.rules.steps(position, move) if step.source and step.target]
        for taken in knowledge.taken(position, move):
            each = taken._replace(cells=origins.get(taken.cells, taken.cells))
            if each.owner in party:
                lost.append(each)
            elif position.turn in party or len(knowledge.sides) == 2:
                won.append(each)
        came = {step.target: origins.get(step.source, step.source) for step in steps}
        origins |= came
        position = knowledge.after(position, move)
    return _without(won, lost, knowledge), _without(lost, won, knowledge)


def _without(these: Iterable[Taken], those: Iterable[Taken], knowledge: Knowledge[Any, Any]) -> list[Taken]:
    """*these*, but for one of its kind for each of *those*."""
    spare, left = Counter(each.piece.kind for each in those), []
    for each in these:
        if spare[each.piece.kind]:
            spare[each.piece.kind] -= 1
        else:
            left.append(each)
    return sorted(left, key=lambda each: -knowledge.worth_of(each.piece))
