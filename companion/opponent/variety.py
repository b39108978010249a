# SPDX-License-Identifier: Apache-2.0
"""Which of several good moves is played: a seed chooses.

Its rule: a move gets a preference of a *margin* at most, which the search adds to its value, so the
move that is chosen is worse than the best one by no more. A move that ends the game or repeats a
position gets none, nor does the search prefer anything to a sure win.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class _Openings:
    """Content of the file."""

    lines: Mapping[str, tuple[str, ...]]
    """Of each game, in its notation."""


def preferences(
    knowledge: Knowledge[P, M], position: P, past: Collection[Hashable], margin: int, seed: int
) -> dict[M, int]:
    """The preference for each move of *position*, in hundredths of the least piece.

    *past* are the keys of the earlier positions.
    """
    key, found = knowledge.key(position), dict.fromkeys(knowledge.moves(position), 0)
    for move in found if margin else ():
        after = knowledge.after(position, move)
        if knowledge.key(after) not in past and knowledge.decided(after) is None:
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
