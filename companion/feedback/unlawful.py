# SPDX-License-Identifier: Apache-2.0
"""The reason why a typed move that is written properly cannot be made. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from companion.feedback.words import Words
from companion.model.game import AnyRules, HasShortNotation
from companion.model.grid import Cell, Grid
from companion.model.observation import Difference, SensorKind
from companion.referee.looks import look

_CELLS: Final = re.compile(r"[A-Za-z]\d+")


def reason(text: str, rules: AnyRules, position: Any, words: Words) -> str | None:
    """The reason as a sentence; None if *text* is not written like a move."""
    found = [rules.explain(position, each) for each in _attempts(text, rules, position)]
    likely = [each for each in found if not each.rule.endswith("-shape")]  # such as the other knight
    return words.sentence([*likely, *found][0]) if found else None


def _attempts(text: str, rules: AnyRules, position: Any) -> Iterator[Difference]:
    """The changes of the board that *text* may mean."""
    if isinstance(rules, HasShortNotation):
        for source, target in rules.carries(position, text):
            yield _carried(rules, position, source, target)
        return
    cells = _cells(text, rules)
    if len(cells) >= 2 and cells[0] != cells[1] and rules.placement(position).at(cells[0]) is not None:
        yield _carried(rules, position, cells[0], cells[1])
    elif len(cells) == 1 and "@" in text:
        yield Difference((), tuple(cells))


def _cells(text: str, rules: AnyRules) -> Sequence[Cell]:
    """The cells that *text* names, in its order."""
    known = {name.casefold(): cell for cell, name in enumerate(rules.grid.names)}
    words = (found[0].casefold() for found in _CELLS.finditer(text.rpartition("@")[2]))
    return [known[word] for word in words if word in known]


def _carried(rules: AnyRules, position: Any, source: Cell, target: Cell) -> Difference:
    """The difference if the piece of *source* stood on *target*, with all its cells."""
    placement = rules.placement(position)
    entry = placement.entry_at(source)
    assert entry is not None
    piece, before = entry
    after = _shifted(rules.grid, before, source, target)
    seen = look(piece, SensorKind.IDENTITY_FACING)
    return Difference(
        tuple(cell for cell in before if cell not in after),
        tuple(cell for cell in after if placement.at(cell) is None),
        tuple((cell, seen) for cell in after if placement.at(cell) is not None and cell not in before),
    )


def _shifted(grid: Grid, cells: Sequence[Cell], source: Cell, target: Cell) -> tuple[Cell, ...]:
    """*cells* moved from *source* to *target*; only *target* if they would not fit."""
    if len(cells) == 1 or not grid.files:
        return (target,)
    files, ranks = target % grid.files - source % grid.files, target // grid.files - source // grid.files
    moved = [(cell % grid.files + files, cell // grid.files + ranks) for cell in cells]
    fits = all(0 <= file < grid.files and 0 <= rank < grid.ranks for file, rank in moved)
    return tuple(rank * grid.files + file for file, rank in moved) if fits else (target,)
