# SPDX-License-Identifier: Apache-2.0
"""Playthroughs: whole games written ply by ply, to show changes of behaviour.

`python -m tests.games.playthroughs SLUG [SEED] [OPTION=VALUE ...]` prints one; keep it in
`playthroughs/SLUG.txt`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from typing import Any

from companion.games import find
from companion.model.game import AnyRules, Outcome


def describe(rules: AnyRules, position: Any) -> str:
    """The line of a position: its text, number of moves, and announcements."""
    cries = [
        f"{cry.cry} by {rules.sides[cry.side]}: {rules.grid.spell(cry.causes)}"
        for cry in rules.announcements(position)
    ]
    return " | ".join([rules.write_position(position), f"{len(rules.legal_moves(position))} moves", *cries])


def ending(rules: AnyRules, outcome: Outcome | None) -> str:
    """The last line: how the game ended."""
    if outcome is None:
        return "end: unfinished"
    winners = " and ".join(rules.sides[side] for side in outcome.winners) or "nobody"
    return f"end: {winners}, {outcome.termination}" + (f", {outcome.scores}" if outcome.scores else "")


def write(rules: AnyRules, moves: Sequence[str]) -> str:
    """The playthrough of *moves*."""
    position = rules.initial()
    lines = [f"game: {rules.slug}", *(f"option: {name}={value}" for name, value in rules.options.items())]
    lines.append(f"start: {describe(rules, position)}")
    for ply, text in enumerate(moves):
        move = rules.read_move(position, text)
        notation, side = rules.write_move(position, move), rules.sides[position.turn]
        position = rules.apply(position, move)
        lines.append(f"{ply} {side}: {notation} | {describe(rules, position)}")
    lines.append(ending(rules, rules.status(position)))
    return "\n".join(lines) + "\n"


def read(text: str) -> tuple[str, dict[str, str], list[str]]:
    """The slug, options and moves of a playthrough."""
    slug, options, moves = "", {}, []
    for line in text.splitlines():
        head, _, rest = line.partition(": ")
        if head == "game":
            slug = rest
        elif head == "option":
            name, _, value = rest.partition("=")
            options[name] = value
        elif head[:1].isdecimal():
            moves.append(rest.split(" | ")[0])
    return slug, options, moves


def main(slug: str, seed: str = "1", *options: str) -> None:
    """Print a random playthrough."""
    rules = find(slug).rules(dict(option.split("=", 1) for option in options))
    chance, position, moves = random.Random(int(seed)), rules.initial(), list[str]()
    while len(moves) < 200 and (legal := rules.legal_moves(position)):
        move = chance.choice(legal)
        moves.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    sys.stdout.write(write(rules, moves))


if __name__ == "__main__":
    main(*sys.argv[1:])
