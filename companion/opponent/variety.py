# SPDX-License-Identifier: Apache-2.0
"""Which of several good moves is played: a seed chooses.

Its rule: a move gets a preference of a *margin* at most, which the search adds to its value, so the
move that is chosen is worse than the best one by no more. A move that ends the game or repeats a
position gets none, nor does the search prefer anything to a sure win. Where no rule ends a game of
repetitions, the side that is ahead also leaves alone what stood before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final
from zlib import crc32

from companion.games import find
from companion.model.game import AnyRules, M, P
from companion.model.toml import build, parse
from companion.opponent.knowledge import Knowledge

_FILE: Final = "openings.toml"
_AGAIN: Final = 30
"""What a side gives up for not coming back to a position that stood once."""
_MOST_TIMES: Final = 4


@dataclass(frozen=True, slots=True)
class _Openings:
    """Content of the file."""

    lines: Mapping[str, tuple[str, ...]]
    """Of each game, in its notation."""


def preferences(
    knowledge: Knowledge[P, M], position: P, past: Sequence[Hashable], margin: int, seed: int
) -> dict[M, int]:
    """The preference for each move of *position*, in hundredths of the least piece.

    *past* are the keys of the earlier positions, each as often as it stood. Where no rule ends a
    game of repetitions, the side that is better off avoids them.
    """
    times, key = Counter(past), knowledge.key(position)
    avoids = not knowledge.repeats and knowledge.value(position, position.turn) > 0
    found = dict.fromkeys(knowledge.moves(position), 0)
    for move in found:
        after = knowledge.after(position, move)
        again = times[knowledge.key(after)]
        if again:
            found[move] = -_AGAIN * min(again, _MOST_TIMES) * avoids
        elif margin and knowledge.decided(after) is None:
            found[move] = crc32(f"{seed} {key!r} {move!r}".encode()) % (margin + 1)
    return found


def opening_move(rules: AnyRules, position: P, seed: int) -> str:
    """A move of the project's openings in *position*, as text; "" where they have none.

    There are openings under the default options of a game. A move is as likely as it is frequent.
    """
    if rules.options != find(rules.slug).rules().options:
        return ""
    moves = _openings(rules.slug).get(rules.write_position(position), ())
    return moves[crc32(f"{seed} opening".encode()) % len(moves)] if moves else ""


@cache
def _openings(slug: str) -> Mapping[str, Sequence[str]]:
    """The moves of the openings by the position before them, as text."""
    text = resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    rules, found = find(slug).rules(), defaultdict[str, list[str]](list)
    for line in build(_Openings, parse(text, _FILE), _FILE).lines.get(slug, ()):
        position = rules.initial()
        for move in line.split():
            found[rules.write_position(position)].append(move)
            position = rules.apply(position, rules.read_move(position, move))
    return found
