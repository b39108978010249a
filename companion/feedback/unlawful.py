# SPDX-License-Identifier: Apache-2.0
"""The reason why a typed move that is written properly cannot be made. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from companion.feedback.words import Words
from companion.model.game import AnyRules, HasShortNotation
from companion.model.grid import Cell
from companion.model.observation import Difference
from companion.referee.values.board.immobile import carried

_CELLS: Final = re.compile(r"[A-Za-z]\d+")


def reason(text: str, rules: AnyRules, position: Any, words: Words) -> str | None:
    """The reason as a sentence; None if *text* is not written like a move."""
    found = [rules.explain(position, each) for each in _attempts(text, rules, position)]
    likely = [each for each in found if not each.rule.endswith("-shape")]  # such as the other knight
    return words.sentence([*likely, *found][0]) if found else None


def _attempts(text: str, rules: AnyRules, position: Any) -> Iterator[Difference]:
    """The changes of the board that *text* may mean."""
    placement = rules.placement(position)
    if isinstance(rules, HasShortNotation):
        for source, target in rules.carries(position, text):
            yield carried(rules.grid, placement, source, target)
        return
    cells = _cells(text, rules)
    if len(cells) >= 2 and cells[0] != cells[1] and placement.at(cells[0]) is not None:
        yield carried(rules.grid, placement, cells[0], cells[1])
    elif len(cells) == 1 and "@" in text:
        yield Difference((), tuple(cells))


def _cells(text: str, rules: AnyRules) -> Sequence[Cell]:
    """The cells that *text* names, in its order."""
    known = {name.casefold(): cell for cell, name in enumerate(rules.grid.names)}
    words = (found[0].casefold() for found in _CELLS.finditer(text.rpartition("@")[2]))
    return [known[word] for word in words if word in known]
