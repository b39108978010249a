# SPDX-License-Identifier: Apache-2.0
"""The knowledge of each game: a module here of the game's name.

Its function `knowledge` makes it; a package has that in its module `knowledge`. Both are imported
when they are asked for. A game without such a module is searched without values.
"""

from __future__ import annotations

import importlib
from collections.abc import Hashable, Mapping
from typing import Any, Final

from companion import opponent
from companion.model.game import AnyRules
from companion.opponent.knowledge import Knowledge

_MOST_KEPT: Final = 4
_kept: Final[dict[Hashable, Knowledge[Any, Any]]] = {}
"""Knowledge by rules: it has tables, and remembers what it has found of pieces."""


def knowledge_of(rules: AnyRules, weights: Mapping[str, int] | None = None) -> Knowledge[Any, Any]:
    """The knowledge of the game of *rules*; *weights* replace those of the same names.

    Without them that of equal rules is the same.
    """
    if weights is not None:
        return _made(rules, weights)
    key = type(rules), rules.slug, *sorted(rules.options.items())
    found = _kept.get(key)
    if found is None:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        found = _kept[key] = _made(rules, None)
    return found


def _made(rules: AnyRules, weights: Mapping[str, int] | None) -> Knowledge[Any, Any]:
    """The knowledge of its module."""
    name = f"{opponent.__name__}.{rules.slug.replace('-', '_')}"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as fault:
        if fault.name != name:
            raise
        return Knowledge(rules, weights)
    if hasattr(module, "__path__"):
        module = importlib.import_module(f"{name}.knowledge")
    found: Knowledge[Any, Any] = module.knowledge(rules, weights)
    return found
