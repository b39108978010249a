# SPDX-License-Identifier: Apache-2.0
"""Which quiet moves a search leaves out, or searches less deep. Pure.

Their errors are measured against a search without them: `tests/opponent/test_exact_search.py`.
"""

from __future__ import annotations

from typing import Any, Final

from companion.opponent.knowledge import SURE, WIN, Knowledge

ALL: Final = WIN
"""More moves than any position has."""
_MARGIN_PLIES: Final = 2
"""Plies before the leaves in which a quiet move gains a margin at most."""
_NOT_REDUCED: Final = 3
"""First moves at a node that are searched to the full depth."""
_LEAST_REDUCED: Final = 4
"""Least depth of a reduction where the value is wanted; below, it misses mates."""
_VERY_LATE: Final = 12
_TO_KEEP: Final = 16
"""By which factor more quiet moves are searched where one may keep what there is."""
_MANY: Final = 40
"""First moves of a position that are not reduced below `_LEAST_REDUCED`: few games have more."""


def quiet_allowed(knowledge: Knowledge[Any, Any], depth: int, alpha: int, static: int) -> int:
    """How many quiet moves are searched: few near the leaves, where they cannot help.

    More if the *static* value is better than *alpha*: one of them may keep what there is.
    """
    has_margin = knowledge.margin and depth <= _MARGIN_PLIES and alpha > -SURE
    if has_margin and static + depth * knowledge.margin <= alpha:
        return 1
    most = knowledge.most_quiet(depth)
    return ALL if most is None else most * _TO_KEEP if static > alpha else most


def reduction(depth: int, number: int, width: int) -> int:
    """By how many plies a late quiet move is searched less deep.

    *width* is the distance of the bounds, 1 where only a better move is looked for.
    """
    is_wanted = width > 1 and number < _MANY
    if number < _NOT_REDUCED or depth < (_LEAST_REDUCED if is_wanted else _LEAST_REDUCED - 1):
        return 0
    return 1 + (number >= _VERY_LATE and depth >= _LEAST_REDUCED)
