# SPDX-License-Identifier: Apache-2.0
"""Which of several good moves is played: a seed chooses.

Its rule: a move gets a preference of a *margin* at most, which the search adds to its value, so the
move that is chosen is worse than the best one by no more. A move that ends the game or repeats a
position gets none, nor does the search prefer anything to a sure win.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Final
from zlib import crc32

from companion.games import find
from companion.model.game import AnyRules, M, P
from companion.model.toml import build, parse
from companion.opponent.knowledge import Knowledge

_FILE: Final = "openings.toml"
OPENING_PLIES: Final = 6
"""Plies of each line."""


@dataclass(frozen=True, slots=True)
class _Openings:
    """Content of the file."""

    lines: Mapping[str, tuple[str, ...]]
    """Of each game, in its notation."""


def bonuses(
    knowledge: Knowledge[P, M], position: P, past: Collection[Hashable], margin: int, seed: int
) -> dict[M, int]:
    """The preference for each move of *position*, in hundredths of the least piece.

    *past* are the keys of the earlier positions.
    """
    key, found = knowledge.key(position), dict.fromkeys(knowledge.moves(position), 0)
    start = crc32(f"{seed} {key!r} ".encode())
    for move in found if margin else ():
        after = knowledge.after(position, move)
        if knowledge.key(after) not in past and knowledge.decided(after) is None:
            found[move] = crc32(repr(move).encode(), start) % (margin + 1)
    return found


def opening_move(rules: AnyRules, position: P, past: Sequence[P], seed: int) -> str:
    """A move of the project's openings in *position*, as text; "" where they have none.

    *past* are the earlier positions of the game. There are openings under the default options of a
    game. A move is as likely as it is frequent among the lines that the game has followed.
    """
    played = [*past, position]
    lines = _lines(rules.slug) if len(past) < OPENING_PLIES else ()
    if not lines or played[0] != rules.initial() or rules.options != find(rules.slug).rules().options:
        return ""
    for ply, (before, after) in enumerate(pairwise(played)):
        moves = {line[ply] for line in lines}
        followed = {move for move in moves if rules.apply(before, rules.read_move(before, move)) == after}
        lines = tuple(line for line in lines if line[ply] in followed)
    return lines[crc32(f"{seed} opening".encode()) % len(lines)][len(past)] if lines else ""


@cache
def _lines(slug: str) -> tuple[tuple[str, ...], ...]:
    """The openings of the game *slug*, each with its moves as text."""
    text = resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    lines = build(_Openings, parse(text, _FILE), _FILE).lines.get(slug, ())
    return tuple(tuple(line.split()) for line in lines)
