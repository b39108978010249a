# SPDX-License-Identifier: Apache-2.0
"""Completion of typed lines: commands, moves and cells. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from companion.host.terminal.parser import Context, available


def completions(typed: str, context: Context) -> list[str]:
    """The words that may stand in place of the last one of *typed*, each once."""
    *before, word = typed.split(" ")
    candidates = _second(before[0], context) if len(before) == 1 else () if before else _first(context)
    return [each for each in dict.fromkeys(candidates) if each.casefold().startswith(word.casefold())]


def _first(context: Context) -> Iterator[str]:
    """Commands, legal moves, and the cells of pieces that may move."""
    yield from available(
        context.view, context.words, is_virtual=context.is_virtual, takes_presses=context.takes_presses
    ).values()
    if not context.is_virtual or context.view.outcome is not None:
        return
    rules, position = context.rules, context.position
    moves = rules.legal_moves(position)
    yield from (rules.write_move(position, move) for move in moves)
    for move in moves:
        for step in rules.steps(position, move)[:1]:  # () if nothing moves
            yield from map(rules.grid.name, step.source)


def _second(first: str, context: Context) -> Iterator[str]:
    """The names of the sides after a command, the targets after a cell."""
    words = context.words
    if first.casefold() in map(str.casefold, words.common.typed.commands.values()):
        yield from (words.side(side).name for side in range(len(context.view.sides)))
        return
    rules, position = context.rules, context.position
    for move in rules.legal_moves(position):
        for step in rules.steps(position, move)[:1]:
            if first.casefold() in (rules.grid.name(cell).casefold() for cell in step.source):
                yield from map(rules.grid.name, step.target)
